"""Recursive inspection: by hand, by relations, and faults that its checker must see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import inf
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspection_cases import (
    HALF,
    HINT,
    instances,
    oracle_node,
    problem,
)
from reference import inspection as oracle
from sweeps import examples

from theory.decision import DecisionProblem
from theory.information import Good
from theory.inspection import (
    InspectionProblem,
    Protocol,
    RecursiveInspection,
    Ties,
    _recursive,
    recursive_inspection,
)
from theory.inspection._protocol import blocks
from theory.inspection._recheck import distance_to_walk, regret_at_nodes
from theory.numbers import ClosedForm, log
from theory.probability import ProbabilitySpace

F = Fraction
FREE = (F(0),)

few = settings(max_examples=examples(50))
fewer = settings(max_examples=examples(15))

POLICY = """\
recursive inspection: what is chosen at every node
choice  where                          P(values)  P(reached)  option       E[payoff | values]
──────  ─────────────────────────────  ─────────  ──────────  ───────────  ──────────────────
x^1     knowing A0=y                   1/3        1/3         buy nothing  3
x^1     knowing A0=n                   2/3        2/3         buy A0       1/2
x^0     after buying nothing           1          1/3         a            1
x^0     after buying A0; knowing A0=y  1/3        0           a            5/2
x^0     after buying A0; knowing A0=n  2/3        2/3         b            1/2"""

REACHED = """\
recursive inspection: what is chosen at every node that is reached
choice  where                          P(values)  P(reached)  option       E[payoff | values]
──────  ─────────────────────────────  ─────────  ──────────  ───────────  ──────────────────
x^1     knowing A0=y                   1/3        1/3         buy nothing  3
x^1     knowing A0=n                   2/3        2/3         buy A0       1/2
x^0     after buying nothing           1          1/3         a            1
x^0     after buying A0; knowing A0=n  2/3        2/3         b            1/2"""


def solved(instance: oracle.Instance, ties: Ties = Ties.FEWEST_GOODS) -> RecursiveInspection:
    found = recursive_inspection(problem(instance), ties)
    assert found.gap == 0
    return found


def choices(found: RecursiveInspection) -> list[list[list[int]]]:
    return [picked.tolist() for picked in found.protocol.picked]


def test_the_policy_in_words() -> None:
    """Worked out by hand; state 0 keeps silent and is believed to be as likely as at first."""
    found = solved(HINT)
    assert str(found.policy(reached=False)) == POLICY
    assert str(found.policy()) == REACHED


def test_a_result_in_html() -> None:
    shown = solved(HINT)._repr_html_()
    assert "<caption>recursive inspection: worth 4/3, 1/3 spent</caption>" in shown
    assert "<tr><td>1</td><td>2/3</td><td>A0</td><td>b</td><td>1/2</td><td>1/2</td></tr>" in shown
    assert shown.endswith("<p>ties: fewest goods first; exact arithmetic, rechecked with gap 0</p>")


def test_names_are_escaped() -> None:
    space = ProbabilitySpace.of({"<low>": "1/3", "high": "2/3"})
    decision = DecisionProblem.of(space, {"a & b": [3, 0], "c": [0, 1]})
    report = Good.of("<report>", space.variable("state", str), "1/2")
    found = recursive_inspection(InspectionProblem.of(decision, [[report]]))
    for shown in (found._repr_html_(), found.policy()._repr_html_()):
        assert "<low>" not in shown
        assert "a &amp; b" in shown
        assert "&lt;report&gt;" in shown


def test_actions_that_are_tuples_buy_nothing() -> None:
    space = ProbabilitySpace.uniform(2)
    decision = DecisionProblem.of(space, {("go", 1): [1, 1], ("go", 2): [0, 1]})
    ours = InspectionProblem.of(decision, [])
    (node,) = recursive_inspection(ours).protocol.nodes(0)
    assert node.chosen == ("go", 1)
    assert node.names == ()


# Every node against the definitions


def test_nodes_say_what_the_definitions_say() -> None:
    """P(values), P(reached), and E[payoff | values] of each option, the protocol followed after."""
    rng = Random(0)
    tied = 0
    for instance in [oracle.random_instance(rng) for _ in range(60)]:
        found = solved(instance)
        policy = oracle.recursive(instance).policy
        paths = [oracle.path(instance, policy, w) for w in instance.states]
        several = False
        for n in range(instance.depth + 1):
            for node in found.protocol.nodes(n):
                key = oracle_node(instance.depth, node)
                assert key in policy
                mass = sum(instance.p[w] for w in key[1])
                passing = zip(instance.states, paths, strict=True)
                assert node.probability == mass
                assert node.reached == sum(instance.p[w] for w, path in passing if key in path)
                worth = [
                    sum(
                        instance.p[w] * follow(instance, {**policy, key: x}, key, w) for w in key[1]
                    )
                    for x in instance.choices(n)
                ]
                assert [each * mass for each in node.expected.values()] == worth
                best = [
                    x for x, each in zip(node.expected, worth, strict=True) if each == max(worth)
                ]
                assert list(node.maximisers) == best
                assert node.chosen == best[0]
                several |= len(best) > 1
        assert found.tied == several
        tied += several
    assert 20 < tied < 60


def follow(instance: oracle.Instance, policy: oracle.Protocol, node: oracle.Node, w: int) -> Any:
    return oracle.outcome(instance, policy, w, node[0]).payoff


def test_the_choice_is_a_maximiser_in_every_kind_of_number() -> None:
    """Rounding may part options that tie; the maximisers are those that the solver let tie."""
    rng = Random(1)
    for instance in [oracle.random_instance(rng) for _ in range(80)]:
        exact, fast = (recursive_inspection(problem(instance, k)) for k in ("exact", "float64"))
        for n in range(instance.depth + 1):
            pairs = zip(exact.protocol.nodes(n), fast.protocol.nodes(n), strict=True)
            assert all(one.maximisers == other.maximisers for one, other in pairs)
    for n in range(2):
        for node in recursive_inspection(problem(HINT, "certified")).protocol.nodes(n):
            assert node.maximisers == (node.chosen,)


def test_rounding_does_not_break_a_tie() -> None:
    """0.1 x 3 is more than 0.9 x 1/3 in float64, by one part in 10^16. A billionth is no tie."""
    space = ProbabilitySpace.of([0.1, 0.9])
    decision = DecisionProblem.of(space, {"first": [0.0, 1 / 3], "second": [3.0, 0.0]})
    found = recursive_inspection(InspectionProblem.of(decision, []))
    (node,) = found.protocol.nodes(0)
    assert node.expected["second"] > node.expected["first"]
    assert node.maximisers == ("first", "second")
    assert node.chosen == "first"
    assert found.tied
    apart = DecisionProblem.of(space, {"first": [0.0, 1 / 3], "second": [3.0, 1e-9]})
    found = recursive_inspection(InspectionProblem.of(apart, []))
    assert [play.action for play in found.plays] == ["second", "second"]


def test_reached_nodes_are_those_with_a_probability() -> None:
    rng = Random(1)
    for instance in [oracle.random_instance(rng) for _ in range(20)]:
        protocol = solved(instance).protocol
        for n in range(instance.depth + 1):
            every: list[Any] = list(protocol.nodes(n))
            assert [x.known for x in protocol.nodes(n, reached=True)] == [
                x.known for x in every if x.reached > 0
            ]
            assert sum(x.reached for x in every) == 1


# Other kinds of number


@few
@given(instances(), st.sampled_from(Ties))
def test_float64_agrees_with_exact(instance: oracle.Instance, ties: Ties) -> None:
    """Numbers this small tie or lie far apart, so that even the choices are the same."""
    exact, fast = solved(instance, ties), recursive_inspection(problem(instance, "float64"), ties)
    assert fast.value == pytest.approx(float(exact.value), abs=1e-9)
    assert fast.spending == pytest.approx(float(exact.spending), abs=1e-9)
    assert choices(fast) == choices(exact)
    assert fast.gap <= 1e-12


@fewer
@given(instances(), st.sampled_from(Ties))
def test_closed_forms_agree_with_exact(instance: oracle.Instance, ties: Ties) -> None:
    exact = solved(instance, ties)
    closed = recursive_inspection(problem(instance, "closed form"), ties)
    assert (closed.value, closed.gap) == (exact.value, 0)
    assert choices(closed) == choices(exact)


def logarithmic(instance: oracle.Instance) -> InspectionProblem:
    """The instance with log(4 + u) as utilities, which are those of no rational."""
    ours = problem(instance)
    rows = [[log(4 + u) for u in row] for row in instance.utilities]
    return InspectionProblem.of(DecisionProblem.of(ours.decision.space, rows), ours.levels)


@fewer
@given(instances())
def test_logarithms(instance: oracle.Instance) -> None:
    ours = logarithmic(instance)
    found = recursive_inspection(ours)
    table = [[float(u) for u in row] for row in ours.decision.utilities.scalars()]
    fast = recursive_inspection(problem(replace(instance, utilities=table), "float64"))
    assert found.gap == 0
    assert float(found.value) == pytest.approx(fast.value, abs=1e-9)
    assert [play.purchases for play in found.plays] == [play.purchases for play in fast.plays]


def test_logarithms_by_hand() -> None:
    """Blind, b is best: log(2)·2/3 against log(3)/3. State 0 pays 1/2 to be able to do a."""
    found = recursive_inspection(logarithmic(replace(HINT, utilities=[[-1, -3], [-3, -2]])))
    expected = F(1, 3) * (log(3) - HALF) + F(2, 3) * log(2)
    assert isinstance(found.value, ClosedForm)
    assert found.value == expected
    assert "worth -1/6 + 2/3·log(2) + 1/3·log(3) ≈ 0.661636" in str(found)


# Planted faults


def swapped(protocol: Protocol, n: int, where: tuple[int, int], number: int) -> Protocol:
    """The protocol with another option at one node."""
    row, first = where
    picked = [each.copy() for each in protocol.picked]
    picked[n][row, protocol.problem.known[n][row] == first] = number
    return Protocol(protocol.problem, tuple(picked))


def test_a_worse_choice_at_any_node_is_seen() -> None:
    """On the path and off it; the regret is at least what the choice loses there."""
    rng, worse = Random(2), 0
    for instance in [oracle.random_instance(rng) for _ in range(15)]:
        protocol = solved(instance).protocol
        for n in range(instance.depth + 1):
            for node, where in zip(
                protocol.nodes(n), blocks(protocol.problem.known[n]), strict=True
            ):
                best = max(node.expected.values())
                for number, worth in enumerate(node.expected.values()):
                    regret = regret_at_nodes(swapped(protocol, n, where, number))
                    assert regret >= best - worth
                    worse += worth < best
    assert worse > 300


def knowing(labels: list[int]) -> Callable[[InspectionProblem], None]:
    """A fault: whatever was bought, x^0 is chosen with these labels known."""

    def plant(ours: InspectionProblem) -> None:
        vars(ours)["known"] = (np.array([labels] * ours.rows(0)), *ours.known[1:])

    return plant


def blind(ours: InspectionProblem) -> None:
    vars(ours)["known"] = tuple(np.zeros_like(labels) for labels in ours.known)


def free(ours: InspectionProblem) -> None:
    vars(ours)["paid"] = ours.paid - ours.paid


def dear(ours: InspectionProblem) -> None:
    vars(ours)["paid"] = ours.paid + ours.paid


def no_signals(ours: InspectionProblem) -> None:
    vars(ours)["signals"] = tuple(np.zeros_like(labels) for labels in ours.signals)


@pytest.mark.parametrize(
    ("plant", "gap"),
    [
        (knowing([0, 0]), 1),
        (knowing([0, 1]), inf),
        (blind, 1),
        (free, HALF),
        (dear, HALF),
        (no_signals, 1),
    ],
    ids=["forgets what it bought", "sees for free", "blind", "free", "dear", "nothing revealed"],
)
def test_a_wrong_problem_is_seen(plant: Callable[[InspectionProblem], None], gap: Any) -> None:
    """What the solver works with is planted wrong; the checker reads the variables themselves."""
    ours = problem(HINT)
    plant(ours)
    assert recursive_inspection(ours).gap == gap


def test_a_wrong_choice_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    right = _recursive.best_options
    monkeypatch.setattr(
        _recursive, "best_options", lambda options, *more: right(options - options - options, *more)
    )
    assert recursive_inspection(problem(HINT)).gap > 0


@pytest.mark.parametrize("what", ["value", "spending", "payoffs"])
def test_a_wrong_number_is_seen(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol = solved(HINT).protocol
    assert distance_to_walk(protocol) == 0
    right = getattr(protocol, what)
    one = F(1, 100) if what != "payoffs" else protocol.payoffs / protocol.payoffs
    monkeypatch.setattr(Protocol, what, property(lambda _: right + one))
    assert distance_to_walk(protocol) > 0
