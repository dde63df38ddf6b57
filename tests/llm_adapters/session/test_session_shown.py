"""A session as it is shown, added up, and not written to a file."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from session_runs import busy, request

from llm_adapters.errors import AdapterError, CallError
from llm_adapters.fakes import HashEmbedder, ScriptedChat
from llm_adapters.openai_api import Endpoint, OpenAIChat
from llm_adapters.players import ChatBuyer
from llm_adapters.session import (
    Answer,
    Budget,
    RecordedChat,
    RecordedEmbedder,
    Retries,
    Session,
    Usage,
)


def test_it_is_short_in_a_prompt(tmp_path: Path) -> None:
    assert repr(Session()) == "Session(0 calls)"
    path = tmp_path / "run"
    with Session(record=path, budget=Budget(calls=9), retries=Retries(attempts=1)) as session:
        session.call(request(), lambda seconds: Answer({}, 3, 4))
        assert (
            repr(session) == f"Session(1 call, 3 + 4 tokens; record {str(path)!r}; at most 9 calls)"
        )
        with pytest.raises(CallError):
            session.call(request(1), fails)
        assert repr(session).endswith("at most 9 calls; failed with CallError)")
    with Session(replay=path) as session:
        assert repr(session) == f"Session(0 calls; replay {str(path)!r})"


def fails(seconds: float) -> Answer:
    raise busy()


def test_usage_adds_up() -> None:
    ann, bob = Usage(1, 0, 3, 4, Fraction(1, 2)), Usage(2, 1, failures=1)
    assert sum([ann, bob]) == ann + bob == Usage(3, 1, 3, 4, Fraction(1, 2), 1)
    for other in (1, 0.0, "", None, False):
        with pytest.raises(Exception, match=r"unsupported operand|concatenate|violates type hint"):
            other + ann  # type: ignore[operator]
    with pytest.raises(Exception, match=r"unsupported operand|concatenate|violates type hint"):
        sum([ann], 1)  # type: ignore[call-overload]


def adapters(session: Session, endpoint: Endpoint) -> list[Any]:
    chat = RecordedChat(ScriptedChat(["Yes."]), session, name="script")
    return [
        session,
        chat,
        RecordedEmbedder(HashEmbedder(2), session, name="hash"),
        OpenAIChat(endpoint, session=session),
        ChatBuyer("cook", chat, goal="a meal"),
    ]


def test_what_uses_a_session_is_not_written_to_a_file() -> None:
    with Session() as session, Endpoint("http://127.0.0.1:9/v1", "m") as endpoint:
        for one in adapters(session, endpoint):
            for protocol in (0, 2, pickle.HIGHEST_PROTOCOL):
                with pytest.raises(AdapterError, match="not written to a file"):
                    pickle.dumps(one, protocol)
