"""The local model over a table in place of PyTorch: its law, token by token."""

from __future__ import annotations

import copy
from functools import partial
from math import exp, fsum, inf, log
from pathlib import Path
from typing import Any

import local_toy as toy
import numpy as np
import pytest
from language_model_cases import unlikely
from plain_decoding import plain_law
from protocol_cases import check_chat_model, check_embedder, check_language_model

from llm_adapters.errors import CallError, MissingAnswerError, MissingCapabilityError
from llm_adapters.local import Decoding, LocalChat, LocalEmbedder, LocalModel, Weights, _weights
from llm_adapters.local._sequences import drawn, scored
from llm_adapters.local._text import cut
from llm_adapters.session import Budget, Session
from mechanisms.protocols import Message
from theory.errors import InvalidInputError, LimitError

NEVER = (toy.START_ID, toy.VOCABULARY - 1)
SETTINGS = (
    {},
    {"temperature": 0.6},
    {"temperature": 1.7, "top_k": 4},
    {"temperature": 0.9, "top_k": 7, "top_p": 0.83},
    {"top_p": 0.4},
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def _toy(made: Any) -> toy.ToyEngine:
    engine: toy.ToyEngine = made.engine
    return engine


def probabilities(made: Any, prompt: Any, most: int, settings: Any) -> dict[Any, float]:
    decode = partial(plain_law, never=NEVER, **settings)
    return toy.possible(_toy(made).table, prompt, most, decode)


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_sequence_has_the_score_of_a_plain_computation(settings: Any) -> None:
    made = toy.loaded()
    prompt, decoding = [toy.A, toy.NEWLINE], Decoding(**settings)
    wanted = probabilities(made, prompt, 3, settings)
    assert fsum(wanted.values()) == pytest.approx(1, abs=1e-12)
    cut_off = [toy.A, toy.START_ID], [toy.B] * 4, [toy.VOCABULARY - 1]
    asked = [*wanted, *cut_off]
    found = scored(made.engine, made.symbols, prompt, 3, decoding, sequences=asked)
    for tokens, score in zip(wanted, found, strict=False):
        assert score == pytest.approx(log(wanted[tokens]), abs=1e-10)
    assert found[-3:].tolist() == [-inf] * 3
    dropped = [(a, b) for a in range(2, 11) for b in range(2, 11) if (a, b) not in wanted]
    some = scored(made.engine, made.symbols, prompt, 3, decoding, sequences=dropped)
    assert set(some.tolist()) <= {-inf}
    assert bool(dropped) == (settings.get("top_k", 0) > 0 or settings.get("top_p", 1) < 1)


@pytest.mark.parametrize("settings", SETTINGS)
def test_sequences_come_as_often_as_they_should(settings: Any) -> None:
    made = toy.loaded()
    prompt, decoding = [toy.A, toy.NEWLINE], Decoding(**settings)
    wanted = probabilities(made, prompt, 2, settings)
    n = 6000
    sequences, log_probs = drawn(made.engine, made.symbols, prompt, 2, decoding, n=n, rng=rng(1))
    for tokens, score in zip(sequences, log_probs, strict=True):
        assert score == pytest.approx(log(wanted[tokens]), abs=1e-10)
    law = {str(tokens): p for tokens, p in wanted.items()}
    assert not unlikely([str(tokens) for tokens in sequences], law)
    other = probabilities(made, prompt, 2, {"temperature": 2.5})
    assert unlikely(
        [str(tokens) for tokens in sequences if tokens in other],
        {str(tokens): p for tokens, p in other.items()},
    )


def test_a_draw_does_not_depend_on_how_many_are_drawn_beside_it() -> None:
    made = toy.loaded()
    many, scores = drawn(made.engine, made.symbols, [toy.A], 5, Decoding(), n=70, rng=rng(4))
    few, first = drawn(made.engine, made.symbols, [toy.A], 5, Decoding(), n=33, rng=rng(4))
    assert many[:33] == few
    assert scores[:33].tolist() == first.tolist()
    assert _toy(made).begun == [(toy.A,), (toy.A,)]  # the prompt is computed once a call


def test_several_ends_count_as_one() -> None:
    table = toy.table_of(3)
    made = toy.loaded(table, ends=(toy.END_ID, toy.NEWLINE))
    score = scored(made.engine, made.symbols, [toy.A], 3, Decoding(), sequences=[(), (toy.B,)])
    logits = table[1, toy.A].astype(np.float64)
    held = np.exp(np.delete(logits, NEVER))
    ends = exp(logits[toy.END_ID]) + exp(logits[toy.NEWLINE])
    assert score[0] == pytest.approx(log(ends / held.sum()), abs=1e-12)
    some, _ = drawn(made.engine, made.symbols, [toy.A], 3, Decoding(), n=300, rng=rng())
    assert not any(toy.NEWLINE in tokens for tokens in some)


def test_the_end_is_counted_and_a_cut_reply_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch)
    model = LocalModel(weights, max_tokens=2)
    prompt = weights.loaded.text.conversation([Message("user", "a")])
    wanted = probabilities(weights.loaded, prompt, 2, {})
    scores = model.log_prob("a", ["", "a", "a\n", "a\n<"])
    texts = [(), (toy.A,), (toy.A, toy.NEWLINE)]
    assert scores[:3] == pytest.approx([log(wanted[tokens]) for tokens in texts], abs=1e-10)
    assert scores[3] == -inf  # never so many tokens
    shorter = LocalModel(weights, max_tokens=1).log_prob("a", ["a"])
    law = plain_law(_toy(weights.loaded).logits(prompt).tolist(), never=NEVER)
    assert shorter[0] == pytest.approx(log(law[toy.A]), abs=1e-10)


