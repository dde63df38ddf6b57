"""A model that is told something more than the prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mechanisms.language_models._checked_answers import checked_log_prob, checked_sample
from mechanisms.language_models.arguments import read_prompt
from mechanisms.language_models.explicit import Law
from mechanisms.protocols import LanguageModel, Sampled
from theory.errors import InvalidInputError
from theory.shared.shapes import Float64

__all__ = ["PromptedModel"]


class PromptedModel:
    """A model that is asked ``rewrite(prompt)`` in place of the prompt.

    So the model of an advertiser is the reference model with an instruction added, and both are
    asked the same question x: pi_i(y | x) = pi(y | rewrite_i(x)).

    Parameters
    ----------
    model : LanguageModel
    rewrite : callable
        From text to text.

    Raises
    ------
    InvalidInputError
        Where the model is none, or ``rewrite`` cannot be called; when asked, where what it returns
        is not text.

    Examples
    --------
    >>> from mechanisms.language_models import TableModel
    >>> model = TableModel({"Tea? Be brief.": {"Yes.": 1}})
    >>> PromptedModel(model, "{} Be brief.".format).law("Tea?")
    {'Yes.': Fraction(1, 1)}
    """

    def __init__(self, model: LanguageModel, rewrite: Callable[[str], str]) -> None:
        if not isinstance(model, LanguageModel):
            raise InvalidInputError("model", model, "is no language model", "give a LanguageModel")
        if not callable(rewrite):
            raise InvalidInputError("rewrite", rewrite, "cannot be called", "give a function")
        self.model = model
        self.rewrite = rewrite

    def _rewrite_prompt(self, prompt: Any) -> str:
        asked: Any = self.rewrite(read_prompt(prompt))
        if not isinstance(asked, str):
            raise InvalidInputError("rewrite", asked, "returned no text", "return a str")
        return asked

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies to the rewritten prompt."""
        drawn = checked_sample(self.model, self._rewrite_prompt(prompt), n, rng)
        return Sampled(prompt, drawn.replies, drawn.log_probs)

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return the log-probability of each reply to the rewritten prompt."""
        return checked_log_prob(self.model, self._rewrite_prompt(prompt), replies)

    def reply_law(self, prompt: str) -> Any:
        """Return the law of the reply to the rewritten prompt, for what is made of such laws.

        Raises
        ------
        InvalidInputError
            Where the model has none.
        """
        reply_law = getattr(self.model, "reply_law", None)
        if reply_law is None:
            fix = "use one that is given by its laws"
            raise InvalidInputError("model", self.model, "has no known law", fix)
        return reply_law(self._rewrite_prompt(prompt))

    def law(self, prompt: str) -> Law:
        """Return the law of the reply to the rewritten prompt, where the model lists it.

        Raises
        ------
        InvalidInputError
            Where it does not.
        """
        law = getattr(self.model, "law", None)
        if law is None:
            raise InvalidInputError("model", self.model, "lists no law", "use log_prob")
        found: Law = law(self._rewrite_prompt(prompt))
        return found
