"""What a check refuses by name, and the texts in which a witness is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from inspect import unwrap
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from mechproof.testing import mechanism_tests
from theory.errors import InvalidInputError, LimitError, ProbabilityError
from theory.incentives import (
    PROPERTIES,
    Box,
    DrawnTypes,
    Effort,
    FiniteTypes,
    Instance,
    Lottery,
    Prior,
    Product,
    Replay,
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
    make_setting,
    read_earlier_witnesses,
    read_effort,
    read_expected_failures,
    select_properties,
)
from theory.incentives._serialisation import Source, wrap_at_commas
from theory.incentives.witness import parse, witness_of
from theory.verdicts import Status

F = Fraction
GRID = FiniteTypes(range(3))
PICKED = select_properties(None)


def first_price(bids: Any) -> Any:
    winner = bids.index(max(bids))
    return winner, [bid if i == winner else 0 for i, bid in enumerate(bids)]


def second_price(bids: Any) -> Any:
    winner = bids.index(max(bids))
    paid = max(bid for i, bid in enumerate(bids) if i != winner)
    return winner, [paid if i == winner else 0 for i in range(len(bids))]


def setting(mechanism: Any = first_price, types: Any = GRID, **arguments: Any) -> Any:
    given = {
        "agents": 2, "values": None, "prior": None, "epsilon": 0, "feasible": None,
        "alternatives": None, "seed": 0,
    }  # fmt: skip
    return make_setting(mechanism, types=types, **{**given, **arguments})


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


# --- tests to paste


class Colour(Enum):
    RED = 1
    BLUE = 2


@dataclass(frozen=True)
class Job:
    name: str
    cost: Any

    class Kind(Enum):
        SHORT = 1


@dataclass(frozen=True)
class Auction:
    reserve: Any

    def outcome(self, reports: Any) -> Any:
        return first_price(reports)


def pays(reports: Any) -> Any:
    """Pay an agent for any report but the first type there is."""
    return "a", [-int(r != reports[0]) if i else 0 for i, r in enumerate(reports)]


def no_pay(reports: Any) -> Any:
    return "a", [0] * len(reports)


def nothing(agent: int, type: Any, allocation: Any) -> int:
    return 0


def witness(mechanism: Any, types: Any = GRID, **arguments: Any) -> Witness:
    report = check_mechanism(
        mechanism, types=types, properties=["dsic"], **{"agents": 2, **arguments}
    )
    assert report.witness is not None
    return report.witness


def run(text: str, **gaps: Any) -> None:
    """Run a pasted test, with what its gaps are to hold."""
    assert text.count("# put it here") == len(gaps)
    scope: dict[str, Any] = {}
    exec(text, scope)
    scope |= gaps
    (test,) = [value for name, value in scope.items() if name.startswith("test_")]
    test()


LABELS: list[tuple[Any, ...]] = [
    (Colour.RED, Colour.BLUE),
    (Job.Kind.SHORT, Colour.BLUE),
    (Job("x", Decimal("0.5")), Job("y", np.float64(0.25)), Job("z", Colour.RED)),
    ('say """no"""', "back\\slash\\", "two\nlines", '"'),
    ("a, b", "(c", "λ"),
    (None, True),
    (frozenset([1]), frozenset()),
    ("long " * 40, "short"),
]


@pytest.mark.parametrize("labels", LABELS, ids=map(str, range(len(LABELS))))
def test_pasted_tests_run_whatever_the_types_are(labels: tuple[Any, ...]) -> None:
    text = witness(pays, FiniteTypes(labels), values=nothing).as_test()
    with pytest.raises(AssertionError, match="dsic fails"):
        run(text)
    run(text.replace("pays", "no_pay"))


def test_value_tables_and_fields_are_written_with_their_imports() -> None:
    table = ValueTable({0: {"a": Decimal("0.5")}, 1: {"a": np.float64(0.25)}, 2: {"a": F(1, 3)}})
    text = witness(pays, values=table).as_test()
    assert "from decimal import Decimal" in text
    assert "0: {'a': Decimal('0.5')}, 1: {'a': 0.25}, 2: {'a': Fraction(1, 3)}" in text
    with pytest.raises(AssertionError, match="dsic fails"):
        run(text)
    text = witness(Auction(Decimal("0.5"))).as_test()
    assert "Auction(reserve=Decimal('0.5'))" in text
    with pytest.raises(AssertionError, match="dsic fails"):
        run(text)


def test_whole_numbers_are_written_so_and_lambdas_by_that_word() -> None:
    text = witness(lambda bids: (0, bids), Box(0, 1)).as_test()
    assert "Box(0, 1)" in text
    assert "Fraction(1, 1)" not in text
    assert "def test_dsic_of_lambda()" in text
    assert Source().value((F(2), F(1, 2), (F(0),))) == "(2, Fraction(1, 2), (0,))"


def test_each_strategy_is_one_gap() -> None:
    one, two = DrawnTypes(st.sampled_from([0, 1, 2])), DrawnTypes(st.sampled_from([0, 1]))
    for spaces, names in (([one, one], ["strategy"]), ([one, two], ["strategy", "strategy_2"])):
        source = Source()
        instance = Instance((1, 0), (0,), (0,))
        where = setting(types=spaces)
        text = witness_of(PROPERTIES["dsic"], where, instance, "").as_test()
        source.setting(where, with_prior=False)
        assert [name for name, _ in source.gaps] == names
        gaps = dict(source.gaps)
        with pytest.raises(AssertionError, match="gains 1"):
            run(text, **gaps)


class Halves:
    """A type space of the user's."""

    members = (F(0), F(1, 2), F(1))

    def grid(self, steps: int) -> tuple[Any, ...]:
        return self.members

    def draw(self, generator: Any) -> Any:
        return self.members[int(generator.integers(3))]

    def round(self, value: Any, denominator: int) -> Any:
        return value

    def __contains__(self, value: object) -> bool:
        return value in self.members


