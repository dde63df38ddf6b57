"""The three statements of volition, Theorem 4.4, computed on one equilibrium."""

from __future__ import annotations

import numpy as np

from theory.marginal_value._equilibrium import Equilibrium
from theory.marginal_value._hypotheses import Hypothesis
from theory.marginal_value._reward_comparison import lead_signs
from theory.marginal_value._sets import set_text
from theory.numbers import Floats
from theory.shared.arguments import instance_of
from theory.shared.text import number_text

__all__ = ["theorem_4_4"]


def theorem_4_4(found: Equilibrium) -> tuple[Hypothesis, ...]:
    """Return the three statements of volition, Theorem 4.4, computed on one equilibrium.

    x^1 is inextensible; nobody reveals anything after it; no inextensible first move, the null move
    included, has a higher ex-post value.
    """
    instance_of("found", found, Equilibrium, "solve a game first: equilibrium(game)")
    game, path = found.game, found.path
    first = path.moves[0] if path.moves else ()
    place = game.place(first)
    open_to_first = game.after(0)
    rivals = np.array([0, *open_to_first[found.inextensible[open_to_first]]], dtype=np.int64)
    values = game.rewards(np.zeros_like(rivals), rivals, rivals)
    own = np.full_like(rivals, place)
    worth = game.rewards(np.zeros_like(own), own, own)
    if isinstance(values, Floats):
        start = np.zeros_like(rivals)
        signs = lead_signs(game, start, game.picked[start], (rivals, rivals), (own, own))
    else:
        signs = (values - worth).signs()
    better = np.flatnonzero(signs > 0)
    rival = ""
    if len(better):
        k = int(better[0])
        amounts = [number_text(numbers.scalars()[k]) for numbers in (values, worth)]
        rival = f"{set_text(game.names(int(rivals[k])))} has {amounts[0]}, {set_text(first)} has "
        rival += amounts[1]
    later = ", ".join(set_text(move) for move in path.moves[1:])
    inextensible = bool(found.inextensible[place])
    return (
        Hypothesis.unless(
            "" if inextensible else f"{set_text(first)} is not", "x^1 is inextensible"
        ),
        Hypothesis.unless(f"{later} follows" if later else "", "x^n is null for n > 1"),
        Hypothesis.unless(rival, "x^1 has the highest ex-post value among inextensible moves"),
    )
