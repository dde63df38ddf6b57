"""Temperature and top-p, with the law that they really leave."""

from __future__ import annotations

from typing import Any

from mechanisms.language_models._odds import Decoding
from mechanisms.language_models.explicit import Explicit, ReplyLaw
from theory.errors import InvalidInputError

__all__ = ["DecodedModel"]


class DecodedModel(Explicit):
    """A model after temperature and top-p, scored under the law that is really sampled.

    At each word the law p over the next one becomes p^(1/T), normalised, and then q: the fewest
    most probable words that have at least ``top_p`` together keep their probabilities, divided by
    their sum. A reply has probability prod_t q(w_t | w_1 ... w_{t-1}), which is neither that of the
    model nor in proportion to it: the sums depend on the words before. For a table the alternatives
    are whole replies.

    Parameters
    ----------
    model : TableModel, NGramModel, InstructedModel or another that is given by its laws
        Not a mixture: mix decoded models instead.
    temperature : number
        T >= 0. 1 changes nothing; 0 is the limit, uniform over the most probable words.
    top_p : number
        In (0, 1]; 1 changes nothing. Of equally probable words those are kept that stand first in
        the table or the text.

    Raises
    ------
    InvalidInputError
        For other numbers, and for a model of which the next word's law is not known.

    Notes
    -----
    Where T = 0 or 1/T is a whole number up to 64, rational probabilities stay rational. A float is
    the rational that it stands for: 0.9 is a little more than 9/10, "0.9" is not.

    Examples
    --------
    >>> from mechanisms.language_models import TableModel
    >>> model = TableModel({"?": {"Yes.": "3/5", "Perhaps.": "3/10", "No.": "1/10"}})
    >>> DecodedModel(model, temperature="1/2", top_p="0.9").law("?")
    {'Yes.': Fraction(4, 5), 'Perhaps.': Fraction(1, 5)}
    """

    def __init__(self, model: Any, temperature: Any = 1.0, top_p: Any = 1.0) -> None:
        if not callable(getattr(model, "reply_law", None)):
            fix = "give a TableModel, an NGramModel or an InstructedModel"
            raise InvalidInputError("model", model, "has no law of the next word", fix)
        self.model = model
        self.decoding = Decoding(temperature, top_p)
        self._known: dict[ReplyLaw, ReplyLaw] = {}

    def reply_law(self, prompt: str) -> Any:
        """Return the law of the model after temperature and top-p."""
        law = self.model.reply_law(prompt)
        if not self.decoding.changes:
            return law
        known = self._known.get(law)
        if known is None:
            known = self._known[law] = law.decode(self.decoding)
        return known

    def __repr__(self) -> str:
        decoding = self.decoding
        numbers = f"temperature={decoding.temperature}, top_p={decoding.top_p}"
        return f"DecodedModel({self.model!r}, {numbers})"
