"""The oracles themselves: they import nothing of ours, and answer examples worked by hand."""

from __future__ import annotations

import ast
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from reference import partitions, reals, values

FILES = sorted(
    path for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_")
)
HALF = Fraction(1, 2)


def imported(source: str) -> set[str]:
    """The top-level packages that a source imports; relative imports count as ``.``."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else str(node.module).partition(".")[0])
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_an_oracle_imports_the_standard_library_alone(file: Path) -> None:
    source = file.read_text()
    assert imported(source) <= sys.stdlib_module_names
    assert "importlib" not in source
    assert "__import__" not in source


def test_a_planted_import_is_seen() -> None:
    assert len(FILES) > 3
    for line in ("import theory.numbers", "from theory.decision import Choice", "from . import x"):
        assert not imported(f"def f():\n    {line}") <= sys.stdlib_module_names


def test_an_umbrella_by_hand() -> None:
    """P(rain) = 1/4; umbrella: 0 in rain, -1 when dry; none: -4 in rain, 0 when dry."""
    found = values.valued(
        [Fraction(1, 4), Fraction(3, 4)], [[0, -1], [-4, 0]], ["rain", "dry"], Fraction(1, 4)
    )
    assert (found.prior, found.prior_ties, found.prior_utility) == (0, [0], Fraction(-3, 4))
    assert (found.informed, found.informed_utility) == ([0, 1], [0, 0])
    assert found.realised == {0: Fraction(-1, 4), 1: Fraction(3, 4)}
    assert found.ex_post == [Fraction(-1, 4), Fraction(3, 4)]
    assert found.ex_ante == HALF


def test_ties_impossible_states_and_what_is_known_by_hand() -> None:
    p = [HALF, Fraction(0), Fraction(1, 4), Fraction(1, 4)]
    utilities = [[1, 9, 0, 2], [1, 0, 2, 0]]
    found = values.valued(p, utilities, [0, 1, 2, 2], 0)
    assert found.prior_ties == [0, 1]
    assert found.blocks == [[0], [2, 3]]
    assert found.informed_ties == [[0, 1], [0, 1]]
    assert found.ex_ante == 0
    known = values.valued(p, utilities, [0, 1, 2, 3], 0, known=[1, 2, 3])
    assert known.masses == [HALF, HALF]
    assert known.realised == {2: 2, 3: 0}
    assert known.ex_ante == 1


def test_partitions_by_hand() -> None:
    a, b = partitions.blocks("aabbc"), partitions.blocks("abbcc")
    assert partitions.join(a, b) == partitions.blocks("abcde")
    assert partitions.meet(a, b) == partitions.blocks("aaaaa")
    assert partitions.refines(partitions.blocks("abcdc"), partitions.blocks("xxyyy"))
    assert not partitions.refines(partitions.blocks("xxyyy"), partitions.blocks("abcdc"))


def test_decimals_against_printed_digits() -> None:
    log_2 = Decimal("0.69314718055994530941723212145817656807550013436025525412068000949339362196")
    root_2 = Decimal("1.41421356237309504880168872420969807856967187537694807317667973799073247846")
    one = Fraction(1)
    assert abs(reals.combination(Fraction(0), logs=[(one, 2 * one)]) - Fraction(log_2)) < 1e-70
    assert abs(reals.combination(Fraction(0), roots=[(one, 2 * one)]) - Fraction(root_2)) < 1e-70


@pytest.mark.parametrize("rule", ["log", "brier", "spherical"])
def test_a_divergence_is_a_difference_of_expected_scores(rule: str) -> None:
    belief, prior = Fraction(2, 5), Fraction(1, 10)
    gain = reals.expected_score(rule, belief, belief) - reals.expected_score(rule, prior, belief)
    assert abs(gain - reals.divergence(rule, belief, prior)) < reals.SMALL
    assert reals.divergence(rule, belief, belief) == 0


def test_the_relative_entropy_of_example_2_1_of_volition() -> None:
    found = reals.divergence("log", Fraction(2, 5), Fraction(1, 10))
    assert abs(found - Fraction("0.3112386795830576")) < 1e-15