def test_text_stands_for_the_tokens_that_were_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    table = toy.table_of(A=9, B=9)
    model = LocalModel(toy.toy_weights(monkeypatch, table), max_tokens=2)
    untouched = LocalModel(toy.toy_weights(monkeypatch, table), max_tokens=2)
    found = model.sample("a", 40, rng())
    assert "ab" in found.replies
    prompt = model.weights.loaded.text.conversation([Message("user", "a")])
    wanted = probabilities(model.weights.loaded, prompt, 2, {})
    apart, together = log(wanted[toy.A, toy.B]), log(wanted[(toy.AB,)])
    assert found.log_probs[found.replies.index("ab")] == pytest.approx(apart, abs=1e-10)
    assert model.log_prob("a", found.replies) == pytest.approx(found.log_probs, abs=1e-10)
    assert untouched.log_prob("a", ["ab"])[0] == pytest.approx(together, abs=1e-10)
    assert apart - together > 1  # the two are far apart
    cooled = model.decoded(temperature=0.5).named("other")
    assert (
        cooled.log_prob("a", ["ab"])[0]
        > untouched.decoded(temperature=0.5).log_prob("a", ["ab"])[0] + 1
    )


def test_a_text_never_stands_for_two_things(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch, toy.table_of(A=3, B=3, AB=3))
    model = LocalModel(weights, max_tokens=2)
    prompt = weights.loaded.text.conversation([Message("user", "a")])
    wanted = probabilities(weights.loaded, prompt, 2, {})
    found = model.sample("a", 3000, rng())
    scores: dict[str, set[float]] = {}
    for reply, score in zip(found.replies, found.log_probs, strict=True):
        scores.setdefault(reply, set()).add(round(float(score), 9))
    assert {len(some) for some in scores.values()} == {1}
    stands = {reply: weights.memory.tokens(reply) for reply in scores}
    kept = {reply: wanted[tokens] for reply, tokens in stands.items() if tokens is not None}
    others = sum(
        wanted.get(tokens, 0.0)
        for reply, stood in stands.items()
        for tokens in toy.spellings(reply, 2)
        if tokens != stood
    )
    assert others > 0.01  # drawn again that often
    missed = 1 - others - sum(kept.values())
    law = {**{reply: p / (1 - others) for reply, p in kept.items()}, "": missed / (1 - others)}
    assert not unlikely(found.replies, law if "" not in kept else law | {"": kept[""]})


def test_a_text_that_cannot_be_drawn_any_more_ends_with_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = toy.toy_weights(monkeypatch, toy.table_of(B=90))
    weights.memory.take("bb", (toy.B, toy.AB))
    with pytest.raises(CallError, match="ever other tokens"):
        LocalModel(weights, max_tokens=2).sample("a", 1, rng())


