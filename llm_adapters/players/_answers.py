"""The forms in which answers are given, made anew for every question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

from llm_adapters.players._answer_schemas import form_of

__all__ = ["decision_in", "prices_in", "verdicts_in"]

_CODE: Final = "code"
_LONGEST_DECISION: Final = 10_000


def verdicts_in(
    names: Iterable[str],
    verdicts: Sequence[str],
    code: str,
    problem: Callable[[Mapping[str, str]], str],
) -> tuple[type[Any], Callable[[Any], dict[str, str]]]:
    """Return the form for one verdict on each of the names, and what reads them from it.

    Nothing else may stand there, and the code must. ``problem`` says what is wrong with verdicts
    that are all there, or "".
    """
    kind: Any = Literal[tuple(verdicts)]
    return _form(dict.fromkeys(names, kind), code, problem)


def decision_in(
    options: Sequence[str], code: str, blank: str
) -> tuple[type[Any], Callable[[Any], str]]:
    """Return the form for a decision, for one of the options where there are any.

    ``blank`` stood in its place in the question, and is none.
    """
    kind: Any = Literal[tuple(options)] if options else str

    def problem(answer: Mapping[str, str]) -> str:
        decision = answer["decision"]
        said = decision.strip()
        if not said or (not options and said == blank):
            return "the decision is missing"
        return "" if len(decision) <= _LONGEST_DECISION else "the decision is too long"

    form, read = _form({"decision": kind}, code, problem)
    return form, lambda answer: str(read(answer)["decision"])


def prices_in(
    bounds: Mapping[str, tuple[float, float]],
    code: str,
    problem: Callable[[Mapping[str, Fraction]], str],
) -> tuple[type[Any], Callable[[Any], dict[str, Fraction]]]:
    """Return the form for a price or "keep" for each of the names, and what reads the prices.

    A price is the decimal as it is written, up to 15 digits; what is kept has none. The schema
    says from where to where each price may go; ``problem`` decides, since bounds are rounded.
    """

    def prices_of(said: Mapping[str, Any]) -> dict[str, Fraction]:
        return {
            name: Fraction(repr(price)) for name, price in said.items() if isinstance(price, float)
        }

    fields = {name: _price(*ends) for name, ends in bounds.items()}
    form, read = _form(fields, code, lambda said: problem(prices_of(said)))
    return form, lambda answer: prices_of(read(answer))


def _price(least: float, most: float) -> Any:
    from pydantic import Field

    ends: dict[str, Any] = {"minimum": least, "maximum": most}
    return Annotated[float, Field(json_schema_extra=ends)] | Literal["keep"]


def _form(
    fields: Mapping[str, Any], code: str, problem: Callable[[Mapping[str, Any]], str]
) -> tuple[type[Any], Callable[[Any], dict[str, Any]]]:
    """Return a form with the code and these fields, and what reads the fields from it."""
    word: Any = Literal[code]
    form, read = form_of({_CODE: word, **fields}, lambda said: problem(_without_code(said)))
    return form, lambda answer: _without_code(read(answer))


def _without_code(said: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in said.items() if name != _CODE}
