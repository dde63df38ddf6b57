"""Small calls are computed without liberties, large ones with them: both are the same auction."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from auction_cases import EXTREME, ORDINARY, SPECIAL, Case
from hypothesis import given
from hypothesis import strategies as st

from mechanisms.softmax_auction import (
    AuctionOutcome,
    _kernels,
    _refusals,
    softmax_allocation,
    softmax_auction,
    softmax_payments,
)
from mechanisms.softmax_auction._refusals import SMALL
from theory.errors import InvalidInputError, LimitError, NumberError, ProbabilityError
from theory.shared.compiling import machine_code

INF = float("inf")
ALL = [*SPECIAL, *ORDINARY, *EXTREME]


def arguments(case: Case) -> dict[str, Any]:
    laws = {"log_ref": case.log_ref, "log_gen": case.log_gen}
    arrays = {name: np.array(law) for name, law in laws.items() if law is not None}
    return {"rewards": np.array(case.rewards), "tau": case.tau, **arrays}


def many_times(rewards: Any) -> np.ndarray:
    """The same query so often that a call of it is a large one."""
    table = np.asarray(rewards, np.float64)
    return np.tile(table, (SMALL // table.size + 1, 1, 1))


# --- one auction


def agree(one: AuctionOutcome, other: AuctionOutcome) -> None:
    """Both within their bounds of what is right, so within the sum of these of one another."""
    apart = np.abs(one.payments - other.payments)
    assert (apart <= one.error_bounds + other.error_bounds).all()
    law = np.broadcast_to(one.allocation, other.allocation.shape)
    np.testing.assert_allclose(other.allocation, law, rtol=1e-14, atol=1e-303)
    near = 1e-13 * (np.abs(one.rewards).max() + np.abs(one.utilities).max())
    for name in ("expected_rewards", "utilities", "reward_gains", "utility_gains"):
        apart = getattr(one, name) - getattr(other, name)
        np.testing.assert_allclose(apart, np.zeros_like(apart), atol=near)


def both_sizes(case: Case, *, offset: bool) -> tuple[AuctionOutcome, AuctionOutcome]:
    query = arguments(case)
    alone = softmax_auction(**query, offset=offset)
    large = softmax_auction(**query | {"rewards": many_times(case.rewards)}, offset=offset)
    assert alone.rewards.size <= SMALL < large.rewards.size
    return alone, large


@pytest.mark.parametrize("offset", [True, False])
def test_a_query_alone_is_a_query_among_many(offset: bool) -> None:
    for case in ALL:
        alone, large = both_sizes(case, offset=offset)
        agree(alone, large)
        query = arguments(case)
        several = query | {"rewards": many_times(case.rewards)}
        prices = softmax_payments(**several, offset=offset)
        bounds = alone.error_bounds + large.error_bounds
        assert (np.abs(prices - alone.payments) <= bounds).all(), case.name
        laws = softmax_allocation(**several)
        np.testing.assert_allclose(laws[0], alone.allocation, rtol=1e-14, atol=1e-303)
        left = np.abs(large.allocation_without[0] - alone.allocation_without).max()
        assert left <= 1e-14, case.name


def at_the_border(seed: int) -> tuple[AuctionOutcome, AuctionOutcome]:
    """A query of as many rewards as are few, and the same with a candidate that is never shown."""
    rng = np.random.default_rng(seed)
    agents = 8
    rewards = rng.normal(size=(agents, SMALL // agents)) * 10.0 ** rng.integers(-3, 3)
    logs = np.log(rng.dirichlet(np.ones(SMALL // agents), size=2))
    more = np.append(rewards, np.full((agents, 1), 7.0), axis=1)
    few = softmax_auction(rewards, 0.7, *logs)
    several = softmax_auction(more, 0.7, np.append(logs[0], -INF), np.append(logs[1], -1.0))
    assert few.rewards.size == SMALL < several.rewards.size
    assert not several.allocation[-1]
    return few, several


def test_one_candidate_more_that_is_never_shown_changes_nothing() -> None:
    for seed in range(3):
        few, several = at_the_border(seed)
        bounds = few.error_bounds + several.error_bounds
        assert (np.abs(few.payments - several.payments) <= bounds).all()
        np.testing.assert_allclose(few.allocation, several.allocation[:-1], rtol=1e-14)


def test_one_agent_more_who_wants_nothing_changes_nothing() -> None:
    rewards = np.random.default_rng(4).normal(size=(8, SMALL // 8))
    few = softmax_auction(rewards, 0.3)
    several = softmax_auction(np.append(rewards, np.zeros((1, SMALL // 8)), axis=0), 0.3)
    assert few.rewards.size == SMALL < several.rewards.size
    assert several.payments[-1] == several.utilities[-1] == 0
    bounds = few.error_bounds + several.error_bounds[:-1]
    assert (np.abs(few.payments - several.payments[:-1]) <= bounds).all()


@pytest.mark.parametrize("spoilt", ["machine_code", "cheapest"])
def test_a_fault_in_one_of_them_is_seen(monkeypatch: pytest.MonkeyPatch, spoilt: str) -> None:
    """Payments that are off by 1e-13 of themselves, in large calls or in small ones."""
    case = next(c for c in ORDINARY if len(c.rewards) == 3)
    agree(*both_sizes(case, offset=True))
    true = getattr(_refusals, spoilt)

    def chosen(kernel: Any, *rest: Any) -> Callable[..., Any]:
        def off(*given: Any) -> Any:
            found = true(kernel, *rest)(*given)
            given[-1][_kernels.PAYMENTS] *= 1 + 1e-13
            return found

        return off

    monkeypatch.setattr(_refusals, spoilt, chosen)
    with pytest.raises(AssertionError):
        agree(*both_sizes(case, offset=True))


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        ({"rewards": [[1.0, np.nan], [0.0, 1.0]]}, NumberError),
        ({"rewards": [[1.0, INF], [0.0, 1.0]]}, NumberError),
        ({"rewards": [[1e300, 0.0], [0.0, 1.0]]}, LimitError),
        ({"rewards": [[1e200, 0.0], [0.0, 1.0]], "tau": 1e-200}, LimitError),
        ({"log_ref": [0.5, -1.0]}, ProbabilityError),
        ({"log_ref": [np.nan, -1.0]}, NumberError),
        ({"log_ref": [-INF, -INF]}, ProbabilityError),
        ({"log_gen": [-INF, -1.0]}, ProbabilityError),
    ],
)
def test_both_sizes_refuse_the_same(wrong: dict[str, Any], kind: type[InvalidInputError]) -> None:
    query: dict[str, Any] = {
        "rewards": [[1.0, 2.0], [0.0, 1.0]],
        "tau": 1.0,
        "log_ref": [-1.0, -2.0],
        "log_gen": [-0.5, -1.0],
    }
    query |= wrong
    for function in (softmax_auction, softmax_payments, softmax_allocation):
        with pytest.raises(kind) as alone:
            function(**query)
        several: dict[str, Any] = query | {"rewards": many_times(query["rewards"])}
        with pytest.raises(kind) as among:
            function(**several)
        assert alone.value.argument.split("[")[0] == among.value.argument.split("[")[0]


# --- the same bits, with a compiler and without


def answers(kernel: Any, case: Case, offset: bool) -> list[np.ndarray]:
    """What a kernel, or its machine code, writes and returns."""
    rewards = np.array(case.rewards)
    agents, size = rewards.shape
    law, without = np.zeros((1, size)), np.zeros((1, agents, size))
    paid, told = np.zeros((1, agents)), np.zeros((_kernels.NUMBERS, 1, agents))
    given: dict[str, tuple[Any, ...]] = {
        "pay": (offset, paid),
        "allocate": (law,),
        "allocate_without": (without,),
        "report": (offset, law, told),
    }
    none = np.empty((1, 0))
    logs = [none if x is None else np.array([x]) for x in (case.log_ref, case.log_gen)]
    with np.errstate(all="ignore"):
        status = kernel(rewards, np.array([case.tau]), *logs, *given[kernel.__name__])
    return [np.array(status), law, without, paid, told]


def wide(seed: int) -> Case:
    """More candidates than are summed at once, or about as many; more agents than go in threes."""
    rng = np.random.default_rng(seed)
    agents, candidates = [(1, 3000), (2, 2048), (11, 40), (64, 3), (5, 130)][seed]
    rewards = rng.normal(size=(agents, candidates)) * 10.0 ** rng.integers(-2, 4)
    return Case("wide", rewards.tolist(), 1.5)


WRONG = [
    Case("no number", [[1.0, np.nan]], 1.0),
    Case("too large", [[1e200, 0.0]], 1e-200),
    Case("above 0", [[1.0, 0.0]], 1.0, [1.0, 0.0], [0.0, 0.0]),
    Case("none is possible", [[1.0, 0.0]], 1.0, [-INF, -INF], [0.0, 0.0]),
    Case("out of range when somebody leaves", [[1e279, 0.0], [0.0, 1e279]], 1.0),
]


@pytest.mark.parametrize("name", ["pay", "allocate", "allocate_without", "report"])
def test_python_and_exact_machine_code_give_the_same_bits(name: str) -> None:
    kernel = getattr(_kernels, name)
    code = machine_code(kernel, exact=True)
    wrong = WRONG if name != "allocate_without" else []
    for case in [*ALL, *map(wide, range(5)), *wrong]:
        for offset in (True, False):
            plain, compiled = (answers(each, case, offset) for each in (kernel, code))
            for one, other in zip(plain, compiled, strict=True):
                np.testing.assert_array_equal(one, other, err_msg=case.name)


ROW = st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=4)


@given(st.lists(ROW, min_size=1, max_size=5), st.floats(1e-6, 1e6))
def test_any_rewards_give_the_same_bits(rewards: list[list[float]], tau: float) -> None:
    case = Case("any", rewards, tau)
    code = machine_code(_kernels.report, exact=True)
    for one, other in zip(
        answers(_kernels.report, case, True), answers(code, case, True), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_liberties_are_other_bits() -> None:
    """So the tests above tell them apart."""
    codes = (machine_code(_kernels.report, exact=exact) for exact in (True, False))
    exact, free = (answers(code, wide(2), True) for code in codes)
    assert (exact[-1] != free[-1]).any()


FIRST = """
import sys
from mechanisms.softmax_auction import softmax_auction, softmax_payments
print(softmax_auction([[0.0, 2.0, 0.0], [0.0, 0.0, 1.0]], tau=1.0).payments.tolist())
softmax_payments([[0.1 * i * j for j in range(40)] for i in range(20)], 1.0)
assert "numba" not in sys.modules, "nothing is compiled for a few hundred rewards"
"""


def test_the_first_small_auction_needs_no_compiler() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
