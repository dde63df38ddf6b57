"""The law of the next token against a plain one: temperature, then top-k, then top-p."""

from __future__ import annotations

import inspect
from collections import Counter
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from language_model_cases import unlikely
from plain_decoding import exact_law, plain_law

from llm_adapters.local._decoding import Decoding, choose_tokens, greatest, law
from theory.errors import InvalidInputError

logit_lists = st.lists(
    st.one_of(st.floats(-30, 30, width=32), st.just(-inf)), min_size=1, max_size=12
).filter(lambda row: max(row) > -inf)


def law_of(row: list[float], **settings: Any) -> dict[int, float]:
    logs = law(np.array([row]), Decoding(**settings))[0]
    assert logs.max() <= 1e-15
    return {i: float(np.exp(one)) for i, one in enumerate(logs.tolist()) if one > -inf}


def agree(found: dict[int, float], wanted: dict[int, float]) -> None:
    for i in {*found, *wanted}:
        assert found.get(i, 0.0) == pytest.approx(wanted.get(i, 0.0), rel=1e-12, abs=1e-290)


@given(logit_lists, st.floats(0.05, 20), st.integers(0, 14))
def test_temperature_and_top_k(row: list[float], temperature: float, top_k: int) -> None:
    found = law_of(row, temperature=temperature, top_k=top_k)
    agree(found, plain_law(row, temperature, top_k))
    assert sum(found.values()) == pytest.approx(1, abs=1e-14)
    assert int(np.argmax(row)) in found


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=10).filter(any),
    st.integers(0, 11),
    st.integers(1, 1000),
)
def test_top_p_on_whole_weights(weights: list[int], top_k: int, thousandths: int) -> None:
    # away from the edges of the nucleus, where rounding may decide
    top_p = Fraction(thousandths, 1000) - Fraction(1, 3001)
    with np.errstate(divide="ignore"):
        row = np.log(np.array(weights, dtype=np.float64)).tolist()
    found = law_of(row, top_k=top_k, top_p=float(top_p))
    wanted = exact_law(weights, top_k, top_p)
    assert set(found) == set(wanted)
    agree(found, {i: float(p) for i, p in wanted.items()})


@given(logit_lists, st.floats(0.1, 5), st.integers(0, 6), st.floats(0.01, 0.99))
def test_all_three_in_their_order(
    row: list[float], temperature: float, top_k: int, top_p: float
) -> None:
    held, sums = plain_law(row, temperature, top_k), 0.0
    for p in held.values():
        sums += p
        if abs(sums - top_p) < 1e-9:  # rounding decides
            return
    agree(
        law_of(row, temperature=temperature, top_k=top_k, top_p=top_p),
        plain_law(row, temperature, top_k, top_p),
    )


def test_top_p_goes_by_the_probabilities_that_top_k_has_left() -> None:
    row = np.log([0.4, 0.3, 0.2, 0.1]).tolist()
    agree(law_of(row, top_k=2, top_p=0.55), {0: 1.0})  # 4/7 > .55; of all, .4 < .55
    agree(law_of(row, top_p=0.55), {0: 4 / 7, 1: 3 / 7})


def test_temperature_comes_before_top_p() -> None:
    row = np.log([0.5, 0.3, 0.2]).tolist()
    assert set(law_of(row, temperature=0.1, top_p=0.9)) == {0}
    assert set(law_of(row, temperature=10, top_p=0.6)) == {0, 1}
    assert set(law_of(row, temperature=10, top_p=0.7)) == {0, 1, 2}


def test_rounding_makes_no_ties() -> None:
    assert set(law_of([-5e-36, 0.0], top_p=0.25)) == {1}
    assert set(law_of([0.0, 1e-20, 3.0], top_k=2)) == {1, 2}


def test_of_equal_tokens_the_first_are_kept() -> None:
    assert set(law_of([1.0, 2.0, 1.0, 1.0], top_k=2)) == {0, 1}
    assert set(law_of([0.0] * 10, top_k=3)) == {0, 1, 2}
    assert set(law_of([0.0] * 10, top_p=0.25)) == {0, 1, 2}
    assert set(law_of([0.0, 0.0, -inf], top_k=3)) == {0, 1}


def test_the_smallest_top_p_keeps_a_most_probable_token() -> None:
    assert law_of([0.0, 3.0, 1.0], top_p=5e-324) == {1: 1.0}
    assert law_of([0.0, 3.0, 1.0], top_k=1) == {1: 1.0}
    agree(law_of([0.0, 3.0, 1.0], temperature=1e-300), {1: 1.0})
    agree(law_of([0.0, 3.0, 1.0], temperature=5e-324), {1: 1.0})


