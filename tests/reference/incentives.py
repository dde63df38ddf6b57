"""The properties of a finite mechanism by plain loops over their definitions, in Fractions.

``slacks_<property>`` yields each instance of a definition with its slack, which is negative just
where the property fails; a definition whose hypotheses are nowhere met yields nothing. Instances:

- feasible, efficient, deterministic: ``(profile,)``
- weakly_budget_balanced, strongly_budget_balanced: ``(profile,)``
- individually_rational, no_positive_transfers, revenue_monotone: ``(agent, profile)``
- dsic, weakly_monotone, non_bossy: ``(agent, profile, lie)``
- bic: ``(agent, type, lie)``; interim_individually_rational: ``(agent, type)``
- cyclically_monotone: ``(agent, profile, cycle)``, the profile with the cycle's first type
- payment_identity: ``(agent, profile, (type,))``, a lower type than the one in the profile
- convex_utility: ``(agent, profile, (s, t))``, the profile with a type strictly between s and t
- anonymous: ``((i, j), profile)``; pairwise_strategyproof: ``((i, j), profile, (lie, lie))``
- false_name_proof: ``(agent, profile, (report, report under the second name))``
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import combinations, pairwise, permutations, product
from typing import Any

Profile = tuple[Any, ...]
Instance = tuple[tuple[Any, ...], Fraction]


@dataclass(frozen=True)
class Setting:
    """A rule, the types of each agent and how much each type likes each pure allocation.

    A rule returns (allocation, payments); a dict as allocation is a lottery, {allocation:
    probability}. ``linear`` says that values are linear in the type; where types are numbers, too,
    the value of type 1 is then the agent's quantity, and quantities of two names add. ``public``
    says that an allocation is the same for all, so that a second name adds nothing to its value.
    """

    rule: Callable[[Profile], tuple[Any, Sequence[Any]]]
    types: Sequence[Sequence[Any]]
    value: Callable[[int, Any, Any], Any]
    prior: Mapping[Profile, Any] | None = None
    alternatives: Sequence[Any] | None = None
    feasible: Callable[[Any], bool] | None = None
    linear: bool = False
    public: bool = False
    epsilon: Any = 0
    names: Callable[[Sequence[int], Any, Any], Any] | None = None
    """What an allocation is worth to the owner of several names, where that is declared."""

    @property
    def agents(self) -> range:
        return range(len(self.types))

    @cached_property
    def outcomes(self) -> dict[Profile, tuple[Any, Sequence[Any]]]:
        return {reports: self.rule(reports) for reports in product(*self.types)}


# --- what the definitions speak of


def support(allocation: Any) -> list[tuple[Any, Fraction]]:
    """The pure allocations of positive probability."""
    lottery = allocation if isinstance(allocation, dict) else {allocation: 1}
    return [(pure, Fraction(chance)) for pure, chance in lottery.items() if chance]


def value(s: Setting, agent: int, kind: Any, allocation: Any) -> Fraction:
    """What an allocation is worth to a type, in expectation."""
    pure_values = [q * Fraction(s.value(agent, kind, pure)) for pure, q in support(allocation)]
    return sum(pure_values, Fraction(0))


def worth(s: Setting, agent: int, kind: Any, reports: Profile) -> Fraction:
    """v_i(t, f(r))."""
    return value(s, agent, kind, s.outcomes[reports][0])


def payment(s: Setting, agent: int, reports: Profile) -> Fraction:
    return Fraction(s.outcomes[reports][1][agent])


def utility(s: Setting, agent: int, kind: Any, reports: Profile) -> Fraction:
    """u_i(t, r) = v_i(t, f(r)) - p_i(r)."""
    return worth(s, agent, kind, reports) - payment(s, agent, reports)


def truthful(s: Setting, agent: int, profile: Profile) -> Fraction:
    """U_i(t) = u_i(t_i, t)."""
    return utility(s, agent, profile[agent], profile)


def revenue(payments: Sequence[Any]) -> Fraction:
    return sum(map(Fraction, payments), Fraction(0))


def welfare(s: Setting, profile: Profile, allocation: Any) -> Fraction:
    """sum_i v_i(t_i, a)."""
    return sum((value(s, i, profile[i], allocation) for i in s.agents), Fraction(0))


def changed(profile: Profile, agent: int, report: Any) -> Profile:
    return (*profile[:agent], report, *profile[agent + 1 :])


def lies(s: Setting) -> Iterator[tuple[int, Profile, Any]]:
    for agent in s.agents:
        for profile in s.outcomes:
            for lie in s.types[agent]:
                if lie != profile[agent]:
                    yield agent, profile, lie


def contexts(s: Setting, agent: int) -> Iterator[Profile]:
    """One profile for each of the others' reports, with the agent's first type."""
    return (profile for profile in s.outcomes if profile[agent] == s.types[agent][0])


def is_number(kind: Any) -> bool:
    return isinstance(kind, int | Fraction | Decimal)


def single_parameter(s: Setting, agent: int) -> bool:
    return s.linear and all(map(is_number, s.types[agent]))


def extended(s: Setting, reports: Profile) -> tuple[Any, Sequence[Any]] | None:
    """The outcome for another number of agents; None where the rule does not take it."""
    try:
        allocation, payments = s.rule(reports)
        return (allocation, payments) if len(payments) == len(reports) else None
    except Exception:  # whatever it raises, it does not take these reports
        return None


# --- outcomes and payments


def slacks_feasible(s: Setting) -> Iterator[Instance]:
    """0 where each allocation that may come out is feasible, else -1; needs the predicate."""
    if s.feasible is not None:
        for profile, (allocation, _) in s.outcomes.items():
            fine = all(s.feasible(pure) for pure, _ in support(allocation))
            yield (profile,), Fraction(0 if fine else -1)


def slacks_no_positive_transfers(s: Setting) -> Iterator[Instance]:
    for agent in s.agents:
        for profile in s.outcomes:
            yield (agent, profile), payment(s, agent, profile)


def slacks_weakly_budget_balanced(s: Setting) -> Iterator[Instance]:
    for profile, (_, payments) in s.outcomes.items():
        yield (profile,), revenue(payments)


def slacks_strongly_budget_balanced(s: Setting) -> Iterator[Instance]:
    for profile, (_, payments) in s.outcomes.items():
        yield (profile,), -abs(revenue(payments))


def slacks_efficient(s: Setting) -> Iterator[Instance]:
    """Without alternatives, against all pure allocations that may come out at some profile.

    What may come out has to be feasible, where there is a predicate: else it is -1, or less.
    """
    reached = {pure for allocation, _ in s.outcomes.values() for pure, _ in support(allocation)}
    rivals = reached if s.alternatives is None else s.alternatives
    for profile, (chosen, _) in s.outcomes.items():
        best = max(welfare(s, profile, rival) for rival in rivals)
        short = welfare(s, profile, chosen) - best
        fine = s.feasible is None or all(s.feasible(pure) for pure, _ in support(chosen))
        yield (profile,), short if fine else min(short, Fraction(-1))


def slacks_deterministic(s: Setting) -> Iterator[Instance]:
    """0 where the calls of three passes, forward, backward and in pairs, agree; else -1."""
    profiles = list(product(*s.types))
    twice = [profile for profile in profiles for _ in range(2)]
    seen: dict[Profile, list[Any]] = {profile: [] for profile in profiles}
    for profile in [*profiles, *reversed(profiles), *twice]:
        allocation, payments = s.rule(profile)
        seen[profile].append((allocation, [Fraction(p) for p in payments]))
    for profile, found in seen.items():
        yield (profile,), Fraction(0 if all(one == found[0] for one in found) else -1)


# --- one agent's incentives


def slacks_dsic(s: Setting) -> Iterator[Instance]:
    for agent, profile, lie in lies(s):
        lying = utility(s, agent, profile[agent], changed(profile, agent, lie))
        yield (agent, profile, lie), truthful(s, agent, profile) - lying + Fraction(s.epsilon)


def slacks_individually_rational(s: Setting) -> Iterator[Instance]:
    for agent in s.agents:
        for profile in s.outcomes:
            yield (agent, profile), truthful(s, agent, profile)


def believed(s: Setting, agent: int, kind: Any) -> list[tuple[Profile, Fraction]]:
    """The profiles with that type and their probabilities given it; empty where it has none."""
    prior = s.prior or {}
    mine = [(t, Fraction(q)) for t, q in prior.items() if t[agent] == kind and q]
    mass = sum(q for _, q in mine)
    return [(t, q / mass) for t, q in mine]


def slacks_bic(s: Setting) -> Iterator[Instance]:
    for agent in s.agents:
        for kind in s.types[agent]:
            belief = believed(s, agent, kind)
            truth = sum(q * utility(s, agent, kind, t) for t, q in belief)
            for lie in s.types[agent]:
                if belief and lie != kind:
                    lied = [(changed(t, agent, lie), q) for t, q in belief]
                    lying = sum(q * utility(s, agent, kind, t) for t, q in lied)
                    yield (agent, kind, lie), truth - lying + Fraction(s.epsilon)


def slacks_interim_individually_rational(s: Setting) -> Iterator[Instance]:
    for agent in s.agents:
        for kind in s.types[agent]:
            if belief := believed(s, agent, kind):
                terms = [q * utility(s, agent, kind, t) for t, q in belief]
                yield (agent, kind), sum(terms, Fraction(0))


# --- allocation rules and the envelope


def slacks_weakly_monotone(s: Setting) -> Iterator[Instance]:
    for agent, profile, lie in lies(s):
        kind, other = profile[agent], changed(profile, agent, lie)
        of_truth = worth(s, agent, kind, profile) - worth(s, agent, kind, other)
        of_lie = worth(s, agent, lie, other) - worth(s, agent, lie, profile)
        yield (agent, profile, lie), of_truth + of_lie


def cycles(nodes: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """All simple cycles of two nodes or more, each once, from its first node."""
    for size in range(2, len(nodes) + 1):
        for first, *rest in combinations(nodes, size):
            for order in permutations(rest):
                yield (first, *order)


def slacks_cyclically_monotone(s: Setting) -> Iterator[Instance]:
    for agent in s.agents:
        for others in contexts(s, agent):
            for cycle in cycles(s.types[agent]):
                total = Fraction(0)
                for kind, successor in pairwise((*cycle, cycle[0])):
                    total += worth(s, agent, kind, changed(others, agent, kind))
                    total -= worth(s, agent, kind, changed(others, agent, successor))
                yield (agent, changed(others, agent, cycle[0]), cycle), total


def slacks_payment_identity(s: Setting) -> Iterator[Instance]:
    """The smaller of the distances to the two products that bracket U(t) - U(s)."""
    for agent in filter(lambda i: single_parameter(s, i), s.agents):
        for others in contexts(s, agent):
            for least, most in combinations(sorted(s.types[agent]), 2):
                low, high = changed(others, agent, least), changed(others, agent, most)
                x, y = worth(s, agent, 1, low), worth(s, agent, 1, high)
                if x <= y:
                    step = Fraction(most) - Fraction(least)
                    rise = truthful(s, agent, high) - truthful(s, agent, low)
                    yield (agent, high, (least,)), min(rise - step * x, step * y - rise)


def vector(kind: Any) -> tuple[Fraction, ...] | None:
    """A number or a tuple of numbers as a vector; None for any other type."""
    parts = kind if isinstance(kind, tuple) else (kind,)
    return tuple(map(Fraction, parts)) if all(map(is_number, parts)) else None


def weight_between(first: Any, kind: Any, last: Any) -> Fraction | None:
    """The w in (0, 1) with kind = (1 - w) first + w last, if there is one."""
    a, m, b = vector(first), vector(kind), vector(last)
    if a is None or m is None or b is None or not len(a) == len(m) == len(b):
        return None
    ratios = [(y - x) / (z - x) for x, y, z in zip(a, m, b, strict=True) if z != x]
    w = ratios[0] if ratios else Fraction(0)
    there = tuple((1 - w) * x + w * z for x, z in zip(a, b, strict=True))
    return w if 0 < w < 1 and there == m else None


def slacks_convex_utility(s: Setting) -> Iterator[Instance]:
    for agent in s.agents:
        for first, last in combinations(s.types[agent], 2):
            for profile in s.outcomes:
                w = weight_between(first, profile[agent], last) if s.linear else None
                if w is not None:
                    at_first = truthful(s, agent, changed(profile, agent, first))
                    at_last = truthful(s, agent, changed(profile, agent, last))
                    chord = (1 - w) * at_first + w * at_last
                    yield (agent, profile, (first, last)), chord - truthful(s, agent, profile)


# --- several agents


def slacks_anonymous(s: Setting) -> Iterator[Instance]:
    """Minus the greatest difference from what the swap should give; equal reports count, too."""
    for i, j in combinations(s.agents, 2):
        if set(s.types[i]) == set(s.types[j]):
            for profile in s.outcomes:
                swapped = changed(changed(profile, i, profile[j]), j, profile[i])
                image = {**{k: k for k in s.agents}, i: j, j: i}
                gaps = [truthful(s, k, profile) - truthful(s, image[k], swapped) for k in s.agents]
                yield ((i, j), profile), -max(map(abs, gaps))


def slacks_non_bossy(s: Setting) -> Iterator[Instance]:
    """Minus the greatest change of another's utility, where the agent's own lot stays."""
    for agent, profile, lie in lies(s):
        other = changed(profile, agent, lie)
        kinds, rest = s.types[agent], [j for j in s.agents if j != agent]
        same = payment(s, agent, profile) == payment(s, agent, other) and all(
            worth(s, agent, kind, profile) == worth(s, agent, kind, other) for kind in kinds
        )
        if rest and same:
            gaps = [truthful(s, j, profile) - utility(s, j, profile[j], other) for j in rest]
            yield (agent, profile, lie), -max(map(abs, gaps))


def slacks_pairwise_strategyproof(s: Setting) -> Iterator[Instance]:
    """Minus the greater gain where neither loses, else the greater loss; one of two may be true."""
    for i, j in combinations(s.agents, 2):
        for profile in s.outcomes:
            for pair in product(s.types[i], s.types[j]):
                if pair != (profile[i], profile[j]):
                    lied, duo = changed(changed(profile, i, pair[0]), j, pair[1]), (i, j)
                    gains = [utility(s, k, profile[k], lied) - truthful(s, k, profile) for k in duo]
                    slack = -max(gains) if min(gains) >= 0 else -min(gains)
                    yield ((i, j), profile, pair), slack


def slacks_revenue_monotone(s: Setting) -> Iterator[Instance]:
    for agent in s.agents:
        for profile, (_, payments) in s.outcomes.items():
            fewer = extended(s, profile[:agent] + profile[agent + 1 :])
            if fewer is not None:
                yield (agent, profile), revenue(payments) - revenue(fewer[1])


def slacks_false_name_proof(s: Setting) -> Iterator[Instance]:
    """The second name is the last; what both names get and pay counts."""
    for agent in filter(lambda i: s.public or s.names or single_parameter(s, i), s.agents):
        for profile in s.outcomes:
            for pair in product(s.types[agent], repeat=2):
                more = extended(s, (*changed(profile, agent, pair[0]), pair[1]))
                if more is not None:
                    allocation, payments = more
                    names = agent, len(profile)
                    valued = names[:1] if s.public else names
                    got = sum(value(s, name, profile[agent], allocation) for name in valued)
                    if s.names is not None:
                        got = Fraction(s.names(names, profile[agent], allocation))
                    paid = sum(Fraction(payments[name]) for name in names)
                    yield (agent, profile, pair), truthful(s, agent, profile) - (got - paid)


# --- verdicts

SLACKS: dict[str, Callable[[Setting], Iterator[Instance]]] = {
    name.removeprefix("slacks_"): function
    for name, function in list(globals().items())
    if name.startswith("slacks_")
}


def breaks(s: Setting) -> set[str]:
    """The properties with a negative slack somewhere."""
    return {name for name, slacks in SLACKS.items() if any(slack < 0 for _, slack in slacks(s))}


def vacuous(s: Setting) -> set[str]:
    """The properties without an instance."""
    return {name for name, slacks in SLACKS.items() if next(slacks(s), None) is None}
