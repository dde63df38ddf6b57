"""Run a check at every cell of a grid: here, in processes of our own, or on any executor."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext
from os import PathLike
from pathlib import Path
from typing import Any, Final

from llm_adapters.files import read_path
from llm_adapters.secrets import is_secret_name, kept_in_environment, redact, redact_json
from mechproof.executing import (
    ExecutorGoneError,
    ExecutorPool,
    InterruptGuard,
    Outcome,
    ProcessPool,
    Raised,
    Returned,
    Sizes,
    TaskDied,
    Unsendable,
    WorkerPool,
    carry_out,
    pickle_work,
    usable_cpus,
)
from mechproof.sweep._cells import CellRun, cell_run
from mechproof.sweep._check_name import name_of, secrets_in
from mechproof.sweep._grid import Cell, Grid
from mechproof.sweep._keeping import Writer, header, read, writing
from mechproof.sweep._result import CellResult, SweepResult
from mechproof.sweep._scalars import Scalar, scalars, text_of
from theory.errors import InvalidInputError, MechproofError
from theory.shared.arguments import read_count, refusing

__all__ = ["SweepStoppedError", "load_sweep", "run_sweep"]

Progress = Callable[[int, int], None]

_DIED: Final = "the worker process died"
_NAMED: Final = 3
"""Cells under way that are named when a sweep stops."""


class SweepStoppedError(MechproofError):
    """A sweep that nobody is left to do the rest of."""


@refusing
def run_sweep(
    grid: Grid,
    check: Callable[..., Any],
    *,
    executor: Executor | None = None,
    jobs: int | None = None,
    results: str | PathLike[str] | None = None,
    seed: int = 0,
    batch: int | None = None,
    retry_errors: bool = False,
    progress: Progress | None = None,
) -> SweepResult:
    r"""Run a check at every cell of a grid.

    The result depends on the grid, the check and the seed alone: not on the executor, the number
    of processes, the size of batches, or interruptions. An exception in a cell is recorded, and the
    others go on.

    Parameters
    ----------
    grid : Grid
    check : callable
        Called with the parameters of a cell by name. It returns a scalar, a mapping from names to
        scalars, or what :func:`theory.incentives.check_mechanism` found. If it takes ``seed`` or
        ``rng`` and that is no axis, it is given a seed or a generator of its own, which depends on
        the seed of the sweep and the content of the cell.
    executor : concurrent.futures.Executor, optional
        Who does the work, a Dask ``Client.get_executor(pure=False)`` for instance; it is not shut
        down. Without one, processes are started.
    jobs : int, optional
        How many processes, one for each processor if nothing is said; with 1 the work is done here.
    results : path, optional
        A file to which each row is appended as it comes. If it is there already, the sweep goes on
        from it and repeats no cell that it holds.
    seed : int
        At least 0, of at most 128 bits.
    batch : int, optional
        How many cells are sent at once; as many as take a quarter of a second if nothing is said.
    retry_errors : bool
        Whether cells that are recorded with an error are run again.
    progress : callable, optional
        Is told how many of how many cells are done.

    Returns
    -------
    SweepResult

    Raises
    ------
    InvalidInputError
        Before anything is run: for arguments of the wrong kind, a check that does not fit the grid
        or cannot be sent to another process, a grid that may hold keys where results are kept, and
        a results file that cannot be written, is being written by another run, is damaged, or is of
        another grid, check, seed or version.
    SweepStoppedError
        When the executor is broken; what is recorded is kept.
    KeyboardInterrupt
        After Ctrl-C, when what is under way has ended and is recorded. A second Ctrl-C ends it.

    Notes
    -----
    What looks like a key or a password, what the check is bound to under such a name, and what
    environment variables hold under such names, is not kept: in texts that the check returns or
    raises there stands ``[key]`` in its place. A new results file is for its owner alone to read.

    A worker process of ours that dies is replaced; the cell it was at is run again, and one that
    kills two gets the error "the worker process died". Killed itself, the sweep has lost the cells
    under way: those that each process was at, or batches where the executor is lent.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from mechproof.sweep import Grid, run_sweep
    >>> def share(cake, guests):
    ...     return Fraction(cake, guests)
    >>> result = run_sweep(Grid({"cake": [1], "guests": [2, 0]}), share, jobs=1)
    >>> result.rows[0].values
    {'value': Fraction(1, 2)}
    >>> result.rows[1].error.partition(" (at")[0]
    'ZeroDivisionError: Fraction(1, 0)'
    """
    if not isinstance(grid, Grid):
        raise InvalidInputError("grid", grid, "is no grid", "give a Grid")
    run = cell_run(grid, check, seed)
    name = name_of(check)
    _check_counts(jobs, batch)
    if executor is not None and not isinstance(executor, Executor):
        problem = "is no executor"
        raise InvalidInputError("executor", executor, problem, "give one of concurrent.futures")
    if executor is not None and jobs is not None:
        problem = "is given beside an executor, which has workers of its own"
        raise InvalidInputError("jobs", jobs, problem, "give one of the two")
    if progress is not None and not callable(progress):
        raise InvalidInputError("progress", progress, "cannot be called", "give a function")
    path = None if results is None else read_path("results", results)
    if path is not None:
        _refuse_secrets(grid)
    most = min(jobs or usable_cpus(), len(grid))
    pools = _pools(run, executor, most)
    with nullcontext() if path is None else writing(path, header(grid, name, seed)) as file:
        rows: dict[int, CellResult] = {} if file is None else file.rows
        todo = [i for i in range(len(grid)) if i not in rows or (retry_errors and rows[i].error)]
        pool = pools(min(most, len(todo)))
        hidden = (*secrets_in(check), *kept_in_environment())
        told = progress or (lambda done, total: None)
        sweep = _Sweep(grid, run, file, rows, hidden=hidden, progress=told)
        try:
            sweep.go_through(todo, pool, Sizes(batch))
        except ExecutorGoneError as error:
            raise _explain_stop(error, sweep, todo, path) from error
    return SweepResult(grid, tuple(rows[i] for i in sorted(rows)), name, seed)


@refusing
def load_sweep(path: str | PathLike[str]) -> SweepResult:
    """Return what a results file holds, whether its sweep is finished or not.

    Raises
    ------
    InvalidInputError
        When it cannot be read, is no results file, or has a damaged line that is not its last.
    """
    kept = read(read_path("path", path))
    rows = tuple(kept.rows[i] for i in sorted(kept.rows))
    return SweepResult(kept.grid, rows, kept.header["check"], kept.header["seed"])


class _Sweep:
    """A sweep under way."""

    def __init__(
        self,
        grid: Grid,
        run: CellRun,
        file: Writer | None,
        rows: dict[int, CellResult],
        *,
        hidden: Sequence[str],
        progress: Progress,
    ) -> None:
        self._grid, self._run, self._file, self.rows = grid, run, file, rows
        self._hidden = hidden
        self._progress = progress
        self.total = len(grid)
        self._done = 0

    def cell(self, index: int) -> Cell:
        """Return the cell of an index."""
        return self._grid[index]

    def go_through(self, todo: list[int], pool: WorkerPool | None, sizes: Sizes) -> None:
        """Run the cells that are left to do; Ctrl-C is raised when those under way have ended."""
        self._done = self.total - len(todo)
        self._progress(self._done, self.total)
        wake = (lambda: None) if pool is None else (lambda: pool.inbox.put(None))
        with InterruptGuard(wake) as patience:
            if pool is None:
                for index in todo:
                    if patience.interrupted:
                        break
                    self._settle(index, self._run(self._grid.values_at(index)))
                return
            outcomes = carry_out(
                pool,
                _Tasks(self._grid, todo),
                sizes=sizes,
                stopping=lambda: patience.interrupted,
            )
            with closing(outcomes):
                for i, outcome in outcomes:
                    self._settle(todo[i], _text(outcome))

    def _settle(self, index: int, outcome: str) -> None:
        cell = self._grid[index]
        found, outcome = self._without_secrets(outcome)
        if self._file is not None:
            self._file.append(index, text_of(cell), outcome)
        values = scalars(found["values"]) if "values" in found else None
        self.rows[index] = CellResult(cell, values, found.get("error", ""))
        self._done += 1
        self._progress(self._done, self.total)

    def _without_secrets(self, outcome: str) -> tuple[dict[str, Any], str]:
        """Return an outcome as data and as JSON, without what is, or looks like, a secret."""
        found = json.loads("{" + outcome + "}")
        cleaned = redact_json(found, self._hidden)
        if cleaned == found:
            return found, outcome
        return cleaned, json.dumps(cleaned, separators=(",", ":"))[1:-1]


class _Tasks(Sequence[tuple[Scalar, ...]]):
    """The values of the cells that are to do, made when they are asked for."""

    def __init__(self, grid: Grid, todo: list[int]) -> None:
        self._grid, self._todo = grid, todo

    def __len__(self) -> int:
        return len(self._todo)

    def __getitem__(self, i: Any) -> Any:
        return self._grid.values_at(self._todo[i])


def _pools(
    run: CellRun, executor: Executor | None, most: int
) -> Callable[[int], WorkerPool | None]:
    """Return what makes a pool of so many processes, or nobody where the work is done here.

    Raises
    ------
    InvalidInputError
        When the check cannot be sent to those who may have to do it.
    """
    if executor is not None:
        if isinstance(executor, ProcessPoolExecutor):
            pickle_work(run, run.check, "check", "give another executor")
        return lambda jobs: ExecutorPool(run, executor)
    if most == 1:
        return lambda jobs: None
    work = pickle_work(run, run.check, "check", "use jobs=1")
    return lambda jobs: ProcessPool(work, jobs) if jobs > 1 else None


def _text(outcome: Outcome) -> str:
    match outcome:
        case Returned(value):
            return str(value)
        case Raised(error):
            why = f"the cell could not be run: {type(error).__name__}: {error}"
        case TaskDied(told) if not told:
            why = _DIED
        case TaskDied(told) | Unsendable(told):
            why = f"the cell could not be run: {told}"
    return f'"error":{json.dumps(why)}'


def _explain_stop(
    error: ExecutorGoneError, sweep: _Sweep, todo: list[int], path: Path | None
) -> SweepStoppedError:
    done = f"{len(sweep.rows):,} of {sweep.total:,} cells"
    then = f"{done} were run and are lost: with results=FILE they are kept"
    if path is not None:
        then = f"{done} are kept in {path}: to go on, call run_sweep again with what works"
    why = str(error)
    if error.under_way:
        cells = [text_of(sweep.cell(todo[i])) for i in error.under_way]
        more = f" and {len(cells) - _NAMED} more" if len(cells) > _NAMED else ""
        why += f"; under way were {', '.join(cells[:_NAMED])}{more}"
    hint = "; without executor=, a cell that kills its process is recorded and the rest is done"
    perhaps = bool(error.under_way) and isinstance(error.__cause__, BrokenProcessPool)
    return SweepStoppedError(f"the sweep stopped ({why}); {then}{hint * perhaps}")


def _refuse_secrets(grid: Grid) -> None:
    """Refuse a grid whose values may be secrets: a results file holds them all.

    Raises
    ------
    InvalidInputError
        It names the axis, and does not show the value.
    """
    for name, value in {(n, v) for cell in _texts(grid) for n, v in cell}:
        if is_secret_name(name, everyday=False) or redact(value) != value:
            fix = "bind it to the check with functools.partial, or rename what is none"
            problem = "may hold a key or a password, and all values of axes are kept in the results"
            raise InvalidInputError("grid", name, problem, fix)


def _texts(grid: Grid) -> Iterator[list[tuple[str, str]]]:
    """Yield names with values that are text: those of axes, or of the cells of a list."""
    if grid.is_product:
        yield from ([(n, v) for v in vs if isinstance(v, str)] for n, vs in grid.axes.items())
    else:
        yield from ([(n, v) for n, v in cell.items() if isinstance(v, str)] for cell in grid)


def _check_counts(jobs: Any, batch: Any) -> None:
    for name, value in (("jobs", jobs), ("batch", batch)):
        if value is not None:
            read_count(name, value)
