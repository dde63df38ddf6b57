"""``check_protocol`` on the mechanisms that ship: they pass; faults planted into them are found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from marginal_value_runs import EXAMPLE_6_1, Answers, Says
from mutants.volition_protocols import altered, asks, everything_is_told
from shoppers import Shopper, Stall, names, purse, shop

from mechanisms.errors import BuyerError
from mechanisms.inspection import BayesianBuyer, sellers_in, watch_inspection
from mechanisms.inspection._run import InspectionDriver
from mechanisms.ledger import Ledger
from mechanisms.marginal_value import (
    GreedyInformant,
    InformantError,
    RandomInformant,
    TableJudge,
    run_game,
    watch_marginal_value,
)
from mechanisms.marginal_value._driver import MarginalValueDriver
from mechanisms.marginal_value._rules import marginal_value
from mechanisms.protocols import History, Offer, Question, Viewing
from theory.decision import DecisionProblem
from theory.incentives.protocols import PROTOCOL_PROPERTIES, PaymentMade, RunRecord, check_protocol
from theory.information import Good
from theory.inspection import InspectionProblem
from theory.probability import ProbabilitySpace
from theory.verdicts import Status

Rule = Callable[[Viewing], Any]

CONTENTS = [
    {"a": "dull", "b": "dull", "c": "dull"},
    {"a": "grand", "b": "dull", "c": "dull"},
    {"a": "dull", "b": "grand", "c": "dull"},
    {"a": "dull", "b": "fine", "c": "dull"},
    {"a": "dull", "b": "dull", "c": "grand"},
    {"a": "dull", "b": "dull", "c": "fine"},
]


def buys_what_is_grand(viewing: Viewing) -> list[str]:
    return [each.name for each in viewing.choice if each.read() == "grand"]


def market(rule: Rule = buys_what_is_grand, **shopper: Any) -> Callable[..., RunRecord]:
    """Eve offers a and b on level 1 and c on level 2; the case says what they hold."""

    def run(case: dict[str, Any], rng: np.random.Generator) -> RunRecord:
        def offers(question: Question) -> list[Offer]:
            wanted = {1: "ab", 2: "c"}.get(question.level, "")
            return [Offer(name, case[name], 1) for name in wanted]

        seller = Stall(offers)
        ledger = purse(case.get("budget", 10), seller)
        return watch_inspection("what?", Shopper(rule, **shopper), [seller], ledger, depth=2)

    return run


def statuses(report: Any) -> set[Status]:
    return {finding.status for finding in report.findings}


# --- inspection


def test_recursive_inspection_passes_and_each_property_could_have_failed() -> None:
    cases = [*CONTENTS, {**CONTENTS[0], "budget": 3}]
    report = check_protocol(market(), cases)
    assert statuses(report) == {Status.HOLDS}
    assert len(report.findings) == len(PROTOCOL_PROPERTIES)
    assert report.faults == ()


def test_what_was_noted_is_what_happened() -> None:
    case = {"a": "grand", "b": "dull", "c": "grand"}
    record = market()(case, np.random.default_rng(0))
    assert [step for step in record.steps if isinstance(step, PaymentMade)] == [
        PaymentMade("ann", "eve", 1),
        PaymentMade("ann", "eve", 1),
    ]
    known: Any = record.secrets["what eve knows"]
    assert [[offer.content for offer in offers] for offers in known] == [
        ["grand", "dull"],
        ["grand"],
    ]
    assert record.closing == {"ann": 8, "eve": 2}
    assert len(list(record.steps)) <= record.limit


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_each_further_offer_to_be_shown_may_take_a_step_a_level(depth: int) -> None:
    def limit(breadth: int) -> int:
        seller = Stall(lambda question: [])
        shopper, ledger = Shopper(buys_what_is_grand), purse(1, seller)
        return watch_inspection(
            "what?", shopper, [seller], ledger, depth=depth, breadth=breadth
        ).limit

    assert limit(2) - limit(1) == limit(9) - limit(8) == depth


def test_a_bayesian_buyer_passes_in_every_state() -> None:
    space = ProbabilitySpace.of({"low": "1/3", "mid": "1/3", "high": "1/3"})
    decision = DecisionProblem.of(space, {"a": [3, 0, 0], "b": [0, 1, 1]})
    report = Good.of("report", space.variable("state", lambda s: s == "low"), "1/2")
    rating = Good.of("rating", space.variable("state", lambda s: s == "high"), "1/8")
    problem = InspectionProblem.of(decision, [[report], [rating]])

    def run(state: str, rng: np.random.Generator) -> RunRecord:
        sellers = sellers_in(problem, state)
        ledger = Ledger({"buyer": 2, **{seller.name: 0 for seller in sellers}})
        return watch_inspection("a?", BayesianBuyer.of(problem), sellers, ledger, depth=2)

    found = check_protocol(run, ["low", "mid", "high"], seeds=1)
    assert found.refuted == found.faults == ()
    assert found["disclosure"].status == Status.HOLDS


def test_a_buyer_that_remembers_behind_the_protocol_is_found_out() -> None:
    memory = list[object]()

    def reads(viewing: Viewing) -> list[str]:
        memory.extend(each.read() for each in viewing.choice)
        return []

    def run(case: Any, rng: np.random.Generator) -> RunRecord:
        memory.clear()
        return market(reads, ending=lambda question, bought: "grand" in memory)(case, rng)

    report = check_protocol(run, CONTENTS)
    assert report.refuted == ("measurability",)
    assert "ann does False in one, does True in the other" in str(report)


def faulty(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Let inspection follow rules in which each request is changed."""
    monkeypatch.setattr(InspectionDriver, "rules", staticmethod(altered(change)))


