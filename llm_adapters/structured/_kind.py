"""What an answer must be, as pydantic checks it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing import quoted
from theory.errors import InvalidInputError

__all__ = ["Kind", "kind_of"]

_FIX: Final = "answer with what was asked for"
_TOLD: Final = 5
"""How many faults of one answer are told."""
_LONGEST: Final = 300
"""How many characters of a path or a message are told."""


class Kind:
    """A type, with its JSON Schema.

    Parameters
    ----------
    kind : type
        What pydantic makes a ``TypeAdapter`` of.

    Raises
    ------
    InvalidInputError
        Where it makes none, or the type has no JSON Schema.
    """

    def __init__(self, kind: Any) -> None:
        from pydantic import TypeAdapter

        fix = "give a pydantic model, or a type such as Literal['buy', 'pass']"
        try:
            self._adapter: Any = TypeAdapter(kind)
            self.schema: dict[str, object] = self._adapter.json_schema()
        except Exception as error:
            problem = f"is not a type that pydantic can state ({type(error).__name__})"
            raise InvalidInputError("kind", kind, problem, fix) from error

    def of_json(self, text: str) -> Any:
        """Return the value that JSON stands for.

        Raises
        ------
        UnreadableError
            Where it is no such value.
        """
        return self._validated(self._adapter.validate_json, text)

    def of_value(self, value: Any) -> Any:
        """Return a value that is one of this kind already.

        Raises
        ------
        UnreadableError
            Where it is not.
        """
        return self._validated(self._adapter.validate_python, value)

    @staticmethod
    def _validated(validate: Any, given: Any) -> Any:
        from pydantic import ValidationError

        try:
            return validate(given, strict=True)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_context=False)
            raise UnreadableError(_told(faults), _FIX) from None


def kind_of(kind: Any) -> Kind:
    """Return what a type comes to; for a class that was there before it is not worked out again.

    Other types are: ``Literal["a", "b"]`` equals ``Literal["b", "a"]``, and has another schema.
    """
    is_class = isinstance(kind, type) and not hasattr(kind, "__origin__")
    return _known(kind) if is_class else Kind(kind)


@lru_cache(maxsize=64)
def _known(kind: Any) -> Kind:
    return Kind(kind)


def _told(faults: Sequence[Any]) -> str:
    told = []
    for fault in faults[:_TOLD]:
        where = ".".join(str(step) for step in fault["loc"])[:_LONGEST] or "the answer"
        got = "" if fault["type"] == "missing" else f" (got {quoted(repr(fault['input']))})"
        told.append(f"{where}: {fault['msg'][:_LONGEST]}{got}")
    if len(faults) > _TOLD:
        told.append(f"and {len(faults) - _TOLD} more")
    return "; ".join(told)
