"""The repeated game in steps: what learners play in the loops, to the last bit."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from learning_cases import law, numbers

from mechanisms.errors import ParticipantError
from mechanisms.learners import (
    FTPL,
    BestResponse,
    BlumMansour,
    Feedback,
    Hedge,
    InternalFTPL,
    LearnerPlayer,
    MixedStrategy,
    RegretMatching,
    Run,
    _repeated_game,
    name_learners,
    play_game,
    repeated_game,
)
from mechanisms.play import Ask, Choice, Entry, IllegalAnswerError, Steps, play, record_run, rules
from theory.errors import InvalidInputError
from theory.incentives.protocols import check_protocol
from theory.normal_form import NormalFormGame

KINDS: dict[str, Callable[..., Any]] = {
    "hedge": Hedge,
    "best response": BestResponse,
    "regret matching": RegretMatching,
    "copies": BlumMansour,
    "internal": InternalFTPL,
    "drawn": lambda n, **more: FTPL(n, rng=np.random.default_rng(n), samples=3, **more),
}
NAMES: tuple[str, ...] = ("Ann", "Bob", "Cid")


def drawn(seed: int, players: int) -> tuple[list[Any], list[str], int]:
    """Payoffs of a random game of each size, which learners play it, and for how many rounds."""
    rng = Random(seed)
    shape = [rng.randint(1, 4) for _ in range(players)]
    profiles = int(np.prod(shape))
    flat = [numbers(rng, profiles) for _ in range(players)]
    payoffs = [np.array([float(x) for x in row]).reshape(shape).tolist() for row in flat]
    return payoffs, [rng.choice(list(KINDS)) for _ in shape], rng.randint(1, 25)


def learners(payoffs: list[Any], kinds: Sequence[str]) -> list[Any]:
    """New learners for a game, each made for the payoffs of its player."""
    tensors = [np.array(each) for each in payoffs]
    return [
        KINDS[kind](own.shape[k], reward_range=(float(own.min()), float(own.max()) + 1))
        for k, (kind, own) in enumerate(zip(kinds, tensors, strict=True))
    ]


def stepped(payoffs: list[Any], kinds: Sequence[str], rounds: int) -> Run:
    names = NAMES[: len(payoffs)]
    cast = dict(zip(names, map(LearnerPlayer, learners(payoffs, kinds)), strict=True))
    run = play(repeated_game(payoffs, rounds, players=names), cast)
    return name_learners(run.outcome, cast)


def require_same(mine: Run, theirs: Run) -> None:
    """Require two runs to have all in common, to the last bit."""
    assert str(mine) == str(theirs)
    assert mine.rounds == theirs.rounds
    for one, other in zip(mine.players, theirs.players, strict=True):
        np.testing.assert_array_equal(one.plays, other.plays)
        np.testing.assert_array_equal(one.observations, other.observations)
        np.testing.assert_array_equal(one.learner.play(), other.learner.play())
        assert one.learner.rounds_played == other.learner.rounds_played
        assert (one.name, one.actions) == (other.name, other.actions)
        assert (one.residual, one.oracle_gap) == (other.residual, other.oracle_gap)


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("seed", range(40))
def test_what_the_loops_play_is_what_is_stepped(seed: int, players: int) -> None:
    payoffs, kinds, rounds = drawn(seed, players)
    game = NormalFormGame.of(payoffs, players=NAMES[:players])
    loop = play_game(game, learners(payoffs, kinds), rounds)
    mine = stepped(payoffs, kinds, rounds)
    require_same(mine, loop)
    for name in NAMES[:players]:
        assert mine.regret(name) == loop.regret(name)
        for kind in ("external", "internal", "swap"):
            ours, theirs = mine.series(name, kind), loop.series(name, kind)
            np.testing.assert_array_equal(ours.regret, theirs.regret)
            np.testing.assert_array_equal(ours.bound, theirs.bound)


LISTED = ("hedge", "best response", "regret matching", "copies")


@pytest.mark.parametrize("kinds", list(product(LISTED, LISTED)), ids=" and ".join)
@pytest.mark.parametrize("compiled", [True, False])
def test_both_loops_of_two_players_agree_with_the_steps(
    kinds: tuple[str, str], compiled: bool
) -> None:
    rng = np.random.default_rng(5)
    payoffs = rng.random((2, 5, 3)).tolist()
    game = NormalFormGame.of(payoffs, players=NAMES[:2])
    loop = play_game(game, learners(payoffs, kinds), 60, compiled=compiled)
    require_same(stepped(payoffs, kinds, 60), loop)


# --- what is told


def expected(payoffs: Any, laws: Sequence[Sequence[Any]], player: int) -> list[Fraction]:
    """What each action of a player earns against the others' mixed strategies, in fractions."""
    sizes = [len(each) for each in laws]
    found = [Fraction(0)] * sizes[player]
    for profile in product(*map(range, sizes)):
        paid = payoffs[player]
        weight = Fraction(1)
        for q, action in enumerate(profile):
            paid = paid[action]
            weight *= 1 if q == player else Fraction(laws[q][action])
        found[profile[player]] += weight * Fraction(paid)
    return found


