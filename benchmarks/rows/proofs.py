"""Proofs for all real types by z3: our trace of the code beside a formula by hand (issue 9).

By hand, somebody who knows z3 writes down the utilities of the auction once more, as terms, and
asks for a lie that gains. Ours runs the auction's code on symbols, lists its paths, asks z3, and
compares the trace with the code at exact points.

What is compared before either is timed: that the formula is the auction, at all profiles of a few
bids with ties and bids below 0; that both come to the verdict that is known, ours as a proof where
it holds; that each lie gains when the auction is run on it; and, where the auction is truthful,
that both find a lie in the first-price auction of as many agents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

from benchmarks.harness import Row

NEEDS = ("z3-solver",)
KNOWN = {"SecondPrice": "holds", "FirstPrice": "refuted"}
BROKEN = "FirstPrice"
BIDS = (-1, 0, 1, 2)


@dataclass(frozen=True)
class Lie:
    agent: int
    profile: tuple[Fraction, ...]
    report: Fraction


@dataclass(frozen=True)
class Decided:
    status: str
    lie: Lie | None = None
    strength: str = "proved"


def ours(auction: str, agents: int) -> Decided:
    from mechanisms import classics
    from theory.incentives import prove_mechanism

    report = prove_mechanism(
        getattr(classics, auction)(), agents=agents, properties=("dsic",), solver="z3"
    )
    found, lie = report["dsic"], None
    if found.witness is not None:
        (agent,), (told,) = found.witness.agents, found.witness.lies
        lie = Lie(agent, tuple(map(Fraction, found.witness.profile)), Fraction(told))
    return Decided(str(found.status.value), lie, str(found.strength and found.strength.value))


def by_hand(auction: str, agents: int) -> Decided:
    import z3

    values = z3.Reals([f"v{i}" for i in range(agents)])
    lie = z3.Real("lie")
    for i in range(agents):
        told = [*values[:i], lie, *values[i + 1 :]]
        truth, gained = (utility(auction, values[i], bids, i) for bids in (values, told))
        solver = z3.Solver()
        solver.add(gained > truth)
        answer = solver.check()
        if answer == z3.sat:
            found = solver.model()
            profile = tuple(number(found.eval(v, model_completion=True)) for v in values)
            report = number(found.eval(lie, model_completion=True))
            return Decided("refuted", Lie(i, profile, report))
        if answer == z3.unknown:
            return Decided("ambiguous")
    return Decided("holds")


def number(value: Any) -> Fraction:
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def utility(auction: str, value: Any, bids: Sequence[Any], i: int) -> Any:
    """Of the lowest index among the highest bids, where the highest is at least 0."""
    import z3

    others = [bid for j, bid in enumerate(bids) if j != i]
    wins = z3.And(
        bids[i] >= 0,
        *(bids[i] > bid for bid in bids[:i]),
        *(bids[i] >= bid for bid in bids[i + 1 :]),
    )
    price = bids[i]
    if auction == "SecondPrice":
        price = z3.RealVal(0)
        for bid in others:
            price = z3.If(bid > price, bid, price)
    return z3.If(wins, value - price, 0)


def worth(auction: str, value: Any, bids: Sequence[Any], i: int) -> Fraction:
    """Utility of an agent, by running the auction."""
    from mechanisms import classics

    found = getattr(classics, auction)().outcome(bids)
    return Fraction(value * (found.allocation == i) - found.payments[i])


def strange_formula(auction: str, agents: int) -> str:
    """Where the formula by hand is not the auction, or nothing."""
    import z3

    for *bids, i in product(*[BIDS] * agents, range(agents)):
        value = BIDS[-1] + 1
        terms = list(map(z3.RealVal, bids))
        said = number(z3.simplify(utility(auction, z3.RealVal(value), terms, i)))
        if said != worth(auction, value, bids, i):
            return f"by hand agent {i} has {said} at {bids}"
    return ""


def gains(auction: str, lie: Lie | None) -> bool:
    if lie is None:
        return False
    value = lie.profile[lie.agent]
    bids = [*lie.profile[: lie.agent], lie.report, *lie.profile[lie.agent + 1 :]]
    truth = worth(auction, value, lie.profile, lie.agent)
    return worth(auction, value, bids, lie.agent) > truth


def wrong(auction: str, found: Decided) -> str:
    if found.status != KNOWN[auction]:
        return f"{auction} is {found.status}"
    if found.status == "holds":
        return "" if found.strength == "proved" else f"{auction} is {found.strength} only"
    return "" if gains(auction, found.lie) else f"the lie does not gain: {found.lie}"


def agree(auction: str, agents: int, mine: Decided, theirs: Decided) -> str:
    problem = strange_formula(auction, agents)
    decided = [(auction, "ours", mine), (auction, "by hand", theirs)]
    if KNOWN[auction] == "holds":
        decided.append((BROKEN, "ours", ours(BROKEN, agents)))
        decided.append((BROKEN, "by hand", by_hand(BROKEN, agents)))
    for name, side, found in decided:
        told = wrong(name, found)
        problem = problem or (told and f"{side}: {told}")
    return problem


def rows() -> Iterator[Row]:
    for auction, agents, what in (
        ("SecondPrice", 2, "proved"),
        ("SecondPrice", 3, "proved"),
        ("FirstPrice", 2, "refuted, with a small counterexample"),
    ):
        name = auction.removesuffix("Price").lower()
        yield Row(
            id=f"proofs.{name}-price-{agents}",
            issue=9,
            work=f"dominant strategies in a {name}-price auction of {agents} agents, {what}",
            ours=partial(ours, auction, agents),
            peer=partial(by_hand, auction, agents),
            peer_name="a formula by hand in z3",
            needs=NEEDS,
            agree=partial(agree, auction, agents),
            repeats=3,
        )
