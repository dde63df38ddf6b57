"""Files of the user's that hide a package of ours, such as a ``theory.py`` beside the program."""

from __future__ import annotations

import os
import sys
from importlib.machinery import PathFinder
from importlib.util import find_spec
from typing import Final

__all__ = ["HOME", "HiddenPackageError", "hidden_package", "refuse_hidden", "search_here"]

HOME: Final = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The folder in which our packages are: a checkout, or where packages are installed."""
_PACKAGES: Final = ("theory", "mechanisms", "llm_adapters", "papers")


class HiddenPackageError(ImportError):
    """A module of the user's has the name of a package of ours, and Python finds it first."""


def refuse_hidden(*packages: str) -> None:
    """Raise where Python finds somebody else's module under the name of a package of ours.

    Nothing is imported: a file that hides one may be a program, and is not run.

    Parameters
    ----------
    *packages : str
        Those that are about to be imported.

    Raises
    ------
    HiddenPackageError
        It says which file hides which package, and what to do.
    """
    found = hidden_package(*packages)
    if found is not None:
        raise found


def hidden_package(*packages: str) -> HiddenPackageError | None:
    """Return the error for the first of these packages that is hidden, or of all; None if none."""
    for name in packages or _PACKAGES:
        place = _place(name)
        if place and not _is_ours(place, name):
            what = "folder" if os.path.isdir(place) else "file"
            message = f"{place} hides the package {name} of mechproof: rename this {what}"
            return HiddenPackageError(message, name=name, path=place)
    return None


def search_here() -> None:
    """Search the current directory for modules first, as ``python -m`` does.

    Where it would hide a package of ours from other processes, ours are searched before it.
    """
    here = os.getcwd()
    if here in sys.path or "" in sys.path:
        return
    sys.path.insert(0, here)
    found = (PathFinder.find_spec(name, [here]) for name in _PACKAGES)
    if any(spec and spec.loader for spec in found) and here != HOME:  # plain folders hide nothing
        sys.path.insert(0, HOME)


def _place(name: str) -> str:
    """Return the folder of a package or the file of a module; nothing where there is neither."""
    try:
        spec = find_spec(name)
    except ValueError:  # what is loaded under this name does not say where it is from
        return ""
    if spec is None:
        return ""
    if spec.submodule_search_locations is not None:
        return next(iter(spec.submodule_search_locations), "")
    return spec.origin or ""


def _is_ours(place: str, name: str) -> bool:
    ours = os.path.join(HOME, name)
    try:
        return place == ours or os.path.samefile(place, ours)
    except OSError:
        return False
