"""The words of an .nfg text."""

from __future__ import annotations

from typing import ClassVar

from theory import _gambit_text
from theory._gambit_text import GambitTextError

__all__ = ["NfgError", "Tokens"]


class NfgError(GambitTextError):
    """Text that is no game in Gambit's strategic format: what is wrong, and where.

    Parameters
    ----------
    line, column : int
        Where the token begins, counted from 1.
    token : str
        The token as it is written; empty at the end of the text.
    problem, fix : str
        What is wrong, and what to write instead.
    """


class Tokens(_gambit_text.Tokens):
    """A text read word by word, which raises :class:`NfgError`."""

    failure: ClassVar[type[GambitTextError]] = NfgError
