"""Rows are measured honestly: answers first, then in turns, on a clock that the tests move."""

from __future__ import annotations

from typing import Any

import pytest
from benchmark_fakes import Clock, Processes, how

from benchmarks.harness import (
    AtLeastTimes,
    AtMostMegabytes,
    AtMostSeconds,
    AtMostTimes,
    AtMostValue,
    Row,
    close_to,
    same,
)
from benchmarks.harness.alone import Outcome
from benchmarks.harness.measuring import measure, spread
from benchmarks.harness.targets import Figures
from llm_adapters.errors import MissingPackageError
from theory.errors import InvalidInputError


def row(clock: Clock, mine: list[float], other: list[float] | None, **rest: Any) -> Row:
    beside: dict[str, Any] = {}
    if other is not None:
        beside = {"peer": clock.work("peer", other), "peer_name": "a peer", "agree": same}
    given = {"id": "topic.row", "issue": 2, "work": "work", **beside, **rest}
    return Row(**{"ours": clock.work("ours", mine), **given})


def test_an_answer_that_differs_is_told_and_nothing_is_timed() -> None:
    clock, processes = Clock(), Processes()
    bench = row(
        clock, [2], [2], ours=clock.work("ours", [2], 1), target=AtMostSeconds(100), repeats=5
    )
    found = measure(bench, how(clock, processes))
    assert found.status == "differs"
    assert "ours 1, theirs 0" in found.note
    assert clock.order == ["ours", "peer"]
    assert processes.calls == []
    assert found.ours.warm == []
    assert found.faster == []
    assert [target.reached for target in found.targets] == [False]


def test_answers_that_cannot_be_compared_are_no_agreement() -> None:
    clock = Clock()

    def agree(ours: Any, theirs: Any) -> str:
        raise ValueError("of two kinds")

    found = measure(row(clock, [2], [2], agree=agree), how(clock))
    assert found.status == "differs"
    assert "of two kinds" in found.note


def test_pairs_are_done_in_turns_and_their_ratios_have_quartiles() -> None:
    clock = Clock()
    found = measure(
        row(clock, [9, 1, 2, 4, 8, 5], [9, 10, 10, 20, 80, 5], repeats=5), how(clock, seconds=1e9)
    )
    assert clock.order == ["ours", "peer"] * 6
    assert found.ours.warm == [1, 2, 4, 8, 5]
    assert found.peer is not None
    assert found.peer.warm == [10, 10, 20, 80, 5]
    assert found.faster == [10, 5, 5, 10, 1]
    assert spread(found.faster) == (5, 5, 10)
    assert spread([1, 2, 3, 4]) == (1.75, 2.5, 3.25)


def test_first_calls_are_measured_apart() -> None:
    clock = Clock()
    processes = Processes({"ours": Outcome(seconds=7.0, process=8.0, megabytes=9.0)})
    target = (
        AtMostSeconds(7, "cold"),
        AtMostSeconds(7.5, "process"),
        AtMostMegabytes(9),
        AtMostSeconds(1),
    )
    found = measure(row(clock, [50, 2], [3], target=target, repeats=3), how(clock, processes))
    assert [call[:2] for call in processes.calls] == [("topic.row", "ours"), ("topic.row", "peer")]
    assert (found.ours.cold, found.ours.process, found.ours.megabytes) == (7.0, 8.0, 9.0)
    assert [target.figure for target in found.targets] == [7.0, 8.0, 9.0, 2.0]
    assert [target.reached for target in found.targets] == [True, False, True, False]


def test_a_first_call_that_fails_leaves_its_target_open() -> None:
    clock = Clock()
    processes = Processes({"ours": Outcome(problem="it broke")})
    bench = row(clock, [2], None, target=AtMostSeconds(7, "cold"))
    found = measure(bench, how(clock, processes))
    assert "no first call of ours: it broke" in found.note
    assert [target.reached for target in found.targets] == [None]


def test_a_package_that_is_missing_leaves_the_cells_empty_and_is_named() -> None:
    clock = Clock()
    bench = row(clock, [2], [3], needs=("apeer", "other"), target=AtLeastTimes(5), repeats=3)
    found = measure(bench, how(clock, lacks=["apeer"]))
    assert found.status == "measured"
    assert found.note == "not installed: apeer"
    assert "peer" not in clock.order
    assert found.ours.warm == [2, 2, 2]
    assert found.peer is not None
    assert (found.peer.warm, found.faster) == ([], [])
    assert found.targets[0].reached is None
    assert found.versions == {"other": "1.2"}


def test_a_peer_that_breaks_is_told_and_ours_is_timed() -> None:
    clock = Clock()

    def broken() -> None:
        raise RuntimeError("not today")

    found = measure(row(clock, [2], [3], peer=broken, repeats=3), how(clock))
    assert found.status == "measured"
    assert found.note == "a peer failed: RuntimeError: not today"
    assert found.ours.warm == [2, 2, 2]
    assert found.faster == []


@pytest.mark.parametrize("broken", ["prepare", "ours", "values"])
def test_what_breaks_of_ours_fails_the_row(broken: str) -> None:
    clock = Clock()

    def breaks(*_: Any) -> Any:
        raise RuntimeError("not today")

    bench = row(clock, [2], [3], **{broken: breaks}, target=AtMostTimes(3))
    found = measure(bench, how(clock))
    assert (found.status, found.note) == ("failed", "ours failed: RuntimeError: not today")
    assert [target.reached for target in found.targets] == [False]


