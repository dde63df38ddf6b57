"""truthful, Theorem 5.1: the battery looks for a lie that pays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mechanisms.softmax_auction import SoftmaxAuction
from theory.claims import CheckContext
from theory.incentives import Box, Effort, Instance, PropertyFinding, check_mechanism
from theory.incentives.properties.dsic import DSIC
from theory.incentives.search import climb, samples, shrink
from theory.incentives.setting import Setting
from theory.verdicts import Counterexample, Exhibit, Finding, Scope, Status, Strength, Table

__all__ = ["NoLieIsFound", "auctions"]

Mechanisms = Callable[[int], Sequence[Any]]

AGENTS: Final = 2
CANDIDATES: Final = 3
BOUND: Final = 2
"""Rewards are between minus this and this."""

STEPS: Final = 25
JUDGED: Final = 64
TOLERANCE: Final = Fraction(1, 10**9)

_LOGS: Final = ((-0.5, -1.0, -2.0), (-1.0, -0.5, -1.5))


def auctions(size: int) -> tuple[SoftmaxAuction, ...]:
    """Return Algorithm 2 at τ = 1/2; where the budget is larger, more of the kind."""
    first = SoftmaxAuction(0.5, *_LOGS)
    if size < 4:
        return (first,)
    return (first, first.without_offset(), SoftmaxAuction(0.1), SoftmaxAuction(4.0))


@dataclass(frozen=True)
class NoLieIsFound:
    """No search of the battery finds a type and a lie that pays.

    First ``check_mechanism`` on real rewards, with its lattices, random types, and steps without
    derivatives; then the battery's ascent of the gain along its gradient from ``samples`` starting
    points at once, of which the best ends are judged by the mechanism's own outcomes.
    """

    mechanisms: Mechanisms = auctions

    def __call__(self, context: CheckContext) -> Finding:
        """Search, and report what the searches saw."""
        tested = self.mechanisms(context.budget.size)
        rows, instances, met, nontrivial = [], 0, 0, 0
        for number, mechanism in enumerate(tested):
            context.progress(2 * number, 2 * len(tested))
            found = _battery(mechanism, context)
            instances += found.scope.instances
            met += found.scope.met_hypotheses
            nontrivial += found.scope.nontrivial
            if found.witness is not None:
                return _refute(found, mechanism, _scope(instances, met, nontrivial, context))
            context.progress(2 * number + 1, 2 * len(tested))
            ends, gain, witness = _ascend(mechanism, context)
            instances, met, nontrivial = instances + ends, met + ends, nontrivial + ends
            if witness is not None:
                again = _battery(mechanism, context, witness.to_json())
                return _refute(again, mechanism, _scope(instances, met, nontrivial, context))
            least = found.slack or Fraction(0)
            rows.append((repr(mechanism), f"{float(-least):.1e}", f"{gain:.1e}"))
        context.progress(1, 1)
        starts = context.budget.samples
        table = Table(
            caption=f"The largest gain from a lie that the battery found, and that ascent from "
            f"{starts:,} starting points found; rounding explains 1e-12",
            columns=("mechanism", "battery", "ascent"),
            rows=tuple(rows),
        )
        reason = f"No lie that pays was found, by ascent from {starts:,} starting points either."
        return Finding(
            status=Status.HOLDS,
            strength=Strength.TESTED,
            scope=_scope(instances, met, nontrivial, context),
            reason=reason,
            evidence=(table,),
            tolerances={"gain from a lie": "1e-9 of the largest reward or payment"},
        )


def _types() -> Box:
    return Box([-BOUND] * CANDIDATES, [BOUND] * CANDIDATES)


def _battery(mechanism: Any, context: CheckContext, *witnesses: str) -> PropertyFinding:
    few = max(1, context.budget.samples // 20)
    report = check_mechanism(
        mechanism.outcome,  # without derivatives: ascent comes after it
        types=_types(),
        agents=AGENTS,
        properties=["dsic"],
        effort=Effort(samples=few, starts=4, steps=16, shrinks=few),
        witnesses=witnesses,
        seed=context.seed % 2**32,
    )
    return report["dsic"]


def _ascend(mechanism: Any, context: CheckContext) -> tuple[int, float, Any]:
    """Return how many ends were judged, the largest gain, and a witness where it is one.

    Ends that coincide are counted each: whether two do is a question of the last digit.
    """
    prop, setting = DSIC(), Setting(mechanism, (_types(),) * AGENTS)
    starts = context.budget.samples
    pool = list(samples(prop, setting, starts, np.random.default_rng(context.seed)))
    ends = climb(prop, setting, pool, starts, STEPS)[:JUDGED]
    slacks = {end: prop.slack(setting, end) for end in ends}
    if not slacks:
        return 0, 0.0, None
    worst = min(slacks, key=lambda end: slacks[end])
    if slacks[worst] >= setting.limit(TOLERANCE, prop.agents_concerned(worst)):
        return len(ends), float(-slacks[worst]), None
    small = shrink(prop, setting, worst, context.budget.shrinks, TOLERANCE)
    return len(ends), float(-slacks[worst]), _witness(setting, small)


def _witness(setting: Setting, instance: Instance) -> Any:
    from theory.incentives.witness import witness_of

    return witness_of(DSIC(), setting, instance, "found by ascent", TOLERANCE)


def _scope(instances: int, met: int, nontrivial: int, context: CheckContext) -> Scope:
    return Scope(
        family=f"{AGENTS} agents with real rewards between -{BOUND} and {BOUND} for {CANDIDATES} "
        "candidates, and their lies",
        instances=instances,
        met_hypotheses=met,
        nontrivial=nontrivial,
        sizes=f"ascent from {context.budget.samples:,} starting points",
        seed=context.seed,
    )


def _refute(found: PropertyFinding, mechanism: Any, scope: Scope) -> Finding:
    witness = found.witness
    story = witness.story if witness is not None else found.reason
    sides = witness.sides if witness is not None else ()
    table = Table(caption=repr(mechanism), columns=("what", "comes to"), rows=tuple(sides))
    minimality = witness.minimality if witness is not None else ""
    return Finding(
        status=Status.REFUTED,
        strength=Strength.CERTIFIED,
        scope=scope,
        reason=f"A lie pays: {story}.",
        counterexample=Counterexample(
            exhibit=Exhibit(summary=story, tables=(table,)), minimality=minimality
        ),
        tolerances={"gain from a lie": "1e-9 of the largest reward or payment"},
    )
