"""The best prices of a market, beside those that are best for each passage by itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from theory.purchases import BestPrices, Customer, best_prices
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["CROWDS", "ApartIsBest", "Crowd", "show_crowd"]

MENU: Final = (1, 2, 3)


@dataclass(frozen=True)
class Crowd:
    """Passages that state one of two facts or both, and buyers with worths and a budget."""

    facts: tuple[tuple[int, ...], ...]
    buyers: tuple[tuple[int, int, int | None], ...]

    def __str__(self) -> str:
        shelf = "; ".join(
            f"passage {n} states {' and '.join(f'fact {j + 1}' for j in facts)}"
            for n, facts in enumerate(self.facts, 1)
        )
        crowd = "; ".join(
            f"a buyer has {a} of fact 1, {b} of fact 2, {'any sum' if m is None else m} to spend"
            for a, b, m in self.buyers
        )
        return f"{shelf}; {crowd}"

    def best(
        self, solve: Callable[..., BestPrices], menus: tuple[tuple[int, ...], ...]
    ) -> BestPrices:
        """Return the best prices of some menus."""
        chances = [[int(j in facts) for j in range(2)] for facts in self.facts]
        return solve(chances, [Customer((a, b), m) for a, b, m in self.buyers], menus)

    def apart(self, solve: Callable[..., BestPrices]) -> tuple[int, ...]:
        """Return for each passage the price that is best where it alone is for sale."""
        found = []
        for facts in self.facts:
            alone = Crowd((facts,), self.buyers).best(solve, (MENU,))
            found.append(int(alone.prices[0]))
        return tuple(found)


@dataclass(frozen=True)
class ApartIsBest:
    """The prices that are best for each passage by itself are best for all together.

    Hypotheses are ``distinct``, that no two passages state one fact, and ``rich``, that no buyer
    has a budget.
    """

    solve: Callable[..., BestPrices] = best_prices
    distinct: bool = False
    rich: bool = False

    def __call__(self, case: Crowd) -> Trial:
        """Compare the revenues; non-trivial where two passages or more earn something."""
        if self.distinct and sum(map(len, case.facts)) > len(
            {j for each in case.facts for j in each}
        ):
            return Trial.unmet()
        if self.rich and any(money is not None for _, _, money in case.buyers):
            return Trial.unmet()
        best = case.best(self.solve, (MENU,) * len(case.facts))
        prices = case.apart(self.solve)
        apart = case.best(self.solve, tuple((price,) for price in prices))
        failure = ""
        if best.gap or apart.gap:
            failure = f"what is said to be earned is off by {max(best.gap, apart.gap)}."
        elif apart.revenue < best.revenue:
            told, wanted = (", ".join(map(str, each)) for each in (prices, best.prices))
            failure = f"prices {told} earn {apart.revenue}, and {wanted} earn {best.revenue}."
        elif apart.revenue > best.revenue:
            failure = f"the best prices earn {best.revenue}, others {apart.revenue}."
        return Trial(nontrivial=len(case.facts) > 1 and best.revenue > 0, failure=failure)


def show_crowd(case: Crowd) -> Exhibit:
    """Show what is earned at both prices."""
    prices = case.apart(best_prices)
    rows = []
    for name, menus in (
        ("best for each", tuple((price,) for price in prices)),
        ("best for all", (MENU,) * len(case.facts)),
    ):
        found = case.best(best_prices, menus)
        rows.append((name, ", ".join(map(str, found.prices)), str(found.revenue), str(found.gain)))
    columns = ("prices", "by passage", "revenue", "buyers gain")
    return Exhibit(
        summary=str(case),
        tables=(Table(caption="What is earned", columns=columns, rows=tuple(rows)),),
    )


def _build_crowd(draw: Draw, buyers: int) -> Crowd:
    facts = draw.choice((((0,),), ((0,), (1,)), ((0,), (0,)), ((0,), (0, 1))))
    rows = tuple(
        (draw.choice((2, 4)), draw.choice((0, 3)), draw.choice((None, 2))) for _ in range(buyers)
    )
    return Crowd(facts, rows)


def _crowd_size(case: Crowd) -> tuple[int, ...]:
    return (sum(map(len, case.facts)), sum(a + b + (m or 0) for a, b, m in case.buyers))


CROWDS: Family[Crowd] = Family(
    description="one or two passages of two facts, buyers with worths to 4 and perhaps 2 to "
    "spend, prices 1 to 3",
    level_name="buyers",
    levels=(1, 2),
    build=_build_crowd,
    size=_crowd_size,
)
