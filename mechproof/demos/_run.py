"""Running a demo: session, participants, transcript."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any

from llm_adapters.errors import MissingAnswerError
from llm_adapters.session import Budget, Session, Usage
from mechanisms.errors import ParticipantError
from mechproof.demos._questions import choose_instances
from mechproof.demos._transcript import Transcript
from mechproof.demos.demo import DEMOS, command, settle_options
from mechproof.demos.models import open_participants
from theory.errors import MechproofError
from theory.shared.printable import escape, print_safely

__all__ = ["DemoResult", "run"]


@dataclass(frozen=True, eq=False)
class DemoResult:
    """What a demo left behind.

    Attributes
    ----------
    name, model : str
    text : str
        The transcript.
    outcome : object
        What the mechanism returned: AuctionRound objects, an InspectionDemo, a MarginalValueDemo,
        a MarketDemo or an AuctionResult.
    usage : dict from agent to Usage
    """

    name: str
    model: str
    text: str
    outcome: Any
    usage: Mapping[str, Usage]

    @property
    def usage_total(self) -> Usage:
        """What all of them used."""
        return sum(self.usage.values(), Usage())

    @print_safely
    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.text)}</pre>"


def run(
    name: str,
    *,
    model: str = "local",
    seed: int = 0,
    record: str | PathLike[str] | None = None,
    replay: str | PathLike[str] | None = None,
    calls: int | None = None,
    tokens: int | None = None,
    time_limit: float | None = None,
    known_as: str | None = None,
    transcript: Transcript | None = None,
    progress: Callable[[str], None] = lambda text: None,
    **options: Any,
) -> DemoResult:
    """Run a demo.

    The same seed and the same answers make the same transcript: a replay repeats it to the letter,
    and a run that was killed goes on from its record without repeating a call.

    Parameters
    ----------
    name : str
        One of :func:`mechproof.demos.demos`.
    model : str
        ``local``, ``rules`` or ``URL#NAME``; see :func:`mechproof.demos.open_participants`.
    seed : int
    record, replay : path, optional
        As in :class:`llm_adapters.session.Session`.
    calls, tokens : int, optional
        The most that the whole run may use.
    time_limit : float, optional
        Seconds for each answer of the model, attempts that failed and pauses included; left out,
        each of five attempts has two minutes.
    known_as : str, optional
        By which the record knows the server, so that it is found again when its address changes.
    transcript : Transcript, optional
        Is added to, so that it is there even if the run ends with an error or by Ctrl-C.
    progress : callable
        Is told what comes next, and of a model what is waited for and which attempts failed.
    **options
        Of the demo.

    Raises
    ------
    InvalidInputError
        For arguments that are none, and options that the demo does not have; before anything is
        opened.
    AdapterError
        Where the model fails, a budget is spent, or a record lacks an answer, even where the
        mechanism says only that a participant raised.
    ParticipantError
        Where a participant does what it must not.

    Examples
    --------
    >>> result = run("inspection", model="rules")
    >>> result.outcome.record.decision
    'blue bus'
    """
    checked: dict[str, Any] = {"seed": seed, "tokens": tokens, "known_as": known_as}
    demo = DEMOS.read(name)
    settings = settle_options(demo, options, model=model, time_limit=time_limit, **checked)
    again = command(name, settings, model=model, seed=seed, known_as=known_as)
    text = Transcript() if transcript is None else transcript
    budget = Budget(calls=calls, tokens=tokens)
    limits: dict[str, Any] = {"call_limit": time_limit, "notice": progress}
    with (
        Session(record=record, replay=replay, budget=budget, seed=seed, **limits) as session,
        open_participants(
            model, session, rule=demo.rule, instances=choose_instances(), known_as=known_as
        ) as participants,
    ):
        text.heading(name, 1)
        text.say(f"Played by {participants.name}. Seed {seed}. To run it again:")
        text.block(again)
        try:
            outcome = demo.play(participants, text, seed=seed, progress=progress, **settings)
        except (MechproofError, KeyboardInterrupt) as error:
            told = _explain_error(error, session, again)
            _usage(text, session)
            text.say(_ending(told, record))
            if told is error:
                raise
            raise told from error
        _usage(text, session)
        text.heading("What this shows, and what it does not")
        text.say(demo.remarks[participants.kind])
        return DemoResult(name, participants.name, str(text), outcome, session.usage)


def _explain_error(error: BaseException, session: Session, again: str) -> BaseException:
    """Return the error to raise: what a mechanism withholds, and of a replay what to check."""
    hidden = isinstance(error, ParticipantError) and session.failure is not None
    told = session.failure if hidden and session.failure is not None else error
    if isinstance(told, MissingAnswerError) and session.replaying:
        fix = f"give all options as they were recorded, which were now those of `{again}`"
        return MissingAnswerError(told.problem, fix)
    return told


def _ending(told: BaseException, record: str | PathLike[str] | None) -> str:
    interrupted = isinstance(told, KeyboardInterrupt)
    why = "It was interrupted." if interrupted else f"{told}."
    goes_on = (
        "" if record is None else f" The same command goes on from its record, {fspath(record)}."
    )
    return f"The run ended early. {why}{goes_on}"


def _usage(text: Transcript, session: Session) -> None:
    text.heading("Usage")
    text.block(str(session))
    failures = session.total.failures
    if failures:
        text.say(
            f"{failures} question{'s' if failures > 1 else ''} got no answer that could be used."
        )
