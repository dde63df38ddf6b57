"""The marginal-value mechanism run, against the game's own settlement and the brute force."""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from marginal_value_runs import (
    EXAMPLE_6_1,
    FAMILIES,
    KINDS,
    Answers,
    Nobody,
    Script,
    games,
    numbered,
    played,
    scripted,
)
from reference import marginal_value as oracle

from mechanisms.ledger import Ledger
from mechanisms.marginal_value import (
    BayesianJudge,
    EquilibriumInformant,
    GreedyInformant,
    MarginalValueRecord,
    RandomInformant,
    TableJudge,
    run_game,
    run_marginal_value,
)
from mechanisms.protocols import History, Informant, Judge
from theory.decision import DecisionProblem
from theory.errors import NullEventError
from theory.information import Good
from theory.marginal_value import (
    MarginalValueGame,
    equilibrium,
    from_prior,
)
from theory.probability import ProbabilitySpace

# --- rewards and payments


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", KINDS)
def test_rewards_are_those_of_the_game(kind: str, family: str) -> None:
    rng, lengths, priceless = np.random.default_rng(1), list[int](), 0
    for drawn, game in games(family, 40):
        informants = {name: KINDS[kind](game, rng) for name in "ABC"[: 1 + len(lengths) % 3]}
        record = run_game(game, informants)
        play = game.settle(played(record))
        assert record.rewards == play.rewards
        assert record.actions == play.actions
        assert record.prices == play.prices
        assert list(record.rewards) == oracle.rewards(drawn, tuple(map(numbered, played(record))))
        names = list(informants)
        assert [m.informant for m in record.moves] == [
            names[n % len(names)] for n in range(len(record.moves))
        ]
        check_payments(record)
        lengths.append(len(record.moves))
        priceless += inf in drawn.prices.values()
    assert sum(map(bool, lengths)) >= 10
    assert priceless >= 10


def check_payments(record: MarginalValueRecord) -> None:
    """The pool pays the sum of all rewards, each informant gets the sum of its own."""
    earned = dict.fromkeys((a.name for a in record.statement.accounts), Fraction(0))
    for move, reward in zip(record.moves, record.rewards, strict=True):
        earned[move.informant] += Fraction(reward)
        earned["pool"] -= Fraction(reward)
    assert {a.name: a.change for a in record.statement.accounts} == earned
    assert sum(a.change for a in record.statement.accounts) == 0
    assert len(record.statement.entries) == sum(reward != 0 for reward in record.rewards)


def test_a_ledger_goes_on_from_run_to_run() -> None:
    ledger = Ledger({"bank": 10, "A": 0, "B": 3}, {"bank": None, "A": None, "B": None})
    greedy = GreedyInformant(EXAMPLE_6_1)
    for run in range(1, 4):
        record = run_game(EXAMPLE_6_1, {"A": greedy, "B": greedy}, ledger=ledger, pool="bank")
        assert record.rewards == (-1, 1)
        assert (ledger.balance("A"), ledger.balance("B")) == (-run, 3 + run)
        assert len(record.statement.entries) == 2
        assert record.statement.account("A").opening == 1 - run


def test_prices_by_a_function_of_the_set() -> None:
    def price(new: frozenset[str]) -> int:
        return len(new) ** 2

    judge, asked = TableJudge(EXAMPLE_6_1), GreedyInformant(EXAMPLE_6_1)
    moves = [("claim",), ("rebuttal", "defence")]
    record = run_marginal_value(judge, {"A": Script(moves, asked)}, EXAMPLE_6_1.items, price)
    assert record.prices == (1, 4)
    assert record.rewards == (
        1 - 0 - 1,
        -4,
    )
    assert record.rewards == EXAMPLE_6_1.with_prices(price).settle(moves).rewards


def test_float64_all_the_way() -> None:
    rows = {(): [0.1, 0.0], ("a",): [0, 0.7], ("b",): [0.5, 0.25], ("a", "b"): [0.2, 0.5]}
    game = MarginalValueGame.of(["a", "b"], rows, {"a": 0.1, "b": 1})
    record = scripted(game, [("a",), ("b",)], GreedyInformant(game))
    assert record.rewards == game.settle([("a",), ("b",)]).rewards
    assert record.rewards == pytest.approx((0.2, -1.0))
    assert all(isinstance(r, float) for r in record.rewards)
    assert record.statement.account("pool").closing == pytest.approx(0.8)


def test_whole_numbers_may_stand_for_floats_once_it_is_known_that_there_are_floats() -> None:
    answers: dict[int, dict[str, object]] = {0: {"x": 0.5, "y": 0}, 1: {"x": 0, "y": 1}}
    record = run_marginal_value(
        Answers(answers), {"A": Script([("a",)], Nobody())}, ["a"], {"a": 0}
    )
    assert record.rewards == (1.0,)


# --- what may be revealed


