"""What ``import mechproof`` offers: the names, how they load, and what they say to slips."""

from __future__ import annotations

import ast
import importlib
import json
import pickle
import subprocess
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import pytest
import sample_claims as sample
from documents import UMBRELLA
from plain_python import outcomes

import mechproof
from dev import ROOT
from mechproof.problems.format.reading import DocumentError
from mechproof.problems.kind import kinds
from mechproof.profiles import PROFILES
from mechproof.registry import load
from mechproof.run import RunResult
from theory.errors import InvalidInputError, UnknownNameError

EXACT = {**UMBRELLA, "id": 3, "goods": [{**UMBRELLA["goods"][0], "price": "0.25"}]}
HEAVY = {"numpy", "scipy", "sympy", "jax", "numba", "matplotlib", "rich", "click", "theory"}


def python(program: str) -> str:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def promised() -> dict[str, str]:
    """Where the source says to type checkers that each name is from."""
    assert mechproof.__file__ is not None
    tree = ast.parse(Path(mechproof.__file__).read_text("utf-8"))
    blocks = [
        node for node in tree.body if isinstance(node, ast.If) and isinstance(node.test, ast.Name)
    ]
    return {
        alias.name: node.module or ""
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_what_is_loaded_is_what_type_checkers_see() -> None:
    homes = promised()
    assert sorted([*homes, "__version__"]) == sorted(mechproof.__all__)
    for name, home in homes.items():
        assert getattr(mechproof, name) is getattr(importlib.import_module(home), name)


def test_the_import_is_light_and_each_name_loads_what_it_needs() -> None:
    program = "import sys, mechproof; before = set(sys.modules); dir(mechproof); {}; "
    program += "print(*(set(sys.modules) - (set() if {} else before)))"
    assert not HEAVY & set(python(program.format("0", True)).split())
    loaded = set(python(program.format("mechproof.solve", False)).split())
    assert "theory" in loaded
    assert not {"rich", "jax", "numba", "matplotlib", "sympy"} & loaded


def test_the_names_are_listed_loaded_or_not() -> None:
    program = "import mechproof; print(*dir(mechproof)); mechproof.Grid; print(*dir(mechproof))"
    for line in python(program).splitlines():
        listed = line.split()
        public = [name for name in listed if not name.startswith("__")]
        assert [*public, "__version__"] == sorted(mechproof.__all__, key=lambda n: (n[0] == "_", n))
        assert {"__doc__", "__file__", "__name__", "__path__"} <= set(listed)


def test_a_slip_is_told_the_nearest_name_once() -> None:
    with pytest.raises(AttributeError, match="'mechproof' has no attribute 'chek_mechanism'; did"):
        getattr(mechproof, "chek_mechanism")  # noqa: B009
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        getattr(mechproof, "nonsense")  # noqa: B009
    with pytest.raises(ImportError, match="nonsense"):
        exec("from mechproof import nonsense")
    program = "import mechproof; mechproof.chek_mechanism"
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert told.stderr.lower().count("did you mean") == 1


def test_names_survive_stars_pickles_and_reloading() -> None:
    space: dict[str, object] = {}
    exec("from mechproof import *", space)
    assert set(mechproof.__all__) <= set(space)
    check = mechproof.check_mechanism
    assert pickle.loads(pickle.dumps(check)) is check
    assert importlib.reload(mechproof).check_mechanism is check


def test_claims_are_computed_by_name() -> None:
    found = mechproof.verify("bazaar.table-1", seed=5)
    assert [result.claim.id for result in found.results] == ["bazaar.table-1"]
    assert (found.agrees, found.seed, found.profile) == (True, 5, "quick")
    assert str(found) == "bazaar.table-1: refuted"
    assert found.known == load().claims


def test_own_claims_are_computed_alone_or_with_others(capfd: pytest.CaptureFixture[str]) -> None:
    own = mechproof.verify(sample.CLAIMS[1])
    assert [result.claim.id for result in own.results] == ["sample.primes"]
    both = mechproof.verify(sample.CLAIMS[0], "bazaar.table-1", jobs=1)
    assert [result.claim.id for result in both.results] == ["bazaar.table-1", "sample.squares"]
    assert capfd.readouterr() == ("", "")


def test_a_paper_or_nothing_chooses_many(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Mapping[str, object]] = []

    nothing = RunResult(profile="", seed=0, budget=PROFILES["quick"], results=(), known=())

    def verify(claims: tuple[object, ...], **options: object) -> RunResult:
        asked.append({"claims": claims, **options})
        return nothing

    monkeypatch.setattr("mechproof.run.verify", verify)
    mechproof.verify(paper="bazaar")
    mechproof.verify("volition.eq1", paper="bazaar", jobs=3, profile="full")
    mechproof.verify()
    claims = load().claims
    bazaar = tuple(claim for claim in claims if claim.paper == "bazaar")
    assert asked[0]["claims"] == bazaar
    assert asked[1]["claims"] == (*bazaar, load().claim("volition.eq1"))
    assert (asked[1]["jobs"], asked[1]["profile"]) == (3, "full")
    assert asked[2]["claims"] == claims


def test_what_names_no_claim_is_told_in_the_words_of_the_function() -> None:
    with pytest.raises(UnknownNameError, match=r"^claims is unknown.*'bazaar\.table-1'"):
        mechproof.verify("bazaar.table1")
    with pytest.raises(UnknownNameError, match=r"^paper is unknown.*did you mean 'bazaar'"):
        mechproof.verify(paper="bazar")
    with pytest.raises(UnknownNameError, match=r"^profile is unknown.*did you mean 'quick'"):
        mechproof.verify("bazaar.table-1", profile="quik")
    with pytest.raises(InvalidInputError, match=r"^claims is a paper.*paper='bazaar'"):
        mechproof.verify("bazaar")
    (told,) = outcomes("import mechproof", ["mechproof.verify(3)"]).values()
    assert told.startswith("InvalidInputError: claims is no claim (got 3): give the id")


def test_a_problem_is_solved_as_table_text_and_file(tmp_path: Path) -> None:
    answer = mechproof.solve(EXACT)
    assert (answer["kind"], answer["id"]) == ("information", 3)
    assert answer["values"][0]["ex_ante"] == "1/2"
    text = json.dumps({**UMBRELLA, "id": 3})
    path = tmp_path / "problem.json"
    path.write_text(text, encoding="utf-8")
    assert mechproof.solve(text) == mechproof.solve(path) == mechproof.solve(str(path)) == answer
    assert mechproof.solve(MappingProxyType(EXACT)) == answer
    states = {**UMBRELLA["states"], "rain": Fraction(1, 4)}
    assert mechproof.solve({**EXACT, "states": states}) == answer


@pytest.mark.parametrize("kind", ["information", "game", "inspection"])
def test_the_examples_are_texts_that_are_solved(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "example"
    path.write_text(kinds()[kind].example, encoding="utf-8")
    answer = mechproof.solve(kinds()[kind].example)
    assert answer["kind"] == kind
    assert mechproof.solve(path) == answer


def test_games_in_the_formats_of_gambit_are_solved(tmp_path: Path) -> None:
    text = 'NFG 1 R "" { "A" "B" } { 2 2 }\n1 1 0 0 0 0 1 1\n'
    answer = mechproof.solve(text)
    assert answer["kind"] == "game"
    path = tmp_path / "game.nfg"
    path.write_text(text, encoding="utf-8")
    assert mechproof.solve(path) == answer
    with pytest.raises(DocumentError, match=r"^line 1, column \d+"):
        mechproof.solve(text.replace("2 2", "2 x"))


def test_what_is_no_problem_is_refused_with_the_place(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"^\$\.goods\[0\]\.price: .*float"):
        mechproof.solve(UMBRELLA)
    with pytest.raises(DocumentError, match=r"^line 1, column 9: "):
        mechproof.solve('{"kind" 3}')
    with pytest.raises(DocumentError, match='has no "kind"'):
        mechproof.solve({})
    with pytest.raises(
        InvalidInputError, match=r"^problem cannot be read \(No such file.*'no\.toml'"
    ):
        mechproof.solve("no.toml")
    with pytest.raises(InvalidInputError, match=r"^problem cannot be read"):
        mechproof.solve("a\0b")
    with pytest.raises(InvalidInputError, match=r"^problem cannot be read"):
        mechproof.solve(tmp_path)
    with pytest.raises(InvalidInputError, match=r"^problem holds a problem a line"):
        mechproof.solve(tmp_path / "many.jsonl")
    (told,) = outcomes("import mechproof", ["mechproof.solve(3)"]).values()
    assert told.startswith("InvalidInputError: problem is no problem (got 3): give a dict")
