"""A language model in every role of the auction."""

from __future__ import annotations

import numpy as np

from mechanisms.advertising._instances import Instance
from mechanisms.advertising._prompts import advertising_prompt
from mechanisms.advertising._rules import GENERATOR, REFERENCE
from mechanisms.advertising.models import Models, score_replies
from mechanisms.language_models import checked_sample
from mechanisms.play import Ask, Participant
from mechanisms.protocols import Sampled
from theory.shared.arguments import instance_of, read_generator
from theory.shared.shapes import Float64

__all__ = ["model_participants"]


def model_participants(
    instance: Instance, models: Models, rng: np.random.Generator
) -> dict[str, Participant]:
    """Return all who are asked in an auction, played by one model as section 6 has it.

    The generator draws from ``models.draws``, the reference scores with ``models.speaks``, and
    advertiser i reports r_i(y) = log pi_i(y) - log pi_ref(y), eq. (17), where pi_i is
    ``models.speaks`` told to advertise it.

    Parameters
    ----------
    instance : Instance
    models : Models
    rng : numpy.random.Generator
        What the generator draws with.

    Returns
    -------
    dict from name to function of an Ask
        For :func:`~mechanisms.play.play`. They raise a LanguageModelError where the model answers
        nonsense, or never gives a reply that it is to reward.

    Raises
    ------
    InvalidInputError
        For arguments of other kinds.

    Examples
    --------
    >>> from mechanisms.advertising import advertising_auction, explicit_model, instances
    >>> from mechanisms.play import play
    >>> first = instances()[0]
    >>> model = explicit_model("table", [first])
    >>> players = model_participants(first, Models(model, model), np.random.default_rng(0))
    >>> outcome = play(advertising_auction(first, 5).seeded(0), players).outcome
    >>> len(outcome.candidates.replies), min(outcome.payments) >= 0
    (5, True)
    """
    instance_of("instance", instance, Instance, "give an Instance")
    instance_of("models", models, Models, "give Models(speaks, draws)")
    rng = read_generator(rng)
    prompts = {one.name: advertising_prompt(instance.query, one) for one in instance.advertisers}

    def write(ask: Ask) -> Sampled:
        return checked_sample(models.draws, ask.view.prompt, ask.view.count, rng)

    def score(ask: Ask) -> Float64[np.ndarray, " replies"]:
        return score_replies(models.speaks, ask.view.query, ask.view.replies)

    def reward(ask: Ask) -> Float64[np.ndarray, " replies"]:
        own = score_replies(models.speaks, prompts[ask.player], ask.view.replies)
        return np.asarray(own - np.array(ask.view.log_ref))

    return {GENERATOR: write, REFERENCE: score, **dict.fromkeys(prompts, reward)}
