"""Models on this machine: no code of theirs is run, no pickle is read, and hashes come first."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from llm_adapters.errors import CallError
from llm_adapters.local import _loading
from mechproof import local_model

EMPTY = b"GGUF\x03\0\0\0" + bytes(16)
"""A file of no fields and no tensors."""
SAVED = {"model.safetensors": b"weights", "config.json": b"{}", "tokenizer.json": b"[]"}


class Library:
    """Stands in for transformers: says what it was told to load, and saves a few files."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, Any]]] = []
        self.AutoTokenizer = SimpleNamespace(from_pretrained=self._loads("tokenizer"))
        self.AutoModelForCausalLM = SimpleNamespace(from_pretrained=self._loads("model"))

    def _loads(self, what: str) -> Callable[..., Any]:
        def load(place: str, **options: Any) -> Any:
            self.asked.append((what, place, options))
            names = ["tokenizer.json"] if what == "tokenizer" else [*SAVED][:2]
            config = SimpleNamespace(quantization_config=None)
            return SimpleNamespace(
                config=config,
                save_pretrained=lambda to: [(to / n).write_bytes(SAVED[n]) for n in names],
            )

        return load


def load(place: Path, unpacked: Path | None = None, **options: Any) -> list[tuple[str, str, Any]]:
    library = Library()
    source = _loading.Source.of(str(place), None, **options)
    torch = SimpleNamespace(float32="float32")
    _loading._load_source(library, torch, source, unpacked, download=False)
    return library.asked


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(EMPTY)
    return path


def test_code_of_a_model_is_not_run_and_pickles_are_not_read(tmp_path: Path, gguf: Path) -> None:
    (tmp_path / "folder").mkdir()
    for place in (tmp_path / "folder", Path("somebody/a-model")):
        tokenizer, model = load(place)
        assert tokenizer[2]["trust_remote_code"] is False
        assert model[2]["trust_remote_code"] is False
        assert model[2]["use_safetensors"] is True
    for _, _, options in load(gguf):
        assert options["trust_remote_code"] is False
        assert options["gguf_file"] == "tiny.gguf"


def test_what_was_unpacked_is_loaded_the_second_time(tmp_path: Path, gguf: Path) -> None:
    unpacked = tmp_path / "unpacked"
    assert {place for _, place, _ in load(gguf, unpacked)} == {str(tmp_path)}
    again = load(gguf, unpacked)
    assert {place for _, place, _ in again} == {str(unpacked)}
    assert again[1][2]["use_safetensors"] is True
    assert all(options["trust_remote_code"] is False for _, _, options in again)
    said = json.loads((unpacked / "mechproof-origin.json").read_text(encoding="utf-8"))
    assert said["files"] == {n: hashlib.sha256(data).hexdigest() for n, data in SAVED.items()}


def _padded(file: Path) -> None:
    file.write_text(file.read_text("utf-8") + " " * 100_000, "utf-8")


