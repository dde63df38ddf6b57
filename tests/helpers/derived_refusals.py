"""Refusals that follow from what is declared, on valid calls that the examples of docstrings make.

Run as a program in plain Python. It runs the examples of everything public that takes counts,
numbers or generators, and remembers the first call of each. What an argument may be is declared by
the reader of ``theory.shared.arguments`` that it is handed to, or else by its annotation. Then each
call is made again with one argument wrong, and what comes of it is printed as JSON.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import doctest
import importlib
import inspect
import io
import json
import pkgutil
import signal
import sys
import types
import typing
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from theory.errors import InvalidInputError
from theory.shared import arguments

PACKAGES = ("theory", "mechanisms", "llm_adapters", "mechproof")
HUGE = 10**400
NEVER: dict[type, list[Any]] = {
    int: [1.5, True, "3", float("nan"), [3], None],
    float: [True, "3", float("nan"), [3], 1j, None],
    np.random.Generator: [0, "rng", np.random, None],
}
"""What no argument of an annotated type may be; None may stand in a union with it."""
SECONDS = 5

Code = types.CodeType


@dataclass
class Target:
    """A public function, constructor or method, a valid call of it, and its wrong arguments."""

    name: str
    call: Callable[..., Any]
    is_constructor: bool
    signature: inspect.Signature
    wrong: dict[str, list[Any]]
    frame: Any = None
    given: dict[str, Any] | None = None
    declared: set[str] = field(default_factory=set)


def annotated(function: Any) -> dict[str, list[Any]]:
    """Return what each argument may never be, by its annotation."""
    found = {}
    for name, hint in typing.get_type_hints(function).items():
        union = typing.get_origin(hint) in (typing.Union, types.UnionType)
        kinds = set(typing.get_args(hint) if union else (hint,))
        known = kinds - {types.NoneType}
        if name == "return" or not known or not known <= set(NEVER):
            continue
        kind = float if float in known else known.pop()
        found[name] = [v for v in NEVER[kind] if v is not None or types.NoneType not in kinds]
    return found


def public() -> Iterator[tuple[Any, str, Any]]:
    """Yield module, name and object of everything in an ``__all__``."""
    for package in PACKAGES:
        root = importlib.import_module(package)
        yield from in_module(root)
        for info in pkgutil.walk_packages(root.__path__, f"{package}."):
            if any(part.startswith("_") for part in info.name.split(".")):
                continue
            try:
                module = importlib.import_module(info.name)
            except ImportError:  # an extra that is not installed
                continue
            yield from in_module(module)


def in_module(module: Any) -> Iterator[tuple[Any, str, Any]]:
    for name in getattr(module, "__all__", ()):
        found = getattr(module, name)
        if str(getattr(found, "__module__", "")).partition(".")[0] in PACKAGES:
            yield module, name, found


def parts(name: str, found: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield a function; of a class the constructor and the methods."""
    if inspect.isfunction(found):
        yield name, found, False
    elif inspect.isclass(found) and not issubclass(found, BaseException):
        yield name, found, True
        for each, found_there in vars(found).items():
            method = getattr(found_there, "__func__", found_there)  # of a class method
            if not each.startswith("_") and inspect.isfunction(method):
                yield f"{name}.{each}", method, False


def targets() -> tuple[dict[Code, Target], dict[int, tuple[str, Any]]]:
    """Return the targets by their code, and the objects whose examples call them."""
    found: dict[Code, Target] = {}
    objects: dict[int, tuple[str, Any]] = {}
    for module, name, thing in public():
        for path, call, is_constructor in parts(name, thing):
            plain: Any = inspect.unwrap(call.__init__ if is_constructor else call)
            code = getattr(plain, "__code__", None)
            if code is None or code in found:
                continue
            try:
                wrong = annotated(plain)
            except (NameError, TypeError):
                continue
            if wrong:
                where = f"{module.__name__}.{path}"
                found[code] = Target(where, call, is_constructor, inspect.signature(plain), wrong)
                objects[id(thing)] = name, thing
    return found, objects


