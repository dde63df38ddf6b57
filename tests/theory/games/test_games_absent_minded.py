from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy
from game_strategies import laws_of, paying, relabelled, split, trees, turned, weights
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import games as oracle
from reference import team
from sample_games import absent_minded_driver
from sweeps import examples
from team_trees import HALF, alone, decide, dizzy, stop, toss

from theory.errors import LimitError
from theory.games import Behaviour, Optimum, optimum
from theory.games.ex_ante import (
    MAX_ENTRIES,
    MAX_PASSES,
    Branch,
    Certificate,
    Closed,
    PriceList,
    Split,
    Status,
    check,
)
from theory.games.ex_ante._cells import indices, whole
from theory.games.ex_ante._forest import build_forest
from theory.games.ex_ante._reading import read
from theory.games.ex_ante._recheck import pieces, table
from theory.linear import CertificateError

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

few = settings(max_examples=examples(40))


def road(exits: Sequence[int], end: int) -> oracle.Tree:
    """Crossings that all look alike; to exit at each pays something, to drive on to the end too."""
    tree = stop(end)
    for pays in reversed(exits):
        tree = decide("crossing", [stop(pays), tree])
    return tree


def confused(depth: int = 4) -> Any:
    """Trees of one player who takes all sets with two moves for one and the same."""
    return trees(players=1, depth=depth, spread=2).map(
        lambda tree: relabelled(tree, lambda label, _: label[1:])
    )


def encloses(found: Optimum, value: object) -> bool:
    """Whether a number, exact in sympy, is between the two ends."""
    low, high = (
        sympy.Rational(end.numerator, end.denominator) for end in (found.value, found.bound)
    )
    return bool(low <= value) and bool(value <= high)


class TestKnown:
    def test_the_driver(self) -> None:
        """Piccione and Rubinstein (1997): 4/3, by driving on with probability 2/3."""
        found = optimum(absent_minded_driver())
        assert (found.value, found.gap, found.status) == (Fraction(4, 3), 0, Status.EXACT)
        assert found.strategy.probabilities == ((Fraction(1, 3), Fraction(2, 3)),)

    def test_an_irrational_optimum(self) -> None:
        """3q - q² - q³ is largest at q = (√10 - 1)/3."""
        best = (sympy.sqrt(10) - 1) / 3
        value = 3 * best - best**2 - best**3
        game = alone(road([0, 3, 2], 1))
        found = optimum(game)
        assert found.status is Status.ENCLOSED
        assert 0 < found.gap <= found.tolerance == Fraction(3, 10**6)
        assert encloses(found, value)
        closer = optimum(game, tolerance="1/1000000000000")
        assert closer.gap <= Fraction(3, 10**12)
        assert encloses(closer, value)

    def test_three_different_moves(self) -> None:
        """6 p q r is largest where all three are 1/3."""

        def after(*made: int) -> oracle.Tree:
            if len(made) == 3:
                return stop(int(len(set(made)) == 3))
            return decide("again", [after(*made, m) for m in range(3)])

        found = optimum(alone(after()))
        assert encloses(found, sympy.Rational(2, 9))
        assert found.gap <= found.tolerance

    def test_two_coins_that_must_agree(self) -> None:
        """1 - (p - q)², with each coin tossed twice: every p = q is best."""

        def pair(one: str, two: str, pays: Sequence[int]) -> oracle.Tree:
            first = [decide(two, [stop(pays[n]), stop(pays[n + 1])]) for n in (0, 2)]
            return decide(one, first)

        three = [
            pair("p", "p", (1, 1, 1, -2)),
            pair("q", "q", (1, 1, 1, -2)),
            pair("p", "q", (1, 1, 1, 7)),
        ]
        tree = toss(three)
        found = optimum(alone(tree))
        assert found.value == 1
        assert found.gap <= found.tolerance

    def test_attention_elsewhere_stays_pure(self) -> None:
        """A choice between two roads, made with open eyes, and a forgotten message before it."""
        tree = toss(
            [
                decide("sign", [decide("turn", [road([0, 4], 1), stop(1)]), stop(0)]),
                decide("turn", [stop(1), stop("9/8")]),
            ]
        )
        found = optimum(alone(tree))
        assert found.value == HALF * (Fraction(4, 3) + 1)
        assert found.status is Status.EXACT
        sign, turn, _ = found.strategy.probabilities
        assert (sign, turn) == ((1, 0), (1, 0))

    def test_the_end_of_a_long_road(self) -> None:
        found = optimum(alone(road([0] * 20, 1)))
        assert (found.value, found.gap) == (1, 0)


