"""Counterexample search over families of instances ordered by size.

A family is a function that builds an instance from choices. The same function is run over every
choice (exhaustion), over random ones (sampling) and over simpler ones (shrinking).
"""

from theory.search.draw import Draw, DrawRejected
from theory.search.family import Family, Member
from theory.search.searching import SearchResult, Trial, search
from theory.search.shrinking import ShrinkResult, shrink

__all__ = [
    "Draw",
    "DrawRejected",
    "Family",
    "Member",
    "SearchResult",
    "ShrinkResult",
    "Trial",
    "search",
    "shrink",
]
