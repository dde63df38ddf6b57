"""A chat model as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from llm_adapters._conversation import last_of_user, read_conversation, read_rng
from mechanisms.language_models import TableModel
from mechanisms.protocols import Message
from theory.errors import InvalidInputError

__all__ = ["TableChat"]


class TableChat:
    """For each thing that the user may say last, a reply, or replies with their weights.

    Parameters
    ----------
    table : dict
        {last text of the user: reply} or {last text of the user: {reply: weight}}. A reply y is
        drawn with probability w(y) / sum_y' w(y'); weights as in
        :class:`~mechanisms.language_models.TableModel`.

    Raises
    ------
    InvalidInputError
        Where the table is empty, or something in it is neither text nor such weights.

    Examples
    --------
    >>> import numpy as np
    >>> chat = TableChat({"Tea?": "Yes.", "Coffee?": {"Yes.": "1/3", "No.": "2/3"}})
    >>> chat.chat([Message("user", "Tea?")], np.random.default_rng(0))
    'Yes.'
    >>> chat.chat([Message("user", "Coffee?")], np.random.default_rng(0))
    'No.'
    """

    def __init__(self, table: Mapping[str, str | Mapping[str, Any]]) -> None:
        given: Any = table
        fix = "give {last text of the user: reply} or {last text of the user: {reply: weight}}"
        if not isinstance(given, Mapping):
            raise InvalidInputError("table", table, "is not a mapping", fix)
        for asked, reply in given.items():
            if not isinstance(asked, str):
                raise InvalidInputError("table", asked, "is not text", fix)
            if not isinstance(reply, (str, Mapping)):
                where = f"table[{asked!r}]"
                raise InvalidInputError(where, reply, "is neither text nor mapping", fix)
        rows = {
            asked: {reply: 1} if isinstance(reply, str) else reply for asked, reply in table.items()
        }
        self._model = TableModel(rows)

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Draw a reply to what the user said last, by one uniform number of ``rng``.

        Raises
        ------
        UnknownNameError
            Where the table does not have it.
        InvalidInputError
            Where an argument is of the wrong kind, or the user said nothing.
        """
        asked = last_of_user(read_conversation(messages))
        return self._model.sample(asked, 1, read_rng(rng)).replies[0]

    def __repr__(self) -> str:
        return f"TableChat({len(self._model.prompts)} texts)"