class TestAgainstOthers:
    @given(confused())
    def test_roots_of_the_derivative(self, tree: oracle.Tree) -> None:
        game = alone(tree)
        payoff = np.polynomial.Polynomial([float(c) for c in team.polynomial(tree)])
        roots = payoff.deriv().roots() if payoff.degree() > 0 else np.array([])
        inside = [r.real for r in roots if abs(r.imag) < 1e-6 and 0 < r.real < 1]
        best = max(float(payoff(p)) for p in (0.0, 1.0, *inside))
        found = optimum(game)
        assert found.gap <= found.tolerance
        assert float(found.value) <= best + 1e-9
        assert float(found.bound) >= best - 1e-9

    @given(st.one_of(trees(players=1), dizzy()), st.data())
    def test_nothing_drawn_is_better(self, tree: oracle.Tree, data: st.DataObject) -> None:
        game = alone(tree)
        found = optimum(game, limit=200)
        assert found.gap <= found.tolerance or found.status is Status.STOPPED
        assert oracle.payoff(tree, laws_of(tree, found.strategy), 0) == found.value
        assert team.best(tree) <= found.bound
        seed = data.draw(st.integers(0, 2**32 - 1))
        for _ in range(20):
            drawn = Behaviour.random(game, np.random.default_rng(seed))
            assert oracle.payoff(tree, laws_of(tree, drawn), 0) <= found.bound


class TestRelations:
    @few
    @given(trees(players=1))
    def test_order_and_names_do_not_matter(self, tree: oracle.Tree) -> None:
        found = optimum(alone(tree))
        for other in (turned(tree), split(tree), relabelled(tree, lambda label, _: f"new {label}")):
            again = optimum(alone(other))
            assert found.value <= again.bound
            assert again.value <= found.bound

    @few
    @given(trees(players=1), st.integers(1, 5), st.fractions(-3, 3, max_denominator=4))
    def test_scale_and_shift(self, tree: oracle.Tree, scale: int, shift: Fraction) -> None:
        def pay(_: int, x: int, address: oracle.Address) -> Fraction:
            return Fraction(scale * x) + (0 if address else shift)

        found, again = optimum(alone(tree)), optimum(alone(paying(tree, pay)))
        assert again.value == scale * found.value + shift
        assert again.bound == scale * found.bound + shift
        assert again.strategy == found.strategy


@pytest.fixture(name="found", scope="module")
def searched() -> Optimum:
    """A message that is forgotten, then a road of two crossings that look alike."""
    tree = toss(
        [
            decide("one", [decide("turn", [road([0, 4], 1), stop(0)]), stop(1)]),
            decide("two", [decide("turn", [stop(0), stop("3/4")]), stop("1/2")]),
        ]
    )
    return optimum(alone(tree))


def steps(*given: Branch | Split | Closed) -> Callable[[Optimum], Certificate]:
    return lambda found: replace(found.certificate, steps=given)


MESSAGE, ROAD = 1, 2
THIRDS = (Fraction(1, 3), Fraction(2, 3))
BY_HAND = (Branch(MESSAGE), Split(ROAD, THIRDS), *[Closed(0)] * 3)


def halfway(found: Optimum) -> Certificate:
    """Exit with probability 1/2."""
    laws = list(found.strategy.probabilities)
    laws[ROAD] = (HALF, HALF)
    return replace(found.certificate, strategy=Behaviour(tuple(laws)))


