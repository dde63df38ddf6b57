"""arena: the winner's curse by selection, where estimates are unbiased and independent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theory.ascending import Item, PrivateValues, exact_auction
from theory.search import Draw, Family, Trial

__all__ = ["ESTIMATES", "NOISES", "LossOfWinner", "PriceIsSecond", "second_of_uniforms"]


@dataclass(frozen=True)
class Noise:
    """Estimates of a value v, independent and uniform on [v - w, v + w]."""

    bidders: int
    value: int
    width: int

    def __str__(self) -> str:
        return f"{self.bidders} bidders, value {self.value}, noise of at most {self.width}"


def _noise_size(case: Noise) -> tuple[int, ...]:
    return case.value, case.width


def _build_noise(draw: Draw, bidders: int) -> Noise:
    width = draw.integer(1, 3)
    return Noise(bidders, width + draw.integer(0, 3), width)


NOISES: Family[Noise] = Family(
    description="2 to 8 bidders, uniform noise of width 1 to 3 around values up to 6",
    level_name="bidders",
    levels=tuple(range(2, 9)),
    build=_build_noise,
    size=_noise_size,
)


def second_of_uniforms(bidders: int) -> Fraction:
    """Return the mean of the second highest of N independent uniform numbers on [0, 1].

    It is at most x with probability N x^(N-1) - (N-1) x^N; the mean is the integral of the rest.
    """
    n = bidders
    return 1 - (Fraction(n, n) - Fraction(n - 1, n + 1))


@dataclass(frozen=True)
class LossOfWinner:
    """The winner who pays the second highest estimate loses w (N - 3) / (N + 1) on average."""

    second: Callable[[int], Fraction] = second_of_uniforms

    def __call__(self, case: Noise) -> Trial:
        """Compare with the closed form, and its sign: a loss from four bidders on."""
        low = case.value - case.width
        loss = low + 2 * case.width * self.second(case.bidders) - case.value
        closed = case.width * Fraction(case.bidders - 3, case.bidders + 1)
        failure = ""
        if loss != closed:
            failure = f"the mean loss is {loss}, not {closed}."
        elif (loss > 0) != (case.bidders >= 4) or (loss == 0) != (case.bidders == 3):
            failure = f"{case.bidders} bidders lose {loss}."
        return Trial(failure=failure)


@dataclass(frozen=True)
class Guesses:
    """The estimates of the bidders for one item, in increments; it starts at 1."""

    of: tuple[int, ...]

    def __str__(self) -> str:
        return f"estimates {', '.join(map(str, self.of))}"


def _guesses_size(case: Guesses) -> tuple[int, ...]:
    return (sum(case.of),)


def _build_guesses(draw: Draw, bidders: int) -> Guesses:
    return Guesses(tuple(draw.integer(1, 5) for _ in range(bidders)))


ESTIMATES: Family[Guesses] = Family(
    description="2 to 4 bidders with estimates of 1 to 5 increments",
    level_name="bidders",
    levels=(2, 3, 4),
    build=_build_guesses,
    size=_guesses_size,
)


@dataclass(frozen=True)
class PriceIsSecond:
    """Bidders who raise minimally up to their estimates pay the second highest, within one."""

    auction: Callable[..., Any] = exact_auction
    within: Sequence[int] = (-1, 0, 1)

    def __call__(self, case: Guesses) -> Trial:
        """Look at every price that is possible."""
        rules = [PrivateValues([estimate]) for estimate in case.of]
        (law,) = self.auction([Item("item", 1, 3)], rules, 20, increment=1).items
        second = sorted(case.of)[-2]
        far = [price for price in law.prices if price - second not in self.within]
        failure = f"a price of {far[0]}, the second highest is {second}." if far else ""
        return Trial(nontrivial=len(set(case.of)) > 1, failure=failure)
