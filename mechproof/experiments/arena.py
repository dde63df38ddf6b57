"""The experiments of *Put Your Money Where Your Mouth Is* (AucArena): who bids better, how surely.

``run("out", challenge([Mine("mine")]))`` plays balanced games, a row of record each, and goes on
where an earlier call stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any, Final

from llm_adapters.files import read_path
from llm_adapters.session import Prices
from mechanisms.ascending import Estimator, Item, RuleBidder, Terms, paper_items, run_auction
from mechproof.experiments._arena_asking import Asking
from mechproof.experiments._arena_rows import FORMAT, GameShape, game_row
from mechproof.experiments._asking import RunReport, play_rows, seed_of
from mechproof.experiments._rows import Row, claim_folder
from mechproof.experiments.arena_bidders import (
    KINDS,
    Entrant,
    ModelBidder,
    PersonBidder,
    ablations,
    challenge,
    copies,
    lineups_by_name,
    make_bidder,
    objectives,
    read_bidder,
)
from mechproof.experiments.arena_results import ArenaResults, Cell
from theory.ascending import exact_auction
from theory.errors import InvalidInputError, LimitError, UnknownNameError, nearest
from theory.numbers import rational
from theory.ratings import balanced_seats
from theory.shared.arguments import instance_of, read_count, read_tuple

__all__ = [
    "BUDGETS",
    "KINDS",
    "ORDERS",
    "ArenaReport",
    "ModelBidder",
    "PersonBidder",
    "ablations",
    "challenge",
    "copies",
    "lineups_by_name",
    "make_bidder",
    "objectives",
    "run",
]

Progress = Callable[[int, int], None]
Lineups = Mapping[str, Sequence[Entrant | str]]

BUDGETS: Final = (20_000, 40_000)
ORDERS: Final = ("random", "ascending", "descending")
_FOLLOW: Final = (RuleBidder, Estimator)
"""The bidders that follow the rule which they say is theirs."""
_MOST_STEPS: Final = 40_000_000
"""How much work the expected profits of one setting may be: some ten seconds."""


class ArenaReport(RunReport[ArenaResults]):
    """What a run found: its ``results``, their ``tables``, its ``folder`` and ``figures``."""


def run(
    out: str | PathLike[str],
    lineups: Lineups,
    *,
    budgets: Sequence[object] = BUDGETS,
    orders: Sequence[str] = ORDERS,
    games: int = 12,
    seed: int = 0,
    items: Iterable[Item] | None = None,
    terms: Terms | None = None,
    corrections: int = 0,
    jobs: int = 1,
    calls: int | None = None,
    prices: Mapping[str, Prices] | None = None,
    time_limit: float | None = None,
    replay: str | PathLike[str] | None = None,
    progress: Progress = lambda done, total: None,
    notice: Callable[[str], object] | None = None,
    draw: bool = True,
) -> ArenaReport:
    """Play every line-up with every budget and order, seats balanced, and write what came of it.

    Parameters
    ----------
    out : path
        A folder; it is made. One with the rows of a run with the same settings is gone on with.
    lineups : mapping of bidders by name
        As :func:`challenge`, :func:`copies`, :func:`ablations` or :func:`objectives` make them. A
        bidder is copied for each game.
    budgets : sequence of numbers
    orders : sequence of str
        "random", "ascending", "descending", "given".
    games : int
        Games of each setting. Seats are balanced where it is a multiple of the number of bidders.
    seed : int
    items : iterable of Item, optional
        Those of the paper by default.
    terms, corrections
        As for :func:`mechanisms.ascending.run_auction`.
    jobs : int
        Processes; the rows do not depend on it. One, where a person bids.
    calls : int, optional
        The most calls of models in all games, which are then played in one process.
    prices : mapping from str to Prices, optional
        By model.
    time_limit : float, optional
        Seconds for an answer of a model, failed attempts included.
    replay : path, optional
        The folder of a run with the same settings: all answers come from there.
    progress : callable
        Is told how many of how many games are done.
    notice : callable, optional
        Is told of models what is waited for, where there is one process.
    draw : bool
        Whether to draw figures.

    Returns
    -------
    ArenaReport

    Raises
    ------
    InvalidInputError
        Before anything is played: for settings that are none, a folder that cannot be written to or
        that holds another run.
    AdapterError
        Where a model is not there, a budget is spent, or a server fails. The same call goes on, and
        asks for no answer that has been given.

    Notes
    -----
    A bidder that raises has given no answer; it is out of the item, and its game is counted and not
    rated. A server that fails stops the run instead, as does a model that never answers in a game;
    one that refuses a single request does not. Where all bidders of a line-up follow rules, their
    expected profits are computed exactly, too.

    Answers of models and persons are kept in ``answers``, a file a game, as a
    :class:`~llm_adapters.session.Session` writes them.
    """
    folder = read_path("out", out, "name a folder")
    if not callable(progress):
        raise InvalidInputError("progress", progress, "cannot be called", "give a function")
    read_count("jobs", jobs)
    bench = _bench(
        lineups,
        budgets=budgets,
        orders=orders,
        games=games,
        seed=seed,
        items=items,
        terms=terms,
        corrections=corrections,
    )
    who = [each for lineup in bench.lineups.values() for each in lineup]
    asking = Asking.in_folder(
        folder,
        jobs=jobs,
        replay=replay,
        calls=calls,
        prices=prices,
        time_limit=time_limit,
        notice=notice,
        persons=any(isinstance(each, PersonBidder) for each in who),
    )
    asking.check(who)
    claim_folder(folder, bench.settings())
    games_file = folder / "games.jsonl"
    rows = play_rows(games_file, bench, _play, asking, jobs=jobs, progress=progress)
    results = ArenaResults(rows, bench.cells(), seed)
    return _report(results, folder, draw=draw)


def _report(results: ArenaResults, folder: Path, *, draw: bool) -> ArenaReport:
    figures: tuple[Path, ...] = ()
    if draw:
        from mechproof.report.arena import draw_all

        figures = draw_all(results, folder)
    return ArenaReport(results, folder, figures).write()


@dataclass(frozen=True)
class _Bench:
    """All that a game is played with."""

    lineups: dict[str, tuple[Entrant, ...]]
    budgets: tuple[Fraction, ...]
    orders: tuple[str, ...]
    games: int
    seed: int
    items: tuple[Item, ...] | None
    terms: Terms
    corrections: int
    asking: Asking | None = None

    def __call__(self) -> _Bench:
        return self

    def settings(self) -> Row:
        """Return what distinguishes this run from others."""
        return {
            "experiment": "arena",
            "format": FORMAT,
            "lineups": {name: [_described(b) for b in who] for name, who in self.lineups.items()},
            "budgets": [str(budget) for budget in self.budgets],
            "orders": list(self.orders),
            "games": self.games,
            "seed": self.seed,
            "items": "paper" if self.items is None else [str(item) for item in self.items],
            "terms": str(self.terms),
            "corrections": self.corrections,
        }

    def keys(self) -> list[Row]:
        """Return the key of each game, in order."""
        settings = product(self.lineups, map(str, self.budgets), self.orders)
        return [
            {"lineup": lineup, "budget": budget, "order": order, "game": game}
            for lineup, budget, order in settings
            for game in range(self.games)
        ]

    def has(self, row: Row) -> bool:
        """Whether a row is that of a game of one of the settings."""
        setting = row.get("lineup"), row.get("budget"), row.get("order")
        shape = self._shapes.get(setting) if all(type(each) is str for each in setting) else None
        return shape is not None and shape.has(row)

    @cached_property
    def _shapes(self) -> dict[tuple[Any, ...], GameShape]:
        """What a row must hold, by line-up, budget and order."""
        return {
            (lineup, str(budget), order): GameShape(
                tuple(bidder.name for bidder in who),
                self.items_in(lineup, order),
                self.terms,
                budget,
            )
            for (lineup, who), budget, order in product(
                self.lineups.items(), self.budgets, self.orders
            )
        }

    def items_in(self, lineup: str, order: str) -> tuple[Item, ...]:
        """Return the items, sorted as an order asks."""
        from mechanisms.ascending import sort_items

        items = self.items
        if items is None:
            items = paper_items(table="objectives" if lineup == "objectives" else "standard")
        return items if order == "random" else sort_items(items, order)

    def cells(self) -> tuple[Cell, ...]:
        """Return the settings, with the exact profits of bidders that follow rules."""
        return tuple(
            Cell(lineup, str(budget), order, self._exact(lineup, budget, order))
            for lineup, budget, order in product(self.lineups, self.budgets, self.orders)
        )

    def _exact(self, lineup: str, budget: Fraction, order: str) -> dict[str, Fraction] | None:
        """Return expected profits, over the balanced seats; None where they are not known."""
        who = self.lineups[lineup]
        if order == "random" or self.terms != Terms(ties=self.terms.ties):
            return None
        seated: tuple[Any, ...] = who
        if any(type(each) not in _FOLLOW or "bid" in vars(each) for each in seated):
            return None  # whoever is derived from them may bid as it likes, and says the same rule
        try:
            rules = [bidder.rule for bidder in seated]
        except InvalidInputError:
            return None
        seats = balanced_seats(range(len(who)), len(who))
        if isinstance(self.terms.ties, str) and self.terms.ties in ("uniform", "richer", "poorer"):
            seats = seats[:1]
        means = dict.fromkeys((bidder.name for bidder in who), Fraction(0))
        for seating in seats:
            try:
                profits = exact_auction(
                    self.items_in(lineup, order),
                    [rules[k] for k in seating],
                    budget,
                    ties=self.terms.ties,
                    max_steps=_MOST_STEPS,
                ).profits
            except (InvalidInputError, LimitError):  # of items with a reserve, or of too many
                return None
            for k, profit in zip(seating, profits, strict=True):
                means[who[k].name] += profit / len(seats)
        return means


def _bench(
    lineups: Lineups,
    *,
    budgets: Sequence[object],
    orders: Sequence[str],
    games: int,
    seed: int,
    items: Iterable[Item] | None,
    terms: Terms | None,
    corrections: int,
) -> _Bench:
    instance_of("lineups", lineups, Mapping, "give bidders by name, as challenge(...) makes them")
    if not lineups:
        raise InvalidInputError("lineups", lineups, "are none", "give at least one")
    seated = {}
    for name, who in lineups.items():
        bidders = tuple(read_bidder(each) for each in read_tuple(f"line-up {name}", who))
        names = [bidder.name for bidder in bidders]
        if len(set(names)) < len(names) or not names:
            fix = "give each bidder its own name"
            raise InvalidInputError(f"line-up {name}", names, "has one name twice, or none", fix)
        if len(names) < 2:
            fix = "give it somebody to be compared with"
            raise InvalidInputError(f"line-up {name}", names, "has one bidder", fix)
        seated[str(name)] = bidders
    for order in orders:
        if order not in (*ORDERS, "given"):
            fix = nearest(str(order), (*ORDERS, "given"))
            raise UnknownNameError("orders", order, "is no order of items", fix)
    amounts = tuple(Fraction(rational(each, "budget")) for each in read_tuple("budgets", budgets))
    for amount in amounts:
        if amount < 0:
            raise InvalidInputError("budgets", str(amount), "is negative", "give at least 0")
    for name, given in (("budgets", amounts), ("orders", tuple(orders))):
        if not given or len(set(given)) < len(given):
            shown = [str(each) for each in given]
            problem = "are none" if not given else "have one of them twice"
            raise InvalidInputError(name, shown, problem, "give each once, and at least one")
    chosen = None if items is None else tuple(items)
    count, start = read_count("games", games), read_count("seed", seed, 0)
    terms = Terms() if terms is None else terms
    read_count("corrections", corrections, 0)
    return _Bench(seated, amounts, tuple(orders), count, start, chosen, terms, corrections)


def _described(bidder: Entrant) -> str:
    """Return what tells a bidder from others of its name: its own text, if it has any."""
    if isinstance(bidder, (ModelBidder, PersonBidder)):
        return str(bidder)
    own = type(bidder).__repr__ is not object.__repr__
    return f"{bidder.name}: {bidder!r}" if own else f"{bidder.name}: {type(bidder).__qualname__}"


def _play(bench: _Bench, task: tuple[int, Row]) -> Row:
    """Play one game, with copies of the bidders in their seats."""
    number, key = task
    who = bench.lineups[key["lineup"]]
    seating = balanced_seats(range(len(who)), key["game"] + 1)[-1]
    seed = f"{bench.seed}/{'/'.join(map(str, key.values()))}"
    terms = bench.terms
    if key["order"] == "random":
        terms = replace(terms, order="random")
    assert bench.asking is not None
    with bench.asking.game(number, [who[k] for k in seating], seed_of(seed)) as game:
        game.tell(_heading(bench, key))
        result = run_auction(
            bench.items_in(key["lineup"], key["order"]),
            game.bidders,
            Fraction(key["budget"]),
            terms=terms,
            corrections=bench.corrections,
            seed=seed,
            keep_going=True,
        )
        game.check(result)
        game.tell(result)
    return {**key, **game_row(result), "usage": game.usage()}


def _heading(bench: _Bench, key: Row) -> str:
    """Say which game it is."""
    cell = Cell(key["lineup"], key["budget"], key["order"], None)
    return f"Game {key['game'] + 1} of {bench.games}: {cell}"
