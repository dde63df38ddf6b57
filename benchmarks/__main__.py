from __future__ import annotations

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy loads; one core for each side

from benchmarks.harness.command import main
from benchmarks.rows import collect

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], collect))
