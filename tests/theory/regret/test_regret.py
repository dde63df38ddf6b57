"""Regret where actions are listed: relations first, then the definitions by brute force."""

from __future__ import annotations

import ast
import inspect
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import regret as brute

import theory.regret._recheck
from theory.actions import ListedActions, SoftmaxStrategy, SparseStrategy
from theory.errors import (
    ExactnessError,
    InvalidInputError,
    NumberError,
    ProbabilityError,
    ShapeError,
)
from theory.incentives.learners._regret import REGRETS, exact_regret, regrets
from theory.regret import (
    Regret,
    _assembly,
    _best_replies,
    _evaluation,
    _kernels,
    _listed_actions,
    regret,
)

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

Rows = list[list[Fraction]]


@st.composite
def histories(draw: st.DrawFn, most: int = 4, least: int = 1) -> tuple[Rows, Rows]:
    n, rounds = draw(st.integers(least, most)), draw(st.integers(1, 6))
    masses = st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any)
    numbers = st.fractions(-2, 2, max_denominator=6)
    plays = [[Fraction(v, sum(row)) for v in row] for row in (draw(masses) for _ in range(rounds))]
    return plays, [[draw(numbers) for _ in range(n)] for _ in range(rounds)]


def gains(found: Regret) -> tuple[Any, Any, Any]:
    return found.external.gain, found.internal.gain, found.swap.gain


def floats(rows: Rows) -> np.ndarray:
    return np.array([[float(v) for v in row] for row in rows])


def random_history(seed: int, rounds: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(n, 0.4), size=rounds), rng.random((rounds, n))


# --- relations


@given(histories(), st.randoms(use_true_random=False))
def test_relabelling_actions_relabels_the_answer(history: tuple[Rows, Rows], random: Any) -> None:
    plays, rewards = history
    order = list(range(len(plays[0])))
    random.shuffle(order)
    renamed = [[[row[a] for a in order] for row in rows] for rows in (plays, rewards)]
    one, other = regret(plays, rewards), regret(*renamed)
    assert gains(one) == gains(other)
    weights = {c.action: (c.weight, c.gain) for c in one.conditionals}
    assert weights == {order[c.action]: (c.weight, c.gain) for c in other.conditionals}


@given(histories(), st.lists(st.fractions(-3, 3), min_size=6, max_size=6))
def test_a_constant_added_to_all_rewards_of_a_round_changes_no_regret(
    history: tuple[Rows, Rows], shifts: list[Fraction]
) -> None:
    plays, rewards = history
    moved = [[v + c for v in row] for row, c in zip(rewards, shifts, strict=False)]
    one, other = regret(plays, rewards), regret(plays, moved)
    assert replace(one, earned=Fraction(0)) == replace(other, earned=Fraction(0))


@given(histories(), st.fractions(Fraction(1, 9), 9))
def test_regrets_scale_with_the_rewards(history: tuple[Rows, Rows], factor: Fraction) -> None:
    plays, rewards = history
    one, other = (
        regret(plays, rows) for rows in (rewards, [[v * factor for v in row] for row in rewards])
    )
    assert tuple(g * factor for g in gains(one)) == gains(other)
    assert one.swap.map == other.swap.map


@given(histories())
def test_every_round_twice_doubles_sums_and_keeps_averages(history: tuple[Rows, Rows]) -> None:
    plays, rewards = history
    one, other = regret(plays, rewards), regret(plays * 2, rewards * 2)
    assert tuple(2 * g for g in gains(one)) == gains(other)
    assert (one.average_external, one.average_internal, one.average_swap, one.average_earned) == (
        other.average_external,
        other.average_internal,
        other.average_swap,
        other.average_earned,
    )


@given(histories())
def test_the_order_of_the_rounds_does_not_matter(history: tuple[Rows, Rows]) -> None:
    plays, rewards = history
    assert regret(plays, rewards) == regret(plays[::-1], rewards[::-1])