@pytest.mark.parametrize("players", [1, 2, 3])
@pytest.mark.parametrize("seed", range(10))
def test_each_hears_the_expected_rewards_of_the_round_before(seed: int, players: int) -> None:
    rng = Random(seed)
    payoffs, _, rounds = drawn(100 + seed, players)
    sizes = np.array(payoffs[0]).shape
    script = [[[float(p) for p in law(rng, n)] for n in sizes] for _ in range(rounds)]
    names = NAMES[:players]
    heard: dict[str, list[Feedback]] = {name: [] for name in names}

    def plays(k: int) -> Callable[[Ask], object]:
        def answer(ask: Ask) -> object:
            heard[ask.player].append(ask.view)
            return "heard" if ask.role == "hear" else script[ask.view.round][k]

        return answer

    cast = {name: plays(k) for k, name in enumerate(names)}
    run = play(repeated_game(payoffs, rounds, players=names), cast)
    for k, name in enumerate(names):
        assert [news.round for news in heard[name]] == list(range(rounds + 1))
        assert heard[name][0].rewards == ()
        own = run.outcome.player(name)
        for t, news in enumerate(heard[name][1:]):
            right = [float(x) for x in expected(payoffs, script[t], k)]
            np.testing.assert_allclose(news.rewards, right, rtol=1e-12, atol=1e-12)
            np.testing.assert_array_equal(news.rewards, own.observations[t])
            np.testing.assert_allclose(own.plays[t], script[t][k], atol=1e-9)


def test_all_are_asked_before_anybody_hears() -> None:
    run = repeated_game([np.eye(2).tolist()] * 2, 2, players=["Ann", "Bob"])
    assert [ask.player for ask in run.asks] == ["Ann", "Bob"]
    back = run.answer("Bob", [0, 1]).answer("Ann", [1, 0])
    there = run.answer("Ann", [1, 0]).answer("Bob", [0, 1])
    for ask in back.asks:
        other = there.ask(ask.player)
        assert other is not None
        assert ask.view == other.view
    assert [ask.view.rewards for ask in back.asks] == [(0.0, 1.0), (1.0, 0.0)]
    assert str(back.asks[0].view) == "in round 1 your actions would have earned 0, 1"
    assert run.answer("Ann", [1, 0]).ask("Bob") == run.ask("Bob")


# --- written in the middle, and gone on with by new learners


@pytest.mark.parametrize("stop", [0, 1, 5, 12, 23, 24, 25, 26])
def test_a_run_is_gone_on_with_by_new_learners(stop: int) -> None:
    payoffs, kinds, rounds = np.random.default_rng(2).random((2, 3, 3)).tolist(), LISTED[::3], 12
    cast = dict(zip(NAMES, map(LearnerPlayer, learners(payoffs, kinds)), strict=False))
    run = repeated_game(payoffs, rounds, players=NAMES[:2])
    for _ in range(stop):
        ask = run.ask()
        assert ask is not None
        run = run.answer(ask, cast[ask.player](ask))
    read = repeated_game.read(json.dumps(run.to_json()))
    assert read == run
    new = dict(zip(NAMES, map(LearnerPlayer, learners(payoffs, kinds)), strict=False))
    whole = stepped(payoffs, kinds, rounds)
    require_same(name_learners(play(read, new).outcome, new), whole)
    require_same(name_learners(play(run, cast).outcome, cast), whole)


def test_another_learner_does_not_go_on() -> None:
    run = repeated_game([[[1, 0], [0, 1]], [[0, 1], [1, 1]]], 4, players=["Ann", "Bob"])
    cast = {"Ann": LearnerPlayer(Hedge(2)), "Bob": LearnerPlayer(RegretMatching(2))}
    for _ in range(6):
        ask = run.ask()
        assert ask is not None
        run = run.answer(ask, cast[ask.player](ask))
    with pytest.raises(InvalidInputError, match=r"played otherwise than Bob did in round 2"):
        play(run, {"Ann": LearnerPlayer(Hedge(2)), "Bob": LearnerPlayer(Hedge(2, rate=9.0))})
    done = play(run, cast).outcome
    with pytest.raises(InvalidInputError, match=r"has played 5 rounds, and Ann 3"):
        play(run, cast)
    other = cast | {"Bob": LearnerPlayer(Hedge(2))}
    with pytest.raises(InvalidInputError, match=r"played otherwise than Bob did in round 2"):
        name_learners(done, other)


