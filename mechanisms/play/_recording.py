"""A run as the stream of questions, answers and payments that ``check_protocol`` reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from json import dumps
from typing import TYPE_CHECKING, Any

from mechanisms.ledger import Ledger
from mechanisms.play._log import Entry, How
from mechanisms.play._requests import Ask, Draw, Open, Pay
from mechanisms.play._run import Run
from theory.shared.arguments import instance_of, read_count

if TYPE_CHECKING:
    from theory.incentives.protocols import RunRecord, Step

__all__ = ["Knowledge", "record_run"]

Knowledge = Callable[[str, Sequence[Entry]], object]
"""What a seat may know when it is asked, from the seat and all that has happened before."""


def record_run(
    run: Run[Any],
    may_know: Knowledge | None = None,
    *,
    private: Mapping[str, object] | None = None,
    public: object = None,
    limit: int | None = None,
) -> RunRecord:
    """Return what happened in a run, for :func:`~theory.incentives.protocols.check_protocol`.

    Seats are the players of the protocol. Each question is two messages to its seat: the view; and
    the role, what is a legal answer, and why attempts were refused. What nobody may know of himself
    are the arguments of the rules, the draws, and the answers of others; what a seat may know all
    the same is for ``may_know`` to say. So ``disclosure`` compares what is told with a second
    statement of who may know what, and ``measurability`` answers with what is told. A seat that was
    meant to forget must be told the same, whatever it has to forget. Runs of one seed are compared
    with each other, so what a seed draws counts as known: where a draw is a secret, make its value
    part of the case.

    Parameters
    ----------
    run : Run
        At any stage; one at its end has all to be checked.
    may_know : function, optional
        Takes a seat and the log until then, and returns all that the seat may know when it is
        asked, beside its own questions and answers. Without it, views are not judged.
    private : mapping, optional
        By player, what its own seat knows from the start, such as its type or what it has to sell.
    public : object
        What everybody may know from the start; runs are compared where it is the same.
    limit : int, optional
        The number of steps within which a run is said to end.

    Raises
    ------
    InvalidInputError
        For what is no run, and a limit that is no count.

    Examples
    --------
    A shop that tells the buyer, before it chooses, what a good says that it has not bought:

    >>> from mechanisms.play import Ask, Choice, play, rules
    >>> from theory.incentives.protocols import check_protocol
    >>> @rules
    ... def shop(text, told):
    ...     buys = yield Ask("buyer", text if told else "a text", Choice(("buy", "leave")))
    ...     known = text if buys == "buy" else "nothing"
    ...     yield Ask("buyer", known, Choice(("well",)), seat="reader")
    >>> def may_know(seat, log):
    ...     return log[0].request.view if seat == "reader" and log[0].value == "buy" else None
    >>> def checked(told):
    ...     def once(text, rng):
    ...         answers = {"buyer": lambda ask: "leave", "reader": lambda ask: "well"}
    ...         return record_run(play(shop(text, told), answers), may_know)
    ...     return check_protocol(once, ["rain", "sun"], properties=["disclosure"], seeds=1)
    >>> checked(told=False).refuted
    ()
    >>> print(checked(told=True).findings[0].witness)
    cases 0 and 1, seed 0, step 2: buyer is told 'rain' in one, is told 'sun' in the other
    """
    from theory.incentives.protocols import (
        MessageSent,
        MoveMade,
        PaymentMade,
        RunRecord,
        SecretsGranted,
    )

    instance_of("run", run, Run, "call rules with their arguments")
    log = run.log
    steps: list[Step] = []
    secrets: dict[str, object] = {"the arguments of the rules": run.arguments}
    for player, known in (private or {}).items():
        secrets[f"what {player} knows"] = known
        steps.append(SecretsGranted((player,), (f"what {player} knows",)))
    before: tuple[Entry, ...] = ()
    for n, entry in enumerate(log):
        request = entry.request
        if n and entry.step > log[n - 1].step:
            before = log[:n]
        if isinstance(request, Ask):
            name = f"what {request.seat} may know at step {entry.step}"
            if may_know is None:
                secrets[name] = request.view, _asked(request)
            else:
                secrets[name] = may_know(request.seat, before)
            steps.append(SecretsGranted((request.seat,), (name,)))
            steps.append(MessageSent(request.seat, request.view))
            steps.append(MessageSent(request.seat, _asked(request)))
            steps.append(MoveMade(request.seat, _moved(entry), hidden=f"answer {n}"))
        elif isinstance(request, Draw):
            secrets[f"draw {n}"] = entry.value
        elif isinstance(request, Pay) and entry.value is None:
            steps += [PaymentMade(t.payer, t.payee, t.amount) for t in request.transfers]
    ledger = run.ledger if any(isinstance(entry.request, Open) for entry in log) else Ledger({})
    accounts = ledger.statement().accounts
    most = len(steps) if limit is None else read_count("limit", limit, 0)
    return RunRecord(
        steps=tuple(steps),
        limit=most,
        opening={account.name: account.opening for account in accounts},
        closing={account.name: account.closing for account in accounts},
        floors={account.name: account.floor for account in accounts},
        secrets=secrets,
        public=(run.rules.name, run.rules.version, public),
    )


def _asked(ask: Ask) -> object:
    """Return what a seat sees beside the view: the role, what is legal, why it was refused."""
    schema = dumps(ask.answer.schema(), sort_keys=True, default=str)
    return ask.role, str(ask.answer), schema, ask.refused


def _moved(entry: Entry) -> object:
    return entry.value if entry.how is How.CHOSEN else (entry.how.value, entry.reason)
