"""The kept list of equivalent mutants, each with the reason why no test can tell it apart."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mutation.mutants import Mutant, Place, mutant

LIST = Path(__file__).with_name("equivalent.toml")


@dataclass(frozen=True)
class Equivalent:
    """An entry: which change, and why it changes nothing that can be observed."""

    file: str
    function: str
    before: str
    after: str
    reason: str

    def is_of(self, found: Mutant) -> bool:
        """Tell whether a mutant is the one meant: by content, for lines move."""
        return (found.path, found.function, found.before, found.after) == (
            self.file,
            self.function,
            self.before,
            self.after,
        )


def read(path: Path = LIST) -> list[Equivalent]:
    """Return the entries; each must give all its parts, and a reason."""
    entries = tomllib.loads(path.read_text("utf-8")).get("equivalent", [])
    found = [Equivalent(**entry) for entry in entries]
    for entry in found:
        if not entry.reason.strip():
            raise ValueError(f"{path.name}: the change of {entry.before!r} has no reason")
    return found


def forgotten(
    entries: Iterable[Equivalent], drawn: Iterable[Place], sources: Mapping[str, str]
) -> list[Equivalent]:
    """Return the entries that are of no mutant any more: the code has changed since."""
    places: dict[str, list[Place]] = {}
    for place in drawn:
        places.setdefault(place.path, []).append(place)
    return [entry for entry in entries if not _is_there(entry, places, sources)]


def _is_there(
    entry: Equivalent, places: Mapping[str, list[Place]], sources: Mapping[str, str]
) -> bool:
    source = sources.get(entry.file, "")
    lines = source.splitlines()
    for place in places.get(entry.file, ()):
        text = " ".join(lines[place.line - 1].split())
        if text and text in entry.before.splitlines():
            found = mutant(place, source)
            if found and entry.is_of(found):
                return True
    return False
