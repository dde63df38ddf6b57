"""What a property finds among the runs, and the run that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from theory.incentives.protocols._repeated_runs import RepeatedRun
from theory.shared.printable import printed_line

__all__ = ["Judgement", "RunJudgement", "RunWitness"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunWitness:
    """A run on which a property fails, or two that show it together.

    Attributes
    ----------
    cases : tuple of str
        The name of the case, or of the two.
    seed : int
        The run received ``numpy.random.default_rng(seed)``.
    step : int or None
        The number of the step, from 1; None where it is the run as a whole.
    who : str
        The account or the player concerned, if there is one.
    problem : str
        What is wrong.
    """

    cases: tuple[str, ...]
    seed: int
    step: int | None
    who: str
    problem: str

    @printed_line
    def __str__(self) -> str:
        cases = ("case " if len(self.cases) == 1 else "cases ") + " and ".join(self.cases)
        where = "" if self.step is None else f", step {self.step}"
        return f"{cases}, seed {self.seed}{where}: {self.problem}"


@dataclass(frozen=True, kw_only=True)
class RunJudgement:
    """What a property found.

    Attributes
    ----------
    family : str
        What the instances are.
    instances, nontrivial : int
        How many could be judged, and on how many of them the property could have failed.
    failures : list of RunWitness
        In the order of the runs.
    holds, fails, vacuous : str
        The reason to give in each case.
    exact : bool
        Whether a failure is one beyond doubt: no floats are compared.
    """

    family: str
    instances: int
    nontrivial: int
    failures: list[RunWitness]
    holds: str
    fails: str
    vacuous: str
    exact: bool = True

    @property
    def smallest(self) -> RunWitness | None:
        """The failure of the earliest step."""
        return min(self.failures, key=lambda w: (w.step is None, w.step or 0), default=None)


Judgement = Callable[[Sequence[RepeatedRun]], RunJudgement]
