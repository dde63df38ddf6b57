"""The kind ``softmax-auction``: ``kind.py`` solves, the others read reports and write outcomes."""

from mechproof.problems.kinds.softmax_auction.kind import KIND

__all__ = ["KIND"]
