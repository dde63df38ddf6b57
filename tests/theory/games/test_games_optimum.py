from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from game_strategies import laws_of, paying, relabelled, split, trees, turned
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import games as oracle
from reference import team
from sample_games import matching_pennies
from scipy.optimize import Bounds, milp
from sweeps import examples
from team_trees import (
    HALF,
    alone,
    decide,
    forgetful,
    hats,
    inspection,
    messages,
    mindful,
    stop,
    toss,
    two_levels,
    with_bad_moves,
    with_null_branches,
)

from theory.errors import ExactnessError, InvalidInputError, LimitError
from theory.games import (
    Behaviour,
    Game,
    Optimum,
    count_strategies,
    expected_payoffs,
    optimum,
)
from theory.games.ex_ante import Status
from theory.shared.text import short_text

# beartype picks at random which items of a tuple to look at, also while a strategy draws.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")

few = settings(max_examples=examples(40))
THRESHOLD = "theory.games.ex_ante._search_pure.FEW"


def solved(tree: oracle.Tree) -> Optimum:
    found = optimum(alone(tree))
    assert found.status is Status.EXACT
    assert found.gap == 0
    return found


def by_integer_program(game: Game) -> float:
    """The optimum by another solver: flows through the tree below what each set does."""
    starts = np.cumsum([len(game.nodes), *(len(infoset.moves) for infoset in game.infosets)])
    columns = int(starts[-1])
    rows, lower, upper = [], [], []

    def add(entries: dict[int, float], low: float, high: float) -> None:
        row = np.zeros(columns)
        for column, value in entries.items():
            row[column] = value
        rows.append(row)
        lower.append(low)
        upper.append(high)

    odds = [1.0] * len(game.nodes)
    pays = np.zeros(columns)
    add({0: 1}, 1, 1)
    for v, node in enumerate(game.nodes):
        pays[v] = -odds[v] * float(node.payoffs[0])
        for m, child in enumerate(node.children):
            odds[child] = odds[v] * float(node.probabilities[m] if node.is_chance else 1)
            if node.is_chance:
                add({child: 1, v: -1}, 0, 0)
            else:
                add({child: 1, int(starts[node.infoset]) + m: -1}, -np.inf, 0)
        if node.infoset >= 0:
            add({v: -1, **dict.fromkeys(node.children, 1.0)}, 0, 0)
    for k, infoset in enumerate(game.infosets):
        add({int(starts[k]) + m: 1 for m in range(len(infoset.moves))}, 1, 1)
    whole = (np.arange(columns) >= len(game.nodes)).astype(int)
    found = milp(
        pays,
        integrality=whole,
        bounds=Bounds(0, 1),
        constraints=(np.array(rows), np.array(lower), np.array(upper)),
    )
    assert found.status == 0
    return float(-found.fun)


TEAMS = {
    **{f"three goods {seed}": inspection(seed, goods=3) for seed in range(4)},
    "two states a type": inspection(4, goods=3, states=2),
    **{f"messages {seed}": messages(seed, 12, 3, 7) for seed in range(4)},
    "two levels": two_levels(0),
    "hats": hats(3),
}


