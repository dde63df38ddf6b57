"""Any model, any chat model and any embedder, through a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from llm_adapters.session._request import Answer, Request
from llm_adapters.session._session import Session
from mechanisms.protocols import ChatModel, Embedder, LanguageModel, Message, Sampled
from theory._shapes import Float64
from theory.errors import InvalidInputError

__all__ = ["RecordedChat", "RecordedEmbedder", "RecordedModel"]


class _Recorded:
    """What the three have in common: a session, an agent, and the name of the model."""

    def __init__(self, model: object, session: Session, name: str | None, agent: str) -> None:
        if model is None and not session.replaying:
            fix = "give the model, or a session that replays a record"
            raise InvalidInputError("model", None, "is missing", fix)
        if model is None and name is None:
            fix = "give the name that the record has"
            raise InvalidInputError("name", None, "is missing, and there is no model", fix)
        self.session = session
        self.agent = agent
        self.name = type(model).__name__ if name is None else name

    def _request(self, method: str, body: Mapping[str, Any]) -> Request:
        return Request(self.agent, self.name, method, body)


class RecordedModel(_Recorded):
    """A language model through a session.

    It draws one seed from the generator that it is given, and the model gets a generator made of
    that: a replay with the same generator needs no model. Tokens are not counted, since the
    protocol does not tell them.

    Parameters
    ----------
    model : LanguageModel or None
        None where the session replays a record.
    session : Session
    name : str, optional
        By which it is known in the record; its class if left out.
    agent : str
        To whom usage is accounted.

    Examples
    --------
    >>> import numpy as np
    >>> from mechanisms.language_models import TableModel
    >>> session = Session()
    >>> model = RecordedModel(TableModel({"?": {"Tea.": 1}}), session, agent="baker")
    >>> model.sample("?", 2, np.random.default_rng(0)).replies
    ('Tea.', 'Tea.')
    >>> print(session.usage["baker"])
    1 call
    """

    def __init__(
        self,
        model: LanguageModel | None,
        session: Session,
        *,
        name: str | None = None,
        agent: str = "model",
    ) -> None:
        super().__init__(model, session, name, agent)
        self._model: Any = model

    def named(self, agent: str) -> RecordedModel:
        """Return the same model, accounted to another agent."""
        return RecordedModel(self._model, self.session, name=self.name, agent=agent)

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies independently."""
        from mechanisms.language_models import checked_sample

        seed = _seed(rng)

        def make(seconds: float) -> Answer:
            drawn = checked_sample(self._model, prompt, n, np.random.default_rng(seed))
            return Answer({"replies": drawn.replies, "log_probs": drawn.log_probs.tolist()})

        request = self._request("sample", {"prompt": prompt, "n": n, "seed": seed})
        body = self.session.call(request, make, at_most=_nothing).body
        return Sampled(prompt, tuple(body["replies"]), np.array(body["log_probs"], dtype=float))

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return log pi(y | prompt) for each reply y."""
        from mechanisms.language_models import checked_log_prob

        def make(seconds: float) -> Answer:
            scores = checked_log_prob(self._model, prompt, replies)
            return Answer({"log_probs": scores.tolist()})

        request = self._request("score", {"prompt": prompt, "replies": list(replies)})
        body = self.session.call(request, make, at_most=_nothing).body
        return np.array(body["log_probs"], dtype=np.float64)


class RecordedChat(_Recorded):
    """A chat model through a session; the rest is as in :class:`RecordedModel`."""

    def __init__(
        self,
        model: ChatModel | None,
        session: Session,
        *,
        name: str | None = None,
        agent: str = "model",
    ) -> None:
        super().__init__(model, session, name, agent)
        self._model: Any = model

    def named(self, agent: str) -> RecordedChat:
        """Return the same model, accounted to another agent."""
        return RecordedChat(self._model, self.session, name=self.name, agent=agent)

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Return what the model says next."""
        seed = _seed(rng)

        def make(seconds: float) -> Answer:
            text = self._model.chat(messages, np.random.default_rng(seed), schema=schema)
            return Answer({"text": text})

        said = [{"role": message.role, "content": message.content} for message in messages]
        body: dict[str, Any] = {"messages": said, "seed": seed}
        if schema is not None:
            body["schema"] = schema
        answer = self.session.call(self._request("chat", body), make, at_most=_nothing)
        text: str = answer.body["text"]
        return text


class RecordedEmbedder(_Recorded):
    """An embedder through a session; the rest is as in :class:`RecordedModel`."""

    def __init__(
        self,
        model: Embedder | None,
        session: Session,
        *,
        name: str | None = None,
        agent: str = "model",
    ) -> None:
        super().__init__(model, session, name, agent)
        self._model: Any = model

    def named(self, agent: str) -> RecordedEmbedder:
        """Return the same model, accounted to another agent."""
        return RecordedEmbedder(self._model, self.session, name=self.name, agent=agent)

    def embed(self, texts: Sequence[str]) -> Float64[np.ndarray, "texts dimension"]:
        """Return a vector for each text."""

        def make(seconds: float) -> Answer:
            vectors = np.asarray(self._model.embed(texts), dtype=np.float64)
            return Answer({"vectors": vectors.tolist(), "dimension": vectors.shape[1]})

        request = self._request("embed", {"texts": list(texts)})
        body = self.session.call(request, make, at_most=_nothing).body
        vectors = np.array(body["vectors"], dtype=np.float64)
        return vectors.reshape(len(body["vectors"]), body["dimension"])


def _nothing() -> tuple[int, int]:
    return (0, 0)


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**63))
