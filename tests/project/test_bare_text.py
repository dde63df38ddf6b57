"""One text where names are listed is refused by name: it would be read letter by letter."""

from __future__ import annotations

import pytest
from plain_python import outcomes

SETUP = """
from llm_adapters.fakes import ScriptedChat
from llm_adapters.players import ChatBuyer
from llm_adapters.parsing import read_choice, read_choices, read_probabilities, read_verdicts
from theory.decision import DecisionProblem
from theory.games import Chance, Choice, End, Game, choice, end
from theory.incentives import FiniteTypes, check_learner, check_mechanism, prove_mechanism
from theory.incentives.protocols import SecretsGranted
from theory.information import Good, joint_good, value_of_information
from theory.inspection import InspectionProblem
from theory.marginal_value import (
    MarginalValueGame, equilibrium, from_beliefs, from_prior, lattice, market_scoring
)
from theory.normal_form import NormalFormGame
from theory.probability import ProbabilitySpace
from theory.proofs import Tracer

space = ProbabilitySpace.of({"a": "1/2", "b": "1/2"})
problem = DecisionProblem.of(space, {"x": [1, 0], "y": [0, 1]})
good = Good.of("g", space.variable("v", str))
value = value_of_information(problem, good)
inspection = InspectionProblem.of(problem, [[good]])
rows = {(): [1, 0], ("c",): [0, 1], ("d",): [1, 0], ("c", "d"): [0, 1]}
free = {"c": 0, "d": 0}
game = MarginalValueGame.of(["c", "d"], rows, free)
found = equilibrium(game)
payoffs = [[[1, 2], [3, 4]], [[1, 2], [3, 4]]]
ends = (end(1), end(2))
pair = {"types": FiniteTypes((0, 1)), "agents": 2}
def second_price(bids):
    return int(bids[1] > bids[0]), [0, 0]
"""

REFUSED = {
    "SecretsGranted(TEXT, ('x',))": "players",
    "SecretsGranted(('ann',), TEXT)": "secrets",
    "Good.of('g', TEXT, 1)": "variables of g",
    "Good('g', TEXT)": "variables of g",
    "joint_good(TEXT)": "goods",
    "ProbabilitySpace(TEXT, space.probabilities)": "states",
    "ProbabilitySpace.uniform(TEXT)": "states",
    "space.event(TEXT)": "event",
    "value_of_information(problem, good, TEXT)": "given",
    "value.in_hindsight(TEXT)": "states",
    "DecisionProblem(space, TEXT, problem.utilities)": "actions",
    "InspectionProblem.of(problem, TEXT)": "levels",
    "InspectionProblem.of(problem, [TEXT])": "level 1",
    "inspection.bundle(1, TEXT)": "x^1",
    "MarginalValueGame.of(TEXT, rows, free)": "items",
    "MarginalValueGame.of(['c', 'd'], rows, free, actions=TEXT)": "actions",
    "MarginalValueGame.of(['c', 'd'], rows, free, moves=[(), TEXT])": "moves[1]",
    "MarginalValueGame.of(['c'], {TEXT: [1]}, {'c': 0})": "utilities",
    "game.place(TEXT)": "revealed",
    "game.action(TEXT)": "revealed",
    "game.worth(TEXT)": "revealed",
    "game.ex_post(TEXT)": "move 1",
    "game.settle(TEXT)": "history",
    "game.settle([TEXT])": "move 1",
    "found.move(TEXT)": "history",
    "found.best_moves(TEXT)": "history",
    "found.play(TEXT)": "history",
    "lattice(found, TEXT)": "history",
    "from_prior(problem, TEXT, 'a')": "goods",
    "from_beliefs(TEXT, {}, {})": "items",
    "market_scoring(TEXT, 1)": "reports",
    "Game.of(TEXT, end(1, 2))": "players",
    "Game.of(('p',), Choice('p', 'i', TEXT, ends))": "moves",
    "Chance(TEXT, (0, 1), ends)": "moves",
    "End(TEXT)": "payoffs",
    "choice('p', 'i', {'l': end(1)}, TEXT)": "payoffs",
    "NormalFormGame.of(payoffs, players=TEXT)": "players",
    "NormalFormGame.of(payoffs, actions=TEXT)": "actions",
    "NormalFormGame.of(payoffs, actions=[['l', 'r'], TEXT])": "actions[1]",
    "Tracer(positive=TEXT)": "positive",
    "Tracer(real=TEXT)": "real",
    "Tracer(positive=('a', 'b')).array(TEXT)": "names",
    "check_mechanism(second_price, properties=TEXT, **pair)": "properties",
    "prove_mechanism(second_price, properties=TEXT, **pair)": "properties",
    "check_learner(lambda **_: None, properties=TEXT)": "properties",
    "check_learner(lambda **_: None, adversaries=TEXT)": "adversaries",
    "ChatBuyer('b', ScriptedChat(['x']), goal='g', options=TEXT)": "options",
    "ScriptedChat(TEXT)": "texts",
    "read_choice('a', TEXT)": "options",
    "read_choices('a', TEXT)": "options",
    "read_probabilities('a', TEXT)": "options",
    "read_verdicts('a', TEXT)": "options",
}
CALLS = {
    call.replace("TEXT", repr(text)): (argument, text)
    for call, argument in REFUSED.items()
    for text in ("ab", "weather")
}
TAKEN = {
    "SecretsGranted(('ann',), ('x', 'y')).secrets": "value: ('x', 'y')",
    "SecretsGranted((), ()).players": "value: ()",
    "space.event(['a']).tolist()": "value: [True, False]",
    "Tracer(positive=['x', 'y']).array(('x', 'y')).shape": "value: (2,)",
    "ProbabilitySpace.uniform(['h', 't']).states": "value: ('h', 't')",
}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    return outcomes(SETUP, [*CALLS, *TAKEN])


@pytest.mark.parametrize("call", CALLS)
def test_a_bare_text_is_refused_by_name(told: dict[str, str], call: str) -> None:
    argument, text = CALLS[call]
    assert told[call].startswith(f"InvalidInputError: {argument} ")
    assert f"(got {text!r})" in told[call]


@pytest.mark.parametrize("call", TAKEN)
def test_a_list_is_taken(told: dict[str, str], call: str) -> None:
    assert told[call] == TAKEN[call]
