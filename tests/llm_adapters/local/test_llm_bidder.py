"""The real local model as a bidder."""

from __future__ import annotations

from pathlib import Path

import pytest
from local_language_model import local_file, local_weights

from llm_adapters.local import LocalChat, Weights
from llm_adapters.players import ChatBidder
from llm_adapters.session import Session
from mechanisms.ascending import AuctionResult, Beliefs, Item, Plan, RuleBidder, Terms, run_auction

__all__ = ["local_file", "local_weights"]

pytestmark = pytest.mark.llm


def test_the_local_model_plays_an_auction_of_two_items_to_its_end(
    local_weights: Weights, tmp_path: Path
) -> None:
    """Held to the form, it never fails a bid; a replay asks no model, and ends the same."""
    file = tmp_path / "record.jsonl"

    def play(session: Session, weights: Weights) -> AuctionResult:
        chat = LocalChat(weights, max_tokens=120, temperature=1.0, session=session)
        bidders = [ChatBidder("Ann", chat), RuleBidder("Bob", limit=2)]
        items = [Item("Vase", 100, 200), Item("Bowl", 50, 100)]
        return run_auction(items, bidders, 300, terms=Terms(jumps=3), seed=0)

    with Session(record=file) as session:
        result = play(session, local_weights)
    assert len(result.sales) == 2
    assert result.audit() == ()
    assert result.failed == ()
    assert [type(said.said) for said in result.plans] == [Plan, Plan]
    assert [type(said.said) for said in result.beliefs] == [Beliefs, Beliefs]
    assert {move.kind for move in result.moves} <= {"bid", "withdrew"}
    with Session(replay=file) as session:
        assert play(session, Weights("none.gguf", name=local_weights.name)) == result
