"""The exact law of the returned reply, where models list what they may reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mechanisms.advertising._instances import Instance
from mechanisms.advertising._optimum import Optimum, list_replies, optimum
from mechanisms.advertising._prompts import context_prompt
from mechanisms.advertising.models import Models, score
from mechanisms.language_models import LanguageModelError, checked_log_prob
from mechanisms.protocols import LanguageModel
from theory.divergence import kl_divergence, total_variation
from theory.resampling import resampling_law
from theory.shared.shapes import Float64, Int64

__all__ = ["LawCourse", "reply_laws"]


@dataclass(frozen=True, eq=False)
class LawCourse:
    """How far the law pi_M of the returned reply is from the optimum pi*, for several M.

    Attributes
    ----------
    sizes : int64 array of shape (k,)
        The numbers M of candidates.
    total_variation, kl : float64 arrays of shape (k,)
        The total variation distance of pi_M and pi*, and KL(pi_M || pi*).
    log_probs : float64 array of shape (k,)
        E_{pi_M}[log pi*(y)].
    limit_total_variation, limit_kl, limit_log_prob : float
        The same for the law that pi_M tends to. It is pi* where the generator covers what pi* does,
        and else pi* conditioned on what the generator may give: of top-p, a distance remains.
    """

    sizes: Int64[np.ndarray, " sizes"]
    total_variation: Float64[np.ndarray, " sizes"]
    kl: Float64[np.ndarray, " sizes"]
    log_probs: Float64[np.ndarray, " sizes"]
    limit_total_variation: float
    limit_kl: float
    limit_log_prob: float


def reply_laws(
    instance: Instance,
    models: Models,
    sizes: Sequence[int],
    *,
    tau: float = 1.0,
    optimal: Optimum | None = None,
) -> dict[str, LawCourse] | None:
    """Return for each generator how its law differs from the optimum; None where replies are many.

    Raises
    ------
    LanguageModelError
        Where a model answers what are no log-probabilities.

    Notes
    -----
    One integral for each M and each different weight; see :mod:`theory.resampling`.
    """
    if optimal is None:
        optimal = optimum(instance, models.speaks, tau)
    prompts = {
        "context-aware": context_prompt(instance.query, instance.advertisers),
        "reference": instance.query,
    }
    possible = list_replies(models.speaks, instance.query)
    drawn = {name: list_replies(models.draws, prompt) for name, prompt in prompts.items()}
    if optimal is None or possible is None or None in drawn.values():
        return None
    scores = score(instance, models.speaks, possible)
    logs = scores.log_ref + scores.rewards.sum(axis=0) / tau - optimal.log_normaliser
    best = dict(zip(possible, logs.tolist(), strict=True))
    return {
        name: _course(models.draws, (prompts[name], replies or ()), sizes, best)
        for name, replies in drawn.items()
    }


def _course(
    draws: LanguageModel,
    generator: tuple[str, tuple[str, ...]],
    sizes: Sequence[int],
    best: dict[str, float],
) -> LawCourse:
    """Follow one generator, a prompt and its replies; ``best`` has log pi* of every reply."""
    prompt, replies = generator
    foreign = next((reply for reply in replies if reply not in best), None)
    if foreign is not None:
        problem = f"may reply {foreign!r} to {prompt!r}, which it never does as the reference"
        fix = "let the reference give all that is drawn"
        raise LanguageModelError(type(draws).__name__, problem, fix)
    log_gen = checked_log_prob(draws, prompt, replies)
    log_opt = np.array([best[reply] for reply in replies])
    places = {reply: k for k, reply in enumerate(best)}
    at = [places[reply] for reply in replies]
    whole = np.exp(np.array(list(best.values())))
    whole /= whole.sum()
    law = np.exp(log_gen)
    law /= law.sum()

    def distances(found: Float64[np.ndarray, " replies"]) -> tuple[float, float, float]:
        spread = np.zeros(len(whole))
        spread[at] = found
        logs = float(found @ np.where(found > 0, log_opt, 0.0))
        return float(total_variation(spread, whole)), float(kl_divergence(spread, whole)), logs

    found = [resampling_law(law, log_opt - log_gen, M, logarithms=True) for M in sizes]
    variation, kl, logs = np.array([distances(np.asarray(one.law)) for one in found]).T.copy()
    limit = distances(np.asarray(found[0].limit))
    return LawCourse(np.array(sizes, dtype=np.int64), variation, kl, logs, *limit)
