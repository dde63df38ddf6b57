"""The set-up says what is wrong and how to fix it."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import peers
import pytest

import dev
import dev_environments
import dev_gates
from dev_environments import LOCKS, Environment, keep_environment, lock_of

SOURCE = Path(dev.__file__)


def test_an_old_python_is_told_which_one_to_use() -> None:
    ast.parse(SOURCE.read_text("utf-8"), feature_version=(3, 7))
    pretend = "import runpy, sys; sys.version_info = (3, 9, 1); runpy.run_path(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", pretend, str(SOURCE)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("mechproof needs Python 3.11 or newer")
    assert "Traceback" not in done.stderr


def test_a_python_without_ensurepip_is_told_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ensurepip.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(SystemExit, match="apt-get install python3-venv"):
        Environment(tmp_path / "new").create(sys.executable)
    assert not (tmp_path / "new").exists()


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of what the set-up reads, in which pip and venv only say what they would do."""
    shutil.copy(dev.ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(dev.ROOT / "requirements", tmp_path / "requirements")
    for module in (dev, dev_environments, dev_gates):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Environment, "is_plain", True)
    monkeypatch.setattr(Environment, "create", pretend_to_create)
    monkeypatch.setattr(Environment, "copy", pretend_to_copy)
    monkeypatch.setattr(Environment, "install", pretend_to_install)
    return tmp_path


def pretend_to_create(self: Environment, interpreter: str) -> None:
    shutil.rmtree(self.path, ignore_errors=True)
    self.path.mkdir()
    print("create")


def pretend_to_copy(self: Environment, source: Environment) -> None:
    assert (source.path / "ready").exists()
    shutil.rmtree(self.path, ignore_errors=True)
    self.path.mkdir()
    print("copy")


def pretend_to_install(self: Environment, *arguments: str) -> None:
    files = [Path(part).name for part in arguments if part.endswith((".txt", ".whl"))]
    print("install", *files)


def pretend_to_compile(self: Environment, command: str, *arguments: str) -> None:
    folder = Path(arguments[arguments.index("--wheel-dir") + 1])
    folder.mkdir()
    (folder / "peer.whl").touch()
    print(command, Path(arguments[arguments.index("-r") + 1]).name)


