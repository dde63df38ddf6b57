"""The tables of the experiments of bazaar in the page of the market are those of runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dev import ROOT
from mechproof.experiments import bazaar


@pytest.mark.slow
def test_the_tables_of_the_page_are_those_of_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs/market.md").read_text("utf-8")
    _, _, section = page.partition("\n## The experiments of the paper\n")
    shown = [block for block in section.split("\n```\n") if "\n───" in block]
    assert len(shown) >= 13
    told = [str(bazaar.run(name, tmp_path / name, draw=False)) for name in bazaar.EXPERIMENTS]
    for table in shown:
        assert any(table in text for text in told), table