def test_a_question_out_of_turn_is_refused() -> None:
    run = repeated_game([[1, 0]], 1, players=["Ann"])
    learner = LearnerPlayer(Hedge(2))
    first = run.asks[0]
    answer = learner(first)
    with pytest.raises(InvalidInputError, match=r"has played 1 rounds, not 0"):
        learner(first)
    learner(run.answer(first, answer).asks[0])
    hedge: Any = learner.learner
    assert hedge.rounds_played == 1


class Sour:
    """Refuses its rewards in a round, or plays what is no strategy."""

    def __init__(self, told: int, play: Any = (0.5, 0.5)) -> None:
        self.left, self.law = told, play

    def play(self) -> Any:
        return self.law

    def observe(self, rewards: Any) -> None:
        self.left -= 1
        if not self.left:
            raise ValueError("enough")


@pytest.mark.parametrize("name", ["Ann", "Bob"])
@pytest.mark.parametrize("told", [1, 3])
def test_a_learner_that_raises_ends_the_run(name: str, told: int) -> None:
    cast = {each: LearnerPlayer(Hedge(2)) for each in ("Ann", "Bob")}
    cast[name] = LearnerPlayer(Sour(told))
    run = repeated_game([np.eye(2).tolist()] * 2, 3, players=["Ann", "Bob"])
    with pytest.raises(ParticipantError, match=rf"{name} raised ValueError\('enough'\)") as caught:
        play(run, cast)
    ended: Any = caught.value.record
    assert ended.ended_by.view.round == told
    cast = {each: LearnerPlayer(Hedge(2)) for each in ("Ann", "Bob")}
    cast[name] = LearnerPlayer(Sour(9, (0.5, 0.6)))
    with pytest.raises(ParticipantError, match=rf"{name} has no answer: .* no mixed strategy"):
        play(run, cast)


# --- planted faults


def faulty(monkeypatch: pytest.MonkeyPatch, change: Callable[[int, list[Any]], list[Any]]) -> None:
    """Change the expected rewards of a round, which are counted from 1."""
    right = _repeated_game._expected_rewards

    def wrong(game: NormalFormGame) -> Any:
        rewarded, told = right(game), [0]

        def changed(laws: Sequence[Any]) -> list[Any]:
            told[0] += 1
            return change(told[0], list(rewarded(laws)))

        return changed

    monkeypatch.setattr(_repeated_game, "_expected_rewards", wrong)


FAULTS: dict[str, Callable[[int, list[Any]], list[Any]]] = {
    "the last two hear each other's": lambda t, rows: [*rows[:-2], rows[-1], rows[-2]],
    "the first two hear each other's": lambda t, rows: [rows[1], rows[0], *rows[2:]],
    "a later round pays the last player more": lambda t, rows: [
        *rows[:-1],
        rows[-1] + 1e-9 * (t == 7),
    ],
    "the last round pays the first player more": lambda t, rows: [
        rows[0] + 1e-9 * (t == 10),
        *rows[1:],
    ],
}


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_seen(monkeypatch: pytest.MonkeyPatch, fault: str, players: int) -> None:
    payoffs = np.random.default_rng(3).random((players, *[3] * players)).tolist()
    kinds = ["hedge", "copies", "regret matching"][:players]
    game = NormalFormGame.of(payoffs, players=NAMES[:players])
    loop = play_game(game, learners(payoffs, kinds), 10)
    require_same(stepped(payoffs, kinds, 10), loop)
    faulty(monkeypatch, FAULTS[fault])
    with pytest.raises(AssertionError):
        require_same(stepped(payoffs, kinds, 10), loop)


# --- who is told what, by the check of protocols


@rules
def indiscreet(payoffs: Any, rounds: int, players: Sequence[str], leak: int) -> Steps[Any]:
    """A repeated game that tells one player what the other one hears, in the last round."""
    told: Any = {name: Feedback(0) for name in players}
    for t in range(1, rounds + 1):
        laws = yield {
            name: Ask(name, news, MixedStrategy(("0", "1")), "mix") for name, news in told.items()
        }
        rows = [[float(x) for x in expected(payoffs, list(laws.values()), k)] for k in range(2)]
        if t == rounds:
            rows[leak] = rows[1 - leak]
        told = {name: Feedback(t, tuple(row)) for name, row in zip(players, rows, strict=True)}
    return (
        yield {name: Ask(name, news, Choice(("heard",)), "hear") for name, news in told.items()}
    )


