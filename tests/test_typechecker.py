"""The tests run with every annotation checked, or a wrong one could stay."""

from __future__ import annotations

from typing import Any, Self

import jaxtyping
import numpy as np
import pytest
from typechecker import typechecked

from theory import _shapes
from theory.claims import spawn_seed
from theory.probability import Partition


def test_types_are_checked() -> None:
    wrong: Any = "1"
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'seed'"):
        spawn_seed(wrong, "volition.eq1")


def test_kinds_of_array_are_checked() -> None:
    assert _shapes.Int64 is jaxtyping.Int64
    wrong: Any = np.array([0.5])
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'labels'"):
        Partition(wrong, 1)


def test_a_method_may_speak_of_its_own_class() -> None:
    class Pair:
        @jaxtyping.jaxtyped(typechecker=typechecked)
        def scaled(self, by: int) -> Self:
            return self

    wrong: Any = "2"
    pair = Pair()
    assert pair.scaled(2) is pair
    with pytest.raises(jaxtyping.TypeCheckError, match="parameter 'by'"):
        pair.scaled(wrong)
