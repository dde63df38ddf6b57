"""Asking for data: what is valid, what is asked again, and when it ends."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import pytest
from verdicts_asked import ASKED, GOOD, Verdict, rng

from llm_adapters.errors import BudgetSpentError, UnreadableError
from llm_adapters.fakes import ScriptedChat
from llm_adapters.parsing import read_amount, read_verdicts
from llm_adapters.structured import NoAnswerError, ValidAnswer, ask, checked_chat
from mechanisms.language_models import LanguageModelError
from mechanisms.protocols import Message

# --- asking again


def test_a_bad_answer_is_shown_with_its_problem() -> None:
    chat = ScriptedChat(["Buy.", '{"verdict": "perhaps", "price": 5}', GOOD, GOOD])
    answer = ask(chat, ASKED, Verdict, rng())
    assert answer == ValidAnswer(Verdict(verdict="buy", price=5), GOOD, 3)
    first, second, third = chat.asked
    assert first == tuple(ASKED)
    assert second[:2] == first
    assert third[:4] == second
    assert [message.role for message in third[2:]] == ["assistant", "user"] * 2
    assert [third[2].content, third[4].content] == ["Buy.", '{"verdict": "perhaps", "price": 5}']
    assert "no JSON object" in third[3].content
    assert "verdict: Input should be 'buy' or 'pass'" in third[5].content
    assert chat.schemas == [Verdict.model_json_schema()] * 3


@pytest.mark.parametrize("attempts", [1, 2, 7])
def test_it_ends_with_everything_that_was_said(attempts: int) -> None:
    texts = [f"no {number}" for number in range(20)]
    chat = ScriptedChat(texts)
    with pytest.raises(NoAnswerError) as caught:
        ask(chat, ASKED, Verdict, rng(), attempts=attempts)
    assert len(chat.asked) == attempts
    assert caught.value.texts == tuple(texts[:attempts])
    assert len(caught.value.problems) == attempts
    assert all(repr(text) in str(caught.value) for text in texts[:attempts])
    assert isinstance(caught.value, UnreadableError)
    kept = pickle.loads(pickle.dumps(caught.value))
    assert (kept.texts, str(kept)) == (caught.value.texts, str(caught.value))


def test_a_long_bad_answer_is_not_sent_back_whole() -> None:
    chat = ScriptedChat(["x" * 1_000_000, "", GOOD])
    assert ask(chat, ASKED, Verdict, rng()).attempts == 3
    assert sum(len(message.content) for message in chat.asked[2]) < 6000
    assert all(message.content for message in chat.asked[2])


def test_every_attempt_is_a_new_draw() -> None:
    seen: list[float] = []

    class Drawing:
        def chat(self, messages: Any, rng: Any, *, schema: Any = None) -> str:
            seen.append(rng.random())
            return GOOD if len(messages) > 4 else "no"

    ask(Drawing(), ASKED, Verdict, np.random.default_rng(5))
    assert seen == np.random.default_rng(5).random(len(seen)).tolist()
    assert len(seen) == 3


def test_an_answer_that_was_cut_off_is_asked_again() -> None:
    cut = UnreadableError("the answer was cut off after 512 tokens", "raise max_tokens")
    chat = ScriptedChat([cut, GOOD])
    answer = ask(chat, ASKED, Verdict, rng())
    assert (answer.value.verdict, answer.attempts) == ("buy", 2)
    assert "cut off after 512 tokens" in chat.asked[1][-1].content
    with pytest.raises(NoAnswerError, match="cut off after 512 tokens") as caught:
        ask(ScriptedChat([cut] * 3), ASKED, Verdict, rng())
    assert caught.value.texts == ("", "", "")


def test_what_a_chat_raises_passes_through() -> None:
    for error in (BudgetSpentError("no money", "earn some"), RuntimeError("no power")):
        chat = ScriptedChat(["no", error, GOOD])
        with pytest.raises(type(error)) as caught:
            ask(chat, ASKED, Verdict, rng())
        assert caught.value is error
        assert len(chat.asked) == 2

    class Stopped:
        def chat(self, messages: Any, rng: Any, *, schema: Any = None) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(Stopped(), ASKED, Verdict, rng())


@pytest.mark.parametrize("said", [None, 5, b"{}", {"verdict": "buy", "price": 5}])
def test_a_chat_that_says_no_text_is_blamed(said: Any) -> None:
    class Mute:
        def chat(self, messages: Any, rng: Any, *, schema: Any = None) -> Any:
            return said

    with pytest.raises(LanguageModelError, match="Mute returned"):
        ask(Mute(), ASKED, Verdict, rng())
    with pytest.raises(LanguageModelError, match="Mute returned"):
        checked_chat(Mute(), ASKED, rng())


def test_a_chat_may_write_to_its_schema() -> None:
    class Writing:
        def __init__(self) -> None:
            self.seen: list[Any] = []

        def chat(self, messages: Any, rng: Any, *, schema: Any = None) -> str:
            self.seen.append(json.dumps(schema))
            schema["properties"].clear()
            return "no"

    chat = Writing()
    for _ in range(2):
        with pytest.raises(NoAnswerError):
            ask(chat, ASKED, Verdict, rng(), attempts=2)
    assert chat.seen == [json.dumps(Verdict.model_json_schema())] * 4


def test_equal_types_keep_their_own_schemas() -> None:
    chat = ScriptedChat(['"a"'] * 2)
    ask(chat, ASKED, Literal["a", "b"], rng())
    ask(chat, ASKED, Literal["b", "a"], rng())
    assert [schema and schema["enum"] for schema in chat.schemas] == [["a", "b"], ["b", "a"]]


# --- without a schema


def test_a_reader_takes_the_place_of_the_schema() -> None:
    chat = ScriptedChat(["Between $10-15.", "$12"])
    answer = ask(chat, ASKED, None, rng(), read=read_amount)
    assert answer == ValidAnswer(Fraction(12), "$12", 2)
    assert chat.schemas == [None, None]
    assert "not just one amount" in chat.asked[1][-1].content
    assert "JSON" not in chat.asked[1][-1].content


def test_what_was_read_is_validated_where_a_kind_is_given() -> None:
    read: Callable[[str], Any] = lambda text: read_verdicts(text, ["A", "B"])  # noqa: E731
    kind = dict[Literal["A", "B"], Literal["buy"]]
    chat = ScriptedChat(["A: buy\nB: pass", "A: buy\nB: buy"])
    assert ask(chat, ASKED, kind, rng(), read=read).value == {"A": "buy", "B": "buy"}
    assert "B: Input should be 'buy'" in chat.asked[1][-1].content
    with pytest.raises(NoAnswerError, match="valid integer"):
        ask(ScriptedChat(["5"]), ASKED, int, rng(), read=str, attempts=1)


def test_a_reader_that_breaks_is_heard() -> None:
    def broken(text: str) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        ask(ScriptedChat(["5"]), ASKED, None, rng(), read=broken)


def test_asking_takes_little_time_beside_the_model() -> None:
    """No outer clock: how often pydantic works out a model is counted."""
    made = []

    class Counted(Verdict):
        @classmethod
        def __get_pydantic_json_schema__(cls, core: Any, handler: Any) -> Any:
            made.append(1)
            return handler(core)

    for _ in range(3):
        ask(ScriptedChat([GOOD]), ASKED, Counted, rng())
    assert len(made) == 1


def test_types_are_kept_for_checkers() -> None:
    def answered(chat: Any, messages: Sequence[Message]) -> Verdict:
        return ask(chat, messages, Verdict, rng()).value

    assert answered(ScriptedChat([GOOD]), ASKED).price == 5
