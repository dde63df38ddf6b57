"""Write a file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from secrets import token_hex
from stat import S_IMODE

from llm_adapters.files import real_path
from theory.errors import InvalidInputError

__all__ = ["check_writable", "write_whole"]

_READABLE = 0o666
"""The mode of a new file, less what the user masks."""
_OWN = 0o600
"""The mode of what is to replace a file."""
_RIGHTS = 0o777


def check_writable(path: Path, option: str) -> None:
    """Find out, before the work starts, whether ``path`` can be written.

    Raises
    ------
    InvalidInputError
        When it is a folder, or its folder is missing or closed to us, or it is a link that another
        user made in a folder where others may write; it names ``option``.
    """
    if os.path.isdir(path):
        raise InvalidInputError(option, str(path), "is a folder", "give the name of a file")
    try:
        real = real_path(path)
        if not _is_device(path):
            spare, file = _open_beside(real)
            os.close(file)
            spare.unlink()
    except (OSError, ValueError) as error:
        raise _unwritable(path, option, error) from error


def write_whole(path: Path, content: str | bytes, option: str) -> None:
    """Write beside ``path``, then put it in place in one step; into a device directly.

    What is written beside has a name that nobody can guess, and is new: no link is followed there.
    Where ``path`` is a link of the user's own, the file that it leads to is replaced and the link
    stays. A file that is replaced keeps its mode, less rights to run as its owner; until it is in
    place only the owner reads what replaces it.

    Raises
    ------
    InvalidInputError
        When that fails, or ``path`` is a link that another user made in a folder where others may
        write; the file is then as it was.
    """
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    try:
        real = real_path(path)
        if _is_device(path):
            with open(os.open(real, os.O_WRONLY | getattr(os, "O_BINARY", 0)), "wb") as device:
                device.write(data)
            return
        spare, file = _open_beside(real)
        try:
            with open(file, "wb") as stream:
                stream.write(data)
                if real.exists():
                    _set_mode(spare, file, S_IMODE(real.stat().st_mode) & _RIGHTS)
            os.replace(spare, real)
        finally:
            spare.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(path, option, error) from error


def _is_device(path: Path) -> bool:
    """Whether it is there and no file, such as a pipe: nothing may take its place."""
    return path.exists() and not path.is_file()


def _open_beside(real: Path) -> tuple[Path, int]:
    """Open a new file in the same folder; a file or link that has its name is an error."""
    spare = real.with_name(f".{real.name}.{token_hex(16)}.part")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return spare, os.open(spare, flags, _OWN if real.exists() else _READABLE)


def _set_mode(spare: Path, file: int, mode: int) -> None:
    if hasattr(os, "fchmod"):
        os.fchmod(file, mode)
    else:
        spare.chmod(mode)


def _unwritable(path: Path, option: str, error: OSError | ValueError) -> InvalidInputError:
    """Say why: the system refuses, or Python, where a NUL stands in the name."""
    why = (error.strerror if isinstance(error, OSError) else str(error)) or type(error).__name__
    return InvalidInputError(
        option,
        str(path),
        f"cannot be written ({why})",
        "give a path in a folder that you may write",
    )
