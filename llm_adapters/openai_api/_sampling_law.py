"""Whether a server draws from the law that it scores, as far as that can be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from llm_adapters.errors import MissingCapabilityError
from llm_adapters.openai_api._adapter import read_number
from llm_adapters.openai_api._drawn_replies import DrawnReply
from llm_adapters.openai_api._echoed_scores import ScoredReply
from theory.shared.shapes import Float64

__all__ = ["TAKEN", "disagreement", "read_law"]

TAKEN: Final = frozenset(
    {"model", "prompt", "n", "best_of", "max_tokens", "stop", "seed", "logprobs", "echo", "stream"}
    | {"temperature", "top_p", "suffix"}
)
"""What requests for replies and scores set themselves."""

_OFF: Final[Mapping[str, tuple[float, ...]]] = {
    "top_k": (0, -1),
    "min_p": (0,),
    "typical_p": (1,),
    "tfs_z": (1,),
    "top_a": (0,),
    "repetition_penalty": (1,),
    "repeat_penalty": (1,),
    "frequency_penalty": (0,),
    "presence_penalty": (0,),
    "dry_multiplier": (0,),
    "xtc_probability": (0,),
    "mirostat": (0,),
    "logit_bias": (),
    "bad_words": (),
    "min_tokens": (0,),
    "ignore_eos": (0,),
    "grammar": (),
    "guided_json": (),
    "guided_regex": (),
    "guided_choice": (),
    "structured_outputs": (),
    "response_format": (),
}
"""What makes a server draw from another law than it scores, and the values that turn it off."""

_CHANCE: Final = -30.0  # e^-30 is 1e-13


def read_law(extra: Mapping[str, Any], tolerance: Any, temperature: Any, top_p: Any) -> float:
    """Return the tolerance, once the settings are those of one law.

    Raises
    ------
    MissingCapabilityError
        Where drawing and scoring would have two.
    InvalidInputError
        For what is no number.
    """
    for name, value in (("temperature", temperature), ("top_p", top_p)):
        if read_number(name, value, 0, 100) != 1:
            _refuse(name, value)
    for name, value in extra.items():
        if name in _OFF and value not in _OFF[name] and value not in ({}, [], None):
            _refuse(name, value)
    return read_number("tolerance", tolerance, 0, 1e6)


def _refuse(name: str, value: Any) -> None:
    problem = f"a server cannot score replies under {name} {value!r}"
    fix = f"leave {name} off, or use a local model, which scores the law that it draws from"
    raise MissingCapabilityError(f"{problem}: its log-probabilities are those without", fix)


def disagreement(
    kept: Sequence[tuple[DrawnReply, ScoredReply]],
    log_probs: Float64[np.ndarray, " replies"],
    tolerance: float,
) -> str:
    """Return what shows that replies were drawn from another law than they are scored under."""
    for one, scored in kept:
        apart = abs(one.drawn(scored) - scored.drawn)
        if not apart <= tolerance:
            return (
                f"the server gives {one.text[:80]!r} the log-probability {one.drawn(scored):.3f} "
                f"when it draws it and {scored.drawn:.3f} when it scores it"
            )
    texts = {one.text for one, _ in kept}
    if len(texts) == 1 and (len(kept) - 1) * float(log_probs[0]) < _CHANCE:
        return (
            f"the server drew one reply {len(kept)} times whose log-probability is "
            f"{log_probs[0]:.3f} ({kept[0][0].text[:80]!r})"
        )
    return ""