class TestValue:
    @pytest.mark.parametrize("programs", [True, False])
    def test_every_plan_tried(self, programs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(THRESHOLD, 1 if programs else 10**9)
        used = cuts = 0

        @given(forgetful())
        def agrees(tree: oracle.Tree) -> None:
            nonlocal used, cuts
            found = solved(tree)
            used += found.stats.programs
            cuts += found.stats.cuts
            assert found.value == team.best(tree)
            assert found.strategy.is_pure
            assert oracle.payoff(tree, laws_of(tree, found.strategy), 0) == found.value

        agrees()
        assert (used > 0) == programs
        assert cuts > 0 or programs

    @given(st.one_of(trees(players=1), forgetful()).map(mindful))
    def test_with_perfect_recall_there_is_nothing_to_search(self, tree: oracle.Tree) -> None:
        found = solved(tree)
        assert found.value == team.remembering(tree)
        assert (found.stats.shared, found.stats.cuts, found.stats.programs) == (0, 0, 0)

    @given(forgetful())
    def test_forgetting_never_helps(self, tree: oracle.Tree) -> None:
        assert solved(tree).value <= team.remembering(mindful(tree))

    @pytest.mark.parametrize("name", TEAMS)
    def test_another_solver(self, name: str) -> None:
        tree = TEAMS[name]
        assert float(solved(tree).value) == pytest.approx(by_integer_program(alone(tree)), abs=1e-6)

    def test_what_is_bought_is_a_message(self) -> None:
        """Volition, Theorem 3.3 fails: to buy the report in one state alone tells both apart."""

        def final(label: str, pays: tuple[int, int], spent: Fraction) -> oracle.Tree:
            return decide(label, [stop(pays[0]), stop(pays[1])], -spent)

        states = [
            decide(state, [final(state, pays, HALF), final("nothing", pays, Fraction(0))])
            for state, pays in (("low", (3, 0)), ("high", (0, 1)))
        ]
        found = solved(toss(states, (Fraction(1, 3), Fraction(2, 3))))
        assert found.value == Fraction(3, 2)

    @pytest.mark.parametrize(("players", "value"), [(2, HALF), (3, Fraction(3, 4))])
    def test_hats(self, players: int, value: Fraction) -> None:
        assert solved(hats(players)).value == value

    def test_four_goods_over_sixteen_states(self) -> None:
        found = solved(inspection(0))
        assert len(found.game.infosets) == 16 + 81
        assert found.value > max(
            expected_payoffs(found.game, Behaviour.random(found.game, np.random.default_rng(n)))[0]
            for n in range(20)
        )

    def test_one_end(self) -> None:
        found = solved(stop("5/3"))
        assert (found.value, found.strategy.probabilities) == (Fraction(5, 3), ())

    def test_numbers_beyond_every_float(self) -> None:
        huge = 10**400
        tree = paying(messages(0, 12, 3, 7), lambda _, x, __: x * huge + Fraction(1, huge))
        plain = solved(messages(0, 12, 3, 7))
        found = solved(tree)
        assert found.value == plain.value * huge + 4 * Fraction(1, huge)


class TestRelations:
    @few
    @given(forgetful())
    def test_order_and_names_do_not_matter(self, tree: oracle.Tree) -> None:
        value = solved(tree).value
        assert solved(turned(tree)).value == value
        assert solved(relabelled(tree, lambda label, _: f"{label[::-1]} renamed")).value == value

    @few
    @given(forgetful(), st.integers(1, 5), st.fractions(-3, 3, max_denominator=4))
    def test_scale_and_shift(self, tree: oracle.Tree, scale: int, shift: Fraction) -> None:
        def pay(_: int, x: int, address: oracle.Address) -> Fraction:
            return Fraction(scale * x) + (0 if address else shift)

        assert solved(paying(tree, pay)).value == scale * solved(tree).value + shift

    @few
    @given(forgetful())
    def test_equal_branches_of_chance_may_be_merged(self, tree: oracle.Tree) -> None:
        one, two = solved(tree), solved(split(tree))
        assert one.value == two.value
        assert one.stats.shared == two.stats.shared

    @few
    @given(forgetful())
    def test_moves_and_branches_that_are_never_taken(self, tree: oracle.Tree) -> None:
        value = solved(tree).value
        assert solved(with_bad_moves(tree)).value == value
        assert solved(with_null_branches(tree)).value == value

    @few
    @given(forgetful())
    def test_to_pass_a_set_twice_where_chance_never_leads_is_no_matter(
        self, tree: oracle.Tree
    ) -> None:
        again = decide("again", [stop(9), decide("again", [stop(0), stop(1)])])
        found = solved(toss([tree, again], (Fraction(1), Fraction(0))))
        assert found.value == solved(tree).value
        assert found.stats.absent_minded == 0


class TestRefusals:
    def test_several_players(self) -> None:
        with pytest.raises(InvalidInputError, match=r"players are not exactly one.*row.*column"):
            optimum(matching_pennies())
        with pytest.raises(InvalidInputError, match="give a game of one player"):
            count_strategies(matching_pennies())

    def test_too_many_nodes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("theory.games.ex_ante._optimum.MAX_NODES", 52)
        with pytest.raises(LimitError, match=r"nodes are too many \(got 53\): stay within 52"):
            optimum(alone(hats(2)))

    def test_too_many_cuts(self) -> None:
        game = alone(hats(2))
        with pytest.raises(LimitError, match=r"optimum is between 1/2 and 1 \(got 0\)"):
            optimum(game, limit=0)
        needed = optimum(game).stats.cuts
        assert optimum(game, limit=needed).value == HALF
        with pytest.raises(LimitError, match=f"got {needed - 1}"):
            optimum(game, limit=needed - 1)

    def test_tolerances(self) -> None:
        with pytest.raises(ExactnessError, match="tolerance"):
            optimum(alone(stop(1)), tolerance=1e-6)
        with pytest.raises(InvalidInputError, match="tolerance is negative"):
            optimum(alone(stop(1)), tolerance=-1)


@given(forgetful())
def test_strategies_are_counted(tree: oracle.Tree) -> None:
    assert count_strategies(alone(tree)) == len(list(team.plans(tree)))


def test_an_optimum_reads_well() -> None:
    forgotten = decide("first", [decide("second", [stop(0), stop(1)]) for _ in range(2)])
    found = solved(toss([forgotten, stop("1/3")]))
    assert str(found).splitlines() == [
        "optimum 2/3 (exact; certificate checked, gap 0)",
        "Strategy, at the sets that it reaches",
        "information set  moves",
        "───────────────  ─────",
        "first            m0 1",
        "second           m1 1",
        "nodes 9, information sets 2 (1 shared, 0 absent-minded), cuts 0, linear programs 0",
    ]
    assert "<b>optimum 2/3 (exact; certificate checked, gap 0)</b>" in found._repr_html_()
    assert "<td>second</td><td>m1 1</td>" in found._repr_html_()


def test_a_long_strategy_is_cut_short() -> None:
    tree = toss([decide(f"{n}", [stop(n), stop(0)]) for n in range(50)])
    assert "\n… 10 more\n" in str(solved(tree))


@given(st.fractions())
def test_bounds_in_an_error_are_short(number: Fraction) -> None:
    assert len(short_text(number * 7**400 / 11**300)) <= 40
    assert short_text(Fraction(1, 3)) == "1/3"
    assert short_text(Fraction(-(10**600), 3)).startswith("minus about 3.33e599")
