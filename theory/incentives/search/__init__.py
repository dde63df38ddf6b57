"""Looking for counterexamples among types that cannot be listed; every search stops on counts."""

from theory.incentives.search._search import search
from theory.incentives.search._shrink import shrink

__all__ = ["search", "shrink"]
