"""What a participant of a mechanism must be able to do, and what it is told.

Each is a :class:`typing.Protocol`: whatever has these methods takes part. Messages are frozen, and
every participant gets copies of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np

from mechanisms._statement import amount_text
from mechanisms.ledger import Amount
from theory.errors import InvalidInputError
from theory.shared.printable import indent_following_lines, one_line
from theory.shared.shapes import Float64

__all__ = [
    "ROLES",
    "Buyer",
    "ChatModel",
    "Disclosure",
    "Embedder",
    "History",
    "Informant",
    "Judge",
    "LanguageModel",
    "Message",
    "Notice",
    "Offer",
    "Preview",
    "Purchase",
    "Question",
    "Sampled",
    "Seller",
    "Viewing",
    "notice_text",
]


# --- buyers and sellers of information


@dataclass(frozen=True)
class Offer:
    """What a seller offers: a name, what the buyer gets for the price, and the price.

    The content is text, or anything else that can be copied.
    """

    name: str
    content: object
    price: object


@dataclass(frozen=True)
class Notice:
    """What everyone may know of an offer: all but its content."""

    level: int
    seller: str
    name: str
    price: Amount


def notice_text(notice: Notice) -> str:
    """Write a notice on a line; no text of its seller looks like one of ours."""
    name, seller = one_line(notice.name), one_line(notice.seller)
    return f"{name} of {seller} for {amount_text(notice.price)}"


@dataclass(frozen=True)
class Question:
    """What sellers are asked: to help the buyer of ``level`` - 1 to choose.

    Attributes
    ----------
    text : str
        What is to be decided in the end.
    level : int
        1 where the offers help to decide; n > 1 where they help to choose among those of level
        n - 1.
    on_offer : tuple
        By level, below this one: what is on offer there.
    """

    text: str
    level: int
    on_offer: tuple[tuple[Notice, ...], ...]

    def __str__(self) -> str:
        lines = [indent_following_lines(self.text, "  ")]
        for level, notices in enumerate(self.on_offer, 1):
            lines += [f"on level {level}:", *(f"  {notice_text(each)}" for each in notices)]
        return "\n".join([*lines, f"what to offer on level {self.level}?"])


@runtime_checkable
class Seller(Protocol):
    """Offers information; it is told neither contents of others nor what the buyer can pay."""

    @property
    def name(self) -> str:
        """The name of its account."""
        ...

    def offers(self, question: Question) -> Iterable[Offer]:
        """Return what it offers to those who have the question; nothing if it has nothing."""
        ...


@dataclass(frozen=True)
class Preview(Notice):
    """An offer that may be read until the choice is made."""

    read: Callable[[], object]
    """Returns the content; raises :class:`~mechanisms.errors.RevokedError` after the choice."""


@dataclass(frozen=True)
class Purchase(Notice):
    """An offer that was bought and paid."""

    content: object


@dataclass(frozen=True)
class Viewing:
    """What a buyer knows when it chooses what to buy on a level.

    Attributes
    ----------
    question : Question
        That of the level.
    offers : tuple
        By level, from 1 up to this one: what is on offer, to be read.
    bought : tuple of Purchase
        What was bought on higher levels, the highest first.
    budget : number or None
        What it can still pay; None where its account has no floor.
    """

    question: Question
    offers: tuple[tuple[Preview, ...], ...]
    bought: tuple[Purchase, ...]
    budget: Amount | None

    @property
    def choice(self) -> tuple[Preview, ...]:
        """The offers of this level, among which to choose."""
        return self.offers[-1]


@runtime_checkable
class Buyer(Protocol):
    """Inspects offers, buys some of them or none, and decides with what it bought."""

    @property
    def name(self) -> str:
        """The name of its account."""
        ...

    def choose(self, viewing: Viewing) -> Iterable[str]:
        """Return the names of the offers of this level to buy; none of them declines.

        A copy of the buyer is asked, and thrown away.
        """
        ...

    def decide(self, question: str, bought: tuple[Purchase, ...]) -> object:
        """Return the decision, knowing what was bought and nothing else that was on offer."""
        ...


# --- informants and their judge


@dataclass(frozen=True)
class Disclosure:
    """A move: who newly revealed which items."""

    informant: str
    items: tuple[str, ...]


@dataclass(frozen=True)
class History:
    """What an informant is told when its turn comes.

    Attributes
    ----------
    moves : tuple of Disclosure
        The moves so far.
    actions : tuple of Hashable
        a_0, a_1, …: what the judge would have done before the first move and after each.
    revealed : dict
        The content of each item that is revealed.
    held : dict
        The content of each item that the informant itself may reveal.
    """

    moves: tuple[Disclosure, ...]
    actions: tuple[Hashable, ...]
    revealed: dict[str, object]
    held: dict[str, object]


@runtime_checkable
class Informant(Protocol):
    """Reveals items to a judge, some at a time."""

    def reveal(self, history: History) -> Iterable[str]:
        """Return the names of items to reveal; where none of them is new, the game ends."""
        ...


@runtime_checkable
class Judge(Protocol):
    """Would act on what is revealed, which it knows by name and content."""

    def utilities(self, revealed: Mapping[str, object]) -> Mapping[Any, object]:
        """Return the expected utility of each action: rationals, or floats throughout.

        The actions are the same ones at every call. Of several best ones, the judge takes the one
        that stood first in its first answer.
        """
        ...


# --- language models


@dataclass(frozen=True, eq=False)
class Sampled:
    """Replies, with their log-probabilities under the law that they were really drawn from.

    Attributes
    ----------
    prompt : str
        What was replied to.
    replies : tuple of str
        n replies, in the order in which they were drawn.
    log_probs : float64 array of shape (n,)
        The log-probability of each: of the whole reply, its end included, after temperature, top-p
        and whatever else decides what can come out. A copy that cannot be written to.

    Raises
    ------
    InvalidInputError
        Where they are no text, or not one float64 number a reply. Whether the numbers make sense is
        for :func:`mechanisms.language_models.checked_sample` to say.

    Examples
    --------
    >>> import numpy as np
    >>> drawn = Sampled("How do I sleep well?", ("Keep the room dark.",), np.log([0.5]))
    >>> len(drawn)
    1
    """

    prompt: str
    replies: tuple[str, ...]
    log_probs: Float64[np.ndarray, " replies"]

    def __post_init__(self) -> None:
        prompt: Any = self.prompt
        replies: Any = self.replies
        given: Any = self.log_probs
        if not isinstance(prompt, str):
            raise InvalidInputError("prompt", prompt, "is not text", "give the prompt")
        if not isinstance(replies, tuple) or not all(isinstance(text, str) for text in replies):
            raise InvalidInputError("replies", replies, "are no tuple of texts", "give a tuple")
        if not isinstance(given, np.ndarray) or given.dtype != np.float64:
            raise InvalidInputError("log_probs", given, "are no float64 array", "give an array")
        if given.shape != (len(replies),):
            problem = f"have shape {given.shape} for {len(replies)} replies"
            raise InvalidInputError("log_probs", given, problem, "give one number a reply")
        log_probs = given.copy()
        log_probs.flags.writeable = False
        object.__setattr__(self, "log_probs", log_probs)

    def __len__(self) -> int:
        return len(self.replies)


@runtime_checkable
class LanguageModel(Protocol):
    """Replies to prompts, and says how likely it is to give any reply.

    Temperature, top-p and the like belong to the model: both methods speak of one law, the one that
    ``sample`` draws from. For what it drew, ``log_prob`` gives the numbers that came with it, up to
    the rounding of the machine it runs on. A model of which the scores are known under another law
    only, say without top-p, must not present them as this one's: weights made of them are wrong.
    """

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies independently; all randomness comes from ``rng``."""
        ...

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return log pi(y | prompt) for each reply y, and -inf for what is never drawn."""
        ...


ROLES: Final = ("system", "user", "assistant")
"""Who may have said a message."""


@dataclass(frozen=True)
class Message:
    """Something that was said.

    Attributes
    ----------
    role : "system", "user" or "assistant"
        Who said it: the one who sets the rules, the one who asks, or the model.
    content : str
        What was said.

    Raises
    ------
    InvalidInputError
        For another role, and for what is not text.

    Examples
    --------
    >>> Message("user", "Is it raining?").content
    'Is it raining?'
    """

    role: str
    content: str

    def __post_init__(self) -> None:
        if self.role not in ROLES:
            fix = f"give one of {', '.join(ROLES)}"
            raise InvalidInputError("role", self.role, "is no role", fix)
        content: Any = self.content
        if not isinstance(content, str):
            raise InvalidInputError("content", content, "is not text", "give a str")


@runtime_checkable
class ChatModel(Protocol):
    """Answers the last message of a conversation, which it knows from this call alone.

    Nothing is remembered between calls: what a call should know, its messages say.
    """

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Return what the model says next.

        Where a JSON Schema is given, the answer is meant to be JSON that fits it; a model that can
        be held to a schema is. Whoever asks checks.
        """
        ...


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors, so that texts of like meaning lie close together."""

    def embed(self, texts: Sequence[str]) -> Float64[np.ndarray, "texts dimension"]:
        """Return a vector for each text; the dimension is always the same."""
        ...
