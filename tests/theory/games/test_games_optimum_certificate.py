from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import games as oracle
from reference import team
from team_trees import HALF, alone, forgetful, hats, messages

from theory.errors import ShapeError
from theory.games import Behaviour, Optimum, ex_ante, optimum
from theory.games.ex_ante import Branch, Certificate, Closed, PriceList, Split, Status, check
from theory.games.ex_ante._forest import build_forest
from theory.linear import CertificateError

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


@pytest.fixture(name="found", scope="module")
def searched() -> Optimum:
    """A small optimum that needs both prices and a branch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("theory.games.ex_ante._search_pure.FEW", 1)
        found = optimum(alone(messages(43, 6, 2, 4)))
    assert isinstance(found.certificate.steps[0], Branch)
    assert found.certificate.prices[1].entries
    return found


def steps(*given: Branch | Split | Closed) -> Callable[[Optimum], Certificate]:
    return lambda found: replace(found.certificate, steps=given)


def priced(change: Callable[[Optimum, PriceList], PriceList]) -> Callable[[Optimum], Certificate]:
    """Change all price lists but the first, which is empty."""

    def tampered(found: Optimum) -> Certificate:
        free, *others = found.certificate.prices
        return replace(found.certificate, prices=(free, *(change(found, each) for each in others)))

    return tampered


def entry(node: int, move: int, numerator: int) -> Callable[[Optimum], Certificate]:
    return priced(lambda _, prices: replace(prices, entries=((node, move, numerator),)))


def another_move(found: Optimum) -> Certificate:
    """The first set plays its next move."""
    first, *rest = found.strategy.probabilities
    return replace(found.certificate, strategy=Behaviour(((*first[-1:], *first[:-1]), *rest)))


FAULTS: dict[str, tuple[Callable[[Optimum], Certificate], str]] = {
    "another strategy": (another_move, "the strategy is worth"),
    "a higher value": (
        lambda found: replace(found.certificate, value=found.value + 1),
        "the strategy is worth",
    ),
    "a lower bound": (
        lambda found: replace(found.certificate, bound=found.bound - Fraction(1, 10**9)),
        "the cases allow",
    ),
    "a case missing": (
        lambda found: replace(found.certificate, steps=found.certificate.steps[:-1]),
        "1 cases are left open",
    ),
    "a case too many": (
        lambda found: replace(found.certificate, steps=(*found.certificate.steps, Closed(0))),
        "steps after the last case",
    ),
    "no case": (steps(), "1 cases are left open"),
    "a branch too few": (steps(Closed(1)), "the cases allow"),
    "a branch at no set": (steps(Branch(99)), "information set 99 cannot be decided"),
    "a branch at a negative set": (steps(Branch(-1)), "information set -1 cannot be decided"),
    "a set decided twice": (steps(Branch(1), Branch(1)), "information set 1 cannot be decided"),
    "a split for the attentive": (steps(Split(1, (HALF, HALF))), "cannot be split"),
    "no such prices": (steps(Closed(9)), "no price list 9"),
    "a negative list": (steps(Closed(-1)), "no price list -1"),
    "no prices": (priced(lambda _, prices: replace(prices, entries=())), "the cases allow"),
    "prices at other moves": (
        priced(
            lambda _, prices: replace(
                prices, entries=tuple((v, (m + 1) % 4, n) for v, m, n in prices.entries)
            )
        ),
        "the cases allow",
    ),
    "a denominator of zero": (
        priced(lambda _, prices: replace(prices, denominator=0)),
        "the denominator 0",
    ),
    "a price at chance": (entry(0, 0, 1), "nothing to price at move 0 of node 0"),
    "a price for no move": (entry(1, 4, 1), "nothing to price at move 4 of node 1"),
    "a negative price": (entry(1, 0, -1), "the price of move 0 at node 1 is negative"),
}


class TestCertificate:
    def test_it_is_accepted(self, found: Optimum) -> None:
        assert check(found.game, found.certificate) == 0

    @pytest.mark.parametrize("fault", FAULTS)
    def test_a_planted_fault_is_refused(self, found: Optimum, fault: str) -> None:
        tamper, says = FAULTS[fault]
        with pytest.raises(CertificateError, match=says):
            replace(found, certificate=tamper(found))

    def test_a_looser_bound_leaves_a_gap(self, found: Optimum) -> None:
        looser = replace(found.certificate, bound=found.bound + HALF)
        assert replace(found, certificate=looser).gap == HALF
        assert replace(found, certificate=looser).status is Status.STOPPED

    def test_another_game_is_refused(self, found: Optimum) -> None:
        with pytest.raises(ShapeError, match="behaviour"):
            check(alone(hats(2)), found.certificate)

    @given(forgetful(), st.data())
    def test_no_certificate_proves_less_than_the_optimum(
        self, tree: oracle.Tree, data: st.DataObject
    ) -> None:
        """Random prices and branches: always sound, whatever they are good for."""
        game, best = alone(tree), team.best(tree)
        forest = build_forest(game)
        places = [
            (v, m)
            for v, k in zip(forest.node, forest.infoset, strict=True)
            for m in range(len(game.infosets[k].moves))
        ]
        some = st.sets(st.sampled_from(places), max_size=9) if places else st.just(set())
        drawn = {place: data.draw(st.integers(0, 9)) for place in sorted(data.draw(some))}
        prices = PriceList(
            data.draw(st.integers(1, 4)), tuple((v, m, n) for (v, m), n in drawn.items())
        )

        def cases(free: frozenset[int]) -> list[Branch | Closed]:
            k = data.draw(st.sampled_from([-1, -1, *sorted(free)]))
            if k < 0:
                return [Closed(0)]
            below = (cases(free - {k}) for _ in game.infosets[k].moves)
            return [Branch(k), *(step for case in below for step in case)]

        certificate = Certificate(
            strategy=Behaviour.pure(game, [0] * len(game.infosets)),
            value=team.worth(tree, dict.fromkeys(team.sizes(tree), 0)),
            bound=Fraction(1000),
            steps=tuple(cases(frozenset(range(len(game.infosets))))),
            prices=(prices,),
        )
        assert check(game, certificate) == 1000 - certificate.value
        with pytest.raises(CertificateError, match="the cases allow"):
            check(game, replace(certificate, bound=best - Fraction(1, 10**9)))

    def test_the_checker_shares_nothing_with_the_solver(self) -> None:
        def imported(*names: str) -> set[str]:
            sources = (Path(str(ex_ante.__file__)).parent / f"_{name}.py" for name in names)
            trees = (ast.walk(ast.parse(source.read_text())) for source in sources)
            return {
                str(n.module).removeprefix("theory.games.ex_ante._")
                for tree in trees
                for n in tree
                if isinstance(n, ast.ImportFrom)
                and str(n.module).startswith("theory.games.ex_ante")
            }

        checker = {"recheck", "reading"}
        assert imported(*checker) == {"certificate", "reading"}
        assert not imported("search_pure", "search_absent_minded", "cells", "forest") & checker
