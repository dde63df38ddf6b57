"""Proper scoring rules for a yes-or-no event, with their closed-form best forecast.

A rule is proper when reporting one's probability maximises the expected score, strictly proper
when nothing else does. All three here are strictly proper, so at belief q the best forecast is q.
Source: Gneiting and Raftery (2007), sections 3 and 4; volition, Example 2.1 for the logarithm.
"""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from theory.errors import NumberError
from theory.numbers import ClosedForm, log, rational, sqrt

__all__ = ["Score"]


class Score(StrEnum):
    """A scoring rule; the forecast is a rational x in [0, 1].

    Examples
    --------
    >>> Score.BRIER.utility("1/4", occurred=False), str(Score.LOG.utility("1/4", occurred=True))
    (Fraction(-1, 16), '-2·log(2)')
    """

    LOG = "log"
    BRIER = "brier"
    SPHERICAL = "spherical"

    def utility(self, forecast: Fraction | int | str, occurred: bool) -> Fraction | ClosedForm:
        """Return the score of ``forecast`` once the event has occurred or not.

        With y the probability that the forecast gave to what happened (x or 1 - x):
        ``log``: log y; ``brier``: -(1 - y)^2; ``spherical``: y / sqrt(x^2 + (1 - x)^2).

        Raises
        ------
        NumberError
            For a forecast outside [0, 1], and for log 0, which is minus infinity.
        ExactnessError
            For a float.
        """
        x = rational(forecast, "forecast")
        if not 0 <= x <= 1:
            raise NumberError("forecast", x, "is outside [0, 1]", "give a probability")
        y = x if occurred else 1 - x
        if self is Score.BRIER:
            return -((1 - y) ** 2)
        if self is Score.SPHERICAL:
            # y / sqrt(s) = y sqrt(s) / s, with s rational
            s = x**2 + (1 - x) ** 2
            return sqrt(s) * (y / s)
        if y == 0:
            raise NumberError(
                "forecast",
                x,
                "gives probability zero to what happened, so its logarithm is not finite",
                "forecast strictly between 0 and 1",
            )
        return log(y)
