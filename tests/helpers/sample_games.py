"""Games that the literature knows, for the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

from theory.games import Game, Tree, chance, choice, end


def bimatrix(payoffs: Mapping[tuple[str, str], tuple[object, object]], title: str = "") -> Game:
    """Two players move at once: what each pair of moves pays."""
    rows = dict.fromkeys(row for row, _ in payoffs)
    columns = dict.fromkeys(column for _, column in payoffs)
    tree = choice(
        "row",
        "row",
        {r: choice("column", "column", {c: end(*payoffs[r, c]) for c in columns}) for r in rows},
    )
    return Game.of(("row", "column"), tree, title)


def matching_pennies() -> Game:
    """No equilibrium in pure strategies."""
    sides = ("heads", "tails")
    return bimatrix({(a, b): (1, -1) if a == b else (-1, 1) for a in sides for b in sides})


def entry_deterrence() -> Game:
    """The incumbent's threat to fight is empty."""
    answer = choice("incumbent", "entry", {"fight": end(-1, -1), "share": end(1, 1)})
    tree = choice("entrant", "start", {"out": end(0, 2), "in": answer})
    return Game.of(("entrant", "incumbent"), tree)


def absent_minded_driver() -> Game:
    """Piccione and Rubinstein (1997): two crossings that look alike."""
    second = choice("driver", "crossing", {"exit": end(4), "on": end(1)})
    tree = choice("driver", "crossing", {"exit": end(0), "on": second})
    return Game.of(("driver",), tree)


def forgetful(pays: Sequence[int]) -> Game:
    """One player moves up or down twice and has forgotten the first move at the second."""
    later = [
        choice("ann", "second", {"up": end(pays[n]), "down": end(pays[n + 1])}) for n in (0, 2)
    ]
    return Game.of(("ann",), choice("ann", "first", {"up": later[0], "down": later[1]}))


def kuhn_poker() -> Game:
    """Kuhn (1950), A simplified two-person poker: three cards, one bet."""

    def showdown(stake: int, wins: bool) -> Tree:
        return end(stake, -stake) if wins else end(-stake, stake)

    def deal(mine: str, yours: str) -> Tree:
        wins = "JQK".index(mine) > "JQK".index(yours)
        raised = {"fold": end(-1, 1), "call": showdown(2, wins)}
        checked = {
            "check": showdown(1, wins),
            "bet": choice("first", f"{mine} check bet", raised),
        }
        bet = {"fold": end(1, -1), "call": showdown(2, wins)}
        return choice(
            "first",
            mine,
            {
                "check": choice("second", f"{yours} after check", checked),
                "bet": choice("second", f"{yours} after bet", bet),
            },
        )

    deals = {f"{a}{b}": ("1/6", deal(a, b)) for a, b in permutations("JQK", 2)}
    return Game.of(("first", "second"), chance(deals), "Kuhn poker")
