"""The ex-ante optimum of a one-player game."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Final

from theory.errors import InvalidInputError, LimitError
from theory.games._game import Game
from theory.games.ex_ante._cells import entries
from theory.games.ex_ante._forest import MAX_PASSES, Forest, build_forest
from theory.games.ex_ante._result import Optimum, Stats
from theory.games.ex_ante._search_absent_minded import AbsentSearch
from theory.games.ex_ante._search_pure import PureSearch
from theory.numbers import rational
from theory.shared.arguments import instance_of, read_count

__all__ = [
    "CUT_LIMIT",
    "MAX_ENTRIES",
    "MAX_NODES",
    "MAX_PASSES",
    "count_strategies",
    "optimum",
]

MAX_NODES: Final = 100_000
"""The largest game that :func:`optimum` takes on."""

MAX_ENTRIES: Final = 1_000
"""With absent-mindedness: the most coefficients of polynomials, all own histories together."""

CUT_LIMIT: Final = 2_000
"""The most cases that are cut in smaller ones, unless another limit is given."""

TOLERANCE: Final = Fraction(1, 10**6)
"""With absent-mindedness: the gap at which the search rests, by the range of the payoffs."""


def optimum(game: Game, *, tolerance: object = TOLERANCE, limit: int = CUT_LIMIT) -> Optimum:
    """Return the best strategy of a one-player game, chosen before play; any recall.

    What is maximised is the expected payoff over behaviour strategies, which commits the player
    to one law of moves at each information set. Where no path passes an information set twice,
    some pure strategy is best, and the answer is exact. Otherwise mixing can be better and the
    optimum irrational; then the answer is a rational strategy and an upper bound.

    Parameters
    ----------
    game : Game
        With exactly one player.
    tolerance : rational
        With absent-mindedness: the gap at which the search rests, as a share of the range of the
        payoffs.
    limit : int
        The most cases that are cut.

    Returns
    -------
    Optimum
        With a certificate that separate code has checked.

    Raises
    ------
    InvalidInputError
        Where the game has not exactly one player, or the tolerance or the limit is
        negative.
    LimitError
        For more than ``MAX_NODES`` nodes. Where nobody is absent-minded, also when ``limit`` cuts
        do not suffice; with absent-mindedness, for more than ``MAX_PASSES`` passes or
        ``MAX_ENTRIES`` coefficients.
    NumberError, ExactnessError
        For a tolerance that is not an exact number.

    Notes
    -----
    NP-hard: D. Koller and N. Megiddo, "The complexity of two-person zero-sum games in extensive
    form", Games and Economic Behavior 4 (1992). With perfect recall it takes O(nodes). Otherwise
    the player is first allowed to remember the own moves, which leaves a forest of own histories;
    the sets that several of them share must then agree on a move. Linear programs give Lagrange
    multipliers for this, and branch and bound does the rest. Programs are solved in floats, and
    bounds evaluated in integers. Measured on one core: an informed purchase of some of 4 binary
    goods and a choice of 4 actions by what was bought (1,297 nodes, 65 shared sets) take 0.05 s
    once SciPy is loaded; 7 goods (82,049 nodes) take 10 s.

    With absent-mindedness the payoff is a polynomial on a product of simplices, bounded by its
    Bernstein coefficients on smaller and smaller pieces. Absent-minded sets that a path can pass
    d times and that have k moves bring (d + k − 1 over d) coefficients each, multiplied.

    Examples
    --------
    Two states; to buy a report costs 1/2, and what was bought is all that is known in the end.
    Buying it in the low state alone tells the high state too.

    >>> from theory.games import Game, chance, choice, end
    >>> def act(known, a, b):
    ...     return choice("agent", known, {"a": end(a), "b": end(b)})
    >>> low = {"buy": act("low", "5/2", "-1/2"), "pass": act("nothing", 3, 0)}
    >>> high = {"buy": act("high", "-1/2", "1/2"), "pass": act("nothing", 0, 1)}
    >>> game = Game.of(("agent",), chance({
    ...     "low": ("1/3", choice("agent", "if low", low)),
    ...     "high": ("2/3", choice("agent", "if high", high))}))
    >>> print(optimum(game))
    optimum 3/2 (exact; certificate checked, gap 0)
    Strategy, at the sets that it reaches
    information set  moves
    ───────────────  ──────
    if low           buy 1
    low              a 1
    nothing          b 1
    if high          pass 1
    nodes 15, information sets 5 (1 shared, 0 absent-minded), cuts 1, linear programs 0
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    _require_one_player(game)
    share = rational(tolerance, "tolerance")
    if share < 0:
        raise InvalidInputError("tolerance", share, "is negative", "give a number of at least 0")
    read_count("limit", limit, 0)
    if len(game.nodes) > MAX_NODES:
        raise LimitError("nodes", len(game.nodes), "are too many", f"stay within {MAX_NODES}")
    forest = build_forest(game)
    rest = share * forest.spread if forest.absent else Fraction(0)
    search = _absent(forest, limit, rest) if forest.absent else PureSearch(forest, limit)
    return Optimum(
        game=game,
        certificate=search.run(),
        tolerance=rest,
        stats=Stats(
            nodes=len(game.nodes),
            infosets=len(game.infosets),
            shared=len(forest.shared),
            absent_minded=len(forest.absent),
            cuts=search.cuts,
            programs=search.programs,
        ),
    )


def count_strategies(game: Game) -> int:
    """Return the number of pure strategies of a one-player game: Π over its sets of their moves.

    Raises
    ------
    InvalidInputError
        Where the game has not exactly one player.
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    _require_one_player(game)
    return prod(len(infoset.moves) for infoset in game.infosets)


def _require_one_player(game: Game) -> None:
    if len(game.players) != 1:
        raise InvalidInputError(
            "players", game.players, "are not exactly one", "give a game of one player"
        )


def _absent(forest: Forest, limit: int, tolerance: Fraction) -> AbsentSearch:
    if entries(forest) > MAX_ENTRIES:
        raise LimitError(
            "coefficients of the payoff as a polynomial",
            entries(forest),
            "are too many, as paths pass information sets several times",
            f"stay within {MAX_ENTRIES}",
        )
    return AbsentSearch(forest, limit, tolerance)
