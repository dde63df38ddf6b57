"""volition, section 6: how far the bounds on the shortfall are from it, on random games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

from papers.volition.checks.marginal_exhibits import show_shortfall
from papers.volition.checks.marginal_families import (
    MarginalGames,
    MarginalInstance,
    Price,
    Solve,
    Terms,
    fewest_items,
    games,
    path,
)
from papers.volition.checks.shortfall import (
    agreeing,
    best_set,
    exchange_price,
    left_out,
    stable,
    with_disagreement,
    worth,
)
from theory.claims import CheckContext
from theory.search import Family
from theory.verdicts import Counterexample, Finding, Scope, Status, Strength, Table

__all__ = ["DRAWN", "Tightness"]

BOUNDS = (
    "p(K minus T*)",
    "or a defence that agrees",
    "any defence, with its disagreement",
)


@dataclass(frozen=True)
class Sample:
    """The shortfall of a game, and the lowest bound of each kind."""

    instance: MarginalInstance
    reveals: bool
    shortfall: Price
    bounds: tuple[Price, Price, Price]

    @classmethod
    def of(cls, instance: MarginalInstance, solve: Solve) -> Sample:
        """Solve the game and bound its shortfall."""
        strategy = solve(instance)
        best, revealed = best_set(instance), path(strategy)[-1]
        by_all = left_out(instance, instance.everything, best)
        agreed = [exchange_price(instance, s, best) for s in agreeing(instance, strategy)]
        any_defence = [with_disagreement(instance, s, best) for s in stable(instance, strategy)]
        return cls(
            instance,
            revealed != 0,
            worth(instance, best) - worth(instance, revealed),
            (by_all, min([by_all, *agreed]), min([by_all, *any_defence])),
        )


@dataclass(frozen=True)
class Tightness:
    """Draws games and compares the shortfall with each bound; refuted where one is exceeded."""

    family: Family[MarginalInstance]
    solve: Solve = fewest_items

    def __call__(self, context: CheckContext) -> Finding:
        """Measure, for each number of items."""
        levels = {n: list(self._samples(n, context)) for n in self.family.levels}
        every = [sample for samples in levels.values() for sample in samples]
        exceeded = [sample for sample in every if sample.shortfall > min(sample.bounds)]
        scope = Scope(
            family=self.family.description,
            instances=len(every),
            met_hypotheses=len(every),
            nontrivial=sum(sample.reveals for sample in every),
            sizes=f"{self.family.level_name} {', '.join(map(str, levels))}: sampled",
            seed=context.seed,
        )
        if exceeded:
            shown = min(exceeded, key=lambda sample: sample.instance.magnitude)
            low = min(shown.bounds)
            return Finding(
                status=Status.REFUTED,
                strength=Strength.EXACT,
                scope=scope,
                reason=f"A shortfall of {shown.shortfall} exceeds a bound of {low}.",
                counterexample=Counterexample(
                    exhibit=show_shortfall(shown.instance), minimality="the smallest drawn"
                ),
            )
        tight = [_share([s.shortfall == s.bounds[k] for s in every]) for k in range(3)]
        named = "; ".join(f"{name}: {share}" for name, share in zip(BOUNDS, tight, strict=True))
        return Finding(
            status=Status.MEASURED,
            strength=Strength.TESTED,
            scope=scope,
            reason=f"Share of games whose shortfall is the bound, with standard error: {named}.",
            evidence=(_table(levels),),
        )

    def _samples(self, items: int, context: CheckContext) -> Iterator[Sample]:
        generator = context.generator()
        total = len(self.family.levels) * context.budget.samples
        done = self.family.levels.index(items) * context.budget.samples
        for number in range(context.budget.samples):
            context.progress(done + number, total)
            member = self.family.sample(items, generator)
            if member is not None:
                yield Sample.of(member.instance, self.solve)


def _table(levels: dict[int, list[Sample]]) -> Table:
    rows = []
    for items, samples in levels.items():
        short = [s for s in samples if s.shortfall > 0]
        rows.append(
            (f"{items} items", "none", f"{len(short)} of {len(samples)} fall short", "", "")
        )
        for k, name in enumerate(BOUNDS):
            rows.append(
                (
                    "",
                    name,
                    _share([s.shortfall == s.bounds[k] for s in samples]),
                    _share([s.shortfall == s.bounds[k] for s in short]),
                    _mean([s.shortfall / s.bounds[k] for s in samples if s.bounds[k] > 0]),
                )
            )
    return Table(
        caption="How often the shortfall equals its bound, and how much of a positive bound it is",
        columns=("games", "bound", "equal", "equal where it is positive", "mean ratio"),
        rows=tuple(rows),
    )


def _share(hits: Sequence[bool]) -> str:
    return _mean([float(hit) for hit in hits])


def _mean(values: Sequence[float]) -> str:
    """Write a mean with its standard error."""
    if len(values) < 2:
        return "too few"
    mean = sum(values) / len(values)
    error = sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1) / len(values))
    return f"{mean:.3f} ± {error:.3f}"


DRAWN = games(
    MarginalGames(
        (Terms.ANY_SET, Terms.UNION_CLOSED),
        prior=(0, -1),
        prices=(0, 1, 2, -1),
        last=(0, 1, 2, -1),
    ),
    (2, 3, 4),
)
