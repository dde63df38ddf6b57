"""No mechanism that tells symbols from numbers, or keeps something, is proved."""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import operator
import statistics
import sys
import sysconfig
from collections import Counter
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple, cast

import numpy as np
import pytest
from adversarial_attributes import FLAGS
from adversarial_differences import ASKING, CONDITIONS
from adversarial_mechanisms import RARE, Countdown, Rare, auction
from adversarial_outcomes import PassingForAFunction
from adversarial_parts import MECHANISMS
from ordinary_mechanisms import ORDINARY
from sweeps import in_turns

from theory.errors import InvalidInputError
from theory.incentives import Effort, PropertyFinding, Reals, prove_mechanism
from theory.verdicts import Strength

LITTLE = Effort(samples=5, starts=1, steps=1, shrinks=20)


def dsic(mechanism: Any) -> PropertyFinding:
    report = prove_mechanism(
        mechanism,
        types=Reals(0),
        agents=2,
        properties=["dsic"],
        solver="certificates",
        effort=LITTLE,
    )
    return report["dsic"]


def test_the_gallery_is_large_and_its_auction_is_proved_without_a_condition() -> None:
    assert len(CONDITIONS) >= 220
    assert len(MECHANISMS) >= 20
    assert len(ORDINARY) >= 25
    for place in (0, -1):
        honest = dsic(auction(lambda x: x == 17 and x < 3, place))
        assert honest.strength is Strength.PROVED, str(honest)


@pytest.mark.parametrize("name", FLAGS)
def test_python_computes_one_where_a_machine_may_not(name: str) -> None:
    assert FLAGS[name]() == 1


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize("name", ASKING)
def test_what_asks_knows_a_rare_number_from_others(name: str) -> None:
    assert ASKING[name](RARE)
    assert not ASKING[name](Fraction(1))


AT_EITHER_PLACE = [(name, place) for name in CONDITIONS for place in (0, -1)]
PARTS = 4


def test_each_condition_is_tried_at_one_place_and_then_at_the_other() -> None:
    turns = [in_turns(AT_EITHER_PLACE, PARTS, turn) for turn in range(PARTS)]
    due = [[p.values for p in turn if not p.marks] for turn in turns]
    assert sorted(map(str, itertools.chain(*due))) == sorted(map(str, AT_EITHER_PLACE))
    for first, second in zip(due[::2], due[1::2], strict=True):
        assert [name for name, _ in first] == [name for name, _ in second]
        assert {place for _, place in first + second} == {0, -1}


@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(("name", "place"), in_turns(AT_EITHER_PLACE, PARTS))
def test_what_symbols_cannot_answer_is_not_proved(name: str, place: int) -> None:
    found = dsic(auction(CONDITIONS[name], place))
    assert found.strength is not Strength.PROVED, found
    assert found.proof is None


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize("kind", [Countdown, Rare])
def test_what_changes_after_many_calls_is_not_proved(kind: Any, place: int) -> None:
    found = dsic(kind(place))
    assert found.strength is not Strength.PROVED
    assert "keeps something from call to call" in found.reason


@pytest.mark.parametrize("name", MECHANISMS)
def test_what_the_judge_runs_by_itself_decides_nothing(name: str) -> None:
    mechanism, given = MECHANISMS[name]
    where = {"types": Reals(0), **given}
    if not isinstance(where["types"], list):
        where = {"agents": 2, **where}
    where = {"properties": ["dsic"], **where}
    report = prove_mechanism(mechanism, effort=LITTLE, **where)
    assert not any(found.strength is Strength.PROVED for found in report.findings), report


def test_what_passes_for_a_function_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="false __class__"):
        dsic(PassingForAFunction())


@pytest.mark.parametrize("place", [0, -1])
def test_no_number_of_others_makes_the_comparison_coarse(place: int) -> None:
    def third(bids: Any) -> Any:
        winner, paid = auction(lambda x: np.ones(1)[0] / 3 == 1 / 3, place)(bids[:2])
        return winner, [*paid, 10**2000, 0.5]

    def alone(bids: Any) -> Any:
        return (0 if bids[0] >= bids[1] else 1), [bids[0] / 2**30, 0, 10**2000, 0.5]

    for mechanism, agents in ((third, 4), (alone, 4)):
        report = prove_mechanism(
            mechanism, types=Reals(0), agents=agents, properties=["dsic"], effort=LITTLE
        )
        assert report["dsic"].strength is not Strength.PROVED


