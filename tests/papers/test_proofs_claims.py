"""Every claim that is proved has a proof of its own, which solvers that share nothing confirm."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mechproof.cli import main
from mechproof.proof_files import check_folder
from mechproof.registry import load
from papers.classics.checks.all_types import ForAllTypes
from theory.claims import Budget, CheckContext, Claim, spawn_seed
from theory.errors import InvalidInputError
from theory.proofs import Proof
from theory.verdicts import Finding, Strength

QUICK = Budget(exhaustive=200, samples=50, shrinks=50, size=2)
CHEAP = ("truthful.not-vcg.range", "truthful.eq-14.c1", "truthful.lemma-5.2")
PROVED = [claim for claim in load().claims if claim.least_strength("quick") is Strength.PROVED]


def finding(claim: Claim) -> Finding:
    return claim.check(CheckContext(seed=spawn_seed(0, claim.id), budget=QUICK))


def confirmed(proof: Proof) -> None:
    assert proof.complete
    for solver in ("z3", "cvc5"):
        answer = proof.checked_by(solver)
        assert answer.verdict == "proved", f"{solver}: {answer}"


def test_there_are_proved_claims() -> None:
    assert len(PROVED) > 15
    assert set(CHEAP) < {claim.id for claim in PROVED}


@pytest.mark.parametrize("name", CHEAP)
def test_cheap_proofs_are_confirmed_by_other_solvers(name: str) -> None:
    found = finding(load().claim(name, argument="name"))
    assert found.strength is Strength.PROVED
    assert found.proof is not None
    assert str(found.proof) in found.reason
    assert pickle.loads(pickle.dumps(found)).proof == found.proof
    confirmed(found.proof)


@pytest.mark.slow
@pytest.mark.parametrize("claim", PROVED, ids=lambda claim: claim.id)
def test_every_proof_is_confirmed_by_other_solvers(claim: Claim) -> None:
    """Mechanisms with two agents: with three, tests/test_proving.py asks every solver."""
    if isinstance(claim.check, ForAllTypes):
        claim = replace(claim, check=replace(claim.check, agents=(2,)))
    found = finding(claim)
    assert found.strength is Strength.PROVED
    assert found.proof is not None
    confirmed(found.proof)


def test_a_finding_without_a_proof_says_so() -> None:
    found = finding(load().claim("truthful.eq-11", argument="name"))
    assert found.strength is not Strength.PROVED
    assert found.proof is None


# --- the files


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="mechproof")


def test_verify_writes_a_script_a_proof(tmp_path: Path) -> None:
    import z3

    folder = tmp_path / "scripts"
    options = ("verify", "--claim", CHEAP[0], "--claim", "truthful.eq-11", "--jobs", "1")
    result = run(*options, "--smtlib", str(folder))
    assert result.exit_code == 0
    assert "1 proofs written" in result.stderr
    (path,) = folder.iterdir()
    assert path.name == f"{CHEAP[0]}.smt2"
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"; mechproof: {CHEAP[0]}\n")
    solver = z3.Solver(ctx=z3.Context())
    solver.from_string(text)
    assert str(solver.check()) == "unsat"


@pytest.mark.parametrize("bad", ["file", "missing/inner"])
def test_a_folder_that_cannot_be_written_stops_the_run(tmp_path: Path, bad: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = run("verify", "--claim", CHEAP[0], "--smtlib", str(tmp_path / bad))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "--smtlib" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


def test_a_folder_is_made_and_left_empty_by_the_check(tmp_path: Path) -> None:
    check_folder(tmp_path / "new", "--smtlib")
    assert list((tmp_path / "new").iterdir()) == []
    with pytest.raises(InvalidInputError, match="is a file"):
        check_folder(Path(__file__), "--smtlib")
