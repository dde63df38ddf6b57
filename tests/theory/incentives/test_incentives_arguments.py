"""What a check refuses by name, and the texts in which a witness is kept."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from inspect import unwrap
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from small_auctions import GRID, LIE, first_price, second_price, setting, witness

from mechproof.testing import mechanism_tests
from theory.errors import InvalidInputError, LimitError, ProbabilityError
from theory.incentives import (
    PROPERTIES,
    Box,
    Effort,
    FiniteTypes,
    Instance,
    Lottery,
    Prior,
    Product,
    Simplex,
    ValueTable,
    Vectorised,
    Witness,
    assert_dsic,
    assert_holds_at,
    check_mechanism,
    implementable,
    incentive_curve,
)
from theory.incentives._arguments import (
    fitting_instance,
    read_earlier_witnesses,
    read_effort,
    read_expected_failures,
    select_properties,
)
from theory.verdicts import Status

F = Fraction
PICKED = select_properties(None)


# --- what is refused


WRONG: list[tuple[str, Callable[[], Any], str]] = [
    ("prior", lambda: setting(prior={(0, 0): 1}), "Prior({"),
    ("prior", lambda: setting(prior=Prior.uniform(FiniteTypes([0, 7]), 2)), "{0, 1, 2}"),
    ("prior", lambda: Prior([(0, 1)]), "Prior({(0, 1): 1})"),
    ("prior", lambda: Prior({"ab": 1}), "tuples"),
    ("prior", lambda: Prior.independent([[0, 1]]), "one law an agent"),
    ("laws", lambda: Prior.independent({0: 1}), "list"),
    ("agents", lambda: Prior.uniform(GRID), "how many agents"),
    ("agents", lambda: Prior.uniform(GRID, -1), "how many agents"),
    ("agents", lambda: Prior.uniform([GRID], 2), "leave agents out"),
    ("types", lambda: Prior.uniform(5, 2), "FiniteTypes"),
    ("feasible", lambda: setting(feasible=5), "function of (allocation, agents)"),
    ("alternatives", lambda: setting(alternatives=[0, 1]), "function of agents"),
    ("seed", lambda: setting(seed=-1), "at least 0"),
    ("seed", lambda: setting(seed="a"), "at least 0"),
    ("seed", lambda: setting(seed=True), "at least 0"),
    ("agents", lambda: setting(agents=True), "how many agents"),
    ("types", lambda: setting(types=st.integers(0, 3)), "DrawnTypes(strategy)"),
    ("types", lambda: setting(types=[st.integers(0, 3), GRID]), "DrawnTypes(strategy)"),
    ("types", lambda: setting(types=FiniteTypes), "FiniteTypes([…])"),
    ("types", lambda: FiniteTypes(5), "FiniteTypes(range(3))"),
    ("types", lambda: FiniteTypes("low"), 'FiniteTypes(["low", "high"])'),
    ("types", lambda: FiniteTypes(b"low"), 'FiniteTypes(["low", "high"])'),
    ("alternatives", lambda: setting(alternatives=lambda n: "cd").rivals, "list of allocations"),
    ("alternatives", lambda: setting(alternatives=lambda n: b"cd").rivals, "list of allocations"),
    ("dimension", lambda: Simplex(2.5), "at least 1"),
    ("dimension", lambda: Simplex(True), "at least 1"),
    ("high", lambda: Box([0, 0], 1), "same length"),
    ("spaces", lambda: Product(GRID, 5), "Box(low, high)"),
    ("table", lambda: ValueTable(5), "ValueTable({"),
    ("table", lambda: ValueTable({0: 5}), "ValueTable({"),
    ("effort", lambda: read_effort(5), "Effort("),
    ("effort.samples", lambda: read_effort(Effort(samples=-3)), "at least 0"),
    ("effort.starts", lambda: read_effort(Effort(starts=True)), "at least 0"),
    ("properties", lambda: select_properties(5), "list of names"),
    ("properties", lambda: select_properties([["dsic"]]), "dsic"),
    ("properties", lambda: assert_dsic(first_price, properties=["bic"]), "assert_mechanism"),
    ("expected_failures", lambda: read_expected_failures(["dsic"], PICKED), "reason by name"),
    ("expected_failures", lambda: read_expected_failures({"dsic": 3}, PICKED), "why"),
    ("witnesses", lambda: read_earlier_witnesses([None]), "to_json"),
    ("witnesses", lambda: read_earlier_witnesses("{}"), "to_json"),
    ("witnesses", lambda: read_earlier_witnesses(5), "to_json"),
    ("witnesses", lambda: read_earlier_witnesses(witness(first_price)), "to_json"),
    ("expected_failures", lambda: mechanism_tests(first_price, types=GRID,
                                                  expected_failures=["dsic"]), "by name"),
    ("properties", lambda: mechanism_tests(first_price, types=GRID, properties="dsic"), "list"),
    ("witnesses", lambda: mechanism_tests(first_price, types=GRID, witnesses="{}"), "list"),
]  # fmt: skip


@pytest.mark.parametrize(("argument", "call", "fix"), WRONG, ids=map(str, range(len(WRONG))))
def test_wrong_arguments_are_refused_by_name_with_a_fix(
    argument: str, call: Callable[[], Any], fix: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        call()
    assert caught.value.argument == argument
    assert fix in caught.value.fix


THROUGH = [
    {"prior": {(0, 0): 1}}, {"expected_failures": ["dsic"]}, {"alternatives": [0]},
    {"feasible": 5}, {"effort": 5}, {"effort": Effort(samples=-3)}, {"seed": "a"},
    {"witnesses": [None]}, {"witnesses": "{}"}, {"types": st.integers(0, 3)},
]  # fmt: skip


@pytest.mark.parametrize("wrong", THROUGH, ids=map(str, range(len(THROUGH))))
def test_check_mechanism_refuses_them_too(wrong: dict[str, Any]) -> None:
    """Without the types checked at run time, as users call it."""
    with pytest.raises(InvalidInputError) as caught:
        unwrap(check_mechanism)(first_price, **{"types": GRID, "agents": 2, **wrong})
    assert caught.value.argument.partition(".")[0] == next(iter(wrong))


def test_the_profile_outside_the_types_is_named() -> None:
    with pytest.raises(InvalidInputError, match=r"got \(7, 0\)"):
        setting(prior=Prior({(0, 0): "1/2", (7, 0): "1/2"}))


def test_what_is_right_passes() -> None:
    assert read_effort(None) == Effort()
    assert read_effort(Effort(samples=0)).samples == 0
    assert setting(prior=Prior.uniform(GRID, 2)).prior is not None
    assert Prior.uniform(Product(GRID, GRID), 1).agents == 1
    assert Prior.uniform([GRID, GRID], 2).agents == 2
    assert read_earlier_witnesses(()) == []


# --- lotteries


def test_floats_of_numpy_are_probabilities() -> None:
    tenths = [(k, np.float32(0.1)) for k in range(10)]
    assert Lottery(tenths).inexact
    assert Lottery({0: np.float64(0.25), 1: 0.75}).support == ((0, F(1, 4)), (1, F(3, 4)))
    with pytest.raises(ProbabilityError, match="sum"):
        Lottery([(k, np.float32(0.1)) for k in range(9)])
    with pytest.raises(ProbabilityError, match="sum"):
        Lottery([(k, float(np.float32(0.1))) for k in range(10)])
    with pytest.raises(ProbabilityError, match="finite"):
        Lottery([(0, np.float32("nan"))])


UNFIT = [
    ("dsic", Instance((2,), (0,), (1,))),
    ("dsic", Instance((2, 1), (5,), (1,))),
    ("dsic", Instance((2, 1), (0,), ())),
    ("dsic", Instance((2, 9), (0,), (1,))),
    ("dsic", (2, 1)),
]


@pytest.mark.parametrize(("name", "instance"), UNFIT, ids=map(str, range(len(UNFIT))))
def test_an_instance_of_another_setting_is_refused(name: str, instance: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        assert_holds_at(first_price, name, instance, types=GRID, agents=2)
    assert caught.value.argument == "instance"


def test_a_property_that_says_nothing_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="there is no prior"):
        assert_holds_at(first_price, "bic", Instance((), (0,), (0, 1)), types=GRID, agents=2)


def test_a_mechanism_that_raises_there_is_told() -> None:
    def lazy(bids: Any) -> Any:
        raise RuntimeError("not today")

    with pytest.raises(InvalidInputError, match="not today"):
        assert_holds_at(lazy, "dsic", LIE, types=GRID, agents=2)
    with pytest.raises(InvalidInputError, match="not today"):
        Witness("dsic", (2, 1), (0,), (1,), F(-1), "", (), "", setting(lazy)).replay()


def test_types_are_taken_as_their_space_gives_them() -> None:
    where = setting(types=[Box(0, 2), Product(Box(0, 2), FiniteTypes([F(1), "a"]))], agents=None)
    found = fitting_instance(PROPERTIES["dsic"], where, Instance((2, (1, 1)), (0,), (1,)))
    assert isinstance(found.profile[0], Fraction)
    assert all(isinstance(part, Fraction) for part in (*found.profile[1], *found.lies))


# --- more agents than an array has axes


def last_pays(reports: Any) -> Any:
    return None, [*[0] * (len(reports) - 1), reports[-1]]


def last_pays_by_rows(profiles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nothing = np.zeros(profiles.shape, dtype=np.int64)
    payments = nothing.copy()
    payments[:, -1] = profiles[:, -1]
    return nothing, payments


@pytest.mark.parametrize("mechanism", [last_pays, Vectorised(last_pays_by_rows)])
@pytest.mark.parametrize("place", [0, 40, -1])
def test_agents_are_as_many_as_a_table_has_axes(mechanism: Any, place: int) -> None:
    """One agent has two types; with 64 agents an error of NumPy's ended the check."""

    def dsic(agents: int) -> Status:
        types = [FiniteTypes([0])] * agents
        types[place] = FiniteTypes([0, 1])
        return check_mechanism(mechanism, types=types, properties=["dsic"])["dsic"].status

    assert dsic(63) is (Status.REFUTED if place == -1 else Status.HOLDS)
    for agents in (64, 65, 200):
        with pytest.raises(LimitError, match=f"table of {agents} agents, above the limit of 63"):
            dsic(agents)


# --- messages elsewhere


def test_a_box_is_named_as_an_interval() -> None:
    with pytest.raises(InvalidInputError, match=r"give one in \[0, 1\]$"):
        incentive_curve(first_price, agent=0, type=2, others=[0], types=Box(0, 1))
    with pytest.raises(InvalidInputError, match=r"give one of \{0, 1, 2\}$"):
        incentive_curve(first_price, agent=0, type=7, others=[0], types=GRID)


def test_a_rule_that_returns_payments_is_told_to_leave_them_out() -> None:
    with pytest.raises(InvalidInputError, match="return the allocation alone, or give") as caught:
        implementable(second_price, types=GRID, agents=2)
    assert "…" not in str(caught.value)
    bundles = ((1, 0), (0, 1))  # an allocation of this form that is valued is one

    def equal(agent: int, type: Any, allocation: Any) -> Any:
        return type * sum(allocation[agent])

    assert implementable(lambda reports: bundles, types=GRID, agents=2, values=equal)
