"""A language model as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mechanisms.language_models._listed_law import ListedLaw
from mechanisms.language_models._odds import Odds
from mechanisms.language_models.explicit import Explicit
from theory.errors import InvalidInputError, UnknownNameError, nearest

__all__ = ["TableModel"]


class TableModel(Explicit):
    """For each prompt, the replies with their weights.

    pi(y | x) = w_x(y) / sum_y' w_x(y').

    Parameters
    ----------
    table : dict
        {prompt: {reply: weight}}. Weights are integers, fractions or text such as "1/3", and then
        the law is exact; or floats. Replies of weight 0 are never drawn. A prompt or a reply may be
        empty.

    Raises
    ------
    InvalidInputError
        Where there are no prompts, or a prompt has no replies; where one of them is not text; where
        weights are no finite numbers of at least 0, all 0, or floats beside fractions.

    Notes
    -----
    A draw takes one uniform number of 53 bits, so what has a probability below 2^-53 may never be
    drawn.

    Examples
    --------
    >>> import numpy as np
    >>> model = TableModel({"Tea or coffee?": {"Tea.": "2/3", "Coffee.": "1/3"}})
    >>> model.law("Tea or coffee?")
    {'Tea.': Fraction(2, 3), 'Coffee.': Fraction(1, 3)}
    >>> model.log_prob("Tea or coffee?", ["Tea.", "Water."]).round(3)
    array([-0.405,   -inf])
    >>> model.sample("Tea or coffee?", 3, np.random.default_rng(0)).replies
    ('Tea.', 'Tea.', 'Tea.')
    """

    def __init__(self, table: Mapping[str, Mapping[str, Any]]) -> None:
        given: Any = table
        if not isinstance(given, Mapping) or not given:
            fix = "give {prompt: {reply: weight}}"
            raise InvalidInputError("table", table, "has no prompts", fix)
        self._laws = {prompt: _read(prompt, row) for prompt, row in table.items()}

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompts that it knows."""
        return tuple(self._laws)

    def reply_law(self, prompt: str) -> ListedLaw:
        """Return the row of a prompt.

        Raises
        ------
        UnknownNameError
            Where there is none.
        """
        law = self._laws.get(prompt)
        if law is None:
            problem = "is not in the table"
            raise UnknownNameError("prompt", prompt, problem, nearest(prompt, self._laws))
        return law

    def __repr__(self) -> str:
        return f"TableModel({len(self._laws)} prompts)"


def _read(prompt: Any, row: Any) -> ListedLaw:
    if not isinstance(prompt, str):
        raise InvalidInputError("prompt", prompt, "is not text", "give a str")
    where = f"table[{prompt!r}]"
    if not isinstance(row, Mapping):
        raise InvalidInputError(where, row, "is no mapping", "give {reply: weight}")
    for reply in row:
        if not isinstance(reply, str):
            raise InvalidInputError(where, reply, "has a reply that is not text", "give a str")
    return ListedLaw(tuple(row), Odds.of_weights(where, list(row.values())))
