"""An ascending auction of three items, whose bidders ask a chat model."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any, Final

from llm_adapters.errors import UnreadableError
from llm_adapters.players import ChatBidder
from llm_adapters.structured import find_json
from mechanisms.ascending import (
    AuctionResult,
    Beliefs,
    BidderError,
    Call,
    Plan,
    RuleBidder,
    Sale,
    run_auction,
)
from mechanisms.play import Ask, Draw, Entry, How, Run
from mechanisms.protocols import ChatModel
from mechproof.demos._overheard import ConversationLog, Exchange, RecordedConversation
from mechproof.demos._remarks import SMALL
from mechproof.demos._transcript import Transcript, clip_text
from mechproof.demos.bidding import (
    BUDGET,
    ITEMS,
    MODULES_OF,
    OBJECTIVES_OF,
    RULE_BIDDER,
    bidding_rule,
)
from mechproof.demos.demo import Choice, Demo
from mechproof.demos.models import LOCAL, RULES, Participants
from theory.shared.text import decimal_text, number_text
from theory.verdicts import Table

__all__ = ["DEMO", "play"]


_IN_THIS_FORM: Final = "in this form:\n"

Heard = list[tuple[Ask, Exchange]]
"""What was asked, with what was said, in order."""


def play(
    chat: ChatModel,
    transcript: Transcript,
    *,
    kind: str = "adaptive",
    seed: int = 0,
    progress: Callable[[str], None] = lambda text: None,
) -> AuctionResult:
    """Run the auction, and tell of it.

    Parameters
    ----------
    chat : ChatModel
        Of Ann and Bob.
    transcript : Transcript
    kind : "adaptive", "static" or "none"
        What Ann does beside bidding; Bob is "static".
    seed : int
        Of the bidders, and of who leads among equal bids.
    progress : callable
        Is told of each call.

    Raises
    ------
    BidderError
        Where the model raises; the session knows why. What was until then is told.
    """
    notes = ConversationLog(progress)
    overheard = RecordedConversation(chat, notes)
    kinds = {"Ann": kind, "Bob": "static"}
    bidders = [
        ChatBidder(name, overheard, objective=objective, modules=MODULES_OF[kinds[name]], seed=seed)
        for name, objective in OBJECTIVES_OF.items()
    ]
    _introduce(transcript, kinds)
    begun: list[tuple[Ask, int]] = []

    def told(ask: Ask) -> None:
        about = f"{ask.view.item}, round {ask.view.round + 1}" if ask.role == "bid" else ask.role
        notes.occasion = about
        begun.append((ask, len(notes.exchanges)))

    try:
        result = run_auction(
            ITEMS,
            [*bidders, RuleBidder(RULE_BIDDER)],
            BUDGET,
            corrections=1,
            seed=seed,
            asking=told,
        )
    except BidderError as error:
        _tell_course(transcript, error.record, _heard(begun, notes))
        raise
    heard = _heard(begun, notes, len(notes.exchanges))
    _tell_course(transcript, result.run, heard, result)
    _tell_end(transcript, result)
    _show_talk(transcript, heard)
    return result


def _heard(begun: list[tuple[Ask, int]], notes: ConversationLog, end: int | None = None) -> Heard:
    """Return the last exchange on each question to a bidder that asks the model.

    ``begun`` has each question with how many exchanges there were before it. The last question has
    an answer only where there is an end.
    """
    ends = [start for _, start in begun[1:]] + ([] if end is None else [end])
    return [
        (ask, notes.exchanges[after - 1])
        for (ask, _), after in zip(begun, ends, strict=False)
        if ask.player in OBJECTIVES_OF
    ]


# --- the transcript


def _introduce(text: Transcript, kinds: dict[str, str]) -> None:
    text.say(
        "Items are sold one after the other, each in an open ascending auction. In each round all "
        "who do not lead, and have not withdrawn from the item, bid at the same time: at least the "
        "starting price, then at least a tenth of it above the highest bid. Among equal bids the "
        "leader is drawn. Whoever leads when nobody bids more pays its bid. All money must last "
        "for all items."
    )
    text.points(
        [
            *(
                f"**{name}** asks the model, is told to be after {OBJECTIVES_OF[name]}, and is "
                f"{kind}: {', '.join(MODULES_OF[kind]) or 'it only bids'}."
                for name, kind in kinds.items()
            ),
            f"**{RULE_BIDDER}** follows a rule: it bids the least amount, four times an item.",
            f"Each has {number_text(BUDGET)}. The estimates of those who ask the model are a tenth "
            "too high, which they are not told.",
        ]
    )
    rows = tuple((i.name, number_text(i.start), number_text(i.value)) for i in ITEMS)
    caption = "What is sold. The worth of an item is told when it is sold"
    text.table(Table(caption=caption, columns=("item", "start", "worth"), rows=rows))


def _tell_course(
    text: Transcript,
    run: Run[Any],
    heard: Heard,
    result: AuctionResult | None = None,
) -> None:
    """Tell plans, calls and beliefs in their order."""
    entries = [entry for entry in run.log if isinstance(entry.request, Ask)]
    drawn = [entry for entry in run.log if isinstance(entry.request, Draw)]
    leaders = {entry.step - 1: entry.value for entry in drawn}
    forms = _form_texts(heard)
    reasons = _reasons(heard, forms)
    wrong = iter([] if result is None else result.beliefs)
    sales = _sales(entries, result)
    for (role, number), each in groupby(entries, _stage):
        group = list(each)
        if role == "plan":
            text.heading("Plans" if not number else f"New plans after {number} of {len(ITEMS)}")
            text.points(_plan_text(entry, forms) for entry in group)
        elif role == "bid":
            text.heading(f"Item {number + 1}: {_call(group[0]).item}")
            text.points(_round_texts(group, reasons, leaders))
            if number < len(sales):
                text.say(_sale_text(sales[number]))
        else:
            text.heading(f"What is believed after {number} of {len(ITEMS)}")
            told = [_belief_text(entry, wrong) for entry in group]
            text.points(line for line in told if line)


def _round_texts(
    entries: Iterable[Entry], reasons: dict[str, Iterator[str]], leaders: dict[int, str]
) -> Iterator[str]:
    """Yield what is told of the bids of each round, and who was drawn to lead after it."""
    for step, asked in groupby(entries, lambda entry: entry.step):
        yield from [_bid_text(each, reasons) for each in asked]
        if step in leaders:
            yield f"Of these equal bids that of **{leaders[step]}** is drawn to lead."


def _stage(entry: Entry) -> tuple[str, int]:
    request: Any = entry.request
    view = request.view
    return request.role, view.number if request.role == "recount" else len(view.sold)


def _call(entry: Entry) -> Call:
    request: Any = entry.request
    call: Call = request.view
    return call


def _sales(entries: Iterable[Entry], result: AuctionResult | None) -> list[Sale]:
    if result is not None:
        shown = [(sale.item, sale.winner, sale.price) for sale in result.sales]
        return [Sale(i.name, who, price, i.value) for i, who, price in shown]
    views: list[Any] = [entry.request.view for entry in entries if _stage(entry)[0] != "recount"]
    return max((list(view.sold) for view in views), key=len, default=[])


def _form_texts(heard: Heard) -> set[str]:
    """Return what the forms of answers say is to stand in them, which small models repeat."""
    found = set[str]()
    for _, exchange in heard:
        for message in exchange.messages:
            form = message.content.partition(_IN_THIS_FORM)[2] if message.role == "user" else ""
            if form:
                found.update(said for said in json.loads(form).values() if isinstance(said, str))
    return found


def _reasons(heard: Heard, forms: set[str]) -> dict[str, Iterator[str]]:
    """Return what is said of the reasons of all bids, by who gave them."""
    found: dict[str, list[str]] = {}
    for ask, exchange in heard:
        if ask.role == "bid":
            reason = _reason(exchange.answer)
            said = f" “{reason}”" if reason else ""
            if reason in forms:
                said = " For a reason it repeats the form."
            found.setdefault(ask.player, []).append(said)
    return {name: iter(each) for name, each in found.items()}


def _reason(answer: str) -> str:
    try:
        said = json.loads(find_json(answer))
    except UnreadableError:
        return clip_text(answer, 160)
    return clip_text(str(said.get("reason", "")), 160) if isinstance(said, dict) else ""


def _bid_text(entry: Entry, reasons: dict[str, Iterator[str]]) -> str:
    request: Any = entry.request
    name, number = request.player, request.view.round + 1
    because = next(reasons.get(name, iter(())), "")
    if entry.how is How.ABSENT:
        return f"Round {number}: no answer of **{name}** comes: {entry.reason}."
    if entry.how in (How.REFUSED, How.ILLEGAL):
        last = " It was the last attempt." if entry.how is How.ILLEGAL else ""
        return f"Round {number}: **{name}** is refused: {entry.reason}.{because}{last}"
    if entry.value is None:
        return f"Round {number}: **{name}** withdraws.{because}"
    return f"Round {number}: **{name}** bids {number_text(entry.value)}.{because}"


def _sale_text(sale: Sale) -> str:
    if sale.winner is None or sale.price is None or sale.value is None:
        return f"The {sale.item} is not sold."
    earned = sale.value - sale.price
    verb = "earns" if earned >= 0 else "loses"
    return (
        f"The {sale.item} goes to {sale.winner} for {number_text(sale.price)}. It is worth "
        f"{number_text(sale.value)}: {sale.winner} {verb} {number_text(abs(earned))}."
    )


def _plan_text(entry: Entry, forms: set[str]) -> str:
    request: Any = entry.request
    plan = entry.value
    if not isinstance(plan, Plan):
        return f"**{request.player}** gives none that can be used: {entry.reason}."
    priorities = ", ".join(f"{item} {number}" for item, number in plan.priorities)
    said = f": “{clip_text(plan.text, 300)}”"
    if plan.text in forms:
        said = " repeats the form in place of a plan."
    return f"**{request.player}**{said} Priorities: {priorities}."


def _belief_text(entry: Entry, said: Iterator[Any]) -> str:
    request: Any = entry.request
    name = request.player
    if entry.how is How.REFUSED:
        return f"**{name}** is refused: {entry.reason}."
    wrong = getattr(next(said, None), "wrong", None)
    beliefs = entry.value
    if not isinstance(beliefs, Beliefs):
        return f"**{name}** says nothing that can be used: {entry.reason}."
    profits = ", ".join(f"{who} {decimal_text(profit)}" for who, profit in beliefs.profits)
    won = ", ".join(
        f"{item} to {who} for {decimal_text(price)}"
        for who, items in beliefs.won
        for item, price in items
    )
    head = f"**{name}**{' once more' if request.view.wrong else ''}"
    told = (
        f"{head}: {decimal_text(beliefs.money)} left to me; profits {profits}; {won or 'no sale'}."
    )
    if wrong is None:
        return told
    return f"{told} {'Wrong: ' + ' '.join(wrong) if wrong else 'All of it is right.'}"


def _tell_end(text: Transcript, result: AuctionResult) -> None:
    text.heading("What came of it")
    text.table(result.table())
    text.table(result.accounts())
    problems = result.audit()
    text.say(
        "Checked from the log and the payments alone: "
        + (
            " ".join(problems)
            if problems
            else "every winner made the highest bid, paid it once, "
            "and had the money; all profits are worths less payments."
        )
    )
    statements = [said.said for said in result.beliefs if isinstance(said.said, Beliefs)]
    if statements:
        count = sum(each.statements for each in statements)
        wrong = sum(len(said.wrong) for said in result.beliefs)
        text.say(f"Of {count} statements on the state of the auction, {wrong} were wrong.")
    if result.unanswered:
        text.say(f"Calls without an answer: of {', '.join(result.unanswered)}.")


def _show_talk(text: Transcript, heard: Heard) -> None:
    """Show the longest conversation on the first item in full."""
    bids = [(ask, said) for ask, said in heard if ask.role == "bid" and not ask.view.sold]
    if bids:
        ask, longest = max(bids, key=lambda each: len(each[1].messages))
        text.heading(f"What {ask.player} was told of the first item, in full")
        text.conversation(longest.messages, longest.answer, lines=200)


# --- the demo


def _play(who: Participants, text: Transcript, **options: Any) -> AuctionResult:
    return play(who.chat, text, **options)


DEMO: Final = Demo(
    name="arena",
    about="Let three bidders with budgets bid for three items, one after the other.",
    play=_play,
    rule=bidding_rule,
    remarks={
        RULES: "Everybody follows a fixed rule here. What is seen is the auction: who is asked "
        "when, what is refused, who pays what, and how beliefs are checked. Nothing is seen of how "
        "a model bids.",
        LOCAL: f"{SMALL} It is held to the form of an answer, so that its bids are legal or "
        "withdrawals; its reasons and beliefs are hardly better than chance. What is seen is that "
        "the accounts hold whatever it says, and that wrong beliefs are found.",
        "endpoint": "One auction is one auction: with three items, whoever leads has often been "
        "drawn. How well this model bids would take many of them, with seats exchanged.",
    },
    options={
        "kind": Choice(
            "adaptive",
            tuple(MODULES_OF),
            "Whether Ann plans and plans anew, plans once, or only bids.",
        )
    },
)
