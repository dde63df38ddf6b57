"""What models of the information market are told, in our own words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

from llm_adapters.players._buyer_prompts import QUOTES, purse
from llm_adapters.players._quoting import amount, one_line, quote_lines
from mechanisms.inspection import ToInspect
from mechanisms.protocols import Message, Notice, Purchase

__all__ = [
    "ASK_ON",
    "COMPARE",
    "NOT_KNOWN",
    "WRITE",
    "brief_of_answers",
    "brief_of_choice",
    "brief_of_follow_ups",
    "brief_of_purchases",
    "brief_of_refining",
    "form_text",
]

NOT_KNOWN: Final = "not known"
"""The answer where what was bought does not say."""

WRITE: Final = Message("system", f"You answer questions by what was bought for them.\n{QUOTES}")
ASK_ON: Final = Message(
    "system",
    "You say which questions to ask next, so that a first question can be answered. Others then "
    f"look for passages that answer them.\n{QUOTES}",
)
COMPARE: Final = Message(
    "system", f"You say which of two answers to a question is better, if one is.\n{QUOTES}"
)

_LONGEST_QUESTION: Final = 1_000


def brief_of_choice(view: ToInspect, most: int) -> str:
    """Return all that may be known when choosing: question, purchases, offers and money."""
    offers = view.offers[-1]
    hidden = all(getattr(each.content, "text", "") is None for each in offers)
    seen = "What you do not buy you will forget"
    if hidden:
        seen = "You see their titles alone; the text of a passage is told to who buys it"
    parts = [
        _ask(view.question.text),
        _list_purchases(view.bought, most),
        f"Passages for sale now. They may help to answer the question. {seen}:",
        *(_show(f"offer {k}", each, each.content, most) for k, each in enumerate(offers, 1)),
        f"{purse(view.budget)} It is for this question and for those that follow from it.",
    ]
    return "\n\n".join(parts)


def brief_of_purchases(question: str, bought: Sequence[Purchase], most: int) -> str:
    """Return the question, what was bought, and what asks for an answer."""
    asked = (
        "Answer the question by what was bought, in one short sentence. If that does not say it, "
        f"answer: {NOT_KNOWN}."
    )
    return "\n\n".join([_ask(question), _list_purchases(bought, most), asked])


def brief_of_refining(
    question: str,
    answer: str,
    followed: Sequence[tuple[str, str]],
    bought: Sequence[Purchase],
    most: int,
) -> str:
    """Return the same, with an answer until now, and questions that followed, answered."""
    parts = [
        _ask(question),
        _list_purchases(bought, most),
        _quote_answer("until now", answer, most),
    ]
    for asked, found in followed:
        parts.append(f"A question that followed: {_one(asked)} Its answer:")
        parts.append(quote_lines(found, most))
    parts.append(
        "Answer the first question once more, by all of this, in one short sentence. If that does "
        f"not say it, answer: {NOT_KNOWN}."
    )
    return "\n\n".join(parts)


def brief_of_follow_ups(
    question: str, answer: str, bought: Sequence[Purchase], most: int, questions: int
) -> str:
    """Return the question, its answer, what was bought, and what asks for further questions."""
    many = "one question whose answer is missing. It"
    if questions > 1:
        many = f"up to {questions} questions whose answers are missing. Each"
    asked = (
        f"If the answer is complete, give an empty list. Otherwise ask {many} must be understood "
        "by itself, so name in it whom and what it is about. Do not ask what is answered already."
    )
    parts = [
        _ask(question),
        _list_purchases(bought, most),
        _quote_answer("until now", answer, most),
    ]
    return "\n\n".join([*parts, asked])


def brief_of_answers(question: str, answers: Mapping[str, str], most: int) -> str:
    """Return the question, the answers by their labels, and what asks for the better one."""
    parts = [_ask(question)]
    parts += [f"{label}:\n{quote_lines(answer, most)}" for label, answer in answers.items()]
    names = " or ".join(answers)
    parts.append(f"Which answers the question better, {names}? Say tie if neither does.")
    return "\n\n".join(parts)


def form_text(fields: Mapping[str, object]) -> str:
    """Return what says how to write an answer."""
    shown = json.dumps(dict(fields), ensure_ascii=False, indent=1)
    return f"Answer in JSON alone, in this form:\n{shown}"


def _ask(question: str) -> str:
    return f"The question: {_one(question)}"


def _one(question: str) -> str:
    return one_line(question, _LONGEST_QUESTION)


def _quote_answer(which: str, answer: str, most: int) -> str:
    return f"Your answer {which}:\n{quote_lines(answer or '(none)', most)}"


def _list_purchases(bought: Sequence[Purchase], most: int) -> str:
    if not bought:
        return "Nothing was bought until now."
    parts = [_show(f"bought {k}", each, each.content, most) for k, each in enumerate(bought, 1)]
    return "\n\n".join(["What was bought until now:", *parts])


def _show(label: str, notice: Notice, content: object, most: int) -> str:
    head = f"{label}: {one_line(notice.name)}, price {amount(notice.price)}"
    return f"{head}\n{quote_lines(content, most)}"
