from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import theory.blackwell._recheck
from theory.blackwell import (
    Experiment,
    Garbling,
    Relation,
    Separation,
    at_least_as_informative,
    compare,
)
from theory.errors import ExactnessError, InvalidInputError, ProbabilityError, ShapeError
from theory.linear import CertificateError
from theory.probability import Partition

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

Rows = tuple[tuple[Fraction, ...], ...]


def normalised(weights: Sequence[Sequence[int]]) -> Rows:
    return tuple(tuple(Fraction(v, sum(row)) for v in row) for row in weights)


@st.composite
def kernels(draw: st.DrawFn, rows: int, columns: int) -> Rows:
    row = st.lists(st.integers(0, 4), min_size=columns, max_size=columns).filter(any)
    return normalised(draw(st.lists(row, min_size=rows, max_size=rows)))


@st.composite
def experiments(draw: st.DrawFn, states: int, max_signals: int = 4) -> Experiment:
    return Experiment.of(draw(kernels(states, draw(st.integers(1, max_signals)))))


@st.composite
def pairs(draw: st.DrawFn, states: int | None = None) -> tuple[Experiment, Experiment]:
    """Two experiments; half of the time the second is a garbling of the first."""
    count = draw(st.integers(1, 4)) if states is None else states
    a = draw(experiments(count))
    if draw(st.booleans()):
        return a, draw(experiments(count))
    return a, a.garble(draw(kernels(len(a.signals), draw(st.integers(1, 4)))))


@st.composite
def priors(draw: st.DrawFn, states: int) -> tuple[Fraction, ...]:
    weights = st.lists(st.integers(1, 5), min_size=states, max_size=states)
    return normalised([draw(weights)])[0]


def times(a: Rows, g: Rows) -> Rows:
    return tuple(
        tuple(sum((row[s] * g[s][t] for s in range(len(g))), Fraction(0)) for t in range(len(g[0])))
        for row in a
    )


def value_by_rules(e: Experiment, prior: Sequence[Fraction], utilities: Rows) -> Fraction:
    """Return the best expected utility over all maps from signals to actions, one by one."""
    return max(
        sum(
            (
                p * likelihood * utilities[action][w]
                for w, p in enumerate(prior)
                for likelihood, action in zip(e.rows[w], rule, strict=True)
            ),
            Fraction(0),
        )
        for rule in product(range(len(utilities)), repeat=len(e.signals))
    )


def zonotope_contains(a: Experiment, b: Experiment) -> bool:
    """For two states: does the zonotope of a's columns contain that of b's?

    The support function of a zonotope is h(α, β) = Σ_s max(0, α a[0, s] − β a[1, s]). It is linear
    between the normals of the columns, so it is enough to compare there and on the axes.
    """

    def support(e: Experiment, alpha: Fraction, beta: Fraction) -> Fraction:
        return sum(
            (max(Fraction(0), alpha * p - beta * q) for p, q in zip(*e.rows, strict=True)),
            Fraction(0),
        )

    normals = [(q, p) for e in (a, b) for p, q in zip(*e.rows, strict=True)]
    return all(support(a, *n) >= support(b, *n) for n in normals)


BINARY = {
    k: Experiment.of([[f"{k}/10", f"{10 - k}/10"], [f"{10 - k}/10", f"{k}/10"]]) for k in range(11)
}
ERASING = Experiment.of([["1/2", "1/2", 0], [0, "1/2", "1/2"]])


