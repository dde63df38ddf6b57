"""Sweeps: the same rows whoever does the work, and what is refused before any work is done."""

from __future__ import annotations

import functools
import math
import multiprocessing
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from inspect import unwrap
from pathlib import Path
from typing import Any

import engine_checks as checks
import numpy as np
import pytest

from mechproof import Grid, load_sweep, run_sweep
from mechproof.sweep import CellResult, SweepResult, SweepStoppedError
from theory.errors import InvalidInputError
from theory.incentives import FiniteTypes, Outcome, check_mechanism

GRID = Grid({"x": range(4), "y": range(3)})


@contextmanager
def no_process_left() -> Iterator[None]:
    before = set(multiprocessing.active_children())
    yield
    assert set(multiprocessing.active_children()) <= before


def ours(check: Any, **options: Any) -> SweepResult:
    return run_sweep(GRID, check, **{"jobs": 1, **options})


@pytest.fixture(scope="module")
def executors() -> Iterator[list[Executor]]:
    context = multiprocessing.get_context("spawn")
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2, context) as processes:
        yield [threads, processes]


CHECKS = [checks.product, checks.chance, checks.picky, checks.leaves, checks.cancelled]


@pytest.mark.parametrize("check", CHECKS)
def test_rows_do_not_depend_on_who_does_the_work(
    check: Any, executors: list[Executor], tmp_path: Path
) -> None:
    alone = run_sweep(GRID, check, jobs=1, seed=3)
    assert [row.cell for row in alone.rows] == list(GRID)
    if check is checks.chance:
        assert run_sweep(GRID, check, jobs=2, seed=3, batch=5) == alone
    for executor in executors:
        assert run_sweep(GRID, check, executor=executor, seed=3) == alone
    kept = run_sweep(GRID, check, jobs=1, seed=3, results=tmp_path / "rows.jsonl")
    assert kept == load_sweep(tmp_path / "rows.jsonl") == alone


def test_what_is_returned_and_what_is_raised() -> None:
    found = ours(checks.picky)
    assert found.rows[7] == CellResult({"x": 2, "y": 1}, {"value": Fraction(2)}, "")
    assert found.rows[3].values is None
    line = checks.picky.__code__.co_firstlineno + 1
    error = f"ZeroDivisionError: Fraction(1, 0) (at engine_checks.py:{line})"
    assert found.rows[3].error == error
    left = [row.error.partition(" (")[0] for row in ours(checks.leaves).errors]
    assert left == ["SystemExit: politely"] * 3
    left = [row.error.partition(" (")[0] for row in ours(checks.cancelled).errors]
    assert left == ["CancelledError: no more"] * 3


def test_the_seed_of_a_cell_depends_on_what_it_holds_and_on_the_seed_of_the_sweep() -> None:
    found = ours(checks.chance)
    assert len(set(found.column("seed"))) == len(set(found.column("drawn"))) == len(GRID)
    assert ours(checks.chance, seed=1).column("seed") != found.column("seed")
    turned = Grid.of([{"y": cell["y"], "x": cell["x"]} for cell in reversed(list(GRID))])
    again = run_sweep(turned, checks.chance, jobs=1)
    assert again.column("drawn") == found.column("drawn")[::-1]
    bound = ours(functools.partial(checks.chance, seed=5))
    assert set(bound.column("seed")) == {5}
    assert bound.column("drawn") == found.column("drawn")
    axis = run_sweep(Grid({"seed": [1, 2], "x": [0], "y": [0]}), checks.chance, jobs=1)
    assert axis.column("seed") == (1, 2)


class Device:
    """A number on a device, as JAX gives it."""

    ndim = 0

    def __init__(self, held: Any) -> None:
        self._held = held

    def item(self) -> Any:
        return self._held


Device.__module__ = "jaxlib.devices"