def test_a_record_keeps_the_tokens(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = toy.table_of(A=9, B=9)
    record = tmp_path / "run.jsonl"

    def run(session: Session, weights: Weights, *prompts: str) -> Any:
        model = LocalModel(weights, max_tokens=2, session=session, agent="writer")
        found = model.sample("a", 30, rng(2))
        assert "ab" in found.replies
        return found, [model.log_prob(prompt, found.replies).tolist() for prompt in prompts]

    with Session(record=record) as session:
        first, scores = run(session, toy.toy_weights(monkeypatch, table), "a")
        assert session.usage["writer"].calls == 2
        assert session.usage["writer"].output_tokens > 0
    with Session(record=record) as session:  # goes on: the sample is known, "b" is new
        again, more = run(session, toy.toy_weights(monkeypatch, table), "a", "b")
    plain, whole = run(Session(), toy.toy_weights(monkeypatch, table), "a", "b")
    assert first.replies == again.replies == plain.replies
    assert first.log_probs.tolist() == plain.log_probs.tolist()
    assert scores == more[:1]
    assert more == whole
    monkeypatch.setattr(_weights, "load", fails)
    with Session(replay=record) as session:
        replayed, last = run(session, Weights("elsewhere/toy.gguf"), "a", "b")
        with pytest.raises(MissingAnswerError):
            run(session, Weights("elsewhere/toy.gguf"), "c")
    assert replayed.replies == first.replies
    assert last == more


def fails(*_: Any, **__: Any) -> Any:
    raise AssertionError("the model was loaded")


def test_minus_infinity_goes_through_a_record(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = ["a", "z", "aaaaaaa"]
    with Session(record=tmp_path / "r") as session:
        model = LocalModel(toy.toy_weights(monkeypatch), max_tokens=3, session=session)
        scores = model.log_prob("a", asked)
    assert np.isneginf(scores).tolist() == [False, True, True]
    monkeypatch.setattr(_weights, "load", fails)
    with Session(replay=tmp_path / "r") as session:
        model = LocalModel(Weights("toy"), max_tokens=3, session=session)
        assert model.log_prob("a", asked).tolist() == scores.tolist()


def test_a_budget_in_tokens_knows_what_a_call_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    from llm_adapters.errors import BudgetSpentError

    weights = toy.toy_weights(monkeypatch)
    asked = len(weights.loaded.text.conversation([Message("user", "a")]))
    with Session(budget=Budget(tokens=asked + 12)) as session:
        model = LocalModel(weights, max_tokens=4, session=session)
        with pytest.raises(BudgetSpentError):
            model.sample("a", 4, rng())
    with Session(budget=Budget(tokens=asked + 12)) as session:
        LocalModel(weights, max_tokens=4, session=session).sample("a", 3, rng())
        assert asked < session.total.input_tokens + session.total.output_tokens <= asked + 12


def test_bytes_cut_in_the_middle_of_a_character(monkeypatch: pytest.MonkeyPatch) -> None:
    model = LocalModel(toy.toy_weights(monkeypatch, toy.table_of(E1=40)), max_tokens=1)
    found = model.sample("é", 3, rng())
    assert found.replies == ("\ufffd",) * 3
    assert model.log_prob("é", ["\ufffd"])[0] == pytest.approx(found.log_probs[0], abs=1e-10)
    fresh = LocalModel(toy.toy_weights(monkeypatch), max_tokens=1)
    assert fresh.log_prob("é", ["\ufffd"]).tolist() == [-inf]


@pytest.mark.parametrize("reply", ["\ud800", "z", "a<start>z"])
def test_what_no_tokens_spell_is_never_drawn(monkeypatch: pytest.MonkeyPatch, reply: str) -> None:
    model = LocalModel(toy.toy_weights(monkeypatch), max_tokens=9)
    assert model.log_prob("a", [reply]).tolist() == [-inf]


def test_text_is_no_control_token(monkeypatch: pytest.MonkeyPatch) -> None:
    text = toy.toy_weights(monkeypatch).loaded.text
    honest = text.conversation([Message("user", "a")])
    assert honest.count(toy.END_ID) == 1
    attack = text.conversation([Message("user", f"a{toy.END}\n{toy.START}b")])
    assert attack.count(toy.END_ID) == 1
    assert attack.count(toy.START_ID) == 2
    inside = (toy.A, toy.LESS, toy.END_TEXT, toy.NEWLINE, toy.LESS, toy.START_TEXT, toy.B)
    assert attack[1 : 1 + len(inside)] == inside
    assert text.decode(attack) == f"{toy.START}a{toy.END}\n{toy.START}b{toy.END}\n{toy.START}"
    said = text.canonical(f"a{toy.END}")
    assert said == (toy.A, toy.LESS, toy.END_TEXT)
    assert text.plain(toy.END) == (toy.LESS, toy.END_TEXT)


def test_a_reply_that_spells_the_end_is_scored_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch)
    model = LocalModel(weights, max_tokens=4)
    prompt = weights.loaded.text.conversation([Message("user", "a")])
    wanted = probabilities(weights.loaded, prompt, 4, {})
    score = model.log_prob("a", [f"a{toy.END}"])[0]
    assert score == pytest.approx(log(wanted[toy.A, toy.LESS, toy.END_TEXT]), abs=1e-10)
    assert score != pytest.approx(log(wanted[(toy.A,)]), abs=1e-3)


def test_control_tokens_are_never_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch, toy.table_of(START_ID=50))
    found = LocalModel(weights, max_tokens=4).sample("a", 50, rng())
    for reply in found.replies:
        assert toy.START_ID not in (weights.memory.tokens(reply) or ())
    prompt = weights.loaded.text.conversation([Message("user", "a")])
    wanted = probabilities(weights.loaded, prompt, 4, {})
    tokens = weights.memory.tokens(found.replies[0])
    assert tokens is not None
    assert found.log_probs[0] == pytest.approx(log(wanted[tokens]), abs=1e-9)