@pytest.mark.parametrize("is_own", [False, True])
def test_alternatives_that_know_who_asks_prove_nothing(is_own: bool) -> None:
    def alternatives(agents: int) -> list[int]:
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_code.co_name != "prove_mechanism":
            frame = frame.f_back
        return [0, 1] if frame is None else [0]

    class Always:
        def outcome(self, bids: Any) -> Any:
            return 0, [0, 0]

    mechanism: Any = Always()
    if is_own:
        mechanism.alternatives = alternatives
    given = None if is_own else alternatives
    report = prove_mechanism(
        mechanism, agents=2, properties=["efficient"], effort=LITTLE, alternatives=given
    )
    assert report["efficient"].strength is not Strength.PROVED


class Text(str):
    __slots__ = ()

    def partition(self, sep: str, /) -> Any:
        return "mine", "", ""

    def startswith(self, *_: Any) -> bool:
        return True


@pytest.mark.parametrize("place", [0, 1])
def test_values_of_a_class_that_passes_for_ours_are_watched(place: int) -> None:
    class Values:
        __module__ = Text("theory.mine")
        linear = False

        def value(self, agent: int, own: Any, allocation: Any) -> Any:
            rare = type(own) is Fraction and own == Fraction(5, 31) and agent == place
            return own if (allocation == agent) is not rare else 0

        def violation(self, allocation: Any, agents: int) -> int:
            return 0

        def alternatives(self, agents: int) -> range:
            return range(agents)

    def mechanism(bids: Any) -> Any:
        winner = 0 if bids[0] >= bids[1] else 1
        return winner, [bids[1 - winner] if i == winner else 0 for i in range(2)]

    values: Any = Values()
    report = prove_mechanism(
        mechanism, agents=2, types=Reals(0), properties=["dsic"], values=values, effort=LITTLE
    )
    assert report["dsic"].strength is not Strength.PROVED


# --- A mechanism of a package that is installed, which is no part of this library

OF_A_PACKAGE = """
from fractions import Fraction

TOOLS = [type]
COUNT = [0]


def rare(x):
    return ((lambda x, d: 0), {Fraction(5, 31): 1}.get)[TOOLS[0](x) is Fraction](x, 0)


def late(x):
    COUNT[0] += 1
    return 0 + (COUNT[0] > 20_000)


def never(x):
    return 0


def auction(asks, place):
    def mechanism(bids):
        winner = max(range(len(bids)), key=bids.__getitem__)
        price = max(bid for i, bid in enumerate(bids) if i != winner)
        price = price + asks(bids[place]) * (bids[winner] - price)
        return winner, [price if i == winner else 0 for i in range(len(bids))]

    return mechanism
"""


@pytest.mark.parametrize("place", [0, -1])
@pytest.mark.parametrize(("name", "is_proved"), [("rare", False), ("late", False), ("never", True)])
def test_the_code_of_a_package_is_watched_too(name: str, place: int, is_proved: bool) -> None:
    file = Path(sysconfig.get_paths()["purelib"], "somebody", "auctions.py")
    package: dict[str, Any] = {"__name__": "somebody.auctions"}
    exec(compile(OF_A_PACKAGE, file, "exec"), package)
    found = dsic(package["auction"](package[name], place))
    assert (found.strength is Strength.PROVED) is is_proved, str(found)


@pytest.mark.parametrize("place", [0, 1])
def test_code_that_overflows_where_numbers_are_small_is_not_proved(place: int) -> None:
    def powers(bids: Any) -> Any:
        _ = (bids[place] * 1.0) ** 250  # which is beyond floats from 20 on
        return (0, [1, 0]) if bids[0] > 1 else (None, [0, 0])

    found = dsic(powers)
    assert found.strength is not Strength.PROVED, found
    assert found.reason.startswith("not traced: the code fails at reports")
    assert "raised OverflowError" in found.reason


# --- Ordinary code, which keeps its proof


def best_bids(bids: Any) -> tuple[int, Any]:
    best, second, winner = -math.inf, -math.inf, 0
    for i, bid in enumerate(bids):
        if bid > best:
            best, second, winner = bid, best, i
        elif bid > second:
            second = bid
    return winner, second


def an_infinite_start(bids: Any) -> Any:
    winner, price = best_bids(bids)
    return winner, [price if i == winner else 0 for i in range(len(bids))]


def an_array_of_zeros(bids: Any) -> Any:
    winner, price = best_bids(bids)
    payments = np.zeros(len(bids))
    payments[winner] = price
    return winner, payments


def a_list_of_whole_floats(bids: Any) -> Any:
    winner, price = best_bids(bids)
    payments = [0.0] * len(bids)
    payments[winner] = price
    return winner, payments


def half_of_both(bids: Any) -> Any:
    """Sell to the first at half of what the others bid together."""
    price = 0.5 * sum(bids[1:])
    sold = bids[0] > price
    return (0 if sold else None), [price if sold and i == 0 else 0 for i in range(len(bids))]


