"""What cannot be asked, and models that need not be trusted."""

from __future__ import annotations

from inspect import unwrap
from typing import Any, Literal

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict, Field

from llm_adapters.errors import BudgetSpentError
from llm_adapters.fakes import HashEmbedder, RuleChat, ScriptedChat
from llm_adapters.structured import ValidAnswer, ask, checked_chat, checked_embed
from mechanisms.language_models import LanguageModelError
from mechanisms.protocols import Message
from theory.errors import InvalidInputError, LimitError

ASKED = [Message("system", "You are a buyer."), Message("user", "Your verdict?")]


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    verdict: Literal["buy", "pass"]
    price: float = Field(ge=0)
    sure: bool = False
    count: int = 1


GOOD = '{"verdict": "buy", "price": 5}'


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


# --- arguments


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"attempts": 0}, "attempts"),
        ({"attempts": -1}, "attempts"),
        ({"attempts": True}, "attempts"),
        ({"attempts": 2.0}, "attempts"),
        ({"attempts": float("nan")}, "attempts"),
        ({"attempts": None}, "attempts"),
        ({"attempts": 101}, "attempts"),
        ({"kind": None}, "kind"),
        ({"kind": 5}, "kind"),
        ({"kind": object()}, "kind"),
        ({"kind": np.ndarray}, "kind"),
        ({"kind": "Verdict"}, "kind"),
        ({"messages": []}, "messages"),
        ({"messages": "Buy?"}, "messages"),
        ({"messages": ["Buy?"]}, "messages"),
        ({"rng": 0}, "rng"),
        ({"rng": None}, "rng"),
        ({"chat": None}, "chat"),
        ({"chat": "chat"}, "chat"),
        ({"read": 5}, "read"),
    ],
)
def test_arguments_are_refused_before_anything_is_asked(change: Any, words: str) -> None:
    chat = ScriptedChat([GOOD])
    given = {"chat": chat, "messages": ASKED, "kind": Verdict, "rng": rng(), **change}
    with pytest.raises((InvalidInputError, LimitError), match=rf"^{words} "):
        unwrap(ask)(
            given.pop("chat"), given.pop("messages"), given.pop("kind"), given.pop("rng"), **given
        )
    assert chat.asked == []


def test_an_answer_tells_itself() -> None:
    answer = ValidAnswer(Verdict(verdict="buy", price=5), GOOD + " " * 300, 2)
    assert "Verdict(verdict='buy'" in str(answer)
    assert "attempts" in str(answer)
    assert len(str(answer)) < 800
    assert ValidAnswer("<b>", "<b>", 1)._repr_html_().count("<b>") == 0


# --- models that need not be trusted


def test_checked_chat_says_who_failed() -> None:
    assert checked_chat(RuleChat(lambda messages, schema: ""), ASKED, rng()) == ""
    boom = ScriptedChat([RuntimeError("no power"), BudgetSpentError("spent", "stop")])
    with pytest.raises(LanguageModelError, match=r"^Ada raised RuntimeError\('no power'\)"):
        checked_chat(boom, ASKED, rng(), name="Ada")
    with pytest.raises(BudgetSpentError):
        checked_chat(boom, ASKED, rng())
    for change, words in (("schema", "schema"), ("name", "name")):
        with pytest.raises(InvalidInputError, match=words):
            unwrap(checked_chat)(boom, ASKED, rng(), **{change: 5})
    with pytest.raises(InvalidInputError, match="not a chat model"):
        unwrap(checked_chat)(5, ASKED, rng())


class Vectors:
    def __init__(self, found: Any) -> None:
        self.found = found

    def embed(self, texts: Any) -> Any:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (None, "returned None"),
        ([[1.0], [2.0]], "returned"),
        (np.ones((2, 3), dtype=np.float32), "for vectors"),
        (np.ones((2, 3), dtype=np.int64), "for vectors"),
        (np.ones(2), "shape"),
        (np.ones((3, 2)), "shape"),
        (np.ones((2, 0)), "shape"),
        (np.ones((2, 1, 1)), "shape"),
        (np.array([[1.0], [np.nan]]), "'b' a vector that is not finite"),
        (np.array([[np.inf], [1.0]]), "'a' a vector that is not finite"),
        (RuntimeError("no power"), "no power"),
    ],
)
def test_checked_embed_refuses_nonsense(found: Any, words: str) -> None:
    with pytest.raises(LanguageModelError, match=words):
        checked_embed(Vectors(found), ["a", "b"])


def test_checked_embed_returns_a_copy() -> None:
    held = np.ones((2, 3))
    found = checked_embed(Vectors(held), ["a", "b"])
    found[:] = 0
    assert held.all()
    assert checked_embed(HashEmbedder(4), []).shape == (0, 4)
    with pytest.raises(InvalidInputError, match="not an embedder"):
        unwrap(checked_embed)(5, ["a"])
    with pytest.raises(InvalidInputError, match="texts"):
        unwrap(checked_embed)(HashEmbedder(4), "a")


def test_a_class_is_no_model() -> None:
    """It has the methods, and can be asked nothing."""
    for refused in (
        lambda: unwrap(checked_chat)(ScriptedChat, ASKED, rng()),
        lambda: unwrap(ask)(ScriptedChat, ASKED, Verdict, rng()),
        lambda: unwrap(checked_embed)(HashEmbedder, ["Tea."]),
    ):
        with pytest.raises(InvalidInputError, match="is not a"):
            refused()
