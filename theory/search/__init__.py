"""Counterexample search over families of instances ordered by size.

A family is a function that builds an instance from choices. The same function is run over every
choice (exhaustion), over random ones (sampling) and over simpler ones (shrinking).
"""

from theory.search.draw import Draw, Rejected
from theory.search.family import Family, Member
from theory.search.searching import SearchResult, Trial, search
from theory.search.shrinking import Shrunk, shrink

__all__ = [
    "Draw",
    "Family",
    "Member",
    "Rejected",
    "SearchResult",
    "Shrunk",
    "Trial",
    "search",
    "shrink",
]
