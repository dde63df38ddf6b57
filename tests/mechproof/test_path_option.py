"""Paths that commands are given: an empty one is not the current folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from documents import refused, run

from mechproof.cli import main


def paths(command: click.Command, *words: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command with each of its options that takes a path."""
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from paths(inner, *words, name)
    for given in command.params:
        if isinstance(given.type, click.Path):
            yield (*words, given.opts[0]) if given.opts[0].startswith("-") else words


PATHS = list(paths(main))


def test_there_are_such_options() -> None:
    assert {("verify", "--json"), ("prove", "--smtlib"), ("sweep",)} <= set(PATHS)
    assert {("experiment", "advertising", "--out"), ("model", "get", "--folder")} <= set(PATHS)


@pytest.mark.parametrize("words", PATHS, ids=" ".join)
def test_an_empty_path_is_refused(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mechproof.local_model.obtain", lambda *_, **__: "obtained")
    monkeypatch.setattr("mechproof.experiments.advertising.run", lambda *_, **__: "run")
    assert "is empty (got ''): give a path" in refused(run(*words, ""))
