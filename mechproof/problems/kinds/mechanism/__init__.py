"""The kind ``mechanism``: ``kind.py`` solves, the others read tables and write findings."""

from mechproof.problems.kinds.mechanism.kind import KIND

__all__ = ["KIND"]
