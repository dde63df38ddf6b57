"""What is held open and shared: in a with statement, by its copies, and in no file."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, NoReturn, Self

from llm_adapters.errors import AdapterError

__all__ = ["Held"]


class Held(ABC):
    """Something that is closed at the end, and is its own copy."""

    @abstractmethod
    def close(self) -> None:
        """Let go of it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __deepcopy__(self, memo: object) -> Self:
        """Return itself: copies of a participant spend from one budget, and write one record."""
        return self

    def __copy__(self) -> Self:
        """Return itself."""
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        fix = "make it anew where it is needed; what was answered is in its record"
        raise AdapterError("a session, and what uses one, is not written to a file", fix)
