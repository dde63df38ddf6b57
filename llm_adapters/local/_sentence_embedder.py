"""Vectors of texts from a model that was trained for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Self

import numpy as np

from llm_adapters._conversation import read_texts
from llm_adapters.files import read_path
from llm_adapters.local._loading import TorchEngine, libraries, require_hash
from llm_adapters.local._local_adapter import ModelCaller
from llm_adapters.session import Answer, Session
from llm_adapters.session.recalled import RecalledAnswer
from llm_adapters.structured import checked_embed
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of, read_count
from theory.shared.shapes import Float64

__all__ = ["SentenceEmbedder"]


class _Loaded(NamedTuple):
    tokenizer: Any
    engine: Any


class _SentenceModel:
    """A model on this machine, loaded when it is first needed."""

    def __init__(
        self, folder: Path, longest: int, threads: int | None, hashes: Mapping[str, str]
    ) -> None:
        self.folder, self.longest, self.threads = folder, longest, threads
        self.hashes = dict(hashes)
        self.lock = RLock()

    @cached_property
    def loaded(self) -> _Loaded:
        for name, sha256 in self.hashes.items():
            require_hash(self.folder / name, sha256)
        fix = "give a folder with a model in safetensors and its tokenizer"
        with libraries(str(self.folder), fix, threads=self.threads) as (torch, transformers):
            options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
            tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, **options)
            model = transformers.AutoModel.from_pretrained(
                self.folder, dtype=torch.float32, use_safetensors=True, **options
            )
        return _Loaded(tokenizer, TorchEngine(torch, model.eval()))

    def tokens_of(self, text: str) -> list[int]:
        """Return the tokens of a text with those that begin and end it, cut at the most."""
        options = {"truncation": True, "max_length": self.longest}
        return list(self.loaded.tokenizer(text, **options)["input_ids"])


class SentenceEmbedder:
    """Embeds a text as the mean of the model's last hidden states over its tokens, of length 1.

    The model must have been trained for that, as those of sentence-transformers with mean pooling
    are, such as the one of ``mechproof model get all-MiniLM-L6-v2``. Of a longer text the first
    ``longest`` tokens count. Nothing is read before it is needed, nothing is downloaded, and code
    that comes with a model is not run.

    Parameters
    ----------
    folder : path
        With a model of ``transformers`` in safetensors, and its tokenizer.
    name : str, optional
        What requests and records call it; the name of the folder if left out.
    longest : int
        The most tokens of a text.
    threads : int, optional
        How many processors PyTorch uses, in all of this process; its own choice if left out.
    sha256 : mapping, optional
        Hashes that files of the folder must have, by name.
    session : Session, optional
    agent : str

    Raises
    ------
    InvalidInputError
        For arguments of the wrong kind. Whether the model is there, its first use says.

    Examples
    --------
    >>> SentenceEmbedder("models/all-MiniLM-L6-v2")
    SentenceEmbedder('all-MiniLM-L6-v2')
    """

    def __init__(
        self,
        folder: str | PathLike[str],
        *,
        name: str | None = None,
        longest: int = 256,
        threads: int | None = None,
        sha256: Mapping[str, str] | None = None,
        session: Session | None = None,
        agent: str = "model",
    ) -> None:
        place = read_path("folder", folder, "give the path of a folder").expanduser()
        given = place.name if name is None else name
        instance_of("name", given, str, "give text")
        if not given:
            raise InvalidInputError("name", given, "is empty", "name the model")
        hashes: Any = {} if sha256 is None else sha256
        instance_of("sha256", hashes, Mapping, "give hashes by name of file")
        count = None if threads is None else read_count("threads", threads, 1, 4096)
        longest = read_count("longest", longest, 3, 100_000)
        self._model = _SentenceModel(Path(fspath(place)), longest, count, hashes)
        self._asking = ModelCaller(given, session, agent)

    def for_agent(self, agent: str) -> SentenceEmbedder:
        """Return the same embedder, accounted to another agent."""
        made = object.__new__(SentenceEmbedder)
        made._model = self._model
        made._asking = ModelCaller(self._asking.model, self._asking.session, agent)
        return made

    def embed(self, texts: Sequence[str]) -> Float64[np.ndarray, "texts dimension"]:
        """Return a vector for each text.

        Raises
        ------
        InvalidInputError
            Where they are no sequence of texts, or one is no Unicode.
        CallError
            Where the model does not load, or is not the one that the hashes are of.
        MissingPackageError
            Where PyTorch or ``transformers`` is missing.
        AdapterError
            What a session raises.
        """
        given = read_texts("texts", texts)
        return self._asking.answer(
            "embed",
            {"texts": list(given), "longest": self._model.longest},
            lambda: self._embed(given),
            lambda: (sum(map(len, self._spell(given))), 0),
            lambda body: checked_embed(RecalledAnswer(body), given, name=self._asking.model),
        )

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        return self

    def __repr__(self) -> str:
        return f"SentenceEmbedder({self._asking.model!r})"

    def _embed(self, texts: Sequence[str]) -> Answer:
        with self._model.lock:
            tokens = self._spell(texts)
            vectors = self._model.loaded.engine.means(tokens)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = vectors / np.where(lengths > 0, lengths, 1)
        body = {"vectors": vectors.tolist(), "dimension": vectors.shape[1]}
        return Answer(body, sum(map(len, tokens)), 0)

    def _spell(self, texts: Sequence[str]) -> list[list[int]]:
        with self._model.lock:
            return [self._model.tokens_of(text) for text in texts]
