"""Any model, any chat model and any embedder, through a session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from llm_adapters._conversation import read_conversation, read_rng, read_texts
from llm_adapters.session._session import Session
from llm_adapters.session.recalled import RecalledAnswer
from llm_adapters.session.request import Answer, Request, read_name
from mechanisms.protocols import ChatModel, Embedder, LanguageModel, Message, Sampled
from theory.errors import InvalidInputError
from theory.shared.shapes import Float64

__all__ = ["RecordedChat", "RecordedEmbedder", "RecordedModel"]

T = TypeVar("T")


class _Recorded:
    """What the three have in common: a session, an agent, and the name of the model."""

    def __init__(self, model: Any, kind: type, session: Any, name: Any, agent: str) -> None:
        if not isinstance(session, Session):
            raise InvalidInputError("session", session, "is not a Session", "give Session(...)")
        if model is None and not session.replaying:
            fix = "give the model, or a session that replays a record"
            raise InvalidInputError("model", None, "is missing", fix)
        if model is not None and (isinstance(model, type) or not isinstance(model, kind)):
            fix = f"give an object with the methods of {kind.__name__}"
            problem = (
                "is a class" if isinstance(model, type) else f"does not work as {kind.__name__}"
            )
            raise InvalidInputError("model", model, problem, fix)
        self.session = session
        self.agent = read_name("agent", agent)
        self.name = read_name("name", name)
        self._model: Any = model
        if session.budget.counts_tokens and not session.replaying:
            fix = "set a budget in calls, or write an adapter that tells its tokens"
            problem = f"limits tokens or money, and {self.name} does not tell its tokens"
            raise InvalidInputError("budget", str(session.budget), problem, fix)

    def _answer(
        self,
        method: str,
        body: Mapping[str, Any],
        ask: Callable[[Any], T],
        written: Callable[[T], Mapping[str, Any]],
    ) -> T:
        """Return what ``ask`` gets of the model, or in the same way of what a record holds."""

        def read(body: Mapping[str, Any]) -> T:
            return ask(RecalledAnswer(body))

        request = Request(self.agent, self.name, method, body)
        answer = self.session.call(
            request, lambda seconds: Answer(written(ask(self._model))), read=read
        )
        return read(answer.body)


class RecordedModel(_Recorded):
    """A language model through a session.

    It draws one seed from the generator that it is given, and the model gets a generator made of
    that: a replay with the same generator needs no model. Tokens are not counted, since the
    protocol does not tell them, so a budget must be in calls.

    Parameters
    ----------
    model : LanguageModel or None
        None where the session replays a record.
    session : Session
    name : str
        By which it is known in the record. Give different models different names: a record that
        another model of the same name has written answers for this one.
    agent : str
        To whom usage is accounted.

    Raises
    ------
    InvalidInputError
        For arguments of the wrong kind, where the model is missing and nothing is replayed, and
        where the budget of the session limits tokens or money.

    Examples
    --------
    >>> import numpy as np
    >>> from mechanisms.language_models import TableModel
    >>> session = Session()
    >>> model = RecordedModel(TableModel({"?": {"Tea.": 1}}), session, name="tea", agent="baker")
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
        name: str,
        agent: str = "model",
    ) -> None:
        super().__init__(model, LanguageModel, session, name, agent)

    def for_agent(self, agent: str) -> RecordedModel:
        """Return the same model, accounted to another agent."""
        return RecordedModel(self._model, self.session, name=self.name, agent=agent)

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies independently."""
        from mechanisms.language_models import checked_sample
        from mechanisms.language_models.arguments import number_of_replies, read_prompt

        asked, number = read_prompt(prompt), number_of_replies(n, rng)
        seed = _seed(rng)

        return self._answer(
            "sample",
            {"prompt": asked, "n": number, "seed": seed},
            lambda model: checked_sample(
                model, asked, number, np.random.default_rng(seed), name=self.name
            ),
            lambda drawn: {"replies": drawn.replies, "log_probs": drawn.log_probs.tolist()},
        )

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return log pi(y | prompt) for each reply y."""
        from mechanisms.language_models import checked_log_prob
        from mechanisms.language_models.arguments import read_prompt, read_replies

        asked, given = read_prompt(prompt), read_replies(replies)
        return self._answer(
            "score",
            {"prompt": asked, "replies": given},
            lambda model: checked_log_prob(model, asked, given, name=self.name),
            lambda scores: {"log_probs": scores.tolist()},
        )


class RecordedChat(_Recorded):
    """A chat model through a session; the rest is as in :class:`RecordedModel`.

    Examples
    --------
    >>> import numpy as np
    >>> from llm_adapters.fakes import ScriptedChat
    >>> chat = RecordedChat(ScriptedChat(["No."]), Session(), name="script", agent="host")
    >>> chat.chat([Message("user", "Is it raining?")], np.random.default_rng(0))
    'No.'
    """

    def __init__(
        self,
        model: ChatModel | None,
        session: Session,
        *,
        name: str,
        agent: str = "model",
    ) -> None:
        super().__init__(model, ChatModel, session, name, agent)

    def for_agent(self, agent: str) -> RecordedChat:
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
        from llm_adapters.structured import checked_chat

        asked = read_conversation(messages)
        seed = _seed(read_rng(rng))
        said = [{"role": message.role, "content": message.content} for message in asked]
        body: dict[str, Any] = {"messages": said, "seed": seed}
        if schema is not None:
            body["schema"] = schema
        return self._answer(
            "chat",
            body,
            lambda model: checked_chat(
                model, asked, np.random.default_rng(seed), schema=schema, name=self.name
            ),
            lambda text: {"text": text},
        )


class RecordedEmbedder(_Recorded):
    """An embedder through a session; the rest is as in :class:`RecordedModel`.

    Examples
    --------
    >>> from llm_adapters.fakes import HashEmbedder
    >>> RecordedEmbedder(HashEmbedder(8), Session(), name="hash").embed(["Drink tea."]).shape
    (1, 8)
    """

    def __init__(
        self,
        model: Embedder | None,
        session: Session,
        *,
        name: str,
        agent: str = "model",
    ) -> None:
        super().__init__(model, Embedder, session, name, agent)

    def for_agent(self, agent: str) -> RecordedEmbedder:
        """Return the same model, accounted to another agent."""
        return RecordedEmbedder(self._model, self.session, name=self.name, agent=agent)

    def embed(self, texts: Sequence[str]) -> Float64[np.ndarray, "texts dimension"]:
        """Return a vector for each text."""
        from llm_adapters.structured import checked_embed

        given = read_texts("texts", texts)
        return self._answer(
            "embed",
            {"texts": given},
            lambda model: checked_embed(model, given, name=self.name),
            lambda vectors: {"vectors": vectors.tolist(), "dimension": vectors.shape[1]},
        )


def _seed(rng: np.random.Generator) -> int:
    return int(rng.integers(2**63))
