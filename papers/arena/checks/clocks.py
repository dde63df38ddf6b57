"""arena, section 4: two items, two clocks, two known budgets; which item to sell first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from theory.ascending import ClockSale, clock_sale
from theory.search import Draw, Family, Trial
from theory.verdicts import Exhibit, Table

__all__ = ["CLOCKS", "DearerFirst", "TwoClocks", "show_clocks"]


@dataclass(frozen=True)
class TwoClocks:
    """The dearer and the cheaper item, and the richer and the poorer bidder."""

    values: tuple[int, int]
    budgets: tuple[int, int]

    def __str__(self) -> str:
        return (
            f"values {self.values[0]} and {self.values[1]}, "
            f"budgets {self.budgets[0]} and {self.budgets[1]}"
        )


def _clocks_size(case: TwoClocks) -> tuple[int, ...]:
    return (sum(case.values) + sum(case.budgets),)


def _build_clocks(draw: Draw, dearer: int) -> TwoClocks:
    rich = draw.integer(1, 12)
    return TwoClocks((dearer, draw.integer(1, dearer - 1)), (rich, draw.integer(1, rich)))


CLOCKS: Family[TwoClocks] = Family(
    description="whole values up to 8, the first above the second; whole budgets up to 12",
    level_name="dearer value",
    levels=tuple(range(2, 9)),
    build=_build_clocks,
    size=_clocks_size,
)


@dataclass(frozen=True)
class DearerFirst:
    """Selling the dearer item first earns at least as much, under a rule for joint exits."""

    ties: str
    sale: Callable[..., ClockSale] = clock_sale

    def __call__(self, case: TwoClocks) -> Trial:
        """Compare the revenues of both orders."""
        dear = self.sale(case.values, case.budgets, self.ties)
        cheap = self.sale(case.values[::-1], case.budgets, self.ties)
        failure = f"dearer first earns {dear.revenue}, cheaper first {cheap.revenue}."
        worse = dear.revenue < cheap.revenue
        return Trial(nontrivial=dear.revenue != cheap.revenue, failure=failure if worse else "")


def show_clocks(case: TwoClocks) -> Exhibit:
    """Work both orders out under each rule for joint exits."""
    rows = []
    for ties in ("coin", "richer", "poorer"):
        for name, values in (("dearer", case.values), ("cheaper", case.values[::-1])):
            sale = clock_sale(values, case.budgets, ties)
            exits = " and ".join(f"{at}{'+' if above else ''}" for at, above in sale.exits)
            rows.append((ties, name, exits, str(sale.price), str(sale.revenue)))
    table = Table(
        caption="Exits from the first sale (+ for just above), its price, and the revenue",
        columns=("joint exits go to", "first", "exits", "price", "revenue"),
        rows=tuple(rows),
    )
    return Exhibit(summary=str(case), tables=(table,))