def test_numbers_on_a_device_are_taken_as_what_they_hold() -> None:
    found = ours(lambda x, y: {"a": Device(0.5), "b": Device(7), "c": Device(True)})
    assert [*map(type, (found.rows[0].values or {}).values())] == [float, int, bool]
    assert ours(lambda x, y: Device([1])).errors


def test_decimals_that_are_no_numbers_are_one_value(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    found = ours(lambda x, y: Decimal("sNaN") if x else Decimal("-NaN1"), results=path)
    assert load_sweep(path) == found
    assert {str(value) for value in found.column("value")} == {"NaN"}
    assert found.heat_map("x", "y", "value").count("no value") == len(GRID)


VALUES = {
    "fraction": Fraction(-1, 3),
    "decimal": Decimal("0.10"),
    "nan": math.nan,
    "inf": -math.inf,
    "zero": -0.0,
    "long": 10**6000,
    "ratio": Fraction(10**6000, 7),
    "text": "é\ud800\n",
    "none": None,
    "true": True,
}


def test_values_are_kept_exactly(tmp_path: Path) -> None:
    found = run_sweep(
        Grid({"x": [1]}), lambda x: VALUES, jobs=1, results=(path := tmp_path / "rows.jsonl")
    )
    assert found == load_sweep(path)
    values = found.rows[0].values
    assert values is not None
    for name, value in VALUES.items():
        assert type(values[name]) is type(value)
        assert values[name] == value or name == "nan"
    assert math.copysign(1, values["zero"]) == -1  # type: ignore[arg-type]
    assert str(values["decimal"]) == "0.10"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "TypeError: the check returned nothing"),
        ([1], "TypeError: the check returned what is of type list"),
        ({"a": [1]}, "TypeError: the check returned 'a', which is of type list"),
        ({1: 2}, "TypeError: the check returned a value named 1"),
        ({"": 2}, "TypeError: the check returned a value named ''"),
        ({"x": 2}, "TypeError: the check returned 'x', which is an axis"),
        (1j, "TypeError: the check returned what is of type complex"),
    ],
)
def test_what_no_table_can_hold_is_an_error_of_the_cell(given: Any, said: str) -> None:
    (row,) = run_sweep(Grid({"x": [1]}), lambda x: given, jobs=1).rows
    assert row.values is None
    assert row.error.startswith(said)


def test_numbers_of_numpy_are_values() -> None:
    found = run_sweep(Grid({"x": [2]}), lambda x: {"a": np.int64(x), "b": np.float64(0.5)}, jobs=1)
    assert [type(v) for v in (found.rows[0].values or {}).values()] == [int, float]


class FirstPrice:
    def outcome(self, reports: Any) -> Outcome:
        winner = max(range(len(reports)), key=lambda i: reports[i])
        return Outcome(winner, tuple(b if i == winner else 0 for i, b in enumerate(reports)))


def test_findings_on_mechanisms_become_columns() -> None:
    def check(top: int) -> Any:
        return check_mechanism(FirstPrice(), types=FiniteTypes(range(top)), agents=2)

    found = run_sweep(Grid({"top": [1, 4]}), check, jobs=1)
    assert found.errors == ()
    report = check(4)
    for name in ("dsic", "no_positive_transfers"):
        assert found.column(f"{name}.status")[1] == str(report[name].status)
        assert found.column(f"{name}.slack")[1] == report[name].slack
    witness = report["dsic"].witness
    assert witness is not None
    assert found.column("dsic.witness")[1] == witness.story
    one = run_sweep(Grid({"top": [4]}), lambda top: check(top)["dsic"], jobs=1)
    assert one.column("slack") == (report["dsic"].slack,)
    assert one.column("status") == ("refuted",)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("check", [checks.kills, pytest.param(checks.ends, marks=pytest.mark.slow)])
def test_a_cell_that_kills_its_worker_is_named_and_the_others_are_run(check: Any) -> None:
    with no_process_left():
        found = run_sweep(GRID, check, jobs=2, batch=6)
    (dead,) = found.errors
    assert dead == CellResult({"x": 1, "y": 1}, None, "the worker process died")
    rest = [row for row in found.rows if row.values is not None]
    assert all((r.values or {})["value"] == r.cell["x"] - r.cell["y"] for r in rest)  # type: ignore[operator]