def a_quotient(bids: Any) -> Any:
    """Sell to the first at what the last bids for each unit of one more than that."""
    price = bids[-1] / (1 + bids[-1])
    sold = bids[0] > price
    return (0 if sold else None), [price if sold and i == 0 else 0 for i in range(len(bids))]


def truths_as_numbers(bids: Any) -> Any:
    winner, price = best_bids(bids)
    return winner, (price * (i == winner) for i in range(len(bids)))


class Sale(NamedTuple):
    winner: int
    price: Any


@dataclass(frozen=True)
class Reserve:
    """A second price with a reserve, in the form of a class with parts."""

    least: Fraction
    names: tuple[str, ...] = ("ann", "bob")

    @property
    def floor(self) -> Fraction:
        return self.least

    def sale(self, bids: Any) -> Sale | None:
        (_, first), (price, _) = sorted(zip(bids, count(), strict=False), reverse=True)[:2]
        return Sale(first, max(price, self.floor)) if bids[first] >= self.floor else None

    def outcome(self, bids: Any) -> Any:
        sale = self.sale(bids)
        if sale is None:
            return None, [0] * len(bids)
        return sale.winner, [sale.price if i == sale.winner else 0 for i in range(len(bids))]


class Form(Enum):
    OPEN = auto()
    SEALED = auto()


FORM = Form.SEALED
WEIGHTS = {"ann": Fraction(1), "bob": Fraction(1)}


def with_tables(bids: Any) -> Any:
    """Take the second price by names, with a counter, a median and an enumeration."""
    names = list(WEIGHTS)
    offers = {name: WEIGHTS[name] * bid for name, bid in zip(names, bids, strict=True)}
    best = max(offers, key=lambda name: offers[name])
    if FORM is Form.OPEN:
        raise ValueError(f"the form {best} is unknown")
    wins = Counter(best for _ in range(3))
    price = statistics.median(sorted([*bids, min(bids)]))
    payments = functools.reduce(operator.add, [[price if n in wins else 0] for n in names])
    return names.index(best), payments


def with_heaps(bids: Any) -> Any:
    (_, second) = heapq.nlargest(2, bids)
    winner = next(i for i, bid in enumerate(bids) if bid == max(bids))
    pairs = [pair for pair in itertools.permutations(range(len(bids)), 2) if pair[0] == winner]
    return winner, [cast("Any", second) * any(p[0] == i for p in pairs) for i in range(len(bids))]


def with_arrays(bids: Any) -> Any:
    values = np.array(bids, dtype=object)
    winner = int(np.argmax(values))
    others = np.delete(values, winner)
    payments = np.zeros(len(bids), dtype=object)
    payments[winner] = others.max()
    return winner, payments


@pytest.mark.parametrize("name", in_turns(ORDINARY, 4))
def test_what_people_write_is_proved(name: str) -> None:
    found = dsic(ORDINARY[name])
    assert found.strength is Strength.PROVED, str(found)


WITH_LIBRARIES = [
    an_infinite_start,
    an_array_of_zeros,
    a_list_of_whole_floats,
    half_of_both,
    a_quotient,
    truths_as_numbers,
    Reserve(Fraction(1, 3)),
    with_tables,
    with_heaps,
    with_arrays,
]


@pytest.mark.parametrize("mechanism", in_turns(WITH_LIBRARIES, 3))
def test_ordinary_code_is_proved(mechanism: Any) -> None:
    found = dsic(mechanism)
    assert found.strength is Strength.PROVED, str(found)


@pytest.mark.parametrize("place", [0, -1])
def test_ordinary_code_with_a_fault_is_not(place: int) -> None:
    for mechanism in (an_infinite_start, an_array_of_zeros, half_of_both, a_quotient):

        def dearer(bids: Any, mechanism: Any = mechanism) -> Any:
            allocation, paid = mechanism(bids)
            more = [p + bids[place] / 8 if p > 0 else p for p in paid]
            return allocation, more

        assert dsic(dearer).strength is not Strength.PROVED


def test_a_price_for_several_units_is_refuted_before_it_is_traced() -> None:
    def uniform(bids: Any) -> Any:
        order = sorted(range(len(bids)), key=lambda i: -bids[i])
        price = bids[order[1]]
        return tuple(int(i in order[:2]) for i in range(len(bids))), [
            price if i in order[:2] else 0 for i in range(len(bids))
        ]

    report = prove_mechanism(uniform, agents=4, types=Reals(0), properties=["dsic"], steps=1)
    witness = report["dsic"].witness
    assert witness is not None
    assert witness.replay().fails
    assert "on a grid" in witness.minimality
