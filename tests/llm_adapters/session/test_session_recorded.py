"""Any model through a session: what is recorded is replayed without it."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from language_model_cases import ASKED, table, words
from protocol_cases import SCHEMA, check_chat_model, check_embedder, check_language_model
from session_runs import lines

from llm_adapters.errors import MissingAnswerError
from llm_adapters.fakes import HashEmbedder, RuleChat, TableChat
from llm_adapters.session import (
    Budget,
    RecordedChat,
    RecordedEmbedder,
    RecordedModel,
    Session,
)
from mechanisms.language_models import DecodedModel, LanguageModelError
from mechanisms.protocols import Message, Sampled
from theory.errors import InvalidInputError

RAIN = [Message("user", "Is it raining?")]


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("model", [table(), DecodedModel(words(), temperature=0.5, top_p=0.8)])
def test_a_recorded_model_is_the_model_and_its_replay_needs_none(
    tmp_path: Path, model: Any
) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        check_language_model(RecordedModel(model, session, name="small"), ASKED)
        used = session.usage
    with Session(replay=path) as session:
        check_language_model(RecordedModel(None, session, name="small"), ASKED)
        assert session.usage == used


def replying(messages: tuple[Message, ...], schema: Any) -> str:
    return f"{len(messages)}: {messages[-1].content} {schema is None}"


def test_a_recorded_chat_is_the_chat_and_its_replay_needs_none(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        check_chat_model(RecordedChat(RuleChat(replying), session, name="small"))
    with Session(replay=path) as session:
        check_chat_model(RecordedChat(None, session, name="small"))


def test_a_recorded_embedder_is_the_embedder_and_its_replay_needs_none(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        check_embedder(RecordedEmbedder(HashEmbedder(6), session, name="small"))
    with Session(replay=path) as session:
        check_embedder(RecordedEmbedder(None, session, name="small"))
    with Session(replay=path) as session:
        assert RecordedEmbedder(None, session, name="small").embed([]).shape == (0, 6)


def test_minus_infinity_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        scores = RecordedModel(table(), session, name="small").log_prob(
            ASKED, ["Now.", "Impossible.", "What?"]
        )
    with Session(replay=path) as session:
        again = RecordedModel(None, session, name="small")
        found = again.log_prob(ASKED, ["Now.", "Impossible.", "What?"])
    np.testing.assert_array_equal(found, scores)
    assert list(np.isneginf(found)) == [False, True, True]


def test_one_seed_is_drawn_whatever_the_model_draws() -> None:
    session, mine = Session(), rng()
    RecordedModel(table(), session, name="small").sample(ASKED, 100, mine)
    RecordedChat(RuleChat(replying), session, name="small").chat(RAIN, mine)
    other = rng()
    other.integers(2**63, size=2)
    assert mine.integers(2**63) == other.integers(2**63)


def test_another_generator_is_another_request(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        first = RecordedModel(table(), session, name="small").sample(ASKED, 3, rng())
    with Session(replay=path) as session:
        model = RecordedModel(None, session, name="small")
        with pytest.raises(MissingAnswerError, match=r"differs in body.seed \(\d+ in the record"):
            model.sample(ASKED, 3, rng(6))
        assert model.sample(ASKED, 3, rng()).replies == first.replies


def test_a_schema_is_part_of_the_request(tmp_path: Path) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        RecordedChat(RuleChat(replying), session, name="small").chat(RAIN, rng(), schema=SCHEMA)
    with Session(replay=path) as session:
        chat = RecordedChat(None, session, name="small")
        with pytest.raises(MissingAnswerError, match=r"body\.schema \(.* in the record, nothing"):
            chat.chat(RAIN, rng())
        assert chat.chat(RAIN, rng(), schema=dict(reversed(SCHEMA.items()))).endswith("False")


def test_usage_goes_to_the_agent_that_is_named() -> None:
    session = Session(budget=Budget(calls=10))
    model = RecordedModel(table(), session, name="small", agent="ann")
    chat = RecordedChat(TableChat({RAIN[0].content: "No."}), session, name="short")
    embedder = RecordedEmbedder(HashEmbedder(2), session, name="hash")
    model.sample(ASKED, 1, rng())
    model.for_agent("bob").log_prob(ASKED, ["Now."])
    chat.for_agent("bob").chat(RAIN, rng())
    embedder.for_agent("eve").embed(["Tea."])
    assert {agent: used.calls for agent, used in session.usage.items()} == {
        "ann": 1,
        "bob": 2,
        "eve": 1,
    }
    assert (model.agent, model.for_agent("bob").agent, model.for_agent("bob").name) == (
        "ann",
        "bob",
        "small",
    )


def test_copies_share_the_session(tmp_path: Path) -> None:
    with Session(record=tmp_path / "record") as session:
        copied = copy.deepcopy(RecordedChat(RuleChat(replying), session, name="small"))
        copied.chat(RAIN, rng())
        assert copied.session is session
    assert len(lines(tmp_path / "record")) == 2


class Wrong:
    """Answers every question with the same thing, whatever it is."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        return Sampled(prompt, ("a",) * n, np.full(n, self._answer))

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Any:
        return np.full(len(replies), self._answer)

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> Any:
        return self._answer

    def embed(self, texts: Sequence[str]) -> Any:
        return np.full((len(texts), 2), self._answer)


