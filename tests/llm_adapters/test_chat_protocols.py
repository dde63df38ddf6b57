"""The checks of the protocols: the fakes pass them, and what is broken does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from language_model_cases import ASKED, table
from protocol_cases import (
    CONVERSATIONS,
    SCHEMA,
    check_chat_model,
    check_embedder,
    check_language_model,
)

from llm_adapters.fakes import HashEmbedder, RuleChat, ScriptedChat, TableChat
from mechanisms.language_models import LanguageModelError, TableModel
from mechanisms.protocols import Message, Sampled

LAST = [conversation[-1].content for conversation in CONVERSATIONS]


def replying(messages: tuple[Message, ...], schema: Any) -> str:
    return f"{len(messages)}: {messages[-1].content} {schema is None}"


def tables() -> TableChat:
    return TableChat({LAST[0]: "Yes.", LAST[1]: {"Yes.": 1, "No.": 1, "Cold.": 2}})


def test_the_table_passes() -> None:
    check_language_model(table(), ASKED, draws=2000)
    check_language_model(table, ASKED, replies=1)


@pytest.mark.parametrize(
    ("chat", "options"),
    [
        (RuleChat(replying), {}),
        (tables(), {"varied": True}),
        (tables, {"varied": True}),
        (lambda: ScriptedChat(["Yes.", "No."]), {"scripted": True}),
    ],
)
def test_the_fake_chats_pass(chat: Any, options: Any) -> None:
    check_chat_model(chat, **options)


@pytest.mark.parametrize("dimension", [2, 64])
def test_the_fake_embedder_passes(dimension: int) -> None:
    check_embedder(HashEmbedder(dimension))
    check_embedder(lambda: HashEmbedder(dimension))


def test_a_constant_embedder_does_not_pass() -> None:
    with pytest.raises(AssertionError, match="one vector"):
        check_embedder(HashEmbedder(1))


class Broken(TableModel):
    """A table, with one thing wrong that a test plants."""

    def __init__(self) -> None:
        super().__init__({ASKED: {"Now.": "1/2", "Later.": "1/3", "Never.": "1/6"}})
        self.calls = 0
        self.seen: list[str] = []


class Shifted(Broken):
    def log_prob(self, prompt: str, replies: Any) -> Any:
        return super().log_prob(prompt, replies) - 0.01


class Hotter(Broken):
    """Says of both what it would give at temperature 2, and draws at temperature 1."""

    def log_prob(self, prompt: str, replies: Any) -> Any:
        halves = super().log_prob(prompt, replies) / 2
        return halves - np.log(sum(np.sqrt(float(p)) for p in self.law(ASKED).values()))

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        drawn = super().sample(prompt, n, rng)
        return Sampled(prompt, drawn.replies, self.log_prob(prompt, drawn.replies))


class Deaf(Broken):
    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        self.calls += 1
        super().sample(prompt, n, rng)
        return super().sample(prompt, n, np.random.default_rng(self.calls))


class Stuck(Broken):
    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        super().sample(prompt, n, rng)
        return super().sample(prompt, n, np.random.default_rng(0))


class Shared(Broken):
    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        np.random.random()  # noqa: NPY002
        return super().sample(prompt, n, rng)


class Batched(Broken):
    def log_prob(self, prompt: str, replies: Any) -> Any:
        return super().log_prob(prompt, replies) - (0.01 if len(replies) == 1 else 0)


class Backwards(Broken):
    def log_prob(self, prompt: str, replies: Any) -> Any:
        drawn = len(self.seen) > 1 and list(replies) == self.seen[::-1]
        return super().log_prob(prompt, replies) - (0.01 * np.arange(len(replies)) * drawn)

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        drawn = super().sample(prompt, n, rng)
        self.seen = list(drawn.replies) or self.seen
        return drawn


class Overfull(Broken):
    def log_prob(self, prompt: str, replies: Any) -> Any:
        return np.zeros(len(super().log_prob(prompt, replies)))

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        drawn = super().sample(prompt, n, rng)
        return Sampled(prompt, drawn.replies, np.zeros(n))


class Kept(Broken):
    """Hands out the array that it keeps."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, ...], Any] = {}

    def log_prob(self, prompt: str, replies: Any) -> Any:
        found = super().log_prob(prompt, replies)
        return self.kept.setdefault(tuple(replies), found)


class Short(Broken):
    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        return super().sample(prompt, max(n - 1, 0), rng)


class Trusting(Broken):
    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        return super().sample(prompt, max(n, 0), rng)


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Shifted, "two laws"),
        (Hotter, "as often|other replies"),
        (Deaf, "same seed"),
        (Stuck, "ignores the seed"),
        (Shared, "all share"),
        (Batched, "alone"),
        (Backwards, "order of replies"),
        (Overfull, "add up"),
        (Kept, "written to"),
        (Short, "gave 7 replies"),
        (Trusting, "n = -1"),
    ],
)
def test_broken_language_models_do_not_pass(model: Callable[[], Any], words: str) -> None:
    with pytest.raises((AssertionError, LanguageModelError), match=words):
        check_language_model(model(), ASKED, replies=8, draws=4000)