class TestCertificates:
    @given(pairs(), st.data())
    def test_every_answer_proves_itself(
        self, pair: tuple[Experiment, Experiment], data: st.DataObject
    ) -> None:
        a, b = pair
        prior = data.draw(st.none() | priors(len(a.states)))
        answer = at_least_as_informative(a, b, prior=prior)
        if isinstance(answer, Garbling):
            assert times(a.rows, answer.matrix) == b.rows
            assert all(sum(row) == 1 and min(row) >= 0 for row in answer.matrix)
            assert answer.gap == 0
            return
        uniform = (Fraction(1, len(a.states)),) * len(a.states)
        assert answer.prior == (uniform if prior is None else prior)
        assert answer.value_a == value_by_rules(a, answer.prior, answer.utilities)
        assert answer.value_b == value_by_rules(b, answer.prior, answer.utilities)
        assert answer.difference == answer.value_b - answer.value_a > 0
        assert set(answer.actions) <= set(b.signals)
        assert all(u.denominator == 1 for row in answer.utilities for u in row)

    @given(st.integers(1, 4), st.data())
    def test_a_garbling_is_recognised(self, states: int, data: st.DataObject) -> None:
        a = data.draw(experiments(states))
        b = a.garble(data.draw(kernels(len(a.signals), 3)))
        assert at_least_as_informative(a, b).holds

    @given(pairs(), st.data())
    def test_more_information_is_worth_more_in_every_problem(
        self, pair: tuple[Experiment, Experiment], data: st.DataObject
    ) -> None:
        a, b = pair
        assume(at_least_as_informative(a, b).holds)
        prior = data.draw(priors(len(a.states)))
        payoffs = st.lists(
            st.integers(-5, 5).map(Fraction), min_size=len(prior), max_size=len(prior)
        )
        utilities = tuple(map(tuple, data.draw(st.lists(payoffs, min_size=1, max_size=3))))
        assert value_by_rules(a, prior, utilities) >= value_by_rules(b, prior, utilities)

    def test_no_decision_problem_separates_a_garbling(self) -> None:
        """Whatever the utilities, such a certificate cannot be made."""
        a, b = BINARY[9], BINARY[6]
        half = (Fraction(1, 2),) * 2
        for numbers in product(range(-2, 3), repeat=4):
            table = tuple(tuple(map(Fraction, numbers[k : k + 2])) for k in (0, 2))
            with pytest.raises(CertificateError, match="not worth more"):
                Separation(a=a, b=b, prior=half, actions=("x", "y"), utilities=table)

    @pytest.mark.parametrize("fault", [Fraction(1, 10**30), Fraction(-1, 3)])
    def test_a_moved_garbling_is_rejected(self, fault: Fraction) -> None:
        answer = at_least_as_informative(BINARY[9], BINARY[6])
        assert isinstance(answer, Garbling)
        assert answer.matrix == ((Fraction(5, 8), Fraction(3, 8)), (Fraction(3, 8), Fraction(5, 8)))
        for s, t in product(range(2), repeat=2):
            moved = [list(row) for row in answer.matrix]
            moved[s][t] += fault
            with pytest.raises(CertificateError, match="off by"):
                replace(answer, matrix=tuple(map(tuple, moved)))

    def test_a_garbling_into_something_else_is_rejected(self) -> None:
        with pytest.raises(CertificateError, match="off by 1/10"):
            Garbling(a=BINARY[9], b=BINARY[8], matrix=Experiment.full([0, 1]).rows)

    def test_negative_probabilities_are_no_garbling(self) -> None:
        """[[3/2, -1/2], [-1/2, 3/2]] takes 6/10 to 7/10, and its rows sum to one."""
        back = ((Fraction(3, 2), Fraction(-1, 2)), (Fraction(-1, 2), Fraction(3, 2)))
        assert times(BINARY[6].rows, back) == BINARY[7].rows
        with pytest.raises(CertificateError, match="off by 1/2"):
            Garbling(a=BINARY[6], b=BINARY[7], matrix=back)

    def test_the_law_after_an_impossible_signal_must_be_one_too(self) -> None:
        a, b = Experiment.of([[1, 0]]), Experiment.of([[1]])
        one, two = (Fraction(1),), (Fraction(2),)
        assert Garbling(a=a, b=b, matrix=(one, one)).gap == 0
        with pytest.raises(CertificateError, match="off by 1"):
            Garbling(a=a, b=b, matrix=(one, two))

    def test_a_flipped_utility_is_rejected(self) -> None:
        answer = at_least_as_informative(BINARY[6], BINARY[9])
        assert isinstance(answer, Separation)
        for x, w in product(range(len(answer.actions)), range(2)):
            if answer.utilities[x][w]:
                one = [list(row) for row in answer.utilities]
                one[x][w] *= -1
                with pytest.raises(CertificateError):
                    replace(answer, utilities=tuple(map(tuple, one)))

    def test_certificates_must_fit(self) -> None:
        good = at_least_as_informative(BINARY[9], BINARY[6])
        bad = at_least_as_informative(BINARY[6], BINARY[9])
        assert isinstance(good, Garbling)
        assert isinstance(bad, Separation)
        with pytest.raises(ShapeError, match="matrix has the wrong shape"):
            replace(good, matrix=good.matrix[:1])
        with pytest.raises(ShapeError, match="b is not over"):
            replace(good, b=Experiment.full(["x", "y"]))
        with pytest.raises(ShapeError, match="utilities has the wrong shape"):
            replace(bad, utilities=bad.utilities[:1])
        with pytest.raises(ProbabilityError, match="prior of 0 is not positive"):
            replace(bad, prior=(Fraction(0), Fraction(1)))

    @given(pairs())
    def test_the_decision_problem_can_be_handed_on(
        self, pair: tuple[Experiment, Experiment]
    ) -> None:
        answer = at_least_as_informative(*pair)
        if not isinstance(answer, Separation):
            return
        nothing = Experiment.null(pair[0].states)
        best = answer.problem.prior_choice().expected_utility
        assert best == value_by_rules(nothing, answer.prior, answer.utilities)

    def test_the_checker_shares_nothing_with_the_solver(self) -> None:
        tree = ast.parse(inspect.getsource(theory.blackwell._recheck))
        modules = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
        assert modules == {"__future__", "collections.abc", "fractions"}


