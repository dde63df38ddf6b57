"""The marginal-value mechanism, run: what is asked for, and what comes back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mechanisms.ledger import Ledger
from mechanisms.marginal_value._driver import MarginalValueDriver
from mechanisms.marginal_value._judges import TableJudge
from mechanisms.marginal_value._pricing import PriceFunction
from mechanisms.marginal_value._record import MarginalValueRecord
from mechanisms.marginal_value._revealing import Items, MoveSet
from mechanisms.play import Ask
from mechanisms.protocols import Informant, Judge
from theory.marginal_value import MarginalValueGame, Moves

__all__ = ["run_game", "run_marginal_value"]


def run_marginal_value(
    judge: Judge,
    informants: Mapping[str, Informant],
    items: Items,
    prices: Mapping[str, object] | PriceFunction,
    moves: MoveSet = Moves.SUBSETS,
    *,
    holdings: Mapping[str, Iterable[str]] | None = None,
    max_moves: int | None = None,
    ledger: Ledger | None = None,
    pool: str = "pool",
    asking: Callable[[Ask], object] | None = None,
) -> MarginalValueRecord:
    r"""Run the marginal-value mechanism (volition, Definition 4.1).

    The informants are asked in turn, over and over, what to reveal. With S the items revealed, the
    judge expects u_S(x) of action x; before the first move and after each, its action a_n, the
    first that maximises u_S, is noted. The null move, which reveals nothing new, ends the game; so
    does the move after which nothing is left. With F all that was revealed, the move from S to T,
    the n-th, is then paid from the pool

        R^n = u_F(a_n) - u_F(a_{n-1}) - p(T \ S),

    which the informant pays to the pool where it is negative.

    Parameters
    ----------
    judge : Judge
        Told names and contents of what is revealed, and nothing else.
    informants : mapping
        By name, in the order of their turns.
    items : mapping or names
        The content of each item; a name that is given without one is its own content.
    prices : mapping or function
        A price for each item; they add. Or a function of the frozenset of newly revealed items,
        asked after each move. What costs ``math.inf`` or "inf" cannot be revealed.
    moves : Moves or family of sets of items
        What a move may reveal, the empty set included. What counts is what it newly reveals.
    holdings : mapping, optional
        The items that an informant may newly reveal; all of them where nothing is said.
    max_moves : int, optional
        How many moves there may be before the null move.
    ledger : Ledger, optional
        Where payments are entered, with accounts for the pool and each informant, none of which has
        a floor: rewards may be negative. By default a new one.
    pool : str
        The name of the account that pays.
    asking : function, optional
        Is told of each question just before it is put.

    Returns
    -------
    MarginalValueRecord
        Moves, actions, rewards and payments.

    Raises
    ------
    InformantError
        When an informant raises, answers anything but some names of items, goes on naming without
        end, or reveals what it does not hold, what is no move, what costs infinity, or more than
        ``max_moves`` times.
    JudgeError
        When the judge raises, or answers anything but one number for each action, the actions being
        the same each time. Rationals or floats, as they were at first and as the ledger holds them;
        also when a reward comes out beyond the floats that a ledger takes.
    PricingError
        When a price function raises or returns no price.
    ParticipantError
        When a content cannot be copied again. This and all errors above hold the record of the game
        as ``record``, and nothing was paid. ``SystemExit`` counts as raising; only
        ``KeyboardInterrupt`` passes.
    InvalidInputError, UnknownNameError, NumberError
        For rules that cannot be played by: items without a price, moves without the null move, NaN.

    Notes
    -----
    Each who is asked gets copies of the contents; functions and weak references are never copied. A
    participant that never returns is waited for.
    A ledger holds rationals or floats, so a judge with logarithmic scores must answer in floats to
    be paid. In float64 an action ties with the best one when their utilities u_S differ by at most
    ``theory.decision.TIE_TOLERANCE`` times the larger of these two. One question to the judge for
    each move, and one before the first.

    Examples
    --------
    >>> class Reader:
    ...     def utilities(self, revealed):
    ...         doubt = any("not" in text for text in revealed.values())
    ...         return {"wait": 1, "act": 3 if revealed and not doubt else 0}
    >>> class Speaker:
    ...     def reveal(self, history):
    ...         return [name for name in history.held if name not in history.revealed][:1]
    >>> record = run_marginal_value(
    ...     Reader(),
    ...     {"Ann": Speaker(), "Bob": Speaker()},
    ...     {"claim": "it works", "rebuttal": "it does not"},
    ...     prices={"claim": 1, "rebuttal": "1/2"},
    ...     holdings={"Ann": ["claim"], "Bob": ["rebuttal"]},
    ... )
    >>> print(record)
    2 moves reveal {claim, rebuttal}, then nothing is left
    move  informant  reveals     price  the judge  reward
    ────  ─────────  ──────────  ─────  ─────────  ──────
                                        wait
    1     Ann        {claim}     1      act        -2
    2     Bob        {rebuttal}  1/2    wait       1/2
    <BLANKLINE>
    Payments
       from  to    amount  for
    ─  ────  ────  ──────  ──────────────────
    1  Ann   pool  2       move 1: {claim}
    2  pool  Bob   1/2     move 2: {rebuttal}
    <BLANKLINE>
    Accounts
    account  opening  closing
    ───────  ───────  ───────
    pool     0        3/2
    Ann      0        -2
    Bob      0        1/2
    """
    return MarginalValueDriver(
        judge,
        informants,
        items,
        prices,
        moves,
        holdings=holdings,
        max_moves=max_moves,
        ledger=ledger,
        pool=pool,
    ).play(asking)


def run_game(
    game: MarginalValueGame,
    informants: Mapping[str, Informant],
    *,
    holdings: Mapping[str, Iterable[str]] | None = None,
    max_moves: int | None = None,
    ledger: Ledger | None = None,
    pool: str = "pool",
) -> MarginalValueRecord:
    """Run the mechanism with the items, the prices, the moves and the judge of a game.

    All else is as for :func:`run_marginal_value`. A ledger holds rationals or floats, so a game of
    logarithmic scores must be given in floats to be paid.

    Examples
    --------
    A claim that would be believed, were it not for a cheap rebuttal (volition, Example 6.1):

    >>> from mechanisms.marginal_value import EquilibriumInformant, GreedyInformant
    >>> from theory.marginal_value import equilibrium
    >>> says = {0: [1, 0], 1: [0, 1]}
    >>> game = MarginalValueGame.of(
    ...     ["claim", "rebuttal", "defence"],
    ...     lambda s: says["defence" in s or s == {"claim"}],
    ...     prices={"claim": 0, "rebuttal": 0, "defence": 100},
    ... )
    >>> wise = EquilibriumInformant(equilibrium(game))
    >>> print(run_game(game, {"Ann": wise, "Bob": wise}).table())
    nothing is revealed: Ann ends the game
    move  informant  reveals  price  the judge  reward
    ────  ─────────  ───────  ─────  ─────────  ──────
                                     0
    >>> print(run_game(game, {"Ann": GreedyInformant(game), "Bob": wise}).table())
    2 moves reveal {claim, rebuttal}, then Ann ends the game
    move  informant  reveals     price  the judge  reward
    ────  ─────────  ──────────  ─────  ─────────  ──────
                                        0
    1     Ann        {claim}     0      1          -1
    2     Bob        {rebuttal}  0      0          1
    """

    def price(new: frozenset[str]) -> object:
        return game.prices.price(sum(1 << game.items.index(name) for name in new))

    return run_marginal_value(
        TableJudge(game),
        informants,
        game.items,
        price,
        game.moves,
        holdings=holdings,
        max_moves=max_moves,
        ledger=ledger,
        pool=pool,
    )