def disclosure(begin: Callable[[Any], Any]) -> Any:
    """Check worlds that differ in what one player earns, with players who do not react to that."""
    names = ["Ann", "Bob"]
    tables = [[[1, 0], [0, 1]], [[0, 1], [1, 0]], [[2, 0], [0, 0]]]

    def steady(ask: Ask) -> object:
        if ask.role == "hear":
            return "heard"
        return [[0.5, 0.5], [0.25, 0.75], [1, 0]][ask.view.round]

    def once(payoffs: Any, generator: Any) -> Any:
        def may_know(seat: str, log: Sequence[Entry]) -> object:
            last = [entry.value for entry in log[-2:]]
            return expected(payoffs, last, names.index(seat)) if last else None

        return record_run(play(begin(payoffs), dict.fromkeys(names, steady)), may_know)

    wanted = ["disclosure", "measurability", "termination"]
    return check_protocol(once, list(product(tables, repeat=2)), properties=wanted, seeds=1)


def test_nobody_is_told_more_than_the_own_rewards() -> None:
    report = disclosure(lambda payoffs: repeated_game(payoffs, 3, players=["Ann", "Bob"]))
    assert report.refuted == ()
    assert all(finding.scope.nontrivial for finding in report.findings)


@pytest.mark.parametrize("leak", [0, 1])
def test_who_hears_what_the_other_hears_is_found(leak: int) -> None:
    report = disclosure(lambda payoffs: indiscreet(payoffs, 3, ["Ann", "Bob"], leak))
    assert "disclosure" in report.refuted
    assert ["Ann", "Bob"][leak] in report["disclosure"].witness.problem


# --- answers


def test_mixed_strategies_are_said_in_several_ways() -> None:
    answer = MixedStrategy(("yield", "dare"))
    for given in ([0.25, 0.75], (Fraction(1, 4), Fraction(3, 4)), np.array([0.25, 0.75])):
        assert answer.read(given) == (0.25, 0.75)
    assert answer.read(" dare ") == answer.read("[0, 1]") == (0.0, 1.0)
    assert answer.read([1 + 1e-10, -1e-10]) == (1.0, 0.0)
    assert answer.read_written(json.loads(json.dumps(answer.write((0.1, 0.9))))) == (0.1, 0.9)
    assert str(answer) == "probabilities of yield, dare"
    assert answer.schema()["maxItems"] == 2
    assert answer.choices() is None


@pytest.mark.parametrize(
    "given",
    [[1], [0.5, 0.6], [-0.1, 1.1], [0.5, float("nan")], "swerve", "[0.5,", "{}", None, 1, [[1, 0]]],
    ids=repr,
)
def test_what_is_no_mixed_strategy(given: object) -> None:
    with pytest.raises(IllegalAnswerError, match=r"is no mixed strategy: say 2 probabilities"):
        MixedStrategy(("yield", "dare")).read(given)


def test_a_player_may_try_again() -> None:
    run = repeated_game([[1, 0]], 1, players=["Ann"], attempts=2).answer("Ann", [1, 1])
    assert run.asks[0].refused
    assert run.answer("Ann", "1").asks[0].view == Feedback(1, (1.0, 0.0))
    assert repeated_game([[1, 0]], 1).answer("player 1", [1, 1]).ended_by is not None


def test_a_game_by_itself_names_its_players_and_actions() -> None:
    chicken = NormalFormGame.bimatrix(
        [[6, 2], [7, 0]],
        [[6, 7], [2, 0]],
        players=NAMES[:2],
        actions=[["yield", "dare"]] * 2,
        title="Chicken",
    )
    ann = LearnerPlayer(Hedge(2, reward_range=(0, 7)))
    done = play(repeated_game(chicken, 5), {"Ann": ann, "Bob": lambda ask: "dare"}).outcome
    assert done.title == "Chicken"
    assert done.player("Bob").plays.tolist() == [[0, 1]] * 5
    assert done.game is chicken
    with pytest.raises(InvalidInputError, match=r"players are named by the game"):
        repeated_game(chicken, 5, players=["Ann", "Bob"])
    with pytest.raises(InvalidInputError, match=r"participants is a player without one"):
        name_learners(done, {"Ann": ann})


def test_a_learner_that_has_played_is_refused() -> None:
    learner = Hedge(2)
    learner.observe([0.0, 1.0])
    with pytest.raises(InvalidInputError, match=r"has played 1 round before"):
        LearnerPlayer(learner)
