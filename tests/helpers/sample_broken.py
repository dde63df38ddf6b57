"""Claims whose checks go wrong, each in its own way."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import replace
from typing import Any

from sample_claims import CLAIMS as SOUND
from sample_claims import squares

from theory.claims import Check, CheckContext, Claim, Kind
from theory.verdicts import Finding, Status, Strength


def raises(context: CheckContext) -> Finding:
    """Raise."""
    raise ZeroDivisionError("one over\nnothing")


def leaves(context: CheckContext) -> Finding:
    """Ask to end the process, politely and with a good status."""
    sys.exit(0)


def dies(context: CheckContext) -> Finding:
    """End the process at once."""
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def sleeps(context: CheckContext) -> Finding:
    """Never end within the patience of a test."""
    context.progress(1, 3)
    time.sleep(120)
    raise AssertionError


def returns_nothing(context: CheckContext) -> None:
    """Give no finding."""


def local_check() -> Check:
    """Return a check that no other process can find by name."""

    def check(context: CheckContext) -> Finding:
        return squares(context)

    return check


def claim(name: str, check: Any) -> Claim:
    return Claim(
        id=f"broken.{name}",
        kind=Kind.THEOREM,
        source="broken",
        title=name,
        statement="$1=2$",
        check=check,  # some are broken on purpose
        expected=Status.HOLDS,
    )


RAISES = claim("raises", raises)
LEAVES = claim("leaves", leaves)
DIES = claim("dies", dies)
SLEEPS = claim("sleeps", sleeps)
RETURNS_NOTHING = claim("returns-nothing", returns_nothing)
LOCAL = claim("local", local_check())
UNEXPECTED = replace(SOUND[0], id="broken.unexpected", expected=Status.REFUTED)
TOO_WEAK = replace(SOUND[3], id="broken.weak", least={"quick": Strength.EXACT})

CLAIMS = (RAISES, SOUND[0], UNEXPECTED, TOO_WEAK)