def test_recorded_cells_are_not_run_again_unless_they_failed_and_that_is_asked(
    tmp_path: Path,
) -> None:
    path, log = tmp_path / "rows.jsonl", tmp_path / "log"
    check = checks.Counting(str(log), fails=True)
    first = ours(check, results=path)
    assert len(first.errors) == 3
    assert ours(check, results=path) == first
    assert len(log.read_text().splitlines()) == len(GRID)
    check.fails = False
    again = ours(check, results=path, retry_errors=True)
    assert log.read_text().splitlines()[len(GRID) :] == ["0 0", "1 1", "2 2"]
    assert not again.errors
    assert load_sweep(path) == again
    assert ours(check, results=path, retry_errors=True) == again
    assert len(log.read_text().splitlines()) == len(GRID) + 3


def test_progress_counts_what_was_there(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        told.append((done, total))
        if done == 5:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ours(checks.product, results=tmp_path / "rows", progress=stop)
    assert told == [(done, 12) for done in range(6)]
    part = load_sweep(tmp_path / "rows")
    assert not part.complete
    assert [row.cell for row in part.rows] == GRID[:5]
    told.clear()
    ours(checks.product, results=tmp_path / "rows", progress=lambda *done: told.append(done))
    assert told == [(done, 12) for done in range(5, 13)]


def test_an_exception_of_the_caller_leaves_no_process_behind(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 2:
            raise RuntimeError("enough")

    with no_process_left(), pytest.raises(RuntimeError, match="enough"):
        run_sweep(GRID, checks.product, jobs=2, results=tmp_path / "rows", progress=stop)
    assert len(load_sweep(tmp_path / "rows").rows) == 2


def interrupted(x: int, y: int, times: int) -> int:
    if (x, y) == (1, 1):
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)
    return 0


@pytest.mark.parametrize(("times", "kept"), [(1, 5), (2, 4)])
def test_an_interrupt_waits_for_the_cell_and_a_second_does_not(
    times: int, kept: int, tmp_path: Path
) -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        ours(functools.partial(interrupted, times=times), results=tmp_path / "rows")
    assert len(load_sweep(tmp_path / "rows").rows) == kept
    assert signal.getsignal(signal.SIGINT) is before


def test_threads_are_waited_for_after_an_interrupt(tmp_path: Path) -> None:
    begun = threading.Barrier(2, timeout=20)
    ran: list[int] = []

    def check(x: int, y: int) -> int:
        if not ran:
            begun.wait()
        ran.append(x)
        return x

    def progress(done: int, total: int) -> None:
        if done == 2:
            signal.raise_signal(signal.SIGINT)

    with ThreadPoolExecutor(2) as threads, pytest.raises(KeyboardInterrupt):
        run_sweep(GRID, check, executor=threads, batch=1, results=tmp_path / "r", progress=progress)
    assert len(load_sweep(tmp_path / "r").rows) == len(ran) < len(GRID)


def test_another_handler_of_interrupts_is_left_alone() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        found = ours(functools.partial(interrupted, times=2))
    finally:
        signal.signal(signal.SIGINT, before)
    assert found.complete
    assert heard == [signal.SIGINT] * 2


def test_elsewhere_than_in_the_main_thread() -> None:
    found: list[SweepResult] = []
    thread = threading.Thread(target=lambda: found.append(ours(checks.product)))
    thread.start()
    thread.join()
    assert found == [ours(checks.product)]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_an_executor_that_dies_stops_the_sweep_and_what_is_done_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "rows"
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(1, context) as executor,
        pytest.raises(SweepStoppedError, match=r"terminated abruptly.*4 of 12 cells are kept") as e,
    ):
        run_sweep(GRID, checks.kills, executor=executor, batch=1, results=path)
    assert len(load_sweep(path).rows) == 4
    assert 'under way were {"x":1,"y":1}' in str(e.value)
    assert "without executor=, a cell that kills its process is recorded" in str(e.value)


