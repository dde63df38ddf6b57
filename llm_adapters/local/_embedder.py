"""Vectors of texts from a model in this process."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from llm_adapters._conversation import read_texts
from llm_adapters.local._loading import LoadedModel
from llm_adapters.local._local_adapter import LocalAdapter
from llm_adapters.local._prompt_limit import check_room
from llm_adapters.local._weights import Weights
from llm_adapters.session import Answer, Session
from llm_adapters.session.recalled import RecalledAnswer
from llm_adapters.structured import checked_embed
from theory.shared.shapes import Float64

__all__ = ["LocalEmbedder"]


class LocalEmbedder(LocalAdapter):
    """Embeds a text as the mean of the model's last hidden states over its tokens.

    The text is read as it is, without a chat template; that of an empty text is the state at the
    token that begins or ends texts. The model was not trained for this: texts of like wording lie
    close together, those of like meaning perhaps.

    Parameters
    ----------
    weights : Weights
    session : Session, optional
    agent : str

    Raises
    ------
    InvalidInputError
        For arguments of the wrong kind.

    Examples
    --------
    >>> from llm_adapters.local import Weights
    >>> LocalEmbedder(Weights("models/tiny.gguf"))
    LocalEmbedder(Weights('tiny'))
    """

    def __init__(
        self, weights: Weights, *, session: Session | None = None, agent: str = "model"
    ) -> None:
        super().__init__(weights, session, agent)

    def for_agent(self, agent: str) -> LocalEmbedder:
        """Return the same embedder, accounted to another agent."""
        return LocalEmbedder(self.weights, session=self.session, agent=agent)

    def embed(self, texts: Sequence[str]) -> Float64[np.ndarray, "texts dimension"]:
        """Return a vector for each text.

        Raises
        ------
        InvalidInputError
            Where they are no sequence of texts, or one is no Unicode.
        LimitError
            Where one does not fit the model's context.
        CallError
            Where the model does not load.
        AdapterError
            What a session raises.
        """
        given = read_texts("texts", texts)
        return self._asking.answer(
            "embed",
            {"texts": list(given)},
            lambda: self._embed(given),
            lambda: (sum(map(len, self._spell(given))), 0),
            lambda body: checked_embed(RecalledAnswer(body), given, name=self.weights.name),
        )

    def __repr__(self) -> str:
        return f"LocalEmbedder({self.weights!r})"

    def _embed(self, texts: Sequence[str]) -> Answer:
        with self.weights.lock:
            loaded = self.weights.loaded
            tokens = [self._tokens_of(loaded, text) for text in texts]
            vectors = loaded.engine.means(tokens)
        body = {"vectors": vectors.tolist(), "dimension": vectors.shape[1]}
        return Answer(body, sum(map(len, tokens)), 0)

    def _spell(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        with self.weights.lock:
            return [self._tokens_of(self.weights.loaded, text) for text in texts]

    def _tokens_of(self, loaded: LoadedModel, text: str) -> tuple[int, ...]:
        tokens = loaded.text.plain(text)
        check_room(loaded, "texts", text, tokens, 0)
        return tokens
