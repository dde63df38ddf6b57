"""What the faces of a local model have in common: who asks, and through which session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Self, TypeVar

from llm_adapters.local._decoding import Decoding
from llm_adapters.local._weights import Weights, read_weights
from llm_adapters.session import Answer, Request, Session
from theory.errors import InvalidInputError

__all__ = ["LocalAdapter", "ModelCaller", "law_of", "settings_of"]

T = TypeVar("T")


class ModelCaller:
    """Asks a local model for someone, through a session where there is one.

    Without a session the answer takes the same way through JSON, so that it is the same.
    """

    def __init__(self, model: str, session: Session | None, agent: str) -> None:
        given: Any = session
        if given is not None and not isinstance(given, Session):
            raise InvalidInputError("session", session, "is no Session", "give a Session or None")
        who: Any = agent
        if not isinstance(who, str) or not who:
            fix = "give a text that is not empty"
            raise InvalidInputError("agent", agent, "is no name", fix)
        self.model = model
        self.session = session
        self.agent = agent

    def answer(
        self,
        method: str,
        body: Mapping[str, Any],
        make: Callable[[], Answer],
        at_most: Callable[[], tuple[int, int]],
        read: Callable[[Mapping[str, Any]], T],
    ) -> T:
        """Return what is read of the answer; a computation is not cut short by a limit of time."""
        if self.session is None:
            return read(make().body)
        request = Request(self.agent, self.model, method, body)
        answer = self.session.call(
            request, lambda seconds: make(), at_most=at_most, read=read, limited=False
        )
        return read(answer.body)


class LocalAdapter:
    """A local model that is asked for something; a copy is the model itself, as its weights are."""

    def __init__(self, weights: Weights, session: Session | None, agent: str) -> None:
        self.weights = read_weights(weights)
        self._asking = ModelCaller(self.weights.name, session, agent)

    @property
    def session(self) -> Session | None:
        """The session that its calls go through."""
        return self._asking.session

    @property
    def agent(self) -> str:
        """To whom its calls are accounted."""
        return self._asking.agent

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self


def law_of(max_tokens: int, temperature: float, decoding: Decoding) -> str:
    """Return what decides the law, for a reader."""
    cut = f"top_k={decoding.top_k}, top_p={decoding.top_p}"
    return f"max_tokens={max_tokens}, temperature={temperature}, {cut}"


def settings_of(max_tokens: int, temperature: float, top_k: int, top_p: float) -> dict[str, Any]:
    """Return what decides the law, for a request."""
    return {
        "max_tokens": max_tokens,
        "temperature": temperature,
        "top_k": top_k,
        "top_p": top_p,
    }
