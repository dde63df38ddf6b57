"""The forms in which answers are given, made anew for every question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

__all__ = ["decision_in", "prices_in", "verdicts_in"]

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
    fields = {_field(k): (kind, name) for k, name in enumerate(names)}

    def verdicts_of(answer: Any) -> dict[str, str]:
        return {name: getattr(answer, field) for field, (_, name) in fields.items()}

    return _form(fields, code, lambda answer: problem(verdicts_of(answer))), verdicts_of


def decision_in(
    options: Sequence[str], code: str, blank: str
) -> tuple[type[Any], Callable[[Any], str]]:
    """Return the form for a decision, for one of the options where there are any.

    ``blank`` stood in its place in the question, and is none.
    """
    kind: Any = Literal[tuple(options)] if options else str

    def problem(answer: Any) -> str:
        said = answer.decision.strip()
        if not said or (not options and said == blank):
            return "the decision is missing"
        return "" if len(answer.decision) <= _LONGEST_DECISION else "the decision is too long"

    return _form({"decision": (kind, "decision")}, code, problem), lambda answer: answer.decision


def prices_in(
    bounds: Mapping[str, tuple[float, float]],
    code: str,
    problem: Callable[[Mapping[str, Fraction]], str],
) -> tuple[type[Any], Callable[[Any], dict[str, Fraction]]]:
    """Return the form for a price or "keep" for each of the names, and what reads the prices.

    A price is the decimal as it is written, up to 15 digits; what is kept has none. The schema
    says from where to where each price may go; ``problem`` decides, since bounds are rounded.
    """
    fields: dict[str, tuple[Any, str]] = {
        _field(k): (_price(*ends), name) for k, (name, ends) in enumerate(bounds.items())
    }

    def prices_of(answer: Any) -> dict[str, Fraction]:
        given = {name: getattr(answer, field) for field, (_, name) in fields.items()}
        return {
            name: Fraction(repr(price)) for name, price in given.items() if isinstance(price, float)
        }

    return _form(fields, code, lambda answer: problem(prices_of(answer))), prices_of


def _price(least: float, most: float) -> Any:
    from pydantic import Field

    ends: dict[str, Any] = {"minimum": least, "maximum": most}
    return Annotated[float, Field(json_schema_extra=ends)] | Literal["keep"]


def _field(number: int) -> str:
    return f"field_{number}"


def _form(
    fields: Mapping[str, tuple[Any, str]], code: str, problem: Callable[[Any], str]
) -> type[Any]:
    """Return a model with the code and these fields, each a kind and its name in the answer."""
    from pydantic import ConfigDict, Field, create_model, model_validator
    from pydantic_core import PydanticCustomError

    def checked(answer: Any) -> Any:
        if wrong := problem(answer):
            raise PydanticCustomError("answer", "{problem}", {"problem": wrong})
        return answer

    word: Any = Literal[code]
    validators: dict[str, Any] = {"checked": model_validator(mode="after")(checked)}
    given: dict[str, Any] = {
        field: (kind, Field(alias=name)) for field, (kind, name) in fields.items()
    }
    kind: type[Any] = create_model(
        "Answer",
        __config__=ConfigDict(extra="forbid", strict=True, allow_inf_nan=False),
        __validators__=validators,
        code=(word, Field()),
        **given,
    )
    return kind
