"""Games in strategic form as files give them: payoffs by tables, distributions, rounds of play."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from math import prod
from typing import Annotated, Any, Final

from msgspec import Meta

from mechproof.problems.format.reading import DocumentError, child, locate_errors
from mechproof.problems.format.typed import Record, check_digits, convert_document
from mechproof.problems.shared.counting import MAX_LONG_PLAYED, MAX_PLAYED, check_count, weigh_steps
from mechproof.problems.shared.goods import entries_of, first_repetition, look_up_name
from theory.normal_form import NormalFormGame
from theory.normal_form.game import check_size
from theory.numbers import Exact
from theory.shared.text import short_text

__all__ = [
    "Actions",
    "Payoffs",
    "Play",
    "Profile",
    "ProfileEntry",
    "distribution_of",
    "plays_of",
    "tabulated_game",
]

Profile = tuple[str, ...]
Play = str | dict[str, Fraction]

Actions = Annotated[
    dict[str, Annotated[Profile, Meta(min_length=1)]],
    Meta(description="Player: the names of its actions."),
]

_HERE: Final = "#/$defs/Problem/properties/payoffs"
Payoffs = Annotated[
    dict[str, Any],
    Meta(
        min_length=1,
        description="Action of the first player, then of the second and so on: what the profile "
        "pays, one number a player.",
        extra_json_schema={
            "additionalProperties": {
                "anyOf": [
                    {"$ref": _HERE},
                    {"type": "array", "items": {"$ref": "#/$defs/Number"}, "minItems": 1},
                ]
            }
        },
    ),
]


class ProfileEntry(Record, frozen=True, kw_only=True):
    """The probability of a profile."""

    profile: Annotated[Profile, Meta(description="An action of each player, in their order.")]
    probability: Annotated[Fraction, Meta(description="Its probability.")]


def tabulated_game(
    players: Sequence[str], actions: Mapping[str, Profile], payoffs: Mapping[str, Any]
) -> NormalFormGame:
    """Return the game of the fields ``players``, ``actions`` and ``payoffs``.

    Raises
    ------
    DocumentError
        With the path of what is missing, given twice, unknown or of the wrong length.
    """
    _once(players, "player", "$.players")
    own = entries_of(actions, "player", players, "$.actions")
    for player, names in zip(players, own, strict=True):
        _once(names, f"action of {player}", child("$.actions", player))
    axes, shape = list(zip(players, own, strict=True)), tuple(map(len, own))
    with locate_errors("$.payoffs"):
        check_size(shape)
        cells = list(_cells(payoffs, axes, len(players), "$.payoffs"))
        check_digits(chain.from_iterable(cells), "payoffs")
        tables = [_nest_column(iter(column), shape) for column in zip(*cells, strict=True)]
        return NormalFormGame.of(Exact.of(tables, "payoffs"), players=players, actions=own)


def distribution_of(
    entries: Sequence[ProfileEntry], game: NormalFormGame
) -> dict[Profile, Fraction]:
    """Return the probability of each profile of the field ``distribution``."""
    work = len(entries) * max(game.shape)
    fix = "give fewer entries"
    check_count("$.distribution", "entries by action", work, MAX_PLAYED, fix)
    masses: dict[Profile, Fraction] = {}
    for k, entry in enumerate(entries):
        path = child(child("$.distribution", k), "profile")
        if len(entry.profile) != len(game.players):
            wrong = f"has {len(entry.profile)} actions: give {len(game.players)}, one a player"
            raise DocumentError(wrong, path=path)
        for p, action in enumerate(entry.profile):
            _action(action, game, p, child(path, p))
        if entry.profile in masses:
            raise DocumentError("is given twice: add up the probabilities", path=path)
        masses[entry.profile] = entry.probability
    _check_length(game, work, [masses.values()], "$.distribution")
    _check_law(masses.values(), "$.distribution")
    return masses


def plays_of(
    plays: Mapping[str, Sequence[Play]], game: NormalFormGame
) -> list[list[list[Fraction]]]:
    """Return for each player, round and action the probability: the field ``plays``."""
    own = entries_of(plays, "player", game.players, "$.plays")
    for player, rounds in zip(game.players, own, strict=True):
        if len(rounds) != len(own[0]):
            first = f"{game.players[0]!r} plays {len(own[0])}"
            wrong = f"has {len(rounds)} rounds, and {first}: give each player as many"
            raise DocumentError(wrong, path=child("$.plays", player))
    count = len(own[0])
    work = count * max(prod(game.shape), *(n * n for n in game.shape))
    fix = "give fewer rounds or actions"
    check_count("$.plays", "rounds by profile or by pair of actions", work, MAX_PLAYED, fix)
    read = [
        [
            _read_mixed(play, game, p, child(child("$.plays", player), t))
            for t, play in enumerate(rounds)
        ]
        for p, (player, rounds) in enumerate(zip(game.players, own, strict=True))
    ]
    played = sum(prod(sum(map(bool, law)) for law in laws) for laws in zip(*read, strict=True))
    work = (count + min(played, prod(game.shape))) * max(game.shape)
    _check_length(game, work, [chain.from_iterable(laws) for laws in read], "$.plays")
    return read


def _check_length(
    game: NormalFormGame, work: int, laws: Sequence[Iterable[Fraction]], path: str
) -> None:
    """Refuse work with long numbers: payoffs over one denominator times probabilities."""
    payoffs = game.payoffs
    assert isinstance(payoffs, Exact)
    longest = max(payoffs.denominator, int(abs(payoffs.numerators).max()))
    most = MAX_LONG_PLAYED + work
    long = weigh_steps(work, [[Fraction(1, longest)], *laws], most) - work
    fix = "round the payoffs or the probabilities, or give fewer actions"
    check_count(path, "steps by the length of numbers", long, MAX_LONG_PLAYED, fix)


def _cells(
    table: object, axes: Sequence[tuple[str, Profile]], players: int, path: str
) -> Iterator[tuple[Fraction, ...]]:
    """Yield what each profile pays, in C order."""
    if not axes:
        yield _read_payoffs(table, players, path)
        return
    player, actions = axes[0]
    if not isinstance(table, dict):
        wrong = f"is not a table of the actions of {player!r}: write action = … for each"
        raise DocumentError(wrong, path=path)
    rows = entries_of(table, f"action of {player}", actions, path)
    for action, row in zip(actions, rows, strict=True):
        yield from _cells(row, axes[1:], players, child(path, action))


def _read_payoffs(cell: object, players: int, path: str) -> tuple[Fraction, ...]:
    if not isinstance(cell, list):
        raise DocumentError("is not a list of payoffs, one number a player", path=path)
    if len(cell) != players:
        raise DocumentError(f"has {len(cell)} payoffs for {players} players", path=path)
    return tuple(_number(value, child(path, p)) for p, value in enumerate(cell))


def _number(value: object, path: str) -> Fraction:
    try:
        return convert_document(value, Fraction)
    except DocumentError as error:
        raise DocumentError(error.message, path=path) from error


def _nest_column(column: Iterator[Fraction], shape: Sequence[int]) -> Any:
    if not shape:
        return next(column)
    return [_nest_column(column, shape[1:]) for _ in range(shape[0])]


def _read_mixed(play: Play, game: NormalFormGame, player: int, path: str) -> list[Fraction]:
    if isinstance(play, str):
        sure = _action(play, game, player, path)
        return [Fraction(j == sure) for j in range(game.shape[player])]
    for action in play:
        _action(action, game, player, child(path, action))
    _check_law(play.values(), path)
    return [play.get(action, Fraction(0)) for action in game.actions[player]]


def _action(name: str, game: NormalFormGame, player: int, path: str) -> int:
    known = {action: k for k, action in enumerate(game.actions[player])}
    return look_up_name(name, f"action of {game.players[player]}", known, path)


def _check_law(masses: Any, path: str) -> None:
    listed = list(masses)
    if any(p < 0 for p in listed):
        least = short_text(min(listed))
        wrong = f"has a probability below 0 (got '{least}'): give probabilities with sum 1"
        raise DocumentError(wrong, path=path)
    if sum(listed) != 1:
        wrong = f'has sum {short_text(sum(listed))}: give probabilities with sum 1, such as "1/3"'
        raise DocumentError(wrong, path=path)


def _once(names: Sequence[str], what: str, path: str) -> None:
    k = first_repetition(names)
    if k is not None:
        wrong = f"{names[k]!r} names another {what} too: name each once"
        raise DocumentError(wrong, path=child(path, k))
