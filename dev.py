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
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

MINIMUM = (3, 11)
if sys.version_info < MINIMUM:
    sys.exit(
        f"mechproof needs Python 3.11 or newer; {sys.executable} is {sys.version.split()[0]}.\n"
        "Call dev.py with a newer one, for example: python3.12 dev.py test"
    )

# Not at the top: an older Python would stop at these, before the message.
from dev_environments import (  # noqa: E402
    LOCKS,
    ROOT,
    Environment,
    cache,
    held,
    install_kept,
    keep_environment,
    kept,
    set_up,
    state,
)
from dev_gates import (  # noqa: E402
    CORE_GATES,
    GATE_SETTINGS,
    GATES,
    is_llm,
    passes,
    run_gates,
    unless_passed,
)

SUPPORTED = ("3.11", "3.12", "3.13")
# Not locked: which build of PyTorch fits, with or without a GPU, depends on the index.
TORCH = ("torch==2.13.0", "accelerate==1.15.0")


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
    """Run the tests of the local models; obtain them and what they need at the first call."""
    environment = keep_environment("test-llm", sys.executable, *TORCH)
    if options:
        return run_llm(environment, *options)
    return unless_passed("test-llm", environment, partial(run_llm, environment))


def run_llm(environment: Environment, *options: str) -> int:
    """Run the tests of the local language model, those that the options of pytest choose."""
    here = {**GATE_SETTINGS, "PYTHONPATH": str(ROOT), "MECHPROOF_LLM": "required"}
    here["OMP_WAIT_POLICY"] = "PASSIVE"  # threads that wait must not spin on a shared machine
    for name in ((), ("all-MiniLM-L6-v2",)):
        environment.run("python", "-m", "mechproof", "model", "get", *name, cwd=ROOT, env=here)
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


def test(*options: str) -> int:
    """Run the gates in order, those of `--core` or all; stop after the first that fails."""
    checkout = set_up("test")
    if options:
        return run_gates(checkout, CORE_GATES, None)
    return run_gates(checkout, GATES, passes(checkout))


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
