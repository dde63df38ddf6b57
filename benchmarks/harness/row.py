"""What is measured: a row, how a cost grows, how far a method gets in a minute."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from theory.errors import InvalidInputError

from .targets import AtLeastTimes, AtMostTimes, GrowsNoFaster, Target

__all__ = ["Agree", "Bench", "Growth", "Ladder", "Row", "Work", "close_to", "same"]

Work = Callable[[], Any]
Agree = Callable[[Any, Any], str]
"""From our answer and the peer's: "", or what differs."""


def same(ours: Any, theirs: Any) -> str:
    return "" if ours == theirs else f"ours {ours!r}, theirs {theirs!r}"


def close_to(relative: float = 1e-9, absolute: float = 0.0) -> Agree:
    """Agreement of numbers, or of arrays of them, entry by entry."""

    def agree(ours: Any, theirs: Any) -> str:
        import numpy as np

        mine, other = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
        if mine.shape != other.shape:
            return f"ours has shape {mine.shape}, theirs {other.shape}"
        if np.allclose(mine, other, rtol=relative, atol=absolute):
            return ""
        apart = np.abs(mine - other).max()
        return f"{apart:.1e} apart, where at most {relative:g} relative is asked"

    return agree


@dataclass(frozen=True, kw_only=True)
class Row:
    """The same work done by ours and by a peer.

    id : topic and name, "learning.regret-matching"; ``--only learning`` takes the whole topic.
    issue : the number of the issue that states the target, or asks for the row.
    work : what is done, in one clause; sizes belong to it.
    ours, peer : do the work and return its answer. Build what they are given in `prepare`.
    peer_name : "plain NumPy", "mechaudit"; ``ours_name`` where there are two ways of ours.
    needs : distributions that must be installed for the peer ("open_spiel").
    agree : compares the answers before anything is timed.
    target : what the issue asks, one or several.
    prepare : called once before either, untimed; a `functools.cache` keeps what it builds.
    values : numbers that the answer of ours carries (a residual, a regret), for the record and
        for `AtMostValue`.
    repeats : the most paired repeats; 0 for work so long that the one call whose answer is
        compared is the one that is timed.
    cold : whether the first call is measured too, each side in a process of its own. False for
        work that is itself a process.
    peer_scale : where the peer would not end, `peer` does a part of the work, and the whole is
        that many times as much (a number, or what computes it). Its times are then estimates,
        marked with ≈.
    quick : whether ``--quick`` runs it.
    """

    id: str
    issue: int
    work: str
    ours: Work
    ours_name: str = "ours"
    peer: Work | None = None
    peer_name: str = ""
    needs: tuple[str, ...] = ()
    agree: Agree | None = None
    target: Target | tuple[Target, ...] | None = None
    prepare: Work | None = None
    values: Callable[[Any], Mapping[str, float]] | None = None
    repeats: int = 15
    cold: bool = True
    peer_scale: float | Callable[[], float] = 1.0
    quick: bool = True

    def __post_init__(self) -> None:
        _peer_is_whole(self.id, self.peer, self.peer_name, self.agree)
        beside = (AtMostTimes, AtLeastTimes)
        if self.peer is None and any(isinstance(target, beside) for target in self.targets):
            raise InvalidInputError(self.id, self.work, "is compared with nothing", "give a peer")

    @property
    def targets(self) -> tuple[Target, ...]:
        return _several(self.target)

    @property
    def sides(self) -> dict[str, Work]:
        return {"ours": self.ours} if self.peer is None else {"ours": self.ours, "peer": self.peer}


@dataclass(frozen=True, kw_only=True)
class Growth:
    """How the cost of the same work grows with its size; ``ours(n)`` prepares and returns it.

    Where calls of the peer take minutes, ``peer_up_to`` is the largest size that it is given.
    """

    id: str
    issue: int
    work: str
    sizes: Sequence[int]
    ours: Callable[[int], Work]
    ours_name: str = "ours"
    peer: Callable[[int], Work] | None = None
    peer_name: str = ""
    needs: tuple[str, ...] = ()
    agree: Agree | None = None
    peer_up_to: int | None = None
    target: Target | tuple[Target, ...] | None = None
    repeats: int = 5
    quick: bool = True

    def __post_init__(self) -> None:
        _peer_is_whole(self.id, self.peer, self.peer_name, self.agree)
        if self.peer is None and any(isinstance(each, GrowsNoFaster) for each in self.targets):
            raise InvalidInputError(self.id, self.work, "is compared with nothing", "give a peer")
        if len(self.sizes) < 3 or list(self.sizes) != sorted(set(self.sizes)):
            raise InvalidInputError(
                self.id, self.sizes, "cannot show a growth", "give three rising sizes or more"
            )

    @property
    def targets(self) -> tuple[Target, ...]:
        return _several(self.target)


@dataclass(frozen=True, kw_only=True)
class Ladder:
    """The largest instance that each method does in a minute: each step in a process of its own.

    ``steps(method)`` gives the names of the steps and the work of each, the smallest first.
    """

    id: str
    issue: int
    work: str
    methods: Sequence[str]
    steps: Callable[[str], Iterator[tuple[str, Work]]]
    minute: float = 60.0
    quick: bool = False

    @property
    def targets(self) -> tuple[Target, ...]:
        return ()


Bench = Row | Growth | Ladder


def _several(target: Target | tuple[Target, ...] | None) -> tuple[Target, ...]:
    if target is None:
        return ()
    return target if isinstance(target, tuple) else (target,)


def _peer_is_whole(row: str, peer: object, name: str, agree: object) -> None:
    if len({peer is None, not name, agree is None}) > 1:
        raise InvalidInputError(
            row, name, "has part of a peer", "give peer, peer_name and agree, or none of them"
        )