class TestOrder:
    @given(pairs(states=2))
    def test_two_states_are_decided_by_the_zonotope(
        self, pair: tuple[Experiment, Experiment]
    ) -> None:
        a, b = pair
        assert at_least_as_informative(a, b).holds == zonotope_contains(a, b)
        assert at_least_as_informative(b, a).holds == zonotope_contains(b, a)

    @pytest.mark.parametrize("good", range(5, 11))
    @pytest.mark.parametrize("poor", range(11))
    def test_binary_channels_are_ordered_by_accuracy(self, good: int, poor: int) -> None:
        relation = compare(BINARY[good], BINARY[poor]).relation
        better, worse = abs(good - 5), abs(poor - 5)
        assert relation == (
            Relation.EQUIVALENT
            if better == worse
            else Relation.MORE
            if better > worse
            else Relation.LESS
        )

    @pytest.mark.parametrize(
        ("k", "relation"), [(7, "more informative"), (8, "incomparable"), (10, "less informative")]
    )
    def test_erasing_against_flipping(self, k: int, relation: str) -> None:
        """Erasing half of the time beats erring at least a quarter of the time."""
        assert compare(ERASING, BINARY[k]).relation == relation

    def test_two_incomparable_experiments_with_three_signals(self) -> None:
        """Only erasing ever reveals the state; the other guesses it better on the whole."""
        other = Experiment.of([["8/10", "1/10", "1/10"], ["1/10", "1/10", "8/10"]])
        assert compare(ERASING, other).relation is Relation.INCOMPARABLE

    @given(st.integers(1, 4), st.data())
    def test_full_information_is_above_and_none_below(
        self, states: int, data: st.DataObject
    ) -> None:
        e = data.draw(experiments(states))
        assert at_least_as_informative(Experiment.full(e.states), e).holds
        assert at_least_as_informative(e, Experiment.null(e.states)).holds

    @given(st.integers(1, 4), st.data())
    def test_garblings_compose(self, states: int, data: st.DataObject) -> None:
        a = data.draw(experiments(states))
        b = a.garble(data.draw(kernels(len(a.signals), 3)))
        c = b.garble(data.draw(kernels(3, 3)))
        first, second = at_least_as_informative(a, b), at_least_as_informative(b, c)
        assert isinstance(first, Garbling)
        assert isinstance(second, Garbling)
        composed = Garbling(a=a, b=c, matrix=times(first.matrix, second.matrix))
        assert composed.gap == 0
        assert compare(a, c).relation in (Relation.MORE, Relation.EQUIVALENT)

    def test_partitions_are_ordered_by_refinement(self) -> None:
        partitions = [
            Partition.of(labels)
            for labels in product(range(3), repeat=3)
            if all(label <= max((*labels[:k], -1)) + 1 for k, label in enumerate(labels))
        ]
        assert len(partitions) == 5
        for p, q in product(partitions, repeat=2):
            a, b = Experiment.from_partition(p), Experiment.from_partition(q)
            assert at_least_as_informative(a, b).holds == p.refines(q)


