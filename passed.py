"""What passed is not run again while all that it can see is the same.

A file sees what its imports lead to, those in functions and in the examples of its texts too, and
the packages around each module. A file that asks for more than imports show (it opens files, starts
programs, imports by computed names) sees everything, and so does whatever leads to such a file.
Only passes are kept, for thirty days, below the hash of what was seen and of the environment.
"""

import ast
import doctest
import hashlib
import re
import subprocess
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path

__all__ = ["TOOLS", "TURNS", "Passes", "Sources", "commits", "git"]

TOOLS = ("dev.py", "dev_environments.py", "dev_gates.py", "passed.py")
"""What sets up a checkout and runs its jobs."""
ALWAYS = (*TOOLS, "pyproject.toml", "requirements/")
"""What every result depends on, beside the data within the packages."""
FOREIGN = (
    "llm_adapters/_optional_packages.py",
    "mechproof/__init__.py",
    "mechproof/sweep/_tables.py",
    "passed.py",
    "tests/conftest.py",  # asks for a setting alone
    "tests/ended.py",
    "tests/typechecker.py",
    "theory/proofs/_decide.py",
)
"""What asks for more than its imports show, but not for what a result depends on."""
SEEKING = ("importlib.machinery", "pkgutil", "runpy", "subprocess")
ASKING = {"__file__", "__import__", "compile", "eval", "exec", "open", "pytester"}
OPENING = {
    *("builtins", "glob", "importlib", "io", "multiprocessing", "os", "pathlib", "pkgutil"),
    *("runpy", "shutil", "subprocess", "tempfile", "tomllib"),
}
"""Who uses names of these modules opens files, perhaps: a test any of the checkout."""
HARMLESS = {"BytesIO", "StringIO"}
"""Names of theirs that open nothing."""
LOADING = {"fromfile", "genfromtxt", "load", "loadtxt", "memmap"}
"""What opens files in NumPy and elsewhere."""
NO_MODULE = "mechproof.plain"
"""A name of ours that is none of a module: how to print."""
DAYS = 30
TURNS = 12
"""In so many commits in a row, each case that takes turns is tried (tests/helpers/sweeps.py)."""


