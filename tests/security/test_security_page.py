"""SECURITY.md says what is so: its options, names and modes are those of the code."""

from __future__ import annotations

import re

import pytest
from documents import run

from dev import ROOT
from llm_adapters.journal import OWN
from mechproof.sweep import _allowed_functions

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")


def test_the_readme_leads_to_it() -> None:
    assert "(SECURITY.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("sweep", ["--allow-package", "--results", "--csv", "--plot"]),
        ("verify", ["--html", "--json", "--smtlib", "--module"]),
    ],
)
def test_the_options_that_it_names_are_there(command: str, options: list[str]) -> None:
    told = run(command, "--help").output
    for option in options:
        assert f"`{option}" in PAGE or f"`{option}`" in PAGE
        assert option in told


def test_the_packages_and_modes_that_it_names_are_those_of_the_code() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| a sweep file"))
    assert set(re.findall(r"`(theory|mechanisms)`", row)) == _allowed_functions._COMPUTING
    assert f"`{_allowed_functions._EXAMPLES}`" in row
    row = next(line for line in PAGE.splitlines() if line.startswith("| `--results`"))
    assert f"| {OWN:04o} |" in row


def test_no_address_is_invented() -> None:
    assert "@" not in PAGE
    assert "http" not in PAGE
