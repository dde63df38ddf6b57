"""Proofs as files: one SMT-LIB script a proof, in a folder of the user's."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from llm_adapters.files import real_path
from mechproof.files import check_writable, write_whole
from mechproof.run import RunResult
from theory.errors import InvalidInputError
from theory.proofs import Proof

__all__ = ["check_folder", "proofs_of", "write_scripts"]


def proofs_of(run: RunResult) -> dict[str, Proof]:
    """Return the proofs that a run found, by the names of the claims."""
    found = ((r.claim.id, r.finding) for r in run.results)
    return {name: f.proof for name, f in found if f is not None and f.proof is not None}


def check_folder(folder: Path, option: str) -> None:
    """Make sure, before the work starts, that ``folder`` is there and can be written.

    It is made where only its last part is missing.

    Raises
    ------
    InvalidInputError
        When it is a file, cannot be made, or is closed to us; it names ``option``.
    """
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise InvalidInputError(option, str(folder), "is a file", "give the name of a folder")
    try:
        real_path(folder).mkdir(exist_ok=True)
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise InvalidInputError(
            option, str(folder), f"cannot be made ({why})", "give a folder that you may write"
        ) from error
    check_writable(folder / "proof.smt2", option)


def write_scripts(folder: Path, proofs: Mapping[str, Proof], option: str) -> list[Path]:
    """Write each proof to a file of its name, whole or not at all, and return the files.

    All texts are made before the first is written. What else lies in the folder is left alone.

    Raises
    ------
    InvalidInputError
        When a symbol has a name that SMT-LIB cannot write, or a file cannot be written.
    """
    texts = {
        folder / f"{re.sub(r'[^A-Za-z0-9._-]', '_', name)}.smt2": proof.smtlib(
            comment=f"mechproof: {name}"
        )
        for name, proof in proofs.items()
    }
    for path, text in texts.items():
        write_whole(path, text, option)
    return list(texts)
