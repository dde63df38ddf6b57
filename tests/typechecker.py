"""The run-time type checker of the tests, and the choice of the modules that it checks.

Checking all of them takes more than half of the time of the tests, so a run checks a tenth, another
one with each commit: ten commits in a row check every module. (A shallow clone checks a tenth that
depends on the name of its commit.) It also checks what the last commit and the working tree
changed, so that a fault is seen where it is made.
"""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any, Self
from zlib import crc32

from beartype import BeartypeConf, beartype
from beartype._check.code import codemain
from jaxtyping import _decorator, install_import_hook
from jaxtyping._import_hook import JaxtypingTransformer, _JaxtypingLoader

from passed import commits, git

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("theory", "mechanisms", "llm_adapters", "papers", "mechproof")
SETTING = "MECHPROOF_TYPECHECKED"
"""The environment variable that chooses: "all", "none", or a digit for one of the tenths."""

_VISIT = JaxtypingTransformer.visit_FunctionDef
NUMERIC_TOWER = BeartypeConf(is_pep484_tower=True)
"""An int is a float to type checkers, so it is one here."""

# beartype draws which entries it looks at; not from the generator that all share, which we watch.
codemain.getrandbits = Random(0).getrandbits  # pyright: ignore[reportPrivateImportUsage]


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Apply beartype to a function or to one method, for which it cannot tell what `Self` is."""
    hints = function.__annotations__.items()
    function.__annotations__ = {name: Any if hint is Self else hint for name, hint in hints}
    return beartype(conf=NUMERIC_TOWER)(function)


def choice(markers: str = "") -> str:
    """Return what is checked: as the environment says; all in a slow run; else a tenth."""
    if setting := os.environ.get(SETTING):
        return setting
    if "slow" in markers.replace("not slow", ""):
        return "all"
    return str(commits(ROOT) % 10)


def modules(chosen: str) -> list[str]:
    """Return the names of the modules that are checked; a package's name stands for all in it.

    A tenth holds no `__init__.py`: its name would stand for the whole package.
    """
    if chosen == "all":
        return list(PACKAGES)
    if chosen == "none":
        return []
    if chosen not in set("0123456789"):
        raise ValueError(f"{SETTING}={chosen!r} is unknown: give all, none or a digit")
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    names = (
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in files
        if path.stem != "__init__"
    )
    return sorted(name for name in names if crc32(name.encode()) % 10 == int(chosen))


def changed() -> list[str]:
    """Return the names of the modules that the last commit or the working tree changed.

    None where git does not say: a clone of one commit does not know the one before.
    """
    try:
        known = git(ROOT, "diff", "--name-only", "--diff-filter=d", "HEAD~1", "--", *PACKAGES)
        new = git(ROOT, "ls-files", "--others", "--exclude-standard", "--", *PACKAGES)
    except (OSError, subprocess.CalledProcessError):
        return []
    paths = (Path(file) for file in f"{known}\n{new}".splitlines())
    return [
        ".".join(path.with_suffix("").parts)
        for path in paths
        if path.suffix == ".py" and path.stem != "__init__"
    ]


def _compiled_anew(loader: _JaxtypingLoader, module: ModuleType) -> None:
    code = loader.source_to_code(loader.get_data(loader.path), loader.path)
    exec(code, vars(module))


def _kept_nowhere(loader: _JaxtypingLoader, *_: object) -> None:
    """Keep no bytecode."""


def _unless_traced(self: JaxtypingTransformer, node: ast.FunctionDef) -> ast.FunctionDef:
    """Leave out what asks for frames: it is called at each step of code that is proved."""
    kinds = [ast.unparse(each.annotation) for each in node.args.args if each.annotation]
    asks = any(kind.removesuffix(" | None") in {"Frame", "FrameType"} for kind in kinds)
    return node if asks else _VISIT(self, node)


CHEAPER = """
class Bound:
    def __init__(self, signature, args, kwargs):
        self.call, self.is_first = (signature, args, kwargs), True

    def apply_defaults(self):
        pass

    @property
    def arguments(self):
        if self.is_first:
            self.is_first = False
            return {}
        signature, args, kwargs = self.call
        bound = inspect.Signature.bind(signature, *args, **kwargs)
        bound.apply_defaults()
        return bound.arguments


class Signature(inspect.Signature):
    def bind(self, /, *args, **kwargs):
        return Bound(self, args, kwargs)
"""
"""For jaxtyping: it binds the arguments of each call, and reads them first for the sizes of arrays
that are written as formulas in braces, which we have not, and then where a check fails. Proofs know
its code by the name of its module.
"""
_MAKE = _decorator._make_fn_with_signature


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    found = inspect.signature(function)
    parameters = [*found.parameters.values()]
    lazy = _decorator.__dict__["Signature"]
    return lazy(parameters, return_annotation=found.return_annotation)


def _without_arguments(
    name: str, qualname: str, module: str, signature: inspect.Signature, output: bool
) -> Any:
    """Check what is returned alone: the arguments were checked before the call."""
    if output:
        parameters = [each.replace(annotation=Any) for each in signature.parameters.values()]
        signature = signature.replace(parameters=parameters)
    return _MAKE(name, qualname, module, signature, output)


def _check_in_less_time() -> None:
    """Let jaxtyping do for each call only what can find a fault: that halves what checks cost."""
    exec(compile(CHEAPER, _decorator.__file__, "exec"), _decorator.__dict__)
    names = {**vars(inspect), "signature": _signature}
    _decorator.__dict__.update(
        inspect=SimpleNamespace(**names), _make_fn_with_signature=_without_arguments
    )


def install(names: Iterable[str]) -> None:
    """Check the named modules where they are imported from now on.

    Their bytecode is not kept. jaxtyping would keep what a checked module imports under the same
    label as itself, checked or not, and a later run with other modules would take that for checked.
    """
    _check_in_less_time()
    _JaxtypingLoader.exec_module = _compiled_anew  # pyright: ignore[reportAttributeAccessIssue]
    # A proof asks the loader for the code of a module; what it gets is not to be found by others.
    _JaxtypingLoader._cache_bytecode = _kept_nowhere  # pyright: ignore[reportAttributeAccessIssue]
    JaxtypingTransformer.visit_FunctionDef = _unless_traced
    install_import_hook([*names], f"{__name__}.{checked.__name__}")
