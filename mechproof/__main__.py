"""The program ``mechproof``, also run as ``python -m mechproof``."""

from __future__ import annotations

import sys

from mechproof.shadowing import HiddenPackageError, refuse_hidden

__all__ = ["main"]


def main() -> None:
    """Run the command, unless a file of the user's hides a package that it is made of."""
    try:
        refuse_hidden("theory")
    except HiddenPackageError as error:
        print(f"mechproof: {error}", file=sys.stderr)
        sys.exit(2)
    from mechproof.cli import main as command

    command(prog_name="mechproof")


if __name__ == "__main__":
    main()
