"""Run the command as ``python -m mechproof``."""

from __future__ import annotations

from mechproof.cli import main

if __name__ == "__main__":
    main(prog_name="mechproof")
