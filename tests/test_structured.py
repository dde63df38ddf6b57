"""Asking for data: what is valid, what is asked again, and when it ends."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from inspect import unwrap
from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from sweeps import examples

from llm_adapters.errors import BudgetSpentError, UnreadableError
from llm_adapters.fakes import HashEmbedder, RuleChat, ScriptedChat
from llm_adapters.parsing import read_amount, read_verdicts
from llm_adapters.structured import Answered, NoAnswerError, ask, checked_chat, checked_embed
from llm_adapters.structured._json import find_json
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


def told(text: str, kind: Any = Verdict) -> Any:
    return ask(ScriptedChat([text]), ASKED, kind, rng(), attempts=1).value


# --- what is valid


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        f"  {GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"```\n{GOOD}\n```",
        f"Here is my answer:\n```json\n{GOOD}\n```\nIt is a good price.",
        f"I decide: {GOOD}. That is all.",
        '{"verdict": "buy", "price": 5.0, "sure": false, "count": 1}',
        '{\n"verdict"\n:\n"buy",\t"price":5e0}',
        f"\ufeff{GOOD}",
    ],
)
def test_an_object_is_found(text: str) -> None:
    assert told(text) == Verdict(verdict="buy", price=5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("buy", "no JSON object"),
        ("{}", "verdict: Field required"),
        (GOOD[:-1], "not closed"),
        (GOOD[:8], "string is not closed"),
        (GOOD + GOOD, "more than one"),
        (f"{GOOD} or {GOOD}", "more than one"),
        ('Answer like {"verdict": "pass"}: ' + GOOD, "more than one"),
        (f"{GOOD} {{}}", "more than one"),
        (f"{GOOD} }}", "more than one"),
        (f"}} {GOOD}", "before one opens"),
        (f"[{GOOD}]", "valid dictionary|object"),
        (f"My list: [{GOOD}]", "in a list"),
        (f"[{GOOD}, 1", "in a list"),
        ("{'verdict': 'buy', 'price': 5}", "no JSON"),
        ('{"verdict": "buy", "price": 5,}', "no JSON"),
        ('{"verdict": "buy", "price": 5} // cheap {', "more than one"),
        ('{verdict: "buy", price: 5}', "no JSON"),
        ('{"verdict": "buy", "verdict": "pass", "price": 5}', "'verdict' is there twice"),
        ('{"verdict": "buy", "verdict": "buy", "price": 5}', "'verdict' is there twice"),
        ('{"verdict": "buy", "price": {"a": 1, "a": 2}}', "'a' is there twice"),
        ('{"verdict": "buy", "\\u0076erdict": "pass", "price": 5}', "there twice"),
        ('{"verdict": "buy", "price": NaN}', "NaN"),
        ('{"verdict": "buy", "price": Infinity}', "Infinity"),
        ('{"verdict": "buy", "price": -Infinity}', "Infinity"),
        ('{"verdict": "buy", "price": 1e999}', "beyond floating point"),
        ('{"verdict": "buy", "price": 1e-999}', "beyond floating point"),
        ('{"verdict": "buy", "price": "NaN"}', "price"),
        ('{"verdict": "buy", "price": "5"}', "price"),
        ('{"verdict": "buy", "price": true}', "price"),
        ('{"verdict": "buy", "price": null}', "price"),
        ('{"verdict": "buy", "price": -1}', "greater than or equal to 0"),
        ('{"verdict": "buy", "price": [5]}', "price"),
        ('{"verdict": "Buy", "price": 5}', "verdict"),
        ('{"verdict": "maybe", "price": 5}', "got \"'maybe'\""),
        ('{"verdict": ["buy"], "price": 5}', "verdict"),
        ('{"verdict": "buy", "price": 5, "sure": 1}', "sure"),
        ('{"verdict": "buy", "price": 5, "sure": "true"}', "sure"),
        ('{"verdict": "buy", "price": 5, "count": 1.0}', "count"),
        ('{"verdict": "buy", "price": 5, "count": true}', "count"),
        ('{"verdict": "buy", "price": 5, "why": "cheap"}', "Extra inputs"),
        ('{"answer": ' + GOOD + "}", "answer: Extra inputs"),
        ('{"verdict": "buy", "price": ' + "9" * 5000 + "}", "cannot be read"),
        ('{"verdict": "buy\ud800", "price": 5}', "lone surrogate"),
        ('{"verdict": "buy\\ud800", "price": 5}', "."),
        ("[" * 100_000, "."),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply|no JSON"),
        ("true", "."),
        ("5", "."),
        ("null", "."),
        (f"```json\n{GOOD}\n```\n```json\n{GOOD}\n```", "more than one"),
        (f"```json\n{GOOD[:-1]}\n```", "not closed|no JSON"),
        (json.dumps(GOOD), "."),
    ],
)
def test_what_is_no_valid_answer(text: str, words: str) -> None:
    with pytest.raises(NoAnswerError, match=words) as caught:
        told(text)
    assert len(caught.value.problems[0]) < 2500


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("[1, 2]", list[int], [1, 2]),
        ("Sure:\n```json\n[1, 2]\n```\nDone.", list[int], [1, 2]),
        ("```[1, 2]```", list[int], [1, 2]),
        ("5", int, 5),
        ("-5", int, -5),
        ("true", bool, True),
        ("```\ntrue\n```", bool, True),
        ('"buy"', Literal["buy", "pass"], "buy"),
        ('"{"', str, "{"),
        ('{"a": "}{", "b": "\\"}"}', dict[str, str], {"a": "}{", "b": '"}'}),
        ('So: {"a": "`}{`"}', dict[str, str], {"a": "`}{`"}),
        ("{}", dict[str, int], {}),
        ('{"1/3": 0.1}', dict[str, float], {"1/3": 0.1}),
        ("[[1, 2], [3]]", tuple[list[int], ...], ([1, 2], [3])),
    ],
)
def test_kinds_that_are_no_models(text: str, kind: Any, value: Any) -> None:
    assert told(text, kind) == value


def test_a_list_between_prose_is_not_guessed() -> None:
    for text in ("I take [1, 2].", "[1] says so: [1, 2]"):
        with pytest.raises(NoAnswerError):
            told(text, list[int])


def test_the_rules_of_a_type_are_told() -> None:
    def even(value: int) -> int:
        if value % 2:
            raise ValueError("an even number is needed")
        return value

    kind = Annotated[int, AfterValidator(even)]
    assert told("4", kind) == 4
    with pytest.raises(NoAnswerError, match="an even number is needed"):
        told("3", kind)


# --- asking again


def test_a_bad_answer_is_shown_with_its_problem() -> None:
    chat = ScriptedChat(["Buy.", '{"verdict": "perhaps", "price": 5}', GOOD, GOOD])
    answer = ask(chat, ASKED, Verdict, rng())
    assert answer == Answered(Verdict(verdict="buy", price=5), GOOD, 3)
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
    assert answer == Answered(Fraction(12), "$12", 2)
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
    answer = Answered(Verdict(verdict="buy", price=5), GOOD + " " * 300, 2)
    assert "Verdict(verdict='buy'" in str(answer)
    assert "attempts" in str(answer)
    assert len(str(answer)) < 800
    assert Answered("<b>", "<b>", 1)._repr_html_().count("<b>") == 0


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
    with pytest.raises(InvalidInputError, match="no chat model"):
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
    with pytest.raises(InvalidInputError, match="no embedder"):
        unwrap(checked_embed)(5, ["a"])
    with pytest.raises(InvalidInputError, match="texts"):
        unwrap(checked_embed)(HashEmbedder(4), "a")


# --- relations

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False).filter(lambda x: abs(x) < 1e300)
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
values = st.recursive(
    scalars | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner),
    max_leaves=12,
)
prose = st.text(st.characters(exclude_characters="{}[]`", exclude_categories=["Cs"]), max_size=30)


@given(st.dictionaries(texts, values, max_size=4), prose, prose, st.sampled_from([None, 2]))
@settings(max_examples=examples(200))
def test_an_object_between_prose_is_found_whole(
    value: dict[str, Any], before: str, after: str, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=bool(indent), indent=indent)
    for framed in (text, before + text + after, f"{before}\n```json\n{text}\n```\n{after}"):
        assert find_json(framed) == text
    for cut in (text[:-1], text[: len(text) // 2]):
        with pytest.raises(UnreadableError):
            find_json(before + cut)
    with pytest.raises(UnreadableError):
        find_json(before + text + after + text)


@given(
    st.text(max_size=60)
    | st.lists(
        st.sampled_from(
            [
                "{",
                "}",
                "[",
                "]",
                '"',
                "\\",
                ":",
                ",",
                "1",
                "a",
                "`",
                "```",
                " ",
                "\n",
                '{"a": 1}',
                "NaN",
            ]
        ),
        max_size=14,
    ).map("".join)
)
@settings(max_examples=examples(400))
def test_what_is_found_is_json_and_stands_in_the_text(text: str) -> None:
    try:
        found = find_json(text)
    except UnreadableError:
        return
    assert found in text
    json.loads(found, parse_constant=pytest.fail)
    outside = text.replace(found, "", 1)
    if found.startswith("{"):
        assert "{" not in outside
        assert "}" not in outside


LONG: Mapping[str, Callable[[int], str]] = {
    "braces": lambda n: "{" * n,
    "closed": lambda n: "{}" * (n // 2),
    "quotes": lambda n: '{"' * (n // 2),
    "backslashes": lambda n: '{"' + "\\" * n,
    "keys": lambda n: '{"a":' * (n // 5),
    "brackets": lambda n: "[" * n,
    "fences": lambda n: "```" * (n // 3),
    "a fence": lambda n: "```" + "a" * n + "`x```",
    "spaces": lambda n: "```" + " " * n + "`x```",
    "a key again and again": lambda n: "{" + '"a":1,' * (n // 6) + '"b":1}',
    "numbers": lambda n: '{"a":' + "1" * n + "}",
    "exponents": lambda n: '{"a":1e' + "1" * n + "}",
    "good": lambda n: '{"a":[' + "1," * (n // 2) + "1]}",
}


@pytest.mark.parametrize("shape", LONG)
def test_a_million_characters_are_no_trap(shape: str) -> None:
    """Quadratic work would take hours; the bound leaves room for a busy machine."""
    text, begin, problem = LONG[shape](2**20), time.process_time(), ""
    try:
        assert find_json(text) == text
    except UnreadableError as error:
        problem = str(error)
    assert len(problem) < 1000
    assert time.process_time() - begin < 10


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
