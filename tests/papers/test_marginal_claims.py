"""The checks of claims about the marginal-value mechanism, beside the brute force and a pencil."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest
from reference import marginal_value as oracle

from papers.volition.checks.inextensibility import inextensible, solutions, strictly, weakly
from papers.volition.checks.marginal_families import (
    MarginalGames,
    MarginalInstance,
    Terms,
    fewest_items,
    most_items,
    path,
)
from papers.volition.checks.shortfall import (
    BY_AGREEMENT,
    BY_ANY,
    BY_EVERYTHING,
    WITHOUT_AGREEMENT,
    WITHOUT_ANY,
    WITHOUT_EVERYTHING,
    agree,
    best_set,
    worth,
)
from papers.volition.checks.shortfall_attained import Demand, misleading_game
from papers.volition.checks.shortfall_defence import WITHOUT_DEFENCE
from papers.volition.checks.theorem_4_4 import (
    first_is_best,
    first_is_inextensible,
    later_are_null,
    without_each,
)
from theory.checks import WithoutHypothesis
from theory.claims import Budget, CheckContext
from theory.search import Draw, search

ALL_TERMS = MarginalGames(tuple(Terms), prior=(0, 1, -1), last=(0, 1, -1, inf), third_from=2)


def items_of(mask: int) -> frozenset[int]:
    return frozenset(j for j in range(mask.bit_length()) if mask >> j & 1)


def as_oracle(instance: MarginalInstance) -> oracle.Game:
    utilities = {items_of(s): tuple(r[s] for r in instance.utilities) for s in instance.sets}
    prices = {items_of(s): p for s, p in enumerate(instance.prices)}
    family = tuple(items_of(move) for move in instance.moves)
    return oracle.Game(tuple(range(instance.items)), family, utilities, prices)


def drawn(count: int) -> list[MarginalInstance]:
    import numpy as np

    generator = np.random.default_rng(7)
    return [ALL_TERMS(Draw(generator=generator), 1 + k % 3) for k in range(count)]


@pytest.mark.parametrize("number", range(60))
def test_the_checks_transcribe_what_the_brute_force_computes(number: int) -> None:
    instance = drawn(60)[number]
    game = as_oracle(instance)
    assert [items_of(s) for s in path(fewest_items(instance))[1:]] == _sets(game, "fewest")
    assert [items_of(s) for s in path(most_items(instance))[1:]] == _sets(game, "most")
    held = {items_of(s) for s in inextensible(instance)}
    assert held == {s for s in oracle.reachable(game) if oracle.inextensible(game, s)}
    assert items_of(best_set(instance)) == oracle.best_reveal(game)
    assert worth(instance, best_set(instance)) == oracle.hindsight(game, oracle.best_reveal(game))
    for s in instance.sets:
        assert agree(instance, s, instance.everything) == oracle.agrees(game, items_of(s))


def _sets(game: oracle.Game, rule: Any) -> list[frozenset[int]]:
    play = oracle.equilibrium(game, (), rule)[:-1]
    return [oracle.revealed(play[: n + 1]) for n in range(len(play))]


# --- the smallest instance without each clause

SINGLE, DEARER, CHEAPER = Terms.SINGLE_ITEMS, Terms.SUPERADDITIVE, Terms.SUBADDITIVE


def game(
    *rows: tuple[int, ...], prices: tuple[int, ...], terms: Terms = Terms.ANY_SET
) -> MarginalInstance:
    return MarginalInstance(((0,) * len(prices), *rows), prices, terms)


def free(*rows: tuple[int, ...], terms: Terms = Terms.ANY_SET) -> MarginalInstance:
    return game(*rows, prices=(0,) * len(rows[0]), terms=terms)


STEPS = ((0, 0, 0, 2), (0, 0, 1, 1))
"""I2 speaks for c; both together for b, but c is then worth more than a."""

REFUTED = (0, 0, 1, -1, 0, 0, 0, 1)
"""I2 is right, I1 refutes it, and I3 defends it."""

SMALLEST: list[tuple[str, WithoutHypothesis[MarginalInstance], MarginalInstance]] = [
    (name, dropped, instance)
    for name, clauses, instances in (
        (
            "4.4.1",
            without_each(first_is_inextensible),
            (
                free(*STEPS, terms=SINGLE),
                game(*STEPS, prices=(0, 0, 0, 1), terms=DEARER),
                game((0, 1, 0, -1), prices=(0, 0, 1, 1)),
                game((0, 1, 0, -1), prices=(0, 0, 1, 1)),
            ),
        ),
        (
            "4.4.2",
            (*without_each(later_are_null)[:2], without_each(later_are_null)[3]),
            (
                free(*STEPS, terms=SINGLE),
                game(*STEPS, prices=(0, 0, 0, 1), terms=DEARER),
                free((0, 0, 0, 0)),
            ),
        ),
        (
            "4.4.3",
            without_each(first_is_best),
            (
                game((0, 1, 1, 2), prices=(0, 0, -1, -1), terms=SINGLE),
                game((0, 1, 0, 2), prices=(0, 0, -1, 0), terms=DEARER),
                free((0, 0, 1, 0)),
                free((0, 0, 1, 0)),
            ),
        ),
        (
            "shortfall",
            WITHOUT_EVERYTHING,
            (
                free((0, 0, 0, 1), terms=SINGLE),
                game((0, 0, 1, 2), prices=(0, 0, 1, 2), terms=DEARER),
                game((0, 1, 0, -1), prices=(0, 0, 1, 0), terms=CHEAPER),
            ),
        ),
        (
            "sharp",
            WITHOUT_AGREEMENT,
            (
                game(REFUTED, prices=(0, 0, 0, 0, 1, 1, 1, 1)),
                game((0, 1, 0, -1), prices=(0, 0, 1, 1)),
            ),
        ),
        (
            "disagreement",
            WITHOUT_ANY,
            (
                game(REFUTED, prices=(0, 0, 0, 0, 1, 1, 1, 1)),
                free((0, 0, 0, 1), terms=SINGLE),
                game((0, 1, 0, -1), prices=(0, 0, 1, 0), terms=CHEAPER),
            ),
        ),
        (
            "defence",
            WITHOUT_DEFENCE,
            (
                game((-1, 1, 0, -1), prices=(0, 0, 1, 1)),
                free((0, 0, 0, 0, 0, 0, 1, 1), terms=SINGLE),
                game((0, 0), prices=(0, -1)),
            ),
        ),
    )
    for dropped, instance in zip(clauses, instances, strict=True)
]
IDS = [f"{name}: {dropped.clause}" for name, dropped, _ in SMALLEST]


@pytest.mark.parametrize(("name", "dropped", "instance"), SMALLEST, ids=IDS)
def test_a_claim_fails_without_a_clause(name: str, dropped: Any, instance: Any) -> None:
    trial = dropped.predicate(instance)
    assert trial.met
    assert trial.failure
    game, rule = as_oracle(instance), "most" if "most items" in dropped.clause else "fewest"
    if name.startswith("4.4") and "but not to none" not in dropped.clause:
        assert not oracle.theorem_4_4(game, rule)[int(name[-1]) - 1]
    if name == "shortfall":
        assert oracle.shortfall(game) > oracle.bound(game)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dropped", "instance"), SMALLEST, ids=IDS)
def test_nothing_smaller_fails(name: str, dropped: Any, instance: Any) -> None:
    budget = Budget(exhaustive=3_000, samples=1, shrinks=1, size=1)
    found = search(dropped.family, dropped.predicate, CheckContext(seed=0, budget=budget))
    assert not found.sampled
    assert found.smallest is not None
    assert found.smallest.instance == instance


def test_the_second_statement_survives_ties_to_the_most_items() -> None:
    for instance in drawn(200):
        if instance.terms not in (SINGLE, DEARER):
            assert len(path(most_items(instance))) <= 2


# --- with a pencil


def test_the_printed_equation_has_several_solutions_and_the_strict_one_has_one() -> None:
    refutation = game((0, 1, 0, -1), prices=(0, 0, 0, 0))
    every = frozenset(refutation.sets)
    assert {frozenset[int](), every} <= set(solutions(refutation, weakly))
    assert list(solutions(refutation, strictly)) == [frozenset({0, 2, 3})]


def test_the_bounds_of_an_instance_by_hand() -> None:
    # {I1} is revealed for 1 - 0, after which I2 would gain 1 at price 1, which is nothing
    instance = game((0, 1, 0, -1), prices=(0, 0, 1, 1))
    assert path(fewest_items(instance)) == [0, 1]
    assert [worth(instance, s) for s in range(4)] == [0, -1, -1, -1]
    for claim in (BY_EVERYTHING, BY_ANY):
        assert not claim(instance).failure
    assert not BY_AGREEMENT(instance).met


def test_a_game_that_attains_its_bound_by_hand() -> None:
    # T* = {I1} at 2; {I2} at 1 misleads; both show that the third action is worth 2
    built = misleading_game(Demand((2, 1), 0b11, 0b01))
    assert built.utilities == ((0, 0, 0, -1), (-1, -1, 8, 0), (-1, 1, 0, 2))
    assert path(fewest_items(built)) == [0, 2]
    assert (worth(built, 1), worth(built, 2)) == (1, 0)
