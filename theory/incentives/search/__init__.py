"""Looking for counterexamples among types that cannot be listed; every search stops on counts."""

from theory.incentives.search._gradient import climb
from theory.incentives.search._samples import samples
from theory.incentives.search._search import search
from theory.incentives.search._shrink import shrink
from theory.incentives.search._slots import native

__all__ = ["climb", "native", "samples", "search", "shrink"]
