"""The paths that commands are given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from theory.errors import InvalidInputError

__all__ = ["PathOption"]


class PathOption(click.Path):
    """A path that is not empty: Python reads an empty one as the current folder."""

    def __init__(self, *, file_okay: bool = True) -> None:
        super().__init__(path_type=Path, file_okay=file_okay)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path.

        Raises
        ------
        InvalidInputError
            For an empty one; it names the option.
        """
        if value == "":
            option = "the path" if param is None else param.opts[0]
            raise InvalidInputError(option, value, "is empty", "give a path")
        return super().convert(value, param, ctx)
