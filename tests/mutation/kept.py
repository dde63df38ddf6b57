"""Mutants known by content: equivalent ones, with their reasons, and those of another checkout."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutation.mutants import Mutant, Place, mutant

LIST = Path(__file__).with_name("equivalent.toml")


@dataclass(frozen=True)
class Change:
    """What a mutant changes, told by content."""

    file: str
    function: str
    before: str
    after: str

    def is_of(self, found: Mutant) -> bool:
        """Tell whether a mutant is the one meant: by content, for lines move."""
        return (found.path, found.function, found.before, found.after) == (
            self.file,
            self.function,
            self.before,
            self.after,
        )


@dataclass(frozen=True)
class Equivalent(Change):
    """An entry of the list: a change, and why it changes nothing that can be observed."""

    reason: str


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
    places = by_file(drawn)
    return [entry for entry in entries if not any(places_of(entry, places, sources))]


def found_again(
    rows: Iterable[dict[str, Any]], drawn: Iterable[Place], sources: Mapping[str, str]
) -> tuple[dict[Place, dict[str, Any]], list[dict[str, Any]]]:
    """Return where the mutants that another checkout recorded are now, and those that are gone.

    Of several alike in one function it is the one whose line is nearest.
    """
    places = by_file(drawn)
    found: dict[Place, dict[str, Any]] = {}
    gone = []
    for row in rows:
        change = Change(row["path"], row["function"], row["before"], row["after"])
        alike = [
            place
            for place in places_of(change, places, sources, row["operator"])
            if place not in found
        ]
        if alike:
            found[min(alike, key=lambda place: abs(place.line - row["line"]))] = row
        else:
            gone.append(row)
    return found, gone


def by_file(drawn: Iterable[Place]) -> dict[str, list[Place]]:
    places: dict[str, list[Place]] = {}
    for place in drawn:
        places.setdefault(place.path, []).append(place)
    return places


def places_of(
    change: Change,
    places: Mapping[str, Sequence[Place]],
    sources: Mapping[str, str],
    operator: str = "",
) -> Iterator[Place]:
    """Yield the places whose mutant makes a change."""
    source = sources.get(change.file, "")
    lines = source.splitlines()
    for place in places.get(change.file, ()):
        text = " ".join(lines[place.line - 1].split())
        if operator in {"", place.operator} and text and text in change.before.splitlines():
            found = mutant(place, source)
            if found and change.is_of(found):
                yield place
