"""Second prices that become first prices where something was kept, and what is found of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, ClassVar

from theory.incentives import Effort, PropertyFinding, Reals, prove_mechanism

LITTLE = Effort(samples=5, starts=1, steps=1, shrinks=20)


def found(mechanism: Any, **arguments: Any) -> PropertyFinding:
    given = {"types": Reals(0), "solver": "certificates", "effort": LITTLE, **arguments}
    return prove_mechanism(mechanism, agents=2, properties=["dsic"], **given)["dsic"]


def told(mechanism: Any) -> str:
    """Return the reason without the line of code that it quotes, which may say the same."""
    return re.sub(r"`.*`", "", found(mechanism).reason)


def auction(bids: Any, first: object) -> tuple[int, list[Any]]:
    winner = 0 if bids[0] >= bids[1] else 1
    price = bids[winner] if first else bids[1 - winner]
    return winner, [price if i == winner else 0 for i in range(2)]


class Counter:
    """Counts how often it is shown, in a table that only a definition holds."""

    def __init__(self) -> None:
        self.counted: dict[str, int] = {"shown": 0}

    def __repr__(self) -> str:
        self.counted["shown"] += 1
        return "Counter()"

    def first(self) -> bool:
        return False

    def outcome(self, bids: Any) -> Any:
        return auction(bids, self.first())


@dataclass(frozen=True)
class Stated:
    linear: ClassVar[bool] = True
    reserve: int

    def outcome(self, bids: Any) -> Any:
        return auction(bids, self.reserve > 5)


class Told(Stated):
    def __repr__(self) -> str:
        return f"an auction from {self.reserve}"