def test_what_counts_of_a_move_is_what_it_newly_reveals() -> None:
    items, moves = ["a", "b", "c"], [(), ("a",), ("a", "b"), ("a", "b", "c")]
    game = MarginalValueGame.of(items, lambda s: [0, len(s)], dict.fromkeys(items, "1/4"), moves)
    for said in (("a", "b"), ("b",)):
        record = scripted(game, [("a",), said], Nobody())
        assert played(record) == [("a",), ("b",)]
        assert record.rewards == game.settle([("a",), ("a", "b")]).rewards
    wise = EquilibriumInformant(equilibrium(game))
    assert scripted(game, [("a",)], wise).revealed == ("a",)


def test_the_game_ends_when_nothing_new_is_named_or_nothing_is_left() -> None:
    record = run_game(EXAMPLE_6_1, {"A": Script([("claim",)] * 2, Nobody())})
    assert (played(record), record.ended_by) == ([("claim",)], "A")
    record = run_game(EXAMPLE_6_1, {"A": Script([EXAMPLE_6_1.items] * 2, Nobody())})
    assert (played(record), record.ended_by) == ([EXAMPLE_6_1.items], None)


def test_what_is_revealed_stands_in_the_order_of_the_items() -> None:
    moves = [("defence",), ("claim",)]
    record = scripted(EXAMPLE_6_1, moves, Nobody())
    assert played(record) == moves
    assert record.revealed == EXAMPLE_6_1.settle(moves).revealed == ("claim", "defence")
    assert "2 moves reveal {claim, defence}" in str(record)


def test_as_many_moves_as_allowed() -> None:
    singles = [("claim",), ("rebuttal",)]
    informants = {"A": Script(singles, Nobody())}
    assert played(run_game(EXAMPLE_6_1, informants, max_moves=2)) == singles


def test_a_run_is_told_who_holds_what() -> None:
    rng, moved = np.random.default_rng(3), 0
    for _, game in games("subsets", 30):
        holdings = {"A": game.items[:1], "B": game.items[1:]}
        informants = {name: RandomInformant(game, rng) for name in holdings}
        record = run_game(game, informants, holdings=holdings)
        assert all(set(m.items) <= set(holdings[m.informant]) for m in record.moves)
        moved += len(record.moves)
    assert moved >= 15


def test_an_informant_is_told_what_happened_and_what_it_holds() -> None:
    seen: list[History] = []

    class Listener(Nobody):
        def reveal(self, history: History) -> tuple[str, ...]:
            seen.append(history)
            return ()

    informants = {"A": Script([("claim",)], Nobody()), "B": Listener()}
    contents = {"claim": ["it", "works"], "rebuttal": "no", "defence": "yes"}
    run_marginal_value(
        TableJudge(EXAMPLE_6_1),
        informants,
        contents,
        dict.fromkeys(contents, 0),
        holdings={"B": ["defence"]},
    )
    [history] = seen
    assert [(m.informant, m.items) for m in history.moves] == [("A", ("claim",))]
    assert history.actions == (0, 1)
    assert history.revealed == {"claim": ["it", "works"]}
    assert history.held == {"defence": "yes"}


def test_participants_get_copies() -> None:
    def forge(contents: Any) -> None:
        for content in contents.values():
            content.append("forged")
        contents.clear()

    class Forger:
        def reveal(self, history: History) -> tuple[str, ...]:
            moves = ["a", "b", "b"]
            forge(history.revealed)
            forge(history.held)
            return (moves[len(history.moves)],)

    class Reader:
        def utilities(self, revealed: Any) -> dict[str, int]:
            shown.append(str(revealed))
            forge(revealed)
            return {"x": 0}

    shown: list[str] = []
    mine = ["true"]
    record = run_marginal_value(
        Reader(),
        {"A": Forger(), "B": Forger()},
        {"a": mine, "b": [], "c": []},
        dict.fromkeys("abc", 0),
    )
    assert shown == ["{}", "{'a': ['true']}", "{'a': ['true'], 'b': []}"]
    assert mine == ["true"]
    assert (played(record), record.ended_by) == ([("a",), ("b",)], "A")  # "b" is not new again


# --- judges


def test_a_bayesian_judge_expects_what_the_game_from_its_prior_says() -> None:
    rng = np.random.default_rng(13)
    for _ in range(15):
        states = int(rng.integers(2, 6))
        weights = [int(w) for w in rng.integers(0, 4, states)]
        weights[0] += 1
        space = ProbabilitySpace.of([Fraction(w, sum(weights)) for w in weights])
        rows = {x: [int(u) for u in rng.integers(-3, 4, states)] for x in "xy"}
        decision = DecisionProblem.of(space, rows)
        shows = {name: [int(v) for v in rng.integers(0, 2, states)] for name in "abc"}
        goods = tuple(
            Good.of(name, space.variable(name, shows[name].__getitem__), 1) for name in shows
        )
        judge = BayesianJudge(decision, goods)
        contents = judge.contents(0)
        game = from_prior(decision, goods, 0)
        for place in range(len(game.sets)):
            shown = {name: contents[name] for name in game.names(place)}
            assert judge.utilities(shown) == TableJudge(game).utilities(shown)
        informants = {"A": RandomInformant(game, rng), "B": GreedyInformant(game)}
        prices = dict.fromkeys("abc", 1)
        record = run_marginal_value(judge, informants, contents, prices)
        assert record.rewards == game.settle(played(record)).rewards


