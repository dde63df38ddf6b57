"""Headers of GGUF files that say what the file cannot hold: refused before a library reads them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from llm_adapters.errors import CallError
from llm_adapters.local import _loading
from llm_adapters.local._gguf_header import check_gguf_header

HUGE: Final = 2**62


class Writer:
    """Writes a header as the description of the format says, in either order of bytes."""

    def __init__(self, order: str = "<") -> None:
        self.order = order

    def pack(self, form: str, *values: Any) -> bytes:
        return struct.pack(self.order + form, *values)

    def text(self, said: bytes, size: int | None = None) -> bytes:
        return self.pack("Q", len(said) if size is None else size) + said

    def field(self, name: bytes, kind: int, value: bytes) -> bytes:
        return self.text(name) + self.pack("I", kind) + value

    def listed(self, name: bytes, kind: int, count: int, values: bytes) -> bytes:
        return self.field(name, 9, self.pack("IQ", kind, count) + values)

    def tensor(self, name: bytes, shape: Sequence[int], kind: int = 0) -> bytes:
        return (
            self.text(name)
            + self.pack("I", len(shape))
            + b"".join(self.pack("Q", size) for size in shape)
            + self.pack("IQ", kind, 0)
        )

    def file(
        self,
        more: Sequence[bytes] = (),
        tensors: Sequence[bytes] | None = None,
        *,
        counts: tuple[int, int] | None = None,
        version: int = 3,
    ) -> bytes:
        """Return a file of some fields and tensors; what is added comes last."""
        fields = [
            self.field(b"general.name", 8, self.text(b"toy")),
            self.field(b"toy.block_count", 4, self.pack("I", 2)),
            self.field(b"toy.eps", 6, self.pack("f", 1e-5)),
            self.field(b"general.large", 10, self.pack("Q", HUGE)),
            self.listed(b"toy.words", 8, 2, self.text(b"a") + self.text(b"bc")),
            self.listed(b"toy.scores", 6, 2, self.pack("ff", 1, 2)),
            *more,
        ]
        if tensors is None:
            tensors = [self.tensor(b"first", (8, 4)), self.tensor(b"last", (16,))]
        counts = (len(tensors), len(fields)) if counts is None else counts
        head = b"GGUF" + self.pack("IQQ", version, *counts)
        return head + b"".join(fields) + b"".join(tensors)


W: Final = Writer()

HOSTILE: Final[dict[str, tuple[bytes, str]]] = {
    "nothing": (b"", "empty"),
    "another format": (b"GGML" + bytes(200), "it is no GGUF file"),
    "a list without end": (
        W.file([W.listed(b"last", 0, HUGE, b"")]),
        "field last has 4,611,686,018,427,387,904 values in a list",
    ),
    "texts without end": (W.file([W.listed(b"last", 8, 2_000_000, b"")]), "ends before"),
    "lists that are many together": (
        W.file([W.listed(f"list{k}".encode(), 7, 600_000, bytes(600_000)) for k in range(6)]),
        "field list4 has 600,000 values in a list|field list5 has 600,000 values",
    ),
    "lists in lists": (
        W.file([W.listed(b"last", 9, 1, W.pack("IQ", 9, HUGE))]),
        "field last has lists in a list",
    ),
    "a text without end": (W.file([W.field(b"last", 8, W.text(b"x", HUGE))]), "ends before"),
    "a text of a negative size": (
        W.file([W.field(b"last", 8, W.text(b"x", 2**64 - 1))]),
        "ends before",
    ),
    "a name without end": (
        W.file([W.text(b"last", HUGE) + W.pack("I", 0)]),
        "a name of 4,611,686,018,427,387,904 bytes",
    ),
    "a type that there is not": (
        W.file([W.field(b"last", 13, b"\0" * 8)]),
        "a value of type 13, which there is not",
    ),
    "a list of a type that there is not": (
        W.file([W.listed(b"last", 99, 1, b"\0" * 8)]),
        "a value of type 99, which there is not",
    ),
    "fields without end": (W.file(counts=(2, HUGE)), "counts 4,611,686,018,427,387,904 fields"),
    "tensors without end": (W.file(counts=(HUGE, 6)), "counts 4,611,686,018,427,387,904 tensors"),
    "more fields than there are": (W.file(counts=(2, 90)), "name of|ends before|which there is"),
    "more tensors than there are": (W.file(counts=(3, 6)), "ends before"),
    "blocks without end": (
        W.file([W.field(b"other.block_count", 4, W.pack("I", 2**31))]),
        "field other.block_count is 2,147,483,648",
    ),
    "one block more than tensors": (
        W.file([W.field(b"other.block_count", 10, W.pack("Q", 3))]),
        "field other.block_count is 3",
    ),
    "experts without end": (
        W.file([W.field(b"toy.expert_count", 4, W.pack("I", 2**20))]),
        "field toy.expert_count is 1,048,576",
    ),
    "axes that are long": (
        W.file([W.field(b"toy.rope.dimension_count", 4, W.pack("I", 2**31))]),
        "field toy.rope.dimension_count is 2,147,483,648",
    ),
    "a tensor of many axes": (
        W.file(tensors=[W.tensor(b"first", (2,)), W.tensor(b"last", (1,) * 9)]),
        "a tensor of 9 axes",
    ),
    "a tensor that the file cannot hold": (
        W.file(tensors=[W.tensor(b"first", (2,)), W.tensor(b"last", (40, 40, 40))]),
        "its tensors have [0-9,]+ numbers, and the file [0-9]+ bytes",
    ),
    "tensors in one place": (
        W.file(tensors=[W.tensor(f"t{k}".encode(), (500,)) for k in range(200)]),
        "its tensors have 100,000 numbers, and the file",
    ),
}


def written(folder: Path, data: bytes) -> Path:
    path = folder / "toy.gguf"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_header_that_the_file_can_hold_is_read(order: str, tmp_path: Path) -> None:
    check_gguf_header(written(tmp_path, Writer(order).file()))
    check_gguf_header(written(tmp_path, Writer(order).file(tensors=[], counts=(0, 0), version=2)))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_header_is_refused(name: str, tmp_path: Path) -> None:
    data, said = HOSTILE[name]
    with pytest.raises(ValueError, match=said):
        check_gguf_header(written(tmp_path, data))


def test_a_header_that_is_cut_off_is_refused_at_every_byte(tmp_path: Path) -> None:
    whole = W.file()
    for size in range(len(whole)):
        with pytest.raises(ValueError, match=r"ends before|no GGUF|empty|have 48 numbers"):
            check_gguf_header(written(tmp_path, whole[:size]))


def test_no_library_sees_a_hostile_header(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        def __getattr__(self, name: str) -> Any:
            if name in {"AutoTokenizer", "AutoModelForCausalLM"}:
                pytest.fail("the library was asked to read it")
            return Silent()

    class Silent:
        def __getattr__(self, name: str) -> Callable[..., Any]:
            return lambda *_: None

    class WithLogs(Library):
        utils = type("Utils", (), {"logging": Silent()})

    monkeypatch.setattr(_loading, "require_package", lambda *_, **__: WithLogs())
    file = written(tmp_path, HOSTILE["a list without end"][0])
    source = _loading.Source.of(str(file), None)
    with pytest.raises(CallError, match=r"toy.gguf .* does not load \(its field last has"):
        _loading.load(source, unpacked=None, download=False, device="cpu", threads=None)
