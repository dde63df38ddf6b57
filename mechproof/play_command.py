"""The command ``mechproof play``: somebody at the terminal, models and rules take the seats."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mechproof.path_option import PathOption
from mechproof.person import ask_person
from mechproof.session_options import add_session_options
from mechproof.terminal import complain, say
from theory.errors import InvalidInputError

if TYPE_CHECKING:
    from llm_adapters.session import Session
    from mechanisms.play import Ask, Run
    from mechproof.games.game import Game

__all__ = ["play"]

_FILE = PathOption()
_ME: Final = "me"
_RULES: Final = "rules"
_LARGEST: Final = 5_000_000
"""The most characters of a game that is kept."""
_FIX: Final = "give a file that this command has written, or a new one"


class _Games(click.Group):
    """One command for each game; only that of the game that is played is loaded."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        from mechproof.games.game import GAMES

        return list(GAMES.all())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        from mechproof.games.game import GAMES

        found = GAMES.named(cmd_name)
        return None if found is None else _command_of(found)


@click.group(cls=_Games)
def play() -> None:
    """Play a mechanism at the terminal: take any seats; rules or models take the others.

    Answer as you are asked; ":quit" or the end of the input stops, and the same command with the
    same --file goes on.
    """


def _command_of(game: Game) -> click.Command:
    def run(**options: Any) -> None:
        _play(game, **options)

    command = add_session_options(run)
    command = click.option(
        "--file",
        "file",
        type=_FILE,
        metavar="FILE",
        help="Keep the game in FILE after each answer, and go on from there if it exists.",
    )(command)
    command = click.option(
        "--seat",
        "seats",
        multiple=True,
        metavar="PLAYER[=me|rules|local|URL#NAME]",
        help="Who takes the place of PLAYER: you; rules; the model of `mechproof model get`; or "
        "one behind a server that speaks the OpenAI interface, its key in OPENAI_API_KEY. May be "
        f"repeated; rules take what is left, you take {game.seat} unless you take another.",
    )(command)
    return click.command(game.name, help=game.about)(command)


class _Stopped(KeyboardInterrupt):
    """The game stops before an answer: somebody quits, or a model cannot be asked.

    It is no failure of a player: whoever leads the game passes it on.
    """


def _play(
    game: Game,
    *,
    seats: tuple[str, ...],
    file: Path | None,
    seed: int,
    record: Path | None,
    replay: Path | None,
    calls: int | None,
    tokens: int | None,
    time_limit: float | None,
    known_as: str | None,
) -> None:
    from mechanisms.errors import ParticipantError
    from mechanisms.play import stages
    from mechproof.files import check_writable

    taken = _settle_seats(game, seats)
    models = [who for who in taken.values() if who not in (_ME, _RULES)]
    limits = {"record": record, "replay": replay, "calls": calls, "tokens": tokens}
    _require_limits(models, limits, seed=seed, time_limit=time_limit, known_as=known_as, file=file)
    run = _read_kept(game, file) if file is not None and file.exists() else game.begin()
    if file is not None:
        check_writable(file, "--file")
    with ExitStack() as open_now:
        participants = {**game.by_rule()}
        participants |= {player: _seat_person(game) for player, who in taken.items() if who == _ME}
        session: Session | None = None
        if models:
            from llm_adapters.session import Budget, Session

            session = open_now.enter_context(
                Session(
                    record=record,
                    replay=replay,
                    budget=Budget(calls=calls, tokens=tokens),
                    seed=seed,
                    call_limit=time_limit,
                    notice=complain,
                )
            )
            participants |= _seat_models(
                game, taken, session, open_now, seed=seed, known_as=known_as
            )
        try:
            for stage in stages(run, participants):
                run = stage
                if file is not None:
                    _keep(run, game.name, file)
        except _Stopped as stopped:
            where = "nothing is kept: use --file FILE" if file is None else f"kept in {file}"
            complain(f"the game is not over; {where}")
            if stopped.__cause__ is not None:
                raise stopped.__cause__ from None
            raise SystemExit(1) from None
        except ParticipantError as error:
            if run.ended_by is None:
                raise
            complain(str(error))
        say()
        say(game.tell(run))
        if session is not None:
            say()
            say(session)


# --- who takes which seat


def _settle_seats(game: Game, given: tuple[str, ...]) -> dict[str, str]:
    """Return by player who takes its place: somebody at the terminal, rules, or a model."""
    from mechproof.demos.models import kind_of

    players = tuple(game.goals)
    taken: dict[str, str] = {}
    for text in given:
        player, _, who = text.partition("=")
        if player not in players:
            raise InvalidInputError(
                "--seat", player, "plays no part", f"take one of {', '.join(players)}"
            )
        if taken.setdefault(player, who or _ME) != (who or _ME):
            raise InvalidInputError("--seat", player, "is given twice", "give each seat once")
        if taken[player] != _ME:
            kind_of(taken[player])
    if _ME not in taken.values() and game.seat not in taken:
        taken[game.seat] = _ME
    return taken


