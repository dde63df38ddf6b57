"""Set up this checkout and run its jobs; needs nothing but Python.

    python3 dev.py verify [OPTIONS]   compute the claims; OPTIONS go to `mechproof verify`
    python3 dev.py test               run every gate
    python3 dev.py test --core        run the format, the lint and the core of the tests
    python3 dev.py test-llm [OPTIONS] run the tests of the local language model
    python3 dev.py peers              install what the tests compare with; it is built once
    python3 dev.py mutate [OPTIONS]   try mutants against the tests; --help lists OPTIONS
    python3 dev.py wheel              build the wheel, install it afresh and use it

What passed is not run again while all that it can see is the same, for thirty days; with
MECHPROOF_ANEW=1 in the environment everything is.

The first call makes `.venv` with the locked requirements; later calls reuse it. What is installed,
some gigabytes, is kept outside the checkouts, which share it.
"""

# An older Python must parse this file to reach the message below, so nothing newer than f-strings.
import hashlib
import json
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

MINIMUM = (3, 11)
if sys.version_info < MINIMUM:
    sys.exit(
        f"mechproof needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}.\n"
        "Call dev.py with a newer one, for example: python3.12 dev.py test"
    )

from passed import Passes, Sources, commits  # noqa: E402

ROOT = Path(__file__).resolve().parent
SUPPORTED = ("3.11", "3.12", "3.13")
LOCKS = {
    "verify": ("build.txt", "lock.txt"),
    "test": ("dev.txt",),
    "peers": ("peers-build.txt", "peers.txt"),
    "test-llm": ("llm.txt",),
    "mutate": ("mutation.txt",),
    "wheel": ("lock.txt",),
}
# Not locked: which build of PyTorch fits, with or without a GPU, depends on the index.
TORCH = ("torch==2.13.0", "accelerate==1.15.0")
PACKAGES = ("theory", "mechanisms", "llm_adapters", "papers", "mechproof")
PAGES = ("README.md", "docs")
DOCTESTS = ("--doctest-modules", "--doctest-glob=*.md")
PYTEST = (
    "pytest",
    "-n2",
    "--dist=worksteal",  # neighbours stay together, and share what they load and compile
    "-m",
    "not slow and not llm",
)
EVERY_TEST = (*PACKAGES, *PAGES, "tests")
# In order; what stands together runs at once, and the last of it prints as it goes.
Gates = tuple[dict[str, tuple[str, ...]], ...]
STYLE: Gates = ({"format": ("ruff", "format", "--check")}, {"lint": ("ruff", "check")})
GATES: Gates = (
    *STYLE,
    {"layers": ("lint-imports",), "types (mypy)": ("mypy",)},
    {  # pyright keeps one processor busy for a minute or two
        "types (pyright)": ("pyright",),
        "tests": (*PYTEST, *DOCTESTS, *EVERY_TEST),
    },
    {"claims": ("mechproof", "verify", "--profile", "quick")},
)
CORE_GATES: Gates = (*STYLE, {"core tests": (*PYTEST, "@tests/core.txt")})
BYTECODE = {"PYTHONDONTWRITEBYTECODE": ""}  # hundreds of tests start a Python that reads it
ANEW = "MECHPROOF_ANEW"
SETTINGS = (
    "HYPOTHESIS_",
    "JAX_",
    "LANG",
    "LC_",
    "MECHPROOF_",
    "NUMBA_",
    "OMP_",
    "PYTEST_",
    "PYTHON",
)
"""How the names of variables begin that results may depend on."""
GATE_SETTINGS = {
    "HYPOTHESIS_PROFILE": "ci",
    "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",  # otherwise it asks the network for a newer pyright
}


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


def build_peers(scratch: Path) -> Path:
    """Return a new folder with a wheel of each locked peer, compiled where none is published."""
    tools, lock = LOCKS["peers"]
    wheels = scratch / "wheels"
    builder = Environment(scratch / "builder")
    builder.create(sys.executable)
    builder.install_locked(tools)
    os.environ.setdefault("CXXFLAGS", "-O1 -g0")  # halves the compiling; speed is not compared
    locked = ("--require-hashes", "--no-deps", "-r", str(ROOT / "requirements" / lock))
    try:
        builder.pip("wheel", "--no-build-isolation", "--wheel-dir", str(wheels), *locked)
    except subprocess.CalledProcessError:
        sys.exit(
            "The peers could not be built; pip says why above.\n"
            "If it lacks a compiler or Python's headers, on Debian or Ubuntu, as root:\n"
            "    apt-get install g++ python3-dev\n"
            "Then give the same command again."
        )
    return wheels


