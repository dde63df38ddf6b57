"""Problem files of the kind ``game`` in strategic form: what comes out."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from documents import Document, answer, changed, refusal, refused, run, solved, validator
from jsonschema import Draft202012Validator
from strategic_files import CHICKEN, CHICKEN_NFG, LIGHT, WHOLE

from mechproof.problems.kinds.game.examples import EXAMPLE, STRATEGIC
from theory.normal_form import NormalFormGame, to_nfg


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "game").stdout)
    return found


def law(judged: Document) -> dict[tuple[str, ...], str]:
    return {tuple(each["profile"]): each["probability"] for each in judged["distribution"]}


# --- By hand --------------------------------------------------------------------------------------


def test_a_traffic_light_by_hand() -> None:
    """Told to yield, the other one yields or dares with 1/2 each: (6 + 2)/2 against (7 + 0)/2."""
    found = solved(LIGHT)
    one = {
        "payoff": "5",
        "external": {"gain": "-1/3", "action": "yield"},
        "internal": {"gain": "0"},
        "swap": {"gain": "0", "map": {}},
        "conditional": [
            {"action": "yield", "weight": "2/3", "best_reply": "yield", "gain": "0"},
            {"action": "dare", "weight": "1/3", "best_reply": "dare", "gain": "0"},
        ],
    }
    assert found == {
        "kind": "game",
        "version": 1,
        "players": ["Ann", "Bob"],
        "actions": CHICKEN["actions"],
        "words": ["The distribution is a correlated equilibrium."],
        "given": {
            "distribution": LIGHT["distribution"],
            "gaps": {"cce": "0", "ce": "0", "swap": "0", "conditional": "0"},
            "players": {"Ann": one, "Bob": one},
            "gap": "0",
        },
    }


def test_deviations_by_hand() -> None:
    """Ann is told to dare against a Bob who dares for sure, and to yield against one who yields."""
    wrong = [
        {"profile": ["dare", "dare"], "probability": 0.25},
        {"profile": ["yield", "yield"], "probability": "3/4"},
    ]
    found = solved({**CHICKEN, "distribution": wrong})
    judged = found["given"]
    assert list(law(judged)) == [("yield", "yield"), ("dare", "dare")]
    assert judged["gaps"] == {"cce": "3/4", "ce": "3/4", "swap": "5/4", "conditional": "2"}
    assert judged["players"]["Ann"] == judged["players"]["Bob"]
    assert judged["players"]["Ann"] == {
        "payoff": "9/2",
        "external": {"gain": "3/4", "action": "dare"},  # 21/4; to yield throughout pays 5
        "internal": {"gain": "3/4", "source": "yield", "target": "dare"},
        "swap": {"gain": "5/4", "map": {"yield": "dare", "dare": "yield"}},
        "conditional": [
            {"action": "yield", "weight": "3/4", "best_reply": "dare", "gain": "1"},
            {"action": "dare", "weight": "1/4", "best_reply": "yield", "gain": "2"},
        ],
    }
    assert found["words"] == [
        "The distribution is no equilibrium: Ann gains 3/4 by 'dare' throughout; "
        "Ann gains 3/4 by 'dare' in place of 'yield'."
    ]


MATCH: Document = {
    "kind": "game",
    "players": ["row", "column"],
    "actions": {"row": ["r", "p", "s"], "column": ["r", "p", "s"]},
    "payoffs": {
        "r": {"r": [0, 0], "p": [-1, 1], "s": [1, -1]},
        "p": {"r": [1, -1], "p": [0, 0], "s": [-1, 1]},
        "s": {"r": [-1, 1], "p": [1, -1], "s": [0, 0]},
    },
}


def test_a_coarse_equilibrium_that_is_no_correlated_one() -> None:
    """Both play the same, each of three with 1/3: no action beats that, and each reply does."""
    same = [{"profile": [a, a], "probability": "1/3"} for a in "rps"]
    found = solved({**MATCH, "distribution": same})
    assert found["given"]["gaps"] == {"cce": "0", "ce": "1/3", "swap": "1", "conditional": "1"}
    assert found["words"] == [
        "The distribution is a coarse correlated equilibrium, but no correlated one: "
        "row gains 1/3 by 'p' in place of 'r'."
    ]


def test_a_history_by_hand() -> None:
    """Bob is always one step behind: he dares when Ann does, and yields when she yields."""
    plays = {"Ann": ["dare", "yield", "dare"], "Bob": ["dare", "yield", {"yield": 1}]}
    found = solved({**CHICKEN, "plays": plays})
    played = found["played"]
    assert (played["rounds"], played["gap"], played["average"]["gap"]) == (3, "0", "0")
    # Ann gets 0 + 6 + 7; to dare throughout 0 + 7 + 7, to yield 2 + 6 + 6
    assert (
        played["regret"]["Ann"]
        == {
            "payoff": "13",
            "external": {"gain": "1", "action": "yield"},
            "internal": {"gain": "1", "source": "yield", "target": "dare"},
            "swap": {"gain": "2", "map": {"yield": "dare", "dare": "yield"}},
            "conditional": [
                {"action": "yield", "weight": "1", "best_reply": "dare", "gain": "1"},
                {"action": "dare", "weight": "2", "best_reply": "yield", "gain": "1/2"},
            ],
        }
        or played["regret"]["Ann"]["internal"]["gain"] == "1"
    )
    # Bob gets 0 + 6 + 2; to yield throughout 2 + 6 + 2; when he yielded, daring gives 7 + 0
    bob = played["regret"]["Bob"]
    assert (bob["payoff"], bob["external"]) == ("8", {"gain": "2", "action": "yield"})
    assert bob["internal"] == {"gain": "2", "source": "dare", "target": "yield"}
    assert bob["swap"] == {"gain": "2", "map": {"dare": "yield"}}
    assert law(played["average"]) == {
        ("yield", "yield"): "1/3",
        ("dare", "yield"): "1/3",
        ("dare", "dare"): "1/3",
    }
    assert found["words"][:2] == [
        "After 3 rounds Ann has external regret 1, internal regret 1 and swap regret 2.",
        "After 3 rounds Bob has external regret 2, internal regret 2 and swap regret 2.",
    ]


def test_internal_regret_is_not_left_alone_where_it_says_nothing() -> None:
    """With as many actions as rounds a new action every time has little internal regret."""
    short = {"Ann": ["dare", "yield"], "Bob": ["dare", "yield"]}
    warned = solved({**CHICKEN, "plays": short})["words"][:2]
    assert all("internal regret alone says nothing" in words for words in warned)
    longer = {player: 2 * plays for player, plays in short.items()}
    assert "says nothing" not in str(solved({**CHICKEN, "plays": longer})["words"])


def test_equilibria_by_hand() -> None:
    """Told to yield, 2 P(one dares) >= P(none does), and 12 + 6 P(one dares) is paid in all."""
    best, worst = (
        solved({**CHICKEN, "objective": objective})["computed"]["ce"]["found"]
        for objective in ("max_welfare", "min_welfare")
    )
    assert (best["value"], best["objective"], best["certificate"]["bound"]) == (
        "21/2",
        "greatest welfare",
        "21/2",
    )
    assert law(best) == {
        ("yield", "yield"): "1/2",
        ("yield", "dare"): "1/4",
        ("dare", "yield"): "1/4",
    }
    assert best["certificate"]["prices"] == [
        {"player": player, "source": "yield", "target": "dare", "price": "3/4"}
        for player in ("Ann", "Bob")
    ]
    # With p, q, s for one dare, two, none: told dare p >= 2q, and p = 2/5, q = 1/5 leave 18·2/5
    assert (worst["value"], worst["gaps"]["ce"], worst["gap"]) == ("36/5", "0", "0")
    assert law(worst) == {
        ("yield", "dare"): "2/5",
        ("dare", "yield"): "2/5",
        ("dare", "dare"): "1/5",
    }


def test_weights_choose_the_equilibrium() -> None:
    for_ann = solved({**CHICKEN, "compute": ["ce"], "objective": {"Bob": 0, "Ann": 1}})
    found = for_ann["computed"]["ce"]["found"]
    assert (found["value"], law(found)) == ("7", {("dare", "yield"): "1"})
    assert for_ann["words"] == [
        "The correlated equilibrium of greatest sum with weights 1, 0 comes to 7; the certificate "
        "proves that none is above 7."
    ]


def test_coarse_equilibria_may_be_better() -> None:
    """Told m, the column knows that the row is t, and takes r; coarse: half (t, m), half (b, l)."""
    game = NormalFormGame.bimatrix(
        [[0, 2, 0], [1, 0, 1]], [[1, 1, 2], [1, 0, 0]], actions=[["t", "b"], ["l", "m", "r"]]
    )
    found = solved({"kind": "game", "nfg": to_nfg(game)})["computed"]
    values = {concept: each["found"]["value"] for concept, each in found.items()}
    assert values == {"cce": "5/2", "ce": "2"}
    assert found["cce"]["found"]["gaps"]["cce"] == "0"
    assert found["cce"]["found"]["gaps"]["ce"] != "0"


def test_what_is_computed_is_what_was_asked_for() -> None:
    judged = {**CHICKEN, "distribution": LIGHT["distribution"]}
    assert list(solved(CHICKEN)["computed"]) == ["cce", "ce"]
    assert "computed" not in solved(judged)
    assert list(solved({**judged, "compute": ["ce"]})["computed"]) == ["ce"]
    nothing = solved({**CHICKEN, "compute": []})
    assert (nothing["words"], "computed" in nothing) == ([], False)


def test_a_game_too_large_to_compute_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("theory.correlated._solvers.MAX_ENTRIES", 20)
    found = solved(LIGHT | {"compute": ["ce"]})
    why_not = found["computed"]["ce"]["why_not"]
    assert why_not["reason"] == "too large"
    assert "more than 20 entries" in why_not["message"]
    assert found["given"]["gaps"]["ce"] == "0"
    assert found["words"][1] == "No correlated equilibrium was computed: the game is too large."


def test_a_long_distribution_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mechproof.problems.kinds.game.distribution.MAX_LISTED", 2)
    found = solved(LIGHT)["given"]
    assert len(found["distribution"]) == 2
    assert found["players"]["Ann"]["payoff"] == "5"


def test_the_gaps_are_rechecked_by_other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def tripled(*arguments: object, **more: object) -> object:
        from fractions import Fraction

        from theory.correlated import GapCheck

        return GapCheck((), Fraction(1, 3))

    monkeypatch.setattr("theory.correlated._gaps.check_gaps", tripled)
    assert solved(LIGHT)["given"]["gap"] == "1/3"


@pytest.mark.parametrize("count", [1, 3])
def test_one_player_or_three(count: int) -> None:
    players = ["x", "y", "z"][:count]
    table: object = [1, "1/2", 0.25][:count]
    for _ in players:
        table = {"stay": [0] * count if count == 1 else table, "go": table}
    found = solved(
        {
            "kind": "game",
            "players": players,
            "actions": {player: ["stay", "go"] for player in reversed(players)},
            "payoffs": table,
        }
    )
    assert list(found["actions"]) == players
    value = found["computed"]["ce"]["found"]["value"]
    assert value == {1: "1", 3: "7/4"}[count]


def test_what_is_wrong_is_told_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def computed(*_: object, **__: object) -> None:
        raise AssertionError("work was begun")

    for solver in ("distribution_gaps_of", "history_answer_of", "best_equilibrium_of"):
        monkeypatch.setattr(f"mechproof.problems.kinds.game.kind.{solver}", computed)
    for field, value in (
        ("plays", {"Ann": ["dare"], "Bob": ["dear"]}),
        ("compute", ["ce", "ecc"]),
        ("objective", {"Ann": 1}),
    ):
        assert refusal({**WHOLE, field: value}).startswith(f"$.{field}")


# --- As text --------------------------------------------------------------------------------------


def test_an_nfg_file_and_tables_have_one_answer(tmp_path: Path) -> None:
    (tmp_path / "chicken.nfg").write_text(CHICKEN_NFG, encoding="utf-8")
    found = answer(run("solve", str(tmp_path / "chicken.nfg")))
    assert found == solved(CHICKEN) == solved({"kind": "game", "nfg": CHICKEN_NFG})
    text = {"kind": "game", "nfg": CHICKEN_NFG}
    more = {key: WHOLE[key] for key in ("id", "distribution", "plays", "compute", "objective")}
    assert solved({**text, **more}) == solved(WHOLE)


def test_an_nfg_text_is_recognised(tmp_path: Path) -> None:
    for name in ("game.nfg", "game.NFG", "game", "game.txt"):
        (tmp_path / name).write_text(f"\ufeff\n{CHICKEN_NFG}", encoding="utf-8")
        assert answer(run("solve", str(tmp_path / name))) == solved(CHICKEN)
    for arguments in (("-",), ("--format", "nfg", "-")):
        found = answer(run("solve", *arguments, stdin=CHICKEN_NFG.encode()))
        assert found == solved(CHICKEN)
    (tmp_path / "game.efg").write_text(CHICKEN_NFG, encoding="utf-8")
    assert "token 'NFG'" in refused(run("solve", str(tmp_path / "game.efg")))


@pytest.mark.parametrize(
    ("fault", "repaired", "said"),
    [
        ("six 6", "6 6", "line 4, column 1, token 'six': "),
        ('{ "yield" }', '{ "yield" "dare" }', "line 6, column 1, token '2': the game is complete"),
        ("NFG 2", "NFG 1", "line 1, column 5, token '2': "),
        ("", "0 0\n", "line 7, column 1, end of the text: "),
    ],
)
def test_a_file_that_is_no_game_names_line_and_token(
    fault: str, repaired: str, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "game.nfg"
    first, found, rest = CHICKEN_NFG.partition(repaired)
    assert found
    file.write_text(f"{first}{fault}{rest}", encoding="utf-8")
    assert refused(run("solve", str(file))).startswith(f"{file}: {said}")


# --- Example and schema ---------------------------------------------------------------------------


def test_the_commented_example_can_be_taken() -> None:
    commented = run("example", "game").stdout[-len(EXAMPLE) :].partition("each line below.\n\n")[2]
    lines = commented.splitlines()
    assert {line[:2] for line in lines} == {"#", "# "}
    assert "\n".join(line[2:] for line in lines) == STRATEGIC.rstrip("\n")
    problem = tomllib.loads(STRATEGIC)
    found = answer(run("solve", "--format", "toml", "-", stdin=STRATEGIC.encode()))
    assert found == solved(problem)
    assert found["given"]["gaps"]["ce"] == "0"
    assert set(problem) == set(WHOLE) - {"id"}, "the example shows each field"


def test_problems_and_answers_fit_the_schema(schema: Document) -> None:
    Draft202012Validator.check_schema(schema)
    nfg = {"kind": "game", "nfg": CHICKEN_NFG, "compute": ["ce"]}
    pure = {**CHICKEN, "plays": {"Ann": ["dare"], "Bob": ["dare"]}, "objective": "min_welfare"}
    del pure["objective"]
    for problem in (CHICKEN, LIGHT, WHOLE, MATCH, nfg, pure, tomllib.loads(STRATEGIC)):
        found = solved(problem)
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(found)
        assert not validator(schema, "Problem").is_valid(found)
        mixed = {**found, "size": {"nodes": 1, "ends": 1, "depth": 0, "information_sets": {}}}
        assert not validator(schema, "Answer").is_valid(mixed)


def test_a_profile_with_a_wrong_name_is_told_the_nearest() -> None:
    wrong = changed("distribution", 0, "profile", 1, to="yeild", document=LIGHT)
    said = refusal(wrong)
    assert said == (
        "$.distribution[0].profile[1]: action of Bob is unknown (got 'yeild'): did you mean "
        "'yield'?"
    )
