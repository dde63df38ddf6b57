"""The information market, with a buyer that asks a chat model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from llm_adapters.players import PROMPTING, ChatMarketBuyer
from mechanisms.inspection import ToInspect
from mechanisms.market import BM25, FactGrader, Inquiry, Market, MarketResult, answer_question
from mechanisms.play import Ask, Pay, Run
from mechanisms.protocols import ChatModel
from mechproof.demos._overheard import (
    ConversationLog,
    Exchange,
    RecordedConversation,
    TranscriptWriter,
)
from mechproof.demos._remarks import SMALL
from mechproof.demos._transcript import Transcript, clip_text, one_line
from mechproof.demos.demo import Choice, Count, Demo
from mechproof.demos.models import LOCAL, RULES, Participants
from mechproof.demos.passages import BUDGET, QUESTION, WORLD, shopping_rule
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["DEMO", "MarketDemo", "play"]

_DOING: Final = {
    "choose": "choosing for",
    "answer": "answering",
    "ask on": "asking on after",
    "answer again": "answering again",
}
"""What the buyer does when it is asked, by its role."""


@dataclass(frozen=True, eq=False)
class MarketDemo:
    """What came of the question.

    Attributes
    ----------
    result : MarketResult
    exchanges : tuple of Exchange
        All calls, in order.
    forgotten : tuple of str
        The passages that were on offer, and were bought for no question.
    leaks : tuple of pairs of str
        An occasion and a passage whose text stands in its conversation, which must not know it.
        There is a fault where there are any.
    failures : int
        Answers that could not be read.
    """

    result: MarketResult
    exchanges: tuple[Exchange, ...]
    forgotten: tuple[str, ...]
    leaks: tuple[tuple[str, str], ...]
    failures: int

    @property
    def right(self) -> bool:
        """Whether the answer names what is true."""
        return FactGrader(WORLD).compare(str(QUESTION), self.result.answer or "", "") == "first"

    def __str__(self) -> str:
        return str(self.result)


@dataclass
class _Overheard:
    """A buyer; before it is asked the notes are told on which occasion."""

    buyer: ChatMarketBuyer
    notes: ConversationLog

    def __call__(self, ask: Ask) -> object:
        self.notes.occasion = _occasion_of(ask)
        return self.buyer(ask)

    @property
    def name(self) -> str:
        return self.buyer.name


def _occasion_of(ask: Ask) -> str:
    view: Any = ask.view
    question = view.question.text if isinstance(view, ToInspect) else view.question
    return f"{_DOING.get(ask.role, ask.role)} “{one_line(question)}”"


def play(
    chat: ChatModel,
    transcript: Transcript,
    *,
    prompting: str = "direct",
    inspection: str = "yes",
    hops: int = 1,
    seed: int = 0,
    progress: Callable[[str], None] = lambda text: None,
) -> MarketDemo:
    """Run the market for the question, and tell of it.

    Parameters
    ----------
    chat : ChatModel
        Of the buyer.
    transcript : Transcript
    prompting : "direct", "step-by-step" or "debate"
    inspection : "yes" or "no"
        Whether texts may be read before they are bought.
    hops : int
        How far follow-up questions go.
    seed : int
        Of the buyer.
    progress : callable
        Is told of each call.

    Raises
    ------
    ParticipantError
        Where the model raises; the session knows why.
    """
    notes = ConversationLog(progress, TranscriptWriter(transcript, lines=40))
    buyer = ChatMarketBuyer(
        "Ann", RecordedConversation(chat, notes), prompting=prompting, seed=seed
    )
    reads = inspection == "yes"
    market = Market.of(WORLD, BM25(WORLD.passages), quotes=2, examine=3, inspection=reads)
    _introduce(transcript, prompting, reads, hops)
    heard = _Overheard(buyer, notes)
    result = answer_question(market, QUESTION, heard, BUDGET, hops=hops, seed=seed)
    found = _found(result, notes, reads, buyer.failures)
    _tell(transcript, found)
    return found


def _found(
    result: MarketResult, notes: ConversationLog, inspection: bool, failures: int
) -> MarketDemo:
    bought = {each.name for each in result.inquiry.purchases}
    offered = dict.fromkeys(o.name for one in result.inquiry.every() for o in one.offers)
    forgotten = tuple(name for name in offered if name not in bought)
    leaks = tuple(_leaks(result.run, notes, inspection))
    return MarketDemo(result, tuple(notes.exchanges), forgotten, leaks, failures)


def _leaks(
    run: Run[Inquiry], notes: ConversationLog, inspection: bool
) -> Iterator[tuple[str, str]]:
    """Yield texts that were told and were neither paid before nor on offer, by occasion."""
    paid = set[str]()
    for entry in run.log:
        request: Any = entry.request
        if isinstance(request, Pay) and entry.value is None:
            paid |= {each.memo for each in request.transfers}
        elif isinstance(request, Ask) and request.role in _DOING:
            occasion, known = _occasion_of(request), set(paid)
            if request.role == "choose" and inspection:
                known |= {offer.name for offer in request.view.offers[-1]}
            yield from ((occasion, name) for name in _told_on(notes, occasion) if name not in known)


def _told_on(notes: ConversationLog, occasion: str) -> list[str]:
    """Return the names of the passages whose text stands in the conversations of an occasion."""
    told = one_line(
        " ".join(
            message.content.replace("|", " ")
            for exchange in notes.on(occasion)
            for message in exchange.messages
        )
    )
    return [f"{each.owner}: {each.name}" for each in WORLD.passages if each.text in told]


# --- the transcript


def _introduce(text: Transcript, prompting: str, inspection: bool, hops: int) -> None:
    reading = (
        "may read the passages on offer before it buys, and forgets what it does not buy"
        if inspection
        else "sees titles and prices, and reads what it has bought"
    )
    further = (
        ", may ask a further question for what money is left, and answers again" if hops else ""
    )
    text.say(
        f"A buyer has a question and money. Vendors quote passages that may answer it. The buyer "
        f"{reading}. It answers by what it bought{further}."
    )
    text.points(
        [
            f"**The question.** {QUESTION}",
            f"**Money.** The buyer, Ann, has {number_text(BUDGET)} for this question and all that "
            f"follow. Each of the {len(QUESTION.relations)} facts that it takes is worth "
            f"{number_text(QUESTION.worth)} to her.",
            f"**Follow-up questions.** {_following(hops)}",
            f"**Prompting.** {prompting}",
            "**What is true**, and told to nobody. "
            + "; ".join(one_line(str(fact)) for fact in WORLD.needs(QUESTION))
            + ".",
        ]
    )
    text.heading("On sale")
    text.points(
        f"**{each.name}** by {each.owner}, price {number_text(each.price)}, “{each.title}”: "
        f"{each.text}"
        for each in WORLD.passages
    )


def _following(hops: int) -> str:
    if hops < 2:
        return "One may follow from the first answer." if hops else "None is asked."
    return f"One may follow from the first answer, one from its answer, and so on: {hops} in all."


def _tell(text: Transcript, found: MarketDemo) -> None:
    result = found.result
    text.heading("Offers and purchases")
    text.table(_offers(result))
    text.heading("Answers, and what they are made of")
    text.points(_answer(one) for one in result.inquiry.every())
    text.heading("What was forgotten")
    text.say(_forgotten(found))
    text.heading("The books")
    for table in result.ledger.statement().tables():
        text.table(table)
    text.say(_books(result))
    text.heading("What came of it")
    worth = result.worth(WORLD, QUESTION)
    facts = worth / QUESTION.worth
    told = "which is right" if found.right else "which is not right"
    gain = worth - result.spent
    text.say(
        f"The answer is “{clip_text(result.answer or '(none)', 200)}”, {told}. "
        f"Of the {len(QUESTION.relations)} facts that it takes, what was bought states "
        f"{number_text(facts)}. That is worth {number_text(worth)} and cost "
        f"{number_text(result.spent)}: {number_text(abs(gain))} is "
        f"{'gained' if gain >= 0 else 'lost'}."
    )
    if found.failures:
        many = f"{found.failures} answers" if found.failures > 1 else "1 answer"
        text.say(
            f"{many} could not be used, even when asked for again: where a choice fails nothing "
            "is bought, and where an answer fails there is none."
        )


def _books(result: MarketResult) -> str:
    """Return what the payments come to, by themselves and beside what was bought."""
    held = {account: Fraction(result.ledger.balance(account)) for account in result.ledger.accounts}
    received = sum(held.values()) - held["Ann"]
    agrees = received == result.spent == BUDGET - held["Ann"]
    same = "which is the same" if agrees else "AND THAT DOES NOT AGREE"
    return (
        f"All balances add up to {number_text(sum(held.values()))}. The vendors have received "
        f"{number_text(received)}. What was bought for all questions together costs "
        f"{number_text(result.spent)}, {same}."
    )


def _offers(result: MarketResult) -> Table:
    rows = []
    for one in result.inquiry.every():
        bought = {each.name for each in one.bought}
        for offer in one.offers:
            taken = "yes" if offer.name in bought else "no"
            rows.append((one.place, offer.name, number_text(offer.price), taken))
        if not one.offers:
            rows.append((one.place, "nothing is quoted", "", ""))
    caption = "What could be bought for each question"
    return Table(
        caption=caption, columns=("question", "offer", "price", "bought"), rows=tuple(rows)
    )


def _answer(one: Inquiry) -> str:
    made = ", ".join(each.name for each in one.sources) or "nothing"
    skipped = "".join(f" Asked before, and so skipped: “{clip_text(s, 160)}”" for s in one.skipped)
    answer = clip_text(one.answer or "(none)", 300)
    return f"**{one.place}. {clip_text(one.question, 200)}** “{answer}” Made of: {made}.{skipped}"


def _forgotten(found: MarketDemo) -> str:
    if found.leaks:
        return " ".join(
            f"THE TEXT OF {name} STANDS IN A CONVERSATION THAT MUST NOT KNOW IT, {occasion}."
            for occasion, name in found.leaks
        )
    if not found.forgotten:
        return "Nothing: all that was on offer was bought."
    asked_on = found.result.inquiry.followed
    again = ", nor in a choice for which it was not on offer" if asked_on else ""
    return (
        f"On offer and bought for no question: {', '.join(found.forgotten)}. Answers and further "
        "questions were written in conversations of their own. None of these texts stands there"
        f"{again}."
    )


# --- the demo


def _play(who: Participants, text: Transcript, **options: Any) -> MarketDemo:
    return play(who.chat, text, **options)


DEMO: Final = Demo(
    name="market",
    about="Let a buyer read passages on sale, buy some, forget the rest, answer, and ask on.",
    play=_play,
    rule=shopping_rule,
    remarks={
        RULES: "Everybody follows a fixed rule here. What is seen is the market: what is quoted "
        "and read, what is forgotten, who is paid, how a question follows from an answer, and what "
        "an answer is made of. Nothing is seen of how a model buys. With --inspection no the same "
        "rule believes a title that does not keep its promise.",
        LOCAL: f"{SMALL} It is held to the form of an answer and chooses only what is free in it: "
        "its choices are hardly better than chance, and what it answers and asks need not follow "
        "from what it has read. What is seen is that the money binds over all questions, that what "
        "was not bought is in no later conversation, and that what cannot be read buys nothing.",
        "endpoint": "One question is one question. How well this model buys takes many, as in "
        "`mechproof experiment bazaar`.",
    },
    options={
        "prompting": Choice("direct", PROMPTING, "How the buyer's model comes to a choice."),
        "inspection": Choice(
            "yes", ("yes", "no"), "Whether texts may be read before they are bought."
        ),
        "hops": Count(1, 0, 3, "How far follow-up questions go."),
    },
)