def _require_limits(
    models: list[str], limits: Mapping[str, Any], *, file: Path | None, **others: Any
) -> None:
    """Refuse what cannot be, before anything is opened or written."""
    from mechproof.demos.models import kind_of, require_limits

    given = {**limits, "time_limit": others["time_limit"]}
    for name, value in given.items():
        if value is not None and not models:
            fix = "leave it out, or give a seat to a model, such as --seat PLAYER=local"
            raise InvalidInputError(name, str(value), "is for models, and none plays", fix)
    servers = {who for who in models if kind_of(who) == "endpoint"}
    if others["known_as"] is not None and len(servers) > 1:
        fix = "leave it out, or ask one server"
        raise InvalidInputError("known_as", others["known_as"], "names several servers", fix)
    require_limits([*map(kind_of, models)], tokens=limits["tokens"], **others)
    for name in ("record", "replay"):
        other: Path | None = limits[name]
        if file and other and os.path.realpath(file) == os.path.realpath(other):
            fix = "give two files"
            raise InvalidInputError(f"--file and --{name}", str(file), "name the same file", fix)


def _seat_models(
    game: Game,
    taken: Mapping[str, str],
    session: Session,
    open_now: ExitStack,
    *,
    seed: int,
    known_as: str | None,
) -> dict[str, _Model]:
    """Return who answers by asking a model, by player; each model is opened once."""
    from mechproof.demos.models import kind_of, open_chat

    opened: dict[str, Any] = {}
    found = {}
    for player, who in taken.items():
        if who in (_ME, _RULES):
            continue
        if who not in opened:
            name = known_as if kind_of(who) == "endpoint" else None
            opening = open_chat(who, session, rule=_no_rule, known_as=name)
            opened[who] = open_now.enter_context(opening)
        participant = game.by_model(player, game.goals[player], opened[who], seed)
        found[player] = _Model(participant)
    return found


def _no_rule(messages: object, schema: object) -> str:
    raise AssertionError("rules take their seats themselves")


class _Model:
    """Who answers by asking a model; where it cannot be asked the game stops, to go on later."""

    def __init__(self, participant: Any) -> None:
        self._participant = participant
        self.recall = getattr(participant, "recall", None)  # of who remembers what it was asked

    def __call__(self, ask: Ask) -> object:
        from llm_adapters.errors import AdapterError, UnreadableError

        complain(f"{ask.seat} is asked to {ask.role}")
        try:
            return self._participant(ask)
        except UnreadableError:
            raise
        except AdapterError as error:
            raise _Stopped from error

    def __deepcopy__(self, memo: dict[int, Any]) -> _Model:
        from copy import deepcopy

        return _Model(deepcopy(self._participant, memo))


# --- somebody at the terminal


def _seat_person(game: Game) -> Callable[[Ask], object]:
    """Return who answers at the terminal; at its first question it is told what its goal is."""
    told: set[str] = set()

    def answer(ask: Ask) -> object:
        if ask.player not in told:
            told.add(ask.player)
            say()
            say(f"You are {ask.player}. {game.goals[ask.player]}")
        given = ask_person(ask)
        if given is None:
            raise _Stopped
        return given

    return answer


# --- the file


def _keep(run: Run[Any], name: str, file: Path) -> None:
    from mechproof.files import write_whole

    text = json.dumps({"play": name, "run": run.to_json()}) + "\n"
    if len(text) > _LARGEST:
        fix = "answer with shorter texts"
        raise InvalidInputError("--file", len(text), "would be too long to be read again", fix)
    write_whole(file, text, "--file")


def _read_kept(game: Game, file: Path) -> Run[Any]:
    """Read a game that was stopped."""
    from llm_adapters.files import read_whole

    try:
        if file.stat().st_size > _LARGEST:
            raise InvalidInputError("--file", str(file), "is too long for a game", _FIX)
        kept = json.loads(read_whole(file))
        other, written = kept["play"], kept["run"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError("--file", str(file), "holds no game", _FIX) from error
    if other != game.name:
        raise InvalidInputError("--file", str(file), f"holds a game of {other}", _FIX)
    start = game.begin()
    # before the rules run, which takes the longer the more players and items there are
    if isinstance(written, dict) and written.get("arguments") != start.to_json()["arguments"]:
        raise InvalidInputError("--file", str(file), "holds a game with other arguments", _FIX)
    return start.rules.read(written)
