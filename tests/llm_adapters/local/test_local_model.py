"""The local model over a table in place of PyTorch: its law, token by token."""

from __future__ import annotations

from math import exp, fsum, inf, log
from pathlib import Path
from typing import Any

import local_toy as toy
import numpy as np
import pytest
from language_model_cases import unlikely
from local_toy import NEVER, SETTINGS, engine_of, fails, probabilities, rng
from plain_decoding import plain_law

from llm_adapters.errors import (
    BudgetSpentError,
    CallError,
    MissingAnswerError,
)
from llm_adapters.local import (
    Decoding,
    LocalModel,
    Weights,
    _weights,
)
from llm_adapters.local._sequences import draw_sequences, score_sequences
from llm_adapters.session import Budget, Session
from mechanisms.protocols import Message


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_sequence_has_the_score_of_a_plain_computation(settings: Any) -> None:
    made = toy.loaded()
    prompt, decoding = [toy.A, toy.NEWLINE], Decoding(**settings)
    wanted = probabilities(made, prompt, 3, settings)
    assert fsum(wanted.values()) == pytest.approx(1, abs=1e-12)
    cut_off = [toy.A, toy.START_ID], [toy.B] * 4, [toy.VOCABULARY - 1]
    asked = [*wanted, *cut_off]
    found = score_sequences(made.engine, made.symbols, prompt, 3, decoding, sequences=asked)
    for tokens, score in zip(wanted, found, strict=False):
        assert score == pytest.approx(log(wanted[tokens]), abs=1e-10)
    assert found[-3:].tolist() == [-inf] * 3
    dropped = [(a, b) for a in range(2, 11) for b in range(2, 11) if (a, b) not in wanted]
    some = score_sequences(made.engine, made.symbols, prompt, 3, decoding, sequences=dropped)
    assert set(some.tolist()) <= {-inf}
    assert bool(dropped) == (settings.get("top_k", 0) > 0 or settings.get("top_p", 1) < 1)


@pytest.mark.parametrize("settings", SETTINGS)
def test_sequences_come_as_often_as_they_should(settings: Any) -> None:
    made = toy.loaded()
    prompt, decoding = [toy.A, toy.NEWLINE], Decoding(**settings)
    wanted = probabilities(made, prompt, 2, settings)
    n = 6000
    sequences, log_probs = draw_sequences(
        made.engine, made.symbols, prompt, 2, decoding, n=n, rng=rng(1)
    )
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
    many, scores = draw_sequences(
        made.engine, made.symbols, [toy.A], 5, Decoding(), n=70, rng=rng(4)
    )
    few, first = draw_sequences(made.engine, made.symbols, [toy.A], 5, Decoding(), n=33, rng=rng(4))
    assert many[:33] == few
    assert scores[:33].tolist() == first.tolist()
    assert engine_of(made).begun == [(toy.A,), (toy.A,)]  # the prompt is computed once a call


def test_several_ends_count_as_one() -> None:
    table = toy.table_of(3)
    made = toy.loaded(table, ends=(toy.END_ID, toy.NEWLINE))
    score = score_sequences(
        made.engine, made.symbols, [toy.A], 3, Decoding(), sequences=[(), (toy.B,)]
    )
    logits = table[1, toy.A].astype(np.float64)
    held = np.exp(np.delete(logits, NEVER))
    ends = exp(logits[toy.END_ID]) + exp(logits[toy.NEWLINE])
    assert score[0] == pytest.approx(log(ends / held.sum()), abs=1e-12)
    some, _ = draw_sequences(made.engine, made.symbols, [toy.A], 3, Decoding(), n=300, rng=rng())
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
    law = plain_law(engine_of(weights.loaded).logits(prompt).tolist(), never=NEVER)
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
    cooled = model.with_decoding(temperature=0.5).for_agent("other")
    assert (
        cooled.log_prob("a", ["ab"])[0]
        > untouched.with_decoding(temperature=0.5).log_prob("a", ["ab"])[0] + 1
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
    weights = toy.toy_weights(monkeypatch)
    asked = len(weights.loaded.text.conversation([Message("user", "a")]))
    with Session(budget=Budget(tokens=asked + 12)) as session:
        model = LocalModel(weights, max_tokens=4, session=session)
        with pytest.raises(BudgetSpentError):
            model.sample("a", 4, rng())
    with Session(budget=Budget(tokens=asked + 12)) as session:
        LocalModel(weights, max_tokens=4, session=session).sample("a", 3, rng())
        assert asked < session.total.input_tokens + session.total.output_tokens <= asked + 12
