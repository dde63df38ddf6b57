"""Inspection problems: what is offered when, and what bad input is told."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from inspection_cases import HALF, HINT, XOR, instances, problem
from reference import inspection as oracle
from strategies import Kind

from theory.decision import DecisionProblem
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    LimitError,
    MechproofError,
    NumberError,
    ShapeError,
    UnknownNameError,
)
from theory.information import Good
from theory.inspection import (
    InspectionProblem,
    Offers,
    ProtocolOutcome,
    all_protocols,
    count_protocols,
    inspection_game,
    merge_states,
    random_protocol,
    recursive_inspection,
    successive_inspection,
)
from theory.numbers import Floats
from theory.probability import ProbabilitySpace, Variable

F = Fraction

SPACE = ProbabilitySpace.of({"low": "1/3", "high": "2/3"})
DECISION = DecisionProblem.of(SPACE, {"a": [3, 0], "b": [0, 1]})
FLOATS = DecisionProblem.of(ProbabilitySpace.of([0.25, 0.75]), np.array([[3.0, 0.0], [0.0, 1.0]]))


def good(name: str, price: object = 0, shown: Any = ("l", "h")) -> Good:
    return Good.of(name, Variable.of(name, list(shown)), price)


def raw(price: Any) -> Good:
    """A good whose price nothing has looked at."""
    return Good("report", (Variable.of("v", ["l", "h"]),), price)


def test_what_a_problem_reads() -> None:
    found = InspectionProblem.of(DECISION, [[good("x", "1/2"), good("y")], [good("z", 2)]])
    assert (found.depth, found.states) == (2, 2)
    assert found.options(0) == ("a", "b")
    assert found.options(1) == ((), ("x",), ("y",), ("x", "y"))
    assert found.options(2) == ((), ("z",))
    assert [found.rows(n) for n in range(3)] == [8, 2, 1]
    assert str(found) == (
        "depth 2 on 2 states and 2 actions; level 1: x at 1/2, y at 0; level 2: z at 2"
    )


def test_rows_of_purchases_and_back() -> None:
    found = InspectionProblem.of(DECISION, [[good("x"), good("y")], [good("z")], [good("w")]])
    for n in range(4):
        purchases = [found.purchases(n, row) for row in range(found.rows(n))]
        assert len(set(purchases)) == found.rows(n)
        assert [found.row(n, numbers) for numbers in purchases] == list(range(found.rows(n)))
    assert found.purchases(0, found.row(0, [1, 0, 2])) == (1, 0, 2)
    assert found.bundle(1, ["y", "x"]) == 3


@given(instances())
def test_what_is_known_where(instance: oracle.Instance) -> None:
    """Labels are equal exactly in states that the oracle puts at one node."""
    ours = problem(instance)
    for bought, states in instance.nodes:
        n = instance.depth - len(bought)
        levels = zip(range(instance.depth, n, -1), reversed(bought), strict=True)
        row = ours.row(n, [instance.choices(m).index(x) for m, x in levels])
        first = states[0]
        assert set(np.flatnonzero(ours.known[n][row] == first)) == set(states)
    levels_down = range(ours.depth, 0, -1)
    for row in range(ours.rows(0)):
        numbers = ours.purchases(0, row)
        bought = tuple(instance.choices(m)[k] for m, k in zip(levels_down, numbers, strict=True))
        assert ours.paid[row].item() == instance.spent(bought[::-1])


@pytest.mark.parametrize(
    ("levels", "error", "said"),
    [
        ([[good("x")], []], InvalidInputError, "level 2 has no goods"),
        ([[good("x"), good("x", 1)]], InvalidInputError, "level 1 is a good that level 1 has"),
        (
            [[good("x")], [good("y"), good("x")]],
            InvalidInputError,
            "level 2 is a good that level 1",
        ),
        ([[raw(float("nan"))]], NumberError, "price of report"),
        ([[raw(float("inf"))]], NumberError, "price of report"),
        ([[good("x", 0.5)]], ExactnessError, "price of x"),
        ([[good("x", shown="abc")]], ShapeError, "good x, variable x is not over 2 states"),
    ],
    ids=["empty level", "twice in a level", "twice", "NaN", "inf", "float", "other states"],
)
def test_goods_that_are_refused(
    levels: list[list[Good]], error: type[MechproofError], said: str
) -> None:
    with pytest.raises(error, match=said):
        InspectionProblem.of(DECISION, levels)


@pytest.mark.parametrize(
    ("price", "error", "said"),
    [
        (F(1, 2), ExactnessError, "price of report stands beside floats"),
        (float("nan"), NumberError, "price of report is not finite"),
        (float("-inf"), NumberError, "price of report is not finite"),
    ],
    ids=str,
)
def test_prices_that_floats_refuse(price: Any, error: type[MechproofError], said: str) -> None:
    with pytest.raises(error, match=said):
        InspectionProblem.of(FLOATS, [[raw(price)]])


def test_whole_prices_go_with_floats() -> None:
    found = recursive_inspection(InspectionProblem.of(FLOATS, [[raw(F(0))]]))
    assert found.value == pytest.approx(3 / 4 + 3 / 4)
    assert found.arithmetic == "float64"


def too_many(goods: int, depth: int = 1) -> InspectionProblem:
    levels = [[good(f"g{n}.{j}") for j in range(goods)] for n in range(depth)]
    return InspectionProblem.of(DECISION, levels)


def test_too_many_goods() -> None:
    """The count and the limit are said, before anything is built."""
    cells = "4,294,967,296 cells, above the limit of 16,777,216"
    with pytest.raises(LimitError, match=cells):
        recursive_inspection(too_many(30))
    with pytest.raises(LimitError, match="above the limit of 16,777,216"):
        random_protocol(too_many(30), np.random.default_rng(0))
    with pytest.raises(LimitError, match="got '1,073,741,824 options on a level'"):
        successive_inspection(too_many(30))


def test_successive_inspection_looks_at_two_levels_at_a_time() -> None:
    """It solves what has too many purchases in all, and says so where that is asked for."""
    deep = too_many(4, 6)
    found = successive_inspection(deep)
    assert (found.value, found.gap) == (F(4, 3) + F(1, 3), 0)
    with pytest.raises(LimitError, match="16,777,216 combinations of purchases"):
        found.protocol()
    assert successive_inspection(too_many(30), Offers.SINGLE_GOODS).value == F(5, 3)


def test_too_many_nodes_and_protocols() -> None:
    with pytest.raises(LimitError, match=r"limit of 200,000 \(got '393,218'\)"):
        inspection_game(too_many(16))
    assert count_protocols(too_many(2)) == 4**2 * 2**7
    with pytest.raises(LimitError, match=r"limit of 1,048,576 \(got 'about 10\^54'\)"):
        all_protocols(too_many(3, 2))
    assert count_protocols(too_many(14)) == 2 ** (14 * 2) * 2 ** (1 + 2 * (2**14 - 1))
    with pytest.raises(LimitError, match=r"got 'about 10\^9872'"):
        all_protocols(too_many(14))
    unequal = InspectionProblem.of(DECISION, [[good("x"), good("y")], [good("z")]])
    with pytest.raises(LimitError, match=r"limit of 1,048,576 \(got '33,554,432'\)"):
        all_protocols(unequal)


def test_unknown_goods() -> None:
    found = InspectionProblem.of(DECISION, [[good("report"), good("rumour")]])
    with pytest.raises(UnknownNameError, match="did you mean 'report'"):
        found.bundle(1, ["reprot"])
    with pytest.raises(InvalidInputError, match="buys a good twice"):
        found.bundle(1, ["report", "report"])


def worth(found: InspectionProblem) -> tuple[Any, ...]:
    courses: list[Any] = [
        recursive_inspection(found),
        *(successive_inspection(found, offers) for offers in Offers),
    ]
    assert all(course.gap == 0 for course in courses)
    return tuple((course.value, course.spending, course.plays) for course in courses)


def test_impossible_states_are_as_if_they_were_not_there() -> None:
    """Even where they carry the largest utilities and tell goods apart."""
    space = ProbabilitySpace.of({"low": "1/3", "never": 0, "high": "2/3"})
    decision = DecisionProblem.of(space, {"a": [3, -900, 0], "b": [0, 900, 1]})
    with_it = InspectionProblem.of(decision, [[good("x", "1/2", "lnh"), good("y", 0, "yny")]])
    without = InspectionProblem.of(DECISION, [[good("x", "1/2"), good("y", 0, "yy")]])
    assert with_it.decision.space.states == ("low", "high")
    assert worth(with_it) == worth(without)


def test_no_levels() -> None:
    """Depth 0: the best action by the prior, nothing to buy and one node."""
    found = recursive_inspection(InspectionProblem.of(DECISION, []))
    assert (found.value, found.spending, found.buys) == (1, 0, False)
    assert [play.purchases for play in found.plays] == [(), ()]
    assert successive_inspection(found.problem).value == 1
    assert len(list(found.protocol.nodes(0))) == 1
    assert len(list(all_protocols(found.problem))) == 2
    assert str(found.problem) == "depth 0 on 2 states and 2 actions"


def test_one_state_and_one_action() -> None:
    alone = DecisionProblem.of(ProbabilitySpace.of([1]), {"a": [2]})
    found = InspectionProblem.of(alone, [[good("x", 1, "l")]])
    assert [value for value, *_ in worth(found)] == [2, 2, 2]
    idle = InspectionProblem.of(DecisionProblem.of(SPACE, {"a": [3, 0]}), [[good("x", "1/4")]])
    assert [spent for _, spent, _ in worth(idle)] == [0, 0, 0]


def test_goods_that_reveal_nothing() -> None:
    """One without variables, one that is constant: never worth a price."""
    blank, same = Good.of("blank", [], "1/4"), good("same", "1/4", "ss")
    found = InspectionProblem.of(DECISION, [[blank, same]])
    assert [spent for _, spent, _ in worth(found)] == [0, 0, 0]
    seen = next(recursive_inspection(found).protocol.nodes(1)).known
    assert str(seen) == "knowing blank=nothing, same=s"


def test_goods_with_several_variables() -> None:
    """What two variables show together is what one variable with pairs as values shows."""
    space = ProbabilitySpace.uniform(4)
    decision = DecisionProblem.of(space, XOR.utilities)
    one, two = Variable.of("one", list("yynn")), Variable.of("two", list("ynyn"))
    pair = Variable.of("pair", list(zip("yynn", "ynyn", strict=True)))
    both = InspectionProblem.of(decision, [[Good.of("both", [one, two], "1/4")]])
    paired = InspectionProblem.of(decision, [[Good.of("both", pair, "1/4")]])
    assert worth(both) == worth(paired)
    assert recursive_inspection(both).value == F(7, 8)
    assert str(next(recursive_inspection(both).protocol.nodes(1)).known) == "knowing both=y/y"


def test_negative_prices_are_paid_out() -> None:
    """Who is paid to look takes all such goods: the same as for nothing, and the money."""
    paid = recursive_inspection(
        InspectionProblem.of(DECISION, [[good("x", "-1/2"), good("y", -1)]])
    )
    assert all(play.purchases == (("x", "y"),) for play in paid.plays)
    assert (paid.value, paid.spending) == (F(5, 3) + F(3, 2), F(-3, 2))


def test_merging_states_that_no_good_tells_apart() -> None:
    space = ProbabilitySpace.of({"w": "1/6", "x": "1/6", "y": "1/3", "z": "1/3"})
    decision = DecisionProblem.of(space, {"a": [2, 4, 1, -1], "b": [0, 0, 1, 1]})
    found, labels = merge_states(InspectionProblem.of(decision, [[good("g", HALF, "llhh")]]))
    assert labels.tolist() == [0, 0, 1, 1]
    assert found.decision.space.states == (("w", "x"), ("y", "z"))
    assert found.decision.space.probabilities.scalars() == [F(1, 3), F(2, 3)]
    assert found.decision.utilities.scalars() == [[3, 0], [0, 1]]
    assert recursive_inspection(found).value == F(4, 3)
    assert merge_states(found)[0] is found


def test_what_must_be_exact_says_so() -> None:
    found = InspectionProblem.of(FLOATS, [[good("x", 0.5)]])
    with pytest.raises(ExactnessError, match="float64"):
        inspection_game(found)
    assert isinstance(found.prices(1, found.bundles[0]), Floats)


@pytest.mark.parametrize("solve", [recursive_inspection, successive_inspection])
def test_the_kinds_of_number_agree_on_the_example(solve: Callable[..., ProtocolOutcome]) -> None:
    kinds: tuple[Kind, ...] = ("exact", "closed form", "certified", "float64")
    found = [solve(problem(HINT, kind)) for kind in kinds]
    assert [each.arithmetic for each in found] == list(kinds)
    for each in found:
        assert float(each.value) == pytest.approx(float(found[0].value), abs=1e-12)
        assert float(each.spending) == pytest.approx(float(found[0].spending), abs=1e-12)
        assert 0 <= float(each.gap) <= 1e-12
