"""Mixtures of maps of 0..size-1 to itself that move one index, or send all to one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np

from theory.errors import ProbabilityError, ShapeError
from theory.fixed_point import _reading
from theory.numbers import Exact, Floats, as_numbers
from theory.shared.arguments import read_count, refusing
from theory.shared.text import count_text

__all__ = ["Constants", "MapMixture", "Moves"]


class Moves(NamedTuple):
    """Single moves: all that is at ``sources[m]`` goes to ``targets[m]``, with ``weights[m]``."""

    sources: np.ndarray
    targets: np.ndarray
    weights: np.ndarray


class Constants(NamedTuple):
    """Constant maps: everything goes to ``targets[m]``, with ``weights[m]``."""

    targets: np.ndarray
    weights: np.ndarray


@refusing
@dataclass(frozen=True, eq=False)
class MapMixture:
    r"""A mixture of maps of {0, ..., size-1} to itself, as a Markov chain.

    The moves :math:`\phi_{i \to j}` send all that is at i to j and leave the rest where it is; the
    constant maps send everything to one j. Q is their mean under the weights; the weight that is
    missing to one lies on the identity. In numbers, for a distribution x,

    .. math:: (Qx)_j = x_j + \sum_i w_{ij} x_i - x_j \sum_k w_{jk} + v_j - x_j \sum_k v_k.

    Make one with :meth:`of`, :meth:`from_arrays` or :meth:`from_matrix`, which check what they are
    given. Moves of weight zero, and those from an index to itself, are left out.

    Attributes
    ----------
    size : int
        The number of indices, of any size; only those touched are ever looked at.
    moves : Moves
        Rows ``sources``, ``targets`` and ``weights``; a move may come several times.
    constants : Constants
        Rows ``targets`` and ``weights``.
    exact : bool
        Whether the weights are Fractions (in object arrays) and not float64. A mixture made by
        :meth:`of` without any weight is exact, and goes with floats, too.

    Examples
    --------
    >>> maps = MapMixture.of(10**18, {(0, 7): "1/2", (7, 0): "1/4"})
    >>> maps.touched
    (0, 7)
    >>> maps.apply({0: 1})
    {0: Fraction(1, 2), 7: Fraction(1, 2)}
    """

    size: int
    moves: Moves
    constants: Constants
    exact: bool

    def __post_init__(self) -> None:
        for row in (*self.moves, *self.constants):
            row.flags.writeable = False

    @classmethod
    def of(
        cls,
        size: int,
        moves: Mapping[tuple[int, int], Any] | None = None,
        constants: Mapping[int, Any] | None = None,
    ) -> MapMixture:
        """Return the mixture with these weights, exact unless some are floats.

        Parameters
        ----------
        size : int
            At least 1.
        moves : mapping from (source, target) to weight, optional
        constants : mapping from target to weight, optional
            Integers, Fractions, decimals and text such as "1/3" are exact.

        Raises
        ------
        InvalidInputError
            When the size is below 1 or a key is no index, or no pair of indices.
        ProbabilityError
            When a weight is negative or not finite, or when they sum to more than one (by more
            than 1e-9 where they are floats).
        NumberError
            When a weight is no number, or exact weights stand beside floats.
        """
        size = read_count("size", size, 1)
        moves, constants = moves or {}, constants or {}
        sources, goals = _reading.pairs(moves, size)
        jumps = _reading.targets(constants, size)
        weights, exact = _reading.as_fractions_or_floats(
            "weights", [*moves.values(), *constants.values()]
        )
        for name, weight in zip([*moves, *constants], weights, strict=True):
            if weight < 0:
                _reading.refuse_weight(f"weight of {name}", weight)
        _reading.check_total("weights", sum(weights))
        count = len(sources)
        kept = [e for e in range(count) if weights[e] > 0 and sources[e] != goals[e]]
        jumping = [e for e in range(len(jumps)) if weights[count + e] > 0]
        return cls(
            size,
            Moves(
                _reading.pack_indices([sources[e] for e in kept]),
                _reading.pack_indices([goals[e] for e in kept]),
                _row([weights[e] for e in kept], exact),
            ),
            Constants(
                _reading.pack_indices([jumps[e] for e in jumping]),
                _row([weights[count + e] for e in jumping], exact),
            ),
            exact,
        )

    @classmethod
    def from_arrays(
        cls,
        size: int,
        sources: object,
        targets: object,
        weights: object,
        *,
        constants: object = None,
        constant_weights: object = None,
    ) -> MapMixture:
        """Return the mixture with these float64 weights; the fast way for many moves.

        Parameters
        ----------
        size : int
            At least 1.
        sources, targets, weights : rows of equal length
            Indices as int64, weights as float64. All are copied.
        constants, constant_weights : rows of equal length, optional
            Targets and weights of constant maps.

        Raises
        ------
        InvalidInputError
            When the size is below 1 or an index is outside 0..size-1.
        ProbabilityError
            When a weight is negative or not finite, or when they sum to more than 1 + 1e-9.
        ShapeError
            When something is no row of numbers, or rows differ in length.

        Notes
        -----
        O(moves) time, compiled.

        Examples
        --------
        >>> MapMixture.from_arrays(10**6, [3, 5], [5, 3], [0.25, 0.5]).touched
        (3, 5)
        """
        from theory.fixed_point._kernels_reading import proper
        from theory.shared.compiling import cheapest

        size = read_count("size", size, 1)
        origins = _reading.as_indices("sources", sources)
        goals = _reading.as_indices("targets", targets)
        if len(goals) != len(origins):
            raise ShapeError(
                "targets", targets, f"has {len(goals)} entries", f"give {len(origins)}, as sources"
            )
        rates = _reading.as_weights("weights", weights, len(origins))
        jumps = _reading.as_indices("constants", () if constants is None else constants)
        given = () if constant_weights is None else constant_weights
        jump_rates = _reading.as_weights("constant_weights", given, len(jumps))
        total = _check_and_sum("sources", origins, "weights", rates, size)
        total += _check_and_sum("targets", goals, "", None, size)
        total += _check_and_sum("constants", jumps, "constant_weights", jump_rates, size)
        _reading.check_total("weights", total)
        moves, constant_maps = Moves(origins, goals, rates), Constants(jumps, jump_rates)
        if cheapest(proper, len(rates))(*moves) < len(rates) or not jump_rates.all():
            return cls._drop_idle(size, moves, constant_maps)
        return cls(size, moves, constant_maps, False)

    @classmethod
    def from_matrix(cls, matrix: object) -> MapMixture:
        """Return the chain with row-stochastic transition probabilities P(i, j) from i to j.

        Rows move independently here, so the weights of all moves together may sum to more than
        one; those of one source may not.

        Parameters
        ----------
        matrix : (n, n) array-like
            Exact, or float64 with row sums of one within 1e-9. What stands on the diagonal does
            not enter the fixed point.

        Raises
        ------
        ShapeError
            When it is empty or not square.
        ProbabilityError
            When an entry is negative or not finite, or a row does not sum to one.

        Examples
        --------
        >>> MapMixture.from_matrix([["1/2", "1/2"], [1, 0]]).exact
        True
        """
        if isinstance(matrix, np.ndarray) and matrix.dtype == np.float64:
            numbers: Any = Floats(matrix)  # checked below, in one pass
        else:
            numbers = _matrix_numbers(matrix)
        if len(numbers.shape) != 2 or numbers.shape[0] != numbers.shape[1] or not numbers.shape[0]:
            raise ShapeError("matrix", numbers.shape, "is not square", "give n rows of n numbers")
        if isinstance(numbers, Floats):
            return _from_floats(numbers.values)
        return _from_fractions(numbers.scalars())

    @classmethod
    def _drop_idle(cls, size: int, moves: Moves, constants: Constants) -> MapMixture:
        """Leave out what does nothing."""
        keep = (moves.weights > 0) & (moves.sources != moves.targets)
        moves = Moves(*(row[keep] for row in moves))
        keep = constants.weights > 0
        constants = Constants(*(row[keep] for row in constants))
        return cls(size, moves, constants, False)

    @property
    def idle(self) -> bool:
        """Whether nothing moves: every distribution is a fixed point."""
        return not (len(self.moves.weights) or len(self.constants.weights))

    @cached_property
    def touched(self) -> tuple[int, ...]:
        """The indices that a move leaves or that something is moved to, in order."""
        rows = (self.moves.sources, self.moves.targets, self.constants.targets)
        return tuple(sorted({i for row in rows for i in row.tolist()}))

    @cached_property
    def sources(self) -> tuple[int, ...]:
        """The indices that a single move leaves, in order."""
        return tuple(sorted(set(self.moves.sources.tolist())))

    def as_floats(self) -> MapMixture:
        """Return the mixture with its weights rounded to float64."""
        if not self.exact:
            return self
        moves = self.moves._replace(weights=self.moves.weights.astype(np.float64))
        constants = self.constants._replace(weights=self.constants.weights.astype(np.float64))
        return MapMixture._drop_idle(self.size, moves, constants)

    def apply(self, strategy: object) -> dict[int, Any]:
        """Return Qx for a distribution x, as probabilities of the indices that have some.

        Parameters
        ----------
        strategy : mapping, SparseStrategy, FixedPoint or row
            Probabilities: {index: probability}, or a row with one for each index.

        Raises
        ------
        ProbabilityError
            When they are no distribution.
        ExactnessError
            When floats meet exact maps, or the other way round.
        """
        from theory.fixed_point._law import read_law

        law = read_law(self, strategy)
        result, moved = dict(law), _sum_leaving(self)
        jumping = sum(self.constants.weights.tolist())
        for i, p in law.items():
            result[i] = p * max(1 - moved.get(i, 0) - jumping, 0)
        for i, j, w in zip(*(row.tolist() for row in self.moves), strict=True):
            if i in law:
                result[j] = result.get(j, 0) + law[i] * w
        for j, w in zip(*(row.tolist() for row in self.constants), strict=True):
            result[j] = result.get(j, 0) + w * sum(law.values())
        return {i: p for i, p in sorted(result.items()) if p > 0}

    def __str__(self) -> str:
        kind = "exact" if self.exact else "float64"
        text = _count_noun(len(self.moves.weights), "move")
        if len(self.constants.weights):
            text += " and " + _count_noun(len(self.constants.weights), "constant map")
        return f"{text} of {count_text(self.size)} indices, {len(self.touched):,} touched ({kind})"

    __repr__ = __str__


def _sum_leaving(maps: MapMixture) -> dict[int, Any]:
    moved: dict[int, Any] = {}
    for i, w in zip(maps.moves.sources.tolist(), maps.moves.weights.tolist(), strict=True):
        moved[i] = moved.get(i, 0) + w
    return moved


def _count_noun(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _row(weights: list[Any], exact: bool) -> np.ndarray:
    return np.array(weights, dtype=object if exact else np.float64)


def _check_and_sum(
    name: str, indices: np.ndarray, weights_name: str, weights: np.ndarray | None, size: int
) -> float:
    from theory.fixed_point._kernels_reading import first_fault
    from theory.shared.compiling import cheapest

    row = np.zeros(0) if weights is None else weights
    find = cheapest(first_fault, len(indices) + len(row))
    index, weight, total = find(indices, row, min(size - 1, 2**63 - 1))
    if index >= 0:
        _reading.refuse_index(f"{name}[{index}]", int(indices[index]), size)
    if weight >= 0:
        _reading.refuse_weight(f"{weights_name}[{weight}]", float(row[weight]))
    return float(total)


def _matrix_numbers(matrix: object) -> Exact | Floats:
    numbers = as_numbers(matrix, "matrix")
    if not isinstance(numbers, Exact | Floats):
        raise ShapeError(
            "matrix", matrix, "holds closed forms or balls", "give rationals or floats"
        )
    return numbers


def _from_floats(matrix: np.ndarray) -> MapMixture:
    from theory.fixed_point._kernels_reading import off_diagonal
    from theory.shared.compiling import cheapest

    read = cheapest(off_diagonal, 2 * matrix.size)
    rows, columns, values, sums = read(np.ascontiguousarray(matrix))
    wrong = np.flatnonzero(~(np.abs(sums - 1) <= _reading.SUM_TOLERANCE))
    if len(wrong):
        i = int(wrong[0])
        for j, p in enumerate(matrix[i].tolist()):
            if not 0 <= p < np.inf:
                _reading.refuse_weight(f"matrix[{i}, {j}]", p)
        _refuse_row(i, float(sums[i]))
    moves = Moves(rows, columns, values)
    return MapMixture(len(matrix), moves, _no_constants(np.float64), False)


def _from_fractions(rows: list[list[Fraction]]) -> MapMixture:
    moves: dict[tuple[int, int], Fraction] = {}
    for i, row in enumerate(rows):
        for j, p in enumerate(row):
            if p < 0:
                _reading.refuse_weight(f"matrix[{i}, {j}]", p)
            if p and i != j:
                moves[i, j] = p
        if sum(row) != 1:
            _refuse_row(i, sum(row))
    made = Moves(
        _reading.pack_indices([i for i, _ in moves]),
        _reading.pack_indices([j for _, j in moves]),
        _row(list(moves.values()), True),
    )
    return MapMixture(len(rows), made, _no_constants(object), True)


def _refuse_row(i: int, total: Any) -> None:
    raise ProbabilityError(f"matrix[{i}]", total, "does not sum to one", "give row-stochastic rows")


def _no_constants(dtype: type) -> Constants:
    return Constants(np.zeros(0, np.int64), np.zeros(0, cast("Any", dtype)))
