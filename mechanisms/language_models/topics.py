"""What a prompt is about, and whom it names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import log
from typing import Any, Final

from mechanisms.language_models._word_counts import read_texts
from theory.errors import InvalidInputError

__all__ = ["PROMOTIONS", "Brands", "Topics", "count_shared_words", "promotions", "question_of"]

PROMOTIONS: Final = (
    "{name} offers {offer}.",
    "{name} is a good address for {offer}.",
    "{name} helps with {offer}.",
    "{name} has {offer}, and is glad to give advice.",
    "{name} makes it easy with {offer}.",
)
"""How a firm is recommended."""

_WORD: Final = re.compile(r"\w+")


def question_of(prompt: str) -> str:
    """Return the first paragraph of a prompt: what the user asks."""
    return prompt.strip().split("\n\n", maxsplit=1)[0]


def count_shared_words(text: str, other: str) -> int:
    """Return how many different words of four letters or more two texts share."""
    return len(_words(text) & _words(other))


def _words(text: str) -> set[str]:
    return {word for word in _WORD.findall(text.casefold()) if len(word) > 3}


def promotions(name: str, offer: str) -> tuple[str, ...]:
    """Return sentences that recommend a firm."""
    return tuple(sentence.format(name=name, offer=offer) for sentence in PROMOTIONS)


class Topics:
    """Bodies of text, of which a question picks the one that it is about.

    With T bodies, d_w of which have the word w, it is the one that has the largest sum of
    log(T / d_w) over those words of the question, of four letters or more, that it has; the first
    of several. Where none has a telling word of the question, it is about all of them.
    """

    def __init__(self, topics: Any) -> None:
        fix = "give {topic: [text, ...]}"
        if not isinstance(topics, Mapping) or not topics:
            raise InvalidInputError("topics", topics, "are no topics", fix)
        for topic, texts in topics.items():
            if not isinstance(topic, str):
                raise InvalidInputError("topics", topic, "is not text", fix)
            read_texts(f"topics[{topic!r}]", texts)
        self.texts: Mapping[str, Sequence[str]] = {
            topic: tuple(texts) for topic, texts in topics.items()
        }
        self._known = {topic: _words(" ".join(texts)) for topic, texts in self.texts.items()}

    def about(self, question: str) -> str | None:
        """Return the topic of a question; None where it might be any."""
        best, topic = 0.0, None
        asked = sorted(_words(question))
        spread = {word: sum(word in known for known in self._known.values()) for word in asked}
        for name, known in self._known.items():
            found = [word for word in asked if word in known]
            score = sum(log(len(self._known) / spread[word]) for word in found)
            if score > best:
                best, topic = score, name
        return topic

    def lines(self, topic: str | None) -> tuple[str, ...]:
        """Return the texts on a topic, or all."""
        if topic is not None:
            return tuple(self.texts[topic])
        return tuple(line for texts in self.texts.values() for line in texts)


class Brands:
    """Firms by name, with what they offer."""

    def __init__(self, brands: Any) -> None:
        fix = "give {name: what it offers}"
        if not isinstance(brands, Mapping):
            raise InvalidInputError("brands", brands, "are no brands", fix)
        for name, offer in brands.items():
            for text in (name, offer):
                if not isinstance(text, str) or not text.strip():
                    raise InvalidInputError("brands", text, "is not text, or blank", fix)
        self.offers: Mapping[str, str] = dict(brands)
        self._patterns = {
            name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)") for name in self.offers
        }

    def named_in(self, text: str) -> tuple[str, ...]:
        """Return the names that stand in a text as whole words."""
        return tuple(name for name, pattern in self._patterns.items() if pattern.search(text))
