"""Which laws the experiment needs of a language model, and their numbers for given replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mechanisms.advertising._instances import Instance
from mechanisms.advertising._prompts import advertising_prompt
from mechanisms.language_models import LanguageModelError, checked_log_prob
from mechanisms.protocols import LanguageModel
from theory.errors import InvalidInputError
from theory.shared.shapes import Float64

__all__ = ["Models", "ReplyScores", "score", "score_replies"]


@dataclass(frozen=True)
class Models:
    """The two laws of one model.

    Attributes
    ----------
    speaks : LanguageModel
        The laws that the objective and the rewards are made of: asked the question, it is the
        reference; asked to advertise, the model of an advertiser.
    draws : LanguageModel
        The law that candidates are drawn from, say the same model at another temperature. Its
        log-probabilities are those of the draw, whatever decides it.

    Raises
    ------
    InvalidInputError
        Where one of them is no language model.
    """

    speaks: LanguageModel
    draws: LanguageModel

    def __post_init__(self) -> None:
        for name, model in (("speaks", self.speaks), ("draws", self.draws)):
            if not isinstance(model, LanguageModel):
                fix = "give an object with the methods sample and log_prob"
                raise InvalidInputError(name, model, "is no language model", fix)


@dataclass(frozen=True, eq=False)
class ReplyScores:
    """What the mechanism is told of M replies.

    Attributes
    ----------
    log_ref : float64 array of shape (M,)
        Their log-probabilities under the reference.
    rewards : float64 array of shape (n, M)
        r_i(y) = log pi_i(y) - log pi_ref(y), eq. (17).
    """

    log_ref: Float64[np.ndarray, " replies"]
    rewards: Float64[np.ndarray, "advertisers replies"]


def score(instance: Instance, model: LanguageModel, replies: Sequence[str]) -> ReplyScores:
    """Return the log-probabilities of replies and the advertisers' rewards for them.

    Raises
    ------
    LanguageModelError
        Where the model raises, answers with what are no log-probabilities, or gives one of the
        replies never, as the reference or as an advertiser: rewards would be infinite.
    """
    different = list(dict.fromkeys(replies))
    places = {reply: k for k, reply in enumerate(different)}
    at = [places[reply] for reply in replies]
    log_ref = score_replies(model, instance.query, different)
    rewards = [
        score_replies(model, advertising_prompt(instance.query, advertiser), different) - log_ref
        for advertiser in instance.advertisers
    ]
    return ReplyScores(log_ref[at], np.array(rewards)[:, at])


def score_replies(
    model: LanguageModel, prompt: str, replies: Sequence[str]
) -> Float64[np.ndarray, " replies"]:
    """Return log-probabilities of replies, which must all be possible.

    Raises
    ------
    LanguageModelError
        As :func:`score`.
    """
    logs = checked_log_prob(model, prompt, replies)
    never = logs == -np.inf
    if never.any():
        reply = replies[int(never.argmax())]
        problem = f"never gives {reply!r} as a reply to {prompt!r}, but is asked to reward it"
        fix = "let all its laws give all that one of them gives, so that rewards (17) are finite"
        raise LanguageModelError(type(model).__name__, problem, fix)
    return logs
