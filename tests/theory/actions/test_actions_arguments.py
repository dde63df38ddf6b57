"""What no action set can use is refused in our words, before any work."""

from __future__ import annotations

from inspect import unwrap
from time import process_time
from typing import Any

import numpy as np
import pytest
from action_sets import CASES, without_checks

from theory.actions import Allocations, Features, ListedActions, Paths, Subsets
from theory.errors import InvalidInputError, LimitError, NumberError, UnknownNameError

NAMES = ["listed", "rows", "subsets", "allocations", "complete"]


@pytest.fixture(autouse=True)
def _our_checks_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    without_checks(monkeypatch)


def answers(actions: Any, z: Any) -> dict[str, Any]:
    """Each method that reads z."""
    rng = np.random.default_rng(0)
    return {
        "best": lambda: actions.best(z),
        "extremes": lambda: actions.extremes(z),
        "mean": lambda: actions.mean(z),
        "sample": lambda: actions.sample(z, rng, 2),
        "perturbed": lambda: actions.choose_perturbed(z, "normal", 1.0, rng),
    }


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "make",
    [
        lambda d: np.zeros(d + 1),
        lambda d: np.zeros(d - 1),
        lambda d: np.zeros(0),
        lambda d: np.zeros((1, d)),
        lambda d: np.array(0.0),
        lambda d: np.full(d, np.nan),
        lambda d: np.append(np.zeros(d - 1), np.inf),
        lambda d: np.append(np.zeros(d - 1), -np.inf),
        lambda d: np.full(d, 1e305),
        lambda d: np.full(d, -1.7e308),
        lambda d: np.zeros(d, complex),
        lambda d: np.zeros(d, bool),
        lambda d: np.full(d, "0"),
        lambda d: [10**400] * d,
        lambda d: [[0], [0, 0]],
        lambda d: None,
        lambda d: "z",
    ],
)
def test_vectors_that_cannot_be_used(name: str, make: Any) -> None:
    actions = CASES[name].actions
    for call in answers(actions, make(actions.dimension)).values():
        with pytest.raises(InvalidInputError, match=r"^z "):
            call()


@pytest.mark.parametrize("name", NAMES)
def test_integers_lists_and_float32_are_read(name: str) -> None:
    actions = CASES[name].actions
    z = np.arange(actions.dimension) % 3
    expected = actions.best(z.astype(np.float64))
    for given in (z, z.tolist(), z.astype(np.float32), z.astype(np.uint8)):
        assert answers(actions, given)["best"]() == expected


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "make",
    [
        np.zeros,
        lambda d: np.zeros((2, d + 1)),
        lambda d: np.array([[0.0] * d, [np.nan] * d]),
        lambda d: np.array([[0.0] * d, [-np.inf] * d]),
        lambda d: np.full((2, d), 1e305),
        lambda d: np.zeros((2, d), complex),
        lambda d: [[0.0] * d, [0.0]],
        lambda d: None,
    ],
)
def test_batches_that_cannot_be_used(name: str, make: Any) -> None:
    actions: Any = CASES[name].actions
    with pytest.raises(InvalidInputError, match=r"^Z "):
        actions.log_partition(make(actions.dimension))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("strangers", [[-1], [None], ["a"], [1.5], [True], [[0]], [(99, 98)]])
def test_features_of_strangers_are_refused(name: str, strangers: Any) -> None:
    actions: Any = CASES[name].actions
    with pytest.raises(InvalidInputError, match=r"^actions "):
        actions.features(strangers)


def test_features_of_what_cannot_be_listed_are_refused() -> None:
    rows: Any = CASES["rows"].actions
    with pytest.raises(InvalidInputError, match=r"^actions "):
        rows.features(3)
    with pytest.raises(LimitError, match="asks for 1,000,000,000 numbers"):
        ListedActions(10**6).features(range(1000))


def test_the_features_matter_for_what_overflows() -> None:
    """<phi(a), z> must be finite, not z alone."""
    actions = Features(np.array([[1e200, 0.0], [0.0, 1.0]]))
    with pytest.raises(NumberError, match="scale the rewards down"):
        actions.best(np.array([1e150, 0.0]))
    assert actions.best(np.array([1e50, 0.0])) == 0


@pytest.mark.parametrize("size", [0, -1, True, 2.0, "3", None, [3]])
def test_sizes_are_integers_above_zero(size: Any) -> None:
    for kind, fields in (
        (ListedActions, {"size": size}),
        (Subsets, {"n": size, "k": 1}),
        (Subsets, {"n": 4, "k": size}),
        (Allocations, {"fields": size, "troops": 3}),
        (Allocations, {"fields": 3, "troops": size}),
    ):
        with pytest.raises(InvalidInputError, match=r"^(size|n|k|fields|troops) "):
            made(kind, **fields)


def made(kind: Any, **fields: Any) -> Any:
    """An instance without the checks of annotations that tests put before ours."""
    instance = object.__new__(kind)
    for name, value in fields.items():
        object.__setattr__(instance, name, value)
    unwrap(kind.__post_init__)(instance)
    return instance


