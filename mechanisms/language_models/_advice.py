"""The text that comes with the package: plain advice on everyday matters."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

__all__ = ["advice"]


@lru_cache(maxsize=1)
def advice() -> MappingProxyType[str, tuple[str, ...]]:
    """Return 180 short pieces of advice of our own by topic, ten topics in all.

    They are read from the package the first time that they are asked for.

    Examples
    --------
    >>> sorted(advice())[:3]
    ['computers', 'cooking', 'exercise']
    >>> advice()["sleep"][1]
    'Keep the room dark, cool and quiet. A dark room helps you fall asleep sooner.'
    """
    text = files("mechanisms.language_models").joinpath("advice.txt").read_text("utf-8")
    found: dict[str, tuple[str, ...]] = {}
    for block in text.strip().split("# ")[1:]:
        topic, *lines = block.strip().splitlines()
        found[topic] = tuple(lines)
    return MappingProxyType(found)
