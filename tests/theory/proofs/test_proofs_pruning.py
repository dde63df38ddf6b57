"""Branches that nothing reaches are cut, and each cut is something that is proved.

Pruned and unpruned traces of the same random programs are compared: at every point, the path taken
and its result are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sweeps import examples

from theory.errors import InvalidInputError, LimitError
from theory.proofs import Path, Tracer, _points, _pruning, _tracer, decide

LATTICE = [Fraction(n, 2) for n in range(-3, 4)]
Run = Callable[[], Sequence[Any]]


def traces() -> tuple[Tracer, Tracer]:
    return Tracer(real=("u", "v", "w")), Tracer(real=("u", "v", "w"), prune=True)


def circle(trace: Tracer) -> Run:
    """Compare round the circle: of 8 answers 2 cannot be."""

    def run() -> list[Any]:
        u, v, w = trace["u"], trace["v"], trace["w"]
        up = [u <= v, v <= w, u <= w]
        return [-1 if up in ([True, True, False], [False, False, True]) else 1]

    return run


def test_a_circle_is_cut_where_it_closes_and_every_cut_is_proved() -> None:
    plain, pruned = traces()
    assert len(list(plain.paths(circle(plain)))) == 8
    assert len(list(pruned.paths(circle(pruned)))) == 6
    owed = pruned.obligations(circle(pruned))
    cuts = [obligation for obligation in owed if obligation.goal is None]
    assert len(cuts) == 2
    for solver in ("certificates", "z3", "cvc5"):
        assert decide(cuts, solver=solver).verdict == "proved"
        assert pruned.prove(circle(pruned), solver=solver).complete
        assert plain.prove(circle(plain), solver=solver).complete


weights = st.lists(st.tuples(*[st.integers(-2, 2)] * 4), min_size=1, max_size=5)


@settings(max_examples=examples(8))
@given(weights, st.lists(st.tuples(*[st.sampled_from(LATTICE)] * 3), min_size=1, max_size=8))
def test_pruned_and_unpruned_traces_agree_at_every_point(
    rows: list[tuple[int, ...]], points: list[tuple[Fraction, ...]]
) -> None:
    def run(trace: Tracer) -> Run:
        terms = [trace[name] for name in "uvw"]

        def found() -> list[Any]:
            count: Any = 0
            for number, (*row, constant) in enumerate(rows):
                value = sum((c * t for c, t in zip(row, terms, strict=True)), terms[0] * 0)
                count += 2**number if value + constant > 0 else 0
            return [count]

        return found

    plain, pruned = traces()
    for trace in (plain, pruned):
        trace.assume(trace["u"])
    everything, open_paths = list(plain.paths(run(plain))), list(pruned.paths(run(pruned)))
    assert len(open_paths) <= len(everything)
    for point in points:
        at = dict(zip("uvw", (abs(point[0]), *point[1:]), strict=True))
        (expected,) = [p for p in everything if p.taken(at)]
        (found,) = [p for p in open_paths if p.taken(at)]
        assert found.value(at) == expected.value(at)
    owed = pruned.obligations(run(pruned))
    assert decide([o for o in owed if o.goal is None] or owed, solver="z3").verdict == "proved"


def test_a_branch_that_is_dropped_though_it_is_open_is_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def blind(conditions: Sequence[Any]) -> None:
        return None

    trace = Tracer(real=("u",), prune=True)
    u = trace["u"]

    def run() -> list[Any]:
        return [1 if u >= -1 and u <= 1 else -1]

    assert not trace.prove(run, [u + 2]).complete
    real = _points.relaxed_point
    monkeypatch.setattr(
        _pruning,
        "relaxed_point",
        lambda conditions: blind(conditions) if len(conditions) > 2 else real(conditions),
    )
    owed = trace.obligations(run, [u + 2])
    assert any(obligation.goal is None for obligation in owed)
    for solver in ("certificates", "z3", "cvc5"):
        assert decide(owed, solver=solver).verdict == "refuted"
        assert not trace.prove(run, [u + 2], solver=solver).complete


def test_hypotheses_prune_and_are_part_of_what_is_shown() -> None:
    trace = Tracer(real=("u", "v"), prune=True)
    u, v = trace["u"], trace["v"]
    trace.assume(u)
    trace.assume(1 - u)
    run: Run = lambda: [1 if u <= 2 else -1, v - v if u + v >= v else -1]  # noqa: E731
    proof = trace.prove(run)
    assert proof.complete
    assert proof.paths == 1
    assert "with u >= 0, -u + 1 >= 0" in str(proof)
    at_bound = trace.prove(lambda: [1 if u < 1 else -1])
    assert not at_bound.complete
    assert trace.prove(lambda: [1 if u + v < 1 else v], [-v]).complete
    assert trace.prove(lambda: [u if u + v < 1 else v - 1]).open_goal == "v - 1 is at least 0"


def test_hypotheses_that_contradict_each_other_are_refused() -> None:
    trace = Tracer(real=("u", "v"), prune=True)
    u, v = trace["u"], trace["v"]
    trace.assume(u - 1)
    trace.assume(-u)
    with pytest.raises(InvalidInputError, match="contradict each other"):
        trace.prove(lambda: [1 if v > 0 else -1])


def test_products_leave_branches_open_unless_what_is_linear_rules_them_out() -> None:
    trace = Tracer(real=("u", "v"), prune=True)
    u, v = trace["u"], trace["v"]

    def run() -> list[Any]:
        if u * v > 1:
            return [0 if u > 0 else 1]
        return [0 if u > 0 else (1 if u > 1 else 0)]

    found = list(trace.paths(run))
    assert len(found) == 4
    assert {p.value({"u": u, "v": v}) for p, u, v in taken(found)} == {0, 1}
    cuts = [o for o in trace.obligations(run) if o.goal is None]
    assert len(cuts) == 1
    assert decide(cuts, solver="certificates").verdict == "proved"


def taken(paths: Sequence[Path]) -> list[tuple[Path, Fraction, Fraction]]:
    points = list(product([*LATTICE, Fraction(4), Fraction(-4)], repeat=2))
    return [(p, u, v) for u, v in points for p in paths if p.taken({"u": u, "v": v})]


def test_loops_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_tracer, "MAX_COMPARISONS", 50)
    trace = Tracer(positive=("q",), real=("u",), conditions=20)
    q, u = trace["q"], trace["u"]

    def climbing() -> list[Any]:
        level = u
        while level < 100 * u:
            level = level + 1
        return [level]

    def known() -> list[Any]:
        level = q
        while level > 0:
            level = level + q
        return [level]

    with pytest.raises(LimitError, match="more than 20 comparisons"):
        trace.prove(climbing)
    with pytest.raises(LimitError, match="more than 50 comparisons"):
        trace.prove(known)
    assert trace.prove(lambda: [q]).complete
