"""The law of a reply that is drawn by self-normalised importance resampling.

M candidates are drawn independently from a generator, and one of them is returned with probability
in proportion to its weight. As M grows the law of what is returned approaches the law in proportion
to generator times weight. :func:`resampling_law` computes it for a given M, exactly or in float64
for any M, with its distance to that limit; :func:`certified_law` encloses it.
"""

from theory.resampling._bounds import deviation_enclosure, first_order_term, total_variation_bound
from theory.resampling._certified_law import certified_law
from theory.resampling._convergence import Convergence, convergence
from theory.resampling._law import resampling_law
from theory.resampling._result import ResamplingLaw

__all__ = [
    "Convergence",
    "ResamplingLaw",
    "certified_law",
    "convergence",
    "deviation_enclosure",
    "first_order_term",
    "resampling_law",
    "total_variation_bound",
]
