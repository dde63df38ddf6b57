"""A file of tests passes by itself where others fail, if it ran to its end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = {
    "conftest.py": f"import sys\nsys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
    "import ended\n\ndef pytest_configure(config):\n    ended.watch(config)\n",
    "test_good.py": "def test_one():\n    pass\n\ndef test_two():\n    pass\n",
    "test_other.py": "import pytest\n\n@pytest.mark.skip\ndef test_skipped():\n    assert False\n\n"
    "@pytest.mark.xfail\ndef test_expected():\n    assert False\n",
    "page.md": ">>> 1 + 1\n2\n",
    "test_call.py": "def test_one():\n    pass\n\ndef test_two():\n    assert False\n",
}
GOOD = ["page.md", "test_good.py", "test_other.py"]
SETUP = (
    "import pytest\n\n@pytest.fixture\ndef broken():\n    1 / 0\n\ndef test(broken):\n    pass\n"
)
TEARDOWN = (
    "import pytest\n\n@pytest.fixture(scope='module')\ndef broken():\n    yield\n    1 / 0\n\n"
    "def test(broken):\n    pass\n"
)
XPASS = "import pytest\n\n@pytest.mark.xfail(strict=True)\ndef test():\n    pass\n"
ENDS = "import os\n\ndef test_one():\n    os._exit(1)\n\ndef test_two():\n    pass\n"
STOPS = "def test_one():\n    raise KeyboardInterrupt\n\ndef test_two():\n    pass\n"
BREAKS = "raise ValueError\n"
PART = (
    "import pytest\n\ndef test():\n    pass\n\n"
    "class TestBroken:\n    @pytest.mark.parametrize('x', [1])\n    def test(self):\n        pass\n"
)
NESTED = (
    "import os\n\ndef test():\n    assert 'MECHPROOF_PASSED_TO' not in os.environ\n"  # for others
)


def listed(folder: Path, *options: str, **more: str) -> list[str] | None:
    """Run pytest on small files, and return those that passed; None where no list is made."""
    for name, text in {**FILES, **{f"test_{name}.py": text for name, text in more.items()}}.items():
        (folder / name).write_text(text)
    told = folder / "told"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    command += ["-p", "no:mechproof", "-p", "no:hypothesispytest", "--doctest-glob=*.md"]
    environment = {**os.environ, "MECHPROOF_PASSED_TO": str(told), "PYTEST_ADDOPTS": ""}
    done = subprocess.run(
        [*command, "--rootdir=."], cwd=folder, env=environment, capture_output=True, check=False
    )
    assert done.returncode, done.stdout.decode()
    return told.read_text().splitlines() if told.exists() else None


def test_a_file_passes_if_all_of_it_does(tmp_path: Path) -> None:
    go_on = "--continue-on-collection-errors"
    broken = {"setup": SETUP, "teardown": TEARDOWN, "xpass": XPASS, "part": PART}
    found = listed(tmp_path, go_on, **broken, nested=NESTED)
    assert found == sorted([*GOOD, "test_nested.py"])


def test_a_worker_that_ends_takes_its_file_along(tmp_path: Path) -> None:
    found = listed(tmp_path, "-n1", "--dist=worksteal", ends=ENDS, teardown=TEARDOWN, nested=NESTED)
    assert found == sorted([*GOOD, "test_nested.py"])


def test_what_is_left_out_by_a_stop_did_not_pass(tmp_path: Path) -> None:
    assert listed(tmp_path, "-x") == ["page.md"]


@pytest.mark.parametrize("text", [STOPS, BREAKS], ids=["stopped", "broken"])
def test_nothing_passes_in_a_run_that_is_interrupted(tmp_path: Path, text: str) -> None:
    assert listed(tmp_path, zzz=text) is None
