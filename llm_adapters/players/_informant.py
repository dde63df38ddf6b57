"""An informant that thinks with a chat model."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import inf, isnan
from typing import Any, Final

from llm_adapters.players._agent_chat import AgentChat
from llm_adapters.players._answer_schemas import draws
from llm_adapters.players._answers import verdicts_in
from llm_adapters.players._arguments import read_count, read_seed, read_text
from llm_adapters.players._buyer_prompts import QUOTES, form
from llm_adapters.players._quoting import LONGEST, code_word, money, one_line, quote_lines
from mechanisms.ledger import Amount
from mechanisms.participants import describe_object
from mechanisms.protocols import ChatModel, History, Message
from theory.errors import InvalidInputError, NumberError
from theory.numbers import rational

__all__ = ["ChatInformant"]


# --- What the model of an informant is told, in our own words

REVEAL, KEEP = "reveal", "keep"


def rules(goal: str) -> Message:
    """Return what holds in every conversation of an informant."""
    return Message(
        "system",
        "You and others hold items of information, and reveal them to a judge in turn, until one "
        "of you keeps everything. Then each of you is paid by what the judge thinks in the end: "
        "by how much better it finds what it did after your move than what it did before, less "
        f"the price of what you revealed.\nYour goal: {goal}\n{QUOTES}",
    )


def brief(
    history: History, labels: Mapping[str, str], prices: Mapping[str, Amount], most: int
) -> str:
    """Return all that may be known: the moves, what is revealed, and what could be.

    ``labels`` has the names of what could be revealed by our labels for them, since contents may
    imitate names.
    """
    parts = [_course(history)]
    if history.revealed:
        parts.append("What is revealed:")
        parts += [
            f"{one_line(name)}:\n{quote_lines(content, most)}"
            for name, content in history.revealed.items()
        ]
    parts.append("You hold, not revealed yet:")
    for label, name in labels.items():
        price = f", price {money(prices[name])}" if prices.get(name, inf) != inf else ""
        content = quote_lines(history.held[name], most)
        parts.append(f"{label}: {one_line(name)}{price}\n{content}")
    return "\n\n".join(parts)


def verdict_form(labels: Sequence[str], most: int, code: str) -> str:
    """Return what asks for a verdict on every item, and says how to write it."""
    limit = "" if most >= len(labels) else f" Reveal {most} at most."
    fields = dict.fromkeys(labels, f"{REVEAL} or {KEEP}")
    return (
        f"It is your turn. Give a verdict on every item that you hold: {REVEAL} or {KEEP}.{limit} "
        f"To keep everything ends the game.\n{form(fields, code)}"
    )


def _course(history: History) -> str:
    actions = [_action(action) for action in history.actions]
    lines = [f"With nothing revealed the judge would do {actions[0]}."] if actions else []
    for move, action in zip(history.moves, actions[1:], strict=False):
        names = ", ".join(map(one_line, move.items))
        lines.append(f"{one_line(move.informant)} revealed {names}; then it would do {action}.")
    return "\n".join(lines) or "Nothing is known of what the judge would do."


def _action(action: Hashable) -> str:
    return one_line(describe_object(action, str))


# --- An informant that thinks with a chat model

_MOST_CHARACTERS: Final = 10**7
_MOST_ITEMS: Final = 10**6


class ChatInformant:
    """An informant of the marginal-value mechanism that asks a chat model what to reveal.

    Each move is a new conversation. The model is told the goal, how moves are paid, who revealed
    what and what the judge would have done after each move, what is revealed, and what this
    informant holds; it gives a verdict on each item that it could reveal. To keep all of them is
    the null move, which ends the game, and so is an answer that cannot be read, or that reveals too
    much, even after it was asked for again with what was wrong. Such failures are counted. Errors
    of the model itself, such as a server that is down or a spent budget, are raised.

    Nobody is asked who has nothing left to reveal.

    Parameters
    ----------
    name : str
        To whom a chat with a method ``for_agent`` is accounted.
    chat : ChatModel
    goal : str
        What it is after, in a sentence or two.
    most : int, optional
        How many items it may reveal in one move; as many as it holds where nothing is said. Give 1
        where moves are single items.
    prices : dict, optional
        What items cost, by name, to be shown; what costs infinity is never revealed. They should be
        those of the mechanism, which does not tell them.
    max_moves : int, optional
        It passes once so many moves were made, as the mechanism's ``max_moves`` demands.
    seed : int
        From 0 to 2^128. The draws of a move depend on it, on the name, on what the model is told,
        and on nothing else. So does the code that an answer must repeat: keep the seed from others.
    longest : int
        The most characters of one content that the model is shown.

    Raises
    ------
    InvalidInputError
        For arguments of other kinds, and numbers out of range.

    Notes
    -----
    *What others wrote is quoted*: each line stands behind a mark, items that it holds go by labels
    of ours, and an answer counts only with a code that hashes the prompt. A model that believes
    what it reads may still be misled.

    One question a move, asked up to three times.

    Source: volition, Definition 4.1.

    Examples
    --------
    >>> import json
    >>> from llm_adapters.fakes import RuleChat
    >>> def frank(messages, schema):
    ...     fields = schema["properties"]
    ...     code = {"code": fields.pop("code")["const"]}
    ...     return json.dumps(code | dict.fromkeys(fields, "reveal"))
    >>> Ann = ChatInformant("Ann", RuleChat(frank), "Let the judge know all that you know.")
    >>> history = History((), ("wait",), {}, {"claim": "it works", "report": "we saw it work"})
    >>> Ann.reveal(history)
    ('claim', 'report')
    >>> Ann
    ChatInformant('Ann', failures=0)
    """

    def __init__(
        self,
        name: str,
        chat: ChatModel,
        goal: str,
        *,
        most: int | None = None,
        prices: Mapping[str, Any] | None = None,
        max_moves: int | None = None,
        seed: int = 0,
        longest: int = LONGEST,
    ) -> None:
        self.name = read_text("name", name)
        self.goal = read_text("goal", goal)
        self.most = _MOST_ITEMS if most is None else read_count("most", most, 1, _MOST_ITEMS)
        self.max_moves = max_moves
        if max_moves is not None:
            read_count("max_moves", max_moves, 0, _MOST_ITEMS)
        self.prices = _prices(prices)
        self.seed = read_seed(seed)
        self.longest = read_count("longest", longest, 1, _MOST_CHARACTERS)
        self._line = AgentChat(chat, self.name)

    @property
    def failures(self) -> int:
        """How many moves could not be read, of all copies of this informant."""
        return self._line.failures

    def reveal(self, history: History) -> tuple[str, ...]:
        """Return the names of the items that the model says to reveal, in a new conversation."""
        if self.max_moves is not None and len(history.moves) >= self.max_moves:
            return ()
        open_items = (
            name
            for name in history.held
            if name not in history.revealed and self.prices.get(name) != inf
        )
        labels = {f"item {k}": name for k, name in enumerate(open_items, 1)}
        if not labels:
            return ()
        text = brief(history, labels, self.prices, self.longest)
        code = code_word(self.seed, self.name, self.goal, text)
        kind, read = verdicts_in(labels, (REVEAL, KEEP), code, self._problem)
        asked = f"{text}\n\n{verdict_form(tuple(labels), self.most, code)}"
        rng = draws(self.seed, f"{self.name}: {asked}")
        said = self._line.ask([rules(self.goal), Message("user", asked)], kind, rng, read) or {}
        return tuple(labels[label] for label, verdict in said.items() if verdict == REVEAL)

    def _problem(self, verdicts: Mapping[str, str]) -> str:
        count = sum(verdict == REVEAL for verdict in verdicts.values())
        return f"{count} items are revealed, of at most {self.most}" if count > self.most else ""

    def __repr__(self) -> str:
        return f"ChatInformant({self.name!r}, failures={self.failures})"


def _prices(prices: Any) -> dict[str, Amount]:
    if prices is None:
        return {}
    if not isinstance(prices, Mapping):
        fix = "give a price for each item, by name"
        raise InvalidInputError("prices", prices, "are not a mapping", fix)
    return {str(name): _price(name, price) for name, price in prices.items()}


def _price(name: object, price: Any) -> Amount:
    if isinstance(price, float):
        if isnan(price) or price == -inf:
            raise NumberError(
                f"price of {name}", price, "is not a price", 'give a number, or "inf"'
            )
        return price
    return inf if price == "inf" else rational(price, f"price of {name}")
