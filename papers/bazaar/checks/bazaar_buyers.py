"""Buyers for generated markets, and a search of what they remember."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from types import CodeType, FrameType, FunctionType, ModuleType, TracebackType

from mechanisms.errors import RevokedError
from mechanisms.protocols import Preview, Purchase, Viewing

__all__ = ["DrawnBuyer", "HoardingBuyer", "texts_within"]


@dataclass
class DrawnBuyer:
    """Asks for offers that were drawn, whether it can pay for them or not."""

    wanted: frozenset[str]
    name: str = "buyer"

    def choose(self, viewing: Viewing) -> Sequence[str]:
        """Return the offers that were drawn."""
        return [offer.name for offer in viewing.choice if offer.name in self.wanted]

    def decide(self, question: str, bought: tuple[Purchase, ...]) -> object:
        """Return what it knows."""
        return question, bought


class _LeakingMemory(str):
    """A name that can carry more."""


@dataclass
class HoardingBuyer:
    """Buys what it can pay, in the order of the offers, and tries to keep all that it reads.

    It hides contents in itself, in the question and in the names that it returns, and keeps the
    handles that it reads by; or, where it ``raises``, in an exception. In the end it tells all that
    it still knows.
    """

    raises: bool = False
    name: str = "buyer"
    hoard: dict[str, list[object]] = field(default_factory=lambda: {"kept": []})

    def choose(self, viewing: Viewing) -> Sequence[str]:
        """Read everything, hide it, and choose."""
        offers = [offer for level in viewing.offers for offer in level]
        contents = [offer.read() for offer in offers]
        if self.raises:
            raise RuntimeError(contents)
        self.hoard["kept"] += [contents, *offers]
        object.__setattr__(viewing.question, "text", str(contents))
        left = inf if viewing.budget is None else viewing.budget
        names = []
        for offer in viewing.choice:
            if offer.price <= left:
                left -= offer.price
                names.append(_LeakingMemory(offer.name))
                vars(names[-1])["heard"] = contents
        return names

    def decide(self, question: str, bought: tuple[Purchase, ...]) -> object:
        """Return all that it can still read."""
        read: list[object] = []
        for kept in self.hoard["kept"]:
            with suppress(RevokedError):
                read.append(kept.read() if isinstance(kept, Preview) else kept)
        return question, bought, read


def texts_within(*roots: object) -> set[str]:
    """Return every text that can be reached from some objects, not through code or frames."""
    return {str.__str__(found) for found in _reachable(roots) if isinstance(found, str)}


def _reachable(roots: Sequence[object]) -> Iterator[object]:
    elsewhere = (type, ModuleType, CodeType, FrameType, TracebackType)
    ahead, seen = list(roots), set[int]()
    while ahead:
        found = ahead.pop()
        if type(found) is str:  # holds nothing else; nor do the next
            yield found
            continue
        if found is None or type(found) in (int, bool):
            continue
        if id(found) in seen or isinstance(found, elsewhere):
            continue
        seen.add(id(found))
        yield found
        if isinstance(found, FunctionType):
            ahead.append(found.__closure__)
        else:
            ahead += gc.get_referents(found)
            ahead += [*found] if isinstance(found, dict) else [getattr(found, "__dict__", None)]
