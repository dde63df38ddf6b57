"""Checks the certificate of an ex-ante optimum from the game itself, knowing nothing of a solver.

Decided sets make their move. Every place of an undecided set chooses for itself, and pays the price
of its move; in return each undecided set gets the most that one of its moves costs at all places
together. No strategy that keeps to the decided moves is worth more than what this makes: at the
sets that no path passes twice pure moves will do, and there the set gets back at least what it
pays. On a simplex of laws at forgetful sets this bounds each Bernstein coefficient, and every
payoff is a mean of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from operator import mul

from theory.games._evaluation import expected_payoffs
from theory.games._game import Game
from theory.games.ex_ante._certificate import Branch, Certificate, Closed, PriceList, Split
from theory.games.ex_ante._reading import Passes, Reading, read
from theory.linear import CertificateError
from theory.numbers.reading import require_exact
from theory.shared.arguments import instance_of

__all__ = ["check"]


# --- The checker's own arithmetic of polynomials on products of simplices

Index = tuple[tuple[int, ...], ...]
"""For each forgetful set, how often each corner counts; in all, as often as it can be passed."""

Table = dict[Index, list[int]]
"""At each index the Bernstein coefficient of the payoff of each history, over one denominator."""


def table(reading: Reading) -> tuple[Table, int]:
    """Return the coefficients on the simplices of all laws, and their denominator.

    A term that passes a set less often than the degree is multiplied by (sum of its moves)'
    probabilities, which is 1, until all terms have the same degree.
    """
    sets = list(reading.forgetful)
    degrees = [
        max(sum(j == k for j, _ in passes) for terms in reading.payoffs for _, passes in terms)
        for k in sets
    ]

    def expand(passes: Passes) -> dict[Index, int]:
        polynomial = {tuple((0,) * reading.forgetful[k] for k in sets): 1}
        for s, k in enumerate(sets):
            made = [m for j, m in passes if j == k]
            for m in made:
                polynomial = _times(polynomial, s, [m])
            for _ in range(degrees[s] - len(made)):
                polynomial = _times(polynomial, s, range(reading.forgetful[k]))
        return polynomial

    ways = expand(())
    each = lcm(*ways.values())
    unit = lcm(*(weight.denominator for terms in reading.payoffs for weight, _ in terms))
    found = {index: [0] * len(reading.payoffs) for index in ways}
    for h, terms in enumerate(reading.payoffs):
        totals: dict[Passes, int] = {}
        for weight, passes in terms:
            product = tuple(sorted(passes))
            whole = weight.numerator * (unit // weight.denominator)
            totals[product] = totals.get(product, 0) + whole
        for product, total in totals.items():
            for index, count in expand(product).items():
                found[index][h] += total * count * (each // ways[index])
    return found, unit * each


def pieces(whole: Table, axis: int, weights: Sequence[Fraction]) -> tuple[list[Table], int]:
    """Return the coefficients on the pieces that meet in a point, times the factor returned.

    De Casteljau's algorithm: each pass replaces one corner by the mean of all, and the coefficient
    of a piece at an index is met after as many passes as the index counts the new corner.
    """
    common = lcm(*(w.denominator for w in weights))
    parts = [w.numerator * (common // w.denominator) for w in weights]
    corners = range(len(weights))
    found: list[Table] = [{} for _ in corners]
    layer, degree = whole, sum(next(iter(whole))[axis])
    for passes in range(degree + 1):
        scale = common ** (degree - passes)
        for index, row in layer.items():
            scaled = [scale * v for v in row]
            for i in corners:
                if index[axis][i] == 0:
                    found[i][_shift_index(index, axis, i, passes)] = scaled
        lower = {
            _shift_index(index, axis, i, -1) for index in layer for i in corners if index[axis][i]
        }
        layer = {
            index: _combine_rows(parts, [layer[_shift_index(index, axis, i, 1)] for i in corners])
            for index in lower
        }
    return [piece for piece, part in zip(found, parts, strict=True) if part], common**degree


def _times(polynomial: dict[Index, int], axis: int, moves: Iterable[int]) -> dict[Index, int]:
    """Multiply by the sum of the probabilities of some moves."""
    result: dict[Index, int] = {}
    for m in moves:
        for index, count in polynomial.items():
            moved = _shift_index(index, axis, m, 1)
            result[moved] = result.get(moved, 0) + count
    return result


def _shift_index(index: Index, axis: int, i: int, by: int) -> Index:
    counts = index[axis]
    return (*index[:axis], (*counts[:i], counts[i] + by, *counts[i + 1 :]), *index[axis + 1 :])


def _combine_rows(parts: Sequence[int], rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(map(mul, parts, column)) for column in zip(*rows, strict=True)]


# --- Checks the certificate of an ex-ante optimum from the game itself, knowing nothing of a solver


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of all strategies: the moves decided, and the coefficients over ``unit``."""

    decided: Mapping[int, int]
    table: Table
    unit: int