def test_a_space_of_the_users_is_a_gap_of_its_own() -> None:
    halves = Halves()
    text = witness(first_price, halves).as_test()
    assert "DrawnTypes" not in text
    with pytest.raises(AssertionError, match="dsic fails"):
        run(text, space=halves)


def test_lines_are_broken_at_commas_outside_of_text() -> None:
    expression = f"f({', '.join(repr(f'{k}, {k}') for k in range(40))})"
    lines = wrap_at_commas(expression, " " * 8).splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) > 2
    assert eval(" ".join(lines).strip(), {"f": lambda *parts: parts}) == tuple(
        f"{k}, {k}" for k in range(40)
    )


# --- at one instance


LIE = Instance((2, 1), (0,), (1,))


def test_assert_holds_at_tells_what_fails() -> None:
    assert_holds_at(second_price, "dsic", LIE, types=GRID, agents=2)
    with pytest.raises(AssertionError, match="dsic fails: agent 0 of type 2 gains 1"):
        assert_holds_at(first_price, "dsic", LIE, types=GRID, agents=2)
    assert_holds_at(first_price, "dsic", LIE, types=GRID, agents=2, epsilon=1)


def rounded(gain: float) -> Callable[[Any], Any]:
    """Return a mechanism in which only agent 0's lies pay, and those by ``gain``."""
    return lambda bids: (None, [1.0 if bids[0] == 2 else 1.0 - gain, 0])


def test_rounding_is_put_up_with_as_in_the_check() -> None:
    for gain, fails in ((2**-52, False), (2**-20, True)):
        where = setting(rounded(gain))
        replay = witness_of(PROPERTIES["dsic"], where, LIE, "").replay()
        assert replay.slack == -F(gain)
        assert replay.fails is fails
        if fails:
            with pytest.raises(AssertionError, match="dsic fails"):
                assert_holds_at(rounded(gain), "dsic", LIE, types=GRID, agents=2)
            loose = {"types": GRID, "agents": 2, "tolerance": "1/1000"}
            assert_holds_at(rounded(gain), "dsic", LIE, **loose)
        else:
            assert "within the tolerance" in str(replay)
            assert_holds_at(rounded(gain), "dsic", LIE, types=GRID, agents=2)


def test_exact_slacks_know_no_tolerance() -> None:
    def generous(bids: Any) -> Any:
        return None, [1 if bids[0] == 2 else 1 - F(1, 10**30), 0]

    with pytest.raises(AssertionError, match="dsic fails"):
        assert_holds_at(generous, "dsic", LIE, types=GRID, agents=2)
    assert Replay(F(-1, 10**30), "").fails


def test_a_loose_tolerance_is_pasted() -> None:
    where = setting()
    text = witness_of(PROPERTIES["dsic"], where, LIE, "", F(1, 100)).as_test()
    assert "tolerance=Fraction(1, 100)," in text


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


# --- JSON


@pytest.mark.parametrize("lie", [0.1, -0.0, float("inf"), 1e-300, (0.5, (1, F(1, 3)))])
def test_floats_go_through_json(lie: Any) -> None:
    kept = witness_of(PROPERTIES["dsic"], setting(), LIE, "")
    line = Witness(**{**vars(kept), "lies": (lie,)}).to_json()
    name, instance = parse(line)
    assert name == "dsic"
    assert repr(instance.lies) == repr((lie,))


def test_a_number_of_numpy_goes_through_json() -> None:
    kept = witness_of(PROPERTIES["dsic"], setting(), LIE, "")
    line = Witness(**{**vars(kept), "lies": (np.float32(0.5), np.int64(3))}).to_json()
    assert repr(parse(line)[1].lies) == "(0.5, 3)"
    with pytest.raises(InvalidInputError):
        parse(line.replace('"0.5"', '"half"'))


@pytest.mark.parametrize(
    "line",
    [
        '{"property":"dsic","profile":[{"/":"1e30000000"},0],"agents":[0],"lies":[0]}',
        '{"property":"dsic","profile":[{"/":"%s"},0],"agents":[0],"lies":[0]}' % ("7" * 100_000),
        '{"property":"dsic","profile":[{"/":[1]},0],"agents":[0],"lies":[0]}',
        '{"property":["dsic"],"profile":[0,0],"agents":[0],"lies":[0]}',
        '{"property":"dsic","profile":%s,"agents":[0],"lies":[0]}' % ("[" * 500 + "]" * 500),
        "[" * 100_000,
    ],
    ids=["exponent", "digits", "list", "property", "nested", "brackets"],
)
def test_lines_that_no_witness_wrote_are_refused_at_once(line: str) -> None:
    start = process_time()
    with pytest.raises(InvalidInputError, match="is not a witness"):
        parse(line)
    assert process_time() - start < 2


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
