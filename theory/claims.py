"""Claims: a statement, its hypotheses, the reading taken, and the check that computes a finding.

A module of claims is any module with a tuple ``CLAIMS`` of :class:`Claim`. ``mechproof verify``
runs the modules in ``papers`` and every module named with ``--module``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from theory.errors import InvalidInputError
from theory.shared.arguments import read_count, refusing
from theory.verdicts import Finding, Status, Strength

__all__ = ["Budget", "Check", "CheckContext", "Claim", "Kind", "Progress", "spawn_seed"]

Progress = Callable[[int, int], None]


def _silent(_done: int, _total: int) -> None:
    return None


class Kind(StrEnum):
    """What a paper puts forward."""

    DEFINITION = "definition"
    THEOREM = "theorem"
    EXAMPLE = "example"
    ALGORITHM = "algorithm"
    MEASUREMENT = "measurement"


@refusing
@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """How much work a check may do, in counts, so that results do not depend on any clock.

    Attributes
    ----------
    exhaustive : int
        A level of a family with at most this many members is run through; a larger one is sampled.
    samples : int
        How many members to sample from a level that is too large.
    shrinks : int
        How many candidates a shrink may try.
    size : int
        How far sized families and symbolic proofs go; each check says what it means by it.
    """

    exhaustive: int
    samples: int
    shrinks: int
    size: int

    def __post_init__(self) -> None:
        for name in ("exhaustive", "samples", "shrinks", "size"):
            value = getattr(self, name)
            if value < 1:
                raise InvalidInputError(f"Budget.{name}", value, "is below 1", "give a count")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckContext:
    """What a check receives: a seed of its own, budgets in counts, and where to report progress."""

    seed: int
    budget: Budget
    progress: Progress = field(default=_silent, compare=False)

    def generator(self) -> np.random.Generator:
        """Return a new generator, always the same for the same seed."""
        return np.random.default_rng(self.seed)

    def stage(self, number: int, of: int) -> CheckContext:
        """Return this context for stage ``number``, from 0, of a check with several equal stages.

        The progress of each stage fills its share of the whole.
        """

        def share(done: int, total: int) -> None:
            self.progress(number * total + done, of * total)

        return replace(self, progress=share)


@refusing
def spawn_seed(seed: int, name: str) -> int:
    """Derive the seed of the claim ``name`` from the seed of the run.

    It depends on nothing else: not on the other claims chosen, nor on their order.
    """
    sequence = np.random.SeedSequence(
        entropy=read_count("seed", seed, 0), spawn_key=tuple(name.encode())
    )
    return int(sequence.generate_state(1, np.uint64)[0])


Check = Callable[[CheckContext], Finding]


@refusing
@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A claim of a paper, or a correction of one.

    Attributes
    ----------
    id : str
        ``paper.name``; a correction is named by the claim it corrects.
    source : str
        Where the paper makes it: "volition, eq. (2)".
    statement, hypotheses, reading : str, tuple of str, str
        Text with mathematics as LaTeX between dollar signs. ``reading`` says what was chosen where
        the paper leaves more than one meaning; it may be empty.
    check : callable
        A picklable function of a :class:`CheckContext`.
    expected : Status
        The status we expect; it is compared with the computed one and never replaces it.
    least : mapping from profile to Strength
        The weakest strength that the profile accepts; ``tested`` where nothing is said.
    corrects : str
        The id of the claim that this one corrects, or empty.
    proof_idea, proof : str
        The idea in a sentence or two, and the written proof as ``docs/page.md#anchor``. Neither is
        ever a strength.
    note : str
        What a reader of a refuted claim should know where no corrected claim can be stated.
    """

    id: str
    kind: Kind
    source: str
    title: str
    statement: str
    check: Check
    expected: Status
    hypotheses: tuple[str, ...] = ()
    reading: str = ""
    least: dict[str, Strength] = field(default_factory=dict)
    corrects: str = ""
    proof_idea: str = ""
    proof: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        paper, dot, name = self.id.partition(".")
        if not (paper and dot and name) or any(c.isspace() for c in self.id):
            raise InvalidInputError(
                "Claim.id", self.id, "is not of the form paper.name", "write e.g. 'mypaper.lemma-1'"
            )

    @property
    def paper(self) -> str:
        """The part of the id before the first dot."""
        return self.id.partition(".")[0]

    def least_strength(self, profile: str) -> Strength:
        """Return the weakest strength that ``profile`` accepts for this claim."""
        return self.least.get(profile, Strength.TESTED)
