"""A chat model that says what a script has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from threading import Lock
from typing import Any, Self

import numpy as np

from llm_adapters._conversation import read_conversation, read_rng
from llm_adapters.errors import CallError
from mechanisms.protocols import Message
from theory.errors import InvalidInputError

__all__ = ["ScriptedChat"]


class ScriptedChat:
    """Says given texts in order, one a call, whatever it is asked.

    Parameters
    ----------
    texts : sequence of str or Exception
        What it says. An exception is raised instead.

    Attributes
    ----------
    asked : list of tuple of Message
        The conversations so far.
    schemas : list of dict or None
        The schema that came with each.

    Raises
    ------
    InvalidInputError
        Where one of them is neither text nor exception.

    Notes
    -----
    A copy of it is the script itself, so that what a copied participant has heard is not said
    again. Calls from several threads get different texts, in the order in which they come.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> chat = ScriptedChat(["Buy.", "Pass."])
    >>> chat.chat([Message("user", "Option 1 costs 5.")], rng)
    'Buy.'
    >>> chat.chat([Message("user", "Option 2 costs 7.")], rng)
    'Pass.'
    >>> chat.asked[1][0].content
    'Option 2 costs 7.'
    """

    def __init__(self, texts: Sequence[str | Exception]) -> None:
        given: Any = texts
        fix = "give a list of str"
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise InvalidInputError("texts", texts, "are not a sequence of texts", fix)
        for text in given:
            if not isinstance(text, (str, Exception)):
                raise InvalidInputError("texts", text, "is neither text nor exception", fix)
        self.texts = tuple(texts)
        self.asked: list[tuple[Message, ...]] = []
        self.schemas: list[Mapping[str, object] | None] = []
        self._lock = Lock()

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Return the next text; nothing is drawn from ``rng``.

        Raises
        ------
        CallError
            Where there is none left.
        InvalidInputError
            Where an argument is of the wrong kind.
        """
        given = read_conversation(messages)
        read_rng(rng)
        with self._lock:
            number = len(self.asked)
            if number == len(self.texts):
                problem = f"the script has {number} texts, and all are said"
                raise CallError(problem, "give ScriptedChat more texts, or ask less")
            self.asked.append(given)
            self.schemas.append(deepcopy(schema))
        text = self.texts[number]
        if isinstance(text, Exception):
            raise text
        return text

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __copy__(self) -> Self:
        return self

    def __repr__(self) -> str:
        return f"ScriptedChat({len(self.asked)} of {len(self.texts)} texts said)"
