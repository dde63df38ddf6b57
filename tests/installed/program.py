"""A user's program. `dev.py wheel` type-checks and runs it against the installed wheel."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import mechproof
import papers
from mechproof import FiniteTypes, check_mechanism, prove_mechanism, solve
from theory.decision import DecisionProblem
from theory.incentives import Piece, Piecewise
from theory.information import InformationValue, perfect_information, value_of_information
from theory.probability import ProbabilitySpace


def a_look_at_the_coin(price: str) -> InformationValue:
    coin = ProbabilitySpace.of({"heads": "1/2", "tails": "1/2"})
    guess = DecisionProblem.of(coin, {"say heads": [1, 0], "say tails": [0, 1]})
    return value_of_information(guess, perfect_information(coin, price))


def a_posted_price(bids: tuple[Fraction, ...]) -> tuple[int | None, list[Fraction]]:
    sold = bids[0] >= 2
    return 0 if sold else None, [Fraction(2 if sold else 0)]


DECLARED = Piecewise(
    [
        Piece(when=[(1, -2)], allocation=0, payments=[2]),
        Piece(when=lambda bids: True, allocation=None, payments=[0]),
    ]
)

if TYPE_CHECKING:
    ProbabilitySpace.of(3)  # type: ignore[arg-type]  # unused, hence an error, were types lost
    solve(3)  # type: ignore[arg-type]
    check_mechanism(a_posted_price, types=3)  # type: ignore[arg-type]
    nonsense = mechproof.nonsense  # type: ignore[attr-defined]

if __name__ == "__main__":
    value = a_look_at_the_coin("1/8")
    print(mechproof.__name__, mechproof.__version__, papers.__name__, value, sep="\n")
    assert value.ex_ante == Fraction(3, 8), value
    report = check_mechanism(a_posted_price, types=FiniteTypes(range(4)), agents=1)
    assert report["dsic"].status == "holds", report
    for form in (None, DECLARED):  # each Python has a bytecode of its own
        proof = prove_mechanism(
            a_posted_price, agents=1, properties=["dsic"], pieces=form, solver="certificates"
        )
        assert proof["dsic"].strength == "proved", proof
