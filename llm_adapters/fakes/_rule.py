"""A chat model that follows a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from llm_adapters._conversation import read_conversation, read_rng
from mechanisms.protocols import Message
from theory.errors import InvalidInputError
from theory.shared.printable import printed_line

__all__ = ["RuleChat"]


class RuleChat:
    """Says what a function makes of the conversation.

    Parameters
    ----------
    rule : callable
        (messages, schema) -> text; ``schema`` is None where none was asked for.

    Raises
    ------
    InvalidInputError
        Where it cannot be called.

    Examples
    --------
    >>> import numpy as np
    >>> chat = RuleChat(lambda messages, schema: messages[-1].content.upper())
    >>> chat.chat([Message("user", "tea or coffee?")], np.random.default_rng(0))
    'TEA OR COFFEE?'
    """

    def __init__(
        self, rule: Callable[[tuple[Message, ...], Mapping[str, object] | None], str]
    ) -> None:
        if not callable(rule):
            fix = "give a function (messages, schema) -> text"
            raise InvalidInputError("rule", rule, "is not a function", fix)
        self.rule = rule

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Return what the rule says; nothing is drawn from ``rng``.

        Raises
        ------
        InvalidInputError
            Where an argument is of the wrong kind, or the rule returns what is not text.
        """
        given = read_conversation(messages)
        read_rng(rng)
        said: Any = self.rule(given, schema)
        if not isinstance(said, str):
            raise InvalidInputError(
                "rule", said, "returned something that is not text", "return a str"
            )
        return said

    @printed_line
    def __repr__(self) -> str:
        return f"RuleChat({getattr(self.rule, '__name__', self.rule)})"
