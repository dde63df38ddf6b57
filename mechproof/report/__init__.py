"""Reports: pure functions from the results of a run to text.

``table`` writes for a terminal, ``html`` a self-contained page, ``json`` the machine-readable
report, ``explain`` one claim at length.
"""

from __future__ import annotations