def peers() -> int:
    """Install what the tests compare with, built at the first call for these locks."""
    checkout = set_up("test")
    wheels = kept("wheels", "peers")
    if not wheels.exists():
        print(f"Building the peers into {wheels}: some minutes, this once.", flush=True)
        wheels.parent.mkdir(parents=True, exist_ok=True)
        with held(wheels), tempfile.TemporaryDirectory(dir=wheels.parent) as scratch:
            if not wheels.exists():  # another checkout may have built them meanwhile
                build_peers(Path(scratch)).rename(wheels)
    checkout.install("--no-index", "--no-deps", *map(str, sorted(wheels.glob("*.whl"))))
    return 0


def test_llm(*options: str) -> int:
    """Run the tests of the local language model; obtain it and what it needs at the first call."""
    environment = keep_environment("test-llm", sys.executable, *TORCH)
    if options:
        return run_llm(environment, *options)
    return unless_passed("test-llm", environment, partial(run_llm, environment))


def run_llm(environment: Environment, *options: str) -> int:
    """Run the tests of the local language model, those that the options of pytest choose."""
    here = {**GATE_SETTINGS, "PYTHONPATH": str(ROOT), "MECHPROOF_LLM": "required"}
    here["OMP_WAIT_POLICY"] = "PASSIVE"  # threads that wait must not spin on a shared machine
    environment.run("python", "-m", "mechproof", "model", "get", cwd=ROOT, env=here)
    every = sorted((ROOT / "tests").rglob("test_*.py"))
    files = [str(path) for path in every if is_llm(str(path.relative_to(ROOT)))]
    tests = ("python", "-m", "pytest", "-m", "llm and not slow", *files, *options)
    return environment.run(*tests, cwd=ROOT, env=here, check=False).returncode


def mutate(*options: str) -> int:
    """Try mutants of `theory/` and `mechanisms/` against the tests that cover them."""
    checkout = set_up("test")
    mark = checkout.path / f"ready-{state()}-mutate"
    if not mark.exists():
        checkout.install_locked(*LOCKS["mutate"])
        mark.touch()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it stops by itself, and keeps what it has
    here = {"PYTHONPATH": str(ROOT / "tests")}
    command = ("python", "-m", "mutation", *options)
    return checkout.run(*command, cwd=ROOT, env=here, check=False).returncode


def verify(*options: str) -> int:
    """Compute the claims; pass on the exit status of `mechproof verify`."""
    return set_up("verify").run("mechproof", "verify", *options, check=False).returncode


def passes(checkout: Environment, *more: str) -> Passes | None:
    """Return what is known to have passed in this environment; None where git does not answer."""
    places = ("lib/*/site-packages/*.dist-info", "Lib/site-packages/*.dist-info")
    installed = sorted({path.name for place in places for path in checkout.path.glob(place)})
    settings = sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name.startswith(SETTINGS) and name != ANEW
    )
    about = (sys.version, sys.platform, processor(), *installed, *settings, *more)
    with suppress(OSError, subprocess.CalledProcessError):
        return Passes(Sources(ROOT, PACKAGES), cache() / "passed", about)
    return None


