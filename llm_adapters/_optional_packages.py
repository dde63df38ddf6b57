"""Packages that are imported where they are used, and may be absent."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from llm_adapters.errors import MissingPackageError
from theory.shared.extras import install_command

__all__ = ["require_package"]

_REMARKS: Final = {
    "local": " (on Linux without a GPU, install the CPU build of PyTorch first, with the command "
    "that PyTorch's own page on installing shows for CPU: the usual build brings gigabytes for "
    "GPUs)"
}


def require_package(module: str, *, extra: str) -> Any:
    """Return a module of a package that comes with an extra of ours.

    Parameters
    ----------
    module : str
        The name to import, such as "torch" or "transformers.utils".
    extra : str
        The extra that brings the package.

    Raises
    ------
    MissingPackageError
        Where the package is not there, or lacks something that it needs itself; the message says
        which, and the command that installs it.

    Examples
    --------
    >>> require_package("json", extra="local").loads("[1]")
    [1]
    >>> try:
    ...     require_package("no_such_package", extra="openai")
    ... except MissingPackageError as error:
    ...     print(error)
    there is no package no_such_package: pip install 'openai>=3.54'
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        absent = isinstance(error, ModuleNotFoundError) and error.name in {package, module}
        problem = f"there is no package {package}" if absent else f"{module} does not load: {error}"
        raise MissingPackageError(
            problem, install_command(extra) + _REMARKS.get(extra, "")
        ) from error
