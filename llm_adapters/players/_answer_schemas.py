"""Forms of answers: one field a name, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

import numpy as np

__all__ = ["draws", "form_of"]


def form_of(
    fields: Mapping[str, Any], problem: Callable[[dict[str, Any]], str] = lambda answer: ""
) -> tuple[type[Any], Callable[[Any], dict[str, Any]]]:
    """Return a form with a field of some kind for each name, and what reads the fields from it.

    ``problem`` says what is wrong with fields that are all there, or "".
    """
    from pydantic import ConfigDict, Field, create_model, model_validator
    from pydantic_core import PydanticCustomError

    places = {name: f"field_{k}" for k, name in enumerate(fields)}

    def read(answer: Any) -> dict[str, Any]:
        return {name: getattr(answer, place) for name, place in places.items()}

    def check(answer: Any) -> Any:
        if wrong := problem(read(answer)):
            raise PydanticCustomError("answer", "{problem}", {"problem": wrong})
        return answer

    given: dict[str, Any] = {
        places[name]: (kind, Field(alias=name)) for name, kind in fields.items()
    }
    validators: dict[str, Any] = {"checked": model_validator(mode="after")(check)}
    form = create_model(
        "Answer",
        __config__=ConfigDict(extra="forbid", strict=True, allow_inf_nan=False),
        __validators__=validators,
        **given,
    )
    return form, read


def draws(seed: int, text: str) -> np.random.Generator:
    """Return the generator of all that is drawn when something is asked with this text."""
    digest = sha256(text.encode("utf-8", "backslashreplace")).digest()
    return np.random.default_rng([seed, int.from_bytes(digest, "big")])
