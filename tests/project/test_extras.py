"""Packages that may be absent: the command that is named installs them, from wherever we came."""

from __future__ import annotations

import re
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from dev import ROOT
from llm_adapters._optional_packages import require_package
from llm_adapters.errors import MissingPackageError
from theory.shared.extras import EXTRAS, install_command


def declared() -> dict[str, list[str]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    found: dict[str, list[str]] = project["optional-dependencies"]
    return found


def test_the_packages_of_the_extras_are_those_that_are_declared() -> None:
    assert {name: sorted(each) for name, each in EXTRAS.items()} == {
        name: sorted(each) for name, each in declared().items()
    }


@pytest.mark.parametrize("extra", sorted(declared()))
def test_the_command_names_packages_and_not_ours(extra: str) -> None:
    command = install_command(extra)
    named = [Requirement(each) for each in re.findall(r"'([^']+)'", command)]
    assert [str(each) for each in named] == [str(Requirement(each)) for each in EXTRAS[extra]]
    assert command.startswith("pip install '")
    assert "mechproof" not in command


@pytest.mark.parametrize("extra", ["local", "openai"])
def test_a_package_that_is_absent_is_told_with_its_command(
    extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = {"local": "torch", "openai": "openai"}[extra]
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError) as raised:
        require_package(package, extra=extra)
    assert install_command(extra) in str(raised.value)
    assert ("CPU" in str(raised.value)) == (extra == "local")
    assert ("without a GPU" in str(raised.value)) == (extra == "local")


def test_nothing_tells_to_install_from_a_place_where_we_are_not() -> None:
    folders = ("theory", "mechanisms", "llm_adapters", "papers", "mechproof")
    sources = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    wrong = [path.name for path in (*sources, *pages) if "mechproof[" in path.read_text("utf-8")]
    assert wrong == []


@pytest.mark.parametrize("page", ["README.md", "docs/models.md"])
def test_the_pages_say_how_to_do_without_the_builds_for_a_gpu(page: str) -> None:
    text = " ".join((ROOT / page).read_text("utf-8").split())
    assert "pip install '.[local]'" in text
    assert "CPU build" in text
