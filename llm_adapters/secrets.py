"""What may be a key or a password: by the name that it has, or by what it looks like."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

__all__ = [
    "HIDDEN",
    "is_secret_name",
    "kept_in_environment",
    "redact",
    "redact_json",
    "remove_secrets",
]

HIDDEN: Final = "[key]"
"""What stands in the place of a secret."""

_LONG: Final = 8  # what is shorter is no secret, but a word such as EMPTY
_SHORT: Final = 4
_WITHIN: Final = (
    "apikey|authorization|passw(or)?d|passphrase|secret|credential|cookie|bearer|headers?$"
    "|(access|private|secret|signing)key"
)
_WHOLE: Final = (
    "auth|key|pwd|(api|access|auth|bearer|client|hf|id|refresh|security|service|session|user)?token"
)
_NAME: Final = re.compile(f".*({_WITHIN}).*|{_WHOLE}", re.DOTALL)
_EVERYDAY: Final = frozenset({"key", "header", "headers"})
_LOOKS: Final = re.compile(
    r"\b(sk|pk|rk)[-_][\w-]{16,}"
    r"|\b(AKIA|ASIA)[0-9A-Z]{16}\b"
    r"|\b(gh[pousr]|github_pat|hf|npm)_\w{16,}"
    r"|\bglpat-[\w-]{16,}|\bAIza[\w-]{30,}|\bxox[abeprs]-[\w-]{10,}"
    r"|\beyJ([\w-]{8,500}\.[\w-]{4,}\.[\w-]*|[\w-]{500,}[\w.-]*)"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(.*?-----END [A-Z ]{0,40}PRIVATE KEY-----|.*)",
    re.DOTALL,
)
_AFTER: Final = re.compile(
    r"(?P<before>\b(bearer|basic)\s+)(?=\S*[\d=]|\S{16})[\w.~+/=-]{6,}"
    r"|(?P<user>://[^/\s:@]{0,200}:)[^/\s@]{1,200}(?=@)"
    r"|(?P<name>(api[_-]?key|passw(or)?d|passphrase|secret|credentials?|authorization|cookie|pwd"
    r"|(access|private|secret|signing)[_-]?key|(access|api|auth|id|refresh|session)[_-]?token)s?"
    r"[\"']?\s{0,9}[=:]\s{0,9}(b?\"|b?'|))(?=\S)[^\"'\s,;&]+( [\w.~+/=-]{16,})?"
    r"|(?P<query>[?&](key|token|sig|signature)=)[^&\s\"']+",
    re.IGNORECASE,
)


def is_secret_name(name: str, *, everyday: bool = True) -> bool:
    """Whether what has this name may be a secret.

    Parameters
    ----------
    name : str
    everyday : bool
        Whether ``key`` and ``headers`` are such names, which in other places are everyday words.
    """
    plain = re.sub(r"[\W_]", "", name).casefold()
    return bool(_NAME.fullmatch(plain)) and (everyday or plain not in _EVERYDAY)


def kept_in_environment() -> tuple[str, ...]:
    """Return the values of environment variables whose names say that they are secret."""
    return tuple(v for k, v in os.environ.items() if len(v) >= _LONG and is_secret_name(k))


def redact(text: str, known: Iterable[str] = ()) -> str:
    """Return a text without what looks like a key or a password, and without those ``known``.

    Examples
    --------
    >>> redact("password=hunter2 at https://ann:pass@example.com")
    'password=[key] at https://ann:[key]@example.com'
    """
    return _AFTER.sub(_without, _LOOKS.sub(HIDDEN, remove_secrets(text, known)))


def remove_secrets(text: str, known: Iterable[str]) -> str:
    """Return a text without the secrets that are known; those of less than 4 characters stay."""
    for secret in sorted(set(known), key=len, reverse=True):
        if len(secret) >= _SHORT:
            text = text.replace(secret, HIDDEN)
    return text


def redact_json(data: Any, known: Iterable[str] = ()) -> Any:
    """Return JSON whose texts are redacted, those with names of secrets altogether."""
    return _redact_parts(data, tuple(known))


def _redact_parts(data: Any, known: tuple[str, ...]) -> Any:
    if isinstance(data, str):
        return redact(data, known)
    if isinstance(data, list):
        return [_redact_parts(item, known) for item in data]
    if isinstance(data, Mapping):
        return dict(_redact_items(data, known))
    return data


def _redact_items(data: Mapping[str, Any], known: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    for name, item in data.items():
        hidden = isinstance(item, str) and is_secret_name(name, everyday=False)
        yield redact(name, known), HIDDEN if hidden and item else _redact_parts(item, known)


def _without(found: re.Match[str]) -> str:
    before = (found[group] for group in ("before", "user", "name", "query"))
    return next(text for text in before if text is not None) + HIDDEN
