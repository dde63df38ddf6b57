"""An inspection problem as a game: the same payoffs, and what the agent forgets."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from inspection_cases import (
    HALF,
    HINT,
    instances,
    problem,
    random_protocols,
)
from reference import inspection as oracle
from sweeps import examples

from theory.decision import DecisionProblem
from theory.errors import ExactnessError
from theory.games import Behaviour, Game, RecallKind, expected_payoffs, recall
from theory.information import Good
from theory.inspection import (
    InspectionProblem,
    Protocol,
    as_behaviour,
    inspection_game,
    recursive_inspection,
)
from theory.probability import ProbabilitySpace, Variable

F = Fraction
OURS = problem(HINT)

few = settings(max_examples=examples(50))


def by_name(game: Game, protocol: Protocol) -> Behaviour:
    """The protocol as a behaviour, node by node by the names in the game."""
    plan = {}
    for n in range(protocol.depth + 1):
        for node in protocol.nodes(n):
            move = f"buy {' + '.join(node.names) or 'nothing'}" if n else str(node.chosen)
            plan[f"x^{n} {node.known}".rstrip()] = {move: 1}
    return Behaviour.of(game, {"agent": plan})


def test_a_protocol_is_worth_the_same_in_the_game() -> None:
    for instance, theirs, ours in random_protocols(6, 60):
        game = inspection_game(ours.problem)
        behaviour = as_behaviour(ours)
        assert behaviour == by_name(game, ours)
        assert expected_payoffs(game, behaviour) == (oracle.value(instance, theirs),)
        assert len(game.infosets) == len(instance.nodes)
        assert sorted(len(each.nodes) for each in game.infosets) == sorted(
            len(states) for _, states in instance.nodes
        )


@few
@given(instances())
def test_what_the_agent_forgets(instance: oracle.Instance) -> None:
    """It forgets own information iff some good tells two states apart: x^N is shown every good,
    and x^0 after buying nothing knows none. It never forgets what it did."""
    (found,) = recall(inspection_game(problem(instance)))
    told_apart = any(len(set(shown)) > 1 for level in instance.levels for shown, _ in level)
    kinds = {RecallKind.FORGETS_INFORMATION} if told_apart else {RecallKind.PERFECT}
    assert set(found.kinds) == kinds


def test_the_witness_of_forgetting() -> None:
    """Two nodes of one set whose states x^1 could tell apart."""
    game = inspection_game(OURS)
    (found,) = recall(game)
    (witness,) = found.witnesses
    assert game.infosets[witness.infoset].name == "x^0 after buying nothing"
    assert [game.story(node) for node in witness.nodes] == ["0, buy nothing", "1, buy nothing"]


def test_values_that_read_alike_stay_apart() -> None:
    """1 and "1" are two values, two states and two actions, and print as one."""
    space = ProbabilitySpace.of({1: "1/3", "1": "2/3"})
    decision = DecisionProblem(space, (1, "1"), OURS.decision.utilities)
    good = Good.of("good", Variable.of("v", [1, "1"]), HALF)
    ours = InspectionProblem.of(decision, [[good]])
    game = inspection_game(ours)
    assert len(game.infosets) == 5
    assert game.nodes[0].moves == ("1", "1 (2)")
    assert [each.name for each in game.infosets if each.name.startswith("x^1")] == [
        "x^1 knowing good=1",
        "x^1 knowing good=1 (2)",
    ]
    protocol = recursive_inspection(ours).protocol
    assert expected_payoffs(game, as_behaviour(protocol)) == (F(4, 3),)


def test_floats_make_no_game() -> None:
    protocol = recursive_inspection(problem(HINT, "float64")).protocol
    with pytest.raises(ExactnessError, match="a game"):
        as_behaviour(protocol)


def test_depth_zero_is_a_game_of_one_choice() -> None:
    game = inspection_game(problem(replace(HINT, levels=[])))
    assert [each.name for each in game.infosets] == ["x^0"]
    (found,) = recall(game)
    assert found.is_perfect
