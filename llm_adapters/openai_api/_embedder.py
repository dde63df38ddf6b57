"""An embedder behind a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final

import numpy as np

from llm_adapters._conversation import read_texts
from llm_adapters.errors import CallError
from llm_adapters.openai_api._adapter import Adapter
from llm_adapters.openai_api._endpoint import Endpoint
from llm_adapters.openai_api._reading import add_cost_to_errors, bound, usage_of
from llm_adapters.session import Answer, Call, Session
from llm_adapters.session.recalled import RecalledAnswer
from llm_adapters.structured import checked_embed
from theory.shared.arguments import read_count
from theory.shared.shapes import Float64

__all__ = ["OpenAIEmbedder"]

_TAKEN: Final = frozenset({"model", "input", "encoding_format"})


class OpenAIEmbedder(Adapter):
    """An embedder behind a server: texts go to ``/embeddings``.

    Parameters
    ----------
    endpoint : Endpoint
    session : Session, optional
        Makes the calls; left out, it is one without budget or record.
    agent : str
        To whom usage is accounted.
    batch : int
        How many texts go into one request at most; requests are made concurrently.
    extra : dict, optional
        Other parameters for the server, such as ``{"dimensions": 256}``.

    Raises
    ------
    InvalidInputError
        Where these are no such things.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        session: Session | None = None,
        agent: str = "model",
        batch: int = 64,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(endpoint, session, agent, extra, _TAKEN)
        self._batch = read_count("batch", batch, 1, 10**5)

    def embed(self, texts: Sequence[str]) -> Float64[np.ndarray, "texts dimension"]:
        """Return a vector for each text.

        Where there are no texts, the dimension is found by asking for the vector of one.

        Raises
        ------
        InvalidInputError
            Where they are no sequence of texts.
        CallError
            Where the server does not give one vector of finite numbers for each text, or vectors
            of several dimensions.
        AdapterError
            Where the session ends, or the server fails.
        """
        given = read_texts("texts", texts)
        asked = given or ("dimension",)
        parts = [asked[at : at + self._batch] for at in range(0, len(asked), self._batch)]
        answers = self.session.call_many([self._embed_call(part) for part in parts])
        rows = [row for answer in answers for row in answer.body["vectors"]]
        if len({len(row) for row in rows}) != 1:
            raise CallError("the server gives vectors of several dimensions", "fix the server")
        return np.array(rows, dtype=np.float64)[: len(given)]

    def _embed_call(self, texts: tuple[str, ...]) -> Call:
        at_most = (bound(*texts), 0)
        request = self._request("embed", {"texts": texts})

        def make(seconds: float) -> Answer:
            sent = {**self._extra, "model": request.model, "input": list(texts)}
            sent["encoding_format"] = "float"
            data = self.endpoint.post("/embeddings", sent, seconds)
            with add_cost_to_errors(data, at_most):
                vectors = _read(data, len(texts))
            return Answer({"vectors": vectors}, *usage_of(data, at_most))

        def read(body: Mapping[str, Any]) -> object:
            return checked_embed(RecalledAnswer(body), texts, name=request.model)

        return Call(request, make, lambda: at_most, read)


def _read(data: Mapping[str, Any], number: int) -> list[list[float]]:
    given = data.get("data")
    rows: dict[int, list[float]] = {}
    for place, item in enumerate(given if isinstance(given, list) else []):
        vector = item.get("embedding") if isinstance(item, Mapping) else None
        index = item.get("index", place) if isinstance(item, Mapping) else None
        if isinstance(vector, list) and vector and all(map(_is_finite, vector)):
            rows[index if type(index) is int else -1] = [float(x) for x in vector]
    if not isinstance(given, list) or len(given) != number or set(rows) != set(range(number)):
        problem = f"the server does not give one vector of finite numbers for each of {number}"
        raise CallError(f"{problem} texts", "fix the server, or name a model for embeddings")
    if len({len(row) for row in rows.values()}) != 1:
        raise CallError("the server gives vectors of several dimensions", "fix the server")
    return [rows[place] for place in range(number)]


def _is_finite(x: Any) -> bool:
    return (
        isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) < 1e300 and isfinite(x)
    )
