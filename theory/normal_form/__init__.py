"""Games in normal form: players, actions, and what each profile of actions pays.

>>> from theory.normal_form import NormalFormGame
>>> game = NormalFormGame.bimatrix([[6, 2], [7, 0]], [[6, 7], [2, 0]], title="Chicken")
>>> print(game)
Chicken: player 1 picks the row, player 2 the column
   0     1
─  ────  ────
0  6, 6  2, 7
1  7, 2  0, 0
>>> game.rewards(0, [None, ["1/2", "1/2"]])
Exact([4, 7/2])
"""

from theory.normal_form._nfg_reader import from_nfg
from theory.normal_form._nfg_tokens import NfgError
from theory.normal_form._nfg_writer import to_nfg
from theory.normal_form.game import MAX_PAYOFFS, NormalFormGame, Scale

__all__ = ["MAX_PAYOFFS", "NfgError", "NormalFormGame", "Scale", "from_nfg", "to_nfg"]