def test_what_ours_needs_and_is_not_installed_leaves_the_row_unmeasured() -> None:
    def lacks() -> Any:
        raise MissingPackageError("torch is not installed", "pip install 'mechproof[local]'")

    bench = row(Clock(), [2], [3], ours=lacks, target=AtMostTimes(3))
    found = measure(bench, how(Clock()))
    assert found.status == "missing"
    assert "pip install 'mechproof[local]'" in found.note
    assert [target.reached for target in found.targets] == [None]


def test_what_breaks_at_a_later_call_fails_the_row() -> None:
    calls: list[int] = []

    def breaks() -> int:
        calls.append(0)
        if len(calls) > 3:
            raise RuntimeError("not again")
        return 0

    found = measure(row(Clock(), [2], [3], ours=breaks), how(Clock()))
    assert found.status == "failed"
    assert "not again" in found.note
    assert found.ours.warm == []


def test_short_work_is_done_several_times_in_a_row() -> None:
    clock = Clock()
    found = measure(row(clock, [2.0**-12], None, repeats=2), how(clock))
    assert clock.order.count("ours") == 2 + 2 * 5  # 1/4096 s goes five times into a millisecond
    assert found.ours.warm == pytest.approx([2.0**-12] * 2)


def test_long_work_is_done_once_where_no_repeats_are_asked() -> None:
    clock = Clock()
    found = measure(row(clock, [80, 1], [160, 1], repeats=0, cold=False), how(clock))
    assert clock.order == ["ours", "peer"]
    assert found.ours.warm == [80]
    assert found.faster == [2]


@pytest.mark.parametrize(
    ("seconds", "quick", "pairs"), [(0.5, False, 9), (4, False, 3), (20, False, 1), (4, True, 2)]
)
def test_repeats_end_when_the_time_is_spent(seconds: float, quick: bool, pairs: int) -> None:
    clock = Clock()
    bench = row(clock, [seconds], None, repeats=9)
    found = measure(bench, how(clock, seconds=7.9, quick=quick))
    assert len(found.ours.warm) == pairs


def test_a_part_of_the_work_of_a_peer_is_scaled_up_and_marked() -> None:
    clock = Clock()
    bench = row(clock, [2], [3], peer_scale=lambda: 100.0, repeats=3)
    processes = Processes()
    found = measure(bench, how(clock, processes, seconds=8.0))
    assert found.peer is not None
    assert found.peer.estimated
    assert found.peer.warm == [300, 300, 300]
    assert found.faster == [150, 150, 150]
    assert [side for _, side, _ in processes.calls] == ["ours"]


def test_numbers_of_the_answer_are_kept_and_judged() -> None:
    clock = Clock()
    bench = row(
        clock,
        [2],
        None,
        values=lambda answer: {"residual": answer + 1e-9, "rounds": 5.0},
        target=(AtMostValue("residual", 1e-8), AtMostValue("rounds", 4), AtMostValue("other", 1)),
    )
    found = measure(bench, how(clock))
    assert found.values == {"residual": 1e-9, "rounds": 5.0}
    assert [target.reached for target in found.targets] == [True, False, None]


@pytest.mark.parametrize(
    ("target", "figures", "says", "reached"),
    [
        (AtMostSeconds(2), Figures(warm=2.0), "at most 2 s", True),
        (AtMostSeconds(2), Figures(warm=2.001), "at most 2 s", False),
        (AtMostSeconds(2, "cold"), Figures(warm=1.0), "at most 2 s on the first call", None),
        (AtMostTimes(3), Figures(faster=1 / 3.1), "at most 3 times a peer", False),
        (AtMostTimes(4), Figures(faster=0.25), "at most 4 times a peer", True),
        (AtLeastTimes(100), Figures(faster=99.9), "at least 100 times faster than a peer", False),
        (AtLeastTimes(100), Figures(faster=100.0), "at least 100 times faster than a peer", True),
        (AtMostMegabytes(1000), Figures(megabytes=1000.1), "at most 1,000 MB", False),
    ],
)
def test_targets_are_judged_at_their_edge(
    target: Any, figures: Figures, says: str, reached: bool | None
) -> None:
    from dataclasses import replace

    from benchmarks.harness.measuring import judged

    (found,) = judged([target], replace(figures, peer_name="a peer"))
    assert (found.says, found.reached) == (says, reached)


def test_agreement_of_numbers_is_asked_entry_by_entry() -> None:
    agree = close_to(1e-9)
    assert agree([1.0, 2.0], [1.0, 2.0 + 1e-10]) == ""
    assert "1.0e-06 apart" in agree([1.0, 2.0], [1.0, 2.000001])
    assert "shape" in agree([1.0, 2.0], [1.0])
    assert agree([1.0], [float("nan")])


def test_a_row_has_a_whole_peer_or_none() -> None:
    clock = Clock()
    with pytest.raises(InvalidInputError, match="has part of a peer"):
        row(clock, [1], [1], agree=None)
    with pytest.raises(InvalidInputError, match="has part of a peer"):
        row(clock, [1], None, peer_name="a peer")
    with pytest.raises(InvalidInputError, match="is compared with nothing"):
        row(clock, [1], None, target=AtMostTimes(3))


def test_a_peer_that_takes_long_is_not_done_once_more() -> None:
    for seconds, sides in ((5.0, ["ours", "peer"]), (5.1, ["ours"])):
        clock, processes = Clock(), Processes()
        found = measure(row(clock, [1], [seconds], repeats=1), how(clock, processes))
        assert [side for _, side, _ in processes.calls] == sides
        assert found.peer is not None
        assert found.peer.warm == [seconds]