def test_a_language_model_must_have_both_methods() -> None:
    class Sampler:
        def sample(self, prompt: str, n: int, rng: Any) -> None: ...

    with pytest.raises(AssertionError, match="lacks"):
        check_language_model(Sampler(), ASKED)


class Chat:
    """Says how many messages it got; and other things for the ways to be broken."""

    def __init__(self, way: str = "") -> None:
        self.way = way
        self.calls = 0

    def chat(self, messages: Any, rng: Any, *, schema: Any = None) -> Any:
        self.calls += 1
        said = RuleChat(replying).chat(messages, rng, schema=schema)
        if self.way == "none":
            return None
        if self.way == "deaf":
            return f"{said} {self.calls}"
        if self.way == "remembers":
            return f"{said} {self.calls > 1}"
        if self.way == "shared":
            np.random.random()  # noqa: NPY002
        if self.way == "writes":
            messages.append(messages[0]) if isinstance(messages, list) else None
        if self.way == "schema" and schema is not None:
            schema["title"] = "mine"
        if self.way == "kind" and isinstance(messages, tuple):
            return said + "!"
        if self.way == "raises":
            raise RuntimeError("no power")
        return said


def test_the_sound_one_of_them_passes() -> None:
    check_chat_model(Chat)


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("none", "returned None"),
        ("deaf", "same seed|other calls"),
        ("remembers", "same seed|other calls"),
        ("shared", "all share"),
        ("writes", "changed the messages"),
        ("schema", "changed the schema"),
        ("kind", "same seed|tuple"),
        ("raises", "no power"),
    ],
)
def test_broken_chats_do_not_pass(way: str, words: str) -> None:
    schema = dict(SCHEMA)
    with pytest.raises((AssertionError, LanguageModelError), match=words):
        check_chat_model(lambda: Chat(way), schema=schema)
    if way in {"deaf", "remembers"}:
        with pytest.raises(AssertionError, match=words):
            check_chat_model(Chat(way))


def test_chats_that_take_anything_do_not_pass() -> None:
    class Trusting:
        def chat(self, messages: Any, rng: Any, *, schema: Any = None) -> str:
            return "Yes."

    with pytest.raises(AssertionError, match="no messages"):
        check_chat_model(Trusting())


def test_a_script_is_seen_to_have_a_memory() -> None:
    with pytest.raises(AssertionError, match="other calls"):
        check_chat_model(lambda: ScriptedChat([str(n) for n in range(9)]))


def test_a_chat_that_ignores_its_seed_is_not_varied() -> None:
    with pytest.raises(AssertionError, match="ignores the seed"):
        check_chat_model(RuleChat(replying), varied=True)


class Vectors(HashEmbedder):
    """Hashed words, with one thing wrong."""

    def __init__(self, way: str) -> None:
        super().__init__(16)
        self.way = way
        self.calls = 0
        self.kept: dict[tuple[str, ...], Any] = {}

    def embed(self, texts: Any) -> Any:
        self.calls += 1
        found = super().embed(texts)
        if self.way == "dimension":
            return HashEmbedder(16 + len(texts)).embed(texts)
        if self.way == "later dimension" and self.calls > 7:
            return HashEmbedder(17).embed(texts)
        if self.way == "float32":
            return found.astype(np.float32)
        if self.way == "nan":
            return found * np.nan
        if self.way == "one fewer":
            return found[1:]
        if self.way == "batch":
            return found - found.mean(axis=0)
        if self.way == "order":
            return found[np.lexsort(found.T)]
        if self.way == "calls":
            return found * self.calls
        if self.way == "constant":
            return found * 0 + 1
        if self.way == "shared":
            np.random.random()  # noqa: NPY002
        if self.way == "kept":
            return self.kept.setdefault(tuple(texts), found)
        if self.way == "list":
            return found.tolist()
        return found


def test_the_sound_embedder_passes() -> None:
    check_embedder(Vectors(""))


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("dimension", "dimension"),
        ("later dimension", "dimension"),
        ("float32", "for vectors"),
        ("nan", "not finite"),
        ("one fewer", "shape"),
        ("batch", "beside it"),
        ("order", "beside it|order"),
        ("calls", "beside it|other vectors"),
        ("constant", "one vector"),
        ("shared", "all share"),
        ("kept", "written to"),
        ("list", "for vectors"),
    ],
)
def test_broken_embedders_do_not_pass(way: str, words: str) -> None:
    with pytest.raises((AssertionError, LanguageModelError), match=words):
        check_embedder(Vectors(way))


def test_an_embedder_that_takes_one_text_does_not_pass() -> None:
    class Letters:
        def embed(self, texts: Any) -> Any:
            return HashEmbedder(16).embed(list(texts))

    with pytest.raises(AssertionError, match="one text for texts"):
        check_embedder(Letters())