class TestMetamorphic:
    @given(pairs())
    def test_exchanging_the_two(self, pair: tuple[Experiment, Experiment]) -> None:
        mirrored = {Relation.MORE: Relation.LESS, Relation.LESS: Relation.MORE}
        relation = compare(*pair).relation
        assert compare(*reversed(pair)).relation == mirrored.get(relation, relation)

    @given(pairs(), st.randoms(use_true_random=False))
    def test_order_of_states_and_signals(
        self, pair: tuple[Experiment, Experiment], random: Any
    ) -> None:
        shuffled = [self._shuffled(e, random) for e in pair]
        assert compare(*pair).relation is compare(*shuffled).relation
        assert compare(pair[0], shuffled[0]).relation is Relation.EQUIVALENT

    @given(pairs(), st.fractions("1/5", "4/5", max_denominator=5))
    def test_splitting_a_signal(self, pair: tuple[Experiment, Experiment], share: Fraction) -> None:
        a, b = pair
        split = Experiment.of([(row[0] * share, row[0] * (1 - share), *row[1:]) for row in a.rows])
        assert compare(a, split).relation is Relation.EQUIVALENT
        assert compare(split, b).relation is compare(a, b).relation

    @given(pairs())
    def test_a_state_that_looks_like_another_changes_nothing(
        self, pair: tuple[Experiment, Experiment]
    ) -> None:
        doubled = [Experiment.of([*e.rows, e.rows[0]]) for e in pair]
        assert compare(*doubled).relation is compare(*pair).relation

    @given(st.data())
    def test_the_prior_changes_nothing_but_the_numbers(self, data: st.DataObject) -> None:
        a, b = data.draw(pairs(states=3))
        prior = data.draw(priors(3))
        assert compare(a, b, prior=prior).relation is compare(a, b).relation

    def _shuffled(self, e: Experiment, random: Any) -> Experiment:
        states = random.sample(e.states, len(e.states))
        signals = random.sample(range(len(e.signals)), len(e.signals))
        rows = dict(zip(e.states, e.rows, strict=True))
        return Experiment.of(
            {w: [rows[w][s] for s in signals] for w in states}, signals=[f"t{s}" for s in signals]
        )


