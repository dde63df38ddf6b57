"""The virtual environments of this checkout, and what checkouts share; needs nothing but Python."""

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
LOCKS = {
    "verify": ("build.txt", "lock.txt"),
    "test": ("dev.txt",),
    "peers": ("peers-build.txt", "peers.txt"),
    "test-llm": ("llm.txt",),
    "mutate": ("mutation.txt",),
    "wheel": ("lock.txt",),
}
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}  # hundreds of tests start a Python that reads it


class Environment:
    """A virtual environment and the programs in it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.programs = path / ("Scripts" if os.name == "nt" else "bin")

    def create(self, interpreter: str) -> None:
        """Make the environment anew, whatever was there."""
        probe = [interpreter, "-c", "import ensurepip, venv"]
        if subprocess.run(probe, capture_output=True, check=False).returncode:
            sys.exit(
                f"{interpreter} cannot make virtual environments: it comes without ensurepip.\n"
                "On Debian or Ubuntu, as root: apt-get install python3-venv\n"
                "Then give the same command again."
            )
        subprocess.run([interpreter, "-m", "venv", "--clear", str(self.path)], check=True)

    def copy(self, source: "Environment") -> None:
        """Become a copy of another environment; files are shared where the disk allows that."""
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(source.path, self.path, symlinks=True, copy_function=link)
        old, new = (str(environment.path).encode() for environment in (source, self))
        for program in self.programs.iterdir():  # their first lines name the environment
            text = b"" if program.is_symlink() else program.read_bytes()
            if old in text:
                program.unlink()  # shared: what is written must be a file of its own
                program.write_bytes(text.replace(old, new))
                program.chmod(0o755)

    @property
    def is_plain(self) -> bool:
        """Whether the first line of a program can name it: no space, and not too long."""
        return (
            os.name != "nt" and not set(" '\"") & set(str(self.path)) and len(str(self.path)) < 100
        )

    def program(self, name: str) -> str:
        """Return the path of one of its programs."""
        found = shutil.which(name, path=str(self.programs))
        return found or sys.exit(f"{self.path} has no program named {name}")

    def run(
        self, name: str, *arguments: str, check: bool = True, **options: Any
    ) -> subprocess.CompletedProcess[str]:
        """Run one of its programs; `options` are those of `subprocess.run`."""
        search = os.pathsep.join([str(self.programs), os.environ.get("PATH", os.defpath)])
        settings = {**os.environ, **BYTECODE, **options.pop("env", {}), "PATH": search}
        command = [self.program(name), *arguments]
        return subprocess.run(command, check=check, env=settings, text=True, **options)

    def pip(self, command: str, *arguments: str) -> None:
        """Run a command of its pip, which says nothing unless it fails."""
        options = ("--disable-pip-version-check", "--quiet")
        self.run("python", "-m", "pip", command, *options, *arguments)

    def install(self, *arguments: str) -> None:
        """Install what the arguments of `pip install` name."""
        self.pip("install", *arguments)

    def install_locked(self, *locks: str) -> None:
        """Install wheels of the locked versions and nothing else, each checked by its hash.

        The locks name everything. Nothing is resolved: where a lock has `coverage` and a package
        asks for `coverage[toml]`, pip would take the newest and then miss its hash.
        """
        files = (part for lock in locks for part in ("-r", str(ROOT / "requirements" / lock)))
        self.install("--require-hashes", "--no-deps", "--only-binary", ":all:", *files)


def link(source: str, target: str) -> None:
    """Give a file a second name; copy it where the disk has no such thing."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def state() -> str:
    """Hash all that `.venv` depends on."""
    digest = hashlib.sha256(f"{ROOT}\n{sys.base_prefix}\n{sys.version}".encode())
    for source in (ROOT / "pyproject.toml", *sorted((ROOT / "requirements").glob("*.txt"))):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def set_up(job: str) -> Environment:
    """Return `.venv` with what the job needs; what `verify` needs is part of what `test` needs."""
    checkout = Environment(ROOT / ".venv")
    mark = f"ready-{state()}-"
    ready = {path.name.removeprefix(mark) for path in checkout.path.glob(f"{mark}*")}
    if not ready & {job, "test"}:
        print(f"Setting up .venv for {job}: a minute or two, once for these versions.", flush=True)
        install_kept(checkout, job, sys.executable)
        checkout.install("--no-deps", "--no-build-isolation", "--editable", str(ROOT))
        (checkout.path / f"{mark}{job}").touch()
    return checkout


def cache() -> Path:
    """Return the folder outside every checkout for what they share."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "mechproof")


def kept(kind: str, job: str, *more: str) -> Path:
    """Return the folder for what is installed from the locks of a job."""
    locks = b"".join((ROOT / "requirements" / lock).read_bytes() for lock in LOCKS[job])
    digest = hashlib.sha256(locks + "".join(more).encode()).hexdigest()[:16]
    tags = f"{sys.implementation.cache_tag}-{sysconfig.get_platform()}"
    return cache() / kind / f"{tags}-{digest}"


def processor() -> str:
    """Return what kind of processor this is: machine code for one may not run on another."""
    with suppress(OSError):
        told = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next((line for line in told if line.startswith(("flags", "Features"))), "")
    return platform.processor()


def keep_environment(job: str, interpreter: str, *packages: str) -> Environment:
    """Return the kept environment with the locked requirements of a job, and these packages."""
    question = [
        interpreter,
        "-c",
        "import json, sys; print(json.dumps([sys.base_prefix, sys.version]))",
    ]
    answer = subprocess.run(question, capture_output=True, text=True, check=True)
    environment = Environment(kept("environments", job, *json.loads(answer.stdout), *packages))
    mark = environment.path / "ready"
    if not mark.exists():
        environment.path.parent.mkdir(parents=True, exist_ok=True)
        print(f"Setting up {environment.path}: some minutes, this once.", flush=True)
        with held(environment.path):
            if mark.exists():  # another checkout has made it meanwhile
                return environment
            environment.create(interpreter)
            environment.install_locked(*LOCKS[job])
            if packages:
                environment.install(*packages)
            mark.touch()
    return environment


def lock_of(path: Path) -> Path:
    """Return the file that is locked while a folder is made."""
    lock = cache() / "locks" / f"{path.parent.name}-{path.name}"
    lock.parent.mkdir(parents=True, exist_ok=True)
    return lock


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Keep other processes from making a folder; where there are no locks, trust them."""
    with lock_of(path).open("w") as file:
        with suppress(ImportError, OSError):  # on Windows; on some folders of a network
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def install_kept(environment: Environment, job: str, interpreter: str) -> None:
    """Make an environment with the locked requirements of a job, from the kept one if it can be."""
    source = keep_environment(job, interpreter) if environment.is_plain else None
    if source and source.is_plain:
        environment.copy(source)
    else:
        environment.create(interpreter)
        environment.install_locked(*LOCKS[job])
