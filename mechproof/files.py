"""Write a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from theory.errors import InvalidInputError

__all__ = ["check_writable", "write_whole"]


def check_writable(path: Path, option: str) -> None:
    """Find out, before the work starts, whether ``path`` can be written.

    Raises
    ------
    InvalidInputError
        When it is a folder, or its folder is missing or closed to us; it names ``option``.
    """
    if path.is_dir():
        raise InvalidInputError(option, str(path), "is a folder", "give the name of a file")
    if _is_device(path):
        return
    spare = _spare(path)
    try:
        spare.touch(exist_ok=False)
        spare.unlink()
    except OSError as error:
        raise _unwritable(path, option, error) from error


def write_whole(path: Path, text: str, option: str) -> None:
    """Write ``text`` beside ``path``, then put it in place in one step; into a device directly.

    Raises
    ------
    InvalidInputError
        When that fails; ``path`` is then as it was.
    """
    spare = _spare(path)
    try:
        if _is_device(path):
            path.write_text(text, encoding="utf-8", newline="\n")
            return
        try:
            spare.write_text(text, encoding="utf-8", newline="\n")
            os.replace(spare, path.resolve())
        finally:
            spare.unlink(missing_ok=True)
    except OSError as error:
        raise _unwritable(path, option, error) from error


def _is_device(path: Path) -> bool:
    """Whether it is there and no file, such as a pipe: nothing may take its place."""
    return path.exists() and not path.is_file()


def _spare(path: Path) -> Path:
    real = path.resolve()
    return real.with_name(f".{real.name}.{os.getpid()}.part")


def _unwritable(path: Path, option: str, error: OSError) -> InvalidInputError:
    why = error.strerror or type(error).__name__
    return InvalidInputError(
        option,
        str(path),
        f"cannot be written ({why})",
        "give a path in a folder that you may write",
    )
