"""A run as an extensive game: what is played is what is solved."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final

from mechanisms.play._driving import Cast, shown
from mechanisms.play._log import How
from mechanisms.play._requests import Ask, Draw
from mechanisms.play._run import Run
from theory.errors import InvalidInputError, LimitError
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_count

if TYPE_CHECKING:
    from theory.games import Game, Tree

__all__ = ["MAX_NODES", "unfold"]

MAX_NODES: Final = 200_000
"""How many nodes a game may have, unless another limit is given."""

_SHOWN: Final = 60

_Growing = Generator[Any, Any, Any]
"""Makes a subgame: yields what makes the subgames below it, and is sent these."""

_Known = Mapping[str, tuple[int, Ask, object]]
"""By seat: the number of its past when it was asked last, that question, and its answer."""


def unfold(
    start: Run[Any] | Callable[[Any], Run[Any]],
    utilities: Callable[..., Mapping[str, object]],
    *,
    types: Mapping[Any, object] | None = None,
    fixed: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]] | None = None,
    most_nodes: int = MAX_NODES,
) -> Game:
    r"""Return the extensive game that a run is.

    A node is a stage of the run. Where a seat is asked, its player moves, and the moves are the
    legal answers. An information set is what the seat has been told and has answered, and what it
    is asked now: two nodes are in one set when these are equal. A player with several seats thus
    has imperfect recall. Draws are moves of chance. Questions that are open at the same time are
    asked one after the other, and none tells of another. Attempts that the rules refuse are left
    out: a player that knows the rules has no use for them.

    Parameters
    ----------
    start : Run, or function of a type
        Where to begin; without a seed, so that chance is open.
    utilities : function
        Takes the outcome, and the type where there are ``types``; returns what each player gets, as
        rationals.
    types : mapping, optional
        The probability of each type. Chance draws it first, and ``start(type)`` begins the run.
    fixed : mapping or function of a type, optional
        Players who do not choose, by name: they answer as in :func:`~mechanisms.play.play`, and
        their answers are no moves. They must be functions of what they are asked.
    most_nodes : int
        The most nodes, chance and ends included.

    Raises
    ------
    LimitError
        For more nodes. Nothing else limits how long a run may be.
    InvalidInputError
        For a run with a seed; answers that cannot be listed; views that cannot be compared;
        utilities that are not one rational number for each player.

    Notes
    -----
    O(nodes x depth) steps of the rules: each branch repeats the steps that lead to it.

    Examples
    --------
    Two firms set a price, and do not see the other's:

    >>> from fractions import Fraction
    >>> from mechanisms.play import Ask, Choice, rules
    >>> @rules
    ... def prices():
    ...     set_ = yield {name: Ask(name, "set a price", Choice((1, 2))) for name in ("A", "B")}
    ...     return set_
    >>> def profits(prices):
    ...     low = min(prices.values())
    ...     sold = [name for name in prices if prices[name] == low]
    ...     return {name: Fraction(low, len(sold)) if name in sold else 0 for name in prices}
    >>> print(unfold(prices(), profits))
    A at set a price
      1: B at set a price
        1: end, pays 1/2, 1/2
        2: end, pays 1, 0
      2: B at set a price
        1: end, pays 0, 1
        2: end, pays 1, 1
    """
    return unfold_with(start, utilities, types=types, fixed=fixed, most_nodes=most_nodes)


def unfold_with(
    start: Run[Any] | Callable[[Any], Run[Any]],
    utilities: Callable[..., Mapping[str, object]],
    *,
    types: Mapping[Any, object] | None,
    fixed: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]] | None,
    most_nodes: int,
    free: str = "",
) -> Game:
    """Unfold a run; the player ``free`` chooses, even where ``fixed`` has its seats."""
    from theory.games import Game

    if not callable(utilities):
        fix = "give a function of the outcome"
        raise InvalidInputError("utilities", utilities, "is no function", fix)
    work = _Unfolding(utilities, read_count("most_nodes", most_nodes), free)
    begin: Any = start
    who: Any = fixed if callable(fixed) else lambda *_: fixed or {}
    if types is None:
        instance_of("start", start, Run, "call rules with their arguments")
        tree = _grown(work.tree(begin, work.known_at(begin), Cast(who()), ()))
    else:
        if not callable(start):
            fix = "give a function that begins the run of a type"
            raise InvalidInputError("start", start, "is no function", fix)
        work.count_node()

        def begun(kind: Any) -> _Growing:
            run = begin(kind)
            return work.tree(run, work.known_at(run), Cast(who(kind)), (kind,))

        tree = _grown(work.chance(Draw.of(types), begun))
    return Game.of(work.players, tree)


def _grown(root: _Growing) -> Any:
    """Return what is made in the end, however deep; what waits is kept in a list."""
    waiting, made = [root], None
    while waiting:
        try:
            waiting.append(waiting[-1].send(made))
        except StopIteration as stop:
            waiting.pop()
            made = stop.value
        else:
            made = None
    return made


class _Unfolding:
    def __init__(
        self, utilities: Callable[..., Mapping[str, object]], most_nodes: int, free: str
    ) -> None:
        self.utilities, self.most_nodes, self.free = utilities, most_nodes, free
        self.players: tuple[str, ...] = ()
        self.nodes = 0
        self.names: dict[int, str] = {}
        self.taken: set[tuple[str, str]] = set()
        self.alike: dict[str, int] = {}
        self.numbers: dict[Any, int] = {}

    def tree(self, run: Run[Any], known: _Known, cast: Cast, types: tuple[Any, ...]) -> _Growing:
        """Make the subgame of a stage."""
        from theory.games import Choice

        run = self.past_fixed_players(run, cast)
        self.count_node()
        if run.over:
            return self.end(run, types)
        if run.draws:
            draw = run.draws[0]

            def drawn(value: Any) -> _Growing:
                return self.tree(run.answer(draw, value), known, cast, types)

            return (yield from self.chance(draw, drawn))
        [ask, *_] = run.asks
        answers = ask.answer.choices()
        if answers is None:
            fix = "give it a step or options, or an answer in fixed"
            raise InvalidInputError(f"answers of {ask.seat}", ask.answer, "cannot be listed", fix)
        if not answers:
            fix = "let the rules not ask where nothing can be answered"
            raise InvalidInputError(f"answers of {ask.seat}", ask.answer, "are none", fix)
        moves = _distinct(map(_move_text, answers))
        past = self.past(known, ask.seat)
        name = self.information_set(ask, past)
        after = []
        for each in answers:
            later = {**known, ask.seat: (past, ask, each)}
            after.append((yield self.tree(run.answer(ask, each), later, cast, types)))
        return Choice(ask.player, name, moves, tuple(after))

    def past_fixed_players(self, run: Run[Any], cast: Cast) -> Run[Any]:
        """Return the next stage at which somebody else moves."""
        if run.seed is not None:
            fix = "leave chance open: do not call seeded"
            raise InvalidInputError("start", run, "has a seed", fix)
        while True:
            fixed = [ask for ask in run.asks if {ask.player, ask.seat} & cast.given.keys()]
            asked = [ask for ask in fixed if ask.player != self.free]
            if not asked:
                return run
            participant, _ = cast.at(asked[0])
            run = run.answer(asked[0], participant(shown(asked[0])))

    def chance(self, draw: Draw[Any], after: Callable[[Any], _Growing]) -> _Growing:
        """Make a move of chance, without what never happens."""
        from theory.games import Chance

        possible = [(v, p) for v, p in zip(draw.values, draw.weights, strict=True) if p]
        moves = _distinct(_move_text(value) for value, _ in possible)
        branches = []
        for value, _ in possible:
            branches.append((yield after(value)))
        return Chance(moves, tuple(weight for _, weight in possible), tuple(branches))

    def end(self, run: Run[Any], types: tuple[Any, ...]) -> Tree:
        """Return an end, with what each player gets there."""
        from theory.games import End

        if run.ended_by is not None:
            seat = run.ended_by.seat
            fix = "let it answer what is legal"
            raise InvalidInputError("fixed", seat, "gives no legal answer, which ends the run", fix)
        utilities: Any = self.utilities(run.outcome, *types)
        if not isinstance(utilities, Mapping) or not utilities:
            fix = "return a number for each player"
            raise InvalidInputError("utilities", utilities, "are no mapping", fix)
        self.players = self.players or tuple(utilities)
        if set(utilities) != set(self.players):
            fix = "return a number for each of the same players at every end"
            raise InvalidInputError("utilities", dict(utilities), "are of other players", fix)
        return End(tuple(rational(utilities[name], f"utility of {name}") for name in self.players))

    def known_at(self, run: Run[Any]) -> _Known:
        """Return what each seat knows before the game begins."""
        known: _Known = {}
        for entry in run.log:
            if entry.how is How.CHOSEN:
                ask = entry.request
                known = {**known, ask.seat: (self.past(known, ask.seat), ask, entry.value)}
        return known

    def past(self, known: _Known, seat: str) -> int:
        """Return a number for what a seat was asked and has answered: the same for equal pasts."""
        if seat not in known:
            return 0
        before, ask, answer = known[seat]
        return self.number((before, ask.role, ask.view, ask.answer, answer), ask)

    def number(self, known: Any, ask: Ask) -> int:
        """Return the same number for what is equal."""
        try:
            return self.numbers.setdefault(known, len(self.numbers) + 1)
        except TypeError as error:
            problem = f"cannot be compared ({error})"
            fix = "make views of text, numbers, tuples and frozen dataclasses"
            raise InvalidInputError(f"view of {ask.seat}", ask.view, problem, fix) from error

    def information_set(self, ask: Ask, past: int) -> str:
        """Return the name of an information set: the same where the seat knows the same."""
        key = self.number((ask.player, ask.seat, past, ask.role, ask.view, ask.answer), ask)
        if key in self.names:
            return self.names[key]
        parts = (ask.seat if ask.seat != ask.player else "", ask.role, str(ask.view))
        text = _shorten(" ".join(" ".join(parts).split()))
        name = text
        while (ask.player, name) in self.taken:
            self.alike[text] = self.alike.get(text, 1) + 1
            name = f"{text} ({self.alike[text]})"
        self.taken.add((ask.player, name))
        self.names[key] = name
        return name

    def count_node(self) -> None:
        """Count a node, and refuse one too many."""
        self.nodes += 1
        if self.nodes > self.most_nodes:
            fix = "unfold a smaller run, or allow more"
            problem = f"are more than the limit of {self.most_nodes:,}"
            raise LimitError("nodes of the game", self.nodes, problem, fix)


def _move_text(value: object) -> str:
    """Return the name of a move: a subset is its parts."""
    if isinstance(value, tuple):
        parts: tuple[object, ...] = value
        return _shorten(" + ".join(map(str, parts)) if parts else "nothing")
    return _shorten(str(value))


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    """Return names, those that read alike numbered."""
    taken: dict[str, None] = {}
    for text in texts:
        names = chain([text], (f"{text} ({k})" for k in count(2)))
        taken[next(each for each in names if each not in taken)] = None
    return tuple(taken)


def _shorten(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
