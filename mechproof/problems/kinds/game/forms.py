"""The four forms in which a problem of the kind ``game`` states its game."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from mechproof.problems.format.reading import DocumentError, child
from mechproof.problems.format.schema import having

__all__ = ["ANSWER_CONSTRAINT", "PROBLEM_CONSTRAINT", "check_form"]

_EXTENSIVE: Final = {
    "efg": {"efg"},
    "a tree or its players": {"players", "tree"},
}
_STRATEGIC: Final = {
    "nfg": {"nfg"},
    "payoffs or their players and actions": {"players", "actions", "payoffs"},
}
_FORMS: Final = _EXTENSIVE | _STRATEGIC
_FIELDS: Final = set().union(*_FORMS.values())
_TO_DO: Final = ("distribution", "plays", "compute", "objective")
"""What only a game in strategic form may have."""

_OF_EXTENSIVE: Final = ("size", "recall", "subgame_perfect", "pure_equilibria")
_OF_STRATEGIC: Final = ("actions", "words")


def check_form(given: Collection[str]) -> None:
    """Refuse fields of a problem that state no game, several, or do not go with their form.

    Raises
    ------
    DocumentError
        With the path of the field, or of the whole.
    """
    form = _FIELDS.intersection(given)
    if form not in _FORMS.values():
        raise DocumentError(_explain_form(form), path="$")
    if form in _EXTENSIVE.values():
        for field in _TO_DO:
            if field in given:
                wrong = "is for games in strategic form: give nfg, or players, actions and payoffs"
                raise DocumentError(wrong, path=child("$", field))


def _explain_form(form: set[str]) -> str:
    if any(form < fields for fields in _FORMS.values()):
        return (
            "has neither efg, nor players and a tree, nor nfg, nor players, actions and payoffs: "
            "add one"
        )
    found = [words for words, fields in _FORMS.items() if form & (fields - {"players"})]
    if len(found) == 1:
        found.append("players")
    return f"has both {' and '.join(found)}: keep one"


def _form(fields: set[str], *, strategic: bool) -> dict[str, Any]:
    without = _FIELDS - fields if strategic else {*(_FIELDS - fields), *_TO_DO}
    return having(*sorted(fields), without=sorted(without))


PROBLEM_CONSTRAINT: Final = {
    "oneOf": [
        *(_form(fields, strategic=False) for fields in _EXTENSIVE.values()),
        *(_form(fields, strategic=True) for fields in _STRATEGIC.values()),
    ]
}
ANSWER_CONSTRAINT: Final = {
    "oneOf": [
        having(*_OF_EXTENSIVE, without=[*_OF_STRATEGIC, "given", "played", "computed"]),
        having(*_OF_STRATEGIC, without=[*_OF_EXTENSIVE, "mixed_equilibrium", "optimum"]),
    ]
}
