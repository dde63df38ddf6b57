"""Draws follow the softmax law; leaders under noise are those of the noise that was drawn."""

from __future__ import annotations

from collections import Counter
from inspect import unwrap
from typing import Any

import numpy as np
import pytest
from action_sets import CASES, Case
from reference import softmax as oracle

from theory.actions import ListedActions, Paths, Subsets
from theory.errors import InvalidInputError, NumberError, UnknownNameError

DRAWS = 6000


class Grid(np.random.Generator):
    """Draws the midpoints of n equal parts of [0, 1), in a shuffled order."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def random(self, size: Any = None, *args: Any, **named: Any) -> Any:
        del args, named
        return self.permutation((np.arange(size) + 0.5) / size)


class Highest(np.random.Generator):
    """Draws the largest float64 below 1."""

    def __init__(self) -> None:
        super().__init__(np.random.PCG64(0))

    def random(self, size: Any = None, *args: Any, **named: Any) -> Any:
        del args, named
        return np.full(size, np.nextafter(1, 0))


def surprise(case: Case, z: np.ndarray, drawn: list[Any]) -> float:
    """How likely counts at least as far from the law are, by the chi-square approximation."""
    from scipy.special import gammaincc

    law = oracle.law(case.plain, z.tolist())
    counts = Counter(drawn)
    expected = {action: len(drawn) * p for action, p in law.items()}
    cells = [action for action, count in expected.items() if count >= 5]
    distance = sum((counts[a] - expected[a]) ** 2 / expected[a] for a in cells)
    rest = sum(count for action, count in expected.items() if action not in cells)
    if rest > 1:
        distance += (sum(counts.values()) - sum(counts[a] for a in cells) - rest) ** 2 / rest
    degrees = len(cells) - (rest <= 1)
    return float(gammaincc(degrees / 2, distance / 2)) if degrees else float(set(drawn) <= set(law))


@pytest.mark.parametrize("name", CASES)
def test_draws_follow_the_law(name: str) -> None:
    case = CASES[name]
    z = np.random.default_rng(7).normal(size=case.actions.dimension)
    drawn = case.actions.sample(z, np.random.default_rng(11), DRAWS)
    assert len(drawn) == DRAWS
    assert surprise(case, z, drawn) > 1e-3


@pytest.mark.parametrize("name", ["listed", "rows", "subsets", "allocations", "complete", "twins"])
def test_draws_of_another_law_are_told_apart(name: str) -> None:
    case = CASES[name]
    z = np.random.default_rng(7).normal(size=case.actions.dimension)
    drawn = case.actions.sample(1.3 * z, np.random.default_rng(11), DRAWS)
    assert surprise(case, z, drawn) < 1e-6


@pytest.mark.parametrize("name", ["listed", "rows", "one row", "one column"])
def test_one_draw_inverts_the_law(name: str) -> None:
    """On a grid of n points every action comes n times its probability, within one."""
    case = CASES[name]
    z = np.random.default_rng(2).normal(size=case.actions.dimension)
    counts = Counter(case.actions.sample(z, Grid(), 1000))
    for action, probability in oracle.law(case.plain, z.tolist()).items():
        assert abs(counts[action] - 1000 * probability) <= 1


@pytest.mark.parametrize("name", CASES)
def test_actions_without_a_chance_are_never_drawn(name: str) -> None:
    """Also where the draw is so close to 1 that a running sum may fall short of it."""
    case = CASES[name]
    rng = np.random.default_rng(4)
    for _ in range(5):
        z = rng.integers(-2, 3, case.actions.dimension) * 2000.0
        likely = {a for a, p in oracle.law(case.plain, z.tolist()).items() if p > 0}
        assert set(case.actions.sample(z, Highest(), 3)) <= likely
        assert set(case.actions.sample(z, rng, 50)) <= likely


@pytest.mark.parametrize("name", CASES)
def test_draws_depend_on_the_seed_alone(name: str) -> None:
    actions = CASES[name].actions
    z = np.linspace(-1, 1, actions.dimension)
    first, again = (actions.sample(z, np.random.default_rng(5), 8) for _ in range(2))
    assert first == again
    drawn = [entry for a in first for entry in (a if isinstance(a, tuple) else (a,))]
    assert not any(isinstance(entry, np.generic) for entry in drawn)


@pytest.mark.parametrize("name", CASES)
def test_the_best_under_gumbel_noise_follows_the_law(name: str) -> None:
    """The maximiser of <phi(a), z> plus Gumbel noise an action has the law of ``sample``."""
    case = CASES[name]
    z = np.random.default_rng(8).normal(size=case.actions.dimension)
    rewards = np.array(list(oracle.scores(case.plain, z.tolist()).values()))
    noise = np.random.default_rng(9).gumbel(size=(DRAWS, len(rewards)))
    leaders = (rewards + noise).argmax(axis=1).tolist()
    names = list(case.plain)
    assert surprise(case, z, [names[leader] for leader in leaders]) > 1e-3


@pytest.mark.parametrize("name", CASES)
def test_means_are_gradients_of_log_partition(name: str) -> None:
    """E max_a (<phi(a), z> + Gumbel) is log_partition(z) up to a constant, so its gradient in z
    is the expected feature of the maximiser: the law of the leader, without integrals."""
    actions = CASES[name].actions
    z = np.random.default_rng(10).normal(size=actions.dimension)
    steps = 1e-5 * np.eye(actions.dimension)
    slopes = (actions.log_partition(z + steps) - actions.log_partition(z - steps)) / 2e-5
    np.testing.assert_allclose(actions.mean(z), slopes, atol=1e-8)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("noise", ["normal", "exponential", "uniform"])
def test_perturbed_leaders_are_best_for_the_noise_drawn(name: str, noise: str) -> None:
    """One noise an action where actions are listed, one a feature elsewhere."""
    case = CASES[name]
    z = np.random.default_rng(1).normal(size=case.actions.dimension)
    listed = isinstance(next(iter(case.plain)), int)
    draw = {
        "normal": np.random.Generator.standard_normal,
        "exponential": np.random.Generator.standard_exponential,
        "uniform": np.random.Generator.random,
    }[noise]
    for seed in range(5):
        leader = case.actions.choose_perturbed(z, noise, 1.5, np.random.default_rng(seed))
        rng = np.random.default_rng(seed)
        drawn = 1.5 * draw(rng, case.actions.size if listed else case.actions.dimension)
        if listed:
            scores = np.array(list(oracle.scores(case.plain, z.tolist()).values())) + drawn
            assert leader == int(scores.argmax())
        else:
            assert leader == oracle.best(case.plain, (z + drawn).tolist())[0]


def test_noise_of_no_name_is_refused() -> None:
    actions, z, rng = ListedActions(3), np.zeros(3), np.random.default_rng(0)
    with pytest.raises(UnknownNameError, match="did you mean 'uniform'"):
        actions.choose_perturbed(z, "uniforms", 1.0, rng)
    with pytest.raises(UnknownNameError, match="call sample for it"):
        Subsets(4, 2).choose_perturbed(np.zeros(4), "gumbel", 1.0, rng)
    with pytest.raises(UnknownNameError, match="noise is no law of noise"):
        unwrap(ListedActions.choose_perturbed)(actions, z, None, 1.0, rng)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf, True, "1", None, 10**400])
def test_scales_that_are_not_above_zero_are_refused(scale: Any) -> None:
    with pytest.raises(NumberError, match=r"^scale "):
        unwrap(ListedActions.choose_perturbed)(
            ListedActions(3), np.zeros(3), "normal", scale, np.random.default_rng(0)
        )


def test_noise_beyond_float64_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="scale is too large"):
        ListedActions(3).choose_perturbed(np.zeros(3), "normal", 1e300, np.random.default_rng(0))


@pytest.mark.parametrize("name", ["listed", "rows", "subsets", "allocations", "complete"])
@pytest.mark.parametrize("n", [0, -1, True, 1.0, "2", None])
def test_counts_of_draws_are_integers_above_zero(name: str, n: Any) -> None:
    actions = CASES[name].actions
    with pytest.raises(InvalidInputError, match=r"^n "):
        unwrap(type(actions).sample)(
            actions, np.zeros(actions.dimension), np.random.default_rng(0), n
        )


@pytest.mark.parametrize("name", ["listed", "rows", "subsets", "allocations", "complete"])
@pytest.mark.parametrize("rng", [None, 0, np.random, np.random.RandomState(0)])
def test_draws_take_a_generator(name: str, rng: Any) -> None:
    actions = CASES[name].actions
    z = np.zeros(actions.dimension)
    with pytest.raises(InvalidInputError, match=r"^rng is no numpy.random.Generator"):
        unwrap(type(actions).sample)(actions, z, rng, 1)
    with pytest.raises(InvalidInputError, match=r"^rng is no numpy.random.Generator"):
        unwrap(type(actions).choose_perturbed)(actions, z, "normal", 1.0, rng)


def test_draws_walk_through_wide_nodes() -> None:
    """Bisection among many edges of one node, some of which have no chance."""
    width = 37
    edges = [("s", i) for i in range(width)] + [(i, "t") for i in range(width)]
    z = np.concatenate([np.log(np.arange(width) + 1e-300), np.zeros(width)])
    counts = Counter(path[1] for path in Paths(edges, "s", "t").sample(z, Grid(), 10_000))  # type: ignore[index]
    total = width * (width - 1) / 2
    for i in range(width):
        assert abs(counts[i] - 10_000 * i / total) <= 1