def git(root: Path, *question: str) -> str:
    """Return what git answers about a checkout."""
    done = subprocess.run(["git", *question], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def commits(root: Path) -> int:
    """Return the number of commits that led here; 0 where git does not say.

    A shallow clone does not know it, so there the name of the commit stands for it.
    """
    try:
        if git(root, "rev-parse", "--is-shallow-repository") == "true":
            return int(git(root, "rev-parse", "HEAD"), 16)
        return int(git(root, "rev-list", "--count", "HEAD"))
    except (OSError, subprocess.CalledProcessError):
        return 0


class Sources:
    """The files of a checkout that git knows or does not ignore, and what each of them sees."""

    def __init__(self, root: Path, packages: Iterable[str]) -> None:
        self.root = root
        self.packages = tuple(f"{package}/" for package in packages)
        names = git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
        paths = {name: root / name for name in sorted({*names.split("\0")} - {""})}
        self.hashes = {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in paths.items()
            if path.is_file()
        }
        self.modules = {self._module(name): name for name in self.hashes if name.endswith(".py")}
        self.always = {
            name
            for name in self.hashes
            if name.startswith(ALWAYS)
            or (name.startswith(self.packages) and not name.endswith(".py"))
        }
        self._direct = cache(self._read)  # one for each checkout

    def seen(self, *names: str, blind: bool = True) -> set[str]:
        """Return the files that some files see; not ``blind``, what their imports lead to."""
        found: set[str] = set()
        new = [*names]
        while new:
            name = new.pop()
            if name in found:
                continue
            found.add(name)
            imported, is_blind = self._direct(name, name in names)
            if is_blind and blind:
                return {*self.hashes}
            new += imported
        return found | self.always

    def takes_turns(self, name: str) -> bool:
        """Tell whether a file of tests leaves some of its cases to other commits."""
        said = (self.root / name).read_text("utf-8") if name.startswith("tests/") else ""
        return re.search(r"\b(in_turns|is_due)\b", said) is not None

    def _read(self, name: str, run: bool) -> tuple[list[str], bool]:
        """Return the files that a file imports, and whether it asks for more than these.

        Its examples do where they are ``run``.
        """
        nodes: list[ast.AST]
        try:
            text = (self.root / name).read_text("utf-8")
            nodes = [*_evaluated(ast.parse(text))] if name.endswith(".py") else [ast.Constant(text)]
            for shown in [node.value for node in nodes if isinstance(node, ast.Constant)]:
                if run and isinstance(shown, str) and ">>>" in shown:
                    for example in doctest.DocTestParser().get_examples(shown):
                        with suppress(SyntaxError):  # shown to fail, perhaps
                            nodes += _evaluated(ast.parse(example.source))
        except (SyntaxError, ValueError):  # the gates say what is wrong
            return [], True
        module = self._module(name)
        package = module if name.endswith("/__init__.py") else module.rpartition(".")[0]
        asked = {module, *(dotted for node in nodes for dotted in _imported(node, package))}
        texts = {str(node.value) for node in nodes if isinstance(node, ast.Constant)}
        asked |= {text for text in texts if self._is_named(text)}
        around = {dotted[:end] for dotted in asked for end in _ends(dotted)}
        within = name.startswith(self.packages)
        opening = set() if within else {bound for node in nodes for bound in _opening(node)}
        blind = name not in FOREIGN and any(_is_blind(node, within, opening) for node in nodes)
        named = {text for text in texts if text in self.hashes and not text.endswith(".py")}
        return [*named, *(self.modules[each] for each in around if each in self.modules)], blind

    def _module(self, name: str) -> str:
        """Return the name by which a file is imported; a test's folders are packages or no part."""
        parts = re.sub(r"(/__init__)?\.py$", "", name).split("/")
        if parts[0] == "tests":
            folders = ["/".join(parts[:k]) for k in range(1, len(parts))]
            parts = parts[sum(f"{folder}/__init__.py" not in self.hashes for folder in folders) :]
        return ".".join(parts)

    def _is_named(self, text: str) -> bool:
        """Tell whether a text may name a module of ours, to import it or to patch it."""
        package, _, rest = text.partition(".")
        known = f"{package}/" in self.packages and text != NO_MODULE
        return known and rest.replace(".", "").isidentifier()


def _ends(dotted: str) -> list[int]:
    """Return where the names of the packages around a module end, and its own."""
    return [*(found.start() for found in re.finditer(r"\.", dotted)), len(dotted)]


def _imported(node: ast.AST, package: str) -> Iterator[str]:
    """Yield what a statement imports."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        above = package.rsplit(".", node.level - 1)[:1] if node.level else []
        base = [*above, *([node.module] if node.module else [])]
        yield from (".".join([*base, alias.name]) for alias in node.names)


def _evaluated(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what of a tree is evaluated: an annotation opens no file."""
    new = [tree]
    while new:
        node = new.pop()
        yield node
        said = (getattr(node, "annotation", None), getattr(node, "returns", None))
        new += [inner for inner in ast.iter_child_nodes(node) if inner not in said]


def _opening(node: ast.AST) -> Iterator[str]:
    """Yield the names under which a statement imports what opens files."""
    base = node.module or "" if isinstance(node, ast.ImportFrom) and not node.level else ""
    for alias in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
        package = (base or alias.name).partition(".")[0]
        loads = package == "numpy" and alias.name in {*LOADING, "*"}
        if loads or (package in OPENING and alias.name not in HARMLESS):
            yield alias.asname or alias.name.partition(".")[0]


def _is_blind(node: ast.AST, within: bool, opening: set[str]) -> bool:
    """Tell whether code asks for files or modules by names that it computes."""
    if isinstance(node, ast.Name | ast.arg) and not within:
        name = node.id if isinstance(node, ast.Name) else node.arg
        return name in ASKING or (name in opening and isinstance(node, ast.Name))
    if isinstance(node, ast.Attribute) and not within:
        return node.attr in LOADING
    if isinstance(node, ast.Call):
        function = node.func
        if "import_module" in {getattr(function, "id", ""), getattr(function, "attr", "")}:
            return not isinstance(node.args[0], ast.Constant)
    if isinstance(node, ast.Import | ast.ImportFrom):
        return "*" in opening or any(name.startswith(SEEKING) for name in _imported(node, ""))
    return False


class Passes:
    """What passed, below the hash of all that it saw."""

    def __init__(self, sources: Sources, folder: Path, about: Iterable[str]) -> None:
        self.sources = sources
        self.folder = folder
        self.about = [*about]
        """What results depend on beside the files: the environment and its settings."""

    def stale(
        self, gate: str, parts: Mapping[str, Iterable[str]], turns: int = 0
    ) -> dict[str, str]:
        """Return the keys of those parts of a gate that are not known to pass, by their names.

        A part is known by the files that it sees, and for eleven turns at most; one whose cases
        take turns is known for the cases of that turn.
        """
        found = {}
        for part, seen in parts.items():
            hashes = [f"{file} {self.sources.hashes[file]}" for file in sorted(seen)]
            turn = str((turns + zlib.crc32(part.encode())) // 11)
            if turns and self.sources.takes_turns(part):
                turn += f" {turns % TURNS}"
            text = "\0".join([gate, part, turn, *self.about, "", *hashes])
            found[part] = hashlib.sha256(text.encode()).hexdigest()
        return {part: key for part, key in found.items() if not self._is_recent(self.folder / key)}

    def _is_recent(self, path: Path) -> bool:
        return path.exists() and time.time() - path.stat().st_mtime < DAYS * 24 * 3600

    def keep(self, keys: Iterable[str]) -> None:
        """Remember what passed, unless a file has changed meanwhile; forget what is old."""
        if self.sources.hashes != Sources(self.sources.root, ()).hashes:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        for path in self.folder.iterdir():
            if not self._is_recent(path):
                path.unlink(missing_ok=True)
        for key in keys:
            (self.folder / key).touch()
