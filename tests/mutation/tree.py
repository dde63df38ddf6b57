"""Copies of the tree: mutants never touch the checkout."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from mutation.blocks import MARKS, blocks, marked

PACKAGES = ("theory", "mechanisms")
"""What is mutated."""


def listed(root: Path) -> list[str]:
    """Return the files of a checkout that git knows or does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    found = {os.fsdecode(name) for name in names.split(b"\0") if name}
    return sorted(name for name in found if (root / name).is_file())


def modules(root: Path) -> dict[str, str]:
    """Return the sources that are mutated."""
    return {
        name: (root / name).read_text("utf-8")
        for name in listed(root)
        if name.endswith(".py") and name.startswith(tuple(f"{package}/" for package in PACKAGES))
    }


def digest(*texts: bytes) -> str:
    return hashlib.sha256(b"\0".join(texts)).hexdigest()[:16]


def copy(root: Path, to: Path) -> None:
    """Make `to` a copy of the checkout; what is there already and the same is not written again."""
    wanted = set(listed(root))
    for name in wanted:
        source, target = root / name, to / name
        old, now = target.stat() if target.exists() else None, source.stat()
        if old is None or (old.st_size, old.st_mtime_ns) != (now.st_size, now.st_mtime_ns):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    for target in to.rglob("*"):
        name = target.relative_to(to).as_posix()
        if target.suffix in {".py", ".md", ".toml"} and target.is_file() and name not in wanted:
            target.unlink()


def mark(to: Path, sources: Mapping[str, str]) -> list[str]:
    """Make the modules of a copy note the blocks that run; return their names, in order."""
    names: list[str] = []
    for path, source in sources.items():
        here = [block.name for block in blocks(source)]
        numbers = {name: len(names) + number for number, name in enumerate(here)}
        names += [f"{path}::{name}" for name in here]
        stamp = (to / path).stat()
        text = marked(source, numbers)
        if (to / path).read_text("utf-8") != text:
            (to / path).write_text(text, "utf-8")
            os.utime(to / path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    (to / f"{MARKS}.py").write_text(f"seen = bytearray({len(names)})\n", "utf-8")
    return names


class Changed:
    """A context in which one file of a copy holds something else.

    The compiled file that Python keeps is known by the seconds of its source's date and by its
    size, so each change gets a date of its own.
    """

    last = 0

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text

    def __enter__(self) -> None:
        self.stamp = self.path.stat()
        self.kept = self.path.read_bytes()
        self.path.write_text(self.text, "utf-8")
        Changed.last = max(Changed.last + 1, int(time.time()), int(self.stamp.st_mtime) + 1)
        os.utime(self.path, (Changed.last, Changed.last))

    def __exit__(self, *_: object) -> None:
        self.path.write_bytes(self.kept)
        os.utime(self.path, ns=(self.stamp.st_atime_ns, self.stamp.st_mtime_ns))
