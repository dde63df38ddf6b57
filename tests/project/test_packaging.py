"""The locks, the metadata and what they promise each other."""

from __future__ import annotations

import importlib
import re
import tomllib
from itertools import product
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

import dev
import dev_environments
import mechproof
import passed
from dev import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
LOCKS = {path.name: path.read_text("utf-8") for path in (ROOT / "requirements").iterdir()}
CONFIGURATION = ("pyproject.toml", *passed.TOOLS, ".ci/run", ".gitignore")

ENTRY = re.compile(
    r"(?P<requirement>[a-z0-9-]+==[0-9][0-9a-z.]*(?: ; [^\\#\n]+)?)"
    r"(?P<hashes>(?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n"
)
HOST = re.compile(r"://|\b[a-z0-9-]+\.(?:com|org|net|io|dev|cloud|local|internal|lan)\b", re.I)

ENVIRONMENTS = [
    {"python_version": version, "python_full_version": f"{version}.0", **platform}
    for version, platform in product(
        dev.SUPPORTED,
        (
            {"sys_platform": "linux", "os_name": "posix", "platform_system": "Linux"},
            {"sys_platform": "darwin", "os_name": "posix", "platform_system": "Darwin"},
            {"sys_platform": "win32", "os_name": "nt", "platform_system": "Windows"},
        ),
    )
]


def entries(lock: str) -> dict[str, str]:
    """Return the hashes of every requirement; refuse what is no pinned, hashed requirement."""
    body = re.sub(r"^#.*\n", "", lock, flags=re.M)
    strange = ENTRY.sub("", body)
    if strange:
        raise ValueError(f"not a pinned requirement with its hashes: {strange!r}")
    return {found["requirement"]: found["hashes"] for found in ENTRY.finditer(body)}


def missing(wanted: list[str], lock: str) -> list[str]:
    """Return the requirements that the lock does not meet exactly once in each environment."""
    locked = [Requirement(entry) for entry in entries(lock)]

    def met(requirement: Requirement, environment: dict[str, str]) -> bool:
        versions = [
            str(one.specifier).removeprefix("==")
            for one in locked
            if one.name == requirement.name
            and (one.marker is None or one.marker.evaluate(environment))
        ]
        return len(versions) == 1 and versions[0] in requirement.specifier

    return [text for text in wanted if not all(met(Requirement(text), e) for e in ENVIRONMENTS)]


def group(name: str) -> list[str]:
    found: list[str] = []
    for item in PROJECT["dependency-groups"][name]:
        found += [item] if isinstance(item, str) else group(item["include-group"])
    return found


WANTED = {
    "lock.txt": PROJECT["project"]["dependencies"],
    "build.txt": group("build") + PROJECT["build-system"]["requires"],
    "dev.txt": PROJECT["project"]["dependencies"] + group("dev"),
    "peers.txt": group("peers"),
    "peers-build.txt": group("peers-build"),
    "llm.txt": PROJECT["project"]["dependencies"] + group("dev") + group("llm"),
    "mutation.txt": group("mutation"),
}


def test_there_is_one_lock_for_each_set_of_requirements() -> None:
    assert set(LOCKS) == set(WANTED)
    assert {lock for locks in dev_environments.LOCKS.values() for lock in locks} == set(LOCKS)


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_holds_only_pinned_and_hashed_requirements_and_all_that_are_wanted(
    name: str,
) -> None:
    assert missing(WANTED[name], LOCKS[name]) == []


def test_the_lock_of_the_tests_holds_the_others() -> None:
    everything = entries(LOCKS["dev.txt"]).items()
    assert entries(LOCKS["lock.txt"]).items() | entries(LOCKS["build.txt"]).items() <= everything


@pytest.mark.parametrize(("lock", "known"), [("peers.txt", "numpy"), ("mutation.txt", "rich")])
def test_what_is_added_replaces_nothing_that_the_tests_use(lock: str, known: str) -> None:
    tests, peers = (
        {Requirement(entry).name: entry for entry in entries(LOCKS[name])}
        for name in ("dev.txt", lock)
    )
    shared = tests.keys() & peers.keys()
    assert known in shared
    assert {name: tests[name] for name in shared} == {name: peers[name] for name in shared}


@pytest.mark.parametrize(
    "fault",
    [
        "rich==15.0.0\n",
        "rich==15.0.0 \\\n    --hash=md5:0123456789abcdef\n",
        f"rich>=15 \\\n    --hash=sha256:{'0' * 64}\n",
        f"rich @ https://files.example.org/rich.whl \\\n    --hash=sha256:{'0' * 64}\n",
        "--extra-index-url https://packages.example.org/simple\n",
        "--find-links wheels\n",
    ],
)
def test_a_fault_in_a_lock_is_seen(fault: str) -> None:
    with pytest.raises(ValueError, match="not a pinned requirement"):
        entries(LOCKS["lock.txt"] + fault)


def test_a_requirement_that_a_lock_lacks_is_seen() -> None:
    lock = f"rich==15.0.0 ; sys_platform != 'win32' \\\n    --hash=sha256:{'0' * 64}\n"
    assert missing(["rich>=14"], lock) == ["rich>=14"]
    assert missing(["rich>=14"], lock.replace(" ; sys_platform != 'win32'", "")) == []
    assert missing(["rich>=16"], lock.replace(" ; sys_platform != 'win32'", "")) == ["rich>=16"]


@pytest.mark.parametrize("name", [*(f"requirements/{lock}" for lock in LOCKS), *CONFIGURATION])
def test_no_file_of_the_set_up_names_a_host(name: str) -> None:
    assert HOST.search((ROOT / name).read_text("utf-8")) is None


@pytest.mark.parametrize(
    "text", ["--index-url http" + "://x", "trusted-host = pypi.example" + ".org"]
)
def test_a_host_is_seen(text: str) -> None:
    assert HOST.search(text)


def test_the_supported_pythons_are_stated_alike() -> None:
    stated = [
        label.removeprefix("Programming Language :: Python :: ")
        for label in PROJECT["project"]["classifiers"]
        if label.startswith("Programming Language :: Python :: 3.")
    ]
    assert stated == list(dev.SUPPORTED)
    assert dev.SUPPORTED[0] == "{}.{}".format(*dev.MINIMUM)
    allowed = SpecifierSet(PROJECT["project"]["requires-python"])
    assert all(version in allowed for version in dev.SUPPORTED)
    assert "3.10" not in allowed


def test_the_version_is_stated_alike() -> None:
    assert PROJECT["project"]["version"] == mechproof.__version__


def test_the_command_is_there() -> None:
    module, _, name = PROJECT["project"]["scripts"]["mechproof"].partition(":")
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize(
    "package", PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
)
def test_every_package_is_marked_as_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()
