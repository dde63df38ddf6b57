"""A run of the marginal-value mechanism, noted down for ``theory.incentives.protocols``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from mechanisms._protocol_recorder import ProtocolRecorder
from mechanisms.ledger import Ledger
from mechanisms.marginal_value._pricing import PriceFunction
from mechanisms.marginal_value._rules import Items, MoveSet
from mechanisms.marginal_value._run import run_marginal_value
from mechanisms.participants import plain
from mechanisms.protocols import History, Informant, Judge
from theory.incentives.protocols import RunRecord, SecretsGranted
from theory.marginal_value import Moves
from theory.shared.copying import copy_content

__all__ = ["watch_marginal_value"]

_JUDGE = "the judge"


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

    The players are the informants and "the judge". Secrets are the contents of the items, which an
    informant may know where it holds them and all may know once an informant has named them, and
    what the judge expects of each action, of which informants may know which action is best. Who
    may know what comes from the moves, and not from what the mechanism tells.

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
    contents: dict[str, object]
    contents = dict(items) if isinstance(items, Mapping) else {name: name for name in items}
    watch = _MarginalValueWatch(tuple(informants))
    watch.secrets = copy_content(contents)
    held = {name: tuple((holdings or {}).get(name, contents)) for name in informants}
    watch.steps += [SecretsGranted((name,), names) for name, names in held.items()]
    record = run_marginal_value(
        _WatchedJudge(judge, watch),
        {
            name: _WatchedInformant(informant, name, tuple(contents), watch)
            for name, informant in informants.items()
        },
        contents,
        prices,
        moves,
        holdings=holdings,
        max_moves=max_moves,
        ledger=ledger,
        pool=pool,
    )
    watch.secrets |= {_action(n): action for n, action in enumerate(record.actions)}
    most = len(contents) if max_moves is None else max_moves
    limit = len(informants) + 3 * (most + 1) + 3 * (most + 1) + most
    public = (tuple(informants), tuple(contents), most, setting)
    return watch.record(record.statement, public, limit)


class _MarginalValueWatch(ProtocolRecorder):
    """Notes who may know what by the rules: from what informants name."""

    def __init__(self, informants: tuple[str, ...]) -> None:
        super().__init__()
        self.informants = informants
        self.opinions = 0

    def judged(self, utilities: Mapping[object, object]) -> None:
        """Note an opinion: the informants may know the best action, and no more of it."""
        self.record_move(_JUDGE, utilities, hidden=f"opinion {self.opinions}")
        self.record_grants(self.informants, [_action(self.opinions)])
        self.opinions += 1

    def revealed(self, informant: str, names: tuple[str | None, ...], known: Iterable[str]) -> None:
        """Note a move: all may know what it names."""
        self.record_move(informant, names)
        self.record_grants([*self.informants, _JUDGE], [name for name in known if name in names])


def _action(n: int) -> str:
    return f"action {n}"


@dataclass(frozen=True)
class _WatchedJudge:
    """A judge, watched."""

    judge: Judge
    watch: _MarginalValueWatch

    def utilities(self, revealed: Mapping[str, object]) -> Mapping[object, object]:
        self.watch.record_message(_JUDGE, revealed)
        answer = self.judge.utilities(revealed)
        if isinstance(answer, Mapping):
            self.watch.judged(answer)
        return answer


@dataclass(frozen=True)
class _WatchedInformant:
    """An informant, watched; it is asked for one name more than there may be."""

    informant: Informant
    name: str
    items: tuple[str, ...]
    watch: _MarginalValueWatch

    def reveal(self, history: History) -> Iterable[str]:
        self.watch.record_message(self.name, history)
        answer = self.informant.reveal(history)
        if isinstance(answer, str) or not isinstance(answer, Iterable):
            return answer
        names = tuple(islice(answer, len(self.items) + 1))
        self.watch.revealed(self.name, tuple(map(plain, names)), self.items)
        return names