def test_a_mechanism_that_delivers_what_was_not_bought(monkeypatch: pytest.MonkeyPatch) -> None:
    faulty(monkeypatch, everything_is_told)
    assert check_protocol(market(), CONTENTS).refuted == ("disclosure",)


def test_a_mechanism_that_shows_contents_to_sellers(monkeypatch: pytest.MonkeyPatch) -> None:
    def question(text: str, below: Any) -> Question:
        return Question(text, len(below) + 1, tuple(below))

    def run(case: Any, rng: np.random.Generator) -> RunRecord:
        eve, bob = shop("a"), Stall(lambda q: [Offer(f"b{q.level}", case["b"], 1)], "bob")
        return watch_inspection("?", Shopper(), [eve, bob], purse(9, eve, bob), depth=2)

    assert check_protocol(run, CONTENTS).refuted == ()
    monkeypatch.setattr("mechanisms.inspection._rules._question", question)
    report = check_protocol(run, CONTENTS)
    assert report.refuted == ("disclosure",)
    assert report.witness is not None
    assert report.witness.who == "eve"


def test_a_mechanism_that_tells_sellers_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    def tells(request: Any, before: list[Any]) -> Any:
        if not asks(request, "offer"):
            return request
        budget = before[0].balances[0][1]
        return replace(request, view=replace(request.view, text=f"{budget} to spend"))

    cases = [{**CONTENTS[0], "budget": budget} for budget in (3, 7)]
    assert check_protocol(market(), cases).refuted == ()
    faulty(monkeypatch, tells)
    assert check_protocol(market(), cases).refuted == ("disclosure",)


def test_a_budget_that_is_overdrawn_is_a_fault_with_the_mechanism_s_own_words() -> None:
    greedy = market(lambda viewing: names(viewing.choice))
    report = check_protocol(greedy, {"poor": {**CONTENTS[0], "budget": 1}}, seeds=1)
    assert report.faults == (
        "case poor, seed 0: raised BudgetError: ann chooses a + b on level 1 for 2: at most 0 can "
        "be paid",
    )


@pytest.mark.parametrize("answer", [None, "a", ["a", "a"], ["z"], 3])
def test_nonsense_from_a_buyer_is_refused_as_without_a_watch(answer: Any) -> None:
    with pytest.raises(BuyerError):
        market(lambda viewing: answer)(CONTENTS[0], np.random.default_rng(0))


def test_a_buyer_that_is_its_own_copy_is_refused_as_without_a_watch() -> None:
    class Keeper(Shopper):
        def __deepcopy__(self, memo: object) -> Keeper:
            return self

    seller = shop("a")
    with pytest.raises(BuyerError, match="is its own copy"):
        watch_inspection("?", Keeper(), [seller], purse(1, seller), depth=1)


# --- marginal value


def speaks(history: History) -> list[str]:
    return [name for name in history.held if name not in history.revealed][:1]


class Reads:
    """A judge who acts on what is revealed to be true."""

    def utilities(self, revealed: Any) -> dict[str, int]:
        score = sum(1 if text == "true" else -1 for text in revealed.values())
        return {"wait": 0, "act": score}


TRUTHS = [{"x": x, "y": y} for x in ("true", "false") for y in ("true", "false")]


def dispute(ann: Any = speaks, bob: Any = speaks, judge: Any = None) -> Callable[..., RunRecord]:
    """Ann holds x and Bob holds y; the case says what they are."""

    def run(case: dict[str, str], rng: np.random.Generator) -> RunRecord:
        return watch_marginal_value(
            judge or Reads(),
            {"Ann": Says(ann), "Bob": Says(bob)},
            case,
            {"x": 1, "y": "1/2"},
            holdings={"Ann": ["x"], "Bob": ["y"]},
        )

    return run


def test_the_marginal_value_mechanism_passes() -> None:
    report = check_protocol(dispute(), TRUTHS)
    assert report.refuted == report.faults == ()
    assert report["budgets"].status == Status.VACUOUS  # rewards may be negative: no floors
    assert statuses(report) == {Status.HOLDS, Status.VACUOUS}


