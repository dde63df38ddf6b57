"""Inspection, one level or several, by a buyer that asks a chat model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from llm_adapters.players import PROMPTING, ChatBuyer
from mechanisms.inspection import InspectionRecord, inspect_recursively
from mechanisms.ledger import Ledger
from mechanisms.play import Ask
from mechanisms.protocols import ChatModel
from mechproof.demos._overheard import (
    ConversationLog,
    Exchange,
    RecordedConversation,
    TranscriptWriter,
)
from mechproof.demos._remarks import DECISIONS
from mechproof.demos._transcript import Transcript, one_line
from mechproof.demos.case import BUSES, Case
from mechproof.demos.demo import Choice, Demo
from mechproof.demos.models import Participants
from theory.shared.arguments import read_count

__all__ = ["DEMO", "InspectionDemo", "play"]

_DECIDING = "the decision"


@dataclass(frozen=True, eq=False)
class InspectionDemo:
    """What came of a question.

    Attributes
    ----------
    case : Case
    record : InspectionRecord
    exchanges : tuple of Exchange
        All calls, in order.
    forgotten : tuple of str
        The names of the offers that were read and not bought.
    leaks : dict from an occasion to a tuple of str
        Those of them of which the content stands in a conversation that must not know it: the
        decision, and the choices on levels above theirs. There is a fault where there are any.
    failures : int
        Choices and decisions that could not be read.
    """

    case: Case
    record: InspectionRecord
    exchanges: tuple[Exchange, ...]
    forgotten: tuple[str, ...]
    leaks: Mapping[str, tuple[str, ...]]
    failures: int

    @property
    def leaked(self) -> tuple[str, ...]:
        """The names of all offers that were not forgotten where they had to be."""
        return tuple(dict.fromkeys(name for names in self.leaks.values() for name in names))

    @property
    def left(self) -> Fraction:
        """The money that the buyer still has."""
        return Fraction(self.case.budget) - Fraction(self.record.spending)

    @property
    def worth(self) -> Fraction:
        """What the decision is worth to the client, less what was spent: the net worth."""
        return self.case.worth(self.record.decision, self.record.spending)

    def __str__(self) -> str:
        return str(self.record)


def play(
    case: Case,
    chat: ChatModel,
    transcript: Transcript,
    *,
    depth: int,
    prompting: str = "direct",
    seed: int = 0,
    progress: Callable[[str], None] = lambda text: None,
) -> InspectionDemo:
    """Run the inspection protocol on a question, and tell of it.

    Parameters
    ----------
    case : Case
    chat : ChatModel
    transcript : Transcript
    depth : int
        How many levels there are.
    prompting : "direct", "step-by-step" or "debate"
    seed : int
        Of the buyer.
    progress : callable
        Is told of each call.

    Raises
    ------
    InvalidInputError, UnknownNameError
        For a depth or a prompting that is none.
    BuyerError
        Where the model raises; the session knows why.
    """
    read_count("depth", depth, 0)
    notes = ConversationLog(progress, TranscriptWriter(transcript))
    overheard = RecordedConversation(chat, notes)
    buyer = ChatBuyer(
        "buyer",
        overheard,
        goal=case.goal,
        prompting=prompting,
        options=case.options,
        seed=seed,
    )
    sellers = case.sellers()
    ledger = Ledger({"buyer": case.budget, **dict.fromkeys((s.name for s in sellers), 0)})
    _introduce(transcript, case, depth, prompting)

    def asking(ask: Ask) -> None:
        if ask.role != "offer":
            deciding = ask.role == "decide"
            notes.occasion = _DECIDING if deciding else _choosing(ask.view.question.level)

    record = inspect_recursively(case.question, buyer, sellers, ledger, depth, asking=asking)
    found = _found(case, record, notes, buyer.failures)
    _tell(transcript, found)
    return found


def _choosing(level: int) -> str:
    return f"the choice on level {level}"


def _found(
    case: Case, record: InspectionRecord, notes: ConversationLog, failures: int
) -> InspectionDemo:
    bought = {name for level in record.purchases for name in level}
    read = {offer.name: n for n, level in enumerate(record.levels, 1) for offer in level.offers}
    forgotten = tuple(name for name in read if name not in bought)
    leaks = {}
    for level in range(len(record.levels), -1, -1):
        occasion = _choosing(level) if level else _DECIDING
        told = _told_on(notes, occasion)
        gone = (name for name in forgotten if read[name] > level)
        leaks[occasion] = tuple(n for n in gone if one_line(str(case.offer(n).content)) in told)
    found = {occasion: names for occasion, names in leaks.items() if names}
    return InspectionDemo(case, record, tuple(notes.exchanges), forgotten, found, failures)


def _told_on(notes: ConversationLog, occasion: str) -> str:
    return one_line(
        " ".join(
            message.content.replace("|", " ")
            for exchange in notes.on(occasion)
            for message in exchange.messages
        )
    )


# --- the transcript


def _introduce(transcript: Transcript, case: Case, depth: int, prompting: str) -> None:
    deeper = (
        " Offers on level 2 help to choose among those on level 1, and so on; the deepest level is "
        "chosen from first."
        if depth > 1
        else ""
    )
    transcript.say(
        "A client has a question. Sellers offer information for money. A buyer reads all offers, "
        "buys some of them or none, forgets what it did not buy, and decides." + deeper
    )
    transcript.points(
        [
            f"**The question.** {case.question}",
            f"**The goal.** {case.goal}",
            f"**Money.** The buyer has {_plain(case.budget)}.",
            f"**Prompting.** {prompting}",
            f"**What is true**, and told to nobody. {case.truth}",
        ]
    )
    transcript.heading("On offer")
    for number, level in enumerate(case.levels[:depth], 1):
        transcript.say(f"On level {number}:")
        transcript.points(
            f"**{offer.name}** by {seller}, price {_plain(offer.price)}: {offer.content}"
            for seller, offer in level
        )


def _tell(transcript: Transcript, found: InspectionDemo) -> None:
    case, record = found.case, found.record
    transcript.heading("Purchases and payments")
    transcript.table(record.table())
    transcript.table(record.statement.tables()[1])
    transcript.heading("What was forgotten")
    transcript.say(_forgotten(found))
    transcript.heading("What came of it")
    money = (
        f"Of {_plain(case.budget)}, {_plain(record.spending)} was spent and {_plain(found.left)} "
        f"is left. The decision's worth less what was spent is {_plain(found.worth)}."
    )
    if record.decision is None:
        transcript.say(f"The buyer cannot say. That is worth nothing to the client. {money}")
    else:
        right = record.decision == case.best
        transcript.say(
            f"The buyer decides for the {record.decision}, which is "
            f"{'right' if right else 'wrong'}. That is worth {_plain(case.gain) if right else '0'} "
            f"to the client. {money}"
        )
    if found.failures:
        transcript.say(
            f"{found.failures} of the choices and decisions could not be used, even when asked "
            "for again: where a choice fails nothing is bought, and where the decision fails there "
            "is none."
        )


def _forgotten(found: InspectionDemo) -> str:
    if not any(level.offers for level in found.record.levels):
        return "Nothing: nothing was on offer, so nothing was read."
    if not found.forgotten:
        return "Nothing: all that was read was bought."
    names = ", ".join(found.forgotten)
    if found.leaks:
        return " ".join(
            f"{', '.join(leaked)} STAND IN THE CONVERSATION OF {occasion.upper()}, unbought."
            for occasion, leaked in found.leaks.items()
        )
    deeper = (
        "" if len(found.record.levels) < 2 else ", nor in the choices on levels above their own"
    )
    return (
        f"Read and not bought: {names}. The decision was made in a conversation of its own; none "
        f"of these texts stands in it{deeper}."
    )


def _plain(number: Any) -> str:
    """Return money as a plain decimal."""
    return f"{float(Fraction(number)):g}"


# --- the demo


def _play(who: Participants, text: Transcript, **options: Any) -> InspectionDemo:
    return play(BUSES, who.chat, text, depth=1, **options)


DEMO: Final = Demo(
    name="inspection",
    about="Let a buyer read offers of information, buy some, forget the rest, and decide.",
    play=_play,
    rule=BUSES.rule,
    remarks=DECISIONS,
    options={"prompting": Choice("direct", PROMPTING, "How the buyer's model comes to a choice.")},
)