@given(histories(least=2))
def test_two_copies_of_an_action_regret_what_one_does(history: tuple[Rows, Rows]) -> None:
    plays, rewards = history
    split = [[*row[:-1], row[-1] / 3, row[-1] * Fraction(2, 3)] for row in plays]
    copied = [[*row, row[-1]] for row in rewards]
    one, other = regret(plays, rewards), regret(split, copied)
    assert one.external == other.external
    assert one.swap.gain == other.swap.gain
    assert one.internal.gain >= other.internal.gain


@given(histories())
def test_an_action_that_is_worse_than_all_and_never_played_changes_nothing(
    history: tuple[Rows, Rows],
) -> None:
    plays, rewards = history
    more = regret([[*row, 0] for row in plays], [[*row, min(row) - 1] for row in rewards])
    assert replace(more, size=more.size - 1) == regret(plays, rewards)


@given(histories())
def test_external_internal_and_swap_regret_bound_one_another(history: tuple[Rows, Rows]) -> None:
    found = regret(*history)
    external, internal, swap = gains(found)
    n = found.size
    assert external <= swap
    assert 0 <= internal <= swap <= n * internal
    assert external <= (n - 1) * internal
    assert found.gap == 0
    assert found.holds


# --- the definitions, by brute force and by the code of check_learner


@given(histories(most=3))
def test_regrets_and_witnesses_are_those_of_the_definitions(history: tuple[Rows, Rows]) -> None:
    plays, rewards = history
    found = regret(plays, rewards)
    assert (found.external.gain, found.external.action) == brute.external(plays, rewards)
    gain, move = brute.internal(plays, rewards)
    assert found.internal.gain == gain
    if move is not None:
        assert (found.internal.source, found.internal.target) == move
    assert found.swap.gain == brute.swap(plays, rewards)[0]
    assert found.earned == brute.earned(plays, rewards)
    for gap in found.conditionals:
        weight, _, per_weight = brute.conditional(plays, rewards)[gap.action]
        assert (gap.weight, gap.per_weight) == (weight, per_weight)


@given(histories())
def test_each_reported_deviation_gains_what_is_claimed(history: tuple[Rows, Rows]) -> None:
    plays, rewards = history
    found = regret(plays, rewards)
    n = found.size
    assert found.swap.map is not None
    whole = tuple(found.swap.map.get(a, a) for a in range(n))
    single = brute.single(n, found.internal.source, found.internal.target)
    assert brute.gain(plays, rewards, whole) == found.swap.gain
    assert brute.gain(plays, rewards, single) == found.internal.gain
    assert brute.gain(plays, rewards, brute.constant(n, found.external.action)) == (
        found.external.gain
    )


@given(histories())
def test_floats_say_what_fractions_say(history: tuple[Rows, Rows]) -> None:
    exact, found = regret(*history), regret(*map(floats, history))
    assert exact.arithmetic == "exact"
    assert found.arithmetic == "float64"
    assert np.allclose([float(g) for g in gains(exact)], gains(found), rtol=0, atol=1e-12)
    assert found.holds


def test_the_code_of_check_learner_agrees_on_a_long_history() -> None:
    plays, rewards = random_history(0, 400, 7)
    found = regret(plays, rewards)
    second = regrets(plays, rewards)
    for kind, gain in zip(REGRETS, gains(found), strict=True):
        assert gain == pytest.approx(second[kind], abs=1e-11)
        assert gain == pytest.approx(float(exact_regret(kind, plays, rewards)), abs=1e-11)
    assert found.holds
    assert found.rechecked == 7


def test_numbers_that_outgrow_64_bits_stay_exact() -> None:
    huge = 2**62 - 1
    plays = [[Fraction(1, huge), Fraction(huge - 1, huge)], [1, 0]]
    rewards = [[huge, -huge], [1, huge]]
    found = regret(plays, rewards)
    assert found.internal.gain == brute.internal(plays, rewards)[0]
    assert (found.gap, found.external.gain) == (0, brute.external(plays, rewards)[0])


def test_more_sources_than_fit_a_block() -> None:
    plays, rewards = random_history(3, 5, 3000)
    found = regret(plays, rewards)
    assert len(found.conditionals) == np.count_nonzero(plays.sum(axis=0))
    assert found.swap.gain == pytest.approx(regrets(plays, rewards)["swap"], abs=1e-12)


# --- what is found


