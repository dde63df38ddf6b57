"""A user's program. `dev.py wheel` type-checks and runs it against the installed wheel."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import mechproof
import papers
from theory.decision import DecisionProblem
from theory.information import InformationValue, perfect_information, value_of_information
from theory.probability import ProbabilitySpace


def a_look_at_the_coin(price: str) -> InformationValue:
    coin = ProbabilitySpace.of({"heads": "1/2", "tails": "1/2"})
    guess = DecisionProblem.of(coin, {"say heads": [1, 0], "say tails": [0, 1]})
    return value_of_information(guess, perfect_information(coin, price))


if TYPE_CHECKING:
    ProbabilitySpace.of(3)  # type: ignore[arg-type]  # unused, hence an error, were types lost

if __name__ == "__main__":
    value = a_look_at_the_coin("1/8")
    print(mechproof.__name__, mechproof.__version__, papers.__name__, value, sep="\n")
    assert value.ex_ante == Fraction(3, 8), value
