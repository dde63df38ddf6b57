"""What is paid when a reply has been drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory._shapes import Float64, Int64

__all__ = ["Settlement"]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Settlement:
    """Money and utility of each agent once the reply is known.

    Attributes
    ----------
    reply : int64 array of shape (...)
        The candidate drawn in each query.
    payments, utilities : float64 arrays of shape (..., agents)
    settlement : str
        "fixed" or "contingent".
    """

    reply: Int64[np.ndarray, "..."]
    payments: Float64[np.ndarray, "..."]
    utilities: Float64[np.ndarray, "..."]
    settlement: str