def _made_pipe(file: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    file.unlink()
    os.mkfifo(file)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "other weights": lambda folder: (folder / "model.safetensors").write_bytes(b"WEIGHTS"),
    "the last file is another": lambda folder: (folder / "tokenizer.json").write_bytes(b"[1]"),
    "a file is missing": lambda folder: (folder / "config.json").unlink(),
    "no list": lambda folder: (folder / "mechproof-origin.json").unlink(),
    "a list that lists nothing": lambda folder: (folder / "mechproof-origin.json").write_text("{}"),
    "a list that nests deeply": lambda folder: (folder / "mechproof-origin.json").write_text(
        "[" * 99_000
    ),
    "a list that is too large": lambda folder: _padded(folder / "mechproof-origin.json"),
    "a list that is a pipe": lambda folder: _made_pipe(folder / "mechproof-origin.json"),
    "a link": lambda folder: (
        os.rename(folder / "config.json", folder.parent / "config.json"),
        (folder / "config.json").symlink_to(folder.parent / "config.json"),
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_was_unpacked_is_loaded_only_where_its_hashes_are_right(
    damage: str, tmp_path: Path, gguf: Path
) -> None:
    unpacked = tmp_path / "unpacked"
    load(gguf, unpacked)
    DAMAGES[damage](unpacked)
    assert {place for _, place, _ in load(gguf, unpacked)} == {str(tmp_path)}
    if damage == "no list" or damage.startswith("a list that"):
        return  # a folder that says nothing of us is left alone
    assert {place for _, place, _ in load(gguf, unpacked)} == {str(unpacked)}, "it was made anew"
    assert {p.name for p in unpacked.iterdir()} == {*SAVED, "mechproof-origin.json"}


ADDITIONS: dict[str, Callable[[Path], object]] = {
    "pytorch_model.bin": lambda path: path.write_bytes(b"\x80"),
    "modeling.py": lambda path: path.write_text("raise SystemExit"),
    "more": lambda path: path.mkdir(),
    "notes": lambda path: path.symlink_to(path.parent / "config.json"),
}


@pytest.mark.parametrize("name", ADDITIONS)
def test_nothing_is_deleted_that_was_not_unpacked(name: str, tmp_path: Path, gguf: Path) -> None:
    unpacked = tmp_path / "unpacked"
    load(gguf, unpacked)
    ADDITIONS[name](unpacked / name)
    with pytest.raises(CallError, match=f"holds {name}, which was not unpacked there"):
        load(gguf, unpacked)
    assert {p.name for p in unpacked.iterdir()} == {*SAVED, "mechproof-origin.json", name}
    os.rename(unpacked / name, tmp_path / name)
    assert {place for _, place, _ in load(gguf, unpacked)} == {str(unpacked)}


def test_what_is_beside_an_unpacked_model_is_named_by_what_loads_it(
    tmp_path: Path, gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = tmp_path / "unpacked"
    load(gguf, unpacked)
    (unpacked / "notes").write_text("mine")
    assert message_of(gguf, unpacked, Library(), monkeypatch) == (
        f"{unpacked} holds notes, which was not unpacked there: "
        "move it away, or give another folder as unpacked="
    )


class PanicError(BaseException):
    """What libraries in Rust raise, such as the tokenizers."""


@pytest.mark.parametrize("kind", [ValueError, MemoryError, RecursionError, PanicError])
def test_what_libraries_say_of_a_hostile_model_is_cut(
    kind: type[BaseException], gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(place: str, **options: Any) -> None:
        raise kind("\x1b[31m" + "x" * 1_000_000)

    library = Library()
    library.AutoTokenizer = SimpleNamespace(from_pretrained=fail)
    told = message_of(gguf, None, library, monkeypatch)
    assert "does not load (\\x1b[31mxxx" in told
    assert len(told) < 1_000


def message_of(
    gguf: Path, unpacked: Path | None, library: Library, monkeypatch: pytest.MonkeyPatch
) -> str:
    logging = SimpleNamespace(
        is_progress_bar_enabled=lambda: False,
        get_verbosity=lambda: 0,
        disable_progress_bar=lambda: None,
        set_verbosity_error=lambda: None,
        set_verbosity=lambda level: None,
    )
    packages = SimpleNamespace(float32="float32", utils=SimpleNamespace(logging=logging))
    packages.AutoTokenizer = library.AutoTokenizer
    packages.AutoModelForCausalLM = library.AutoModelForCausalLM
    monkeypatch.setattr(_loading, "require_package", lambda *_, **__: packages)
    source = _loading.Source.of(str(gguf), None, None)
    with pytest.raises(CallError) as caught:
        _loading.load(source, unpacked=unpacked, download=False, device="cpu", threads=None)
    return str(caught.value)


def test_what_comes_while_a_model_is_loaded_is_not_deleted(
    tmp_path: Path, gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpacked = tmp_path / "unpacked"
    load(gguf, unpacked)
    (unpacked / "config.json").write_text("[]")
    check = _loading._refuse_other_files

    def check_too_early(folder: Path) -> None:
        check(folder)
        (folder / "notes").write_text("mine")

    monkeypatch.setattr(_loading, "_refuse_other_files", check_too_early)
    assert {place for _, place, _ in load(gguf, unpacked)} == {str(tmp_path)}
    assert (unpacked / "notes").read_text() == "mine"


IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_nothing_is_unpacked_behind_a_link_of_a_stranger(tmp_path: Path, gguf: Path) -> None:
    shared, private = tmp_path / "shared", tmp_path / "private"
    shared.mkdir()
    private.mkdir()
    (shared / "unpacked").symlink_to(private)
    (shared / "folder").symlink_to(private)
    for name in ("unpacked", "folder"):
        os.lchown(shared / name, 1234, 1234)
    shared.chmod(0o777)
    for place in (shared / "unpacked", shared / "folder" / "unpacked"):
        assert {place for _, place, _ in load(gguf, place)} == {str(tmp_path)}
        assert list(private.iterdir()) == []
        assert {p.name for p in shared.iterdir()} == {"unpacked", "folder"}
        assert (shared / "unpacked").is_symlink()


def test_the_folder_in_the_making_has_a_name_that_nobody_can_guess(
    tmp_path: Path, gguf: Path
) -> None:
    (tmp_path / f".unpacked.{os.getpid()}.part").mkdir()
    load(gguf, tmp_path / "unpacked")
    assert {place for _, place, _ in load(gguf, tmp_path / "unpacked")} == {
        str(tmp_path / "unpacked")
    }


def test_a_file_with_another_hash_is_not_loaded(
    gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_loading, "require_package", lambda *_, **__: pytest.fail("it was loaded"))
    right = hashlib.sha256(EMPTY).hexdigest()
    for wrong in (right[:-1] + "x", "0" * 64):
        source = _loading.Source.of(str(gguf), None, wrong)
        with pytest.raises(CallError, match="has the hash"):
            _loading.load(source, unpacked=None, download=False, device="cpu", threads=None)
    source = _loading.Source.of(str(gguf), None, right)
    with pytest.raises(pytest.fail.Exception, match="it was loaded"):
        _loading.load(source, unpacked=None, download=False, device="cpu", threads=None)


def test_the_hash_of_the_model_of_the_command_is_checked(tmp_path: Path) -> None:
    (tmp_path / local_model.SMOLLM2.file).write_bytes(b"another model")
    weights = local_model.weights(tmp_path)
    with pytest.raises(CallError, match=f"not {local_model.SMOLLM2.sha256}"):
        weights.loaded  # noqa: B018 - it loads
