"""Games in strategic form that are refused: the path, what is wrong, the fix."""

from __future__ import annotations

import json

import pytest
from documents import (
    Document,
    changed,
    refusal,
    require_missing_parts_placed,
    require_strange_values_placed,
    require_wrong_types_named,
    run,
    validator,
)
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import ValidationError
from strategic_files import CHICKEN, CHICKEN_NFG, LIGHT, WHOLE

PLAYED: Document = {**CHICKEN, "plays": {"Ann": ["dare", "dare"], "Bob": ["yield", "dare"]}}


def without(document: Document, *fields: str) -> Document:
    return {key: value for key, value in document.items() if key not in fields}


REFUSED = {
    "no payoffs": (
        without(CHICKEN, "payoffs"),
        "$: has neither efg, nor players and a tree, nor nfg, nor players, actions and payoffs",
    ),
    "no actions": (without(CHICKEN, "actions"), "$: has neither efg, nor "),
    "only what to do": ({"kind": "game", "compute": ["ce"]}, "$: has neither efg, nor "),
    "text and tables": (
        {**CHICKEN, "nfg": CHICKEN_NFG},
        "$: has both nfg and payoffs or their players and actions: keep one",
    ),
    "text and players": (
        {"kind": "game", "nfg": CHICKEN_NFG, "players": ["Ann", "Bob"]},
        "$: has both nfg and players: keep one",
    ),
    "two texts": ({"kind": "game", "nfg": "", "efg": ""}, "$: has both efg and nfg: keep one"),
    "a tree and tables": (
        {**CHICKEN, "tree": {"payoffs": [1, 1]}},
        "$: has both a tree or its players and payoffs or their players and actions: keep one",
    ),
    "a distribution of a tree": (
        {"kind": "game", "players": ["x"], "tree": {"payoffs": [1]}, "compute": ["ce"]},
        "$.compute: is for games in strategic form: give nfg, or players, actions and payoffs",
    ),
    "text that is no game": (
        {"kind": "game", "nfg": 'NFG 1 R "x" { "a" } { 1 } two'},
        "$.nfg: line 1, column 27, token 'two': ",
    ),
    "no player": ({**CHICKEN, "players": []}, "$.players: "),
    "a player twice": (
        {**CHICKEN, "players": ["Ann", "Ann"]},
        "$.players[1]: 'Ann' names another player too: name each once",
    ),
    "a player without actions": (
        changed("actions", "Bob", to=[], document=CHICKEN),
        "$.actions.Bob: ",
    ),
    "actions that are missing": (
        {**CHICKEN, "actions": {"Ann": ["yield", "dare"]}},
        "$.actions: has no entry for the player 'Bob'",
    ),
    "actions of nobody": (
        changed("actions", "Bobby", to=["dare"], document=CHICKEN),
        "$.actions.Bobby: player is unknown (got 'Bobby'): did you mean 'Bob'?",
    ),
    "an action twice": (
        changed("actions", "Ann", 1, to="yield", document=CHICKEN),
        "$.actions.Ann[1]: 'yield' names another action of Ann too: name each once",
    ),
    "no payoff at all": ({**CHICKEN, "payoffs": {}}, "$.payoffs: "),
    "payoffs of an action that are missing": (
        changed("payoffs", to={"yield": CHICKEN["payoffs"]["yield"]}, document=CHICKEN),
        "$.payoffs: has no entry for the action of Ann 'dare'",
    ),
    "payoffs of a profile that are missing": (
        changed("payoffs", "dare", to={"yield": [1, 2]}, document=CHICKEN),
        "$.payoffs.dare: has no entry for the action of Bob 'dare'",
    ),
    "payoffs of no action": (
        changed("payoffs", "dare", "dear", to=[1, 2], document=CHICKEN),
        "$.payoffs.dare.dear: action of Bob is unknown (got 'dear'): did you mean 'dare'?",
    ),
    "payoffs without the second player's actions": (
        changed("payoffs", "dare", to=[1, 2], document=CHICKEN),
        "$.payoffs.dare: is not a table of the actions of 'Bob': write action = … for each",
    ),
    "actions where payoffs should be": (
        changed("payoffs", "dare", "dare", to={"x": 1}, document=CHICKEN),
        "$.payoffs.dare.dare: is not a list of payoffs, one number a player",
    ),
    "a payoff too many": (
        changed("payoffs", "dare", "dare", to=[1, 2, 3], document=CHICKEN),
        "$.payoffs.dare.dare: has 3 payoffs for 2 players",
    ),
    "a payoff that is no number": (
        changed("payoffs", "dare", "dare", 1, to="two", document=CHICKEN),
        "$.payoffs.dare.dare[1]: value is not a number",
    ),
    "a payoff of NaN": (
        changed("payoffs", "dare", "dare", 0, to="nan", document=CHICKEN),
        "$.payoffs.dare.dare[0]: value is not a number",
    ),
    "an infinite payoff": (
        changed("payoffs", "dare", "dare", 0, to="inf", document=CHICKEN),
        "$.payoffs.dare.dare[0]: value is not a number",
    ),
    "a payoff of true": (
        changed("payoffs", "dare", "dare", 0, to=True, document=CHICKEN),
        "$.payoffs.dare.dare[0]: ",
    ),
    "an empty distribution": ({**CHICKEN, "distribution": []}, "$.distribution: "),
    "a distribution that does not sum to one": (
        changed("distribution", 0, "probability", to="1/2", document=LIGHT),
        "$.distribution: has sum 7/6: give probabilities with sum 1",
    ),
    "a negative probability": (
        changed("distribution", 0, "probability", to="-1/3", document=LIGHT),
        "$.distribution: has a probability below 0 (got '-1/3'): give probabilities with sum 1",
    ),
    "a profile twice": (
        changed("distribution", 1, "profile", 1, to="yield", document=LIGHT),
        "$.distribution[1].profile: is given twice: add up the probabilities",
    ),
    "a profile too short": (
        changed("distribution", 1, "profile", to=["yield"], document=LIGHT),
        "$.distribution[1].profile: has 1 actions: give 2, one a player",
    ),
    "a profile of no action": (
        changed("distribution", 1, "profile", 0, to="yeild", document=LIGHT),
        "$.distribution[1].profile[0]: action of Ann is unknown (got 'yeild'): did you mean",
    ),
    "plays of nobody": (
        changed("plays", "Cy", to=["dare"], document=PLAYED),
        "$.plays.Cy: player is unknown (got 'Cy'): ",
    ),
    "plays that are missing": (
        {**CHICKEN, "plays": {"Ann": ["dare"]}},
        "$.plays: has no entry for the player 'Bob'",
    ),
    "no round": ({**CHICKEN, "plays": {"Ann": [], "Bob": []}}, "$.plays."),
    "a round too few": (
        changed("plays", "Bob", to=["dare"], document=PLAYED),
        "$.plays.Bob: has 1 rounds, and 'Ann' plays 2: give each player as many",
    ),
    "a play of no action": (
        changed("plays", "Bob", 1, to="dear", document=PLAYED),
        "$.plays.Bob[1]: action of Bob is unknown (got 'dear'): did you mean 'dare'?",
    ),
    "a mixture of no action": (
        changed("plays", "Bob", 1, to={"dear": 1}, document=PLAYED),
        "$.plays.Bob[1].dear: action of Bob is unknown (got 'dear'): did you mean 'dare'?",
    ),
    "a mixture that does not sum to one": (
        changed("plays", "Bob", 1, to={"dare": 0.5, "yield": "1/3"}, document=PLAYED),
        '$.plays.Bob[1]: has sum 5/6: give probabilities with sum 1, such as "1/3"',
    ),
    "an empty mixture": (
        changed("plays", "Bob", 1, to={}, document=PLAYED),
        "$.plays.Bob[1]: has sum 0: give probabilities with sum 1",
    ),
    "a mixture with a negative probability": (
        changed("plays", "Bob", 1, to={"dare": 2, "yield": -1}, document=PLAYED),
        "$.plays.Bob[1]: has a probability below 0 (got '-1')",
    ),
    "an equilibrium that there is not": (
        {**CHICKEN, "compute": ["ce", "ecc"]},
        "$.compute[1]: equilibrium is unknown (got 'ecc'): did you mean 'cce'?",
    ),
    "an equilibrium twice": (
        {**CHICKEN, "compute": ["ce", "ce"]},
        "$.compute[1]: 'ce' is given twice: keep one",
    ),
    "an objective that there is not": (
        {**CHICKEN, "objective": "max_welfar"},
        "$.objective: objective is unknown (got 'max_welfar'): did you mean 'max_welfare'?",
    ),
    "weights that are missing": (
        {**CHICKEN, "objective": {"Ann": 1}},
        "$.objective: has no entry for the player 'Bob'",
    ),
    "a weight of nobody": (
        {**CHICKEN, "objective": {"Ann": 1, "Bobb": 1}},
        "$.objective.Bobb: player is unknown (got 'Bobb'): did you mean 'Bob'?",
    ),
    "a weight that is no number": (
        {**CHICKEN, "objective": {"Ann": 1, "Bob": "much"}},
        "$.objective.Bob: value is not a number",
    ),
    "an objective for nothing": (
        {**LIGHT, "objective": "max_welfare"},
        "$.objective: is for what there is to compute: add compute",
    ),
    "an objective beside an empty list": (
        {**CHICKEN, "compute": [], "objective": "max_welfare"},
        "$.objective: is for what there is to compute",
    ),
    "an unknown field": (
        {**CHICKEN, "payoff": {}},
        "$: field is unknown (got 'payoff'): did you mean 'payoffs'?",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_names_its_path_and_the_fix(case: str) -> None:
    problem, said = REFUSED[case]
    assert refusal(problem).startswith(said)


def test_a_game_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.normal_form.game.MAX_PAYOFFS", 7)
    assert refusal(CHICKEN).startswith("$.payoffs: ")


def test_a_value_of_the_wrong_type_is_named() -> None:
    require_wrong_types_named(WHOLE)


@given(st.data())
def test_a_document_with_anything_anywhere(data: st.DataObject) -> None:
    require_strange_values_placed(data, [CHICKEN, LIGHT, PLAYED, WHOLE], more=["dare", {"dare": 1}])


def test_a_document_with_something_missing() -> None:
    require_missing_parts_placed(WHOLE)


@pytest.mark.parametrize("cut", range(0, len(CHICKEN_NFG) - 3, 5))
def test_a_text_cut_anywhere(cut: int) -> None:
    result = run("solve", "--format", "nfg", "-", stdin=CHICKEN_NFG[:cut].encode())
    assert result.exit_code == 2
    assert "line " in result.stderr or "is empty" in result.stderr


@pytest.mark.parametrize(
    "case",
    [
        "no payoffs",
        "no actions",
        "only what to do",
        "text and tables",
        "text and players",
        "two texts",
        "a tree and tables",
        "a distribution of a tree",
        "no player",
        "a player without actions",
        "no payoff at all",
        "a payoff that is no number",
        "a payoff of NaN",
        "an infinite payoff",
        "a payoff of true",
        "an empty distribution",
        "no round",
        "an equilibrium that there is not",
        "an equilibrium twice",
        "an objective that there is not",
        "a weight that is no number",
        "an unknown field",
    ],
)
def test_the_schema_refuses_what_the_command_refuses(case: str) -> None:
    schema: Document = json.loads(run("schema", "game").stdout)
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])
