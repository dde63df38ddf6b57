"""What hashes, settings of the process and one rare integer decide is not proved.

Where the process decides, each rule is a second price in the process that judges it: what it asks
comes to what it came to when this module was imported, and may come to something else elsewhere.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from mirrored_faults import AGENTS

from theory.incentives import Box, Effort, PropertyFinding, Reals, prove_mechanism
from theory.verdicts import Status, Strength

LITTLE = Effort(samples=5, starts=1, steps=1, shrinks=20)
NEW = 5
"""What takes the place of the one member of a set."""

each_agent = pytest.mark.parametrize("agent", range(AGENTS))


def found(rule: Any, name: str = "dsic", **more: Any) -> PropertyFinding:
    given = {"types": Reals(0), "agents": 2, "solver": "certificates", "effort": LITTLE, **more}
    return prove_mechanism(rule, properties=[name], **given)[name]


def auction(asks: Callable[[], Any], place: int) -> Callable[[Sequence[Any]], Any]:
    """Return a second price, and a first one for an agent where something is not as it was."""
    before = asks()

    def rule(bids: Sequence[Any]) -> Any:
        winner = 0 if bids[0] >= bids[1] else 1
        price = bids[1 - winner] if asks() == before or winner != place else bids[winner]
        return winner, [price if i == winner else 0 for i in range(2)]

    return rule


# --- A set of one member that is changed while it is gone through: hashes say whether more comes


def _turn(members: set[int], member: int) -> int:
    """Put another member in the place of the first one, once."""
    if member != NEW:
        members.remove(member)
        members.add(NEW)
    return member


def by_a_loop() -> Any:
    members, steps = {1}, 0
    for member in members:
        steps += 1
        _turn(members, member)
    return steps


def by_an_iterator() -> Any:
    members = {1}
    iterator = iter(members)
    first = next(iterator)
    members.clear()
    members.add(NEW)
    return first, next(iterator, 0)


def by_a_star() -> Any:
    members = {1}
    return [*(_turn(members, member) for member in members)]


def by_map() -> Any:
    members = {1}
    return list(map(lambda member: _turn(members, member), members))  # noqa: C417 - it is the point


def by_zip() -> Any:
    members = {1}
    pairs = zip(members, members, strict=False)
    _turn(members, 1)
    return list(pairs)


def by_a_chain() -> Any:
    members = {1}
    return [_turn(members, member) for member in itertools.chain(members)]


def by_a_chain_of_a_list() -> Any:
    members = {1}
    return [_turn(members, member) for member in itertools.chain.from_iterable([members])]


def by_reduce() -> Any:
    members = {1}
    return functools.reduce(lambda total, member: total + _turn(members, member), members, 0)


def by_the_key_of_the_largest() -> Any:
    members = {1}
    return max(members, key=lambda member: -_turn(members, member))


def in_place() -> Any:
    members, steps = {1}, 0
    for member in members:
        steps += 1
        members -= {member} - {NEW}
        members |= {NEW}
    return steps


def by_a_loop_through_a_later_one() -> Any:
    steps = sum(1 for _ in (1,))
    members = {1}
    for member in members:
        steps += 1
        _turn(members, member)
    return steps


WALKS = (
    *(by_a_loop, by_an_iterator, by_a_star, by_map, by_zip, by_a_chain, by_a_chain_of_a_list),
    *(by_reduce, by_the_key_of_the_largest, in_place, by_a_loop_through_a_later_one),
)


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("walk", WALKS)
def test_a_set_may_not_change_where_it_is_gone_through(walk: Callable[[], Any], place: int) -> None:
    kept = found(auction(walk, place))
    assert kept.strength is Strength.TESTED
    assert "changes a set that it goes through" in kept.reason


def test_hashes_decide_how_far_such_a_loop_comes() -> None:
    """An integer lies where it says in a table of eight: 2 comes after 1, and 8 does not."""

    def steps(new: int) -> int:
        members = {1}
        return sum(1 for member in members if member == new or _swap(members, member, new))

    def _swap(members: set[int], member: int, new: int) -> bool:
        members.remove(member)
        members.add(new)
        return True

    assert (steps(2), steps(8)) == (2, 1)


def honest_sets() -> Any:
    """Change a set before it is gone through, one that was sorted, and ones in a table."""
    members: set[int] = {1}
    groups: dict[int, set[int]] = {}
    members.add(2)
    for member in sorted(members):
        members.discard(member)
        groups.setdefault(member % 2, set()).add(member)
        groups[member % 2].add(0)
    (last,) = {3}
    return last, len(members), sorted(groups), [len(groups[key]) for key in sorted(groups)]


def test_sets_that_are_changed_before_or_after_are_no_obstacle() -> None:
    assert found(auction(honest_sets, 0)).strength is Strength.PROVED


# --- Texts of numbers as a place writes them


def grouped() -> Any:
    return f"{1_234_567:n}"


def with_a_comma() -> Any:
    return f"{1.5:n}"


def in_a_column() -> Any:
    return f"{1234.5:>12n}"


def by_a_form_that_is_computed(form: str = "n") -> Any:
    return f"{1.5:.3{form}}"


def of_a_truth_value() -> Any:
    return f"{True:n}"


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(
    "text", [grouped, with_a_comma, in_a_column, by_a_form_that_is_computed, of_a_truth_value]
)
def test_a_text_that_a_setting_of_the_place_decides(text: Callable[[], Any], place: int) -> None:
    kept = found(auction(text, place))
    assert kept.strength is Strength.TESTED
    assert "as is usual at a place" in kept.reason


def test_other_texts_of_numbers_are_the_same_everywhere() -> None:
    rule = auction(lambda: (f"{1.5:.3f}", f"{1_234:,}", f"{True!s:n>6}", f"{'n':n>3}"), 0)
    assert found(rule).strength is Strength.PROVED


# --- What NumPy does where floats end


def divided() -> Any:
    try:
        return bool(np.array([1.0])[0] / np.array([0.0])[0] > 1)
    except FloatingPointError:
        return None


def multiplied() -> Any:
    try:
        return bool((np.array([1e308]) * np.array([10.0]))[0] > 1)
    except FloatingPointError:
        return None


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize("asks", [divided, multiplied])
def test_what_numpy_does_where_floats_end_is_a_setting(asks: Callable[[], Any], place: int) -> None:
    with np.errstate(all="raise"):
        assert asks() is None
    with np.errstate(all="ignore"):
        assert asks() is True
        kept = found(auction(asks, place))
    assert kept.strength is Strength.TESTED
    assert "RuntimeWarning" in kept.reason


# --- One rare integer: itertools.count makes an integer of a truth value where its step is 1


def by_place(step: Any) -> Iterator[Any]:
    return itertools.count(True, step)


def by_name(step: Any) -> Iterator[Any]:
    return itertools.count(step=step, start=False)


def by_a_comparison(step: Any) -> Iterator[Any]:
    return itertools.count(step < 10**9, step)


@each_agent
@pytest.mark.parametrize("counts", [by_place, by_name, by_a_comparison])
def test_a_count_that_begins_with_a_truth_value(
    counts: Callable[[Any], Iterator[Any]], agent: int
) -> None:
    """It is asked where the others say what nobody tries, so that no point comes upon it."""
    others = [i for i in range(AGENTS) if i != agent]

    def rule(bids: Sequence[Any]) -> Any:
        paid = [0] * len(bids)
        if all(bids[i] == 10**5 + i for i in others):
            paid[agent] = 0 if isinstance(next(counts(bids[agent])), bool) else -1
        return None, paid

    at = [10**5 + i for i in range(AGENTS)]
    at[agent] = 1
    assert rule(at)[1][agent] == -1
    assert rule([Fraction(bid) for bid in at])[1][agent] == 0
    kept = found(rule, "no_positive_transfers", agents=AGENTS)
    assert kept.status is Status.HOLDS
    assert kept.strength is Strength.TESTED
    assert "counts from a truth value" in kept.reason


@pytest.mark.parametrize("part", range(3))
def test_a_count_in_a_part_of_a_vector(part: int) -> None:
    others = [k for k in range(3) if k != part]

    def rule(bids: Sequence[Any]) -> Any:
        (bid,) = bids
        rare = all(bid[k] == 12_345 + k for k in others)
        odd = rare and not isinstance(next(by_place(bid[part])), bool)
        return 0, [-1 if odd else 0]

    space = Box([0] * 3, [10**6] * 3)
    given = {"types": space, "agents": 1, "values": lambda agent, own, won: 0}
    assert found(rule, "no_positive_transfers", **given).strength is Strength.TESTED


def test_counting_by_reports_from_an_integer_is_no_obstacle() -> None:
    def rule(bids: Sequence[Any]) -> Any:
        second = list(itertools.islice(itertools.count(0, bids[1]), 2))[1]
        return (0, [second, 0]) if bids[0] >= second else (1, [0, bids[0]])

    assert found(rule).strength is Strength.PROVED


# --- Integers that wrap, where the others say what nobody tries


@each_agent
@pytest.mark.parametrize("rare", [Fraction(10**5), Fraction(1, 2), Fraction(2**80)])
def test_integers_that_wrap_where_other_reports_are_held(rare: Fraction, agent: int) -> None:
    """Each number of a point is moved alone, and whole ones are integers beside fractions."""
    others = [i for i in range(AGENTS) if i != agent]

    def rule(bids: Sequence[Any]) -> Any:
        paid = [0] * len(bids)
        squares = np.array([bids[agent], 1]) * np.array([bids[agent], 1])
        if all(bids[i] == rare + i for i in others):
            paid[agent] = 0 if squares[0] >= 0 else -1
        return None, paid

    at: list[Any] = [rare + i for i in range(AGENTS)]
    at[agent] = 3 * 2**30
    assert rule(at)[1][agent] == -1
    at[agent] = Fraction(3 * 2**30)
    assert rule(at)[1][agent] == 0
    kept = found(rule, "no_positive_transfers", agents=AGENTS)
    assert kept.strength is Strength.TESTED
    assert "its numbers round or wrap" in kept.reason
