"""Kernels: loops over numbers and arrays, run as the Python that they are or as machine code.

A kernel is a plain function that numba can compile. Importing numba takes most of a second and
compiling takes seconds, so neither happens before it pays: :func:`cheapest` returns the function
itself, until what it was asked to do is worth its machine code. Both give the same bits.
:func:`machine_code` returns machine code at once, faster still and with other last bits where the
kernel takes liberties.

What is compiled is kept on disk, outside the sources and by its content: the bytecode of a kernel
and of all kernels that it calls, and the numbers that these read. So a second checkout, another
path or a newer date compile nothing anew, and a change in a kernel that is called does.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from importlib.metadata import version
from inspect import unwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, TypeVar, cast

import numpy as np

from theory.shared.links import refuse_foreign_links

__all__ = [
    "cache_folder",
    "cheapest",
    "fused_kernel",
    "kept_in",
    "kernel",
    "machine_code",
    "machine_code_folder",
    "settle",
    "show_progress_line",
    "unordered_kernel",
    "versions",
]

F = TypeVar("F", bound=Callable[..., Any])

_IMPORT: Final = 600_000
"""What importing numba costs, in steps of a loop in Python, each of about a microsecond."""
_LOAD: Final = 20_000
"""What reading machine code from disk costs, in such steps."""
_COMPILE: Final = 500
"""What compiling costs for each byte of bytecode, in such steps."""
_LONG: Final = 1_500
"""Bytes of bytecode from which compiling takes over a second."""
_DAYS: Final = 30
"""How long machine code that nobody uses is kept."""
_FOLDER: Final = re.compile(r"[\w.]+-[0-9a-f]{20}")
"""The name of a folder that holds the machine code of one kernel."""
_CODE: Final = re.compile(r".+\.nb[ci](\.tmp\.[0-9a-f]+)?")
"""The name of a file that numba keeps in there, or was writing when it was ended."""


def kernel(function: F) -> F:
    """Let a function of arrays and numbers be compiled to machine code; return the function.

    Tests wrap functions to check the types of their arguments; a compiler reads the plain
    function, so the wrapping is taken off. Division by zero follows IEEE 754, without a warning: a
    kernel checks what it divides by.

    A kernel may read numbers, call kernels, and use what numba knows. It gives the same bits either
    way if it leaves sums to loops (``numpy.sum`` adds in another order), takes roots, exponentials
    and logarithms from ``math``, and calls these within their domains only.
    """
    return _register_kernel(function, frozenset())


def fused_kernel(function: F) -> F:
    """As :func:`kernel`, where machine code at once may round a product and a sum together.

    No other liberty is taken: what the rounding of sums and differences alone decides stays right.
    """
    return _register_kernel(function, frozenset({"contract"}))


def unordered_kernel(function: F) -> F:
    """As :func:`kernel`, where machine code at once may add in any order, and so in lanes.

    Meant for functions as small as ``a + b``: a loop that gathers its total through one may be
    split, while all else in the loop is computed as written. Such a loop must write to no array:
    where arrays lie in memory would else decide whether it is split, and so the last bits.
    """
    return _register_kernel(function, frozenset({"contract", "reassoc", "nsz"}))


def cheapest(function: F, work: float) -> F:
    """Return what computes a kernel without liberties: itself, or machine code once that pays.

    Parameters
    ----------
    function : kernel
        Any other function is returned as it is.
    work : number
        About how many steps of its loops the call will take.

    Notes
    -----
    Machine code is used from when the calls so far took as long as reading or compiling it would
    have, and those of all kernels as long as importing numba, unless that was imported anyway. So a
    process spends at most about twice what is best in hindsight. The results are the same bits
    either way: they do not depend on what happened before.
    """
    known = _KERNELS.get(function)
    if known is None:
        return function
    return cast("F", known.exact or known.choose(work))


def machine_code(function: F, *, exact: bool = False) -> F:
    """Return the machine code of a kernel, which is compiled at its first call if need be.

    It takes the liberties of the kernel and of those that it calls, unless it is to be exact.
    """
    return cast("F", _KERNELS[function].compile(exact))


def settle() -> bool:
    """Use machine code from now on for all kernels that were used; return whether any changes.

    For measurements of what goes on for long: nothing else depends on it.
    """
    waiting = [known for known in _KERNELS.values() if known.work and known.exact is None]
    for known in waiting:
        known.exact = known.compile(True)
    return bool(waiting)


def machine_code_folder(function: Callable[..., Any], *, exact: bool = False) -> str:
    """Return the folder in which the machine code of a kernel is kept."""
    return _KERNELS[function].folder(exact)


def versions() -> int:
    """Return how many versions of machine code there are: kernels times types of arguments."""
    codes = (code for known in _KERNELS.values() for code in known.codes.values())
    return sum(len(getattr(code, "signatures", ())) for code in codes)


def kept_in() -> str:
    """Return the folder for machine code.

    It is ``mechproof-numba`` in NUMBA_CACHE_DIR where that is set, otherwise ``mechproof/numba`` in
    XDG_CACHE_HOME or in ``.cache`` in the home folder.
    """
    if given := os.environ.get("NUMBA_CACHE_DIR"):
        return os.path.join(given, "mechproof-numba")
    return os.path.join(cache_folder(), "numba")


def cache_folder() -> str:
    """Return ``mechproof`` in XDG_CACHE_HOME or in ``.cache`` in the home folder.

    Where both are unknown, or no whole path, it is none that can be made: nothing is kept.
    """
    given = os.environ.get("XDG_CACHE_HOME", "")
    caches = given if os.path.isabs(given) else os.path.expanduser(os.path.join("~", ".cache"))
    whole = os.path.isabs(caches)  # else it would be the current folder, which others may fill
    return os.path.join(caches if whole else os.devnull, "mechproof")


def show_progress_line(line: str) -> None:
    """Show a line on a terminal, in the place of the last one; an empty one wipes it off.

    A process that another started for its work shows nothing: the terminal is not its own.
    """
    processes = sys.modules.get("multiprocessing.process")  # a worker has loaded it
    ours = processes is None or processes.parent_process() is None
    if ours and sys.stderr is not None and sys.stderr.isatty():
        room = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r{line[:room]:<{room}}" if line else f"\r{'':<{room}}\r")
        sys.stderr.flush()


class _Kernel:
    """A kernel, what it has cost so far, and its machine code."""

    all_work = 0.0
    """Of all kernels in this process."""

    def __init__(self, function: FunctionType, liberties: frozenset[str]) -> None:
        self.function, self.liberties = function, liberties
        self.exact: Any = None
        self.work = 0.0
        self.codes: dict[bool, Any] = {}

    def choose(self, work: float) -> Any:
        """Count work; return the function, or from when that pays its exact machine code."""
        self.work += work
        _Kernel.all_work += work
        price = _LOAD if self._on_disk else _COMPILE * self.length
        first = 0 if "numba" in sys.modules else _IMPORT
        if self.work < price or _Kernel.all_work < first + price:
            return self._plain
        self.exact = self.compile(True)
        return self.exact

    def compile(self, exact: bool) -> Any:
        """Return what numba compiles at its first call, with or without liberties."""
        if exact and not self.free:
            exact = False
        if exact not in self.codes:
            self.codes[exact] = self._dispatcher(exact)
        return self.codes[exact]

    def _dispatcher(self, exact: bool) -> Any:
        numba = _numba()
        parts = {name: part.compile(exact) for name, part in self.parts.items()}
        plain = self.function
        names = plain.__globals__ | parts
        clone = FunctionType(
            plain.__code__, names, plain.__name__, plain.__defaults__, plain.__closure__
        )
        clone.__module__ = plain.__module__
        clone.__qualname__ = plain.__qualname__ + ("_exactly" if exact else "")
        clone.__dict__["kernel"] = self
        clone.__dict__["folder"] = self.folder(exact)
        liberties = set() if exact else set(self.liberties)
        found = numba.njit(error_model="numpy", fastmath=liberties or False)(clone)
        if found is not clone:  # NUMBA_DISABLE_JIT leaves it as it is
            with suppress(RuntimeError):  # no folder may be written to
                found._cache = _cache_class()(clone)
        return found

    @property
    def name(self) -> str:
        """The package and the function."""
        return f"{self.function.__module__.replace('._kernels', '')}.{self.function.__name__}"

    def folder(self, exact: bool) -> str:
        """Return where machine code is kept."""
        exact = exact and self.free
        words = (self.digest(exact), *_versions())
        content = hashlib.sha256(repr(words).encode()).hexdigest()[:20]
        return os.path.join(kept_in(), f"{self.name}-{content}")

    def digest(self, exact: bool) -> str:
        """Return a digest of all that machine code is made from."""
        plain = self.function
        if plain.__closure__:
            raise TypeError(f"{plain.__qualname__} reads variables of the function around it")
        read = {name: plain.__globals__.get(name) for name in _names(plain.__code__)}
        words = [
            plain.__qualname__,
            "" if exact else repr(sorted(self.liberties)),
            repr(plain.__defaults__),
            *_code(plain.__code__),
        ]
        for name, value in sorted(read.items()):
            if name in self.parts:
                words.append(f"{name} is {self.parts[name].digest(exact)}")
            elif isinstance(value, ModuleType) and value.__name__ in ("numpy", "math"):
                words.append(f"{name} is {value.__name__}")
            elif isinstance(value, bool | int | float | str | tuple | np.generic):
                words.append(f"{name} = {value!r}")
            elif value is not None:
                raise TypeError(f"{plain.__qualname__} reads {name}, which is no number or kernel")
        return hashlib.sha256("\0".join(words).encode()).hexdigest()

    @cached_property
    def parts(self) -> dict[str, _Kernel]:
        """The kernels that it calls, by the names by which it does."""
        plain = self.function
        called = {name: plain.__globals__.get(name) for name in _names(plain.__code__)}
        if any(value is plain for value in called.values()):
            raise TypeError(f"{plain.__qualname__} calls itself: write a loop")
        functions = {name: f for name, f in called.items() if isinstance(f, FunctionType)}
        return {name: _KERNELS[f] for name, f in functions.items() if f in _KERNELS}

    @cached_property
    def free(self) -> bool:
        """Whether it, or what it calls, takes liberties."""
        return bool(self.liberties) or any(part.free for part in self.parts.values())

    @cached_property
    def length(self) -> int:
        """Bytes of bytecode, with what it calls."""
        return len(self.function.__code__.co_code) + sum(p.length for p in self.parts.values())

    @cached_property
    def _on_disk(self) -> bool:
        try:
            return any(name.endswith(".nbc") for name in os.listdir(self.folder(self.free)))
        except OSError:
            return False

    @cached_property
    def _plain(self) -> Callable[..., Any]:
        function = self.function

        def plainly(*arguments: Any) -> Any:
            with np.errstate(all="ignore"):
                return _without_scalars(function(*arguments))

        return plainly


_KERNELS: Final[dict[Callable[..., Any], _Kernel]] = {}


def _register_kernel(function: F, liberties: frozenset[str]) -> F:
    plain = unwrap(function)
    _KERNELS[plain] = _Kernel(cast("FunctionType", plain), liberties)
    return cast("F", plain)


def _without_scalars(found: Any) -> Any:
    """Return numbers of Python in the place of NumPy's, as machine code does."""
    if isinstance(found, tuple):
        return tuple(map(_without_scalars, found))
    return found.item() if isinstance(found, np.generic) else found


