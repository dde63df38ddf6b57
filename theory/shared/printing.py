"""Printing where standard output takes few signs, such as ASCII alone."""

from __future__ import annotations

import codecs
import io

__all__ = ["PLAIN", "make_printable"]

PLAIN = "mechproof.plain"
"""The name under which ``open`` and ``reconfigure`` know how such signs are replaced."""

_SIGNS = str.maketrans(
    {"─": "-", "│": "|", "├": "+", "└": "+", "–": "-", "—": "-", "−": "-"}
    | {"…": "...", "“": '"', "”": '"', "‘": "'", "’": "'"}
)


def _replace_unprintable(error: UnicodeError) -> tuple[str, int]:
    """Replace what cannot be encoded: lines by hyphens and bars, other signs by question marks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    plain = "".join(new if new.isascii() else "?" for new in (s.translate(_SIGNS) for s in signs))
    return plain, error.end


codecs.register_error(PLAIN, _replace_unprintable)


def make_printable(stream: object) -> None:
    """Let a stream replace the signs that its encoding lacks, where it would raise an error.

    Streams that can write all that the library prints, and those that already replace what they
    cannot write, stay as they are.

    Examples
    --------
    >>> import io
    >>> stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    >>> make_printable(stream)
    >>> print("gain ── 2 ε", file=stream, end="", flush=True)
    >>> stream.buffer.getvalue()
    b'gain -- 2 ?'
    """
    if not isinstance(stream, io.TextIOWrapper) or stream.errors != "strict":
        return
    try:
        "─…ℝ≥²".encode(stream.encoding)
    except UnicodeEncodeError:
        stream.reconfigure(errors=PLAIN)