def test_a_planted_trap_is_found() -> None:
    # Fixed actions are no better, while 2 would have been better wherever 1 was played.
    plays = [[1, 0, 0], [0, 1, 0], [0, 0, 1]] * 10
    rewards = [[9, 0, 3], [0, 5, 8], [0, 1, 7]] * 10
    found = regret(plays, rewards)
    assert found.external.gain < 0
    assert (found.internal.source, found.internal.target, found.internal.gain) == (1, 2, 30)
    assert found.swap.map == {1: 2}
    (gap,) = (c for c in found.conditionals if c.gain > 0)
    assert (gap.action, gap.weight, gap.best_reply, gap.per_weight) == (1, 10, 2, 3)


def test_best_replies_regret_nothing() -> None:
    found = regret([["1/2", "1/2", 0], [0, 0, 1]], [[1, 1, 0], [0, 0, "0.5"]])
    assert gains(found) == (Fraction(-1, 2), 0, 0)
    assert found.internal.source == found.internal.target
    assert found.swap.map == {}
    assert "none gains" in str(found)


def test_one_action_and_one_round() -> None:
    found = regret([[1]], [["1/3"]])
    assert gains(found) == (0, 0, 0)
    assert (found.earned, found.gap) == (Fraction(1, 3), 0)


def test_swap_regret_may_be_n_times_internal_regret() -> None:
    n = 5
    plays = np.eye(n, dtype=int)
    found = regret(plays, np.roll(plays, 1, axis=1))
    assert gains(found) == (1, 1, n)


@pytest.mark.parametrize(("n", "rounds", "warned"), [(5, 4, True), (5, 5, True), (4, 5, False)])
def test_internal_regret_is_not_praised_where_actions_outnumber_rounds(
    n: int, rounds: int, warned: bool
) -> None:
    plays = [[int(a == t % n) for a in range(n)] for t in range(rounds)]
    rewards = [[int(a == (t + 1) % n) for a in range(n)] for t in range(rounds)]
    found = regret(plays, rewards)
    assert found.vacuous is warned
    assert ("says nothing" in str(found)) is warned
    assert ("says nothing" in found._repr_html_()) is warned
    if warned:
        assert found.internal.gain <= 1


def test_all_three_stand_together_in_what_is_shown() -> None:
    found = regret(*random_history(1, 50, 20))
    shown = str(found)
    for word in ("external", "internal", "swap", "gain a time", "12 more", "rechecked to"):
        assert word in shown
        assert word in found._repr_html_()
    assert "1 round with 1 action," in str(regret([[1]], [[0]]))


# --- sparse and implicit plays


def test_sparse_plays_are_dense_plays() -> None:
    rng = np.random.default_rng(4)
    rewards = rng.random((30, 6))
    sparse = [SparseStrategy.empirical(row, 6) for row in rng.integers(6, size=(30, 2)).tolist()]
    dense = [np.asarray(play) for play in sparse]
    assert regret(sparse, rewards) == regret(dense, rewards) == regret(np.array(dense), rewards)
    mixed = [*sparse[:15], *(row.tolist() for row in dense[15:])]
    assert regret(mixed, rewards) == regret(dense, rewards)


def test_softmax_plays_are_written_out() -> None:
    z = np.array([[0.0, 1.0, 2.0], [1.0, -1.0, 0.5]])
    laws = [SoftmaxStrategy(ListedActions(3), row) for row in z]
    rows = np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)
    assert np.allclose(gains(regret(laws, z)), gains(regret(rows, z)), rtol=0, atol=1e-15)


def test_whole_numbers_go_with_floats() -> None:
    rewards = [[0.25, 0.5], [0.75, 0.0]]
    assert regret([[1, 0], [0, 1]], rewards) == regret([[1.0, 0.0], [0.0, 1.0]], rewards)
    assert regret([[0.5, 0.5]], [[1, 2]]) == regret([[0.5, 0.5]], [[1.0, 2.0]])


# --- the recheck