def _code(code: CodeType) -> list[str]:
    """Return what a function does, without the places and the dates of its source."""
    words = [code.co_code.hex(), repr(code.co_names)]
    for constant in code.co_consts:
        words += _code(constant) if isinstance(constant, CodeType) else [repr(constant)]
    return words


def _names(code: CodeType) -> set[str]:
    """Return the names that a function reads, those of the functions within it included."""
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return set(code.co_names).union(*map(_names, inner))


@cache
def _versions() -> tuple[str | None, ...]:
    return (sys.implementation.cache_tag, version("numba"), version("llvmlite"))


def _keep_from_settings_of_the_folder() -> None:
    """Load numba's settings without YAML, so that it reads no file of the current folder.

    It would read ``.numba_config.yaml`` there, which may name files that it then writes.
    """
    if "numba" in sys.modules:
        return
    known = sys.modules.get("yaml", "")
    sys.modules["yaml"] = None  # type: ignore[assignment]
    try:
        import_module("numba.core.config")
    finally:
        del sys.modules["yaml"]
        if known:
            sys.modules["yaml"] = known  # type: ignore[assignment]


@cache
def _numba() -> Any:
    """Import numba, and say from now on what takes it long."""
    _keep_from_settings_of_the_folder()
    import numba
    from numba.core import event

    depth = 0

    class Announcing(event.Listener):
        def on_start(self, event: Any) -> None:
            nonlocal depth
            compiled = getattr(event.data["dispatcher"].py_func, "kernel", None)
            if depth == 0 and compiled is not None and compiled.length >= _LONG:
                show_progress_line(f"mechproof: compiling {compiled.name}, some seconds once")
            depth += 1

        def on_end(self, event: Any) -> None:
            nonlocal depth
            depth -= 1
            compiled = getattr(event.data["dispatcher"].py_func, "kernel", None)
            if depth == 0 and compiled is not None and compiled.length >= _LONG:
                show_progress_line("")

    cast("Any", event).register("numba:compile", Announcing())
    return numba