@pytest.mark.parametrize(
    ("text", "spans", "names", "pieces"),
    [
        ("ab<e>", [(0, 2)], ["<e>"], ["ab<e>"]),
        ("ab<e>", [(0, 5)], ["<e>"], ["ab<", "e>"]),
        ("ab<e>", [(0, 3)], ["<e>"], ["ab<", "e>"]),
        ("<e>ab", [(2, 5)], ["<e>"], ["<e", ">ab"]),
        ("<e>ab", [(3, 5)], ["<e>"], ["<e>ab"]),
        ("<<e>e>", [(1, 4)], ["<e>", "<<e>e>"], ["<", "<", "e>e>"]),
        ("aaaa", [(0, 4)], ["aa"], ["a", "a", "a", "a"]),
        ("a", [(0, 1)], ["a"], ["a"]),
        ("<e>", [(1, 1)], ["<e>"], ["<", "e>"]),
        ("", [], ["<e>"], [""]),
    ],
)
def test_cutting(text: str, spans: Any, names: Any, pieces: Any) -> None:
    assert cut(text, spans, names) == pieces


def test_an_empty_prompt_and_one_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    model = LocalModel(toy.toy_weights(monkeypatch), max_tokens=4)
    assert len(model.sample("", 2, rng())) == 2
    room = toy.CONTEXT - 4 - 4
    assert len(model.sample("a" * room, 2, rng())) == 2
    for use in (
        lambda: model.sample("a" * (room + 1), 2, rng()),
        lambda: model.log_prob("a" * (room + 1), ["a"]),
    ):
        with pytest.raises(LimitError, match=r"takes 37 tokens and the reply 4, .* of 40"):
            use()


def test_a_prompt_that_is_no_unicode(monkeypatch: pytest.MonkeyPatch) -> None:
    model = LocalModel(toy.toy_weights(monkeypatch))
    with pytest.raises(InvalidInputError, match="surrogate"):
        model.sample("\udc80", 1, rng())


def test_a_model_without_a_template_goes_on_with_the_prompt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    weights = toy.toy_weights(monkeypatch, template=None)
    model = LocalModel(weights, max_tokens=2)
    wanted = probabilities(weights.loaded, [toy.A, toy.B], 2, {})
    assert model.log_prob("a" + "b", ["a"])[0] != pytest.approx(log(wanted[(toy.A,)]))
    wanted = probabilities(weights.loaded, [toy.AB], 2, {})
    assert model.log_prob("ab", ["a"])[0] == pytest.approx(log(wanted[(toy.A,)]), abs=1e-10)
    told = LocalModel(weights, max_tokens=2, system="b").log_prob("ab", ["a"])
    wanted = probabilities(weights.loaded, [toy.B, toy.NEWLINE, toy.NEWLINE, toy.AB], 2, {})
    assert told[0] == pytest.approx(log(wanted[(toy.A,)]), abs=1e-10)
    assert len(model.sample("", 1, rng())) == 1  # begins with the token that ends texts
    with pytest.raises(MissingCapabilityError, match="no chat template"):
        LocalChat(weights).chat([Message("user", "a")], rng())


def test_the_system_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch)
    plain = LocalModel(weights, max_tokens=5)
    told = LocalModel(weights, max_tokens=5, system="bab")
    plain.log_prob("a", ["b"])
    told.log_prob("a", ["b"])
    text = weights.loaded.text
    assert _toy(weights.loaded).begun == [
        text.conversation([Message("user", "a")]),
        text.conversation([Message("system", "bab"), Message("user", "a")]),
    ]