def beyond(reader: str, told: dict[str, Any]) -> list[Any]:
    """Return what a reader refuses beside what the annotation excludes."""
    if reader == "count":
        most = told["most"]
        return [told["least"] - 1, *([] if most is None else [most + 1])]
    below = {"positive": [-1, 0], "nonnegative": [-1]}
    return [HUGE, float("inf"), *below.get(reader, [])]


class Watcher:
    """Sees the first call of each target, and which of its arguments a reader is handed."""

    def __init__(self, known: dict[Code, Target]) -> None:
        self.known = known
        names = ("count", "positive", "nonnegative", "finite", "generator")
        self.readers = {getattr(arguments, f"read_{name}").__code__: name for name in names}

    def __call__(self, frame: Any, event: str, _: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code in self.readers:
            self._declare(frame, self.readers[code])
        elif code in self.known and self.known[code].given is None:
            sys.setprofile(None)
            self.known[code].frame = frame
            self.known[code].given = {k: duplicate(k, v) for k, v in frame.f_locals.items()}
            sys.setprofile(self)

    def _declare(self, frame: Any, reader: str) -> None:
        told = dict(frame.f_locals)
        value = told.get("value", told.get("rng"))
        above = frame.f_back
        while above is not None:
            target, name = self.known.get(above.f_code), told["argument"]
            mine = target is not None and target.frame is above
            if target and mine and name in target.wrong and above.f_locals.get(name) is value:
                if name not in target.declared and reader != "generator":
                    target.wrong[name] = target.wrong[name] + beyond(reader, told)
                target.declared.add(name)
                return
            above = above.f_back


def duplicate(name: str, value: Any) -> Any:
    if name in ("self", "cls"):
        return value
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def run_examples(objects: dict[int, tuple[str, Any]], watcher: Watcher) -> None:
    """Run the examples; what they print is compared elsewhere."""
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(verbose=False)
    for name, thing in objects.values():
        home = sys.modules[thing.__module__]
        for test in finder.find(thing, name, module=home, globs=dict(vars(home))):
            with contextlib.redirect_stdout(io.StringIO()):
                sys.setprofile(watcher)
                try:
                    runner.run(test, clear_globs=False)
                finally:
                    sys.setprofile(None)


def again(target: Target, name: str, wrong: Any) -> str:
    """Make the valid call with one argument wrong; return "" where it is refused as it should."""
    assert target.given is not None
    given = {k: duplicate(k, v) for k, v in target.given.items()} | {name: wrong}
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for each in target.signature.parameters.values():
        value = given.get(each.name, each.default)
        if each.kind is each.VAR_POSITIONAL:
            positional += value
        elif each.kind is each.VAR_KEYWORD:
            named |= value
        elif each.kind is each.KEYWORD_ONLY:
            named[each.name] = value
        else:
            positional.append(value)
    signal.alarm(SECONDS)
    try:
        found = target.call(*positional[target.is_constructor :], **named)
        if inspect.iscoroutine(found):
            asyncio.run(found)
    except InvalidInputError as error:
        right = error.argument == name and (error.value is wrong or error.value == wrong)
        return "" if right and error.problem and error.fix else f"{type(error).__name__}: {error}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return "is taken"


def main() -> None:
    """Print {target(argument): [whether a reader is handed it, {value: what came of it}]}."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("takes long")))
    known, objects = targets()
    run_examples(objects, Watcher(known))
    found = {}
    for target in known.values():
        for name, values in target.wrong.items():
            if target.given is not None and name in target.given:
                told = {repr(v)[:40]: again(target, name, v) for v in values}
                found[f"{target.name}({name})"] = [name in target.declared, told]
    print(json.dumps(found))


if __name__ == "__main__":
    main()