def test_a_bayesian_judge_refuses_what_cannot_be() -> None:
    space = ProbabilitySpace.of({"rain": "1/4", "dry": "3/4"})
    decision = DecisionProblem.of(space, {"umbrella": [0, -1], "none": [-4, 0]})
    sky = Good.of("sky", space.variable("sky", str))
    roof = Good.of("roof", [space.variable("roof", {"rain": "wet", "dry": "dry"})])
    judge = BayesianJudge(decision, (sky, roof))
    assert judge.contents("rain") == {"sky": ("rain",), "roof": ("wet",)}
    with pytest.raises(NullEventError):
        judge.utilities({"sky": ("rain",), "roof": ("dry",)})


def test_the_first_of_the_best_actions_is_noted() -> None:
    answers = {0: {"x": 1, "y": 1}, 1: {"y": 2, "x": 2}}
    record = run_marginal_value(
        Answers(answers), {"A": Script([("a",)], Nobody())}, ["a"], {"a": 0}
    )
    assert record.actions == ("x", "x")  # as they stood in the first answer


@pytest.mark.parametrize("hopeless", [0.0, -1e13])
def test_floats_tie_by_the_two_utilities_compared(hopeless: float) -> None:
    """That another row is a billion times larger, or another action hopeless, does not matter."""
    near, far = 1 + 1e-15, 1 + 1e-11
    rows = {0: (1.0, near), 1: (1.0, far), 2: (1e9, 1e9 + 1e-6)}
    answers = {n: {"x": x, "y": y, "z": hopeless} for n, (x, y) in rows.items()}
    record = run_marginal_value(
        Answers(answers), {"A": Script([("a",), ("b",)], Nobody())}, ["a", "b"], {"a": 0, "b": 0}
    )
    assert record.actions == ("x", "y", "x")


# --- what must not matter, and what scales


@pytest.mark.parametrize("family", FAMILIES)
def test_names_levels_and_units(family: str) -> None:
    rng, moved = np.random.default_rng(17), 0
    for drawn, game in games(family, 25):
        prices = {name: drawn.prices[numbered(name)] for name in game.items}
        kinds = [KINDS[kind] for kind in ("greedy", "market", "equilibrium")]

        def run(other: MarginalValueGame, names: str = "ABC", kinds: Any = kinds) -> Any:
            return run_game(
                other, {name: make(other, rng) for name, make in zip(names, kinds, strict=True)}
            )

        usual = run(game)
        rows = {s: list(row) for s, row in drawn.utilities.items()}
        levels = {s: int(rng.integers(-5, 6)) for s in rows}
        scaled = MarginalValueGame.of(
            game.items,
            {tuple(map(str, s)): [3 * u + levels[s] for u in row] for s, row in rows.items()},
            {name: 3 * price for name, price in prices.items()},
            FAMILIES[family],
        )
        assert played(run(scaled)) == played(usual)
        assert run(scaled).rewards == tuple(3 * reward for reward in usual.rewards)

        renamed = MarginalValueGame.of(
            [f"item {name}" for name in game.items],
            {tuple(f"item {i}" for i in s): row for s, row in rows.items()},
            {f"item {name}": price for name, price in prices.items()},
            FAMILIES[family],
        )
        other = run(renamed, "PQR")
        new_names = dict(zip("ABC", "PQR", strict=True))
        assert [(m.informant, m.items) for m in other.moves] == [
            (new_names[m.informant], tuple(f"item {i}" for i in m.items)) for m in usual.moves
        ]
        assert other.rewards == usual.rewards
        moved += len(usual.moves)
    assert moved >= 15


# --- what it looks like


def test_a_record_says_what_happened() -> None:
    greedy = GreedyInformant(EXAMPLE_6_1)
    record = run_game(EXAMPLE_6_1, {"Ann": greedy, "<Bob>": greedy})
    assert "2 moves reveal {claim, rebuttal}, then Ann ends the game" in str(record)
    assert "move 2: {rebuttal}" in str(record)
    assert "&lt;Bob&gt;" in record._repr_html_()
    assert "<Bob>" not in record._repr_html_()
    nothing = run_game(EXAMPLE_6_1, {"Ann": Nobody()})
    assert str(nothing).startswith("nothing is revealed: Ann ends the game")
    everything = run_game(EXAMPLE_6_1, {"Ann": Script([EXAMPLE_6_1.items], Nobody())})
    assert "1 move reveals {claim, rebuttal, defence}, then nothing is left" in str(everything)


@pytest.mark.parametrize("made", [TableJudge(EXAMPLE_6_1), Answers({})])
def test_judges_are_judges(made: object) -> None:
    assert isinstance(made, Judge)
    assert not isinstance(made, Informant)
