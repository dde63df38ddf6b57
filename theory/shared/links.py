"""Links in folders where others may write: whoever planted one chose the file behind it."""

from __future__ import annotations

import errno
import os
from stat import S_ISLNK
from typing import Final

__all__ = ["is_foreign", "refuse_foreign_links"]

_SHARED: Final = 0o022
_MOST_LINKS: Final = 40
"""How many links are followed one after the other; a system follows no more."""


def refuse_foreign_links(path: str, left: int = _MOST_LINKS) -> None:
    """Refuse a path if any link on the way to its file is one that another user planted.

    Raises
    ------
    PermissionError
        Where a link on the way stands in a folder where others may write, and was made neither by
        the user nor by the owner of that folder. Systems without users refuse none.
    """
    if not hasattr(os, "geteuid"):
        return
    whole = os.path.join(os.getcwd(), path)
    ends = [at for at, sign in enumerate(whole) if at and sign == os.sep]
    for place in (*(whole[:end] for end in ends), whole):
        try:
            found = os.lstat(place)
        except OSError:  # nothing is there yet, or resolving says what is wrong
            return
        if not S_ISLNK(found.st_mode):
            continue
        folder = os.stat(os.path.dirname(place))
        if is_foreign(os.geteuid(), found.st_uid, folder.st_uid, folder.st_mode):
            raise PermissionError(errno.EACCES, "its path leads over a link that another user made")
        if left:
            target = os.path.join(os.path.dirname(place), os.readlink(place))
            refuse_foreign_links(target, left - 1)


def is_foreign(user: int, link: int, folder: int, folder_mode: int) -> bool:
    """Whether a link is not to be followed: by its owner, and the owner and mode of its folder.

    That of the folder's owner is, as Linux follows it: a group keeps links to its disks that way.
    """
    return bool(folder_mode & _SHARED) and link not in (user, folder)
