"""What the modules of a package define, found by its name: demos, and games to be played."""

from __future__ import annotations

import pkgutil
from dataclasses import dataclass
from importlib import import_module
from typing import Generic, TypeVar, cast

from mechproof.unknown_names import unknown_name

__all__ = ["NamedModules"]

T = TypeVar("T")


@dataclass(frozen=True)
class NamedModules(Generic[T]):
    """One thing of a kind for each module of a package that defines it.

    Attributes
    ----------
    package : str
        Modules that begin with ``_`` do not count.
    attribute : str
        What the thing is called in its module. Its own ``name`` is that of the module, with ``-``
        for ``_``.
    kind : str
        What such a thing is, in a word.

    Examples
    --------
    >>> list(NamedModules("mechproof.demos", "DEMO", "demo").all())[:2]
    ['arena', 'inspection']
    """

    package: str
    attribute: str
    kind: str

    def all(self) -> dict[str, T]:
        """Return all of them by name."""
        found = ((module.replace("_", "-"), self._in(module)) for module in self._modules)
        return {name: each for name, each in found if each is not None}

    def named(self, name: object) -> T | None:
        """Return the one of a name, None if there is none; only its module is loaded."""
        module = name.replace("-", "_") if isinstance(name, str) else ""
        known = module in self._modules and module.replace("_", "-") == name
        return self._in(module) if known else None

    def read(self, name: object) -> T:
        """Return the one of a name.

        Raises
        ------
        UnknownNameError
            Where there is none; it names the nearest.
        """
        found = self.named(name)
        if found is None:
            raise unknown_name(self.kind, str(name), self.all())
        return found

    @property
    def _modules(self) -> tuple[str, ...]:
        names = (info.name for info in pkgutil.iter_modules(import_module(self.package).__path__))
        return tuple(name for name in names if not name.startswith("_"))

    def _in(self, module: str) -> T | None:
        loaded = import_module(f"{self.package}.{module}")
        return cast("T | None", getattr(loaded, self.attribute, None))
