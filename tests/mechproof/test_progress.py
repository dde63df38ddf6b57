"""The bar of a long check: drawn on a terminal, gone at the end, absent elsewhere."""

from __future__ import annotations

import re

import pytest

from mechproof.progress import property_bar
from theory.incentives import Box, Effort, check_mechanism

ERASE = "\x1b[2K"


def check() -> None:
    with property_bar() as progress:
        report = check_mechanism(
            lambda bids: (0, [1]),
            types=Box(2, 3),
            agents=1,
            properties=["dsic", "individually_rational"],
            effort=Effort(samples=20, starts=1, steps=4),
            progress=progress,
        )
    assert report.refuted == ()


def test_the_bar_names_the_property_and_is_gone_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    check()
    out, err = capsys.readouterr()
    assert out == ""
    drawn, _, rest = err.rpartition(ERASE)
    assert "individually_rational" in drawn
    assert not re.sub(r"\x1b\[[\d?;]*\w|\r|\n", "", rest)


def test_one_bar_moves_and_the_next_property_takes_its_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with property_bar() as progress:
        progress("dsic", 0, 9)
        progress("bic", 3, 7)
    drawn = capsys.readouterr().err
    assert "bic" in drawn
    assert "3/7" in drawn
    assert not re.search(r"dsic[^\r]*\n[^\r]*bic", drawn)


def test_there_is_no_bar_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    check()
    assert capsys.readouterr() == ("", "")
