"""Searches begin at the numbers that stand in a mechanism's code, and just inside the bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from sweeps import mostly_slow

from theory.incentives import (
    Box,
    Effort,
    FiniteTypes,
    Product,
    Reals,
    Simplex,
    assert_holds_at,
    check_mechanism,
)
from theory.incentives.search._constants import constants, inside
from theory.incentives.setting import Setting
from theory.verdicts import Status

Bids = Sequence[Any]
F = Fraction
UNIT = Box(0, 1)
POINT = F(37, 100)


def second_price(bids: Bids) -> tuple[int, list[Any]]:
    winner = bids.index(max(bids))
    others = [bid for i, bid in enumerate(bids) if i != winner]
    return winner, [max(others) if i == winner else 0 for i in range(len(bids))]


def with_gift(bids: Bids, agent: int, given: bool) -> Any:
    """Second price, with a gift of 1/4 to one agent."""
    winner, paid = second_price(bids)
    return winner, [p - F(1, 4) * (given and i == agent) for i, p in enumerate(paid)]


def at_37_100(agent: int) -> Any:
    return lambda bids: with_gift(bids, agent, bids[agent] == F(37, 100))


def at_a_seventh(agent: int) -> Any:
    return lambda bids: with_gift(bids, agent, bids[agent] == F(1, 7))


def at_a_decimal(agent: int) -> Any:
    return lambda bids: with_gift(bids, agent, bids[agent] == F(Decimal("0.37")))


def at_a_float(agent: int) -> Any:
    return lambda bids: with_gift(bids, agent, bids[agent] == 0.37)


def in_a_window(agent: int) -> Any:
    return lambda bids: with_gift(bids, agent, F(4321, 10000) < bids[agent] < F(4331, 10000))


def in_a_window_of_floats(agent: int) -> Any:
    return lambda bids: with_gift(bids, agent, 0.7312 < bids[agent] < 0.7322)


def around_a_float(agent: int) -> Any:
    return lambda bids: with_gift(bids, agent, abs(bids[agent] - 0.6137) < 0.0005)


def in_a_corner(agent: int) -> Any:
    """First price for one agent where all bids are close to the upper bound."""

    def rule(bids: Bids) -> Any:
        winner, paid = second_price(bids)
        own = winner == agent and min(bids) > 0.999
        return winner, [bids[i] if own and i == winner else p for i, p in enumerate(paid)]

    return rule


def in_a_corner_of_fractions(agent: int) -> Any:
    def rule(bids: Bids) -> Any:
        winner, paid = second_price(bids)
        own = winner == agent and min(bids) > F(999, 1000)
        return winner, [bids[i] if own and i == winner else p for i, p in enumerate(paid)]

    return rule


def in_a_closure(agent: int) -> Any:
    point = F(37, 100)
    return lambda bids: with_gift(bids, agent, bids[agent] == point)


def in_a_global(agent: int) -> Any:
    return lambda bids: with_gift(bids, agent, bids[agent] == POINT)


def in_a_default(agent: int) -> Any:
    def rule(bids: Bids, points: Sequence[Fraction] = (F(1, 7), F(37, 100))) -> Any:
        return with_gift(bids, agent, bids[agent] in points)

    return rule


def is_special(bid: Any) -> bool:
    return bool(bid == F(37, 100))


def in_a_function_called(agent: int) -> Any:
    return lambda bids: with_gift(bids, agent, is_special(bids[agent]))


def in_nested_code(agent: int) -> Any:
    def rule(bids: Bids) -> Any:
        def special(bid: Any) -> bool:
            return bool(bid == F(37, 100))

        return with_gift(bids, agent, special(bids[agent]))

    return rule


def at_a_point(bids: Bids, *, agent: int, point: Fraction) -> Any:
    return with_gift(bids, agent, bids[agent] == point)


def in_a_partial(agent: int) -> Any:
    return partial(at_a_point, agent=agent, point=F(37, 100))


@dataclass(frozen=True)
class InAnAttribute:
    agent: int
    points: dict[str, Any] = field(default_factory=lambda: {"special": F(37, 100)})

    def outcome(self, bids: Bids) -> Any:
        return with_gift(bids, self.agent, bids[self.agent] == self.points["special"])


class OfTheClass:
    point = F(37, 100)

    def __init__(self, agent: int) -> None:
        self.agent = agent

    def outcome(self, bids: Bids) -> Any:
        return with_gift(bids, self.agent, self.special(bids[self.agent]))

    def special(self, bid: Any) -> bool:
        return bool(bid == self.point)


MISSES: dict[str, Callable[[int], Any]] = {
    "37/100": at_37_100,
    "1/7": at_a_seventh,
    "decimal": at_a_decimal,
    "float": at_a_float,
    "window": in_a_window,
    "window of floats": in_a_window_of_floats,
    "around a float": around_a_float,
    "corner": in_a_corner,
    "corner of fractions": in_a_corner_of_fractions,
}
PLACES: dict[str, Callable[[int], Any]] = {
    "closure": in_a_closure,
    "global": in_a_global,
    "default": in_a_default,
    "function called": in_a_function_called,
    "nested code": in_nested_code,
    "partial": in_a_partial,
    "attribute": InAnAttribute,
    "class": OfTheClass,
}


def is_caught(rule: Any, agents: int, seed: int, types: Any = UNIT) -> None:
    report = check_mechanism(rule, types=types, agents=agents, properties=["dsic"], seed=seed)
    finding = report["dsic"]
    assert finding.status is Status.REFUTED
    assert finding.witness is not None
    with pytest.raises(AssertionError):
        assert_holds_at(rule, "dsic", finding.witness.instance, types=types, agents=agents)


@pytest.mark.parametrize("seed", mostly_slow([0, 1, 2]))
@pytest.mark.parametrize("agent", [0, 1])
@pytest.mark.parametrize("miss", MISSES)
def test_faults_at_points_and_in_windows_are_found(miss: str, agent: int, seed: int) -> None:
    is_caught(MISSES[miss](agent), 2, seed)


@pytest.mark.parametrize("agent", [0, 2])
@pytest.mark.parametrize("miss", MISSES)
def test_among_three_agents_too(miss: str, agent: int) -> None:
    is_caught(MISSES[miss](agent), 3, 5)


@pytest.mark.parametrize(("agents", "agent"), [(2, 0), (2, 1), (3, 2)])
@pytest.mark.parametrize("place", PLACES)
def test_wherever_the_number_stands(place: str, agents: int, agent: int) -> None:
    is_caught(PLACES[place](agent), agents, 3)


@pytest.mark.parametrize("agent", [0, 1])
def test_on_other_spaces(agent: int) -> None:
    is_caught(at_37_100(agent), 2, 1, Reals(low=0))
    is_caught(at_37_100(agent), 2, 1, Reals())

    def by_rewards(reports: Bids) -> Any:
        odd = reports[agent][1] == F(37, 100)
        return 0, [-F(1, 4) * (odd and i == agent) for i in range(2)]

    for space in (Box([0, 0], [1, 1]), Simplex(2)):
        is_caught(by_rewards, 2, 1, space)

    def hired(reports: Bids) -> Any:
        odd = reports[agent] == ("new", F(37, 100))
        return 0, [-F(1, 4) * (odd and i == agent) for i in range(2)]

    kinds = Product(FiniteTypes(["old", "new"]), UNIT)
    report = check_mechanism(
        hired, types=kinds, agents=2, properties=["dsic"], values=lambda i, t, a: 0
    )
    assert report["dsic"].status is Status.REFUTED


def test_a_search_judges_no_more_instances_than_before() -> None:
    """The seeds take the place of random instances: the budget is that of ``Effort``."""
    effort = Effort(samples=400, starts=4, steps=40)
    for rule in (second_price, lambda bids: with_gift(bids, 0, bids[0] == F(355, 113))):
        report = check_mechanism(rule, types=UNIT, agents=2, properties=["dsic"], effort=effort)
        assert report["dsic"].status is Status.HOLDS
        # Lattices of 1, 2, 4, 5 and 8 steps have at most 400 instances; Hypothesis draws 20.
        lattices = sum(2 * (k + 1) ** 2 * k for k in (1, 2, 4, 5))
        assert report["dsic"].scope.instances <= 400 + 4 * 40 + 20 + lattices + 4


def test_the_same_seed_begins_at_the_same_points() -> None:
    rules = [in_a_window(0), in_a_corner(1), InAnAttribute(1)]
    for rule in rules:
        one, two = (
            check_mechanism(rule, types=UNIT, agents=2, properties=["dsic"], seed=4)
            for _ in range(2)
        )
        assert one.findings == two.findings


def test_constants_by_hand() -> None:
    found = constants(Setting(at_37_100(1), (UNIT,) * 2))
    assert found.index(F(37, 100)) < 12
    assert {F(1, 4), F(37), F(100), F(100, 37)} <= set(found)
    # 1.5 + 2 is folded by the compiler, and a docstring is no number.
    assert F(7, 2) in constants(Setting(lambda bids: bids[0] > 1.5 + 2, (UNIT,)))
    assert constants(Setting(len, (UNIT,))) == ()


def test_points_by_hand() -> None:
    """Each constant within the bounds, a step to both sides of it, and between neighbours."""
    clusters = inside((F(1, 2), F(3)), F(0), F(1))
    points = [point for cluster in clusters for point in cluster]
    assert {F(0), F(1, 4), F(1, 2), F(3, 4), F(1)} <= set(points)
    assert all(0 <= point <= 1 for point in points)
    just_inside = [point for point in points if F(999_999, 1_000_000) < point < 1]
    assert just_inside


def test_what_cannot_be_looked_into_is_left_alone() -> None:
    class Hostile:
        def __getattribute__(self, name: str) -> Any:
            if name.startswith("__"):
                return object.__getattribute__(self, name)
            if name == "outcome":
                return second_price
            raise AttributeError(name)

    class Lying:
        """Says that it has attributes, and raises when they are asked for."""

        __slots__ = ("never",)

        def outcome(self, bids: Bids) -> Any:
            return second_price(bids)

    for odd in (Hostile(), Lying()):
        report = check_mechanism(
            odd, types=UNIT, agents=2, properties=["dsic"], effort=Effort(samples=40, starts=1)
        )
        assert report["dsic"].status is Status.HOLDS


def test_code_that_names_itself_ends() -> None:
    def rule(bids: Bids) -> Any:
        return second_price(bids) if bids else rule(bids)

    loop: list[Any] = [1, F(1, 3)]
    loop.append(loop)

    def looped(bids: Bids) -> Any:
        return second_price(bids) if loop else None

    assert constants(Setting(rule, (UNIT,)))
    assert F(1, 3) in constants(Setting(looped, (UNIT,)))


def test_huge_numbers_and_tables_are_left_out() -> None:
    many = list(range(10**5))
    huge = 10**5000

    def rule(bids: Bids) -> Any:
        return second_price(bids) if many and huge else None

    found = constants(Setting(rule, (UNIT,)))
    assert len(found) <= 2_000
    assert max(found) < 10**300
