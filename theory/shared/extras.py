"""What the optional packages are, and the command that installs them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["EXTRAS", "install_command"]

EXTRAS: Final[Mapping[str, tuple[str, ...]]] = {
    "cvxpy": ("cvxpy>=1.7",),
    "openai": ("openai>=3.54",),
    "local": ("accelerate>=1.1", "gguf>=0.17", "torch>=2.6", "transformers>=5.0"),
    "smt": ("z3-solver>=4.13",),
    "cvc5": ("cvc5>=1.2",),
    "pandas": ("pandas>=2.2",),
    "polars": ("polars>=1.20",),
}
"""The extras of pyproject.toml."""


def install_command(extra: str, *options: str) -> str:
    """Return the command that installs the packages of an extra.

    It names the packages themselves: the name of this library with an extra behind it works only
    where pip finds the library under that name.

    Examples
    --------
    >>> install_command("smt")
    "pip install 'z3-solver>=4.13'"
    """
    return " ".join(["pip install", *options, *(f"'{package}'" for package in EXTRAS[extra])])
