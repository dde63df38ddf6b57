"""Inspection on several levels: offers that help to choose among offers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from mechproof.demos import inspection
from mechproof.demos._transcript import Transcript
from mechproof.demos.case import BICYCLES
from mechproof.demos.demo import Count
from mechproof.demos.models import Participants

__all__ = ["DEMO"]


def _play(who: Participants, text: Transcript, **options: Any) -> inspection.InspectionDemo:
    return inspection.play(BICYCLES, who.chat, text, **options)


DEMO: Final = replace(
    inspection.DEMO,
    name="recursive-inspection",
    about="Do the same with offers that help to choose among offers, on up to three levels.",
    play=_play,
    rule=BICYCLES.rule,
    options={**inspection.DEMO.options, "depth": Count(3, 0, 3)},
)
