"""Admissible protocols: made, refused, listed, drawn; and what comes of them."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from inspection_cases import (
    ACTIONS,
    HINT,
    instances,
    numbered,
    problem,
    random_protocols,
    told,
)
from reference import inspection as oracle
from sweeps import examples

from theory.decision import DecisionProblem
from theory.errors import InvalidInputError, ShapeError, UndecidedError, UnknownNameError
from theory.information import Good
from theory.inspection import (
    InspectionProblem,
    Known,
    Protocol,
    all_protocols,
    count_protocols,
    evaluate,
    random_protocol,
    recursive_inspection,
)
from theory.probability import ProbabilitySpace, Variable

F = Fraction
OURS = problem(HINT)

few = settings(max_examples=examples(50))


# Made, and refused


def test_a_rule_is_asked_at_every_node() -> None:
    asked: list[Known] = []

    def rule(known: Known) -> object:
        asked.append(known)
        return told(known)

    found = evaluate(Protocol.of(OURS, rule), "telling")
    assert str(found) == (
        "telling: worth 3/2, 1/6 spent\n"
        "state  probability  buys (level 1)  does  pays  payoff\n"
        "─────  ───────────  ──────────────  ────  ────  ──────\n"
        "0      1/3          A0              a     1/2   5/2\n"
        "1      2/3          nothing         b     0     1\n"
        "exact arithmetic, rechecked with gap 0"
    )
    assert [(known.level, dict(known.purchases), dict(known.values)) for known in asked] == [
        (0, {1: ()}, {}),
        (0, {1: ("A0",)}, {"A0": ("y",)}),
        (0, {1: ("A0",)}, {"A0": ("n",)}),
        (1, {}, {"A0": ("y",)}),
        (1, {}, {"A0": ("n",)}),
    ]
    assert [str(known) for known in asked] == [
        "after buying nothing",
        "after buying A0; knowing A0=y",
        "after buying A0; knowing A0=n",
        "knowing A0=y",
        "knowing A0=n",
    ]


def test_the_policy_of_any_protocol() -> None:
    """E[payoff | values] does not take into account that silence was chosen; P(reached) does."""
    found = evaluate(Protocol.of(OURS, told))
    assert str(found.policy()) == (
        "the protocol: what is chosen at every node that is reached\n"
        "choice  where                          P(values)  P(reached)  option       "
        "E[payoff | values]\n"
        "──────  ─────────────────────────────  ─────────  ──────────  ───────────  "
        "──────────────────\n"
        "x^1     knowing A0=y                   1/3        1/3         buy A0       5/2\n"
        "x^1     knowing A0=n                   2/3        2/3         buy nothing  1\n"
        "x^0     after buying nothing           1          2/3         b            2/3\n"
        "x^0     after buying A0; knowing A0=y  1/3        1/3         a            5/2"
    )


@pytest.mark.parametrize(
    ("level", "returned", "error", "said"),
    [
        (0, "c", UnknownNameError, r"x\^0 is not an action"),
        (0, ("a",), UnknownNameError, r"x\^0 is not an action"),
        (1, ("A1",), UnknownNameError, r"x\^1 is not a good of level 1.*did you mean 'A0'"),
        (1, ("A0", "A0"), InvalidInputError, r"x\^1 buys a good twice"),
        (1, "A0", InvalidInputError, r"x\^1 is not a set of goods.*return a tuple of names"),
        (1, None, InvalidInputError, r"x\^1 is not a set of goods"),
    ],
    ids=["action", "tuple", "good", "twice", "text", "nothing returned"],
)
def test_what_a_rule_may_not_return(
    level: int, returned: object, error: type[InvalidInputError], said: str
) -> None:
    def rule(known: Known) -> object:
        return returned if known.level == level else told(known)

    with pytest.raises(error, match=said):
        Protocol.of(OURS, rule)


def arrays(*picked: list[list[int]]) -> tuple[np.ndarray, ...]:
    return tuple(np.array(each) for each in picked)


def test_inadmissible_choices_name_two_states() -> None:
    """After buying nothing x^0 does not know the state; after buying A0 it does."""
    fine = arrays([[0, 0], [0, 1]], [[0, 1]])
    assert Protocol(OURS, fine).value == recursive_inspection(OURS).value
    said = r"x\^0 in states 0 and 1 differs, though.*\['a', 'b'\]"
    with pytest.raises(InvalidInputError, match=said):
        Protocol(OURS, arrays([[0, 1], [0, 1]], [[0, 1]]))


def test_arrays_that_are_no_choices() -> None:
    with pytest.raises(ShapeError, match=r"\(2, 2\), \(1, 2\)"):
        Protocol(OURS, arrays([[0, 0]], [[0, 1]]))
    with pytest.raises(ShapeError, match="is not of shapes"):
        Protocol(OURS, arrays([[0, 0], [0, 1]]))
    with pytest.raises(
        InvalidInputError, match=r"picked\[1\] is not .* one of 2 options \(got 2\)"
    ):
        Protocol(OURS, arrays([[0, 0], [0, 1]], [[0, 2]]))
    with pytest.raises(InvalidInputError, match=r"picked\[0\] is not .* \(got -1\)"):
        Protocol(OURS, arrays([[-1, -1], [0, 1]], [[0, 1]]))


# What comes of a protocol


def test_random_protocols_come_to_what_the_definition_says() -> None:
    for instance, theirs, ours in random_protocols(0, 100):
        found = evaluate(ours)
        assert found.gap == 0
        assert found.value == oracle.value(instance, theirs)
        for play, w in zip(found.plays, instance.states, strict=True):
            end = oracle.outcome(instance, theirs, w)
            assert play.state == w
            assert tuple(map(numbered, play.purchases)) == end.purchases
            assert (play.action, play.spending) == (ACTIONS[end.action], end.spent)
            assert play.payoff == end.payoff
        assert found.spending == sum(p.probability * p.spending for p in found.plays)


def test_payoffs_when_the_protocol_goes_on_from_any_purchases() -> None:
    for instance, theirs, ours in random_protocols(1, 40):
        size = ours.problem.states
        for node in instance.nodes:
            bought, states = node
            n = instance.depth - len(bought)
            levels = zip(range(instance.depth, n, -1), reversed(bought), strict=True)
            row = ours.problem.row(n, [instance.choices(m).index(x) for m, x in levels])
            payoffs = ours.continuation_payoffs(n).scalars()
            for w in states:
                expected = oracle.outcome(instance, theirs, w, bought).payoff
                assert payoffs[row * size + instance.states.index(w)] == expected


def test_all_protocols_once_each() -> None:
    """As many as counted, all different, and as good as the brute force finds them."""
    rng, listed = Random(2), 0
    for depth in (0, 1, 1, 1, 2, 2):
        instance = oracle.random_instance(rng, depth)
        while oracle.count(instance) > 600:
            instance = oracle.random_instance(rng, depth)
        ours = problem(instance)
        every = list(all_protocols(ours))
        assert len(every) == count_protocols(ours) == oracle.count(instance)
        assert len({tuple(each.tobytes() for each in x.picked) for x in every}) == len(every)
        theirs = sorted(oracle.value(instance, each) for each in oracle.protocols(instance))
        values: list[Any] = [each.value for each in every]
        assert sorted(values) == theirs
        listed += len(every)
    assert listed > 300


@few
@given(instances())
def test_counting_needs_no_listing(instance: oracle.Instance) -> None:
    assert count_protocols(problem(instance)) == oracle.count(instance)


def test_random_protocols_are_uniform_at_every_node() -> None:
    """All 32 protocols of the example appear about equally often, and the seed decides."""
    generator = np.random.default_rng(3)
    seen: dict[bytes, int] = {}
    for _ in range(1600):
        picked = random_protocol(OURS, generator).picked
        key = b"".join(each.tobytes() for each in picked)
        seen[key] = seen.get(key, 0) + 1
    assert len(seen) == count_protocols(OURS) == 32
    assert min(seen.values()) > 25
    assert max(seen.values()) < 80
    one, two = (random_protocol(OURS, np.random.default_rng(4)) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one.picked, two.picked, strict=True))


def test_what_is_undecided_off_the_path_is_not_asked_on_it() -> None:
    unsure = {"a": [arb(10), arb(1, 0.5)], "b": [arb(0), arb(1)]}
    decision = DecisionProblem.of(ProbabilitySpace.uniform(2), unsure)
    good = Good.of("telling", Variable.of("state", [0, 1]))
    game = InspectionProblem.of(decision, [[good]])
    protocol = Protocol.of(game, lambda known: () if known.level else "a")
    (node,) = protocol.nodes(0, reached=True)
    assert node.maximisers == ("a",)
    with pytest.raises(UndecidedError):
        list(protocol.nodes(0))
