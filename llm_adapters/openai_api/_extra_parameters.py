"""What else goes into requests, without secrets: all of it stands in the record."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from llm_adapters.openai_api._secret import Secret
from llm_adapters.secrets import is_secret_name
from llm_adapters.session.request import copy_canonical
from theory.errors import InvalidInputError

__all__ = ["read_extra"]

_CLIENT: Final = frozenset({"extra_headers", "extra_query", "extra_body", "timeout"})
_VALUE: Final = re.compile(r"\s*(bearer|basic)\s+\S{6}", re.IGNORECASE)


def read_extra(extra: Any, taken: frozenset[str], secret: Secret) -> dict[str, Any]:
    """Return what else goes into requests, as JSON of its own.

    Parameters
    ----------
    extra
    taken : frozenset of str
        What is set elsewhere.
    secret : Secret
        The key that must not stand there.

    Raises
    ------
    InvalidInputError
        For what is not a mapping of JSON, names what is set elsewhere or an option of the client,
        or holds at any depth what may be a key: by its name, or by what it is.
    """
    if extra is None:
        return {}
    if not isinstance(extra, Mapping) or not all(isinstance(name, str) for name in extra):
        fix = 'give a dict such as {"min_p": 0}'
        raise InvalidInputError("extra", extra, "is not a dict of parameters", fix)
    for name in extra:
        if name in taken:
            fix = "leave it out: the adapter sets it"
            raise InvalidInputError("extra", name, "is set elsewhere", fix)
        if name in _CLIENT:
            fix = "give the parameters of the server themselves, and time_limit= to the session"
            raise InvalidInputError("extra", name, "is an option of the client", fix)
    found = copy_canonical("extra", extra)[1]
    for place in _secrets("", found, secret):
        fix = "leave it out, and give a key as key=: what stands in extra is recorded"
        raise InvalidInputError("extra", place, "may hold a key", fix)
    return found


def _secrets(place: str, value: Any, secret: Secret) -> Iterator[str]:
    """Yield where secrets may stand; properties of a schema may have any name."""
    if isinstance(value, str) and (_VALUE.match(value) or secret.clean(value) != value):
        yield place
    if isinstance(value, dict):
        for name, item in value.items():
            below = f"{place}.{name}" if place else name
            stated = isinstance(item, dict) and place.endswith("properties")
            if secret.clean(name) != name:
                yield place or "the name of a parameter"
            elif not stated and is_secret_name(name):
                yield below
            else:
                yield from _secrets(below, item, secret)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _secrets(f"{place}[{number}]", item, secret)
