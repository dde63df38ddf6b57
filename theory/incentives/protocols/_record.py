"""What a run of a mechanism in steps has to say of itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from theory.shared.arguments import read_tuple

__all__ = [
    "MessageSent",
    "MoveMade",
    "PaymentMade",
    "ProtocolRun",
    "RunRecord",
    "SecretsGranted",
    "Step",
]


@dataclass(frozen=True, slots=True)
class MessageSent:
    """A player is told something."""

    player: str
    message: object


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A player does something, for all to know unless it is hidden.

    Attributes
    ----------
    hidden : str
        Where it is not empty, others may know that the player moved, and the move itself is a
        secret of this name: a sealed bid, for instance.
    """

    player: str
    move: object
    hidden: str = ""


@dataclass(frozen=True, slots=True)
class PaymentMade:
    """An amount goes from one account to another."""

    payer: str
    payee: str
    amount: object


@dataclass(frozen=True, slots=True)
class SecretsGranted:
    """From now on these players may know these secrets, since they own or bought them."""

    players: tuple[str, ...]
    secrets: tuple[str, ...]

    def __post_init__(self) -> None:
        read_tuple("players", self.players)
        read_tuple("secrets", self.secrets)


Step = MessageSent | MoveMade | PaymentMade | SecretsGranted


@runtime_checkable
class ProtocolRun(Protocol):
    """What :func:`~theory.incentives.protocols.check_protocol` reads of a run.

    Steps come first: at most ``limit`` of them are read, so they may come from a generator that
    never ends. All else but ``limit`` is read after them. :class:`RunRecord` is one form of it.
    """

    @property
    def limit(self) -> int:
        """The number of steps within which the run is said to end."""
        ...

    @property
    def steps(self) -> Iterable[Step]:
        """What happened, in order."""
        ...

    @property
    def opening(self) -> Mapping[str, object]:
        """The balance of each account before the first step."""
        ...

    @property
    def closing(self) -> Mapping[str, object]:
        """The balance of each account after the last step, as the mechanism has it."""
        ...

    @property
    def floors(self) -> Mapping[str, object]:
        """How far an account may go down: 0 where nothing is said, any distance for None."""
        ...

    @property
    def secrets(self) -> Mapping[str, object]:
        """What a player may know only once it is granted, by name."""
        ...

    @property
    def public(self) -> object:
        """What everybody may know from the start, the strategies of the players included.

        Runs are compared with each other where this is the same.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class RunRecord:
    """A finished run, written down; the fields are those of :class:`ProtocolRun`."""

    steps: Iterable[Step]
    limit: int
    opening: Mapping[str, object] = field(default_factory=dict)
    closing: Mapping[str, object] = field(default_factory=dict)
    floors: Mapping[str, object] = field(default_factory=dict)
    secrets: Mapping[str, object] = field(default_factory=dict)
    public: object = None
