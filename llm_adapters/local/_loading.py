"""Loading a model of ``transformers``, from a folder, a file or the cache of its hub."""

from __future__ import annotations

import copy
import hashlib
import inspect
import json
import os
import shutil
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex
from typing import Any, Final

import numpy as np

from llm_adapters._optional_packages import require_package
from llm_adapters.errors import AdapterError, CallError
from llm_adapters.files import read_small, real_path
from llm_adapters.local._gguf_header import check_gguf_header
from llm_adapters.local._sequences import Engine, Symbols
from llm_adapters.local._text import Text
from theory.shared.shapes import Float, Float64, Int64

__all__ = ["LoadedModel", "Source", "TorchEngine", "libraries", "load", "require_hash"]


# --- Logits from a model of ``transformers``

_PROMPTS_KEPT: Final = 4
_TOKENS_AT_ONCE: Final = 4096


class TorchEngine:
    """Computes in float32; keeps the caches of the last few prompts.

    Not safe for threads: whoever uses it holds the lock of its weights.
    """

    def __init__(self, torch: Any, model: Any) -> None:
        self._torch = torch
        self._model = model
        self._begun: OrderedDict[tuple[int, ...], tuple[Any, Any]] = OrderedDict()
        parameters = inspect.signature(model.forward).parameters
        self._last = {"logits_to_keep": 1} if "logits_to_keep" in parameters else {}

    @property
    def context(self) -> int | None:
        """The most tokens that the model is made for; None where it does not say."""
        config = self._model.config.get_text_config(decoder=True)
        return getattr(config, "max_position_embeddings", None)

    def begin(self, tokens: Sequence[int]) -> tuple[Any, Float[np.ndarray, "1 tokens"]]:
        """Return the cache of a prompt and the logits of its next token."""
        key = tuple(tokens)
        known = self._begun.pop(key, None)
        if known is None:
            while len(self._begun) >= _PROMPTS_KEPT:
                self._begun.popitem(last=False)
            with self._torch.inference_mode():
                out = self._model(self._rows([key]), use_cache=True, **self._last)
            known = (out.past_key_values, self._array(out.logits[:, -1]))
        self._begun[key] = known
        return known

    def copies(self, cache: Any, rows: int) -> Any:
        """Return a cache of so many rows like the only one of ``cache``."""
        found = copy.deepcopy(cache)
        with self._torch.inference_mode():
            found.batch_repeat_interleave(rows)
        return found

    def advance(
        self, cache: Any, tokens: Int64[np.ndarray, "rows length"]
    ) -> Float[np.ndarray, "rows length vocabulary"]:
        """Add tokens to each row, changing the cache; return the logits after each of them."""
        with self._torch.inference_mode():
            out = self._model(self._rows(tokens), past_key_values=cache, use_cache=True)
        logits: Float[np.ndarray, "rows length vocabulary"] = self._array(out.logits)
        return logits

    def keep(self, cache: Any, rows: Int64[np.ndarray, " kept"]) -> None:
        """Keep these rows of the cache alone."""
        with self._torch.inference_mode():
            cache.batch_select_indices(self._rows(rows))

    def means(self, texts: Sequence[Sequence[int]]) -> Float64[np.ndarray, "texts dimension"]:
        """Return the mean of the last hidden states over the tokens of each text."""
        found: dict[int, Float64[np.ndarray, " dimension"]] = {}
        order = sorted(range(len(texts)), key=lambda text: len(texts[text]))
        while order:
            longest = len(texts[order[-1]])
            count = max(1, min(len(order), _TOKENS_AT_ONCE // longest))
            batch, order = order[-count:], order[:-count]
            tokens = np.zeros((count, longest), dtype=np.int64)
            mask = np.zeros((count, longest), dtype=np.int64)
            for row, text in enumerate(batch):
                tokens[row, : len(texts[text])] = texts[text]
                mask[row, : len(texts[text])] = 1
            with self._torch.inference_mode():
                out = self._model.base_model(self._rows(tokens), attention_mask=self._rows(mask))
            states = self._array(out.last_hidden_state)
            for row, text in enumerate(batch):
                found[text] = states[row, : len(texts[text])].mean(axis=0, dtype=np.float64)
        width = self._model.config.get_text_config(decoder=True).hidden_size
        return np.array([found[text] for text in range(len(texts))]).reshape(len(texts), width)

    def _rows(self, numbers: Any) -> Any:
        return self._torch.as_tensor(np.asarray(numbers)).to(self._model.device)

    def _array(self, tensor: Any) -> Any:
        return tensor.float().cpu().numpy()


# --- Loading a model of ``transformers``, from a folder, a file or the cache of its hub

_EXTRA: Final = "local"
_ORIGIN: Final = "mechproof-origin.json"
_SHOWN: Final = 300


@dataclass(frozen=True)
class Source:
    """Where a model is.

    Attributes
    ----------
    place : str
        A folder, or the name of a model of the hub.
    file : str or None
        A GGUF file in it.
    sha256 : str or None
        The hash that the GGUF file must have.
    """

    place: str
    file: str | None
    sha256: str | None = None

    @classmethod
    def of(cls, given: str, gguf_file: str | None, sha256: str | None = None) -> Source:
        """Read what a user gave: a folder, a GGUF file or a name of the hub."""
        path = Path(given).expanduser()
        if gguf_file is None and path.suffix.lower() == ".gguf":
            return cls(str(path.parent), path.name, sha256)
        return cls(str(path) if path.exists() else given, gguf_file, sha256)

    @property
    def local_file(self) -> Path | None:
        """The GGUF file, where it is in a folder of this machine."""
        if self.file is None or not Path(self.place).is_dir():
            return None
        return Path(self.place, self.file)


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A model that is ready to be asked.

    Attributes
    ----------
    text : Text
    engine : Engine
    symbols : Symbols
    """

    text: Text
    engine: Engine
    symbols: Symbols


def load(
    source: Source, *, unpacked: Path | None, download: bool, device: str, threads: int | None
) -> LoadedModel:
    """Load a model and its tokenizer, in float32: no code of the model's own, and no pickles.

    Raises
    ------
    MissingPackageError
        Where a package is missing.
    CallError
        Where there is no such model, its file has another hash than it must have, it does not
        load, or the folder that it unpacks to holds what was not unpacked there.
    """
    _check_hash(source)
    where = source.place if source.file is None else f"{source.file} in {source.place}"
    fix = "give a folder or file that is there; what is on the hub needs download=True once"
    with libraries(where, fix, threads=threads) as (torch, transformers):
        if source.file is not None:
            require_package("gguf", extra=_EXTRA)
            require_package(
                "accelerate", extra=_EXTRA
            )  # transformers asks for it where a file is unpacked
        if (file := source.local_file) is not None and file.is_file():
            check_gguf_header(file)
        tokenizer, model = _load_source(transformers, torch, source, unpacked, download)
        model.to(device)
    return _prepare_model(torch, tokenizer, model.eval())


@contextmanager
def libraries(where: str, fix: str, *, threads: int | None = None) -> Iterator[tuple[Any, Any]]:
    """Give PyTorch and ``transformers``, quiet, to load a model with.

    Raises
    ------
    MissingPackageError
        Where a package is missing.
    CallError
        For whatever else is raised while the model loads; it says ``where`` that is, and the fix.
    """
    with _quiet():
        torch = require_package("torch", extra=_EXTRA)
        transformers = require_package("transformers", extra=_EXTRA)
        if threads is not None:
            torch.set_num_threads(threads)
        logs = transformers.utils.logging
        shown, level = logs.is_progress_bar_enabled(), logs.get_verbosity()
        logs.disable_progress_bar()
        logs.set_verbosity_error()
        try:
            yield torch, transformers
        except (AdapterError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # of hostile files; panics of Rust are no Exception
            lines = str(error).strip().splitlines() or [type(error).__name__]
            why = lines[0][:_SHOWN]
            raise CallError(f"the model {where} does not load ({why})", fix) from error
        finally:
            logs.set_verbosity(level)
            if shown:
                logs.enable_progress_bar()


def _prepare_model(torch: Any, tokenizer: Any, model: Any) -> LoadedModel:
    given = getattr(model.generation_config, "eos_token_id", None)
    given = tokenizer.eos_token_id if given is None else given
    ends = tuple(given) if isinstance(given, list) else (given,)
    if ends[0] is None:
        problem = "the model says by no token that a reply ends"
        raise CallError(problem, "give a model whose tokenizer has a token for the end")
    text = Text(tokenizer, ends)
    vocabulary = model.get_output_embeddings().weight.shape[0]
    never = {*text.special, *range(text.size, vocabulary)} - {ends[0]}
    symbols = Symbols(ends, np.array(sorted(n for n in never if n < vocabulary), dtype=np.int64))
    return LoadedModel(text, TorchEngine(torch, model), symbols)


def _load_source(
    transformers: Any, torch: Any, source: Source, unpacked: Path | None, download: bool
) -> tuple[Any, Any]:
    place = source.place
    options: dict[str, Any] = {"local_files_only": not download, "trust_remote_code": False}
    origin = _origin(source)
    if origin is not None and unpacked is not None and _is_whole(unpacked, origin):
        place, origin = str(unpacked), None
    elif source.file is not None:
        options["gguf_file"] = source.file
    if origin is not None and unpacked is not None:
        _refuse_other_files(unpacked)
    tokenizer = transformers.AutoTokenizer.from_pretrained(place, **options)
    if "gguf_file" not in options:  # such a file is no pickle, and neither must others be
        options["use_safetensors"] = True
    model = transformers.AutoModelForCausalLM.from_pretrained(place, dtype=torch.float32, **options)
    if origin is not None and unpacked is not None:
        _unpack(tokenizer, model, unpacked, origin)
    return tokenizer, model


def _origin(source: Source) -> dict[str, Any] | None:
    """Return what tells the file from another one of its name; None where there is no file."""
    file = source.local_file
    if file is None or not file.is_file():
        return None
    known = file.stat()
    said = {"format": 2, "file": file.name, "size": known.st_size, "time": known.st_mtime_ns}
    return said if source.sha256 is None else {**said, "sha256": source.sha256}


def _origin_of(unpacked: Path) -> Any:
    try:
        return json.loads(read_small(unpacked / _ORIGIN))
    except (OSError, ValueError, RecursionError):
        return None


def _list_unpacked(unpacked: Path) -> set[str]:
    """Return the names of what was unpacked to a folder; none where it does not say."""
    found = _origin_of(unpacked)
    files = found.get("files") if isinstance(found, dict) else None
    return {_ORIGIN, *files} if isinstance(files, dict) else set()


def _refuse_other_files(unpacked: Path) -> None:
    """Refuse to put a model into the place of what was not unpacked there."""
    if (listed := _list_unpacked(unpacked)) and unpacked.is_dir():
        for path in sorted(unpacked.iterdir()):
            if path.name not in listed:
                problem = f"{unpacked} holds {path.name}, which was not unpacked there"
                raise CallError(problem, "move it away, or give another folder as unpacked=")


def _remove_unpacked(unpacked: Path) -> None:
    """Remove what was unpacked to a folder, and the folder where it is empty then."""
    if listed := _list_unpacked(unpacked):
        for path in sorted(unpacked.iterdir(), key=lambda path: path.name == _ORIGIN):
            if path.name in listed:
                path.unlink()
        unpacked.rmdir()


def _is_whole(unpacked: Path, origin: dict[str, Any]) -> bool:
    """Whether a folder holds what the file unpacked to: these files with these hashes, no others.

    That finds damage. Whoever may write to the folder may write another list, too.
    """
    found = _origin_of(unpacked)
    if not isinstance(found, dict) or {**found, "files": None} != {**origin, "files": None}:
        return False
    try:
        return bool(found.get("files") == _hashes(unpacked))
    except OSError:
        return False


def _hashes(folder: Path) -> dict[str, str]:
    """Return the hash of each file of a folder but the list itself."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not path.is_file():
            raise OSError(f"{path} is no file")
        if path.name != _ORIGIN:
            found[path.name] = _hash_of(path)
    return found


def _hash_of(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check_hash(source: Source) -> None:
    """Refuse a file that is not the one that is meant."""
    file = source.local_file
    if source.sha256 is not None and file is not None and file.is_file():
        require_hash(file, source.sha256)


def require_hash(file: Path, sha256: str) -> None:
    """Refuse a file that has another hash.

    Raises
    ------
    CallError
        For one, and for a file that is not there.
    """
    try:
        found = _hash_of(file)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise CallError(f"{file} cannot be read ({why})", "get it anew") from error
    if found != sha256:
        problem = f"{file} has the hash {found}, not {sha256}"
        raise CallError(problem, "get it anew, from where the hash is from")


def _unpack(tokenizer: Any, model: Any, unpacked: Path, origin: dict[str, Any]) -> None:
    """Write what was loaded to a folder, whole or not at all; where that fails, do without."""
    model.hf_quantizer = None
    model.config.quantization_config = None
    del model.config.quantization_config
    try:
        unpacked = real_path(unpacked)
        spare = unpacked.with_name(f".{unpacked.name}.{token_hex(16)}.part")
        spare.mkdir(parents=True)
    except OSError:
        return
    try:
        model.save_pretrained(spare)
        tokenizer.save_pretrained(spare)
        said = json.dumps({**origin, "files": _hashes(spare)})
        (spare / _ORIGIN).write_text(said, encoding="utf-8")
        for file in spare.iterdir():  # some are written for their owner alone
            file.chmod((spare / _ORIGIN).stat().st_mode)
        _remove_unpacked(unpacked)
        os.replace(spare, unpacked)
    except OSError:
        pass
    finally:
        shutil.rmtree(spare, ignore_errors=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep warnings of libraries that load out of the user's sight."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