@pytest.mark.parametrize("kind", ["model", "chat", "embedder"])
def test_the_protocols(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    weights = toy.toy_weights(monkeypatch)
    if kind == "model":
        for settings in SETTINGS:
            check_language_model(LocalModel(weights, max_tokens=3, **settings), "a\nb")
    elif kind == "chat":
        chat = LocalChat(weights, max_tokens=3, temperature=1.2)
        conversations = [[Message("user", "a")], [Message("system", "b"), Message("user", "a")]]
        check_chat_model(chat, conversations=conversations, schema=None, varied=True)
    else:
        check_embedder(LocalEmbedder(weights))


def test_a_greedy_chat_takes_the_greatest(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch)
    text, engine = weights.loaded.text, _toy(weights.loaded)
    tokens = list(text.conversation([Message("user", "ab")]))
    said: list[int] = []
    while len(said) < 6:
        law = plain_law(engine.logits(tokens + said).tolist(), never=NEVER)
        said.append(max(law, key=lambda token: law[token]))
        if said[-1] == toy.END_ID:
            said.pop()
            break
    chat = LocalChat(weights, max_tokens=6)
    for seed in range(3):
        assert chat.chat([Message("user", "ab")], rng(seed)) == text.decode(said)
    assert chat.temperature == 0
    assert chat.named("x").temperature == 0


def test_a_schema_is_put_into_the_last_message(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch, template="strict")
    monkeypatch.setattr(toy.ToyEngine, "context", None)
    messages = [Message("user", "ab")]
    LocalChat(weights, max_tokens=2).chat(messages, rng(), schema={"b": "ab"})
    spelled = weights.loaded.text.decode(_toy(weights.loaded).begun[-1])
    assert spelled.endswith(f"a\nbab{toy.END}\n{toy.START}")  # all of it that the toy can read
    assert spelled.startswith(f"{toy.START}ab\n\n")
    assert messages == [Message("user", "ab")]
    for wrong in ({"b": object()}, {"b": {1, 2}}):
        with pytest.raises(InvalidInputError, match="schema"):
            LocalChat(weights, max_tokens=2).chat(messages, rng(), schema=wrong)


def test_what_the_template_refuses_or_leaves_out(monkeypatch: pytest.MonkeyPatch) -> None:
    talk = [Message("user", "a"), Message("assistant", "b")]
    chat = LocalChat(toy.toy_weights(monkeypatch, template="strict"), max_tokens=2)
    with pytest.raises(InvalidInputError, match="the user must speak last"):
        chat.chat(talk, rng())
    chat = LocalChat(toy.toy_weights(monkeypatch, template="deaf"), max_tokens=2)
    assert chat.chat(talk[:1], rng()) is not None
    with pytest.raises(InvalidInputError, match="leaves one out"):
        chat.chat(talk, rng())


def test_chat_and_vectors_are_replayed_without_a_model(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def run(session: Session, weights: Weights) -> Any:
        chat = LocalChat(weights, max_tokens=5, temperature=1.5, session=session, agent="one")
        embedder = LocalEmbedder(weights, session=session).named("two")
        assert (chat.agent, embedder.agent) == ("one", "two")
        said = [chat.chat([Message("user", "a")], rng(seed)) for seed in range(6)]
        return said, embedder.embed(["ab", "", "b"]).tolist(), embedder.embed([]).shape

    with Session(record=tmp_path / "r") as session:
        before = run(session, toy.toy_weights(monkeypatch))
        assert {agent: used.calls for agent, used in session.usage.items()} == {"one": 6, "two": 2}
    assert len(set(before[0])) > 1
    assert before[1:] == ([[1, 4], [1, 0], [1, 3]], (0, 2))
    monkeypatch.setattr(_weights, "load", fails)
    with Session(replay=tmp_path / "r") as session:
        assert run(session, Weights("toy")) == before


def test_copies_share_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch)
    with Session() as session:
        for one in (
            LocalModel(weights, session=session),
            LocalChat(weights, session=session),
            LocalEmbedder(weights, session=session),
        ):
            twin = copy.deepcopy([one, weights])
            assert twin[0].weights is twin[1] is weights
            assert twin[0].session is session


def test_a_damaged_answer_of_a_record_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = toy.toy_weights(monkeypatch)
    models = LocalModel(weights), LocalChat(weights), LocalEmbedder(weights)
    uses = (
        lambda: models[0].sample("a", 1, rng()),
        lambda: models[0].log_prob("a", ["a"]),
        lambda: models[1].chat([Message("user", "a")], rng()),
        lambda: models[2].embed(["a"]),
    )
    for body in ({}, {"replies": 1, "log_probs": "x", "vectors": [1, 2, 3], "dimension": 2}):
        for one in models:
            monkeypatch.setattr(one._asking, "answer", lambda *_, body=body: body)
        for use in uses:
            with pytest.raises(CallError, match="record it again"):
                use()
