"""What outlives a call: no proof rests on it where a call or the prover itself may change it.

Each mechanism is a first price where something was not yet kept, and a second price where it was;
``agent`` says whose bid comes upon it.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from auctions_with_state import LITTLE, Counter, Stated, Told, auction, found, told

from theory.incentives import Box, Reals, prove_mechanism
from theory.incentives.proving import _arrays, _machine, _prove
from theory.incentives.proving._attempt import trace
from theory.incentives.proving._machine import Machine
from theory.verdicts import Status, Strength

agents = pytest.mark.parametrize("agent", [0, 1])


# --- Caches


@agents
def test_a_cache_that_holds_an_answer_from_before(agent: int) -> None:
    table = [1, 1]

    @functools.lru_cache(maxsize=1)
    def paid(place: int) -> int:
        return table[place]

    paid(0)
    table[:] = [0, 1]

    def sells(bids: Any) -> Any:
        share = paid(1) - 1 if bids[agent] > 2 else paid(0)
        return auction(bids, share)

    assert "calls a function with a cache" in found(sells).reason
    paid.cache_clear()
    assert "calls a function with a cache" in found(sells).reason


@agents
def test_a_property_that_is_computed_once(agent: int) -> None:
    class Rates:
        @functools.cached_property
        def fee(self) -> int:
            return 0

    rates = Rates()
    kept = vars(rates)

    def sells(bids: Any) -> Any:
        first = rates.fee if bids[agent] < 6 else "fee" not in kept
        return auction(bids, first)

    assert "asks for fee, which has rules of its own" in found(sells).reason

    def sells_for_the_fee(bids: Any) -> Any:
        return auction(bids, rates.fee)

    assert rates.fee == 0  # from now on it is an attribute like any other
    assert found(sells_for_the_fee).strength is Strength.PROVED


# --- What the prover shows


class Shown:
    """Shares the difference of the bids until somebody shows it."""

    def __init__(self, rare: Any = None, agent: int = 0) -> None:
        self.share, self.rare, self.agent = 1, rare, agent

    def __repr__(self) -> str:
        self.share = 0
        return "Shown()"

    def outcome(self, bids: Any) -> Any:
        here = self.rare is None or bids[self.agent] == self.rare
        return auction(bids, self.share if here else 0)


class ShownValues(Shown):
    linear = True

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        return type * (allocation == agent)

    def violation(self, allocation: Any, agents: int) -> int:
        return 0

    def alternatives(self, agents: int) -> None:
        return None


@agents
@pytest.mark.parametrize("rare", [None, Fraction(37, 100)])
def test_what_is_shown_changes_nothing_before_the_proof(rare: Any, agent: int) -> None:
    assert found(Shown(rare, agent)).strength is not Strength.PROVED
    values = ShownValues(rare, agent)
    assert found(values.outcome, values=values).strength is not Strength.PROVED
    shown = functools.partial(lambda of, bids: of.outcome(bids), Shown(rare, agent))
    assert found(shown).strength is not Strength.PROVED


def test_values_of_a_class_are_run_by_the_machine() -> None:
    class Fresh(ShownValues):
        def value(self, agent: int, type: Any, allocation: Any) -> Any:
            if self.share:
                self.share = 0
                return 5 * agent
            return type * (allocation == agent)

    mechanism = functools.partial(auction, first=False)
    assert (
        "writes share of a Fresh that was there before" in found(mechanism, values=Fresh()).reason
    )


# --- What Python writes by itself


@agents
def test_a_warning_that_python_keeps(agent: int) -> None:
    scope: dict[str, Any] = {"auction": auction, "__name__": "warned", "agent": agent}
    exec(
        "__warningregistry__ = {}\n"
        "def sells(bids):\n"
        "    if bids[agent] > 0:\n"
        "        if NotImplemented: pass\n"
        "        return auction(bids, False)\n"
        "    return auction(bids, not __warningregistry__)\n",
        scope,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert found(scope["sells"], types=Reals()).strength is not Strength.PROVED


COUNTED: dict[str, int] = {}
VIEWS = {"keys": COUNTED.keys(), "values": COUNTED.values(), "items": COUNTED.items()}


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize(
    "empty", [len, lambda view: 0 if not view else 1, lambda view: len(list(view))]
)
def test_a_view_of_a_table_that_may_grow(name: str, empty: Any) -> None:
    view = VIEWS[name]

    def sells(bids: Any) -> Any:
        return auction(bids, empty(view) > 60)

    assert "a view of a table that was made before" in found(sells).reason

    def sells_by_its_own(bids: Any) -> Any:
        return auction(bids, len({0: bids}.keys()) > 60)

    assert found(sells_by_its_own).strength is Strength.PROVED


def test_what_a_definition_holds_is_noted() -> None:
    machine = Machine()

    def usual(*, shown: int = 0) -> bool:
        return shown > 60

    partial = functools.partial(lambda shown: shown > 60, shown=0)
    tables: list[Any] = [usual.__kwdefaults__, partial.keywords]
    for asked, table in zip((usual, partial), tables, strict=True):
        assert machine.run(asked) is False
        assert machine.changed() == ""
        table["shown"] = True
        assert "a dict that it asks for" in machine.changed()
        table["shown"] = 0
    assert found(Counter()).strength is not Strength.PROVED


def test_a_name_among_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    class Telling(Counter):
        def __repr__(self) -> str:
            return "Telling()"

        def first(self) -> bool:
            return shown_so_far > 60  # type: ignore[name-defined] # noqa: F821

    monkeypatch.setattr(builtins, "shown_so_far", 0, raising=False)
    assert "which somebody put among the names of Python" in found(Telling()).reason


# --- What has no end


@agents
def test_what_has_no_end_is_refused(agent: int) -> None:
    def pays_for_ever(bids: Any) -> Any:
        import itertools

        return 0, itertools.repeat(bids[agent])

    assert "payments are more than 2" in found(pays_for_ever).reason

    def high(bids: Any) -> Any:
        return auction(bids, bids[agent] ** 5_000 < 0)

    assert "a power above 256" in found(high, types=Box(0, 1)).reason


# --- What is asked before all is traced


class Lazy:
    """Opens when somebody first asks which alternatives there are."""

    def __init__(self) -> None:
        self.opened: list[int] = []

    def value(self, agent: int, type: Any, allocation: Any) -> Any:
        return type[0] * allocation

    def alternatives(self, agents: int) -> Any:
        if not self.opened:
            self.opened.append(1)
        return (0, 1)

    def outcome(self, bids: Any) -> Any:
        return int(bool(self.opened)), [0]


@pytest.mark.parametrize("sides", [1, 9])
def test_alternatives_are_listed_by_the_machine_first(sides: int) -> None:
    """With nine sides there is no grid on which all would be looked at."""
    box = Box([0] * sides, [1] * sides)
    given = {"agents": 1, "types": box, "properties": ["efficient"], "effort": LITTLE}
    finding = prove_mechanism(Lazy(), **given)["efficient"]
    assert "changes a list that was there before" in finding.reason


class Moving(Fraction):
    asked: list[int] = []  # noqa: RUF012 - it keeps something, which is the point

    def __sub__(self, other: Any) -> Any:  # type: ignore[override]
        Moving.asked.append(1)
        return Fraction(self) - other


def test_a_space_of_alternatives_has_plain_bounds() -> None:
    space = Reals(0, 5)
    object.__setattr__(space, "high", Moving(5))

    class Nearest:
        def value(self, agent: int, type: Any, allocation: Any) -> Any:
            return -(type - allocation) * (type - allocation)

        def alternatives(self, agents: int) -> Any:
            return space

        def outcome(self, bids: Any) -> Any:
            return bids[0], [0]

    given = {"agents": 1, "types": Reals(0, 5), "properties": ["efficient"], "effort": LITTLE}
    Moving.asked.clear()
    assert prove_mechanism(Nearest(), **given)["efficient"].strength is not Strength.PROVED


HIDDEN = Fraction(0)


class Kind(Enum):
    FIRST = 0


def by_fraction() -> None:
    HIDDEN._numerator = 1  # type: ignore[attr-defined]


def by_member() -> None:
    Kind.FIRST._value_ = 1


@pytest.mark.parametrize("write", [by_fraction, by_member])
@agents
def test_what_shows_an_object_writes_nothing(write: Callable[[], None], agent: int) -> None:
    HIDDEN._numerator = 0  # type: ignore[attr-defined]
    Kind.FIRST._value_ = 0

    class Writing:
        def __repr__(self) -> str:
            write()
            return "Writing()"

        def outcome(self, bids: Any) -> Any:
            first = bids[agent] == Fraction(37, 100) and (HIDDEN != 0 or Kind.FIRST.value)
            return auction(bids, first)

    reason = found(Writing()).reason
    assert "it keeps something from call to call" in reason


def test_an_object_that_is_shown_plainly_is_proved() -> None:
    for each in (Stated(3), Told(3), functools.partial(lambda of, bids: of.outcome(bids), Told(3))):
        assert found(each).strength is Strength.PROVED


@agents
@pytest.mark.parametrize(
    ("first", "why"),
    [
        (lambda bid, other: (bid + other + 1) ** 64 < 1, "raised to a power of many summands"),
        (lambda bid, other: (1 + other - bid) ** 98 < 0, "raised to a power of many summands"),
        (
            lambda bid, other: (bid + 1) ** 150 * (other + 1) ** 150 < 1,
            "both have many summands",
        ),
        (lambda bid, other: sum(0 for _ in range(4_000)) > 0, "takes more than 10,000 steps"),
    ],
)
def test_what_takes_too_long_with_symbols_is_refused(
    first: Any, why: str, agent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(_machine._MOST_STEPS, True, 10_000)

    def sells(bids: Any) -> Any:
        return auction(bids, first(bids[agent], bids[1 - agent]))

    assert why in told(sells)


@agents
def test_an_outcome_that_takes_too_long_is_neither_proved_nor_searched(
    agent: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_machine, "_MOST_OF_A_CALL", 20_000)

    def sells(bids: Any) -> Any:
        for _ in range(10**9 if bids[agent] > 0 else 100):
            pass
        return auction(bids, False)

    finding = found(sells)
    assert finding.status is Status.AMBIGUOUS
    assert "takes more than 20,000 steps for one outcome; not searched" in finding.reason


def test_steps_are_counted_for_each_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each takes more than half of the most, and there are many."""
    monkeypatch.setattr(_machine, "_MOST_OF_A_CALL", 500)

    def sells(bids: Any) -> Any:
        for _ in range(100):
            pass
        return auction(bids, False)

    finding = found(sells)
    assert finding.strength is Strength.PROVED, finding