class _Kept:
    """Where numba keeps the machine code of a kernel, as its caches ask."""

    def __init__(self, function: Any, file: str) -> None:
        self._path, self._py_file = str(function.folder), file

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Kept | None:
        kept = cls(function, file)
        try:
            kept.ensure_cache_path()
        except OSError:
            return None
        return kept

    def get_cache_path(self) -> str:
        return self._path

    def get_source_stamp(self) -> str:
        return os.path.basename(self._path)

    def get_disambiguator(self) -> str:
        return self._path[-8:]

    def ensure_cache_path(self) -> None:
        new = not os.path.isdir(self._path)
        refuse_foreign_links(self._path)
        os.makedirs(self._path, 0o700, exist_ok=True)
        if hasattr(os, "geteuid"):
            _keep_others_out(self._path)
        os.utime(self._path)
        if not os.access(self._path, os.W_OK):
            raise PermissionError(self._path)
        if new:
            _forget_older(self._path)


def _keep_others_out(folder: str) -> None:
    """Let nobody else write to a folder: what is read there is unpickled, and run.

    What others may have written there before is removed, and compiled anew.
    """
    found = os.stat(folder)
    if found.st_uid != os.geteuid():
        raise PermissionError(folder)
    if found.st_mode & 0o022:
        os.chmod(folder, 0o700)
        _remove_code(folder)


