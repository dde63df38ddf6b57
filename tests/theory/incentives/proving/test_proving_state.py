"""What outlives a call: no proof rests on it where a call or the prover itself may change it.

Each mechanism is a first price where something was not yet kept, and a second price where it was;
``agent`` says whose bid comes upon it.
"""

from __future__ import annotations

import functools
import warnings
from fractions import Fraction
from typing import Any

import pytest

from theory.incentives import Box, Effort, PropertyFinding, Reals, prove_mechanism
from theory.verdicts import Strength

LITTLE = Effort(samples=5, starts=1, steps=1, shrinks=20)
agents = pytest.mark.parametrize("agent", [0, 1])


def found(mechanism: Any, **arguments: Any) -> PropertyFinding:
    given = {"types": Reals(0), "solver": "certificates", "effort": LITTLE, **arguments}
    return prove_mechanism(mechanism, agents=2, properties=["dsic"], **given)["dsic"]


def auction(bids: Any, first: object) -> tuple[int, list[Any]]:
    winner = 0 if bids[0] >= bids[1] else 1
    price = bids[winner] if first else bids[1 - winner]
    return winner, [price if i == winner else 0 for i in range(2)]


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

    assert "a cache that is not empty: call its cache_clear()" in found(sells).reason
    paid.cache_clear()
    for _ in range(2):  # proofs leave it empty
        assert found(sells).strength is Strength.PROVED
        assert paid.cache_info().currsize == 0


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

    assert "computes fee of a Rates that was there before" in found(sells).reason

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


class Counter:
    """Counts how often it is shown, in a table that only a definition holds."""

    def __init__(self) -> None:
        self.counted: dict[str, int] = {"shown": 0}

    def __repr__(self) -> str:
        self.counted["shown"] += 1
        return "Counter()"

    def outcome(self, bids: Any) -> Any:
        return auction(bids, self.first())


def test_what_a_definition_holds_stays_as_it_is() -> None:
    by_default, by_partial = Counter(), Counter()

    def usual(*, shown: int = 0) -> bool:
        return shown > 60

    usual.__kwdefaults__ = by_default.counted
    by_default.first = usual  # type: ignore[attr-defined]
    assert "a dict that it asks for changes" in found(by_default).reason

    partial = functools.partial(lambda shown: shown > 60, shown=0)
    by_partial.first = partial  # type: ignore[attr-defined]
    by_partial.counted = partial.keywords
    assert "a dict that it asks for changes" in found(by_partial).reason


def test_a_name_among_those_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    import builtins

    class Telling(Counter):
        def __repr__(self) -> str:
            builtins.shown_so_far += 1  # type: ignore[attr-defined]
            return "Telling()"

        def first(self) -> bool:
            return shown_so_far > 60  # type: ignore[name-defined] # noqa: F821

    monkeypatch.setattr(builtins, "shown_so_far", 0, raising=False)
    assert "shown_so_far, which it asks for, changes" in found(Telling()).reason


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
