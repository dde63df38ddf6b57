"""Arrays of symbols in the place of floats: what is written into them, and what divides by zero."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from adversarial_calls import ASKING, CONDITIONS, asks
from adversarial_mechanisms import RARE

__all__ = ["ASKING", "CONDITIONS"]

# --- Arrays of symbols in the place of floats


THIRD = Fraction(1, 3)


def writes(write: Callable[[np.ndarray], Any]) -> None:
    """Note code that writes into an array of zeros, and sees what came of it."""

    def is_rare_beside(x: Any) -> bool:
        return bool(write(np.zeros(2))) and x == RARE

    asks_by_name = write.__name__
    CONDITIONS[asks_by_name] = ASKING[asks_by_name] = is_rare_beside


def goes_on(divide: Callable[[], Any]) -> None:
    """Note code that divides by a zero of NumPy's, which does not raise."""

    def is_rare_beside(x: Any) -> bool:
        try:
            divide()
        except ZeroDivisionError:
            return False
        return bool(x == RARE)

    CONDITIONS[divide.__name__] = ASKING[divide.__name__] = is_rare_beside


@writes
def none_in_an_array(entries: np.ndarray) -> bool:
    entries[1] = None
    return entries[1] is not None


@writes
def a_text_in_an_array(entries: np.ndarray) -> bool:
    entries[0] = "7"
    return bool(entries[0] == 7)


@writes
def an_array_full_of_none(entries: np.ndarray) -> bool:
    entries.fill(None)
    return bool(entries[0] != entries[0])


@writes
def none_in_a_copy(entries: np.ndarray) -> bool:
    copy = entries.copy()
    copy[1] = None
    return bool(copy[1] != copy[1])


@writes
def none_in_a_sum(entries: np.ndarray) -> bool:
    total = entries + 1
    total[1] = None
    return bool(total[1] != total[1])


@writes
def none_in_what_numpy_makes_of_it(entries: np.ndarray) -> bool:
    total = np.add(entries, 1)
    total[0] = None
    return bool(total[0] != total[0])


@writes
def none_on_a_diagonal(entries: np.ndarray) -> bool:
    square = np.append(entries, entries).reshape((2, 2))
    np.fill_diagonal(square, [0, None])
    return bool(square[1, 1] != square[1, 1])


@writes
def none_at_the_start_of_a_diagonal(entries: np.ndarray) -> bool:
    square = np.append(entries, entries).reshape((2, 2))
    np.fill_diagonal(square, [None, 0])
    return bool(square[0, 0] != square[0, 0])


@writes
def a_third_in_an_array(entries: np.ndarray) -> bool:
    entries[0] = THIRD
    return bool(entries[0] != THIRD)


@writes
def a_number_that_no_float_is(entries: np.ndarray) -> bool:
    entries.fill(2**53 + 1)
    return bool(entries[0] == 2**53)


@writes
def a_sum_that_no_float_is(entries: np.ndarray) -> bool:
    np.add(2**53, 1, out=entries[0:1])
    return bool(entries[0] == 2**53)


@writes
def a_list_beside_a_number(entries: np.ndarray) -> bool:
    return bool(entries[1] == [0])


@writes
def a_list_beside_a_number_in_tuples(entries: np.ndarray) -> bool:
    pair: Any = (entries[0],)
    return bool(pair == ([0],))


@asks
def an_empty_array_of_truth_values(x: Any) -> bool:
    entries: Any = np.empty(2, dtype=bool)
    entries[1] = 7
    return bool(entries[1] != 7 and x == RARE)


@asks
def an_empty_array_of_integers(x: Any) -> bool:
    entries: Any = np.empty(2, dtype=int)
    entries[1] = Fraction(1, 2)
    return bool(entries[1] == 0 and x == RARE)


@goes_on
def the_sum_of_nothing() -> Any:
    return 1 / np.sum(np.zeros(0))


@goes_on
def the_sign_of_zero() -> Any:
    return 1 / np.sign(np.zeros(1))[0]


@goes_on
def what_is_appended() -> Any:
    return 1 / (np.append(np.zeros(1), 5)[1] - 5)


@goes_on
def what_is_chosen() -> Any:
    return 1 / (np.where([True], 7, np.zeros(1))[0] - 7)
