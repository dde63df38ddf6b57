"""Finite mechanisms drawn at random, as plain data; more than half are truthful by construction.

A rule is a table by profile of reports. An allocation is a tuple of quantities, one an agent, or
the label of an outcome, or a lottery over labels, {label: probability}.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, product
from random import Random
from typing import Any

Profile = tuple[Any, ...]
Rule = dict[Profile, tuple[Any, tuple[Fraction, ...]]]
Types = tuple[tuple[Any, ...], ...]
Tables = tuple[dict[Any, dict[str, int]], ...]


@dataclass(frozen=True)
class Case:
    """Without ``tables``, type t values quantity x at t·x; else ``tables[i][t][o]`` is v_i(t, o).

    ``truthful_by_construction`` says that no lie pays; without it, nothing is known.
    """

    name: str
    types: Types
    tables: Tables | None
    rule: Rule
    truthful_by_construction: bool

    def value(self, agent: int, kind: Any, allocation: Any) -> Any:
        """What a pure allocation is worth to a type of an agent."""
        if self.tables is None:
            return kind * allocation[agent]
        return self.tables[agent][kind][allocation]


def others(profile: Profile, agent: int) -> Profile:
    return profile[:agent] + profile[agent + 1 :]


def fraction(rng: Random, low: int, high: int) -> Fraction:
    return Fraction(rng.randint(2 * low, 2 * high), 2)


# --- quantities: one number is an agent's type


def grids(rng: Random) -> Types:
    """2 or 3 agents, each with 2 to 4 integer types."""
    agents = rng.choice((2, 2, 2, 3))
    return tuple(
        tuple(sorted(rng.sample(range(7), rng.randint(2, 4 if agents == 2 else 3))))
        for _ in range(agents)
    )


def monotone_shares(rng: Random, types: Types, levels: list[Fraction]) -> dict[Profile, Any]:
    """Each agent's quantity climbs in its own report, at random for each report of the others."""
    climbs: dict[tuple[int, Profile], dict[int, Fraction]] = {}
    for agent, kinds in enumerate(types):
        for rest in product(*types[:agent], *types[agent + 1 :]):
            steps = sorted(rng.choice(levels) for _ in kinds)
            climbs[agent, rest] = dict(zip(kinds, steps, strict=True))
    return {
        profile: tuple(climbs[i, others(profile, i)][kind] for i, kind in enumerate(profile))
        for profile in product(*types)
    }


def all_or_nothing(rng: Random, types: Types) -> dict[Profile, Any]:
    return monotone_shares(rng, types, [Fraction(0), Fraction(1)])


def quarters(rng: Random, types: Types) -> dict[Profile, Any]:
    return monotone_shares(rng, types, [Fraction(n, 4) for n in range(5)])


def scores(rng: Random, types: Types) -> list[dict[int, int]]:
    """A random score for each type, non-decreasing in the type."""
    return [dict(zip(t, sorted(rng.randint(0, 5) for _ in t), strict=True)) for t in types]


def best_score(rng: Random, types: Types) -> dict[Profile, Any]:
    """One item: the first best score above a reserve wins it, whole."""
    score, reserve = scores(rng, types), rng.randint(0, 3)
    rule = {}
    for profile in product(*types):
        ranks = [score[i][kind] for i, kind in enumerate(profile)]
        winner = ranks.index(max(ranks)) if max(ranks) >= reserve else None
        rule[profile] = tuple(Fraction(i == winner) for i in range(len(types)))
    return rule


def score_shares(rng: Random, types: Types) -> dict[Profile, Any]:
    """One item, in shares as the scores are; some of it may stay with the seller."""
    score, kept = scores(rng, types), rng.randint(1, 3)
    rule = {}
    for profile in product(*types):
        ranks = [score[i][kind] for i, kind in enumerate(profile)]
        rule[profile] = tuple(Fraction(rank, sum(ranks) + kept) for rank in ranks)
    return rule


def myerson(rng: Random, types: Types, shares: dict[Profile, Any]) -> Rule:
    """Payments under which utility climbs, between types s < t, by (t - s) times a mean of shares.

    The mean is of the shares at s and t, with one weight throughout. The lowest type has utility 0,
    or a random one for each report of the others.
    """
    weight, offset = rng.choice((Fraction(0), Fraction(1, 3), Fraction(1))), rng.random() < 0.3
    paid: dict[tuple[int, Profile], Fraction] = {}
    for agent, kinds in enumerate(types):
        for rest in product(*types[:agent], *types[agent + 1 :]):
            at = [(*rest[:agent], kind, *rest[agent:]) for kind in kinds]
            x = [shares[profile][agent] for profile in at]
            utilities = [fraction(rng, -2, 2) if offset else Fraction(0)]
            for k, (low, high) in enumerate(pairwise(kinds)):
                mean = (1 - weight) * x[k] + weight * x[k + 1]
                utilities.append(utilities[-1] + (high - low) * mean)
            for kind, profile, share, utility in zip(kinds, at, x, utilities, strict=True):
                paid[agent, profile] = kind * share - utility
    agents = range(len(types))
    return {p: (share, tuple(paid[i, p] for i in agents)) for p, share in shares.items()}


QUANTITIES: tuple[Callable[[Random, Types], dict[Profile, Any]], ...] = (
    all_or_nothing,
    quarters,
    best_score,
    score_shares,
)


def quantities(rng: Random) -> Case:
    """A monotone rule with its payments."""
    types, kind = grids(rng), rng.choice(QUANTITIES)
    rule = myerson(rng, types, kind(rng, types))
    return Case(f"quantities, {kind.__name__}", types, None, rule, True)