def corrupted(found: Regret) -> list[Regret]:
    one = found.earned * 0 + 1
    internal, swap, external = found.internal, found.swap, found.external
    assert swap.map is not None
    wrong = next(a for a in range(found.size) if a != external.action)
    gap = found.conditionals[0]
    other = next(
        a for a in range(found.size) if a not in (gap.best_reply, gap.action, swap.map[gap.action])
    )
    return [
        replace(found, earned=found.earned + one),
        replace(found, external=replace(external, gain=external.gain + one)),
        replace(found, external=replace(external, action=wrong)),
        replace(found, internal=replace(internal, gain=internal.gain - one / 4)),
        replace(found, internal=replace(internal, source=internal.target)),
        replace(found, swap=replace(swap, gain=swap.gain + one)),
        replace(found, swap=replace(swap, map={})),
        replace(
            found, conditionals=(replace(gap, weight=gap.weight + one), *found.conditionals[1:])
        ),
        replace(found, conditionals=(replace(gap, gain=gap.gain + one), *found.conditionals[1:])),
        replace(found, conditionals=(replace(gap, best_reply=other), *found.conditionals[1:])),
    ]


TRAPPED = (
    [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], ["1/2", "1/2", 0, 0]],
    [[0, 1, "1/2", "1/4"], [1, 0, "1/3", 0], ["1/5", 1, 0, "1/2"], [0, "1/7", 1, "1/9"]],
)


def test_the_recheck_finds_what_is_wrong() -> None:
    x, r = ([[Fraction(v) for v in row] for row in rows] for rows in TRAPPED)
    found = regret(x, r)
    assert theory.regret._recheck.recheck_exact(found, x, r) == found
    for wrong in corrupted(found):
        assert theory.regret._recheck.recheck_exact(wrong, x, r).gap > 0
    as_floats = regret(floats(x), floats(r))
    for wrong in corrupted(as_floats):
        checked = theory.regret._recheck.recheck_floats(wrong, floats(x), floats(r))
        assert not checked.holds
        assert "do not trust" in str(checked)
        assert "do not trust" in checked._repr_html_()


def test_the_recheck_shares_nothing_with_the_solver() -> None:
    for module in ("_recheck", "_recheck_large"):
        tree = ast.parse(inspect.getsource(__import__(f"theory.regret.{module}", fromlist=["x"])))
        imported = {
            node.module
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
        }
        solvers = (_listed_actions, _evaluation, _assembly, _best_replies, _kernels)
        assert not imported & {solver.__name__ for solver in solvers}


# --- bad input


