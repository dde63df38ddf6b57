"""Small softmax auctions whose probabilities are rational, and what is shown of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from papers.truthful.checks.definition import Auction, AuctionRun, exact_auction
from theory.numbers.closed_form import log
from theory.search import Draw, Family
from theory.verdicts import Exhibit, Table

__all__ = [
    "AUCTIONS",
    "RATIOS",
    "ZERO_REWARDS",
    "Case",
    "approximately",
    "rewards_of",
    "show_all",
    "show_case",
]

HALF = Fraction(1, 2)


def approximately(value: Any) -> str:
    """Return a closed form with four decimals behind it, or a rational as it is."""
    exact = str(value)
    return f"{exact} ≈ {float(value):.4f}" if "(" in exact else exact


def show_all(values: Sequence[Any]) -> str:
    """Return numbers between brackets."""
    return f"({', '.join(map(str, values))})"


def rewards_of(odds: Sequence[Fraction], tau: Fraction) -> list[Any]:
    """Return the rewards τ log(o)."""
    return [tau * log(o) for o in odds]


@dataclass(frozen=True)
class Case:
    """An auction: exp(r_i(j)/τ) one row an agent, π_ref/π_gen of each candidate, and τ."""

    odds: tuple[tuple[Fraction, ...], ...]
    weights: tuple[Fraction, ...]
    tau: Fraction

    def run(self, run: AuctionRun = exact_auction, *, offset: bool = True) -> Auction:
        """Run the auction."""
        return run(self.odds, self.weights, tau=self.tau, offset=offset)

    def at(self, place: int) -> Case:
        """Return the same auction with agent 1 listed at this place, from 0."""
        own, *others = self.odds
        return replace(self, odds=(*others[:place], own, *others[place:]))

    def __str__(self) -> str:
        rewards = (
            f"r_{i} = {show_all(rewards_of(row, self.tau))}" for i, row in enumerate(self.odds, 1)
        )
        ratio = f", ρ = {show_all(self.weights)}" if set(self.weights) != {1} else ""
        return f"τ = {self.tau}, {', '.join(rewards)}{ratio}"


def show_case(case: Case) -> Exhibit:
    """Work an auction out: laws over the candidates, and what each agent has of it."""
    outcome = case.run()
    agents = range(len(case.odds))
    candidates = Table(
        caption="The candidates: exp(r/τ) of each agent, ρ = π_ref/π_gen, the law p, and the laws "
        "q_i without agent i",
        columns=(
            "candidate",
            *(f"agent {i + 1}" for i in agents),
            "ρ",
            "p",
            *(f"q_{i + 1}" for i in agents),
        ),
        rows=tuple(
            (
                str(j + 1),
                *(str(row[j]) for row in case.odds),
                str(weight),
                str(outcome.allocation[j]),
                *(str(q[j]) for q in outcome.allocation_without),
            )
            for j, weight in enumerate(case.weights)
        ),
    )
    money = Table(
        caption="The agents, with the offset",
        columns=("agent", "expected reward", "payment", "utility", "reward gain", "utility gain"),
        rows=tuple(
            (str(i + 1), *(approximately(column[i]) for column in _columns(outcome)))
            for i in agents
        ),
    )
    return Exhibit(summary=str(case), tables=(candidates, money))


def _columns(outcome: Auction) -> tuple[Sequence[Any], ...]:
    return (
        outcome.expected_rewards,
        outcome.payments,
        outcome.utilities,
        outcome.reward_gains,
        outcome.utility_gains,
    )


def _row(draw: Draw, candidates: int, options: Sequence[Fraction], free: int) -> Any:
    """Draw the last ``free`` numbers of a row, the others being 1."""
    drawn = (draw.choice(options) for _ in range(min(free, candidates)))
    return (Fraction(1),) * (candidates - free) + tuple(drawn)


def _draw_case(draw: Draw, candidates: int, last: Sequence[Fraction]) -> Case:
    """Draw one or two agents, and the ratio of the last candidate."""
    many = candidates > 2
    agents = 1 + draw.index(2)
    tau = Fraction(1 + draw.index(2)) if agents == 1 and not many else Fraction(agents)
    weights = _row(draw, candidates, last, 1)
    if not any(weights):
        draw.reject()
    options = [Fraction(1), Fraction(2), *([] if many else [HALF])]
    rows = [_row(draw, candidates, options, candidates)]
    if agents > 1:
        rows.append(_row(draw, candidates, options, max(1, candidates - 1)))
    return Case(tuple(rows), weights, tau)


def _build(draw: Draw, candidates: int) -> Case:
    other = Fraction(1, 3) if candidates > 2 else Fraction(2)
    return _draw_case(draw, candidates, [Fraction(1), other, Fraction(0)])


def _build_ratios(draw: Draw, candidates: int) -> Case:
    return _draw_case(draw, candidates, [Fraction(1), Fraction(2), Fraction(1, 3)])


def _build_zero(draw: Draw, candidates: int) -> Case:
    """Two agents more, so that something is at stake."""
    tau = Fraction(1 + draw.index(2)) if candidates < 3 else Fraction(1)
    options = [Fraction(1), Fraction(2), HALF]
    weights = _row(draw, candidates, options[:2], min(candidates, 2))
    second = _row(draw, candidates, options, min(candidates, 2))
    third = _row(draw, candidates, options[:2], 1)
    return Case(((Fraction(1),) * candidates, second, third), weights, tau)


def _size(case: Case) -> tuple[Any, ...]:
    """Simpler: fewer agents, a τ of 1, fewer rewards and ratios that say something."""
    numbers = [o for row in (*case.odds, case.weights) for o in row]
    told = sum(o != 1 for o in numbers)
    digits = sum(o.numerator + o.denominator for o in numbers)
    return (len(case.odds), case.tau, told, digits, sum(o < 1 for o in numbers))


def _family(description: str, build: Any) -> Family[Case]:
    return Family(
        description=description,
        level_name="candidates",
        levels=(1, 2, 3),
        build=build,
        size=_size,
    )


AUCTIONS: Family[Case] = _family(
    "auctions with one or two agents, exp(r/τ) in {1, 2, 1/2}, τ in {1, 2}, and ratios π_ref/π_gen "
    "of 1 but for one, which may be 0",
    _build,
)

RATIOS: Family[Case] = _family(
    "auctions with one or two agents, exp(r/τ) in {1, 2, 1/2}, τ in {1, 2}, and ratios π_ref/π_gen "
    "of 1 but for one, which is 1, 2 or 1/3",
    _build_ratios,
)

ZERO_REWARDS: Family[Case] = _family(
    "auctions in which agent 1 has the reward 0 for each candidate, beside two agents with "
    "exp(r/τ) in {1, 2, 1/2}, ratios π_ref/π_gen of 1 and 2, τ in {1, 2}",
    _build_zero,
)
