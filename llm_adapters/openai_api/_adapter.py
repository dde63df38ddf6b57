"""What the adapters share: an endpoint, a session, an agent, and what else goes into requests."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any, Self

import numpy as np

from llm_adapters.openai_api._endpoint import Endpoint
from llm_adapters.openai_api._extra_parameters import read_extra
from llm_adapters.openai_api._failures import RefusedParameterError
from llm_adapters.session import Request, Session
from llm_adapters.session.request import read_name
from theory.errors import InvalidInputError
from theory.shared.printable import printed_line

__all__ = ["Adapter", "draw_seed", "read_number"]

Build = Callable[[], dict[str, Any]]


class Adapter:
    """An endpoint and who asks it; copies are itself.

    Parameters
    ----------
    endpoint : Endpoint
    session : Session or None
        None for one of its own, without budget or record.
    agent : str
        To whom usage is accounted.
    extra : dict or None
        What else goes into requests.
    taken : frozenset of str
        What must not stand there.
    """

    def __init__(
        self, endpoint: Any, session: Any, agent: Any, extra: Any, taken: frozenset[str]
    ) -> None:
        if not isinstance(endpoint, Endpoint):
            fix = 'give Endpoint("http://127.0.0.1:8000/v1")'
            given = type(endpoint).__name__  # itself, it may be a key
            raise InvalidInputError("endpoint", given, "is not an Endpoint", fix)
        if session is not None and not isinstance(session, Session):
            raise InvalidInputError("session", session, "is not a Session", "give Session()")
        self.endpoint = endpoint
        self.session = Session() if session is None else session
        self.agent = read_name("agent", agent)
        self._extra = read_extra(extra, taken, endpoint.secret)

    def for_agent(self, agent: str) -> Self:
        """Return the same one, accounted to another agent.

        Raises
        ------
        InvalidInputError
            For what is no name.
        """
        other = copy.copy(self)
        other.agent = read_name("agent", agent)
        return other

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    @printed_line
    def __repr__(self) -> str:
        model = self.endpoint.model or "the only model listed"
        return f"{type(self).__name__}({model}, for {self.agent})"

    def _request(self, method: str, body: Mapping[str, Any]) -> Request:
        """Return a request; its body is JSON of its own, whatever becomes of the one given."""
        extra = {"extra": self._extra} if self._extra else {}
        model = self.endpoint.name_in(self.session)
        return Request(
            self.agent, model, method, {**body, "server": self.endpoint.known_as, **extra}
        )

    def _post(
        self,
        path: str,
        request: Request,
        build: Build,
        without: Mapping[str, str],
        seconds: float,
    ) -> dict[str, Any]:
        """Ask, and ask again without what the server refuses, once for each such thing.

        ``without`` has the parameters that can be done without, and what the endpoint remembers
        them as; ``build`` makes a request that leaves out what is remembered.
        """
        end = monotonic() + seconds
        left = dict(without)
        while True:
            try:
                body = {"model": request.model, **build()}
                return self.endpoint.post(path, body, end - monotonic())
            except RefusedParameterError as error:
                remembered = left.pop(error.parameter, None)
                if remembered is None:
                    raise
                self.endpoint.refused.add(remembered)


def draw_seed(rng: np.random.Generator) -> int:
    """Return the seed of a request."""
    return int(rng.integers(2**31))


def read_number(name: str, value: Any, least: float, most: float) -> float:
    """Return a finite number in a range as a float.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    right = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not right or not least <= value <= most:
        fix = f"give a number from {least} to {most}"
        raise InvalidInputError(name, value, "is not such a number", fix)
    return float(value)
