"""What rows of the experiment must hold before anything is computed from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from mechanisms.advertising import GENERATORS, READINGS

__all__ = ["Shapes"]

_MOST: Final = 2**53
_LARGEST: Final = 1e100
"""Floats that are larger are none of ours, and their squares are infinite."""
_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Shapes:
    """The shapes of rows of a run with so many sizes and advertisers."""

    sizes: int
    advertisers: int

    def is_record(self, row: dict[str, Any]) -> bool:
        """Whether a row holds what ``record_row`` returns."""
        each, both = (self.sizes,), (self.sizes, self.advertisers)
        courses: Any = row.get("courses")
        return type(row.get("normalised")) is bool and all(
            _has(courses, generator, "reply")
            and type(courses[generator]["reply"]) is str
            and _are_numbers(courses[generator], each, "log_probs", "returned_log_probs")
            and _are_numbers(
                courses[generator], both, "payments", "payments_without_offset", "mentioned"
            )
            and _are_numbers(courses[generator].get("reward_gains"), both, *READINGS, gaps=True)
            for generator in GENERATORS
        )

    def is_law(self, row: dict[str, Any]) -> bool:
        """Whether a row holds what ``law_row`` returns."""
        if not {"optimum", "laws"} <= row.keys():
            return False
        optimum, laws = row["optimum"], row["laws"]
        return (
            optimum is None
            or (
                _are_numbers(optimum, (), "log-probability")
                and _are_numbers(optimum, (self.advertisers,), "reward gain", "revenue")
            )
        ) and (
            laws is None
            or all(
                _has(laws, generator)
                and _are_numbers(
                    laws[generator], (self.sizes,), "total_variation", "kl", "log_probs"
                )
                and _are_numbers(laws[generator], (3,), "limit")
                and _are_shares([*laws[generator]["total_variation"], laws[generator]["limit"][0]])
                for generator in GENERATORS
            )
        )


def _are_shares(values: list[float]) -> bool:
    return all(-_ROUNDING <= value <= 1 + _ROUNDING for value in values)


def _has(value: Any, *names: str) -> bool:
    """Whether data holds an object under the first name, and all others in that."""
    if not isinstance(value, dict) or not isinstance(value.get(names[0]), dict):
        return False
    return all(name in value[names[0]] for name in names[1:])


def _are_numbers(value: Any, shape: tuple[int, ...], *names: str, gaps: bool = False) -> bool:
    """Whether an object holds arrays of finite numbers of one shape under all these names."""
    return isinstance(value, dict) and all(
        name in value and _is_array(value[name], shape, gaps=gaps) for name in names
    )


def _is_array(value: Any, shape: tuple[int, ...], *, gaps: bool) -> bool:
    """Whether data is nested lists of these lengths, of finite numbers or, in gaps, None."""
    if shape:
        return (
            isinstance(value, list)
            and len(value) == shape[0]
            and all(_is_array(part, shape[1:], gaps=gaps) for part in value)
        )
    if type(value) is float:
        return abs(value) <= _LARGEST
    return (type(value) is int and abs(value) <= _MOST) or (gaps and value is None)
