"""The tests in which a witness is kept: how they are written and what they assert."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from time import process_time
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from small_auctions import GRID, LIE, first_price, second_price, setting, witness

from theory.errors import InvalidInputError
from theory.incentives import (
    PROPERTIES,
    Box,
    DrawnTypes,
    FiniteTypes,
    Instance,
    Replay,
    ValueTable,
    Witness,
    assert_holds_at,
)
from theory.incentives._serialisation import Source, wrap_at_commas
from theory.incentives.witness import parse, witness_of

F = Fraction


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
