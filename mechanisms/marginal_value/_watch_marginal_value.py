"""Runs of the marginal-value mechanism for ``theory.incentives.protocols``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mechanisms.ledger import Ledger
from mechanisms.marginal_value._driver import MarginalValueDriver
from mechanisms.marginal_value._pricing import PriceFunction
from mechanisms.marginal_value._revealing import Items, MoveSet
from mechanisms.marginal_value._rules import JUDGE
from mechanisms.play import Ask, Entry, record_run
from mechanisms.protocols import Informant, Judge
from theory.marginal_value import Moves
from theory.shared.copying import copy_content

if TYPE_CHECKING:
    from theory.incentives.protocols import RunRecord

__all__ = ["watch_marginal_value"]


def watch_marginal_value(
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
    setting: object = None,
) -> RunRecord:
    """Run :func:`run_marginal_value` and note what happens, for ``check_protocol``.

    The players are the informants and "the judge". An informant knows the contents of what it
    holds. All may know the contents of what an informant has revealed, and the informants which
    action was best for the judge, and no more of what it expects. Who may know what comes from the
    moves, and not from what the mechanism tells.

    Parameters
    ----------
    judge, informants, items, prices, moves, holdings, max_moves, ledger, pool
        As for :func:`run_marginal_value`. Participants are made anew for each run.
    setting : object
        What else distinguishes the participants, such as the game that they know; runs are compared
        with each other where it, the names of informants and items, and ``max_moves`` are the same.

    Returns
    -------
    RunRecord
        Its limit on the steps follows from the number of moves and of informants.

    Raises
    ------
    InvalidInputError, ParticipantError
        As for :func:`run_marginal_value`.

    Examples
    --------
    >>> from theory.incentives.protocols import check_protocol
    >>> class Reader:
    ...     def utilities(self, revealed):
    ...         doubt = any("not" in text for text in revealed.values())
    ...         return {"wait": 1, "act": 3 if revealed and not doubt else 0}
    >>> class Speaker:
    ...     def reveal(self, history):
    ...         return [name for name in history.held if name not in history.revealed][:1]
    >>> def run(rebuttal, rng):
    ...     return watch_marginal_value(
    ...         Reader(),
    ...         {"Ann": Speaker(), "Bob": Speaker()},
    ...         {"claim": "it works", "rebuttal": rebuttal},
    ...         prices={"claim": 1, "rebuttal": "1/2"},
    ...         holdings={"Ann": ["claim"], "Bob": ["rebuttal"]},
    ...     )
    >>> report = check_protocol(run, ["it does not", "it may not last"])
    >>> report.refuted
    ()
    """
    driver = MarginalValueDriver(
        judge,
        informants,
        items,
        prices,
        moves,
        holdings=holdings,
        max_moves=max_moves,
        ledger=ledger,
        pool=pool,
    )
    contents = copy_content(driver.contents)
    driver.play()
    most = len(contents) if max_moves is None else max_moves
    held = {name: tuple((holdings or {}).get(name, contents)) for name in informants}

    def may_know(seat: str, log: Sequence[Entry]) -> object:
        asked: list[Any] = [entry for entry in log if isinstance(entry.request, Ask)]
        moves = [(e.request.player, e.value) for e in asked if e.request.role == "reveal"]
        revealed = [(name, contents[name]) for _, new in moves for name in new]
        if seat == JUDGE:
            return revealed
        return moves, revealed, [e.value.action for e in asked if e.request.role == "judge"]

    return record_run(
        driver.run,
        may_know,
        private={who: [(name, contents[name]) for name in own] for who, own in held.items()},
        public=(tuple(informants), tuple(contents), most, setting),
        limit=len(informants) + 4 * (3 * most + 2) + most,
    )
