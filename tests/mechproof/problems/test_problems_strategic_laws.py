"""Answers about games in strategic form against brute force, and under changes of the problem."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from documents import Document, solved
from learning_cases import game as drawn_game
from learning_cases import law as drawn_law
from reference import polytopes
from reference import regret as oracle
from strategic_files import document, listed, names, player, rounds

SHAPES = [(2, 2), (3, 2), (2, 3), (3, 3), (2, 2, 2), (4,)]

Case = tuple[oracle.Game, dict[tuple[int, ...], Fraction], list[list[list[Fraction]]]]


def case(seed: int) -> Case:
    """A game, a law over its profiles, and a history of one to five rounds."""
    rng = Random(seed)
    shape = SHAPES[seed % len(SHAPES)]
    profiles = list(product(*map(range, shape)))
    law = dict(zip(profiles, drawn_law(rng, len(profiles)), strict=True))
    length = rng.randint(1, 5)
    plays = [[drawn_law(rng, n) for _ in range(length)] for n in shape]
    return drawn_game(rng, shape), law, plays


def problem(drawn: Case, **more: Any) -> Document:
    game, law, plays = drawn
    return document(game, distribution=listed(law), plays=rounds(plays), **more)


SEEDS = range(18)


# --- Against brute force, which imports nothing of ours -------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_gaps_are_the_oracle_s(seed: int) -> None:
    game, law, _ = drawn = case(seed)
    found = solved(problem(drawn))["given"]
    expected = oracle.gaps(game, law)
    assert {name: Fraction(found["gaps"][name]) for name in expected} == expected
    assert found["gap"] == "0"
    largest = Fraction(0)
    for p in range(len(oracle.shape(game))):
        own, gaps = found["players"][player(p)], oracle.player_gaps(game, law, p)
        assert Fraction(own["payoff"]) == oracle.expected(game, law, p)
        for kind in ("external", "internal", "swap"):
            gain = max(gaps[kind], 0) if kind == "internal" else gaps[kind]  # to stay is a swap
            assert Fraction(own[kind]["gain"]) == gain, kind
            move = witness(own[kind], names(p, oracle.shape(game)[p]))
            assert oracle.deviation_gain(game, law, p, move) == gain, kind
        told = oracle.recommended(game, law, p)
        assert conditional(own, p) == told
        largest = max(largest, *(gain for _, _, gain in told.values()))
    assert Fraction(found["gaps"]["conditional"]) == largest


@pytest.mark.parametrize("seed", SEEDS)
def test_regrets_are_the_oracle_s(seed: int) -> None:
    game, _, plays = drawn = case(seed)
    found = solved(problem(drawn))["played"]
    assert (found["rounds"], found["gap"]) == (len(plays[0]), "0")
    for p, own_plays in enumerate(plays):
        rewards = [oracle.own_rewards(game, row, p) for row in zip(*plays, strict=True)]
        own = found["regret"][player(p)]
        assert Fraction(own["payoff"]) == oracle.earned(own_plays, rewards)
        for kind, regret in (
            ("external", oracle.external),
            ("internal", oracle.internal),
            ("swap", oracle.swap),
        ):
            expected = regret(own_plays, rewards)[0]
            assert Fraction(own[kind]["gain"]) == expected, kind
            move = witness(own[kind], names(p, len(own_plays[0])))
            assert oracle.gain(own_plays, rewards, move) == expected, kind
        assert conditional(own, p) == oracle.conditional(own_plays, rewards)
    law = oracle.average_law(plays)
    average = {tuple(e["profile"]): Fraction(e["probability"]) for e in listed(law)}
    shown = found["average"]["distribution"]
    assert {tuple(e["profile"]): Fraction(e["probability"]) for e in shown} == {
        profile: q for profile, q in average.items() if q
    }


def witness(told: Document, actions: Sequence[str]) -> tuple[int, ...]:
    """The map of the actions that a deviation stands for."""
    if "action" in told:
        return oracle.constant(len(actions), actions.index(told["action"]))
    moves = told.get("map", {told.get("source"): told.get("target")})
    return tuple(actions.index(moves.get(action, action)) for action in actions)


def conditional(own: Document, p: int) -> dict[int, tuple[Fraction, int, Fraction]]:
    """As the oracle has it: where staying is as good as any reply the oracle names the first."""
    found = {}
    for told in own["conditional"]:
        index, reply = (int(told[key][1:]) for key in ("action", "best_reply"))
        found[index] = (Fraction(told["weight"]), reply, Fraction(told["gain"]))
    return Ties(found)


class Ties(dict[int, tuple[Fraction, int, Fraction]]):
    """Equal up to replies that gain nothing."""

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, dict)
        return self.keys() == other.keys() and all(
            (w, g) == (v, h) and (i == j or (g == 0 and i == a))
            for a, ((w, i, g), (v, j, h)) in ((a, (self[a], other[a])) for a in self)
        )

    __hash__ = None


@pytest.mark.parametrize("seed", [s for s in range(24) if SHAPES[s % len(SHAPES)] != (3, 3)])
def test_the_best_equilibrium_is_the_best_vertex(seed: int) -> None:
    game, _, _ = case(seed)
    weights = [Random(seed).choice(((1,) * 4, (1, 0, 2, 1), (-1, 2, 1, 0)))[p] for p in range(4)]
    count = len(oracle.shape(game))
    by_name = {player(p): weights[p] for p in range(count)}
    found = solved(document(game, objective=by_name))["computed"]
    for concept in ("ce", "cce"):
        best = found[concept]["found"]
        _, top = polytopes.welfare_range(game, concept, weights[:count])
        assert Fraction(best["value"]) == Fraction(best["certificate"]["bound"]) == top
        assert (best["gaps"][concept], best["gap"]) == ("0", "0")
        prices = {
            (p, source, int(each["target"][1:])): Fraction(each["price"])
            for each in best["certificate"]["prices"]
            for p in range(count)
            if player(p) == each["player"]
            for source in [int(each["source"][1:]) if "source" in each else None]
        }
        assert polytopes.dual_bound(game, concept, weights[:count], prices) == top


# --- Relations ------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_gaps_of_the_average_are_average_regrets(seed: int) -> None:
    found = solved(problem(case(seed)))["played"]
    for name, regret in found["regret"].items():
        gaps = found["average"]["players"][name]
        assert Fraction(gaps["payoff"]) * found["rounds"] == Fraction(regret["payoff"])
        for kind in ("external", "internal", "swap"):
            average = Fraction(regret[kind]["gain"]) / found["rounds"]
            assert Fraction(gaps[kind]["gain"]) == average
        for told, once in zip(gaps["conditional"], regret["conditional"], strict=True):
            assert Fraction(told["weight"]) * found["rounds"] == Fraction(once["weight"])
            assert (told["gain"], told["best_reply"]) == (once["gain"], once["best_reply"])


NEW = {player(0): "Zoë", player(1): "a0", "a0": "stay", "a1": "x y", "b0": "10", "b1": "0"}


def renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {renamed(key): renamed(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [renamed(entry) for entry in value]
    return NEW.get(value, value) if isinstance(value, str) else value


@pytest.mark.parametrize("seed", SEEDS)
def test_other_names_change_nothing_else(seed: int) -> None:
    one = problem(case(seed), compute=["cce", "ce"])
    here, there = solved(one), solved(renamed(one))
    assert there["players"] != here["players"]
    del here["words"], there["words"]
    assert there == renamed(here)


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 6, 7])
def test_two_players_may_change_places(seed: int) -> None:
    game, law, plays = drawn = case(seed)
    turned = (
        {profile[::-1]: tuple(paid)[::-1] for profile, paid in game.items()},
        {profile[::-1]: q for profile, q in law.items()},
        plays[::-1],
    )
    turned = (dict(sorted(turned[0].items())), *turned[1:])
    one, other = (solved(problem(each, compute=["ce", "cce"])) for each in (drawn, turned))
    assert one["given"]["gaps"] == other["given"]["gaps"]
    assert one["played"]["average"]["gaps"] == other["played"]["average"]["gaps"]
    for here, there in ((player(0), player(1)), (player(1), player(0))):
        for found in ("external", "internal", "swap"):
            gains = [
                each["played"]["regret"][name][found]["gain"]
                for each, name in ((one, here), (other, there))
            ]
            assert gains[0] == gains[1]
    for concept in ("ce", "cce"):
        values = [each["computed"][concept]["found"]["value"] for each in (one, other)]
        assert values[0] == values[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_gains_scale_with_payoffs_and_do_not_shift(seed: int) -> None:
    """A player's payoffs are scaled, and what the others do may add to them."""
    game, law, plays = drawn = case(seed)
    factor = Fraction(3, 7)

    def paid(profile: tuple[int, ...], payoffs: Sequence[Any]) -> list[Any]:
        return [factor * u + sum(profile) - profile[p] - 5 for p, u in enumerate(payoffs)]

    scaled = {profile: paid(profile, payoffs) for profile, payoffs in game.items()}
    one, other = (solved(problem(each)) for each in (drawn, (scaled, law, plays)))
    for name in ("cce", "ce", "swap", "conditional"):
        before, after = (Fraction(each["given"]["gaps"][name]) for each in (one, other))
        assert after == factor * before
    for name, regret in one["played"]["regret"].items():
        again = other["played"]["regret"][name]
        for kind in ("external", "internal", "swap"):
            assert Fraction(again[kind]["gain"]) == factor * Fraction(regret[kind]["gain"])
            parts = ({**each[kind], "gain": 0} for each in (regret, again))
            assert next(parts) == next(parts)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_equilibrium_that_was_computed_has_no_gaps_when_given(seed: int) -> None:
    game, _, _ = case(seed)
    found = solved(document(game, objective="min_welfare"))["computed"]
    for concept in ("ce", "cce"):
        best = found[concept]["found"]
        again = solved(document(game, distribution=best["distribution"]))["given"]
        assert again == {key: best[key] for key in again}
        assert again["gaps"][concept] == "0"
    low, high = (Fraction(found[concept]["found"]["value"]) for concept in ("cce", "ce"))
    assert low <= high


def test_a_planted_fault_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from theory import correlated

    honest = correlated.equilibrium_gaps
    monkeypatch.setattr(
        "mechproof.problems.kinds.game.distribution.equilibrium_gaps",
        lambda game, law: honest(game, {next(iter(law)): 1}),
    )
    with pytest.raises(AssertionError):
        list(map(test_gaps_are_the_oracle_s, SEEDS))
