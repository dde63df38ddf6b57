"""Replies now from one model, now from another."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp
from typing import Any

import numpy as np

from mechanisms.language_models._checked_answers import checked_log_prob, checked_sample
from mechanisms.language_models._odds import Odds
from mechanisms.language_models.arguments import number_of_replies, read_prompt, read_replies
from mechanisms.language_models.explicit import LISTED_LIMIT, ExplicitModel, Law, too_many
from mechanisms.protocols import LanguageModel, Sampled
from theory.errors import InvalidInputError
from theory.shared.shapes import Float64

__all__ = ["MixtureModel"]


class MixtureModel:
    """Each reply is drawn from one of several models, chosen at random with given weights.

    pi(y | x) = sum_k w_k pi_k(y | x), so whatever one of the models may reply, the mixture may: a
    mixture of a top-p sampler and the reference model covers the support of the reference.

    Parameters
    ----------
    models : sequence of LanguageModel
        Any that have the two methods; they are asked only for what they are needed for.
    weights : sequence
        Positive numbers in proportion to w: rationals, or floats throughout.

    Raises
    ------
    InvalidInputError
        Where there are no models, or not one positive weight for each.

    Examples
    --------
    >>> from mechanisms.language_models import TableModel
    >>> tea = TableModel({"?": {"Tea.": 1}})
    >>> either = TableModel({"?": {"Tea.": "1/2", "Coffee.": "1/2"}})
    >>> MixtureModel([tea, either], ["1/3", "2/3"]).law("?")
    {'Tea.': Fraction(2, 3), 'Coffee.': Fraction(1, 3)}
    """

    def __init__(self, models: Sequence[LanguageModel], weights: Sequence[Any]) -> None:
        asked: Any = models
        if not isinstance(asked, Sequence) or not asked:
            raise InvalidInputError("models", models, "are no models", "give a list of some")
        for model in asked:
            if not isinstance(model, LanguageModel):
                fix = "give a LanguageModel"
                raise InvalidInputError("models", model, "is no language model", fix)
        given: Any = weights
        listed = isinstance(given, Sequence) and not isinstance(given, str)
        if not listed or len(given) != len(models):
            raise InvalidInputError("weights", weights, "are not one a model", "give a list")
        self.models = tuple(models)
        self._odds = Odds.of_weights("weights", list(weights))
        self.weights: tuple[Fraction | float, ...] = tuple(self._odds.probabilities())
        if min(self.weights) <= 0:
            fix = "leave out the model that is never used"
            raise InvalidInputError("weights", weights, "has a 0", fix)

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies independently; the log-probabilities are those of the mixture.

        Each model scores what the others drew, and is taken at its word for its own.

        Raises
        ------
        LanguageModelError
            Where one of the models answers nonsense, as in :func:`checked_sample`.
        """
        n = number_of_replies(n, rng)
        read_prompt(prompt)
        bounds = np.cumsum([float(weight) for weight in self.weights])[:-1]
        chosen = np.searchsorted(bounds, rng.random(n), side="right")
        replies = np.full(n, "", dtype=object)
        logs = np.zeros((len(self.models), n))
        for number, model in enumerate(self.models):
            own = np.flatnonzero(chosen == number)
            if own.size:
                drawn = checked_sample(model, prompt, int(own.size), rng)
                replies[own] = drawn.replies
                logs[number, own] = drawn.log_probs
        for number, model in enumerate(self.models):
            others = np.flatnonzero(chosen != number)
            if others.size:
                logs[number, others] = checked_log_prob(model, prompt, replies[others].tolist())
        return Sampled(prompt, tuple(replies.tolist()), self._mix(logs))

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return log sum_k w_k pi_k(y | x) for each reply y."""
        given = read_replies(replies)
        asked = read_prompt(prompt)
        logs = np.zeros((len(self.models), len(given)))
        for number, model in enumerate(self.models):
            logs[number] = checked_log_prob(model, asked, given)
        return self._mix(logs)

    def _mix(self, logs: Float64[np.ndarray, "models replies"]) -> Float64[np.ndarray, " replies"]:
        together = logs + np.array(self._odds.logs)[:, None]
        mixed: Float64[np.ndarray, " replies"] = np.logaddexp.reduce(together, axis=0)
        capped: Float64[np.ndarray, " replies"] = np.minimum(mixed, 0.0)
        return capped

    def law(self, prompt: str) -> Law:
        """Return the law of the mixture: exact where the weights and all the laws are.

        Raises
        ------
        InvalidInputError
            Where a model lists no law.
        LimitError
            Where there are more than 100,000 replies.
        """
        laws: list[dict[str, Any]] = []
        for model in self.models:
            if not isinstance(model, ExplicitModel):
                raise InvalidInputError("models", model, "lists no law", "use log_prob")
            laws.append(dict(model.law(prompt)))
        replies = {reply: None for law in laws for reply in law}
        if len(replies) > LISTED_LIMIT:
            raise too_many(len(replies))
        exact = all(isinstance(one, Fraction) for law in laws for one in law.values())
        if exact and self._odds.counts is not None:
            return {
                reply: sum(
                    (w * law.get(reply, 0) for w, law in zip(self.weights, laws, strict=True)),
                    Fraction(0),
                )
                for reply in replies
            }
        logs = self.log_prob(prompt, list(replies)).tolist()
        return {reply: exp(one) for reply, one in zip(replies, logs, strict=True)}