def random_quantities(rng: Random) -> Case:
    types = grids(rng)
    agents = range(len(types))
    rule = {
        profile: (
            tuple(Fraction(rng.randint(0, 2), 2) for _ in agents),
            tuple(fraction(rng, 0, 2) for _ in agents),
        )
        for profile in product(*types)
    }
    return Case("random quantities", types, None, rule, False)


# --- outcomes: each agent has a table of values


def tables(rng: Random) -> Tables:
    """2 or 3 agents with 2 or 3 types each, 2 to 4 outcomes, values from -3 to 6."""
    agents, outcomes = rng.choice((2, 2, 2, 3)), "abcd"[: rng.randint(2, 4)]
    return tuple(
        {
            kind: {outcome: rng.randint(-3, 6) for outcome in outcomes}
            for kind in ("low", "mid", "top")[: rng.randint(2, 3)]
        }
        for _ in range(agents)
    )


def vcg(rng: Random, values: Tables) -> Rule:
    """The outcome with the first best weighted welfare plus bias, and the payments that go with it.

    An agent pays, over its weight, what the others lose by it (Clarke), or what they miss of
    nothing or of a random number for each of their reports (Groves).
    """
    agents, outcomes = range(len(values)), list(next(iter(values[0].values())))
    plain = rng.random() < 0.5
    weights = [1 if plain else rng.randint(1, 3) for _ in agents]
    bias = {outcome: 0 if plain else rng.randint(-2, 2) for outcome in outcomes}
    pivot = rng.choice(("clarke", "clarke", "nothing", "random"))
    drawn: dict[tuple[int, Profile], int] = {}

    def welfare(profile: Profile, outcome: str, without: int | None = None) -> int:
        terms = [weights[i] * values[i][profile[i]][outcome] for i in agents if i != without]
        return sum(terms) + bias[outcome]

    def bar(profile: Profile, agent: int) -> int:
        if pivot == "clarke":
            return max(welfare(profile, outcome, agent) for outcome in outcomes)
        if pivot == "nothing":
            return 0
        return drawn.setdefault((agent, others(profile, agent)), rng.randint(-2, 4))

    rule: Rule = {}
    for profile in product(*values):
        chosen = max(outcomes, key=lambda outcome, profile=profile: welfare(profile, outcome))
        rule[profile] = (
            chosen,
            tuple(
                Fraction(bar(profile, i) - welfare(profile, chosen, i), weights[i]) for i in agents
            ),
        )
    return rule


def outcomes_by_vcg(rng: Random) -> Case:
    values = tables(rng)
    return Case("outcomes, vcg", tuple(map(tuple, values)), values, vcg(rng, values), True)


def lotteries(rng: Random) -> Case:
    """A coin between two truthful rules; each pays what it would pay in expectation."""
    values, heads = tables(rng), Fraction(rng.randint(1, 3), 4)
    one, other = vcg(rng, values), vcg(rng, values)
    rule: Rule = {}
    for profile, (chosen, paid) in one.items():
        lottery = {chosen: heads}
        lottery[other[profile][0]] = lottery.get(other[profile][0], Fraction(0)) + 1 - heads
        pairs = zip(paid, other[profile][1], strict=True)
        rule[profile] = (lottery, tuple(heads * p + (1 - heads) * q for p, q in pairs))
    return Case("lotteries", tuple(map(tuple, values)), values, rule, True)


def random_outcomes(rng: Random) -> Case:
    values = tables(rng)
    labels = list(next(iter(values[0].values())))
    rule: Rule = {
        profile: (rng.choice(labels), tuple(fraction(rng, -1, 2) for _ in values))
        for profile in product(*values)
    }
    return Case("random outcomes", tuple(map(tuple, values)), values, rule, False)


# --- one entry changed


def perturbed(rng: Random, case: Case) -> Case:
    """The same but for one payment, or the allocation, at one profile."""
    profile = rng.choice(list(case.rule))
    allocation, payments = case.rule[profile]
    agent = rng.randrange(len(case.types))
    if rng.random() < 0.5:
        change = rng.choice((-1, 1)) * Fraction(rng.randint(1, 4), 2)
        entry = allocation, tuple(p + change * (i == agent) for i, p in enumerate(payments))
    elif case.tables is None:
        share = rng.choice([Fraction(n, 4) for n in range(5) if 4 * allocation[agent] != n])
        entry = (*allocation[:agent], share, *allocation[agent + 1 :]), payments
    else:
        labels = next(iter(case.tables[0].values()))
        entry = rng.choice([label for label in labels if label != allocation]), payments
    rule = {**case.rule, profile: entry}
    return replace(case, name=f"perturbed {case.name}", rule=rule, truthful_by_construction=False)


def perturbed_quantities(rng: Random) -> Case:
    return perturbed(rng, quantities(rng))


def perturbed_outcomes(rng: Random) -> Case:
    return perturbed(rng, outcomes_by_vcg(rng))


KINDS: tuple[Callable[[Random], Case], ...] = (
    quantities,
    outcomes_by_vcg,
    perturbed_quantities,
    quantities,
    perturbed_outcomes,
    lotteries,
    random_quantities,
    outcomes_by_vcg,
    random_outcomes,
    quantities,
    perturbed_quantities,
)


def cases(count: int, seed: int = 0) -> Iterator[Case]:
    """Cases of all kinds in turn; case n depends on the seed and on n alone."""
    for n in range(count):
        case = KINDS[n % len(KINDS)](Random(f"{seed}/{n}"))
        yield replace(case, name=f"{n}: {case.name}")
