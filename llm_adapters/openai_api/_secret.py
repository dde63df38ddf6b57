"""A key that nothing shows."""

from __future__ import annotations

import logging
from base64 import b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import wraps
from itertools import accumulate
from typing import Any, Final, NoReturn, TypeVar
from urllib.parse import quote_from_bytes
from weakref import WeakSet

__all__ = ["Secret"]

T = TypeVar("T")
R = TypeVar("R")
Place = tuple[str | None, ...]

_SHOWN: Final = "[key]"
_LOGGERS: Final = (
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.proxy",
    "httpx2",
    "openai._base_client",
)
_TELLING: Final = 4  # that many first characters of a key are not shown either
_LONG: Final = 8  # what is shorter is no secret, but a word such as EMPTY
_PART: Final = 12  # so many characters of a key in a row are not shown either


class _Logs(logging.Filter):
    """Takes keys out of what the libraries below log: they log the headers of answers."""

    def __init__(self) -> None:
        super().__init__()
        self._secrets: WeakSet[Secret] = WeakSet()

    def keep_out(self, secret: Secret) -> None:
        self._secrets.add(secret)
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self)

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        for secret in list(self._secrets):
            said = secret.redact(said)
        record.msg, record.args = said, ()
        return True


_LOGS: Final = _Logs()


def _without_frames(method: Callable[[Secret, T], R]) -> Callable[[Secret, T], R]:
    """Let what a method raises come without its frames, which hold the key."""

    @wraps(method)
    def call(self: Secret, given: T) -> R:
        try:
            return method(self, given)
        except BaseException as error:
            error.__cause__ = error.__context__ = None
            raise error.with_traceback(None) from None

    return call


class Secret:
    """A key, or none, which is neither shown nor written, nor where its case is changed.

    Examples
    --------
    >>> secret = Secret("abcd-1234-efgh")
    >>> secret
    Secret([key])
    >>> secret.redact("the key abcd-1234-efgh is not valid")
    'the key [key] is not valid'
    """

    __slots__ = ("__weakref__", "_compared", "_others", "_parts", "_value")

    def __init__(self, value: str | None) -> None:
        self._value = value
        self._others: tuple[Secret, ...] = ()
        self._compared = whole = self._as_compared(value or "")
        size = min(len(whole), _PART)
        self._parts = frozenset(
            whole[at : at + size] for at in range(len(whole) - size + 1) if whole
        )
        if value is not None:
            _LOGS.keep_out(self)

    def __bool__(self) -> bool:
        return self._value is not None

    def __repr__(self) -> str:
        return f"Secret({_SHOWN if self else 'none'})"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a key is not written")

    @property
    def header(self) -> tuple[bytes, bytes] | None:
        """The header that sends it."""
        return None if self._value is None else (b"Authorization", f"Bearer {self._value}".encode())

    @_without_frames
    def keep_login(self, login: tuple[bytes, bytes]) -> None:
        """Keep a user's password out of all texts, too, in the ways in which it is sent or named.

        A password of less than 4 characters is left where it stands alone.
        """
        user, password = login
        sent = b64encode(user + b":" + password).decode()
        forms = {password.decode("utf-8", "replace"), quote_from_bytes(password)}
        self._others = (Secret(sent), *(Secret(s) for s in forms if len(s) >= _TELLING))

    @_without_frames
    def redact(self, text: str) -> str:
        """Return text in which the key does not stand, nor the beginning of it at the end."""
        for other in self._others:
            text = other.redact(text)
        if self._value is None:
            return text
        [text] = self._blot([text])
        compared = self._as_compared(text)
        for length in range(min(len(self._value) - 1, len(text)), _TELLING - 1, -1):
            if compared.endswith(self._compared[:length]):
                return text[:-length] + _SHOWN
        return text

    def _as_compared(self, text: str) -> str:
        """Return text of the same length without regard to case; for words, as it is."""
        if len(self._value or "") < _LONG:
            return text
        folded = text.casefold()
        if len(folded) == len(text):  # no character becomes fewer
            return folded
        return "".join(low if len(low := c.casefold()) == 1 else c for c in text)

    def _blot(self, texts: Sequence[str]) -> list[str]:
        """Return texts without the key, or any long part of it, which may stand across them.

        Notes
        -----
        O(length of the texts): the places where parts stand are found first, and each text is put
        together once.
        """
        whole = "".join(texts)
        size = min(len(self._compared), _PART)
        compared = self._as_compared(whole)
        places = [
            at for at in range(len(whole) - size + 1) if compared[at : at + size] in self._parts
        ]
        if not places:
            return list(texts)
        apart = [i for i in range(1, len(places)) if places[i] - places[i - 1] >= size]
        starts = [places[i] for i in (0, *apart)]
        stops = [places[i - 1] + size for i in (*apart, len(places))]
        blotted = []
        for text, end in zip(texts, accumulate(map(len, texts)), strict=True):
            begin, at = end - len(text), 0
            kept = []
            for i in range(bisect_right(stops, begin), bisect_left(starts, end)):
                kept += [text[at : max(starts[i] - begin, 0)], _SHOWN]
                at = stops[i] - begin
            blotted.append("".join([*kept, text[at:]]))
        return blotted

    @_without_frames
    def clean(self, data: Any) -> Any:
        """Return JSON in which neither the key nor a long part of it stands in its texts.

        What stands at one place of all items of a list is read as one text: tokens come one by one.
        Keys of fewer than 8 characters are left where they are: servers that need none are often
        given a word for one, and models use words.
        """
        for other in self._others:
            data = other.clean(data)
        if self._value is None or len(self._value) < _LONG:
            return data
        texts: dict[Place, list[str]] = {}
        _map_texts(data, lambda place, text: texts.setdefault(place, []).append(text))
        cleaned = {place: iter(self._blot(some)) for place, some in texts.items()}
        return _map_texts(data, lambda place, text: next(cleaned[place]))


def _map_texts(data: Any, change: Callable[[Place, str], Any], place: Place = ()) -> Any:
    """Return JSON with its texts changed, each by its place: the keys that lead to it."""
    if isinstance(data, str):
        return change(place, data)
    if isinstance(data, list):
        return [_map_texts(item, change, place) for item in data]
    if isinstance(data, dict):
        return {
            change((*place, None), key): _map_texts(item, change, (*place, key))
            for key, item in data.items()
        }
    return data
