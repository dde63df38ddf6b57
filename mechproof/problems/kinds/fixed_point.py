"""The kind ``fixed-point``: what a mixture of maps, or a Markov chain, leaves as it is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, child, locate_errors
from mechproof.problems.format.schema import having
from mechproof.problems.format.typed import Record
from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.shared.answers import Rational
from mechproof.problems.shared.counting import (
    MAX_ELIMINATION,
    MAX_LONG_LAW,
    MAX_PROGRAM,
    MAX_WEIGHED,
    check_count,
    weigh_steps,
)
from mechproof.problems.shared.goods import look_up_name
from theory.fixed_point import FixedPoint, MapMixture, fixed_point
from theory.shared.text import short_text

__all__ = ["KIND", "Answer", "Problem", "solve"]

_STEPS: Final = "steps of elimination"
_WEIGHED: Final = "steps of elimination, by the length of numbers"
_SHORTER: Final = "round the numbers to a common denominator, or give fewer"
_METHODS: Final = {"gth": "gth", "highs": "highs", "cvxpy": "cvxpy"}

Index = Annotated[int, Meta(ge=0)]


class MapMove(Record, frozen=True, kw_only=True):
    """The map that sends one index to another and leaves the rest."""

    source: Annotated[Index, Meta(description="Where it leads from.")]
    target: Annotated[Index, Meta(description="Where it leads to.")]
    weight: Annotated[Fraction, Meta(description="Its weight in the mixture.")]


class ConstantMap(Record, frozen=True, kw_only=True):
    """The map that sends every index to one."""

    target: Annotated[Index, Meta(description="Where it leads to.")]
    weight: Annotated[Fraction, Meta(description="Its weight in the mixture.")]


class Problem(ProblemBase, frozen=True, kw_only=True):
    """A mixture of maps of 0, ..., size - 1, or the matrix of a Markov chain."""

    kind: Annotated[Literal["fixed-point"], Meta(description="The kind of problem.")]
    size: Annotated[
        Annotated[int, Meta(ge=1)] | UnsetType,
        Meta(description="How many indices there are; they may be astronomically many."),
    ] = UNSET
    moves: Annotated[
        tuple[MapMove, ...] | UnsetType,
        Meta(
            description="Maps of one index. What all weights leave to one is that of the identity."
        ),
    ] = UNSET
    constants: Annotated[
        tuple[ConstantMap, ...] | UnsetType, Meta(description="Maps of all indices to one.")
    ] = UNSET
    matrix: Annotated[
        Annotated[tuple[tuple[Fraction, ...], ...], Meta(min_length=1)] | UnsetType,
        Meta(description="Instead: for each index a row, the probabilities to go to each."),
    ] = UNSET
    method: Annotated[
        str,
        Meta(
            description="How to solve: by elimination within a closed class, exactly, as when left "
            "out; or by a linear program in float64, through HiGHS or cvxpy.",
            extra_json_schema={"enum": list(_METHODS)},
        ),
    ] = "gth"
    start: Annotated[
        Index | UnsetType,
        Meta(description="For gth: look only at what can be reached from this index."),
    ] = UNSET


class WeightedIndex(Record, frozen=True, kw_only=True):
    """An index with its probability."""

    index: Annotated[int, Meta(description="The index.")]
    weight: Annotated[
        Rational | float,
        Meta(description="Its probability, above 0; a JSON number is a float64 number."),
    ]


class Answer(AnswerBase, frozen=True, kw_only=True):
    """A fixed point, and what is known of it."""

    kind: Annotated[Literal["fixed-point"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    words: Annotated[tuple[str, ...], Meta(description="What was found, in words.")]
    size: Annotated[int, Meta(description="How many indices there are.")]
    method: Annotated[str, Meta(description="How it was solved.")]
    exact: Annotated[bool, Meta(description="Whether all numbers are rational.")]
    support: Annotated[
        tuple[WeightedIndex, ...],
        Meta(description="The indices with positive probability, in order."),
    ]
    residual: Annotated[
        Rational | float,
        Meta(description="The sum over indices of |Qx - x|, recomputed by separate code."),
    ]
    unique: Annotated[
        bool, Meta(description="Whether there is no other fixed point: one closed class.")
    ]
    sources: Annotated[int, Meta(description="How many indices a single move leads from.")]
    touched: Annotated[int, Meta(description="How many indices any map leads from or to.")]


def solve(problem: Problem) -> Answer:
    """Find a fixed point.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    maps = _maps(problem)
    method = look_up_name(problem.method, "method", _METHODS, "$.method")
    start: int | None = None
    if not isinstance(problem.start, UnsetType):
        start = _index(problem.start, maps.size, "$.start")
    with locate_errors("$.method" if start is None else "$.start"):
        found = fixed_point(
            maps if method == "gth" else maps.as_floats(), method=method, start=start
        )
    return Answer(
        kind="fixed-point",
        version=1,
        words=(_describe_fixed_point(found),),
        size=found.size,
        method=found.method,
        exact=found.arithmetic == "exact",
        support=tuple(
            WeightedIndex(index=i, weight=_write_number(w))
            for i, w in zip(found.support, found.weights, strict=True)
        ),
        residual=_write_number(found.gap),
        unique=found.unique,
        sources=found.sources,
        touched=found.touched,
    )