FAULTS: dict[str, tuple[Callable[[Optimum], Certificate], str]] = {
    "a lower bound": (
        lambda found: replace(found.certificate, bound=found.bound - Fraction(1, 10**9)),
        "the cases allow",
    ),
    "another law": (halfway, "the strategy is worth"),
    "nothing cut": (steps(Closed(0)), "the cases allow"),
    "no message": (steps(Split(ROAD, THIRDS), Closed(0), Closed(0)), "the cases allow"),
    "no split": (steps(Branch(MESSAGE), Closed(0), Closed(0)), "the cases allow"),
    "cut elsewhere": (
        steps(Branch(MESSAGE), Split(ROAD, THIRDS[::-1]), *[Closed(0)] * 3),
        "the cases allow",
    ),
    "a piece missing": (steps(*BY_HAND[:-1]), "1 cases are left open"),
    "a piece too many": (steps(*BY_HAND, Closed(0)), "steps after the last case"),
    "a law decided": (steps(Branch(ROAD), Closed(0), Closed(0)), "cannot be decided"),
    "a message split": (steps(Split(MESSAGE, THIRDS), Closed(0), Closed(0)), "cannot be split"),
    "a split in three": (steps(Split(ROAD, (*THIRDS, Fraction(0)))), "cannot be split"),
    "a point outside": (steps(Split(ROAD, (Fraction(2), Fraction(-1)))), "cannot be split"),
    "a point off the line": (steps(Split(ROAD, (HALF, HALF / 2))), "cannot be split"),
}


def passed_twice(tree: oracle.Tree, k: int) -> bool:
    """Whether chance allows a path through two nodes of set k, at which there is a choice."""
    laws = {s: [1] * 9 for s in oracle.info_sets(tree)}
    members = list(oracle.info_sets(tree).values())[k]
    live = [h for h in members if oracle.reach(tree, h, laws)]
    return len(oracle.branches(oracle.at(tree, members[0]))) > 1 and any(
        len(u) < len(v) and v[: len(u)] == u for u in live for v in live
    )


class TestCertificate:
    def test_it_is_accepted(self, found: Optimum) -> None:
        assert found.value == Fraction(11, 12)
        assert check(found.game, found.certificate) == 0

    def test_one_by_hand_is_accepted(self, found: Optimum) -> None:
        assert check(found.game, replace(found.certificate, steps=BY_HAND)) == 0

    @pytest.mark.parametrize("fault", FAULTS)
    def test_a_planted_fault_is_refused(self, found: Optimum, fault: str) -> None:
        tamper, says = FAULTS[fault]
        with pytest.raises(CertificateError, match=says):
            replace(found, certificate=tamper(found))

    @given(st.one_of(trees(players=1), dizzy()), st.data())
    def test_no_certificate_proves_less_than_a_strategy(
        self, tree: oracle.Tree, data: st.DataObject
    ) -> None:
        """Random branches and splits: always sound, whatever they are good for."""
        game = alone(tree)
        drawn = Behaviour.random(game, np.random.default_rng(data.draw(st.integers(0, 999))))
        twice = {k for k in range(len(game.infosets)) if passed_twice(tree, k)}

        def cases(left: int, free: frozenset[int]) -> list[Branch | Split | Closed]:
            k = data.draw(st.sampled_from([-1, *sorted(free)])) if left else -1
            if k < 0:
                return [Closed(0)]
            moves = len(game.infosets[k].moves)
            if k in twice:
                point = data.draw(weights(moves))
                below = (cases(left - 1, free) for p in point if p)
                return [Split(k, point), *(step for case in below for step in case)]
            below = (cases(left - 1, free - {k}) for _ in range(moves))
            return [Branch(k), *(step for case in below for step in case)]

        value = oracle.payoff(tree, laws_of(tree, drawn), 0)
        certificate = Certificate(
            strategy=drawn,
            value=value,
            bound=Fraction(1000),
            steps=tuple(cases(3, frozenset(range(len(game.infosets))))),
            prices=(PriceList(1, ()),),
        )
        assert check(game, certificate) == 1000 - value
        with pytest.raises(CertificateError, match="the cases allow"):
            check(game, replace(certificate, bound=value - Fraction(1, 10**9)))


