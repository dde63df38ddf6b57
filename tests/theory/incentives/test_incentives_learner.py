"""``check_learner``: sound rules pass, and each fault is found by the property that it breaks."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from math import inf, log, nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learning_rules import (
    Below,
    BelowAtTheLast,
    ByRatio,
    Clock,
    FirstFollower,
    Follower,
    GloballyRandom,
    GloballyRandomAtTheEnd,
    GloballyRandomNumpy,
    Hedge,
    IdlyRandom,
    LastFollower,
    Leaky,
    LeakyAtTheEnd,
    RandomAtTheEnd,
    Rule,
    SecretlyRandom,
    Seeded,
    ThirdIsForgotten,
    TooEager,
    Uniform,
    WrongIndex,
    WrongLastIndex,
    hedge_bound,
)
from sweeps import examples

from theory.errors import InvalidInputError, UnknownNameError
from theory.incentives.learners import (
    ADVERSARIES,
    LEARNER_PROPERTIES,
    Adversary,
    LearnerReport,
    LearnerWitness,
    check_learner,
)
from theory.incentives.learners._regret import REGRETS, exact_regret, regrets
from theory.verdicts import Status, Strength

SMALL = (1, 2, 3, 4, 8)


def check(rule: Any, **options: Any) -> LearnerReport:
    return check_learner(
        rule, **{"external": hedge_bound, "actions": (2, 3), "rounds": SMALL, **options}
    )


def shown(report: LearnerReport) -> LearnerWitness:
    assert report.witness is not None
    return report.witness


# --- sound rules


def test_hedge_keeps_its_bound_and_comes_close_to_it() -> None:
    report = check(Hedge, rounds=(1, 4, 16, 256))
    assert report.refuted == report.faults == ()
    statuses = {finding.property: finding.status for finding in report.findings}
    assert statuses.pop("internal_regret") == statuses.pop("swap_regret") == Status.MEASURED
    assert set(statuses.values()) == {Status.HOLDS}
    assert all(f.strength == Strength.TESTED and f.scope.nontrivial for f in report.findings)
    external = [each for each in report.measured if each.kind == "external"]
    assert 0.7 < max(each.ratio for each in external) < 1
    assert [each.played.game.adversary for each in external] == list(ADVERSARIES)


def test_a_rule_that_draws_by_its_seed_is_disciplined() -> None:
    report = check(Seeded, properties=["seed_discipline", "distribution"], seeds=3)
    assert report.refuted == ()


def test_uniform_play_says_nothing_about_names() -> None:
    report = check(Uniform, external=lambda T, N: T * (1 - 1 / N))
    assert report.refuted == ()
    assert report["external_regret"].status == Status.HOLDS
    for name in ("shift_invariance", "relabelling"):
        assert report[name].status == Status.VACUOUS


def test_a_bound_that_is_attained_is_kept() -> None:
    """Uniform play against the constant adversary has regret T (1 - 1/N), here exact in floats."""
    at = check(Uniform, external=lambda T, N: T * (1 - 1 / N), actions=[2, 4])
    assert max(each.ratio for each in at.measured if each.kind == "external") == 1
    assert at["external_regret"].status == Status.HOLDS
    under = check(Uniform, external=lambda T, N: T * (1 - 1 / N) - 1e-12, actions=[2, 4])
    assert under["external_regret"].status == Status.AMBIGUOUS
    below = check(Uniform, external=lambda T, N: T * (1 - 1 / N) - 1e-6, actions=[2, 4])
    assert below.refuted == ("external_regret",)


# --- planted faults


@pytest.mark.parametrize(
    ("rule", "broken"),
    [
        (Follower, ("external_regret",)),
        (TooEager, ("external_regret",)),
        (FirstFollower, ("external_regret", "relabelling")),
        (LastFollower, ("external_regret", "relabelling")),
        (WrongIndex, ("relabelling",)),
        (WrongLastIndex, ("relabelling",)),
        (ThirdIsForgotten, ("shift_invariance", "relabelling")),
        (Leaky, ("distribution",)),
        (LeakyAtTheEnd, ("distribution",)),
        (Below, ("distribution",)),
        (BelowAtTheLast, ("distribution",)),
        (SecretlyRandom, ("seed_discipline",)),
        (GloballyRandom, ("seed_discipline",)),
        (GloballyRandomNumpy, ("seed_discipline",)),
        (IdlyRandom, ("seed_discipline",)),
        (RandomAtTheEnd, ("seed_discipline",)),
        (GloballyRandomAtTheEnd, ("seed_discipline",)),
    ],
)
def test_a_fault_breaks_what_it_is_about_and_nothing_else(
    rule: type[Rule], broken: tuple[str, ...]
) -> None:
    loose = rule in (WrongIndex, WrongLastIndex, ThirdIsForgotten)
    bound = (lambda T, N: float(T)) if loose else hedge_bound
    report = check(rule, external=bound)
    assert report.refuted == broken
    assert report.faults == () or rule in (Leaky, LeakyAtTheEnd)


def test_the_smallest_game_in_which_following_the_leader_fails() -> None:
    """By hand: 1/2, then 1 to the other, then 1 to the first; it earns 1/4 of the best 3/2."""
    witness = shown(check(Follower))
    assert (witness.adversary, witness.actions, witness.rounds) == ("switching", 2, 3)
    assert witness.rewards == ((0.5, 0.0), (0.0, 1.0), (1.0, 0.0))
    assert witness.plays == ((0.5, 0.5), (1.0, 0.0), (0.0, 1.0))
    assert witness.problem == "external regret is 1.25, above its bound of 1.02"
    assert witness.minimality == "no round, action or reward can be left out"


def test_a_witness_can_be_played_again() -> None:
    witness = shown(check(TooEager, rounds=(16, 64), actions=(5,)))
    learner = TooEager(witness.actions, witness.rounds, witness.seed)
    earned = Fraction(0)
    for play, rewards in zip(witness.plays, witness.rewards, strict=True):
        assert tuple(learner.play()) == play
        learner.observe(np.array(rewards))
        earned += sum(Fraction(x) * Fraction(r) for x, r in zip(play, rewards, strict=True))
    best = max(sum(map(Fraction, column)) for column in zip(*witness.rewards, strict=True))
    assert best - earned > hedge_bound(witness.rounds, witness.actions)
    assert len(witness.rewards) == witness.rounds < 16


def test_of_a_smallest_game_no_reward_and_no_round_can_be_left_out() -> None:
    def regret(rewards: np.ndarray) -> float:
        learner, plays = Follower(rewards.shape[1], len(rewards), 0), list[Any]()
        for row in rewards:
            plays.append(learner.play())
            learner.observe(row)
        return regrets(np.array(plays), rewards)["external"]

    options: dict[str, Any] = {"rounds": [16], "actions": [3], "adversaries": ["punishing"]}
    rewards = np.array(shown(check(Follower, **options)).rewards)
    rounds, actions = rewards.shape
    assert regret(rewards) > hedge_bound(rounds, actions)
    for t, i in zip(*np.nonzero(rewards), strict=True):
        fewer = rewards.copy()
        fewer[t, i] = 0
        assert regret(fewer) <= hedge_bound(rounds, actions)
    for t in range(rounds):
        assert regret(np.delete(rewards, t, axis=0)) <= hedge_bound(rounds - 1, actions)


def test_who_plays_the_first_leader_fails_in_the_first_round() -> None:
    report = check(FirstFollower)
    external, relabelling = report["external_regret"].witness, report["relabelling"].witness
    assert external is not None
    assert relabelling is not None
    assert external.rewards == ((0.0, 1.0),)
    assert relabelling.problem == (
        "with the actions in the order 1, 0, round 1 plays 1, 0 and not 0, 1"
    )


def test_internal_and_swap_bounds_are_held_against_a_rule_as_well() -> None:
    loose: dict[str, Any] = {"internal": lambda T, N: float(T), "swap": lambda T, N: float(T * N)}
    assert check(Hedge, **loose).refuted == ()
    assert check(Hedge, **loose)["swap_regret"].status == Status.HOLDS
    tight = {"internal": lambda T, N: 0.3, "swap": lambda T, N: 0.3}
    report = check(Hedge, **tight)
    assert report.refuted == ("internal_regret", "swap_regret")
    for name in report.refuted:
        witness = report[name].witness
        assert witness is not None
        assert len(witness.rewards) == 1
        assert report[name].strength == Strength.EXACT


def test_a_rule_that_depends_on_where_zero_is() -> None:
    report = check(ByRatio, external=None, scale_free=True)
    assert report.refuted == ("shift_invariance",)
    assert report["scale_invariance"].status == Status.HOLDS
    witness = shown(report)
    assert witness.problem.startswith("with 1/4 on all rewards, round 2 plays")
    assert len(witness.plays) == 2


@pytest.mark.parametrize("still", [0, 1, 2])
def test_a_play_that_differs_in_two_actions_alone_is_seen(still: int) -> None:
    class MovesBetweenTheOthers(Hedge):
        """What all have earned says how two of the actions share what they are played."""

        def play(self) -> Any:
            play = super().play()
            one, other = (i for i in range(3) if i != still)
            moved = play[one] / (2 + self.earned.sum())
            play[one] -= moved
            play[other] += moved
            return play

    report = check(MovesBetweenTheOthers, actions=[3], properties=["shift_invariance"])
    assert report.refuted == ("shift_invariance",)


@pytest.mark.parametrize("source", [0, 1, 2])
def test_what_each_action_could_gain_counts(source: int) -> None:
    """It alone is played, and the action after it would have earned 1 in each of 4 rounds."""
    plays, rewards = np.zeros((4, 3)), np.zeros((4, 3))
    plays[:, source] = 1
    rewards[:, (source + 1) % 3] = 1
    assert regrets(plays, rewards) == dict.fromkeys(REGRETS, 4.0)
    assert {kind: exact_regret(kind, plays, rewards) for kind in REGRETS} == dict.fromkeys(
        REGRETS, 4
    )


def test_scale_is_asked_for_only_where_it_is_declared() -> None:
    assert "scale_invariance" not in {finding.property for finding in check(Hedge).findings}
    assert check(Hedge, scale_free=True).refuted == ("scale_invariance",)
    assert check(Hedge, properties=["scale_invariance"]).refuted == ("scale_invariance",)
    assert check(Follower, scale_free=True).refuted == ("external_regret",)


def test_the_leak_is_seen_in_the_first_round_that_has_it() -> None:
    witness = shown(check(Leaky))
    assert witness.problem.startswith(f"in round {len(witness.plays) + 1} it plays")
    assert "with sum 0.999999" in witness.problem
    assert check(Leaky, tolerance=1e-5).refuted == ()


def test_secretly_random_plays_are_not_compared() -> None:
    report = check(SecretlyRandom)
    assert report["relabelling"].status == report["shift_invariance"].status == Status.VACUOUS
    assert shown(report).problem.startswith("asked again, it plays differently in round ")
    assert shown(check(IdlyRandom)).problem == "it moves the generator of random, which all share"


def test_the_generators_that_all_share_are_as_before() -> None:
    random.seed(5)
    before = random.getstate()
    check(GloballyRandom, rounds=[2])
    assert random.getstate() == before


# --- bad input


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda n: [nan] * n, "which is not finite"),
        (lambda n: [inf] + [0] * (n - 1), "which is not finite"),
        (lambda n: [1 / (n + 1)] * (n + 1), "of shape (3,) and not (2,)"),
        (lambda n: 1.0, "of shape () and not (2,)"),
        (lambda n: [[1.0] + [0.0] * (n - 1)], "of shape (1, 2) and not (2,)"),
        (lambda n: None, "None"),
        (lambda n: "first", "'first', which is no list of numbers"),
        (lambda n: [[1], [2, 3]], "which is no list of numbers"),
        (lambda n: [2.0, -1.0] + [0.0] * (n - 2), "with a probability below 0"),
    ],
    ids=["nan", "inf", "long", "number", "nested", "none", "text", "ragged", "negative"],
)
def test_a_bad_play_is_named_and_what_came_before_goes_on(
    answer: Callable[[int], object], text: str
) -> None:
    class Breaks(Clock):
        def late(self) -> Any:
            return answer(self.actions)

    report = check(Breaks)
    assert report.refuted == ("distribution",)
    assert text in shown(report).problem
    assert shown(report).problem.startswith("in round 5 it plays")
    assert report["external_regret"].status == Status.HOLDS  # in games of up to 4 rounds
    assert report["external_regret"].scope.met_hypotheses == 4 * 2 * len(ADVERSARIES)


def test_a_learner_that_raises_is_a_fault_and_the_rest_goes_on() -> None:
    report = check(Clock, actions=[2], adversaries=["constant"])
    assert report.faults == ("constant, 2 actions, 8 rounds, seed 0: raised RuntimeError: round 5",)
    assert report.refuted == ()
    assert report["distribution"].status == Status.HOLDS
    assert "not judged: constant, 2 actions, 8 rounds" in str(report)


def test_a_factory_that_raises_leaves_nothing_to_judge() -> None:
    report = check(lambda actions, rounds, seed: None)
    assert "has no attribute 'play'" in report.faults[0]
    assert report.refuted == ()
    assert {finding.status for finding in report.findings} - {Status.HOLDS} == {Status.VACUOUS}


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"properties": ["regret"]}, UnknownNameError, "properties is not known (got 'regret')"),
        ({"adversaries": ["punish"]}, UnknownNameError, "did you mean 'punishing'?"),
        ({"actions": [1]}, InvalidInputError, "actions is not a count (got 1)"),
        ({"rounds": [0]}, InvalidInputError, "rounds is not a count (got 0)"),
        ({"rounds": []}, InvalidInputError, "rounds are none"),
        ({"external": lambda T, N: nan}, InvalidInputError, "external is nan for 1 rounds and 2"),
        ({"swap": lambda T, N: -1.0}, InvalidInputError, "swap is -1.0 for 1 rounds and 2"),
    ],
)
def test_bad_arguments(options: dict[str, Any], kind: type[Exception], text: str) -> None:
    with pytest.raises(kind) as caught:
        check(Hedge, **options)
    assert text in str(caught.value)


def test_an_adversary_of_one_s_own_and_one_that_breaks_the_rules() -> None:
    def mean(actions: int, rng: np.random.Generator) -> Adversary:
        return lambda play: np.where(play == play.min(), 1.0, 0.0)

    def wild(actions: int, rng: np.random.Generator) -> Adversary:
        return lambda play: np.full(actions, 2.0)

    report = check(Hedge, adversaries={"mean": mean})
    assert {each.played.game.adversary for each in report.measured} == {"mean"}
    assert report.refuted == report.faults == ()
    with pytest.raises(InvalidInputError, match="rewards of wild are no rewards"):
        check(Hedge, adversaries={"mean": mean, "wild": wild})


def test_a_learner_that_fails_in_a_changed_game_alone_is_a_fault() -> None:
    class Timid(Follower):
        def observe(self, rewards: np.ndarray) -> None:
            if rewards.max() not in (0.5, 1):
                raise ValueError("what is this?")
            super().observe(rewards)

    report = check(Timid, actions=[2], adversaries=["constant"], properties=["shift_invariance"])
    assert report.faults == (
        "with 1/4 on all rewards: constant, 2 actions, 1 round, seed 0: raised ValueError: what is "
        "this?",
    )


# --- adversaries and regret


def against(name: str, plays: list[list[float]]) -> list[list[float]]:
    adversary = ADVERSARIES[name](len(plays[0]), np.random.default_rng(0))
    return [adversary(np.array(play)).tolist() for play in plays]


def test_what_the_adversaries_do() -> None:
    plays = [[0.2, 0.5, 0.3], [0.4, 0.4, 0.2], [0.0, 0.0, 1.0]]
    assert against("constant", plays) == [[0, 0, 1]] * 3
    assert against("alternating", plays) == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    assert against("punishing", plays) == [[1, 0, 1], [0, 1, 1], [1, 1, 0]]
    assert against("switching", plays) == [[0.5, 0, 0], [0, 1, 0], [1, 0, 0]]
    drawn = np.array(against("random", plays * 20))
    assert drawn.min() >= 0
    assert drawn.max() <= 1
    assert len(np.unique(drawn)) > 8


def test_regret_by_hand() -> None:
    plays = np.array([[1.0, 0.0], [1.0, 0.0], [0.5, 0.5]])
    rewards = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert regrets(plays, rewards) == {"external": 0.5, "internal": 0.5, "swap": 0.5}
    torn = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert regrets(torn, torn[::-1].copy()) == {"external": 1.0, "internal": 1.0, "swap": 2.0}


@given(
    st.integers(2, 4).flatmap(
        lambda n: st.lists(
            st.tuples(
                st.lists(st.integers(1, 8), min_size=n, max_size=n),
                st.lists(st.integers(0, 8), min_size=n, max_size=n),
            ),
            min_size=1,
            max_size=5,
        )
    )
)
@settings(max_examples=examples(80))
def test_regrets_agree_with_fractions_and_stand_in_their_order(
    rows: list[tuple[list[int], list[int]]],
) -> None:
    plays = np.array([np.array(x) / sum(x) for x, _ in rows])
    rewards = np.array([np.array(r) / 8 for _, r in rows])
    measured = regrets(plays, rewards)
    for kind in REGRETS:
        assert measured[kind] == pytest.approx(float(exact_regret(kind, plays, rewards)), abs=1e-12)
    actions = plays.shape[1]
    assert measured["external"] <= measured["swap"] + 1e-12
    assert 0 <= measured["internal"] <= measured["swap"] + 1e-12
    assert measured["swap"] <= actions * measured["internal"] + 1e-12


# --- the report


def test_the_report_reads_well() -> None:
    report = check(Follower)
    text = str(report)
    assert text.startswith("refuted: external_regret\nproperty")
    assert "The largest share of the bound is " in text
    assert "no bound" in text.lower()
    assert "external  switching" in text
    assert "<table>" in report._repr_html_()
    with pytest.raises(UnknownNameError, match="did you mean 'external_regret'"):
        report["external"]
    names = [finding.property for finding in report.findings]
    assert names == [name for name in LEARNER_PROPERTIES if name != "scale_invariance"]


def test_long_witnesses_are_cut() -> None:
    class Late(Hedge):
        def play(self) -> Any:
            return super().play() if self.earned.sum() < 30 else [2.0] * self.actions

    report = check(Late, rounds=[64], actions=[2], adversaries=["constant"])
    assert len(shown(report).plays) == 30
    assert "18 more" in str(report)


def test_doubling_a_bound_and_renaming_adversaries_change_nothing_else() -> None:
    def doubled(rounds: int, actions: int) -> float:
        return 2 * sqrt(rounds * log(actions) / 2)

    names = list(ADVERSARIES)[::-1]
    one, other = check(Hedge), check(Hedge, external=doubled, adversaries=names)
    ratio = {e.played.game.adversary: e.ratio for e in one.measured if e.kind == "external"}
    for each in other.measured:
        if each.kind == "external":
            assert 2 * each.ratio == pytest.approx(ratio[each.played.game.adversary])
