"""Answers of the kind ``game`` against brute force, and under changes of the game."""

from __future__ import annotations

from fractions import Fraction

from documents import Document, solved
from game_strategies import attentive_trees, game_of, nested_trees, open_trees, paying, split, trees
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import games as oracle
from sweeps import examples

from theory.games import to_efg

# --- Against brute force, which imports nothing of ours -------------------------------------------


def node_of(tree: oracle.Tree) -> Document:
    payoffs = [str(x) for x in tree[-1]]
    if tree[0] == "end":
        return {"payoffs": payoffs}
    after = {f"m{m}": node_of(branch) for m, branch in enumerate(tree[-2])}
    if tree[0] == "chance":
        for node, p in zip(after.values(), tree[1], strict=True):
            node["probability"] = str(p)
        return {"chance": after, "payoffs": payoffs}
    return {"player": f"p{tree[1]}", "infoset": tree[2], "moves": after, "payoffs": payoffs}


def document(tree: oracle.Tree, players: int = 2) -> Document:
    names = [f"p{i}" for i in range(players)]
    return {"kind": "game", "players": names, "tree": node_of(tree)}


def plan_of(found: Document) -> oracle.Plan:
    plan = {}
    for player, sets in found["strategy"].items():
        for label, law in sets.items():
            ((move, p),) = law.items()
            assert p == "1"
            plan[int(player[1:]), label] = int(move[1:])
    return plan


@given(trees())
def test_recall_is_the_oracle_s(tree: oracle.Tree) -> None:
    found = solved(document(tree))["recall"]
    for i, player in enumerate(("p0", "p1")):
        assert set(found[player]["kinds"]) == oracle.recall(tree, i)
        assert [w["kind"] for w in found[player]["witnesses"]] == [
            kind for kind in found[player]["kinds"] if kind != "perfect"
        ]
        for witness in found[player]["witnesses"]:
            u, v = (tuple(int(move[1:]) for move in moves) for moves in witness["histories"])
            assert oracle.at(tree, u)[1:3] == oracle.at(tree, v)[1:3] == (i, witness["infoset"])
            assert oracle.forgotten(tree, u, v) == witness["kind"]


@settings(max_examples=examples(25))
@given(st.one_of(attentive_trees(depth=3), open_trees(depth=3), nested_trees()))
def test_equilibria_are_the_oracle_s(tree: oracle.Tree) -> None:
    found = solved(document(tree))
    equilibria = found["pure_equilibria"]["found"]
    by_plan = {tuple(sorted(plan_of(each).items())): each for each in equilibria}
    expected = {tuple(sorted(p.items())): p for p in oracle.pure_equilibria(tree, 2)}
    assert by_plan.keys() == expected.keys()
    for key, plan in expected.items():
        laws = oracle.pure(tree, plan)
        assert by_plan[key]["payoffs"] == {
            f"p{i}": str(oracle.payoff(tree, laws, i)) for i in (0, 1)
        }
        assert by_plan[key]["regret"] == {"p0": "0", "p1": "0"}
        assert by_plan[key]["one_shot"]["largest_gain"] == "0"
    perfect = oracle.pure_subgame_perfect(tree, 2)
    one = found["subgame_perfect"]
    assert plan_of(one["found"]) in perfect if perfect else one["why_not"]["reason"]


@settings(max_examples=examples(60))
@given(attentive_trees(players=1, depth=3))
def test_the_optimum_is_the_best_of_all_plans(tree: oracle.Tree) -> None:
    best = solved(document(tree, players=1))["optimum"]["found"]
    values = [oracle.payoff(tree, oracle.pure(tree, p), 0) for p in oracle.plans(tree)]
    assert Fraction(best["value"]) == max(values)
    assert oracle.payoff(tree, oracle.pure(tree, plan_of(best)), 0) == max(values)
    assert (best["gap"], best["precision"]) == ("0", "exact")


@settings(max_examples=examples(25))
@given(attentive_trees(players=1, depth=3))
def test_one_player_does_best_in_all_equilibria(tree: oracle.Tree) -> None:
    found = solved(document(tree, players=1))
    best = found["optimum"]["found"]["value"]
    for each in found["pure_equilibria"]["found"]:
        assert each["payoffs"] == {"p0": best}
        assert each["regret"] == {"p0": "0"}


# --- Changes that must leave the answer as it is --------------------------------------------------


@settings(max_examples=examples(40))
@given(attentive_trees(depth=3))
def test_a_tree_and_its_efg_have_one_answer(tree: oracle.Tree) -> None:
    assert solved({"kind": "game", "efg": to_efg(game_of(tree))}) == solved(document(tree))


@settings(max_examples=examples(40))
@given(attentive_trees(depth=3), st.integers(1, 5), st.integers(1, 5), st.integers(-3, 3))
def test_strategies_do_not_depend_on_units(tree: oracle.Tree, a: int, b: int, shift: int) -> None:
    factor = Fraction(a, b)
    scaled = paying(tree, lambda _, x, at: x * factor + (0 if at else shift))
    one, other = (solved(document(each))["pure_equilibria"]["found"] for each in (tree, scaled))
    assert [each["strategy"] for each in one] == [each["strategy"] for each in other]
    for x, y in zip(one, other, strict=True):
        for player, paid in x["payoffs"].items():
            assert Fraction(y["payoffs"][player]) == Fraction(paid) * factor + shift


@settings(max_examples=examples(40))
@given(attentive_trees(depth=3))
def test_a_branch_of_chance_may_be_split_in_two(tree: oracle.Tree) -> None:
    one, other = solved(document(tree)), solved(document(split(tree)))
    assert one["pure_equilibria"] == other["pure_equilibria"]
    assert one["size"]["information_sets"] == other["size"]["information_sets"]
