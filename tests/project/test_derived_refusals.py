"""Wrong counts, numbers and generators: one answer everywhere, derived from what is declared."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from dev import ROOT

Outcomes = dict[str, tuple[bool, dict[str, str]]]

ALLOWED = {
    "llm_adapters.openai_api.Endpoint(largest_reply)": "no text is shown, since it may be a key",
    "mechproof.sweep.examples.hedge(rate)": "Hedge chooses its rate where there is none",
}
"""What is answered otherwise, and why."""

SHARED = ("shared", "files", "journal")
"""Modules that serve our own packages: descriptors and modes are no counts of a user's."""


@pytest.fixture(scope="module")
def outcomes() -> Outcomes:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "helpers" / "derived_refusals.py")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: Outcomes = json.loads(done.stdout)
    return found


def is_offered(name: str) -> bool:
    """Whether it is a function that a package offers, such as ``theory.games.regrets``."""
    package, *rest = name.partition("(")[0].split(".")
    offered = len(rest) == 1 or (
        len(rest) == 2 and package != "mechproof" and rest[0] not in SHARED
    )
    return offered and rest[-1][0].islower()


def test_what_a_reader_is_handed_is_refused_alike(outcomes: Outcomes) -> None:
    """The error names the argument as the caller does, the value and the fix."""
    declared = {name: told for name, (is_declared, told) in outcomes.items() if is_declared}
    assert len(declared) > 90
    assert sum(map(len, declared.values())) > 600
    wrong = {name: {v: t for v, t in told.items() if t} for name, told in declared.items()}
    assert {name for name, told in wrong.items() if told} == set(ALLOWED), wrong


def test_every_function_that_is_offered_refuses_what_is_no_such_number(outcomes: Outcomes) -> None:
    """Whatever reads the argument, one that is annotated as a number or a generator is one."""
    offered = {name: told for name, (_, told) in outcomes.items() if is_offered(name)}
    assert len(offered) > 60
    wrong = {name: {v: t for v, t in told.items() if t} for name, told in offered.items()}
    assert not {name: told for name, told in wrong.items() if told}