def parts_of(gate: str, sources: Sources) -> dict[str, set[str]]:
    """Return the parts of a gate that are kept each for itself, and what each of them sees."""
    names = [name for name in sources.hashes if name.endswith((".py", ".md"))]
    if gate == "types (pyright)":
        ours = (*(f"{name}/" for name in (*PACKAGES, "tests")), "dev.py", "passed.py")
        python = [name for name in names if name.endswith(".py") and name.startswith(ours)]
        return {name: sources.seen(name, blind=False) for name in python}
    if gate == "tests":
        return {name: sources.seen(name, "tests/conftest.py") for name in names if is_test(name)}
    if gate == "claims":
        application = {name for name in sources.hashes if name.startswith("mechproof/")}
        own: dict[str, list[str]] = {}
        for name in names:
            if name.startswith("papers/") and not name.endswith("papers/__init__.py"):
                own.setdefault(Path(name).with_suffix("").parts[1], []).append(name)
        return {paper: sources.seen(*own[paper]) | application for paper in own}
    code = {name for name in sources.hashes if name.startswith(sources.packages)} | sources.always
    if gate == "wheel":
        shipped = ("README.md", "LICENSE", "tests/installed/")
        return {gate: code | {name for name in sources.hashes if name.startswith(shipped)}}
    if gate == "test-llm":  # helpers may be started as programs, so all of them count
        tests = {name for name in names if name.startswith("tests/") and not is_test(name)}
        return {gate: code | tests | {name for name in names if is_test(name) and is_llm(name)}}
    return {}


def is_test(name: str) -> bool:
    """Tell whether pytest may find tests in a file of Python or of text."""
    if name.startswith("tests/"):
        return Path(name).name.startswith("test_")
    return name.startswith((*PACKAGES, *PAGES)) and ">>>" in (ROOT / name).read_text("utf-8")


def is_llm(name: str) -> bool:
    """Tell whether a file has tests of the local language model."""
    return "mark.llm" in (ROOT / name).read_text("utf-8")


def unless_passed(gate: str, environment: Environment, run: Callable[[], int], *about: str) -> int:
    """Run a job unless it is known to pass for the same sources; return its exit status."""
    known = passes(environment, *about)
    if known is None:
        return run()
    stale = known.stale(gate, parts_of(gate, known.sources))
    if not stale and not os.environ.get(ANEW):
        print(f"== {gate}: kept, it passed for the same sources", flush=True)
        return 0
    status = run()
    if status == 0:
        known.keep(stale.values())
    return status


def only(gate: str, command: tuple[str, ...], parts: Iterable[str]) -> tuple[str, ...]:
    """Return the command that runs these parts of a gate."""
    if gate == "claims":
        return (*command, *(word for paper in parts for word in ("--paper", paper)))
    if gate == "tests":  # those of what is kept bring their configuration along
        return (
            *command[: -len(EVERY_TEST)],
            *dict.fromkeys(("tests/project/test_passed.py", *parts)),
        )
    return (*command, *parts)


def run_gate(
    checkout: Environment, name: str, command: tuple[str, ...], live: bool, known: Passes | None
) -> tuple[str, float, str]:
    """Run what of a gate is not known to pass; return how it ends and the seconds that it takes.

    What it prints comes third, unless it is live.
    """
    parts = parts_of(name, known.sources) if known else {}
    # Ten commits in a row check the types of all modules, so each test runs in one of eleven.
    turns = commits(ROOT) if name == "tests" else 0
    stale = known.stale(name, parts, turns) if known and not os.environ.get(ANEW) else parts
    title = f"\n== {name}: {shlex.join(command)}\n"
    if len(stale) < len(parts):
        command = only(name, command, stale)
        title += f"kept: {len(parts) - len(stale)} of {len(parts)} passed for the same sources\n"
    if live:
        print(title, end="", flush=True)
    if parts and not stale:
        return "kept", 0.0, "" if live else title
    shown: dict[str, Any] = {} if live else {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    settings = {
        **GATE_SETTINGS,
        "MYPY_CACHE_DIR": str(cache() / "mypy"),
        "JAX_COMPILATION_CACHE_DIR": str(kept("jax", "test", processor())),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0.1",
    }
    began = time.monotonic()
    done = checkout.run(*command, cwd=ROOT, env=settings, check=False, **shown)
    took = time.monotonic() - began
    if known and done.returncode == 0:
        known.keep(known.stale(name, {part: parts[part] for part in stale}, turns).values())
    return "FAILED" if done.returncode else "passed", took, "" if live else title + done.stdout


def test(*options: str) -> int:
    """Run the gates in order, those of `--core` or all; stop after the first that fails."""
    checkout = set_up("test")
    known = None if options else passes(checkout)
    report: list[str] = []
    failed = False
    for gates in CORE_GATES if options else GATES:
        if failed:
            report += [f"not run           {name}" for name in gates]
            continue
        with ThreadPoolExecutor() as pool:
            running = {
                name: pool.submit(run_gate, checkout, name, command, last, known)
                for name, command in gates.items()
                for last in [name == list(gates)[-1]]
            }
        for name, run in running.items():
            status, took, printed = run.result()
            print(printed, end="", flush=True)
            failed = failed or status == "FAILED"
            report.append(f"{status:6} {took:6.1f} s  {name}")
    print("", "Gates", *report, sep="\n", flush=True)
    return int(failed)


def interpreters() -> dict[str, str]:
    """Return the supported interpreters that run here, this one first, by version."""
    found = {f"{sys.version_info.major}.{sys.version_info.minor}": sys.executable}
    for version in SUPPORTED:
        if version not in found:
            question = [f"python{version}", "-c", "import sys; print(sys.executable)"]
            try:
                answer = subprocess.run(question, capture_output=True, text=True, check=True)
            except (OSError, subprocess.CalledProcessError):
                print(f"== Python {version}: does not run on this machine, left out", flush=True)
            else:
                found[version] = answer.stdout.strip()
    return found


def wheel() -> int:
    """Build the source archive and, from it, the wheel; use the wheel under each Python."""
    checkout, pythons = set_up("test"), interpreters()
    run = partial(build_wheel, checkout, pythons)
    return unless_passed("wheel", checkout, run, *map(str, pythons.items()))


def build_wheel(checkout: Environment, pythons: Mapping[str, str]) -> int:
    """Build the wheel, and use it under these Pythons."""
    dist = ROOT / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    build = ("-m", "build", "--no-isolation", "--outdir", str(dist), str(ROOT))
    checkout.run("python", *build)
    (built,) = dist.glob("*.whl")
    print(f"\n== {built.name} in clean environments", flush=True)
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(use, built, checkout, *python) for python in pythons.items()]
    for run in running:
        run.result()
    return 0