@pytest.mark.parametrize("name", ["exact", "whole"])
def test_steps_are_counted_for_each_property(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def after_many(prop: Any, setting: Any, plan: Any) -> Any:
        getattr(plan, name).machine.steps = 10**9
        return trace(prop, setting, plan)

    monkeypatch.setattr(_prove, "trace", after_many)
    asked = ["dsic", "individually_rational"]
    given: Any = {"types": Reals(0), "solver": "certificates", "effort": LITTLE}
    report = prove_mechanism(lambda b: auction(b, first=False), agents=2, properties=asked, **given)
    assert [finding.strength for finding in report.findings] == [Strength.PROVED] * 2


@pytest.mark.parametrize("written", [1, 0])
def test_what_is_written_into_floats_has_to_be_what_python_writes(
    written: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sells(bids: Any) -> Any:
        winner = 0 if bids[0] >= bids[1] else 1
        shares, price = np.zeros(2), bids[1 - winner]
        shares[winner] = 1
        shares[1 - winner] = 0
        return winner, [price * share for share in shares]

    as_float = _arrays.Arrays.as_float

    def mistaken(self: Any, value: Any) -> Any:
        made = as_float(self, value)
        if value == written and id(made) in self.as_floats:
            self.as_floats[id(made)] = made, Fraction(5)
        return made

    assert found(sells).strength is Strength.PROVED
    monkeypatch.setattr(_arrays.Arrays, "as_float", mistaken)
    assert "does something else" in told(sells)
