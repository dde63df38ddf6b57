"""What every language model, chat model and embedder must do, checked on any of them.

Each check takes the model itself, or a function that makes a fresh one. Checks make the same calls
in the same order every time, so what was recorded in one run can be replayed in another.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from jaxtyping import TypeCheckError
from language_model_cases import unlikely

from llm_adapters.structured import checked_chat, checked_embed
from mechanisms.language_models import checked_log_prob, checked_sample
from mechanisms.protocols import ChatModel, Embedder, LanguageModel, Message
from theory.errors import MechproofError

__all__ = ["CONVERSATIONS", "SCHEMA", "check_chat_model", "check_embedder", "check_language_model"]

CONVERSATIONS = (
    (Message("user", "Is it raining?"),),
    (
        Message("system", "Answer in one word."),
        Message("user", "Tea or coffee?"),
        Message("assistant", "Tea."),
        Message("user", "With milk?"),
    ),
)

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["buy", "pass"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}

TEXTS = ("Drink tea.", "Sleep in a dark room.", "", "Drink tea.", "眠る — ünïcode")


def check_language_model(
    model: Any,
    prompt: str,
    *,
    replies: int = 4,
    close: float = 1e-9,
    varied: bool = True,
    draws: int = 0,
) -> None:
    """Check a language model at one prompt.

    Parameters
    ----------
    model : LanguageModel, or a function that makes one
    prompt : str
    replies : int
        How many replies to draw at a time.
    close : float
        How far two computations of one log-probability may lie apart, absolutely.
    varied : bool
        Whether some of eight seeds must give another reply than the first.
    draws : int
        How many replies to hold against their probabilities by chi-square; only for models that
        have few replies.
    """
    fresh = _maker(model, "sample")
    one = fresh()
    _has(one, LanguageModel, "sample or log_prob")
    with _no_global_randomness():
        drawn = checked_sample(one, prompt, replies, np.random.default_rng(5))
        again = checked_sample(fresh(), prompt, replies, np.random.default_rng(5))
        assert drawn.replies == again.replies, "the same seed gives other replies"
        _agree(drawn.log_probs, again.log_probs, close, "the same seed gives other log-probs")
        assert len(checked_sample(one, prompt, 0, np.random.default_rng(5)).replies) == 0
        listed = list(drawn.replies)
        scores = checked_log_prob(one, prompt, listed)
        assert listed == list(drawn.replies), "log_prob changed the list that it was given"
        _agree(scores, drawn.log_probs, close, "log_prob and sample speak of two laws")
        distinct = dict(zip(drawn.replies, scores, strict=True))
        total = float(np.exp(list(distinct.values())).sum())
        assert total <= 1 + len(distinct) * close + 1e-12, f"probabilities add up to {total}"
        backwards = checked_log_prob(one, prompt, listed[::-1])
        _agree(backwards[::-1], scores, close, "the order of replies changes their scores")
        twice = checked_log_prob(one, prompt, [listed[0], *listed])
        _agree(twice[1:], scores, close, "a reply beside it changes a score")
        _agree(twice[:1], scores[:1], close, "one reply has two scores")
        alone = [float(checked_log_prob(one, prompt, [reply])[0]) for reply in listed]
        _agree(np.array(alone), scores, close, "a reply is scored otherwise alone")
        assert checked_log_prob(one, prompt, []).shape == (0,)
        raw = one.log_prob(prompt, listed)
        if raw.flags.writeable:
            raw[:] = -123.0
        _agree(one.log_prob(prompt, listed), scores, close, "scores that were written to come back")
        if varied:
            seeds = (checked_sample(one, prompt, 1, np.random.default_rng(s)) for s in range(8))
            assert len({sample.replies for sample in seeds}) > 1, "it ignores the seed"
        if draws:
            many = checked_sample(one, prompt, draws, np.random.default_rng(7)).replies
            seen = sorted(set(many))
            law = dict(zip(seen, np.exp(checked_log_prob(one, prompt, seen)).tolist(), strict=True))
            missed = draws * (1 - sum(law.values()))
            assert missed < 50, f"{missed:.0f} of {draws} draws should have been other replies"
            assert not unlikely(many, law), "replies do not come as often as their scores say"
    _refused(lambda: one.sample(prompt, -1, np.random.default_rng(0)), "n = -1")
    _refused(lambda: one.sample(prompt, 1, None), "a generator of None")
    _refused(lambda: one.sample(None, 1, np.random.default_rng(0)), "a prompt of None")
    _refused(lambda: one.log_prob(prompt, [None]), "a reply of None")


def check_chat_model(
    chat: Any,
    *,
    conversations: Sequence[Sequence[Message]] = CONVERSATIONS,
    schema: dict[str, Any] | None = SCHEMA,
    varied: bool = False,
    scripted: bool = False,
) -> None:
    """Check a chat model.

    Parameters
    ----------
    chat : ChatModel, or a function that makes one
    conversations : sequence of conversations
        What it is asked, at least one.
    schema : dict or None
        A JSON Schema that is sent along in one more call; only that a text comes back is checked.
    varied : bool
        Whether some of sixteen seeds must give another text than the first.
    scripted : bool
        Whether it says one text after the other, so that only a fresh one says the first again.
    """
    fresh = _maker(chat, "chat")
    one = fresh()
    _has(one, ChatModel, "chat")
    with _no_global_randomness():
        for conversation in conversations:
            listed = list(conversation)
            said = checked_chat(fresh(), listed, np.random.default_rng(5))
            raw = fresh()
            text: Any = raw.chat(listed, np.random.default_rng(5))
            assert listed == list(conversation), "chat changed the messages that it was given"
            assert said == text, "the same seed gives another text"
            whole = checked_chat(fresh(), tuple(listed), np.random.default_rng(5))
            assert whole == said, "a tuple of messages gets another text than a list"
            if scripted:
                continue
            for other in conversations:
                checked_chat(raw, other, np.random.default_rng(6))
            later = checked_chat(raw, listed, np.random.default_rng(5))
            assert later == said, "what was said in other calls changes the text"
        if varied:
            seeds = (
                checked_chat(fresh(), conversations[-1], np.random.default_rng(s))
                for s in range(16)
            )
            assert len(set(seeds)) > 1, "it ignores the seed"
        if schema is not None:
            before = repr(schema)
            checked_chat(fresh(), conversations[0], np.random.default_rng(5), schema=schema)
            assert repr(schema) == before, "chat changed the schema that it was given"
    asked = list(conversations[0])
    _refused(lambda: one.chat([], np.random.default_rng(0)), "no messages")
    _refused(lambda: one.chat("Hello", np.random.default_rng(0)), "text for messages")
    _refused(lambda: one.chat(["Hello"], np.random.default_rng(0)), "texts for messages")
    _refused(lambda: one.chat(asked, None), "a generator of None")


def check_embedder(embedder: Any, *, texts: Sequence[str] = TEXTS, close: float = 1e-9) -> None:
    """Check an embedder.

    Parameters
    ----------
    embedder : Embedder, or a function that makes one
    texts : sequence of str
        At least three, two of them different.
    close : float
        How far two computations of one coordinate may lie apart, absolutely.
    """
    fresh = _maker(embedder, "embed")
    one = fresh()
    _has(one, Embedder, "embed")
    with _no_global_randomness():
        listed = list(texts)
        found = checked_embed(one, listed)
        assert listed == list(texts), "embed changed the list that it was given"
        for text, vector in zip(texts, found, strict=True):
            alone = checked_embed(one, [text])
            assert alone.shape[1] == found.shape[1], "the dimension changes"
            _agree(alone[0], vector, close, "a text beside it changes a vector")
        backwards = checked_embed(one, listed[::-1])
        assert backwards.shape == found.shape, "the dimension changes"
        _agree(backwards[::-1], found, close, "the order of texts changes their vectors")
        anew = checked_embed(fresh(), listed)
        assert anew.shape == found.shape, "the dimension changes"
        _agree(anew, found, close, "another embedder of this kind gives other vectors")
        for text in set(texts):
            same = found[[at for at, other in enumerate(texts) if other == text]]
            _agree(same, np.broadcast_to(same[0], same.shape), close, "one text has two vectors")
        assert bool((np.ptp(found, axis=0) > close).any()), "all texts have one vector"
        assert len(checked_embed(one, [])) == 0
        raw = one.embed(listed)
        if raw.flags.writeable:
            raw[:] = 123.0
        _agree(one.embed(listed), found, close, "vectors that were written to come back")
    _refused(lambda: one.embed("a text"), "one text for texts")
    _refused(lambda: one.embed([None]), "a text of None")


def _maker(model: Any, method: str) -> Callable[[], Any]:
    made = hasattr(model, method) and not isinstance(model, type)
    return (lambda: model) if made else model


def _has(model: Any, protocol: Any, methods: str) -> None:
    assert isinstance(model, protocol), f"{model!r} lacks {methods}"


def _agree(found: Any, expected: Any, close: float, problem: str) -> None:
    np.testing.assert_allclose(found, expected, rtol=0, atol=close, err_msg=problem)


@contextmanager
def _no_global_randomness() -> Iterator[None]:
    before = random.getstate(), repr(np.random.get_state())  # noqa: NPY002
    yield
    after = random.getstate(), repr(np.random.get_state())  # noqa: NPY002
    assert before == after, "it draws from a generator that all share"


def _refused(call: Callable[[], Any], given: str) -> None:
    """See that a call raises one of our errors, or is stopped by the tests' check of types."""
    try:
        call()
    except (MechproofError, TypeCheckError):
        return
    raise AssertionError(f"it takes {given}")
