"""Problem files of the kind ``fixed-point``: what comes out, and what is refused."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from documents import (
    Document,
    changed,
    refusal,
    require_missing_parts_placed,
    require_strange_values_placed,
    require_wrong_types_named,
    run,
    solved,
    validator,
)
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError
from learning_cases import maps as drawn_maps
from reference import fixed_points as oracle

SWING: Document = {
    "kind": "fixed-point",
    "size": 10,
    "moves": [
        {"source": 3, "target": 5, "weight": "1/2"},
        {"source": 5, "target": 3, "weight": 0.25},
    ],
}

WHOLE: Document = {
    **SWING,
    "id": 7,
    "constants": [{"target": 8, "weight": "1/8"}],
    "method": "gth",
    "start": 5,
}
"""Every field but the matrix."""

CHAIN: Document = {
    "kind": "fixed-point",
    "matrix": [["1/2", "1/2", 0], [0.25, 0.75, 0], ["1/3", "1/3", "1/3"]],
}


@pytest.fixture(scope="module")
def schema() -> Document:
    found: Document = json.loads(run("schema", "fixed-point").stdout)
    return found


def law(found: Document) -> dict[int, Any]:
    return {each["index"]: each["weight"] for each in found["support"]}


# --- By hand --------------------------------------------------------------------------------------


def test_the_example_by_hand() -> None:
    """3/10 x8 = 1/10; 4/10 x3 = 1/10 x5 + 2/10 x8; and they sum to one."""
    example = json.loads(run("example", "fixed-point", "--format", "json").stdout)
    found = solved(example)
    assert law(found) == {3: "4/15", 5: "2/5", 8: "1/3"}
    del found["support"]
    assert found == {
        "kind": "fixed-point",
        "version": 1,
        "words": ["The fixed point is the only one; it lies on 3 indices, of 1,000,000."],
        "size": 1_000_000,
        "method": "gth",
        "exact": True,
        "residual": "0",
        "unique": True,
        "sources": 3,
        "touched": 3,
    }


def test_an_untouched_index_is_a_fixed_point_and_start_asks_for_another() -> None:
    found = solved(SWING)
    assert (law(found), found["unique"]) == ({0: "1"}, False)
    assert found["words"] == ["The fixed point is one of several; it lies on index 0 alone, of 10."]
    swung = solved({**SWING, "start": 5})
    assert (law(swung), swung["unique"]) == ({3: "1/3", 5: "2/3"}, False)
    assert law(solved({**SWING, "start": 9})) == {9: "1"}


def test_a_chain_by_its_rows() -> None:
    """The last state is left for ever: 1/2 x0 = 1/4 x1."""
    found = solved(CHAIN)
    assert (law(found), found["unique"], found["residual"]) == ({0: "1/3", 1: "2/3"}, True, "0")
    assert (found["size"], found["sources"], found["touched"]) == (3, 3, 3)


def test_nothing_moves() -> None:
    for still in ({"size": 4}, {"size": 4, "moves": [], "constants": []}, {"matrix": [[1]]}):
        found = solved({"kind": "fixed-point", **still})
        assert (law(found), found["touched"], found["residual"]) == ({0: "1"}, 0, "0")


def test_sizes_beyond_every_list() -> None:
    size = 10**30
    moves = [{"source": size - 1, "target": 2**64, "weight": 1}]
    found = solved({"kind": "fixed-point", "size": size, "moves": moves, "start": size - 1})
    assert (found["size"], law(found)) == (size, {2**64: "1"})


def test_nearly_decoupled_chains_come_out_right() -> None:
    """The linear program calls (0, 1) optimal where the law is (2/3, 1/3)."""
    e = Fraction(1, 10**10)
    rows = [[str(1 - e), str(e)], [str(2 * e), str(1 - 2 * e)]]
    found = solved({"kind": "fixed-point", "matrix": rows})
    assert law(found) == {0: "2/3", 1: "1/3"}
    program = solved({"kind": "fixed-point", "matrix": rows, "method": "highs"})
    assert program["residual"] < 1e-9
    assert program["exact"] is False


@pytest.mark.parametrize("method", ["highs", "cvxpy"])
def test_linear_programs_agree_in_float64(method: str) -> None:
    if method == "cvxpy":
        pytest.importorskip("cvxpy")
    example = changed("constants", 0, "target", to=3, document=WHOLE)
    del example["start"]
    found = solved({**example, "method": method})
    assert (found["method"], found["exact"], found["unique"]) == (method, False, True)
    exact = law(solved(example))
    assert exact == {3: "3/7", 5: "4/7"}  # 3/8 x5 = 1/2 x3
    for i in range(10):  # an interior point is near: solvers stop at about 1e-8
        assert law(found).get(i, 0) == pytest.approx(float(Fraction(exact.get(i, 0))), abs=1e-6)
    assert isinstance(found["residual"], float)
    assert found["residual"] < 1e-6


def test_a_missing_solver_is_told_where_it_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cvxpy", None)
    assert refusal({**SWING, "method": "cvxpy"}).startswith("$.method: ")


def test_the_residual_is_that_of_other_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "theory.fixed_point._solve.residual_on", lambda *_: Fraction(1, 3), raising=True
    )
    assert solved(WHOLE)["residual"] == "1/3"


# --- Against brute force, which imports nothing of ours; relations --------------------------------

Drawn = tuple[int, dict[tuple[int, int], Fraction], dict[int, Fraction]]


def drawn(seed: int) -> Drawn:
    rng = Random(seed)
    size = rng.randint(1, 6)
    return (size, *drawn_maps(rng, size, constants=seed % 3 == 0))


def document(case: Drawn, **more: Any) -> Document:
    size, moves, constants = case
    return {
        "kind": "fixed-point",
        "size": size,
        "moves": [{"source": i, "target": j, "weight": str(w)} for (i, j), w in moves.items()],
        "constants": [{"target": j, "weight": str(w)} for j, w in constants.items()],
        **more,
    }


def dense(found: Document) -> list[Fraction]:
    known = law(found)
    return [Fraction(known.get(i, 0)) for i in range(found["size"])]


@pytest.mark.parametrize("seed", range(40))
def test_the_fixed_point_is_the_oracle_s(seed: int) -> None:
    case = drawn(seed)
    chain = oracle.matrix(*case)
    found = solved(document(case))
    assert dense(found) == oracle.chosen(chain)
    assert oracle.residual(chain, dense(found)) == 0
    assert found["unique"] == (len(oracle.closed_classes(chain)) == 1)
    start = Random(seed).randrange(case[0])
    assert dense(solved(document(case, start=start))) == oracle.chosen(chain, start)
    rows = [[str(p) for p in row] for row in chain]
    by_rows = solved({"kind": "fixed-point", "matrix": rows})
    assert dense(by_rows) == dense(found)


@pytest.mark.parametrize("seed", range(20))
def test_the_identity_and_the_order_of_maps_change_nothing(seed: int) -> None:
    size, moves, constants = case = drawn(seed)
    one = solved(document(case))
    calmer = (
        size,
        {pair: w * Fraction(2, 7) for pair, w in reversed(moves.items())},
        {j: w * Fraction(2, 7) for j, w in reversed(constants.items())},
    )
    assert solved(document(calmer)) == one


@pytest.mark.parametrize("seed", range(0, 60, 3))
def test_the_only_fixed_point_moves_with_the_names(seed: int) -> None:
    """With constant maps there is one, so that the order of the indices cannot matter."""
    size, moves, constants = case = drawn(seed)
    names = Random(seed).sample(range(size), size)
    renamed = (
        size,
        {(names[i], names[j]): w for (i, j), w in moves.items()},
        {names[j]: w for j, w in constants.items()},
    )
    one, other = (dense(solved(document(each))) for each in (case, renamed))
    if constants:
        assert [other[names[i]] for i in range(size)] == one


# --- What is refused ------------------------------------------------------------------------------

REFUSED = {
    "nothing": ({"kind": "fixed-point"}, "$: has neither a size, nor a matrix: add one"),
    "maps without a size": (
        {key: value for key, value in SWING.items() if key != "size"},
        "$: has neither a size, nor a matrix: add one",
    ),
    "a matrix and a size": (
        {**CHAIN, "size": 3},
        "$: has both a matrix and maps or their size: keep one",
    ),
    "a matrix and maps": ({**CHAIN, "moves": []}, "$: has both a matrix and maps"),
    "a size of zero": ({**SWING, "size": 0}, "$.size: "),
    "a size of true": ({**SWING, "size": True}, "$.size: "),
    "a size that is no integer": ({**SWING, "size": 1.5}, "$.size: "),
    "a source beyond the size": (
        {**SWING, "size": 3},
        "$.moves[0].source: is no index (got 3): give an integer from 0 to 2",
    ),
    "a target beyond the size": (
        {**SWING, "size": 5},
        "$.moves[0].target: is no index (got 5): give an integer from 0 to 4",
    ),
    "a negative source": (
        changed("moves", 1, "source", to=-1, document=SWING),
        "$.moves[1].source: ",
    ),
    "a constant beyond the size": (
        changed("constants", 0, "target", to=10, document=WHOLE),
        "$.constants[0].target: is no index (got 10): give an integer from 0 to 9",
    ),
    "a start beyond the size": (
        {**WHOLE, "start": 10},
        "$.start: is no index (got 10): give an integer from 0 to 9",
    ),
    "a start for a linear program": (
        {**WHOLE, "method": "highs"},
        "$.start: start does not go with method 'highs'",
    ),
    "a move twice": (
        {**SWING, "moves": SWING["moves"] * 2},
        "$.moves[2]: is given twice: add up the weights",
    ),
    "a constant twice": (
        {**WHOLE, "constants": WHOLE["constants"] * 2},
        "$.constants[1]: is given twice: add up the weights",
    ),
    "a negative weight": (
        changed("moves", 0, "weight", to="-1/2", document=SWING),
        "$.moves[0].weight: is below 0 (got '-1/2'): give 0 or more",
    ),
    "a weight that is no number": (
        changed("moves", 0, "weight", to="nan", document=SWING),
        "$.moves[0].weight: value is not a number",
    ),
    "an infinite weight": (
        changed("constants", 0, "weight", to="inf", document=WHOLE),
        "$.constants[0].weight: value is not a number",
    ),
    "weights above one": (
        changed("moves", 1, "weight", to="2/3", document=SWING),
        "$: weights sum to more than one",
    ),
    "an empty matrix": ({**CHAIN, "matrix": []}, "$.matrix: "),
    "a matrix that is not square": (
        {**CHAIN, "matrix": [[1, 0]]},
        "$.matrix[0]: has 2 entries: give 1, as many as there are rows",
    ),
    "a negative entry": (
        changed("matrix", 1, to=[2, -1, 0], document=CHAIN),
        "$.matrix[1][1]: is below 0 (got '-1'): give 0 or more",
    ),
    "a row that does not sum to one": (
        changed("matrix", 1, to=["1/3", "1/3", 0], document=CHAIN),
        '$.matrix[1]: has sum 2/3: give probabilities with sum 1, such as "1/3"',
    ),
    "a method that there is not": (
        {**SWING, "method": "ght"},
        "$.method: method is unknown (got 'ght'): did you mean 'gth'?",
    ),
    "an unknown field": (
        {**SWING, "constant": []},
        "$: field is unknown (got 'constant'): did you mean 'constants'?",
    ),
    "an unknown field of a move": (
        changed("moves", 0, "weigth", to=1, document=SWING),
        "$.moves[0]: field is unknown (got 'weigth'): did you mean 'weight'?",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_names_its_path_and_the_fix(case: str) -> None:
    problem, said = REFUSED[case]
    assert refusal(problem).startswith(said)


@pytest.mark.parametrize("whole", [WHOLE, CHAIN], ids=["maps", "matrix"])
def test_a_value_of_the_wrong_type_is_named(whole: Document) -> None:
    require_wrong_types_named(whole)


@given(st.data())
def test_a_document_with_anything_anywhere(data: st.DataObject) -> None:
    require_strange_values_placed(data, [SWING, WHOLE, CHAIN])


@pytest.mark.parametrize("whole", [WHOLE, CHAIN], ids=["maps", "matrix"])
def test_a_document_with_something_missing(whole: Document) -> None:
    require_missing_parts_placed(whole)


# --- Schema ---------------------------------------------------------------------------------------


def test_problems_and_answers_fit_the_schema(schema: Document) -> None:
    Draft202012Validator.check_schema(schema)
    program = {**SWING, "method": "highs"}
    for problem in (SWING, WHOLE, CHAIN, program, {"kind": "fixed-point", "size": 1}):
        found = solved(problem)
        validator(schema, "Problem").validate(problem)
        validator(schema, "Answer").validate(found)
        assert not validator(schema, "Problem").is_valid(found)


NEEDS_SIZE = re.compile("beyond|twice|sum|above|square|negative (weight|entry)|linear program")


@pytest.mark.parametrize("case", [case for case in REFUSED if not NEEDS_SIZE.search(case)])
def test_the_schema_refuses_what_the_command_refuses(schema: Document, case: str) -> None:
    with pytest.raises(ValidationError):
        validator(schema, "Problem").validate(REFUSED[case][0])