def use(built: Path, checkout: Environment, version: str, interpreter: str) -> None:
    """Install the wheel afresh and use it; raise `CalledProcessError` where that fails."""
    with tempfile.TemporaryDirectory() as scratch:
        clean = Environment(Path(scratch) / "clean")
        install_kept(clean, "wheel", interpreter)
        clean.install("--no-deps", str(built))
        try_out(clean, checkout, Path(scratch), version)


def try_out(clean: Environment, checkout: Environment, folder: Path, version: str) -> None:
    """Do what users of the installed wheel do."""

    def step(environment: Environment, *command: str, given: str = "") -> str:
        settings = {"MYPY_CACHE_DIR": str(cache() / "mypy-wheel")}
        done = environment.run(
            *command, cwd=folder, input=given, stdout=subprocess.PIPE, env=settings
        )
        print(f"Python {version} passed  {shlex.join(command)}", flush=True)
        return done.stdout

    step(clean, "python", "-m", "pip", "check")
    step(clean, "mechproof", "--help")
    json.loads(step(clean, "mechproof", "schema", "information"))
    example = step(clean, "mechproof", "example", "information")
    json.loads(step(clean, "mechproof", "solve", "-", given=example))
    step(clean, "mechproof", "verify", "--claim", "volition.table-1", "--html", "report.html")
    program = str(ROOT / "tests" / "installed" / "program.py")
    installed = f"--python-executable={clean.program('python')}"
    step(checkout, "mypy", "--strict", "--config-file=", installed, program)
    step(clean, "python", program)


JOBS = {
    "verify": verify,
    "test": test,
    "test-llm": test_llm,
    "peers": peers,
    "mutate": mutate,
    "wheel": wheel,
}
OPTIONS = {"verify": None, "test-llm": None, "mutate": None, "test": ("--core",)}
"""The options that a job takes; None where it passes on whatever it is given."""


def main(job: str = "", *options: str) -> int:
    """Run the job that the command line names and return the exit status."""
    if job not in JOBS or (options and OPTIONS.get(job, ()) not in (None, options)):
        print(str(__doc__).strip())
        return 0 if job in {"-h", "--help"} else 2
    try:
        return JOBS[job](*options)
    except subprocess.CalledProcessError as error:
        print(error.stdout or "", end="")
        print(f"dev.py: exit status {error.returncode} from: {shlex.join(error.cmd)}")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
