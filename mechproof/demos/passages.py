"""The passages of the demo of the information market, and what its stand-in does."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from mechanisms.market import Corpus, FactQuestion, Passage, Statement
from mechanisms.protocols import Message

__all__ = ["BUDGET", "QUESTION", "WORLD", "shopping_rule"]

_BORN: Final = Statement("Mira Tolle", "birthplace", "Hallin")
_TAUGHT: Final = Statement("Mira Tolle", "teacher", "Otto Brun")
_RIVER: Final = Statement("Hallin", "river", "Sunne")

QUESTION: Final = FactQuestion("tolle", "Mira Tolle", ("birthplace", "river"), worth=10)
BUDGET: Final = Fraction(12)


_LIFE: Final = "The painter Mira Tolle was born in Hallin, the second of five children."
_TEACHERS: Final = "Mira Tolle learned to paint from Otto Brun."
_EARLY: Final = "Mira Tolle keeps three cats and paints on Sundays."
_WATER: Final = "Hallin lies on the Sunne, where it bends."
_GUIDE: Final = "A bridge of oak leads over the river Sunne into Hallin."
_PIKE: Final = "The Sunne is cold and full of pike."
_EARLY_TITLE: Final = "The birthplace of Mira Tolle, and her early years"

WORLD: Final = Corpus(
    tuple(
        Passage(name, owner, price, title, text, frozenset(states), frozenset(promises))
        for name, owner, price, title, text, states, promises in (
            ("life", "Archive", 4, "Mira Tolle, a life", _LIFE, [_BORN], [_BORN]),
            ("teachers", "Archive", 3, "Mira Tolle and her teachers", _TEACHERS, [_TAUGHT], []),
            ("early-years", "Gazette", 6, _EARLY_TITLE, _EARLY, [], [_BORN]),
            ("water", "Gazette", 5, "Hallin and its river", _WATER, [_RIVER], [_RIVER]),
            ("guide", "Traveller", 9, "Hallin, a guide", _GUIDE, [_RIVER], []),
            ("pike", "Traveller", 2, "Rivers of the north", _PIKE, [], []),
        )
    ),
    (QUESTION,),
    frozenset([_BORN, _TAUGHT, _RIVER]),
)
"""What is on sale: one title is wrong, one fact is sold twice, two passages do not help."""


# --- a stand-in for the model of a buyer

_BIRTH: Final = "born in Hallin"
_LIES: Final = "lies on the Sunne"
_FOLLOWING: Final = "What is the river of Hallin?"
_TITLES: Final = ("birthplace", "its river")


def shopping_rule(messages: Sequence[Message], schema: Mapping[str, object] | None) -> str:
    """Return what the stand-in says: it buys what states a fact about somebody in the question.

    Of titles alone it believes those that name what is asked for. It answers by what was bought,
    and asks on where it knows the town and not the river.
    """
    if schema is None:
        if "You speak against buying" in messages[-1].content:
            return "What does not state the missing fact is worth nothing, whatever it costs."
        return "What states the missing fact is worth its price."
    told = " ".join(" ".join(m.content for m in messages).replace("|", " ").split())
    fields: Any = schema["properties"]
    return json.dumps({name: _field(name, field, told) for name, field in fields.items()})


def _field(name: str, field: Mapping[str, Any], told: str) -> object:
    born, river = _BIRTH in told, _LIES in told
    if "const" in field:
        return field["const"]
    if name == "questions":
        return [_FOLLOWING] if born and not river else []
    if name == "answer":
        if river:
            return "The river is the Sunne."
        return "Mira Tolle was born in Hallin." if born else "not known"
    asked = _FOLLOWING in told
    shown = told.partition(f"{name}: ")[2].partition("offer ")[0]
    titled = _TITLES[asked] in shown
    stated = (_LIES if asked else _BIRTH) in shown
    return "buy" if (titled if "titles alone" in told else stated) else "pass"
