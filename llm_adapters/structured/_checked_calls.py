"""Asking chat models and embedders that need not be trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from llm_adapters._conversation import read_conversation, read_rng, read_texts
from mechanisms.language_models import LanguageModelError
from mechanisms.language_models.errors import blame_model
from mechanisms.participants import describe_object, plain
from mechanisms.protocols import ChatModel, Embedder, Message
from theory.errors import InvalidInputError
from theory.shared.shapes import Float64

__all__ = ["checked_chat", "checked_embed"]


def checked_chat(
    chat: ChatModel,
    messages: Sequence[Message],
    rng: np.random.Generator,
    *,
    schema: Mapping[str, object] | None = None,
    name: str | None = None,
) -> str:
    """Ask any chat model, and refuse what is not text.

    Parameters
    ----------
    chat : ChatModel
    messages : sequence of Message
        At least one.
    rng : numpy.random.Generator
    schema : dict, optional
        The JSON Schema that the answer should fit; whether it does is not checked here.
    name : str, optional
        What errors call the model; its class if left out.

    Raises
    ------
    InvalidInputError
        Where an argument is of the wrong kind.
    LanguageModelError
        Where the model raises something that is none of our errors, or returns what is not text.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_adapters.fakes import ScriptedChat
    >>> asked = [Message("user", "Is it raining?")]
    >>> checked_chat(ScriptedChat(["No."]), asked, np.random.default_rng(0))
    'No.'
    """
    if isinstance(chat, type) or not isinstance(chat, ChatModel):
        fix = "give an object with the method chat"
        raise InvalidInputError("chat", chat, "is not a chat model", fix)
    called = _name(chat, name)
    given = read_conversation(messages)
    read_rng(rng)
    if schema is not None and not isinstance(schema, Mapping):
        raise InvalidInputError("schema", schema, "is not a JSON Schema", "give a dict or None")
    with blame_model(called, "when asked for a text"):
        said: Any = chat.chat(given, rng, schema=schema)
    text = plain(said)
    if text is None:
        raise LanguageModelError(called, f"returned {describe_object(said)}", "return a str")
    return text


def checked_embed(
    embedder: Embedder, texts: Sequence[str], *, name: str | None = None
) -> Float64[np.ndarray, "texts dimension"]:
    """Embed texts with any embedder, and refuse what makes no sense.

    Parameters
    ----------
    embedder : Embedder
    texts : sequence of str
    name : str, optional
        What errors call the embedder; its class if left out.

    Returns
    -------
    float64 array of shape (texts, dimension)
        A copy.

    Raises
    ------
    InvalidInputError
        Where an argument is of the wrong kind.
    LanguageModelError
        Where the embedder raises something that is none of our errors, or returns anything but a
        float64 array with a vector of finite numbers for each text.

    Examples
    --------
    >>> from llm_adapters.fakes import HashEmbedder
    >>> checked_embed(HashEmbedder(8), ["Drink tea.", "Sleep well."]).shape
    (2, 8)
    """
    if isinstance(embedder, type) or not isinstance(embedder, Embedder):
        fix = "give an object with the method embed"
        raise InvalidInputError("embedder", embedder, "is not an embedder", fix)
    called = _name(embedder, name)
    given = read_texts("texts", texts)
    with blame_model(called, "when asked for vectors"):
        found: Any = embedder.embed(given)
    fix = "return a float64 array of shape (texts, dimension)"
    if not isinstance(found, np.ndarray) or found.dtype != np.float64:
        raise LanguageModelError(called, f"returned {describe_object(found)} for vectors", fix)
    if found.ndim != 2 or len(found) != len(given) or (given and not found.shape[1]):
        problem = f"returned vectors of shape {found.shape} for {len(given)} texts"
        raise LanguageModelError(called, problem, fix)
    wrong = np.flatnonzero(~np.isfinite(found).all(axis=1))
    if wrong.size:
        problem = f"gives {given[int(wrong[0])]!r} a vector that is not finite"
        raise LanguageModelError(called, problem, "return finite numbers")
    return found.copy()


def _name(model: Any, name: Any) -> str:
    if name is not None and not isinstance(name, str):
        raise InvalidInputError("name", name, "is not text", "give a str")
    return type(model).__name__ if name is None else name
