"""The real local model as a grader of answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from local_language_model import local_file, local_weights

from llm_adapters.local import LocalChat, Weights
from llm_adapters.players import ChatGrader
from llm_adapters.session import Session
from mechanisms.market import Grade, Grading

__all__ = ["local_file", "local_weights"]

pytestmark = pytest.mark.llm


def test_the_local_model_is_read_in_both_orders_and_asked_once(
    local_weights: Weights, tmp_path: Path
) -> None:
    """Held to the form it is always read; which answer it prefers says nothing of the answers."""
    file = tmp_path / "record.jsonl"

    def graded(session: Session, weights: Weights) -> Grade:
        chat = LocalChat(weights, max_tokens=60, temperature=1.0, session=session)
        grading = Grading(ChatGrader(chat))
        pair = "On the Danube.", "It is blue."
        grade = grading.compare("Where is Ulm?", *pair)
        assert grading.compare("Where is Ulm?", *pair) == grade
        assert session.total.calls == 2
        assert grading.counts[grade.outcome] == 1
        return grade

    with Session(record=file) as session:
        grade = graded(session, local_weights)
    assert {*grade.said} <= {"first", "second", "tie"}
    with Session(replay=file) as session:
        assert graded(session, Weights("none.gguf", name=local_weights.name)) == grade
