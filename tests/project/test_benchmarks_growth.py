"""Exponents of made-up costs, and ladders that are climbed by processes never started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from benchmark_fakes import Clock, Processes, how

from benchmarks.harness import AtMostValue, GrowsNoFaster, Growth, Ladder, Work, same
from benchmarks.harness.alone import Outcome
from benchmarks.harness.climbing import measure_ladder
from benchmarks.harness.growing import exponent, measure_growth
from theory.errors import InvalidInputError, LimitError

SIZES = (1, 2, 4, 8)


def growth(clock: Clock, cost: Callable[[int], float], **rest: Any) -> Growth:
    def ours(n: int) -> Work:
        return clock.work(f"ours {n}", [cost(n)], n)

    given: dict[str, Any] = {"id": "a.b", "issue": 9, "work": "w", "sizes": SIZES, "ours": ours}
    return Growth(**{**given, **rest})


def beside(clock: Clock, cost: Callable[[int], float]) -> dict[str, Any]:
    def peer(n: int) -> Work:
        return clock.work(f"peer {n}", [cost(n)], n)

    return {"peer": peer, "peer_name": "a peer", "agree": same}


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 3.0])
def test_the_exponent_of_a_power_is_found(power: float) -> None:
    assert exponent({n: 0.3 * n**power for n in SIZES}) == pytest.approx([power] * 3)


def test_a_curve_that_bends_shows_in_the_spread() -> None:
    fitted, low, high = exponent({n: 10.0 + n**2 for n in (1, 10, 100)})
    assert low == pytest.approx(1.0, abs=1e-9)  # from 11 to 110
    assert high == pytest.approx(1.9590, abs=1e-4)  # log10(10010 / 110)
    assert fitted == pytest.approx((low + high) / 2)


def test_two_sizes_tell_no_exponent() -> None:
    assert exponent({1: 1.0, 2: 2.0}) == []
    assert exponent({1: 1.0, 2: 2.0, 4: 0.0}) == []


def test_growth_is_measured_beside_a_peer() -> None:
    clock = Clock()
    bench = growth(
        clock,
        lambda n: n / 100,
        **beside(clock, lambda n: n**2 / 100),
        target=AtMostValue("exponent", 1.1),
    )
    found = measure_growth(bench, how(clock))
    assert found.ours == pytest.approx({n: n / 100 for n in SIZES})
    assert found.peer == pytest.approx({n: n**2 / 100 for n in SIZES})
    assert found.exponent == pytest.approx([1, 1, 1])
    assert found.peer_exponent == pytest.approx([2, 2, 2])
    assert [target.reached for target in found.targets] == [True]


def test_a_target_of_growth_can_be_missed() -> None:
    clock = Clock()
    bench = growth(clock, lambda n: n**2 / 100, target=AtMostValue("exponent", 1.1))
    assert [each.reached for each in measure_growth(bench, how(clock)).targets] == [False]


@pytest.mark.parametrize(
    ("power", "peer_power", "reached"), [(1.0, 1.0, True), (2.0, 1.5, False), (1.5, 2.0, True)]
)
def test_growth_is_judged_beside_that_of_the_peer(
    power: float, peer_power: float, reached: bool
) -> None:
    clock = Clock()
    peer = beside(clock, lambda n: n**peer_power / 64)
    bench = growth(clock, lambda n: n**power / 64, **peer, target=GrowsNoFaster())
    (found,) = measure_growth(bench, how(clock)).targets
    assert found.figure == pytest.approx(power - peer_power, abs=1e-12)
    assert found.reached is reached
    assert "no faster than a peer" in found.says


def test_exponents_that_are_compared_are_of_the_sizes_that_both_did() -> None:
    clock = Clock()
    peer = beside(clock, lambda n: n / 64)
    bent = growth(
        clock, lambda n: n**3 if n > 4 else 1, **peer, peer_up_to=4, target=GrowsNoFaster()
    )
    found = measure_growth(bent, how(clock))
    assert found.exponent[0] > 1
    (target,) = found.targets
    assert target.figure == pytest.approx(-1)
    assert target.reached


def test_growth_beside_a_missing_or_short_lived_peer_is_not_judged() -> None:
    clock = Clock()
    target = GrowsNoFaster()
    short = growth(clock, float, **beside(clock, float), peer_up_to=2, target=target)
    assert [each.reached for each in measure_growth(short, how(clock)).targets] == [None]
    lacking = growth(clock, float, **beside(clock, float), needs=("apeer",), target=target)
    found = measure_growth(lacking, how(clock, lacks=["apeer"]))
    assert [each.reached for each in found.targets] == [None]
    with pytest.raises(InvalidInputError, match="is compared with nothing"):
        growth(clock, float, target=target)


def test_answers_that_differ_at_one_size_leave_no_times() -> None:
    clock = Clock()
    rest = beside(clock, float)
    rest["agree"] = lambda ours, theirs: "" if ours < 4 else "too large"
    found = measure_growth(growth(clock, float, **rest), how(clock))
    assert found.status == "differs"
    assert found.note == "answers differ at size 4: too large"
    assert (found.ours, found.peer, found.exponent) == ({}, {}, [])


def test_answers_of_growth_that_cannot_be_compared_are_no_agreement() -> None:
    clock = Clock()
    rest = beside(clock, float)
    rest["agree"] = lambda ours, theirs: ours.nothing
    found = measure_growth(growth(clock, float, **rest), how(clock))
    assert found.status == "differs"
    assert "cannot be compared" in found.note


def test_work_that_breaks_at_a_later_call_fails_the_growth() -> None:
    clock = Clock()

    def ours(n: int) -> Work:
        takes = clock.work(f"ours {n}", [n / 100], n)

        def work() -> None:
            if clock.order.count("ours 2") >= 2:
                raise RuntimeError("not again")
            takes()

        return work

    found = measure_growth(growth(clock, float, ours=ours), how(clock))
    assert found.status == "failed"
    assert found.note == "failed when it was done again at size 2: RuntimeError: not again"


def test_a_method_that_takes_too_long_is_not_asked_for_more() -> None:
    clock = Clock()
    found = measure_growth(
        growth(clock, lambda n: n / 100, **beside(clock, lambda n: 6.0 * n)), how(clock)
    )
    assert list(found.ours) == [1, 2, 4, 8]
    assert list(found.peer) == [1, 2]
    assert found.peer_exponent == []


def test_a_peer_is_given_no_more_than_it_is_meant_for() -> None:
    clock = Clock()
    bench = growth(clock, lambda n: n / 100, **beside(clock, lambda n: n / 100), peer_up_to=4)
    measure_growth(bench, how(clock))
    assert "peer 4" in clock.order
    assert "peer 8" not in clock.order


def test_a_refusal_ends_the_growth_and_is_told() -> None:
    clock = Clock()

    def ours(n: int) -> Work:
        if n > 4:
            raise LimitError("n", n, "is beyond 4", "give less")
        return clock.work("ours", [n / 100], n)

    found = measure_growth(growth(clock, float, ours=ours), how(clock))
    assert list(found.ours) == [1, 2, 4]
    assert found.exponent == pytest.approx([1, 1, 1])
    assert "ours ends at size 8" in found.note


@pytest.mark.parametrize("first", [1, 4])
def test_a_growth_that_breaks_fails(first: int) -> None:
    clock = Clock()

    def ours(n: int) -> Work:
        if n >= first:
            raise RuntimeError("broken")
        return clock.work("ours", [n / 100], n)

    found = measure_growth(growth(clock, float, ours=ours), how(clock))
    assert found.status == "failed"
    assert found.note == f"ours ends at size {first}: RuntimeError: broken"


def test_a_peer_of_growth_that_breaks_is_told() -> None:
    clock = Clock()
    rest = beside(clock, lambda n: n / 100)

    def peer(n: int) -> Work:
        raise RuntimeError("broken")

    found = measure_growth(growth(clock, lambda n: n / 100, **{**rest, "peer": peer}), how(clock))
    assert (found.status, found.peer) == ("measured", {})
    assert list(found.ours) == list(SIZES)
    assert found.note == "peer ends at size 1: RuntimeError: broken"


def test_a_missing_peer_of_growth_is_named() -> None:
    clock = Clock()
    bench = growth(clock, lambda n: n / 100, **beside(clock, float), needs=("apeer",))
    found = measure_growth(bench, how(clock, lacks=["apeer"]))
    assert (found.note, found.peer) == ("not installed: apeer", {})
    assert list(found.ours) == list(SIZES)


@pytest.mark.parametrize("sizes", [(), (1, 2), (1, 1, 2), (4, 2, 1)])
def test_sizes_must_rise(sizes: tuple[int, ...]) -> None:
    with pytest.raises(InvalidInputError, match="cannot show a growth"):
        growth(Clock(), float, sizes=sizes)


def climbed(*outcomes: Outcome) -> tuple[str, float | None, str, Processes]:
    def steps(method: str) -> Iterator[tuple[str, Work]]:
        for n in range(5):
            yield f"{n} items", list

    processes = Processes({f"ours:{n}": outcome for n, outcome in enumerate(outcomes)})
    bench = Ladder(id="a.b", issue=4, work="w", methods=("ours",), steps=steps)
    found = measure_ladder(bench, how(Clock(), processes))
    (climb,) = found.climbs
    assert (found.status == "failed") == climb.next.startswith("failed")
    return climb.last, climb.seconds, climb.next, processes


def test_a_ladder_ends_where_a_step_takes_over_a_minute() -> None:
    late = Outcome(late=True, problem="over 60 s")
    last, seconds, stop, processes = climbed(Outcome(process=5.0), Outcome(process=6.0), late)
    assert (last, seconds, stop) == ("1 items", 6.0, "2 items: over 60 s")
    assert {limit for _, _, limit in processes.calls} == {60.0}


def test_a_ladder_ends_where_a_step_is_refused() -> None:
    refused = Outcome(refused=True, problem="too many")
    assert climbed(Outcome(process=5.0), refused)[:3] == ("0 items", 5.0, "1 items: refused")


def test_a_step_that_cannot_end_in_time_is_not_tried() -> None:
    last, _, stop, processes = climbed(Outcome(process=2.0), Outcome(process=30.0))
    assert (last, stop) == ("1 items", "2 items: ≈ 450 s, not tried")
    assert len(processes.calls) == 2


def test_a_ladder_has_a_top() -> None:
    assert climbed()[:3] == ("4 items", 2.0, "the top of the ladder")


def test_a_step_that_breaks_fails_the_ladder() -> None:
    last, seconds, stop, _ = climbed(Outcome(problem="ValueError: no"))
    assert (last, seconds, stop) == ("nothing", None, "failed at 0 items: ValueError: no")


def test_methods_keep_their_order_however_long_they_climb() -> None:
    def steps(method: str) -> Iterator[tuple[str, Work]]:
        yield f"{method} items", list

    processes = Processes({"slow:0": Outcome(process=50.0), "quick:0": Outcome(process=2.0)})
    methods = ("slow", "quick", "other")
    bench = Ladder(id="a.b", issue=4, work="w", methods=methods, steps=steps)
    found = measure_ladder(bench, how(Clock(), processes))
    assert [(each.method, each.last) for each in found.climbs] == [
        (method, f"{method} items") for method in methods
    ]
    assert found.climbs[0].seconds == 50.0