GOOD = [[0.5, 0.5], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("plays", "rewards", "error", "says"),
    [
        ([], [], ShapeError, "plays has no rounds"),
        ([[], []], [[], []], ShapeError, "plays is no table"),
        (np.zeros((0, 3)), np.zeros((0, 3)), ShapeError, "plays has no rounds"),
        (np.zeros((3, 0)), np.zeros((3, 0)), ShapeError, "plays is no table"),
        ([1.0, 0.0], GOOD, ShapeError, "plays is no table"),
        ([[[1.0]]], GOOD, ShapeError, "plays is no table"),
        (3, GOOD, InvalidInputError, "plays is no list of rounds"),
        ("1", GOOD, InvalidInputError, "plays is no list of rounds"),
        (None, GOOD, InvalidInputError, "plays is no list of rounds"),
        (GOOD, [[1.0, 2.0]], ShapeError, "do not fit rewards"),
        (GOOD, [[1.0, 2.0, 3.0]] * 2, ShapeError, "do not fit rewards"),
        ([[0.5, 0.5], [1.0]], GOOD, ShapeError, "plays has rows of different lengths"),
        ([np.array([0.5, 0.5]), np.array([1.0])], GOOD, ShapeError, "different lengths"),
        ([[0.5, 0.6], [1.0, 0.0]], GOOD, ProbabilityError, r"plays\[0\] do not sum to one"),
        ([[0.0, 1.0], [1.5, -0.5]], GOOD, ProbabilityError, r"plays\[1, 1\] is negative"),
        ([["1/2", "1/3"]], [[1, 1]], ProbabilityError, r"plays\[0\] do not sum to one"),
        ([[2, -1]], [[1, 1]], ProbabilityError, r"plays\[0, 1\] is negative"),
        ([[0.5, float("nan")], [1.0, 0.0]], GOOD, NumberError, r"plays\[0, 1\] is not finite"),
        (GOOD, [[0.5, float("inf")], [1.0, 0.0]], NumberError, r"rewards\[0, 1\] is not finite"),
        (GOOD, np.full((2, 2), np.nan), NumberError, r"rewards\[0, 0\] is not finite"),
        (GOOD, np.full((2, 2), 1e300), NumberError, "too large to add up"),
        (GOOD, [["1/2", "1/3"], [1, 0]], ExactnessError, "rewards stands beside plays in floats"),
        ([["1/2", "1/2"], [1, 0]], GOOD, ExactnessError, "plays stands beside rewards in floats"),
        ([["1/2", 0.5], [1, 0]], GOOD, ExactnessError, r"plays\[0, 0\] stands beside floats"),
        (GOOD, [[2**60, 0], [0, 0]], ExactnessError, "rewards stands beside plays in floats"),
        ([[True, False]], [[1, 0]], NumberError, "is not a number"),
        (np.array([[True, False]]), [[1, 0]], NumberError, "is not a number"),
        (np.array([[1j, 0]]), [[1, 0]], NumberError, "is not a number"),
        ([["half", "half"]], [[1, 0]], NumberError, "not a number as we read them"),
        ([[None, 1]], [[1, 0]], NumberError, "is not a number"),
        ([SparseStrategy.pure(0, 3)], [[1.0, 0.0]], ShapeError, "do not fit rewards"),
    ],
)
def test_bad_input_is_refused_by_name(
    plays: Any, rewards: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        regret(plays, rewards)


def test_results_are_values() -> None:
    import pickle

    found = regret(*TRAPPED)
    assert pickle.loads(pickle.dumps(found)) == found
    assert inspect.unwrap(regret)(*TRAPPED) == found


@pytest.mark.parametrize("tiny", [5e-324, 1e-323, 3e-310, 1e-300])
def test_the_least_rewards_are_confirmed(tiny: float) -> None:
    rng = np.random.default_rng(1)
    assert regret([[0.5, 0.5]] * 3, [[tiny, 0.0]] * 3).holds
    for _ in range(50):
        plays = rng.dirichlet(np.ones(3), size=5)
        rewards = tiny * rng.integers(-3, 4, (5, 3))
        found = regret(plays, rewards)
        assert found.holds, found
        spoiled = replace(found, earned=found.earned + 100 * 5 * 3 * tiny)
        again = theory.regret._recheck.recheck_floats(spoiled, plays, rewards)
        assert not again.holds


def test_an_exact_recheck_of_ten_thousand_rounds_takes_no_fractions() -> None:
    """Arithmetic with whole numbers: as many Fractions as there are results, not products."""
    rng = np.random.default_rng(2)
    plays = [[Fraction(int(a == j)) for j in range(5)] for a in rng.integers(0, 5, 400)]
    rewards = [[Fraction(int(v), 7) for v in row] for row in rng.integers(-9, 10, (400, 5))]
    found = regret(plays, rewards)
    made = 0

    def count(frame: Any, event: str, _: Any) -> None:
        nonlocal made
        made += event == "call" and frame.f_code is Fraction.__new__.__code__

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        again = theory.regret._recheck.recheck_exact(found, plays, rewards)
    finally:
        sys.setprofile(before)
    assert again.holds
    assert 0 < made < 400


@pytest.mark.parametrize("given", [np.array(1.0), np.array(None, dtype=object), np.array("ab")])
def test_scalars_are_no_histories(given: Any) -> None:
    for pair in ((given, [[1.0]]), ([[1.0]], given)):
        with pytest.raises(InvalidInputError):
            inspect.unwrap(regret)(*pair)


def test_numbers_of_more_digits_than_python_writes() -> None:
    tiny, huge = Fraction(1, 10**5000), Fraction(10**5000)
    text = str(regret([[1, 0]], [[0, tiny]]))
    assert "about 0" in text
    found = regret([[1, 0]], [[0, huge]])
    assert "about 1.00e5000" in str(found)
    assert "swap about 1.00e5000" in repr(found)
    assert "minus about 1.00e5000" in str(regret([[1]], [[-huge]]).table())
