"""The program ``mechproof``, also run as ``python -m mechproof``."""

from __future__ import annotations

import os
import sys
from typing import Final

from mechproof.hidden_packages import HiddenPackageError, refuse_hidden

__all__ = ["main"]

_WITHOUT_OUTPUT: Final = "demo"
"""Of a demo, the record is worth something where nobody reads the transcript."""
_LAST_STREAM: Final = 2


def main() -> None:
    """Run the command, unless a file of the user's hides a package that it is made of.

    Where standard output is closed nothing is run: what is found could not be told.
    """
    _occupy_closed_streams()
    if sys.stdout is None and sys.argv[1:2] != [_WITHOUT_OUTPUT]:
        print("mechproof: standard output is closed: nothing can be printed", file=sys.stderr)
        sys.exit(2)
    try:
        refuse_hidden("theory")
    except HiddenPackageError as error:
        shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(error))
        print(f"mechproof: {shown}", file=sys.stderr)
        sys.exit(2)
    from mechproof.cli import main as command

    command(prog_name="mechproof")


def _occupy_closed_streams() -> None:
    """Let no file that is opened get the number of a standard stream that is closed."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
        pass
    os.close(number)


if __name__ == "__main__":
    main()