def _remove_code(folder: str) -> None:
    """Remove the files that numba writes, and nothing else."""
    for name in filter(_CODE.fullmatch, os.listdir(folder)):
        os.unlink(os.path.join(folder, name))


def _forget_older(newest: str) -> None:
    """Remove the machine code beside a folder that nobody has used for long before it was made.

    Only files that numba writes are removed, from folders that are named as ours are; a folder that
    holds anything else stays.
    """
    latest = os.stat(newest).st_mtime - _DAYS * 86_400
    with os.scandir(os.path.dirname(newest)) as entries:
        for entry in entries:
            with suppress(OSError):  # another process was faster, or somebody keeps more in there
                ours = _FOLDER.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)
                if ours and entry.stat().st_mtime < latest:
                    _remove_code(entry.path)
                    os.rmdir(entry.path)


@cache
def _cache_class() -> Any:
    from numba.core import caching

    base: Any = caching.FunctionCache
    results: Any = caching.CompileResultCacheImpl

    class KeptResults(results):  # type: ignore[misc]
        _locator_classes = (_Kept,)

    class KeptCode(base):  # type: ignore[misc]
        _impl_class = KeptResults

        def load_overload(self, sig: Any, target_context: Any) -> Any:
            """Return what is kept; of a file that is damaged nothing, and it is written anew."""
            try:
                return super().load_overload(sig, target_context)
            except Exception:  # a pickle that is cut off may raise anything
                with suppress(OSError):
                    self._cache_file.flush()
                return None

        def save_overload(self, sig: Any, data: Any) -> None:
            """Keep machine code, where there is room for it."""
            with suppress(Exception):
                super().save_overload(sig, data)

    return KeptCode