def test_an_executor_that_is_shut_down_is_no_help() -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(SweepStoppedError, match=r"after shutdown.*with results=FILE"):
        run_sweep(GRID, checks.product, executor=executor)


class Fails(Executor):
    """Fails at everything: what it is given cannot be sent."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_exception(TypeError("cannot pickle this"))
        return future


class Cancels(Executor):
    """Cancels everything, as a cluster that goes away does."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


@pytest.mark.parametrize(("kind", "said"), [(Fails, "cannot pickle this"), (Cancels, "cancelled")])
def test_an_executor_that_does_nothing_stops_the_sweep(kind: Any, said: str) -> None:
    with pytest.raises(SweepStoppedError, match=said):
        run_sweep(GRID, checks.product, executor=kind())


LOCK = threading.Lock()


def bound(part: Any, x: int, y: int) -> int:
    return 0


@pytest.mark.parametrize(
    ("check", "said"),
    [
        (lambda x, y: 0, r"it is a lambda \(test_sweep_engine\.py:\d+\)"),
        (checks.local(), r"local function inner \(engine_checks\.py:\d+\).*\(shift\).*partial"),
        (functools.partial(bound, LOCK), r"it\.args\[0\] is a lock"),
        (functools.partial(bound, part=LOCK), r"it\.keywords\['part'\] is a lock"),
        (checks.Holds(LOCK), r"it\.part is a lock: cannot pickle '_thread\.lock'"),
        (checks.Holds({"a": [0, LOCK]}), r"it\.part\['a'\]\[1\] is a lock"),
        (checks.Holds(LOCK).__call__, r"it\.__self__\.part is a lock"),
        (checks.Holds(lambda: 0), r"it\.part is a lambda"),
    ],
)
def test_a_check_that_cannot_be_sent_names_the_part(check: Any, said: str) -> None:
    with pytest.raises(InvalidInputError, match=f"check cannot be sent.*{said}.*jobs=1"):
        run_sweep(GRID, check, jobs=2)


def test_what_cannot_be_sent_leaves_no_results_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="check cannot be sent"):
        run_sweep(GRID, lambda x, y: x, jobs=2, results=tmp_path / "rows")
    assert not (tmp_path / "rows").exists()


def test_a_check_that_no_worker_can_load_stops_the_sweep() -> None:
    said = "cannot load the work: ValueError: invalid"
    with no_process_left(), pytest.raises(SweepStoppedError, match=said):
        run_sweep(GRID, checks.BreaksWhenLoaded(), jobs=2)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"grid": {"x": [1]}}, "grid is no grid"),
        ({"check": 3}, "check cannot be called"),
        ({"check": lambda x: 0}, r"check does not fit the grid \(got an unexpected keyword"),
        ({"check": lambda x, y, z: 0}, r"does not fit the grid \(missing.*'z'\)"),
        ({"check": lambda x, y, /: 0}, "does not fit the grid"),
        ({"batch": 0}, "batch is not a count"),
        ({"batch": 1.5}, "batch is not a count"),
        ({"seed": -1}, "seed is no seed"),
        ({"seed": True}, "seed is no seed"),
        ({"seed": None}, "seed is no seed"),
        ({"results": 3}, "results is not a path"),
        ({"results": ""}, "results is not a path"),
        ({"progress": 3}, "progress cannot be called"),
        ({"executor": 3, "jobs": None}, "executor is no executor"),
        ({"executor": Fails()}, "jobs is given beside an executor"),
    ],
)
def test_arguments_that_are_none_are_refused(change: Any, said: str) -> None:
    arguments = {"grid": GRID, "check": checks.product, "jobs": 1, **change}
    with pytest.raises(InvalidInputError, match=said):
        unwrap(run_sweep)(arguments.pop("grid"), arguments.pop("check"), **arguments)