def test_random_informants_with_generators_of_their_own_pass() -> None:
    game = EXAMPLE_6_1

    def run(case: str, rng: np.random.Generator) -> RunRecord:
        own = dict(zip(("Ann", "Bob"), rng.spawn(2), strict=True))
        return watch_marginal_value(
            TableJudge(game),
            {name: RandomInformant(game, generator) for name, generator in own.items()},
            {name: case if name == "rebuttal" else name for name in game.items},
            {"claim": 0, "rebuttal": 0, "defence": 100},
            holdings={"Ann": ["claim"], "Bob": ["rebuttal", "defence"]},
        )

    report = check_protocol(run, ["one", "two"], seeds=8)
    assert report.refuted == report.faults == ()
    assert report["measurability"].scope.nontrivial > 8


def test_a_watched_run_pays_what_an_unwatched_one_pays() -> None:
    informants = {"Ann": GreedyInformant(EXAMPLE_6_1), "Bob": GreedyInformant(EXAMPLE_6_1)}
    plain = run_game(EXAMPLE_6_1, informants)
    watched = watch_marginal_value(
        TableJudge(EXAMPLE_6_1),
        informants,
        EXAMPLE_6_1.items,
        {"claim": 0, "rebuttal": 0, "defence": 100},
    )
    assert [step for step in watched.steps if isinstance(step, PaymentMade)] == [
        PaymentMade(entry.payer, entry.payee, entry.amount) for entry in plain.statement.entries
    ]
    assert watched.closing == {a.name: a.closing for a in plain.statement.accounts}


def test_an_informant_that_knows_what_it_was_not_told_is_found_out() -> None:
    def run(case: dict[str, str], rng: np.random.Generator) -> RunRecord:
        return dispute(ann=lambda told: ["x"] if case["y"] == "true" else [])(case, rng)

    report = check_protocol(run, TRUTHS)
    assert report.refuted == ("measurability",)
    assert report.witness is not None
    assert report.witness.who == "Ann"


def test_a_judge_that_knows_what_was_not_revealed_is_found_out() -> None:
    def run(case: dict[str, str], rng: np.random.Generator) -> RunRecord:
        expected = {"wait": 0, "act": 1 if case["x"] == "true" else -1}
        return dispute(judge=Answers(dict.fromkeys(range(3), expected)))(case, rng)

    report = check_protocol(run, TRUTHS)
    assert report.refuted == ("measurability",)
    assert report.witness is not None
    assert report.witness.who == "the judge"


def faulty_marginal_value(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Let the mechanism follow rules in which each request is changed."""
    rules = altered(change, of=marginal_value)
    monkeypatch.setattr(MarginalValueDriver, "rules", staticmethod(rules))


@pytest.mark.parametrize("who", ["Ann", "Bob"])
def test_a_mechanism_that_tells_what_is_not_held(who: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def tells(request: Any, before: list[Any]) -> Any:
        if not asks(request, "reveal") or request.player != who:
            return request
        everything = tuple(contents.items())
        return replace(request, view=replace(request.view, held=everything))

    contents: dict[str, str] = {}

    def run(case: dict[str, str], rng: np.random.Generator) -> RunRecord:
        contents.update(case)
        return dispute(ann=lambda told: ["x"], bob=lambda told: ["y"])(case, rng)

    assert check_protocol(run, TRUTHS).refuted == ()
    faulty_marginal_value(monkeypatch, tells)
    assert check_protocol(run, TRUTHS).refuted == (() if who == "Bob" else ("disclosure",))


def test_a_mechanism_that_tells_more_of_the_judge_s_opinion(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected: dict[str, int] = {}

    def tells(request: Any, before: list[Any]) -> Any:
        if not asks(request, "reveal"):
            return request
        return replace(request, view=replace(request.view, actions=(tuple(expected.values()),)))

    def run(case: int, rng: np.random.Generator) -> RunRecord:
        expected.update({"wait": 0, "act": case})
        judge = Answers({n: dict(expected) for n in range(3)})
        return dispute(judge=judge)(TRUTHS[0], rng)

    found = check_protocol(run, [1, 2])
    assert found.refuted == ("measurability",)  # the judge is another one in each case
    assert found["disclosure"].status == Status.HOLDS
    faulty_marginal_value(monkeypatch, tells)
    assert check_protocol(run, [1, 2], properties=["disclosure"]).refuted == ("disclosure",)


@pytest.mark.parametrize("answer", [None, "x", ["z"], ["y"], 3])
def test_nonsense_from_an_informant_is_refused_as_without_a_watch(answer: Any) -> None:
    with pytest.raises(InformantError):
        dispute(ann=lambda told: answer)(TRUTHS[0], np.random.default_rng(0))
