"""Running a demo: session, participants, transcript."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from os import PathLike
from typing import Any, Final

import numpy as np

from llm_adapters.session import Budget, Session, Usage
from mechanisms.errors import ParticipantError
from mechproof.demos import inspection, marginal_value, softmax_auction
from mechproof.demos._remarks import remark
from mechproof.demos._transcript import Transcript
from mechproof.demos.models import LOCAL, Participants, Rule, open_participants
from mechproof.names import unknown_name
from theory.errors import InvalidInputError, MechproofError

__all__ = ["DEMOS", "DemoResult", "run"]

Play = Callable[..., Any]


@dataclass(frozen=True)
class _Demo:
    play: Play
    rule: Rule


@dataclass(frozen=True, eq=False)
class DemoResult:
    """What a demo left behind.

    Attributes
    ----------
    name, model : str
    text : str
        The transcript.
    outcome : object
        What the mechanism returned: AuctionRound objects, an InspectionDemo or a MarginalValueDemo.
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
        One of ``DEMOS``.
    model : str
        ``local``, ``rules`` or ``URL#NAME``; see :func:`mechproof.demos.open_participants`.
    seed : int
    record, replay : path, optional
        As in :class:`llm_adapters.session.Session`.
    calls, tokens : int, optional
        The most that the whole run may use.
    transcript : Transcript, optional
        Is added to, so that it is there even if the run ends with an error.
    progress : callable
        Is told what comes next.
    **options
        Of the demo.

    Raises
    ------
    InvalidInputError
        For arguments that are none.
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
    if name not in DEMOS:
        raise unknown_name("demo", name, tuple(DEMOS))
    if type(seed) is not int or seed < 0:
        raise InvalidInputError("seed", seed, "is no seed", "give an integer of at least 0")
    demo = DEMOS[name]
    text = Transcript() if transcript is None else transcript
    budget = Budget(calls=calls, tokens=tokens)
    with (
        Session(record=record, replay=replay, budget=budget, seed=seed) as session,
        open_participants(
            model, session, rule=demo.rule, instances=softmax_auction.chosen()
        ) as participants,
    ):
        text.heading(name, 1)
        text.say(f"Played by {participants.name}. Seed {seed}.")
        try:
            outcome = demo.play(participants, text, seed=seed, progress=progress, **options)
        except MechproofError as error:
            hidden = isinstance(error, ParticipantError) and session.failure is not None
            told = session.failure if hidden else error
            _usage(text, session)
            text.say(f"The run ended early. {told}.")
            if hidden and session.failure is not None:
                raise session.failure from error
            raise
        _usage(text, session)
        text.heading("What this shows, and what it does not")
        text.say(remark(name, participants.kind))
        return DemoResult(name, participants.name, str(text), outcome, session.usage)


def _usage(text: Transcript, session: Session) -> None:
    text.heading("Usage")
    text.block(str(session))
    failures = session.total.failures
    if failures:
        text.say(
            f"{failures} question{'s' if failures > 1 else ''} got no answer that could be used."
        )


# --- the demos


def _auction(
    who: Participants,
    text: Transcript,
    *,
    seed: int,
    progress: Callable[[str], None],
    temperature: float = 0.8,
    top_p: float = 0.95,
    **options: Any,
) -> Any:
    for setting, value, most in (("temperature", temperature, np.inf), ("top_p", top_p, 1.0)):
        given: Any = value
        if type(given) not in {int, float} or not 0 < given <= most:
            fix = "give a number above 0" + (", at most 1" if most == 1 else "")
            raise InvalidInputError(setting, value, "is no such number", fix)
    known = who.decoded is not None
    decoding = (
        f"at temperature {temperature:g} with top-p {top_p:g}, and scored under the law that this "
        "really samples from"
        if known
        else "at temperature 1 with nothing cut off, the only law that the server scores"
    )
    return softmax_auction.play(
        who.models(temperature, top_p),
        text,
        rng=np.random.default_rng(seed),
        decoding=decoding,
        progress=progress,
        **options,
    )


def _inspection(who: Participants, text: Transcript, **options: Any) -> Any:
    return inspection.play(inspection.BUSES, who.chat, text, depth=1, **options)


def _recursive(who: Participants, text: Transcript, *, depth: int = 3, **options: Any) -> Any:
    return inspection.play(inspection.BICYCLES, who.chat, text, depth=depth, **options)


def _marginal_value(
    who: Participants, text: Transcript, *, judge: str | None = None, **options: Any
) -> Any:
    kind = judge or ("scored" if who.kind == LOCAL else "chat")
    return marginal_value.play(who.chat, who.language_model, text, judge=kind, **options)


DEMOS: Final[Mapping[str, _Demo]] = {
    "softmax-auction": _Demo(_auction, inspection.BUSES.rule),
    "inspection": _Demo(_inspection, inspection.BUSES.rule),
    "recursive-inspection": _Demo(_recursive, inspection.BICYCLES.rule),
    "marginal-value": _Demo(_marginal_value, marginal_value.bridge_rule),
}
"""The demos by name."""