@pytest.mark.parametrize("wrong", [float("nan"), 0.5])
def test_nonsense_is_put_down_to_the_model_and_never_recorded(tmp_path: Path, wrong: float) -> None:
    path = tmp_path / "record"
    with Session(record=path) as session:
        model = RecordedModel(Wrong(wrong), session, name="liar")
        for asked in (
            lambda: model.sample("?", 1, rng()),
            lambda: model.log_prob("?", ["a"]),
            lambda: RecordedChat(Wrong(wrong), session, name="liar").chat(RAIN, rng()),
            lambda: RecordedEmbedder(Wrong(float("nan")), session, name="liar").embed(["a"]),
        ):
            with pytest.raises(LanguageModelError, match=r"^liar "):
                asked()
            assert isinstance(session.failure, LanguageModelError)
    assert len(lines(path)) == 1


def test_a_model_is_left_out_of_replays_only(tmp_path: Path) -> None:
    path = tmp_path / "record"
    Session(record=path).close()
    with Session(replay=path) as session:
        for kind in (RecordedModel, RecordedChat, RecordedEmbedder):
            with pytest.raises(InvalidInputError, match="model is missing"):
                kind(None, Session(), name="small")
            kind(None, session, name="small")


@pytest.mark.parametrize("budget", [Budget(tokens=10**6), Budget(money=1), Budget(5, 0, 0)])
def test_a_budget_that_could_not_bind_is_refused(tmp_path: Path, budget: Budget) -> None:
    path = tmp_path / "record"
    made: list[tuple[type, Any]] = [
        (RecordedModel, table()),
        (RecordedChat, TableChat({RAIN[0].content: "No."})),
        (RecordedEmbedder, HashEmbedder(2)),
    ]
    for kind, model in made:
        with pytest.raises(InvalidInputError, match=r"budget limits tokens .*: set a budget in ca"):
            kind(model, Session(budget=budget), name="small")
    with Session(record=path) as session:
        RecordedEmbedder(HashEmbedder(2), session, name="small").embed(["Tea."])
    with Session(replay=path, budget=budget) as session:  # spends nothing
        RecordedEmbedder(None, session, name="small").embed(["Tea."])


def test_models_of_one_class_have_names_of_their_own(tmp_path: Path) -> None:
    """A record holds the answers of one of them, and must not give them to the other."""
    path = tmp_path / "record"
    for name, says in (("brief", "No."), ("polite", "No, madam.")) * 2:
        with Session(record=path) as session:
            chat = RecordedChat(TableChat({RAIN[0].content: says}), session, name=name)
            assert chat.chat(RAIN, rng()) == says
    assert len(lines(path)) == 3
    for kind in (RecordedModel, RecordedChat, RecordedEmbedder):
        assert inspect.signature(kind).parameters["name"].default is inspect.Parameter.empty


@pytest.mark.parametrize(
    ("kind", "given"),
    [(RecordedChat, TableChat), (RecordedModel, Wrong), (RecordedEmbedder, HashEmbedder)],
)
def test_a_class_is_no_model(kind: Any, given: type) -> None:
    with pytest.raises(InvalidInputError, match=r"^model is a class"):
        inspect.unwrap(kind.__init__)(object.__new__(kind), given, Session(), name="small")
