"""Judges that ship: one that looks its expectations up, and one that updates a prior."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass

import numpy as np

from theory.decision import DecisionProblem
from theory.errors import UnknownNameError, nearest
from theory.information import Good
from theory.marginal_value import MarginalValueGame
from theory.numbers import Scalar

__all__ = ["BayesianJudge", "TableJudge"]


@dataclass(frozen=True)
class TableJudge:
    """A judge who expects u_S(x) of action x when the items of S are revealed, as a game says."""

    game: MarginalValueGame

    def utilities(self, revealed: Mapping[str, object]) -> dict[Hashable, Scalar]:
        """Return u_S(x) by action.

        Raises
        ------
        UnknownNameError, InvalidInputError
            For items that the game does not have or that its moves cannot reveal.
        """
        column = self.game.utilities[:, self.game.place(revealed)]
        return dict(zip(self.game.actions, column.scalars(), strict=True))


@dataclass(frozen=True, eq=False)
class BayesianJudge:
    """A judge with a prior, to whom an item tells what the good of its name says.

    The content of an item is the tuple of values of the good's variables. Having seen contents
    i_g for the goods g in S, the judge expects u_S(x) = E[U(x) | I_g = i_g for g in S].

    Examples
    --------
    >>> from theory.probability import ProbabilitySpace
    >>> space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
    >>> decision = DecisionProblem.of(space, {"umbrella": [0, -1], "none": [-4, 0]})
    >>> judge = BayesianJudge(decision, (Good.of("sky", space.variable("sky", str)),))
    >>> judge.contents("dry")
    {'sky': ('dry',)}
    >>> print(*judge.utilities({}).values(), *judge.utilities(judge.contents("dry")).values())
    -3/4 -1 -1 0
    """

    decision: DecisionProblem
    goods: tuple[Good, ...]

    def contents(self, state: Hashable) -> dict[str, object]:
        """Return what each good says in a state: the items of a run in which it is the true one.

        Raises
        ------
        UnknownNameError
            For a state that there is not.
        """
        states = self.decision.space.states
        if state not in states:
            raise UnknownNameError("state", state, "is not a state", nearest(state, states))
        true = states.index(state)
        return {good.name: _by_state(good)[true] for good in self.goods}

    def utilities(self, revealed: Mapping[str, object]) -> dict[Hashable, Scalar]:
        """Return E[U(x) | what is revealed] by action.

        Raises
        ------
        UnknownNameError
            For an item that is none of the goods.
        NullEventError
            For contents that have probability zero together.
        """
        goods = {good.name: good for good in self.goods}
        possible = np.ones(len(self.decision.space), dtype=bool)
        for name, content in revealed.items():
            if name not in goods:
                raise UnknownNameError("revealed", name, "is not a good", nearest(name, goods))
            possible &= np.array([said == content for said in _by_state(goods[name])])
        known = self.decision.condition_on(possible)
        expected = (known.utilities * known.space.probabilities).sum()
        return dict(zip(known.actions, expected.scalars(), strict=True))


def _by_state(good: Good) -> list[tuple[Hashable, ...]]:
    """Return what a good says in each state."""
    return list(zip(*(variable.by_state for variable in good.variables), strict=True))