@given(dizzy(), st.data())
def test_solver_and_checker_cut_polynomials_alike(tree: oracle.Tree, data: st.DataObject) -> None:
    """By polar forms here and by de Casteljau's algorithm there."""
    game = alone(tree)
    forest, reading = build_forest(game), read(game)
    assert list(forest.absent) == list(reading.forgetful)
    cell, (mine, unit) = whole(forest), table(reading)
    for _ in range(data.draw(st.integers(0, 2)) if forest.absent else 0):
        k = data.draw(st.sampled_from(forest.absent))
        at = data.draw(weights(forest.moves(k)))
        tables, factor = pieces(mine, forest.absent.index(k), at)
        chosen = data.draw(st.integers(0, len(tables) - 1))
        cell, mine, unit = cell.pieces(k, at)[chosen], tables[chosen], unit * factor
    places = list(product(*(indices(forest.moves(k), d) for k, d in cell.degrees.items())))
    for index, row in zip(places, cell.rows(), strict=True):
        assert [Fraction(v, cell.denominator) for v in row] == [
            Fraction(v, unit) for v in mine[index]
        ]


class TestLimits:
    def test_a_search_that_is_stopped_says_so(self) -> None:
        game = alone(road([0, 3, 2], 1))
        found = optimum(game, limit=2)
        assert (found.status, found.stats.cuts) == (Status.STOPPED, 2)
        assert found.gap > found.tolerance
        assert "stopped at the limit of cuts" in str(found)
        assert optimum(game).value <= found.bound

    def test_too_many_passes(self) -> None:
        optimum(alone(road([1] * MAX_PASSES, 0)))
        with pytest.raises(LimitError, match=rf"'crossing' are too many \(got {MAX_PASSES + 1}\)"):
            optimum(alone(road([1] * (MAX_PASSES + 1), 0)))

    @staticmethod
    def past(passes: dict[str, int]) -> oracle.Tree:
        """A path that passes each set so many times in a row."""
        tree = stop(0)
        for name in reversed([name for name, count in passes.items() for _ in range(count)]):
            tree = decide(name, [stop(1), tree])
        return tree

    @pytest.mark.parametrize("few_first", [True, False])
    def test_too_many_passes_of_the_first_set_or_a_later_one(self, few_first: bool) -> None:
        passes = {"first": MAX_PASSES, "later": MAX_PASSES}
        build_forest(alone(self.past(passes)))
        passes |= {"first": 2, "later": MAX_PASSES + 1} if few_first else {"first": MAX_PASSES + 1}
        name = "later" if few_first else "first"
        with pytest.raises(LimitError, match=rf"'{name}' are too many \(got {MAX_PASSES + 1}\)"):
            build_forest(alone(self.past(passes)))

    def test_too_many_passes_of_all_sets(self) -> None:
        passes = {"first": MAX_PASSES - 1, "second": MAX_PASSES - 1, "third": 2}
        build_forest(alone(self.past(passes)))
        with pytest.raises(LimitError, match=rf"absent-minded sets.*got {2 * MAX_PASSES + 1}\)"):
            build_forest(alone(self.past({**passes, "third": 3})))

    def test_too_many_coefficients(self) -> None:
        """Five sets of three moves, each passed twice: 6⁵ coefficients."""

        def twice(k: int) -> oracle.Tree:
            after = twice(k + 1) if k < 5 else stop(1)
            return decide(f"{k}", [decide(f"{k}", [stop(0), stop(0), after]), stop(0), stop(0)])

        with pytest.raises(LimitError, match=rf"got {6**5}\).*within {MAX_ENTRIES}"):
            optimum(alone(twice(1)))


def test_an_enclosure_reads_well() -> None:
    found = optimum(alone(road([0, 3, 2], 1)))
    first = str(found).splitlines()[0]
    assert first.startswith(f"optimum between {found.value} and {found.bound} (enclosed within")