def check(game: Game, certificate: Certificate) -> Fraction:
    """Return the gap that a certificate proves: its bound less the value of its strategy.

    The value is recomputed by playing the strategy. The bound must be at least that of every
    case, and the cases must be exhaustive. Where no set is forgetful, every pure strategy is worth
    a multiple of the common divisor of the payoffs, and bounds are rounded down to one.

    Raises
    ------
    CertificateError
        Where any of this fails, or a step makes no sense.
    ShapeError
        For a strategy of another game.
    NumberError
        For a value, a bound or weights that are no exact numbers.
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    instance_of("certificate", certificate, Certificate, "use optimum(game).certificate")
    for name in ("value", "bound"):
        require_exact(getattr(certificate, name), name)
    (value,) = expected_payoffs(game, certificate.strategy)
    if value != certificate.value:
        raise CertificateError(f"the strategy is worth {value}, not {certificate.value}")
    reading = read(game)
    whole = _Part({}, *table(reading))
    highest = max(
        _evaluate_bound(reading, row, part, prices)
        for part, prices in _cases(game, reading, certificate, whole)
        for row in part.table.values()
    )
    if not reading.forgetful:
        (row,) = whole.table.values()
        step = Fraction(gcd(*row) or 1, whole.unit)
        highest = highest // step * step
    if highest > certificate.bound:
        raise CertificateError(f"the cases allow {highest}, more than {certificate.bound}")
    return certificate.bound - value


def _cases(
    game: Game, reading: Reading, certificate: Certificate, whole: _Part
) -> Iterator[tuple[_Part, PriceList]]:
    """Yield each closed case with its price list."""
    for listed in certificate.prices:
        _check_prices(reading, listed)
    waiting = [whole]
    for step in certificate.steps:
        if not waiting:
            raise CertificateError("there are steps after the last case")
        part = waiting.pop()
        if isinstance(step, Closed):
            if not 0 <= step.prices < len(certificate.prices):
                raise CertificateError(f"there is no price list {step.prices}")
            yield part, certificate.prices[step.prices]
        else:
            waiting.extend(reversed(_parts(game, reading, part, step)))
    if waiting:
        raise CertificateError(f"{len(waiting)} cases are left open")


def _parts(game: Game, reading: Reading, part: _Part, step: Branch | Split) -> list[_Part]:
    k = step.infoset
    if isinstance(step, Branch):
        if not 0 <= k < len(game.infosets) or k in part.decided or k in reading.forgetful:
            raise CertificateError(f"information set {k} cannot be decided")
        return [
            _Part({**part.decided, k: m}, part.table, part.unit)
            for m in range(len(game.infosets[k].moves))
        ]
    weights = tuple(step.weights)  # read once: it may have others each time
    for weight in weights:
        require_exact(weight, "weight of a split")
    if len(weights) != reading.forgetful.get(k) or min(weights) < 0 or sum(weights) != 1:
        raise CertificateError(f"the laws at information set {k} cannot be split there")
    tables, factor = pieces(part.table, list(reading.forgetful).index(k), weights)
    return [_Part(part.decided, piece, part.unit * factor) for piece in tables]


def _check_prices(reading: Reading, listed: PriceList) -> None:
    numbers = (listed.denominator, *(each for entry in listed.entries for each in entry))
    if not all(type(number) is int for number in numbers):
        raise CertificateError("prices, their moves and nodes are not all integers")
    if listed.denominator < 1:
        raise CertificateError(f"prices have the denominator {listed.denominator}")
    for node, move, numerator in listed.entries:
        place = reading.places.get(node)
        if place is None or move not in range(len(place.after)):
            raise CertificateError(f"there is nothing to price at move {move} of node {node}")
        if numerator < 0:
            raise CertificateError(f"the price of move {move} at node {node} is negative")


def _evaluate_bound(
    reading: Reading, row: Sequence[int], part: _Part, listed: PriceList
) -> Fraction:
    common = lcm(part.unit, listed.denominator)
    each = common // listed.denominator
    prices = {(node, m): numerator * each for node, m, numerator in listed.entries}
    worth = [v * (common // part.unit) for v in row]
    back: dict[int, list[int]] = {}
    for node, place in reversed(reading.places.items()):
        k, after = place.infoset, place.after
        if k in part.decided:
            worth[place.before] += worth[after[part.decided[k]]]
            continue
        paid = [prices.get((node, m), 0) for m in range(len(after))]
        worth[place.before] += max(worth[h] - cost for h, cost in zip(after, paid, strict=True))
        total = back.get(k, [0] * len(paid))
        back[k] = [a + b for a, b in zip(total, paid, strict=True)]
    return Fraction(worth[0] + sum(map(max, back.values())), common)
