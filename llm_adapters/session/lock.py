"""A lock on an open file, which the system lifts when its process ends, however it ends."""

from __future__ import annotations

import sys

__all__ = ["locked"]

_FAR = 2**62  # beyond the end of any file, since Windows lets nobody read what is locked


if sys.platform == "win32":
    import msvcrt
    import os

    def locked(descriptor: int) -> bool:
        """Lock the file if nobody else has it open for writing; say whether that worked."""
        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
        return True

else:
    import fcntl

    def locked(descriptor: int) -> bool:
        """Lock the file if nobody else has it open for writing; say whether that worked."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
