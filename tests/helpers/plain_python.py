"""Runs expressions in a Python without the run-time type checker, as a user's is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from dev import ROOT

_PROGRAM = """
import json, sys, warnings
warnings.simplefilter("error")
setup, expressions = json.load(sys.stdin)
names = {}
exec(setup, names)
for expression in expressions:
    try:
        outcome = f"value: {eval(expression, names)!r}"
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    print(json.dumps(outcome))
"""


def outcomes(setup: str, expressions: Sequence[str]) -> dict[str, str]:
    """What each expression evaluates to, or the error that it raises; a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        input=json.dumps([setup, list(expressions)]),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(zip(expressions, map(json.loads, done.stdout.splitlines()), strict=True))
