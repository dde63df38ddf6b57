"""Informants and judges that ask a chat, in the marginal-value mechanism."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
from babbling_chats import Babbler
from marginal_value_chats import ITEMS, PRICES, PRIOR, WORTH, Reader, Speaker, judge, speaker, told

from llm_adapters.fakes import RuleChat
from llm_adapters.players import ChatInformant, ChatJudge
from mechanisms.marginal_value import run_marginal_value, watch_marginal_value
from mechanisms.protocols import ChatModel
from theory.incentives.protocols import check_protocol
from theory.marginal_value import Moves


def test_a_game_of_models() -> None:
    """Ann claims, Bob rebuts, Ann defends: everything as by hand."""
    rules = {
        "Ann": Speaker(lambda prompt, own: "bridge" in own or "rusty" in prompt),
        "Bob": Speaker(lambda prompt, own: "bridge" in prompt),
    }
    reader = Reader()
    record = run_marginal_value(
        judge(RuleChat(reader)),
        {name: ChatInformant(name, RuleChat(rule), "Win.") for name, rule in rules.items()},
        ITEMS,
        PRICES,
        holdings={"Ann": ["claim", "defence"], "Bob": ["rebuttal"]},
    )
    assert [(move.informant, move.items) for move in record.moves] == [
        ("Ann", ("claim",)),
        ("Bob", ("rebuttal",)),
        ("Ann", ("defence",)),
    ]
    assert record.actions == ("wait", "cross", "wait", "cross")
    cross = Fraction(95, 100) - 3 * Fraction(5, 100)
    assert record.rewards == (cross, -cross, cross - Fraction(1, 2))
    assert len(reader.asked) == 3, "nothing revealed is not asked about"


def watched(rebuttal: str, rng: np.random.Generator, chats: Callable[[str], ChatModel]) -> Any:
    seed = int(rng.integers(100))
    items = ITEMS | {"rebuttal": rebuttal}
    holdings = {"Ann": ["claim", "defence"], "Bob": ["rebuttal"], "Cid": ["claim"]}
    return watch_marginal_value(
        judge(seed=seed),
        {name: ChatInformant(name, chats(name), "Win.", seed=seed) for name in holdings},
        items,
        PRICES,
        holdings=holdings,
    )


REBUTTALS = ["its steel is rusty", "its steel is fine", "it is a boat"]


def test_the_protocol_holds() -> None:
    def run(rebuttal: str, rng: np.random.Generator) -> Any:
        return watched(rebuttal, rng, lambda name: speaker())

    report = check_protocol(run, REBUTTALS)
    assert report.refuted == ()
    assert report.faults == ()
    assert {each.property for each in report.findings if each.scope.nontrivial} >= {
        "conservation", "disclosure", "measurability", "termination",
    }  # fmt: skip


def test_a_leak_between_informants_is_seen() -> None:
    """Bob's model tells what it read, and Ann's, which is the same, hears it."""

    def run(rebuttal: str, rng: np.random.Generator) -> Any:
        overheard: list[str] = []

        def gossip(prompt: str, own: str) -> bool:
            if "steel" in own or "boat" in own:
                overheard.append(own)
                return False
            return "rusty" in "".join(overheard)

        shared = RuleChat(Speaker(gossip))

        def passing_first(name: str) -> ChatModel:
            return shared

        first = ChatInformant("Bob", passing_first("Bob"), "Win.")
        first.reveal(told(held={"rebuttal": rebuttal}))
        return watched(rebuttal, rng, passing_first)

    assert "measurability" in check_protocol(run, REBUTTALS).refuted


def test_a_model_that_draws_elsewhere_is_seen() -> None:
    world = np.random.default_rng(0)

    def run(rebuttal: str, rng: np.random.Generator) -> Any:
        return watched(rebuttal, rng, lambda name: speaker(lambda *_: bool(world.integers(2))))

    assert "seed_discipline" in check_protocol(run, REBUTTALS, seeds=4).refuted


def babbled(seed: int) -> tuple[Any, ChatJudge, dict[str, ChatInformant]]:
    chat = Babbler()
    judging = ChatJudge(chat, list(PRIOR), WORTH, PRIOR, seed=seed)
    moves = (Moves.SUBSETS, Moves.SINGLE_ITEMS)[seed % 2]
    informants = {
        name: ChatInformant(
            name, chat, "Win.", seed=seed, most=1 if seed % 2 else None,
            prices={"claim": "inf"} if seed % 3 == 0 else None, max_moves=2,
        )
        for name in ("Ann", "Bob")
    }  # fmt: skip
    prices = PRICES | ({"claim": inf} if seed % 3 == 0 else {})
    record = run_marginal_value(judging, informants, ITEMS, prices, moves, max_moves=2)
    return record, judging, informants


def test_games_of_babblers_come_to_their_end() -> None:
    moves = failures = answers = 0
    for seed in range(20):
        record, judging, informants = babbled(seed)
        assert record.settled
        assert sum(each.closing for each in record.statement.accounts) == 0
        for belief in judging.beliefs:
            assert sum(belief.probabilities.values()) == 1
            assert min(belief.probabilities.values()) >= 0
        assert judging.failures == sum(not each.answered for each in judging.beliefs)
        moves += len(record.moves)
        failures += judging.failures + sum(each.failures for each in informants.values())
        answers += sum(each.answered for each in judging.beliefs[1:])
    assert min(moves, failures, answers) > 3, "all of it happened"
