"""What decides the rows of the experiment of section 6, and the bench they are computed on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

import numpy as np

from mechanisms.advertising import (
    EXPLICIT,
    Instance,
    Models,
    Optimum,
    explicit_model,
    instances,
    optimum,
    sizes_up_to,
)
from mechanisms.protocols import LanguageModel
from mechproof import __version__
from mechproof.object_by_name import make_named
from mechproof.unknown_names import unknown_name
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["ExperimentState", "Settings", "Source", "load_model"]

_RANGES: Final = (("tau", 1e-100, 1e100), ("temperature", 1e-100, 1e100), ("top_p", 1e-100, 1.0))
TEMPERATURE: Final = 0.8
TOP_P: Final = 0.95
"""How the paper samples candidates, section 6.1."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All that the rows depend on, and nothing else.

    Attributes
    ----------
    queries, seeds, candidates : int
        Queries, runs of each, and candidates of each run.
    model : str
        ``ngram``, ``table``, ``MODULE:NAME``, or what a model that was given calls itself.
    seed : int
        The seed that all others are derived from.
    tau : float
    temperature, top_p : float
        How candidates are sampled.
    """

    queries: int = 50
    seeds: int = 25
    candidates: int = 20
    model: str = "ngram"
    seed: int = 0
    tau: float = 1.0
    temperature: float = TEMPERATURE
    top_p: float = TOP_P

    def __post_init__(self) -> None:
        for name in ("queries", "seeds", "candidates"):
            object.__setattr__(self, name, read_count(name, getattr(self, name)))
        object.__setattr__(self, "seed", read_count("seed", self.seed, 0))
        for name, least, most in _RANGES:
            given: Any = getattr(self, name)
            if type(given) not in {int, float} or not least <= given <= most:
                fix = f"give a number from {least:g} to {most:g}"
                raise InvalidInputError(name, given, "is no such number", fix)
            object.__setattr__(self, name, float(given))

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of candidates that are looked at."""
        return sizes_up_to(self.candidates)

    def generator(self, *key: int) -> np.random.Generator:
        """Return the generator of a task: it depends on the key and the seed alone."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=key))

    def written(self, asked: tuple[Instance, ...]) -> dict[str, Any]:
        """Return what is kept beside the rows."""
        text = "\n\n".join(map(str, asked))
        return {
            "experiment": "advertising",
            "mechproof": __version__,
            **asdict(self),
            "questions": sha256(text.encode()).hexdigest()[:16],
        }


@dataclass(frozen=True)
class Source:
    """Where the processes get their bench from: names, or objects that can be sent."""

    settings: Settings
    model: Any = None
    instances: tuple[Instance, ...] = ()

    def __call__(self) -> ExperimentState:
        """Set up the bench."""
        name, model = self.settings.model, self.model
        if model is None:
            known = name in EXPLICIT
            model = explicit_model(name, self.asked) if known else load_model(name)
        draws = model
        if (self.settings.temperature, self.settings.top_p) != (1.0, 1.0):
            from mechanisms.language_models import DecodedModel

            draws = DecodedModel(
                model, temperature=self.settings.temperature, top_p=self.settings.top_p
            )
        return ExperimentState(self.settings, Models(model, draws), self.asked)

    @property
    def asked(self) -> tuple[Instance, ...]:
        """The instances that are run."""
        return (self.instances or instances())[: self.settings.queries]


@dataclass(frozen=True)
class ExperimentState:
    """What a process works with."""

    settings: Settings
    models: Models
    instances: tuple[Instance, ...]
    _optima: dict[int, Optimum | None] = field(default_factory=dict)

    def optimum(self, query: int) -> Optimum | None:
        """Return the optimal law of a query, computed once."""
        if query not in self._optima:
            found = optimum(self.instances[query], self.models.speaks, self.settings.tau)
            self._optima[query] = found
        return self._optima[query]


@lru_cache(maxsize=4)
def load_model(name: str) -> LanguageModel:
    """Return the object NAME of a module of the user's own, from MODULE:NAME.

    A class or function is called without arguments.

    Raises
    ------
    InvalidInputError
        When there is none of this name, or it is no language model.
    """
    module_name, colon, attribute = name.partition(":")
    if not (module_name and colon and attribute):
        raise unknown_name("model", name, (*EXPLICIT, "MODULE:NAME"))

    def made(found: Any) -> Any:
        made_already = isinstance(found, LanguageModel) and not isinstance(found, type)
        maker: Any = found
        return found if made_already else maker()

    found = make_named(name, "model", "a language model", made)
    if not isinstance(found, LanguageModel):
        fix = "give an object with the methods sample and log_prob"
        raise InvalidInputError("model", name, "is no language model", fix)
    return found
