"""Answers of the kind ``inspection`` against brute force, and under changes of the problem."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from typing import Any

from documents import Document, solved
from hypothesis import given, settings
from hypothesis import strategies as st
from inspection_cases import good_name, instances, numbered
from reference import inspection as oracle
from reference.inspection import Instance
from sweeps import examples

# --- Against brute force, which imports nothing of ours -------------------------------------------


def document(instance: Instance, protocol: str = "recursive", **settings: Any) -> Document:
    """The instance as a problem file: states w0, w1, …; each good has a variable of its name."""
    states = [f"w{k}" for k in range(len(instance.p))]

    def row(values: Any) -> Document:
        return dict(zip(states, values, strict=True))

    goods = {
        (n, j): good for n, level in enumerate(instance.levels, 1) for j, good in enumerate(level)
    }
    return {
        "kind": "inspection",
        "protocol": protocol,
        **settings,
        "states": row(map(str, instance.p)),
        "variables": {good_name(n, j): row(shown) for (n, j), (shown, _) in goods.items()},
        "utilities": {
            action: row(map(str, utilities))
            for action, utilities in zip("abcdef", instance.utilities, strict=False)
        },
        "levels": [
            [
                {"name": good_name(n, j), "reveals": [good_name(n, j)], "price": str(price)}
                for j, (_, price) in enumerate(level)
            ]
            for n, level in enumerate(instance.levels, 1)
        ],
    }


def outcomes(found: Document) -> dict[int, oracle.Outcome]:
    return {
        int(state[1:]): oracle.Outcome(
            tuple(numbered(each["goods"]) for each in reversed(outcome["purchases"])),
            "abcdef".index(outcome["action"]),
            Fraction(outcome["spending"]),
            Fraction(outcome["payoff"]),
        )
        for state, outcome in found["outcomes"].items()
    }


def choice(node: Document) -> Any:
    return numbered(node["buy"]) if node["level"] else "abcdef".index(node["action"])


def place(node: Document) -> oracle.Node:
    """A node as the oracle writes it: what was bought, and where the same is known."""
    bought = tuple(numbered(each["goods"]) for each in reversed(node["purchases"]))
    return bought, tuple(int(state[1:]) for state in node["states"])


def assert_nodes_add_up(instance: Instance, found: Document) -> None:
    """Go on from every node as the policy says, in each state in which its values are known."""
    policy = {place(node): choice(node) for node in found["policy"]}
    for node in found["policy"]:
        bought, states = place(node)
        payoffs = {w: oracle.outcome(instance, policy, w, bought).payoff for w in states}
        mass = sum(instance.p[w] for w in states)
        assert Fraction(node["probability"]) == mass
        assert Fraction(node["expected"]) * mass == sum(instance.p[w] * payoffs[w] for w in states)


deep = instances(min_depth=1)
ties = st.sampled_from(["fewest", "most"])


@settings(max_examples=examples(60))
@given(deep, ties)
def test_recursive_inspection_is_the_oracle_s(instance: Instance, rule: oracle.Rule) -> None:
    found, expected = solved(document(instance, ties=rule)), oracle.recursive(instance, rule)
    assert Fraction(found["value"]) == expected.value
    assert outcomes(found) == expected.outcomes
    assert {place(node): choice(node) for node in found["policy"]} == expected.policy
    assert_nodes_add_up(instance, found)


@settings(max_examples=examples(60))
@given(deep, ties, st.sampled_from(["subsets", "single goods"]))
def test_successive_inspection_is_the_oracle_s(
    instance: Instance, rule: oracle.Rule, offers: str
) -> None:
    found = solved(document(instance, "successive", offers=offers, ties=rule))
    expected = oracle.successive(instance, "subsets" if offers == "subsets" else "single", rule)
    assert (found["offers"], found["ties"]) == (offers, rule)
    assert Fraction(found["value"]) == expected.value
    assert outcomes(found) == expected.outcomes
    for node in found["policy"]:
        _, states = place(node)
        mass = sum(instance.p[w] for w in states)
        utility = expected.tables[node["level"]]
        means = {x: sum(instance.p[w] * u[w] for w in states) / mass for x, u in utility.items()}
        assert Fraction(node["expected"]) == means[choice(node)] == max(means.values())


@settings(max_examples=examples(50))
@given(deep)
def test_the_optimal_protocol_is_worth_what_the_best_of_all_is(instance: Instance) -> None:
    found = solved(document(instance, "optimal"))
    assert Fraction(found["value"]) == oracle.best(instance)
    assert Fraction(found["certificate"]["upper_bound"]) == oracle.best(instance)
    assert found["gap"] == "0"
    assert_nodes_add_up(instance, found)


def followed(problem: Document, found: Document, state: str) -> tuple[list[Document], str]:
    """Do in a state what the policy says, as a program can that has nothing but the answer."""
    bought: list[Document] = []
    shown = {name: row[state] for name, row in problem["variables"].items()}
    for level in range(len(problem["levels"]), -1, -1):
        (node,) = (
            node
            for node in found["policy"]
            if node["level"] == level
            and node["purchases"] == bought[len(bought) - len(node["purchases"]) :]
            and node["known"].items() <= shown.items()
        )
        assert state in node["states"]
        if level == 0:
            return bought, node["action"]
        bought.append({"level": level, "goods": node["buy"]})
    raise AssertionError


protocols = st.sampled_from(["successive", "recursive", "optimal"])


@settings(max_examples=examples(30))
@given(deep, protocols, st.sampled_from(["all", "reached"]))
def test_the_policy_can_be_followed(instance: Instance, protocol: str, nodes: str) -> None:
    problem = document(instance, protocol, nodes=nodes)
    found = solved(problem)
    for state, outcome in found["outcomes"].items():
        assert followed(problem, found, state) == (outcome["purchases"], outcome["action"])
    spending = {w: Fraction(each["spending"]) for w, each in found["outcomes"].items()}
    payoffs = {w: Fraction(each["payoff"]) for w, each in found["outcomes"].items()}
    p = {w: Fraction(x) for w, x in problem["states"].items()}
    assert Fraction(found["value"]) == sum(p[w] * x for w, x in payoffs.items())
    assert Fraction(found["spending"]) == sum(p[w] * x for w, x in spending.items())
    for level in range(instance.depth + 1):
        here = [node for node in found["policy"] if node["level"] == level]
        assert sum(Fraction(node["reached"]) for node in here) == 1


@settings(max_examples=examples(30))
@given(deep, protocols)
def test_the_reached_nodes_are_those_of_all_that_are_reached(
    instance: Instance, protocol: str
) -> None:
    every = solved(document(instance, protocol))
    some = solved(document(instance, protocol, nodes="reached"))
    assert some["policy"] == [node for node in every["policy"] if node["reached"] != "0"]
    assert some["words"] == every["words"]
    assert len(some["words"]) == len(some["policy"])


# --- Changes that must leave the answer as it is --------------------------------------------------

of_the_paper = st.sampled_from(["successive", "recursive"])


def scaled(problem: Document, factor: Fraction) -> Document:
    other = copy.deepcopy(problem)
    for row in other["utilities"].values():
        row.update({w: str(factor * Fraction(x)) for w, x in row.items()})
    for good in (good for level in other["levels"] for good in level):
        good["price"] = str(factor * Fraction(good["price"]))
    return other


def divided(problem: Document) -> Document:
    """The problem with a state in two halves, and one that never is."""
    other = copy.deepcopy(problem)
    half = str(Fraction(problem["states"]["w0"]) / 2)
    other["states"] |= {"w0": half, "twin": half, "never": 0}
    for row in (*other["variables"].values(), *other["utilities"].values()):
        row["twin"] = row["never"] = row["w0"]
    return other


@settings(max_examples=examples(30))
@given(deep, of_the_paper, st.integers(1, 7), st.integers(1, 7))
def test_the_answer_scales_with_utilities_and_prices(
    instance: Instance, protocol: str, a: int, b: int
) -> None:
    factor = Fraction(a, b)
    problem = document(instance, protocol)
    one, other = solved(problem), solved(scaled(problem, factor))
    assert other["words"] == one["words"]
    assert Fraction(other["value"]) == factor * Fraction(one["value"])
    assert Fraction(other["spending"]) == factor * Fraction(one["spending"])


@settings(max_examples=examples(30))
@given(deep, of_the_paper)
def test_names_do_not_matter(instance: Instance, protocol: str) -> None:
    problem = document(instance, protocol)
    renamed = json.loads(
        json.dumps(problem).replace('"w', '"state ').replace('"A', '"good A').replace('"a"', '"x"')
    )
    one, other = solved(problem), solved(renamed)
    assert other["value"] == one["value"]
    payoffs = [[each["payoff"] for each in found["outcomes"].values()] for found in (one, other)]
    assert payoffs[0] == payoffs[1]
    assert [node["reached"] for node in one["policy"]] == [
        node["reached"] for node in other["policy"]
    ]


@settings(max_examples=examples(30))
@given(deep, of_the_paper)
def test_a_state_may_be_split_in_two(instance: Instance, protocol: str) -> None:
    problem = document(instance, protocol)
    one, other = solved(problem), solved(divided(problem))
    assert (other["value"], other["words"]) == (one["value"], one["words"])
    assert other["outcomes"] == {**one["outcomes"], "twin": one["outcomes"]["w0"]}
    assert other["impossible"] == ["never"]


@settings(max_examples=examples(30))
@given(deep)
def test_the_optimum_scales_and_its_states_may_be_split(instance: Instance) -> None:
    problem = document(instance, "optimal")
    third = Fraction(1, 3)
    value = Fraction(solved(problem)["value"])
    assert Fraction(solved(divided(problem))["value"]) == value
    assert Fraction(solved(scaled(problem, third))["value"]) == third * value