def steps(job: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    dev.set_up(job)
    return taken(capsys)


def taken(capsys: pytest.CaptureFixture[str]) -> list[str]:
    lines = capsys.readouterr().out.splitlines()
    words = ("create", "copy", "install", "wheel")
    return [line.strip() for line in lines if line.startswith(words)]


def test_the_set_up_does_only_what_is_not_done(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = ["create", "install build.txt lock.txt", "copy", "install"]
    assert steps("verify", capsys) == lock
    assert steps("verify", capsys) == []
    assert steps("test", capsys) == ["create", "install dev.txt", "copy", "install"]
    assert steps("test", capsys) == []
    assert steps("verify", capsys) == []


def test_what_is_installed_outlives_the_checkout(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps("test", capsys)
    shutil.rmtree(checkout / ".venv")
    assert steps("test", capsys) == ["copy", "install"]


def test_what_cannot_be_copied_is_installed(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Environment, "is_plain", False)
    assert steps("test", capsys) == ["create", "install dev.txt", "install"]


def test_a_copy_of_an_environment_is_one_of_its_own(tmp_path: Path) -> None:
    """Its programs run its own Python, and what is written in it is in no other."""
    first, second = Environment(tmp_path / "first"), Environment(tmp_path / "second")
    Environment.create(first, sys.executable)
    second.copy(first)
    found = second.run("pip", "--version", stdout=subprocess.PIPE).stdout
    assert str(second.path) in found
    assert str(first.path) not in found
    before = {path: path.read_bytes() for path in first.programs.iterdir() if path.is_file()}
    assert not any(str(second.path).encode() in text for text in before.values())


@pytest.mark.skipif(os.name == "nt", reason="no such locks")
def test_one_checkout_at_a_time_makes_an_environment(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    order = []

    def create(self: Environment, interpreter: str) -> None:
        order.append(lock_is_free(self.path))
        pretend_to_create(self, interpreter)

    monkeypatch.setattr(Environment, "create", create)
    first = keep_environment("test", sys.executable)
    assert order == [False]
    assert lock_is_free(first.path)
    (first.path / "ready").unlink()
    monkeypatch.setattr(dev_environments, "held", lambda lock: made_meanwhile(first.path))
    assert keep_environment("test", sys.executable).path == first.path
    assert order == [False], "what another process made is taken"


def lock_is_free(path: Path) -> bool:
    """Return whether another process could have the lock of a folder now."""
    question = """
import fcntl, sys
try:
    fcntl.flock(open(sys.argv[1]), fcntl.LOCK_EX | fcntl.LOCK_NB)
except BlockingIOError:
    print("taken")
"""
    command = [sys.executable, "-c", question, str(lock_of(path))]
    return "taken" not in subprocess.run(command, capture_output=True, text=True, check=True).stdout


@contextmanager
def made_meanwhile(path: Path) -> Iterator[None]:
    (path / "ready").touch()
    yield


@pytest.mark.parametrize(
    ("path", "plain"),
    [("a/b", True), ("a b/c", False), ('a"b', False), ("a" * 200, False)],
)
def test_only_paths_that_a_first_line_can_name_are_plain(path: str, plain: bool) -> None:
    assert Environment(Path(path)).is_plain == (plain and os.name != "nt")


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements/build.txt"])
def test_a_change_of_the_requirements_makes_the_environment_anew(
    checkout: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    dev.set_up("test")
    with (checkout / name).open("a") as file:
        file.write("#\n")
    capsys.readouterr()
    assert steps("test", capsys) == ["copy", "install"]


def test_a_change_of_a_lock_installs_anew(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev.set_up("test")
    with (checkout / "requirements" / "dev.txt").open("a") as file:
        file.write("#\n")
    capsys.readouterr()
    assert steps("test", capsys) == ["create", "install dev.txt", "copy", "install"]


def test_a_set_up_that_was_cut_off_starts_again(
    checkout: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(self: Environment, *arguments: str) -> None:
        raise subprocess.CalledProcessError(1, ["pip"])

    with monkeypatch.context() as patch:
        patch.setattr(Environment, "install", cut_off)
        with pytest.raises(subprocess.CalledProcessError):
            dev.set_up("test")
    capsys.readouterr()
    assert steps("test", capsys) == ["create", "install dev.txt", "copy", "install"]


@pytest.fixture
def cache(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where wheels are kept; the pip that would compile them only says so."""
    monkeypatch.setattr(Environment, "pip", pretend_to_compile)
    return checkout / "cache" / "mechproof" / "wheels"


ENVIRONMENT = ["create", "install dev.txt", "copy", "install"]
BUILD = ["create", "install peers-build.txt", "wheel peers.txt"]


def test_the_peers_are_built_once_and_outlive_the_environment(
    checkout: Path, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev.peers()
    assert taken(capsys) == [*ENVIRONMENT, *BUILD, "install peer.whl"]
    dev.peers()
    assert taken(capsys) == ["install peer.whl"]
    shutil.rmtree(checkout / ".venv")
    dev.peers()
    assert taken(capsys) == ["copy", "install", "install peer.whl"]


@pytest.mark.parametrize("lock", LOCKS["peers"])
def test_a_change_of_their_locks_builds_the_peers_anew(
    checkout: Path, cache: Path, capsys: pytest.CaptureFixture[str], lock: str
) -> None:
    dev.peers()
    with (checkout / "requirements" / lock).open("a") as file:
        file.write("#\n")
    capsys.readouterr()
    dev.peers()
    assert taken(capsys) == ["copy", "install", *BUILD, "install peer.whl"]
    assert len(list(cache.iterdir())) == 2


def test_a_machine_that_cannot_build_the_peers_is_told_what_to_install(
    checkout: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Environment, *arguments: str) -> None:
        raise subprocess.CalledProcessError(1, ["pip"])

    monkeypatch.setattr(Environment, "pip", fail)
    with pytest.raises(SystemExit, match=r"apt-get install g\+\+ python3-dev"):
        dev.peers()
    assert list(cache.iterdir()) == []


def test_the_environment_of_the_local_model_is_made_once_and_outlives_the_checkout(
    checkout: Path, cache: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[tuple[str, ...]] = []

    def run(self: Environment, *command: str, **how: Any) -> subprocess.CompletedProcess[str]:
        ran.append(command[1:])
        assert how["env"]["MECHPROOF_LLM"] == "required"
        return subprocess.CompletedProcess(command, 7 if "pytest" in command else 0)

    monkeypatch.setattr(Environment, "run", run)
    (checkout / "tests" / "local").mkdir(parents=True)
    asks = checkout / "tests" / "local" / "test_asks.py"
    asks.write_text("pytestmark = pytest.mark.llm  # ü", encoding="utf-8")
    (checkout / "tests" / "test_asks_nothing.py").touch()
    assert dev.main("test-llm", "-x") == 7
    assert taken(capsys) == ["create", "install llm.txt", "install"]
    assert ran == [
        ("-m", "mechproof", "model", "get"),
        ("-m", "mechproof", "model", "get", "all-MiniLM-L6-v2"),
        ("-m", "pytest", "-m", "llm and not slow", str(asks), "-x"),
    ]
    assert dev.main("test-llm") == 7
    assert taken(capsys) == []
    monkeypatch.setattr(dev, "TORCH", ("torch==2.99.0",))
    dev.main("test-llm")
    assert taken(capsys) == ["create", "install llm.txt", "install"]


def test_a_missing_peer_skips_a_test_but_fails_it_where_peers_are_required(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pygambit", None)
    monkeypatch.delenv("MECHPROOF_PEERS", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"dev\.py peers"):
        peers.gambit()
    monkeypatch.setenv("MECHPROOF_PEERS", "required")
    with pytest.raises(pytest.fail.Exception, match=r"dev\.py peers"):
        peers.gambit()


def test_a_broken_peer_is_no_missing_peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pygambit.py").write_text("import a_module_that_is_not_there")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pygambit", raising=False)
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_not_there"):
        peers.gambit()


def test_the_gates_stop_at_the_first_that_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = ({"good": "pass"}, {"bad": "raise SystemExit(3)", "beside": ""}, {"late": "print(1)"})
    gates = tuple({name: ("python", "-c", code) for name, code in r.items()} for r in rounds)
    monkeypatch.setattr(dev, "GATES", gates)
    monkeypatch.setattr(dev, "CORE_GATES", gates[:1])
    monkeypatch.setattr(dev, "set_up", lambda job: Environment(Path(sys.prefix)))
    assert dev.main("test", "--core") == 0
    capsys.readouterr()
    assert dev.main("test") == 1
    report = capsys.readouterr().out.partition("Gates\n")[2].splitlines()
    assert [(line.split()[0], line.split()[-1]) for line in report] == [
        ("passed", "good"),
        ("FAILED", "bad"),
        ("passed", "beside"),
        ("not", "late"),
    ]


def test_verify_passes_on_its_options_and_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*command: str, check: bool) -> subprocess.CompletedProcess[str]:
        assert command == ("mechproof", "verify", "--paper", "volition")
        return subprocess.CompletedProcess(command, 2)

    environment = Environment(Path(sys.prefix))
    monkeypatch.setattr(environment, "run", run)
    monkeypatch.setattr(dev, "set_up", lambda job: environment)
    assert dev.main("verify", "--paper", "volition") == 2


@pytest.mark.parametrize(
    "words", [(), ("tset",), ("test", "--quick"), ("test", "--core", "-x"), ("wheel", "--core")]
)
def test_a_wrong_command_line_gets_the_usage(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert dev.main(*words) == 2
    assert "python3 dev.py verify" in capsys.readouterr().out
