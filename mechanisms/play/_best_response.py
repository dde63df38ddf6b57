"""The best that one player can do against others, found by search and checked by playing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mechanisms.play._unfolding import MAX_NODES, unfold_with
from theory.errors import UnknownNameError, nearest
from theory.shared.printable import escape, print_safely
from theory.shared.text import number_text

if TYPE_CHECKING:
    from theory.games import Optimum

__all__ = ["BestResponse", "best_response"]


@dataclass(frozen=True)
class BestResponse:
    """What a player earns against the others, and the most that it could.

    Attributes
    ----------
    player : str
    earned : Fraction
        Its expected utility as it answers now.
    optimum : Optimum
        The best answers, in the game of this player alone, with a certificate that was checked.
    value : Fraction
        What these earn.
    gap : Fraction
        ``value`` less ``earned``: the regret of the player.
    """

    player: str
    earned: Fraction
    optimum: Optimum = field(repr=False)

    @property
    def value(self) -> Fraction:
        """What the best answers earn."""
        return self.optimum.value

    @property
    def gap(self) -> Fraction:
        """What the player could gain by other answers."""
        return self.value - self.earned

    @print_safely
    def __str__(self) -> str:
        earned, value, gap = map(number_text, (self.earned, self.value, self.gap))
        return f"{self.player} earns {earned} of at most {value}, a gap of {gap}\n{self.optimum}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def best_response(
    start: Any,
    player: str,
    participants: Mapping[str, Any] | Callable[[Any], Mapping[str, Any]],
    utilities: Callable[..., Mapping[str, object]],
    *,
    types: Mapping[Any, object] | None = None,
    most_nodes: int = MAX_NODES,
) -> BestResponse:
    """Return the best answers of one player to what the others do.

    The others and chance leave a game of one player (:func:`unfold`), whose best strategy, with
    whatever its seats forget, is found exactly. What the player earns now is the mean over all that
    chance may do, played out to each end.

    Parameters
    ----------
    start : Run, or function of a type
        As for :func:`unfold`.
    player : str
        One of the participants.
    participants : mapping or function of a type
        All who are asked, as for :func:`play`. They must be functions of what they are asked. The
        player chooses anew at all of its seats.
    utilities, types, most_nodes
        As for :func:`unfold`; the utility of the player alone is used.

    Raises
    ------
    UnknownNameError
        For a player that is no participant, or has no utility.
    LimitError, InvalidInputError
        As for :func:`unfold` and :func:`~theory.games.optimum`.

    Examples
    --------
    In a first-price auction it does not pay to bid what the good is worth:

    >>> from mechanisms.play import Quantity, Ask, Draw, rules
    >>> @rules
    ... def first_price(worth):
    ...     view = {"Ann": f"it is worth {worth}", "Bob": "a vase"}
    ...     bids = yield {name: Ask(name, view[name], Quantity(0, 3, step=1)) for name in view}
    ...     best = max(bids.values())
    ...     winner = yield Draw.uniform([name for name in bids if bids[name] == best])
    ...     return winner, best, worth
    >>> def utilities(outcome):
    ...     winner, price, worth = outcome
    ...     return {"Ann": worth - price if winner == "Ann" else 0, "Bob": 0}
    >>> players = {"Ann": lambda ask: 3, "Bob": lambda ask: 1}
    >>> print(best_response(first_price(3), "Ann", players, utilities))
    Ann earns 0 of at most 1, a gap of 1
    optimum 1 (exact; certificate checked, gap 0)
    Strategy, at the sets that it reaches
    information set  moves
    ───────────────  ─────
    it is worth 3    1 1
    nodes 10, information sets 1 (0 shared, 0 absent-minded), cuts 0, linear programs 0
    """
    from theory.games import Behaviour, expected_payoffs, optimum

    def everybody(*kind: Any) -> Mapping[str, Any]:
        given = participants(*kind) if callable(participants) else participants
        if player not in given:
            raise UnknownNameError("player", player, "is no participant", nearest(player, given))
        return given

    def alone(*outcome: Any) -> Any:
        found: Any = utilities(*outcome)
        if not isinstance(found, Mapping):
            return found  # which unfold refuses
        if player not in found:
            raise UnknownNameError("player", player, "has no utility", nearest(player, found))
        return {player: found[player]}

    how: Any = {"types": types, "fixed": everybody, "most_nodes": most_nodes}
    free = unfold_with(start, alone, **how, free=player)
    played = unfold_with(start, alone, **how)
    [earned] = expected_payoffs(played, Behaviour(()))
    return BestResponse(player, earned, optimum(free))
