"""Games into text in Gambit's strategic format (.nfg)."""

from __future__ import annotations

from fractions import Fraction
from math import prod
from typing import Final

import numpy as np

from theory._gambit_text import enclose_in_braces, format_number, quote_name
from theory.normal_form.game import NormalFormGame
from theory.shared.arguments import instance_of

__all__ = ["to_nfg"]

_ZEROS: Final = {"0", "0.0", "-0.0"}


def to_nfg(game: NormalFormGame, *, outcomes: bool = False) -> str:
    """Return a game as text in Gambit's strategic format, version 1.

    The body is a list of payoffs, or with ``outcomes`` the list of distinct payoff vectors and
    each profile's number in it, 0 where nothing is paid. :func:`~theory.normal_form.from_nfg` gives
    the same game back. Floats are written with the fewest digits that tell them apart, under the
    data type "D"; read back, they are the decimals that were written.

    Raises
    ------
    InvalidInputError
        For what is no game.
    NumberError
        For a number of more digits than are read back.

    Notes
    -----
    O(players x profiles). Gambit 16.7 itself takes names of printable ASCII only, and reads more
    than one backslash where there is one.

    Examples
    --------
    >>> print(to_nfg(NormalFormGame.zero_sum([[1, 0], ["1/2", 3]], title="Duel")), end="")
    NFG 1 R "Duel" { "player 1" "player 2" }
    { { "0" "1" }
      { "0" "1" } }
    ""
    <BLANKLINE>
    1 -1
    1/2 -1/2
    0 0
    3 -3
    """
    instance_of("game", game, NormalFormGame, "use NormalFormGame.of")
    players = enclose_in_braces(map(quote_name, game.players))
    own = [enclose_in_braces(map(quote_name, names)) for names in game.actions]
    head = [f"NFG 1 {'R' if game.exact else 'D'} {quote_name(game.title)} {players}"]
    head += ["{ " + "\n  ".join(own) + " }", '""', ""]
    body = _outcomes(_cells(game)) if outcomes else [" ".join(cell) for cell in _cells(game)]
    return "\n".join([*head, *body]) + "\n"


def _cells(game: NormalFormGame) -> list[tuple[str, ...]]:
    """Return each profile's payoffs as text, the first player's action varying fastest."""
    places = np.arange(prod(game.shape)).reshape(game.shape).transpose().ravel()
    rows = game.payoffs[:, places].scalars()
    return [tuple(map(_number, cell)) for cell in zip(*rows, strict=True)]


def _number(value: object) -> str:
    return format_number(value) if isinstance(value, Fraction) else repr(value)


def _outcomes(cells: list[tuple[str, ...]]) -> list[str]:
    numbers: dict[tuple[str, ...], int] = {}
    listed = []
    indices = []
    for cell in cells:
        if set(cell) <= _ZEROS:
            indices.append("0")
            continue
        if cell not in numbers:
            numbers[cell] = len(numbers) + 1
            listed.append(f'{{ "" {", ".join(cell)} }}')
        indices.append(str(numbers[cell]))
    return ["{", *listed, "}", " ".join(indices)]
