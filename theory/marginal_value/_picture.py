"""The lattice of revealed sets as a picture."""

from __future__ import annotations

from collections.abc import Iterable

from theory.marginal_value._equilibrium import Equilibrium
from theory.marginal_value._sets import order
from theory.shared.arguments import instance_of
from theory.shared.text import number_text
from theory.verdicts import LatticeDiagram, LatticeNode, LatticeStep

__all__ = ["lattice"]


def lattice(
    found: Equilibrium,
    history: Iterable[Iterable[str]] = (),
    caption: str = "Each set that can be revealed, with the judge's action",
) -> LatticeDiagram:
    """Draw the sets that can be revealed, those that are stable, and the play from a history.

    Raises
    ------
    LimitError
        For more sets than can be drawn.
    InvalidInputError
        For a history that is none.

    Examples
    --------
    >>> from theory.marginal_value import MarginalValueGame, equilibrium
    >>> game = MarginalValueGame.of(
    ...     ["claim", "rebuttal"],
    ...     lambda revealed: [0, 1] if revealed == {"claim"} else [1, 0],
    ...     prices={"claim": 0, "rebuttal": 0},
    ...     actions=["wait", "act"],
    ... )
    >>> print(lattice(equilibrium(game), [("claim",)]))
    Each set that can be revealed, with the judge's action
    0 items │ ● ∅: wait
    1 item  │ {claim}: act        ● {rebuttal}: wait
    2 items │ ● {claim, rebuttal}: wait
    ○ ∅ → {claim}: -1
    ○ {claim} → {claim, rebuttal}: 1
    ● stable: nobody gains by revealing more
    ○ play: each move with its reward
    """
    instance_of("found", found, Equilibrium, "solve a game first: equilibrium(game)")
    game = found.game
    play = found.play(history)
    ranks = order(game.sets, len(game.items))
    nodes = tuple(
        LatticeNode(
            game.names(place),
            str(game.actions[int(game.picked[place])]),
            ("stable",) if found.stable[place] else (),
        )
        for place in ranks.argsort().tolist()
    )
    steps, revealed = [], tuple[str, ...]()
    for move, reward in zip(play.moves, play.rewards, strict=True):
        after = (*revealed, *move)
        steps.append(LatticeStep(revealed, after, "play", number_text(reward)))
        revealed = after
    legend = (("stable", "nobody gains by revealing more"), ("play", "each move with its reward"))
    return LatticeDiagram(caption=caption, nodes=nodes, steps=tuple(steps), legend=legend)
