"""``mechproof prove``: what is proved, what is not, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from mechproof.cli import main


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["prove", *arguments])
    return result.exit_code, result.output


def test_a_proof_is_written_and_checked_again(tmp_path: Path) -> None:
    folder = tmp_path / "proofs"
    status, text = run(
        *("mechanisms.classics:SecondPrice", "--agents", "2", "--property", "dsic"),
        *("--check-with", "cvc5", "--smtlib", str(folder)),
    )
    assert status == 0, text
    assert "checked again: Proved by cvc5" in text
    (script,) = folder.iterdir()
    assert script.name == "dsic.smt2"
    assert "(set-info :status unsat)" in script.read_text(encoding="utf-8")


def test_what_is_refuted_gives_status_1() -> None:
    status, text = run(
        *("proving_mechanisms:first_price", "--agents", "2", "--types", "0.."),
        *("--property", "dsic", "--solver", "certificates"),
    )
    assert status == 1
    assert "gains 1 by reporting 0" in text


def test_what_is_only_tested_gives_status_1() -> None:
    status, text = run("proving_mechanisms:returns_a_float", "--agents", "1", "--types", "0..1")
    assert status == 1
    assert "not traced" in text


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["nosuch:thing"], "fails to import"),
        (["mechanisms.classics"], "does not name a mechanism"),
        (["mechanisms.classics:SecondPrce"], "did you mean 'SecondPrice'?"),
        (["mechanisms.classics:PostedPrice"], "cannot be made"),
        (["mechanisms.classics:SecondPrice", "--types", "3..x"], "--types"),
        (["mechanisms.classics:SecondPrice", "--types", "5..2"], "--types"),
        (["mechanisms.classics:SecondPrice", "--types", "numbers"], "--types"),
        (["mechanisms.classics:SecondPrice", "--types", "3..3"], "is one number"),
        (["mechanisms.classics:SecondPrice", "--solver", ""], "is not a solver"),
        (["proving_mechanisms:ends_the_program"], "ends the program: SystemExit: 3"),
        (["proving_mechanisms:EndsTheProgram"], "cannot be made: SystemExit"),
        (["mechanisms.classics:SecondPrice", "--property", "dsik"], "dsic"),
        (["mechanisms.classics:SecondPrice", "--solver", "z4"], "solver"),
        (["mechanisms.classics:SecondPrice", "--check-with", "z4"], "solver"),
    ],
)
def test_what_cannot_be_used_is_named(arguments: list[str], named: str) -> None:
    status, text = run(*arguments, "--agents", "2")
    assert status == 2
    assert named in text


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "taken"
    place.write_text("", encoding="utf-8")
    status, text = run("mechanisms.classics:SecondPrice", "--agents", "2", "--smtlib", str(place))
    assert status == 2
    assert "--smtlib" in text


def test_a_hundred_thousand_agents_are_refused_with_the_limit() -> None:
    status, text = run("mechanisms.classics:SecondPrice", "--agents", "100000")
    assert status == 2
    assert "more than 64, the limit" in text