def test_a_large_vocabulary_needs_its_whole_tail() -> None:
    rng = np.random.default_rng(1)
    row = rng.normal(size=5_000).tolist()
    for top_p in (0.5, 0.999, 1 - 1e-9):
        agree(law_of(row, top_p=top_p), plain_law(row, top_p=top_p))


def test_rows_are_independent_and_float32_is_read_exactly() -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(5, 30)).astype(np.float32)
    kept = rows.copy()
    decoding = Decoding(temperature=0.7, top_k=20, top_p=0.9)
    together = law(rows, decoding)
    assert np.array_equal(rows, kept)
    for row, logs in zip(rows, together, strict=True):
        assert np.array_equal(law(row[None], decoding)[0], logs)
        agree(
            law_of([float(x) for x in row], temperature=0.7, top_k=20, top_p=0.9),
            plain_law([float(x) for x in row], 0.7, 20, 0.9),
        )


def test_adding_a_constant_changes_nothing() -> None:
    row = np.array([[1.0, 2.5, -3.0]])
    assert np.allclose(law(row, Decoding()), law(row + 1e4, Decoding()), rtol=0, atol=1e-11)


@pytest.mark.parametrize("row", [[nan, 1.0], [inf, 1.0], [-inf, -inf], []])
def test_logits_that_are_no_law(row: list[float]) -> None:
    with pytest.raises(InvalidInputError, match="logits"):
        law(np.array([row], dtype=np.float64), Decoding())


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *(("temperature", bad) for bad in (0, 0.0, -0.0, -1, nan, inf, "1", None, True, 10**400)),
        *(("top_p", bad) for bad in (0, -0.1, 1.0001, nan, inf, "0.5", None, True)),
        *(("top_k", bad) for bad in (-1, 1.0, nan, "3", None, True)),
    ],
)
def test_other_numbers_are_refused(argument: str, value: Any) -> None:
    make = inspect.unwrap(Decoding)
    with pytest.raises(InvalidInputError, match=argument) as caught:
        Decoding.__post_init__(_unchecked(make, argument, value))
    assert caught.value.argument == argument


def _unchecked(kind: Any, argument: str, value: Any) -> Any:
    made = object.__new__(kind)
    for name, one in {"temperature": 1.0, "top_k": 0, "top_p": 1.0, argument: value}.items():
        object.__setattr__(made, name, one)
    return made


def test_temperature_0_says_why() -> None:
    with pytest.raises(InvalidInputError, match="rounding decides which"):
        Decoding(temperature=0.0)


def test_numbers_of_other_kinds_are_read() -> None:
    read = _unchecked(Decoding, "temperature", Fraction(1, 2))
    object.__setattr__(read, "top_k", np.int64(3))
    inspect.unwrap(Decoding.__post_init__)(read)
    assert (read.temperature, type(read.temperature), type(read.top_k)) == (0.5, float, int)


def test_draws_come_as_often_as_the_law_says() -> None:
    rng = np.random.default_rng(3)
    logs = law(rng.normal(size=(1, 9)), Decoding(top_k=7, temperature=1.3))
    uniform = rng.random(20_000)
    drawn = choose_tokens(np.broadcast_to(logs, (20_000, 9)), uniform)
    held = {str(i): float(p) for i, p in enumerate(np.exp(logs[0])) if p}
    assert len(held) == 7
    assert not unlikely([str(i) for i in drawn.tolist()], held)
    wrong = dict.fromkeys(held, 1 / 7)
    assert unlikely([str(i) for i in drawn.tolist()], wrong)


def test_edges_of_the_uniform_number() -> None:
    logs = np.log([[0.25, 0.5, 0.25]])
    below = np.nextafter(1, 0)
    for number, wanted in ((0.0, 0), (0.2499, 0), (0.25, 1), (0.7499, 1), (0.75, 2), (below, 2)):
        assert choose_tokens(logs, np.array([number])).tolist() == [wanted]
    with np.errstate(divide="ignore"):
        ends = np.log([[0.0, 0.5, 0.5, 0.0]])
    assert choose_tokens(np.repeat(ends, 2, axis=0), np.array([0.0, below])).tolist() == [1, 2]
    counts = Counter(choose_tokens(np.log([[1.0, 1e-300]]), np.array([below])).tolist())
    assert counts == {0: 1}


def test_the_greatest_is_the_first_of_equals() -> None:
    assert greatest(np.array([[1.0, 3.0, 3.0], [0.0, 0.0, 0.0]])).tolist() == [1, 0]
