"""Sweeps: a check at every cell of a grid, here, in processes, or on a cluster.

>>> from mechproof.sweep import Grid, run_sweep
>>> def spread(bids, step):
...     return (bids - 1) * step
>>> result = run_sweep(Grid({"bids": [2, 3], "step": [1, 5]}), spread, jobs=1)
>>> result.column("value")
(1, 5, 2, 10)
"""

from mechproof.hidden_packages import refuse_hidden

refuse_hidden("theory")

from mechproof.sweep._grid import MAX_CELLS, Cell, Grid  # noqa: E402
from mechproof.sweep._result import CellResult, SweepResult  # noqa: E402
from mechproof.sweep._running import SweepStoppedError, load_sweep, run_sweep  # noqa: E402
from mechproof.sweep._scalars import Scalar  # noqa: E402

__all__ = [
    "MAX_CELLS",
    "Cell",
    "CellResult",
    "Grid",
    "Scalar",
    "SweepResult",
    "SweepStoppedError",
    "load_sweep",
    "run_sweep",
]
