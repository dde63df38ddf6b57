"""Where the user stands nothing appears that was not asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dev import ROOT

CHECK = """
from mechproof import Box, check_mechanism
from theory.incentives import Effort

def second_price(bids):
    winner = bids.index(max(bids))
    price = max(bids[:winner] + bids[winner + 1 :])
    return winner, [price if i == winner else 0 for i in range(len(bids))]

for properties in (["dsic"], ["individually_rational"]):
    effort = Effort(samples=400, starts=1, steps=4)
    report = check_mechanism(
        second_price, types=Box(0, 1), agents=2, properties=properties, effort=effort
    )
    assert report.refuted == ()
import sys
assert "hypothesis" in sys.modules
from hypothesis.configuration import storage_directory
print(storage_directory("examples", intent_to_write=False).home_directory)
"""


@pytest.mark.parametrize("chosen", [False, True])
def test_a_search_leaves_no_folder_where_the_user_stands(chosen: bool, tmp_path: Path) -> None:
    here, cache, own = (tmp_path / name for name in ("here", "cache", "own"))
    here.mkdir()
    settings = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(ROOT)}
    settings.pop("HYPOTHESIS_STORAGE_DIRECTORY", None)
    if chosen:
        settings["HYPOTHESIS_STORAGE_DIRECTORY"] = str(own)
    done = subprocess.run(
        [sys.executable, "-c", CHECK], cwd=here, env=settings, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(here.iterdir()) == []
    assert own.exists() == chosen
    assert (cache / "mechproof" / "hypothesis").exists() != chosen
    after = own if chosen else here / ".hypothesis"
    assert done.stdout.strip() == str(after), "the setting of the user's own tests is as it was"