class TestExperiment:
    def test_constructors_agree(self) -> None:
        states = ["rain", "snow", "dry"]
        by_signal = Experiment.deterministic({"rain": "wet", "snow": "wet", "dry": "fair"})
        table = {"rain": [1, 0], "snow": [1, 0], "dry": [0, 1]}
        assert by_signal == Experiment.of(table, signals=["wet", "fair"])
        assert Experiment.from_partition(Partition.of([0, 0, 1]), states).rows == by_signal.rows
        assert Experiment.full(states) == Experiment.deterministic({w: w for w in states})
        assert Experiment.null(states).rows == ((1,), (1,), (1,))
        assert Experiment.of([["0.1", "9/10"]]).rows == ((Fraction(1, 10), Fraction(9, 10)),)

    @given(st.integers(1, 3), st.data())
    def test_garbling_is_a_product(self, states: int, data: st.DataObject) -> None:
        e = data.draw(experiments(states))
        g = data.draw(kernels(len(e.signals), 3))
        assert e.garble(g, signals="xyz").rows == times(e.rows, g)

    @pytest.mark.parametrize(
        ("table", "error", "words"),
        [
            ([["1/2", "1/3"]], ProbabilityError, r"P\(signal \| 0\) does not sum to one.*5/6"),
            ([[1, 0], ["3/2", "-1/2"]], ProbabilityError, r"P\(signal \| 1\) has a negative"),
            ([[0.5, 0.5]], ExactnessError, r"P\(0 \| 0\)"),
            ([[1], ["1/2", "1/2"]], ShapeError, r"P\(signal \| 0\) does not fit"),
            ([], ShapeError, "states is empty"),
            ([[]], ShapeError, "signals is empty"),
        ],
    )
    def test_bad_tables(self, table: Any, error: type[Exception], words: str) -> None:
        with pytest.raises(error, match=words):
            Experiment.of(table)

    def test_names_must_be_distinct(self) -> None:
        with pytest.raises(InvalidInputError, match="states has a name twice"):
            Experiment.full(["x", "x"])
        with pytest.raises(InvalidInputError, match="signals has a name twice"):
            Experiment.of([["1/2", "1/2"]], signals="ss")

    def test_states_must_be_the_same(self) -> None:
        a, b = Experiment.full(["rain", "dry"]), Experiment.null(["dry", "snow"])
        with pytest.raises(ShapeError, match="differ in rain, snow"):
            compare(a, b)
        assert compare(a, Experiment.full(["dry", "rain"])).relation is Relation.EQUIVALENT

    def test_garblings_must_fit(self) -> None:
        with pytest.raises(ShapeError, match="garbling does not fit"):
            BINARY[9].garble([[1]])

    @pytest.mark.parametrize(
        ("prior", "error", "words"),
        [
            (["1/2"], ShapeError, "prior does not fit 2 states"),
            ([0, 1], ProbabilityError, "prior of 0 is not positive"),
            (["1/2", "1/3"], ProbabilityError, "prior does not sum to one"),
            ([0.5, 0.5], ExactnessError, "prior of 0"),
        ],
    )
    def test_bad_priors(self, prior: Any, error: type[Exception], words: str) -> None:
        with pytest.raises(error, match=words):
            at_least_as_informative(BINARY[9], BINARY[6], prior=prior)


class TestReading:
    def test_a_comparison(self) -> None:
        rain = ["rain", "dry"]
        a = Experiment.full(rain)
        b = Experiment.of(dict(zip(rain, BINARY[8].rows, strict=True)), signals=["wet", "fair"])
        text = str(compare(a, b))
        assert text.startswith("A is more informative than B.")
        assert "rain  4/5  1/5" in text
        assert "action rain  4     -1" in text
        assert "A less B    1/2" in text
        html = compare(a, b)._repr_html_()
        assert html.count("<table>") == 3
        assert "<td>action rain</td><td>4</td><td>-1</td>" in html

    @pytest.mark.parametrize(
        ("k", "head"), [(10, "A and B are equivalent."), (5, "A is more informative than B.")]
    )
    def test_heads(self, k: int, head: str) -> None:
        assert str(compare(BINARY[10], BINARY[k])).startswith(head)


@pytest.mark.parametrize("states", [6, 10])
def test_sizes_it_is_built_for(states: int) -> None:
    a = Experiment.of(
        normalised([[1 + 7 * (k * k + w) % 11 for k in range(states)] for w in range(states)])
    )
    g = normalised([[1 + (3 * k + s * s) % 5 for k in range(states)] for s in range(states)])
    comparison = compare(a, a.garble(g))
    assert comparison.relation is Relation.MORE
