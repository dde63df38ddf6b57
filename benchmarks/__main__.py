from __future__ import annotations

import sys

from benchmarks.harness.command import main
from benchmarks.rows import collect

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], collect))