def test_integers_of_numpy_are_read() -> None:
    assert made(ListedActions, size=np.int64(3)) == ListedActions(3)
    assert type(made(Subsets, n=np.int32(5), k=np.int64(2)).size) is int


def test_sets_beyond_the_limits_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="k is more than the 3 items"):
        Subsets(3, 4)
    with pytest.raises(LimitError, match="entries of a table"):
        Subsets(10_000, 5_000)
    with pytest.raises(LimitError, match="steps a call"):
        Allocations(10, 10**5)


@pytest.mark.parametrize(
    "matrix",
    [
        np.zeros((0, 3)),
        np.zeros((3, 0)),
        np.zeros(3),
        np.zeros((2, 2, 2)),
        np.array([[np.nan, 0]]),
        np.array([[np.inf, 0]]),
        np.array([[-np.inf, 0]]),
        np.zeros((2, 2), complex),
        np.zeros((2, 2), bool),
        np.array([["1"]]),
        [[1.0], [1.0, 2.0]],
        None,
        3,
    ],
)
def test_matrices_that_cannot_be_used(matrix: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"^matrix "):
        made(Features, matrix=matrix)


def test_other_layouts_of_a_matrix_are_read() -> None:
    matrix = np.arange(12).reshape(3, 4)
    z = np.array([1.0, -2, 3, 1])
    for given in (matrix, matrix.tolist(), np.asfortranarray(matrix * 1.0), np.float32(matrix)):
        assert made(Features, matrix=given).rewards(z).tolist() == (matrix @ z).tolist()
    assert Features((matrix * 1.0)[:, ::2]).rewards(z[::2]).tolist() == [6.0, 22.0, 38.0]


@pytest.mark.parametrize("weights", [np.ones(5), np.ones((6, 1)), np.ones(7), np.ones(6, complex)])
def test_weights_that_do_not_fit_are_refused(weights: Any) -> None:
    sets: list[Any] = [CASES["rows"].actions, ListedActions(6)]
    for actions in sets:
        with pytest.raises(InvalidInputError, match=r"^weights "):
            actions.average(weights)


@pytest.mark.parametrize(
    ("edges", "problem"),
    [
        ([], "is empty"),
        (None, "is no sequence of pairs"),
        ([1, 2], "is no sequence of pairs"),
        ([("s", "a", "t")], "is no pair"),
        ([("s",)], "is no pair"),
        ([([], "t")], "is not hashable"),
        ([("s", "a"), ("a", "s"), ("a", "t")], "cycle: s → a → s"),
        ([("s", "t"), ("s", "s")], "cycle: s → s"),
        ([("s", "a"), ("a", "b"), ("b", "c"), ("c", "a"), ("b", "t")], "cycle: a → b → c → a"),
        ([("s", "t"), ("s", "a")], "edge 1 on no path"),
        ([("a", "t"), ("s", "t")], "edge 0 on no path"),
        ([("s", "t"), ("t", "u")], "edge 1 on no path"),
        ([("s", "t"), ("u", "s")], "edge 1 on no path"),
        ([("s", "t"), ("a", "b")], "edge 1 on no path"),
    ],
)
def test_edges_that_make_no_paths(edges: Any, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem) as caught:
        Paths(edges, "s", "t")
    assert caught.value.argument == "edges"


def test_long_cycles_are_cut_short() -> None:
    ring = [(i, (i + 1) % 50) for i in range(50)]
    with pytest.raises(InvalidInputError, match="0 → 1 → 2 → 3 → 4 → 5 → 6 → 7 → …"):
        Paths([*ring, (0, "t")], 0, "t")


def test_ends_of_paths() -> None:
    unhashable: Any = []
    with pytest.raises(UnknownNameError, match=r"source is on no edge.*did you mean 'start'"):
        Paths([("start", "end")], "strat", "end")
    with pytest.raises(UnknownNameError, match="sink is on no edge"):
        Paths([("s", "t")], "s", "u")
    with pytest.raises(InvalidInputError, match="sink is the source"):
        Paths([("s", "t")], "s", "s")
    with pytest.raises(InvalidInputError, match="sink cannot be reached"):
        Paths([("s", "a"), ("b", "t")], "s", "t")
    with pytest.raises(InvalidInputError, match="is not hashable"):
        Paths([("s", "t")], unhashable, "t")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("given", [None, 5, np.array(1), iter(())])
def test_lists_of_actions_that_are_none(name: str, given: Any) -> None:
    with pytest.raises(InvalidInputError, match="actions is no list of"):
        CASES[name].actions.features(given)


def test_a_long_cycle_is_refused_in_linear_time() -> None:
    edges = [(i, (i + 1) % 100_000) for i in range(100_000)]
    started = process_time()
    with pytest.raises(InvalidInputError, match="in a cycle: 0 → 1 → 2 → 3 → 4 → 5 → 6 → 7 → …"):
        Paths(edges, 0, 5)
    assert process_time() - started < 20


def test_a_cycle_is_shown_without_the_way_to_it() -> None:
    with pytest.raises(InvalidInputError, match=r"in a cycle: b → c → b \(got") as refused:
        Paths([("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")], "a", "d")
    assert refused.value.value == ["b", "c", "b"]
