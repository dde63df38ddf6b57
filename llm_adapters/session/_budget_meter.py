"""What is used, what is reserved, and whether the budget allows more."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from llm_adapters.session._usage import Budget, Usage, decimal

__all__ = ["AttemptCost", "BudgetMeter"]


@dataclass(frozen=True)
class AttemptCost:
    """The most that an attempt may use."""

    input_tokens: int = 0
    output_tokens: int = 0
    money: Fraction = Fraction(0)

    @property
    def tokens(self) -> int:
        """The tokens of input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: AttemptCost) -> AttemptCost:
        return AttemptCost(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.money + other.money,
        )


class BudgetMeter:
    """Usage by agent, and the reservations of the attempts that are under way.

    It keeps no lock: whoever calls it holds one.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.usage: dict[str, Usage] = {}
        self.total = Usage()
        self._tokens = 0
        self._money = Fraction(0)

    def add(self, agent: str, usage: Usage) -> None:
        """Count what was used."""
        self.usage[agent] = self.usage.get(agent, Usage()) + usage
        self.total += usage

    def reserve(self, need: AttemptCost) -> None:
        """Set aside what an attempt may use."""
        self._tokens += need.tokens
        self._money += need.money

    def release(self, need: AttemptCost) -> None:
        """Take back a reservation."""
        self._tokens -= need.tokens
        self._money -= need.money

    def has_room(self, need: AttemptCost) -> bool:
        """Whether it fits beside what is used and what is reserved."""
        budget, total = self.budget, self.total
        if budget.tokens is not None and total.tokens + self._tokens + need.tokens > budget.tokens:
            return False
        return budget.money is None or total.money + self._money + need.money <= budget.money

    def shortfall(self, need: AttemptCost, calls: int = 1) -> str:
        """Return which limit forbids it, even if no reservation came to anything; or nothing."""
        budget, total = self.budget, self.total
        if budget.calls is not None and total.calls + calls > budget.calls:
            return f"{total.calls:,} of {budget.calls:,} calls are made"
        if budget.tokens is not None and total.tokens + need.tokens > budget.tokens:
            most = f"{need.tokens:,} more may be needed"
            return f"{total.tokens:,} of {budget.tokens:,} tokens are used, and {most}"
        if budget.money is not None and total.money + need.money > budget.money:
            most = f"{decimal(need.money)} more may be needed"
            return f"{decimal(total.money)} of {decimal(budget.money)} is spent, and {most}"
        return ""

    def so_far(self) -> str:
        """Return what was used, by agent, in one line."""
        done = [f"{agent} {usage}" for agent, usage in self.usage.items()]
        return "; ".join(done) if done else "nothing was done"
