"""The kind ``marginal-value``: ``kind.py`` solves, the others read judges and write outcomes."""

from mechproof.problems.kinds.marginal_value.kind import KIND

__all__ = ["KIND"]
