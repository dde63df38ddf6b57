"""The kind ``inspection``: ``kind.py`` solves, the other modules write policies and their nodes."""

from mechproof.problems.kinds.inspection.kind import KIND

__all__ = ["KIND"]
