"""Reading what chat models and embedders are asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mechanisms.participants import plain
from mechanisms.protocols import Message
from theory.errors import InvalidInputError

__all__ = ["last_of_user", "read_conversation", "read_rng", "read_texts"]


def read_conversation(messages: Any) -> tuple[Message, ...]:
    """Return a conversation as a tuple.

    Raises
    ------
    InvalidInputError
        For what is no sequence of messages, and where there are none.
    """
    fix = 'give a list such as [Message("user", "Is it raining?")]'
    if isinstance(messages, (str, Message)) or not isinstance(messages, Sequence):
        raise InvalidInputError("messages", messages, "are not a sequence of messages", fix)
    for message in messages:
        if not isinstance(message, Message):
            raise InvalidInputError(
                "messages", message, "hold something that is not a Message", fix
            )
    if not messages:
        raise InvalidInputError("messages", messages, "are empty", fix)
    return tuple(messages)


def read_rng(rng: Any) -> np.random.Generator:
    """Return a generator.

    Raises
    ------
    InvalidInputError
        For what is none.
    """
    if not isinstance(rng, np.random.Generator):
        fix = "give numpy.random.default_rng(seed)"
        raise InvalidInputError("rng", rng, "is not a numpy.random.Generator", fix)
    return rng


def read_texts(argument: str, texts: Any) -> tuple[str, ...]:
    """Return texts as a tuple, which may be empty.

    Raises
    ------
    InvalidInputError
        For what is no sequence of texts; a single text is none.
    """
    fix = "give a list of str"
    if isinstance(texts, str) or not isinstance(texts, Sequence):
        raise InvalidInputError(argument, texts, "are not a sequence of texts", fix)
    found = []
    for text in texts:
        one = plain(text)
        if one is None:
            raise InvalidInputError(argument, text, "is not text", fix)
        found.append(one)
    return tuple(found)


def last_of_user(messages: Sequence[Message]) -> str:
    """Return what the user said last.

    Raises
    ------
    InvalidInputError
        Where the user said nothing.
    """
    for message in reversed(messages):
        if message.role == "user":
            return message.content
    fix = 'add Message("user", ...)'
    raise InvalidInputError("messages", messages, "have nothing of the user", fix)
