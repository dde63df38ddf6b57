"""What participants may do wrong in any mechanism, and how it is put down to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mechanisms.errors import ParticipantError
from theory.errors import InvalidInputError

__all__ = ["blame", "describe_object", "plain", "read_observer"]


@contextmanager
def blame(kind: type[ParticipantError], participant: str, where: str, fix: str) -> Iterator[None]:
    """Turn whatever a participant raises into an error that names it.

    That is any exception, ``SystemExit`` too; only ``KeyboardInterrupt`` passes, since it comes
    from who runs the program.
    """
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise kind(participant, f"raised {describe_object(error)} {where}", fix) from error


def describe_object(thing: object, write: Callable[[object], str] = repr) -> str:
    """Return what a thing of a participant says of itself, or its kind where it cannot say."""
    try:
        return write(thing)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return type(thing).__name__


def plain(text: object) -> str | None:
    """Return text without whatever a subclass of ``str`` may carry; None for what is not text."""
    return str.__str__(text) if isinstance(text, str) else None


def read_observer(argument: str, given: Any) -> Callable[[Any], object]:
    """Return what is to be told of each question: a function that does nothing in place of None.

    Raises
    ------
    InvalidInputError
        For what cannot be called.
    """
    if given is None:
        return lambda ask: None
    if not callable(given):
        raise InvalidInputError(argument, given, "is no function", "give a function of the Ask")
    observer: Callable[[Any], object] = given
    return observer