def _maps(problem: Problem) -> MapMixture:
    others = (problem.size, problem.moves, problem.constants)
    moves_given = () if isinstance(problem.moves, UnsetType) else problem.moves
    if not isinstance(problem.matrix, UnsetType):
        rows = len(problem.matrix)
        check_count("$.matrix", _STEPS, rows**3, MAX_ELIMINATION, "give a smaller matrix")
        if others != (UNSET, UNSET, UNSET):
            raise DocumentError("has both a matrix and maps or their size: keep one", path="$")
        if problem.method == "gth":
            work = weigh_steps(rows**3, problem.matrix, MAX_WEIGHED)
            check_count("$.matrix", _WEIGHED, work, MAX_WEIGHED, _SHORTER)
        return _chain(problem.matrix)
    if isinstance(problem.size, UnsetType):
        raise DocumentError("has neither a size, nor a matrix: add one", path="$")
    size = problem.size
    steps = len({move.source for move in moves_given}) * len(moves_given)
    check_count("$.moves", _STEPS, steps, MAX_ELIMINATION, "give fewer moves")
    listed = () if isinstance(problem.constants, UnsetType) else problem.constants
    touched = {end for move in moves_given for end in (move.source, move.target)}
    touched |= {constant.target for constant in listed}
    if problem.method == "gth":
        by_source: dict[int, list[Fraction]] = {}
        for move in moves_given:
            by_source.setdefault(move.source, []).append(move.weight)
        laws = [*by_source.values(), [constant.weight for constant in listed]]
        work = weigh_steps(steps, laws, MAX_WEIGHED)
        check_count("$.moves", _WEIGHED, work, MAX_WEIGHED, _SHORTER)
        work, what = (
            weigh_steps(len(touched), laws, MAX_LONG_LAW),
            "indices, by the length of numbers",
        )
        check_count("$.constants", what, work, MAX_LONG_LAW, _SHORTER)
    else:
        what, fix = "indices of a linear program", 'use method = "gth", or give fewer'
        check_count("$.method", what, len(touched), MAX_PROGRAM, fix)
    moves: dict[tuple[int, int], Fraction] = {}
    for k, move in enumerate(moves_given):
        path = child("$.moves", k)
        ends = (
            _index(move.source, size, f"{path}.source"),
            _index(move.target, size, f"{path}.target"),
        )
        moves |= _read_new(ends, move.weight, moves, path)
    constants: dict[int, Fraction] = {}
    for k, constant in enumerate(listed):
        path = child("$.constants", k)
        target = _index(constant.target, size, f"{path}.target")
        constants |= _read_new(target, constant.weight, constants, path)
    with locate_errors("$"):
        return MapMixture.of(size, moves, constants)


def _chain(matrix: Sequence[Sequence[Fraction]]) -> MapMixture:
    for i, row in enumerate(matrix):
        path = child("$.matrix", i)
        if len(row) != len(matrix):
            wrong = f"has {len(row)} entries: give {len(matrix)}, as many as there are rows"
            raise DocumentError(wrong, path=path)
        for j, p in enumerate(row):
            _at_least_zero(p, child(path, j))
        if sum(row) != 1:
            wrong = f'has sum {short_text(sum(row))}: give probabilities with sum 1, such as "1/3"'
            raise DocumentError(wrong, path=path)
    with locate_errors("$.matrix"):
        return MapMixture.from_matrix(matrix)


def _read_new(
    ends: Any, weight: Fraction, known: dict[Any, Fraction], path: str
) -> dict[Any, Fraction]:
    if ends in known:
        raise DocumentError("is given twice: add up the weights", path=path)
    _at_least_zero(weight, f"{path}.weight")
    return {ends: weight}


def _at_least_zero(weight: Fraction, path: str) -> None:
    if weight < 0:
        raise DocumentError(f"is below 0 (got '{short_text(weight)}'): give 0 or more", path=path)


def _index(index: int, size: int, path: str) -> int:
    if index >= size:
        most = short_text(size - 1)
        wrong = f"is no index (got {short_text(index)}): give an integer from 0 to {most}"
        raise DocumentError(wrong, path=path)
    return index


def _write_number(value: Any) -> str | float:
    return str(value) if isinstance(value, Fraction) else float(value)


def _describe_fixed_point(found: FixedPoint) -> str:
    number = "the only one" if found.unique else "one of several"
    count = len(found.support)
    where = f"index {found.support[0]} alone" if count == 1 else f"{count:,} indices"
    return f"The fixed point is {number}; it lies on {where}, of {found.size:,}."


EXAMPLE = """\
# A learner with a million actions looks back. Of ten samples three say that it should have played 5
# wherever it played 3, one the reverse, two that 3 is better than 8, and one that 8 would have been
# best throughout; three find no fault. What it plays next is to be as it is after such a change.
#
#   mechproof example fixed-point | mechproof solve -

kind = "fixed-point"

# The indices are 0, 1 and so on, so many of them.
size = 1_000_000

# Maps that send one index to another and leave the rest, with their weights. What the weights leave
# to one is that of the map that changes nothing.
moves = [
  { source = 3, target = 5, weight = "3/10" },
  { source = 5, target = 3, weight = "1/10" },
  { source = 8, target = 3, weight = "1/5" },
]

# Maps that send every index to one.
constants = [
  { target = 8, weight = "1/10" },
]

# Instead of size, moves and constants there may be a matrix, the rows of a Markov chain:
# matrix = [["1/2", "1/2"], ["1/4", "3/4"]]

# Solve exactly, by elimination ("gth"), or in float64 by a linear program ("highs", "cvxpy").
# method = "gth"

# Without constants there may be many fixed points: every index that no move leads from is one. Take
# that of the lowest index, or one that can be reached from here:
# start = 3
"""

KIND = ProblemKind(
    name="fixed-point",
    problem=Problem,
    answer=Answer,
    solve=solve,
    example=EXAMPLE,
    constraint={
        "oneOf": [
            having("size", without=["matrix"]),
            having("matrix", without=["size", "moves", "constants"]),
        ]
    },
)
