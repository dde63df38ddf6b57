"""The best answers of one player: against each strategy tried one by one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from played_rules import auction

from mechanisms.play import Ask, Choice, Draw, Steps, best_response, play, rules
from theory.errors import InvalidInputError, UnknownNameError

WORTHS = [1, 2]


def utilities(outcome: Any) -> dict[str, Fraction]:
    winner, price, values = outcome
    worth = dict(values)
    return {name: (worth[name] - price) * Fraction(name == winner) for name in worth}


def bidder(*bids: int) -> Any:
    """Bids by worth."""
    return lambda ask: bids[WORTHS.index(ask.view.worth)]


def earned(first: Any, second: Any, player: str) -> Fraction:
    """The expected utility by hand: over worths, and over ties."""
    total = Fraction(0)
    for worths in product(WORTHS, repeat=2):
        bids = [first(worths[0]), second(worths[1])]
        best = [k for k in (0, 1) if bids[k] == max(bids)]
        k = ["Ann", "Bob"].index(player)
        if k in best:
            total += Fraction(worths[k] - bids[k], 4 * len(best))
    return total


@pytest.mark.parametrize("player", ["Ann", "Bob"])
@pytest.mark.parametrize("rival", [(0, 0), (0, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("own", [(0, 0), (1, 1), (0, 1)])
def test_it_is_the_best_of_all_strategies(player: str, rival: Any, own: Any) -> None:
    other = "Bob" if player == "Ann" else "Ann"
    players = {player: bidder(*own), other: bidder(*rival)}
    found = best_response(auction(["Ann", "Bob"], WORTHS), player, players, utilities)

    def worth(bids: Any) -> Fraction:
        strategies = {player: bids, other: rival}
        ann, bob = strategies["Ann"], strategies["Bob"]
        return earned(lambda w: ann[w - 1], lambda w: bob[w - 1], player)

    assert found.earned == worth(own)
    assert found.value == max(worth(bids) for bids in product((0, 1, 2), repeat=2))
    assert found.gap == found.value - found.earned
    assert f"{player} earns {found.earned} of at most {found.value}" in str(found)


def test_a_seat_that_forgets_earns_less() -> None:
    def game(seat: str) -> Any:
        @rules
        def look() -> Steps[Any]:
            side = yield Draw.uniform(("l", "r"))
            yield Ask("Ann", side, Choice(("seen",)), seat=seat)
            return side, (yield Ask("Ann", "which?", Choice(("l", "r"))))

        return look()

    answers = {"Ann": lambda ask: "seen" if ask.view in ("l", "r") else "l"}
    right = lambda outcome: {"Ann": int(outcome[0] == outcome[1])}  # noqa: E731
    assert best_response(game(""), "Ann", answers, right).value == 1
    assert best_response(game("Ann, looking"), "Ann", answers, right).value == Fraction(1, 2)
    assert best_response(game("Ann, looking"), "Ann", answers, right).gap == 0


@pytest.mark.parametrize("seats", [[], ["Ann, looking"]])
def test_the_player_chooses_anew_at_all_its_seats(seats: list[str]) -> None:
    """The seat that looks may tell the one that decides, whoever sits there now."""

    @rules
    def look() -> Steps[Any]:
        side = yield Draw.uniform(("l", "r"))
        told = yield Ask("Ann", side, Choice(("l", "r")), seat="Ann, looking")
        return side, (yield Ask("Ann", told, Choice(("l", "r"))))

    answers = dict.fromkeys(["Ann", *seats], lambda ask: "l")
    found = best_response(look(), "Ann", answers, lambda out: {"Ann": int(out[0] == out[1])})
    assert (found.earned, found.value) == (Fraction(1, 2), 1)


def test_what_the_best_answers_earn_is_earned_when_they_are_played() -> None:
    start = auction(["Ann", "Bob"], WORTHS)
    players = {"Ann": bidder(0, 0), "Bob": bidder(0, 1)}
    found = best_response(start, "Ann", players, utilities)
    strategy, game = found.optimum.strategy, found.optimum.game
    bids = [
        int(infoset.moves[strategy.probabilities[k].index(1)])
        for k, infoset in enumerate(game.infosets)
    ]
    again = best_response(start, "Ann", players | {"Ann": bidder(*bids)}, utilities)
    assert again.earned == found.value
    assert again.gap == 0


def test_by_type() -> None:
    @rules
    def choose(options: Any) -> Steps[Any]:
        return (yield Ask("Ann", "which?", Choice(options)))

    found = best_response(
        lambda t: choose(("a", "b")),
        "Ann",
        lambda t: {"Ann": lambda ask: "a"},
        lambda outcome, t: {"Ann": int(outcome == t)},
        types={"a": "1/4", "b": "3/4"},
    )
    assert (found.earned, found.value) == (Fraction(1, 4), Fraction(3, 4))


def test_players_that_there_are_not() -> None:
    start = auction(["Ann", "Bob"], WORTHS)
    players = {"Ann": bidder(0, 0), "Bob": bidder(0, 1)}
    with pytest.raises(UnknownNameError, match="player is no participant"):
        best_response(start, "Eve", players, utilities)
    with pytest.raises(UnknownNameError, match="player has no utility"):
        best_response(start, "Ann", players, lambda outcome: {"Bob": 0})
    with pytest.raises(InvalidInputError, match="utilities are no mapping"):
        best_response(start, "Ann", players, lambda outcome: 0)  # type: ignore[arg-type, return-value]
    assert play(start.seeded(1), players).over
