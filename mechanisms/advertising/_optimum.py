"""What the mechanism tends to, where the laws of a model are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechanisms.advertising._instances import Instance
from mechanisms.advertising._prompts import advertising_prompt
from mechanisms.language_models import PromptedModel, TableModel, TiltedModel
from mechanisms.language_models.explicit import Explicit
from mechanisms.protocols import LanguageModel
from theory.errors import LimitError
from theory.shared.arguments import read_positive
from theory.shared.shapes import Float64

__all__ = ["Optimum", "list_replies", "optimum"]


@dataclass(frozen=True, eq=False)
class Optimum:
    """The law pi*(y) = pi_ref(y) exp(Σ_i r_i(y)/tau) / Z, eq. (18), and the auction at it.

    Attributes
    ----------
    log_normaliser : float
        log Z.
    expected_log_prob : float
        E_{pi*}[log pi*(y)]: what the log-probability of a reply from the optimum is on average. It
        is no upper bound on that of a mechanism's reply: a law that is more concentrated on what is
        likely under pi* has a higher one.
    reward_gains : float64 array of shape (n,)
        E_{pi*}[r_i] - E_{pi*_-i}[r_i], where pi*_-i is the optimum without advertiser i.
    payments : float64 array of shape (n,)
        tau KL(pi* || pi*_-i): what is paid with the offset.
    """

    log_normaliser: float
    expected_log_prob: float
    reward_gains: Float64[np.ndarray, " advertisers"]
    payments: Float64[np.ndarray, " advertisers"]


def optimum(instance: Instance, model: LanguageModel, tau: float = 1.0) -> Optimum | None:
    """Return the optimum, or None where the laws of the model are not known, or too large.

    Known are those of the models in :mod:`mechanisms.language_models`, and of any that lists its
    replies by a method ``law``.

    Raises
    ------
    InvalidInputError
        Where the reference may give what an advertiser's model never gives.

    Examples
    --------
    >>> from mechanisms.advertising import Advertiser
    >>> instance = Instance("?", (Advertiser("Darnly", "wool"),))
    >>> advertising = advertising_prompt("?", instance.advertisers[0])
    >>> model = TableModel({"?": {"Buy.": "1/4", "Mend.": "3/4"}, advertising: {"Buy.": "3/4",
    ...     "Mend.": "1/4"}})
    >>> found = optimum(instance, model)
    >>> bool(np.isclose(found.payments[0], 0.75 * np.log(3) - 0.25 * np.log(3)))
    True
    """
    tau = read_positive("tau", tau)
    query = instance.query
    prompts = [advertising_prompt(query, one) for one in instance.advertisers]
    known = model if isinstance(model, Explicit) else _tabulate_model(model, [query, *prompts])
    if known is None:
        return None
    advertisers = [PromptedModel(known, _FixedPrompt(prompt)) for prompt in prompts]
    try:
        best = TiltedModel(known, advertisers, [1 / tau] * len(prompts))
        gains, payments = [], []
        own = best.expected_log_prob(query)
        for i, advertiser in enumerate(advertisers):
            others = advertisers[:i] + advertisers[i + 1 :]
            without = TiltedModel(known, others, [1 / tau] * len(others))
            rewards = [
                law.expected_log_prob(query, advertiser) - law.expected_log_prob(query, known)
                for law in (best, without)
            ]
            gains.append(rewards[0] - rewards[1])
            payments.append(tau * (own - best.expected_log_prob(query, without)))
        return Optimum(best.log_partition(query), own, np.array(gains), np.array(payments))
    except LimitError:
        return None


def list_replies(model: LanguageModel, prompt: str) -> tuple[str, ...] | None:
    """Return all replies of a model that can list them; None for one that cannot."""
    law: Any = getattr(model, "law", None)
    if law is None:
        return None
    try:
        return tuple(law(prompt))
    except LimitError:
        return None


@dataclass(frozen=True)
class _FixedPrompt:
    """Asks one prompt, whatever the question."""

    prompt: str

    def __call__(self, prompt: str) -> str:
        return self.prompt


def _tabulate_model(model: Any, prompts: Sequence[str]) -> TableModel | None:
    if getattr(model, "law", None) is None:
        return None
    try:
        return TableModel({prompt: model.law(prompt) for prompt in prompts})
    except LimitError:
        return None
