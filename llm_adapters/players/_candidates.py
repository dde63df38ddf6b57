"""Candidates of the softmax auction from any language model, each of its roles accounted apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from mechanisms.advertising import (
    CandidateReplies,
    Instance,
    Models,
    advertising_prompt,
    candidate_replies,
    context_prompt,
    model_participants,
)
from mechanisms.language_models import checked_log_prob, checked_sample
from mechanisms.protocols import LanguageModel, Sampled
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.shared.printable import indent_following_lines, print_safely, printable
from theory.shared.shapes import Float64

__all__ = ["GENERATOR", "REFERENCE", "Candidates", "ModelRoles", "draw_candidates"]

REFERENCE: Final = "reference"
"""The agent to whom the questions are accounted that name no advertiser."""

GENERATOR: Final = "generator"
"""The agent to whom the context-aware generator is accounted."""


class ModelRoles:
    """One language model that plays every role of an instance, by what it is asked.

    Asked the question it is the reference, told to advertise it is the model of that advertiser,
    told of all of them it is the generator. A model with a method ``for_agent(agent)``, as the
    adapters have, is asked by the role's name, so that a session accounts for each apart.

    Parameters
    ----------
    model : LanguageModel
    instance : Instance

    Raises
    ------
    InvalidInputError
        Where the model is none.

    Examples
    --------
    >>> from mechanisms.advertising import explicit_model, instances
    >>> first = instances()[0]
    >>> roles = ModelRoles(explicit_model("table", [first]), first)
    >>> roles.role(first.query), roles.role(advertising_prompt(first.query, first.advertisers[0]))
    ('reference', 'Crumblane')
    """

    def __init__(self, model: LanguageModel, instance: Instance) -> None:
        if isinstance(model, type) or not isinstance(model, LanguageModel):
            fix = "give an object with the methods sample and log_prob"
            raise InvalidInputError("model", model, "is not a language model", fix)
        self._model = model
        query, firms = instance.query, instance.advertisers
        self._roles = {advertising_prompt(query, one): one.name for one in firms}
        self._roles |= {query: REFERENCE, context_prompt(query, firms): GENERATOR}

    def role(self, prompt: str) -> str:
        """Return who is asked by a prompt: an advertiser, the generator, or else the reference."""
        return self._roles.get(prompt, REFERENCE)

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies."""
        playing: LanguageModel = self._model_in_role(prompt)
        return playing.sample(prompt, n, rng)

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return the log-probability of each reply."""
        playing: LanguageModel = self._model_in_role(prompt)
        return playing.log_prob(prompt, replies)

    def _model_in_role(self, prompt: str) -> Any:
        named = getattr(self._model, "for_agent", None)
        return named(self.role(prompt)) if callable(named) else self._model


@dataclass(frozen=True, eq=False)
class Candidates:
    """Replies to a question, and all that the auction must know of them.

    Attributes
    ----------
    instance : Instance
    replies : tuple of str
        M replies in the order in which they were drawn; one may come twice.
    log_gen : float64 array of shape (M,)
        Their log-probabilities under the law that they were really drawn from.
    log_own : float64 array of shape (M,)
        The same under what the model itself says to the generator's prompt, before temperature and
        top-p: not the law that they were drawn from.
    log_ref : float64 array of shape (M,)
        The same under the reference.
    rewards : float64 array of shape (n, M)
        r_i(y) = log pi_i(y) - log pi_ref(y), eq. (17).
    """

    instance: Instance
    replies: tuple[str, ...]
    log_gen: Float64[np.ndarray, " candidates"]
    log_own: Float64[np.ndarray, " candidates"]
    log_ref: Float64[np.ndarray, " candidates"]
    rewards: Float64[np.ndarray, "advertisers candidates"]

    @property
    def log_weights(self) -> Float64[np.ndarray, " candidates"]:
        """log(pi_ref/pi_gen), by the law really drawn from."""
        return np.asarray(self.log_ref - self.log_gen)

    @property
    def different(self) -> tuple[str, ...]:
        """The replies without repeats, in the order in which they first came."""
        return tuple(dict.fromkeys(self.replies))

    @print_safely
    def __str__(self) -> str:
        lines = [
            f"{k}. {indent_following_lines(reply, ' ' * 3)}"
            for k, reply in enumerate(self.replies, 1)
        ]
        return "\n".join([printable(self.instance.query), *lines])


def draw_candidates(
    instance: Instance, models: Models, candidates: int, *, rng: np.random.Generator
) -> Candidates:
    """Draw candidates from the context-aware generator, and score them in every role.

    It leads the rules :func:`~mechanisms.advertising.candidate_replies`.
    Candidates are drawn from ``models.draws``, which may have a temperature and top-p, and are
    scored with ``models.speaks``, which should have neither: where top-p left a reply without
    probability as the reference or as an advertiser, its reward would be infinite.

    Parameters
    ----------
    instance : Instance
    models : Models
    candidates : int
        M >= 1.
    rng : numpy.random.Generator
        Passed on to the model.

    Raises
    ------
    InvalidInputError
        Where ``candidates`` is no positive integer, or the others are of the wrong kind.
    LanguageModelError
        Where the model answers nonsense, or never gives what it drew in another role.

    Notes
    -----
    One request for the candidates and, for n advertisers, n + 1 that score them, or n + 2 where
    ``models.draws`` is another law than ``models.speaks``.

    Source: Soumalias, Curry and Seuken, Truthful Aggregation of LLMs with an Application to Online
    Advertising (2024), section 6.1.

    Examples
    --------
    >>> from mechanisms.advertising import explicit_model, instances
    >>> from mechanisms.language_models import DecodedModel
    >>> first = instances()[0]
    >>> model = explicit_model("table", [first])
    >>> models = Models(model, DecodedModel(model, temperature=0.8, top_p=0.95))
    >>> drawn = draw_candidates(first, models, 5, rng=np.random.default_rng(0))
    >>> drawn.rewards.shape
    (2, 5)
    """
    if not isinstance(instance, Instance):
        raise InvalidInputError("instance", instance, "is not an Instance", "give one")
    if not isinstance(models, Models):
        raise InvalidInputError("models", models, "are not Models", "give Models(speaks, draws)")
    candidates = read_count("candidates", candidates)
    speaks, draws = ModelRoles(models.speaks, instance), ModelRoles(models.draws, instance)
    run = candidate_replies(instance, candidates)
    [ask] = run.asks
    prompt = ask.view.prompt
    drawn = checked_sample(draws, prompt, candidates, rng, name=GENERATOR)
    run = run.answer(ask, drawn)
    log_own = drawn.log_probs
    if models.draws is not models.speaks:
        different = list(dict.fromkeys(drawn.replies))
        at = [different.index(reply) for reply in drawn.replies]
        log_own = checked_log_prob(speaks, prompt, different, name=GENERATOR)[at]
    roles = model_participants(instance, Models(speaks, draws), rng)
    while (scoring := run.ask()) is not None:
        run = run.answer(scoring, roles[scoring.player](scoring))
    found: CandidateReplies = run.outcome
    log_ref, rewards = found.arrays()
    return Candidates(instance, drawn.replies, drawn.log_probs, log_own, log_ref, rewards)
