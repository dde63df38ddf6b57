"""Worked examples of the kind ``game``: a tree, and after it tables, behind marks of comments."""

from __future__ import annotations

from typing import Final

__all__ = ["EXAMPLE", "STRATEGIC"]

_EXTENSIVE: Final = """\
# A firm thinks about entering a market. If it does, the firm that is there may fight or share.
#
#   mechproof example game | mechproof solve -

kind = "game"

# A tree, or a game in Gambit's format: efg = 'EFG 2 R "Entry" { "entrant" "incumbent" } …'.
# A file of that format needs no more: mechproof solve entry.efg

# The players, in the order of the payoffs.
players = ["entrant", "incumbent"]

# A node at which a player moves says who, names the information set, and has a table of moves, each
# with the node that follows. Nodes that the player cannot tell apart share the name of their set.
[tree]
player = "entrant"
infoset = "start"

# An end has payoffs: integers, decimals or fractions, one a player.
[tree.moves.out]
payoffs = [0, 2]

# A node at which chance moves has a table of moves, too; each node that follows, a probability.
[tree.moves.in.chance.boom]
probability = "1/3"
player = "incumbent"
infoset = "entry"
moves = { fight = { payoffs = [-1, 0] }, share = { payoffs = [3, 3] } }

[tree.moves.in.chance.bust]
probability = "2/3"
player = "incumbent"
infoset = "entry"
moves = { fight = { payoffs = [-1, 0] }, share = { payoffs = [-1, "1/2"] } }
"""

_BETWEEN: Final = """
# The kind takes games in strategic form, too. A file of Gambit's format .nfg needs no more:
# mechproof solve chicken.nfg. Here is one by tables, behind marks of comments. To use it, drop all
# that is above and the first mark of each line below.

"""

STRATEGIC: Final = """\
# Two drivers meet at a crossing. A traffic light tells one of them, or both, to yield.

kind = "game"

# The game, as text (nfg = 'NFG 1 R "Chicken" …') or by tables:
players = ["Ann", "Bob"]

# Judge a distribution: can anybody gain by not doing what the light says?
distribution = [
  { profile = ["yield", "yield"], probability = "1/3" },
  { profile = ["yield", "dare"],  probability = "1/3" },
  { profile = ["dare", "yield"],  probability = "1/3" },
]

# Compute equilibria, coarse correlated ("cce") and correlated ("ce").
compute = ["cce", "ce"]

# Those of the greatest sum of payoffs; or of the least ("min_welfare"), or of the greatest sum
# with weights: objective = { Ann = 1, Bob = 0 }
objective = "max_welfare"

[actions]
Ann = ["yield", "dare"]
Bob = ["yield", "dare"]

# Action of Ann, then of Bob, and so on: what the profile pays, one number a player.
[payoffs]
yield = { yield = [6, 6], dare = [2, 7] }
dare  = { yield = [7, 2], dare = [0, 0] }

# Judge a history: what each player did, round by round, an action or a mixture of actions.
[plays]
Ann = ["dare", "yield", { yield = "1/2", dare = "1/2" }]
Bob = ["dare", "yield", "yield"]
"""

_COMMENTED: Final = "".join(f"# {line}".rstrip() + "\n" for line in STRATEGIC.splitlines())

EXAMPLE: Final = _EXTENSIVE + _BETWEEN + _COMMENTED
