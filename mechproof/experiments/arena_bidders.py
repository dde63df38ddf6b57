"""Who bids in the experiments of the arena, and against whom.

A bidder is named in text as ``[NAME=]KIND``: a kind of :data:`KINDS`, ``person``, a model with what
it does beside bidding such as ``adaptive:local``, or MODULE:NAME of your own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, cast

from mechanisms.ascending import MODULES, Bidder, BudgetAwareBidder, Estimator, RuleBidder
from mechanisms.protocols import ChatModel
from mechproof.demos.bidding import MODULES_OF
from mechproof.demos.models import kind_of
from mechproof.experiments._asking import model_name, short_name, split_name
from mechproof.object_by_name import make_named
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import instance_of, read_count

__all__ = [
    "EXPERIMENTS",
    "KINDS",
    "Entrant",
    "ModelBidder",
    "PersonBidder",
    "ablations",
    "challenge",
    "copies",
    "lineups_by_name",
    "make_bidder",
    "needs_nobody",
    "objectives",
    "read_bidder",
]

OVER: Final = Fraction(1, 10)
"""By what share estimates are too high, as in arena, section 4.1."""

EXPERIMENTS: Final = ("standard", "copies", "ablations", "objectives")
_NAMES: Final = {"none": "no plan"}
"""How a bidder is called that does nothing beside bidding: of "none" nobody says that it bids."""
_PERSON: Final = "person"
_FIELDS: Final = "__dataclass_fields__"

KINDS: Final[Mapping[str, Callable[[str], Bidder]]] = {
    "rule": RuleBidder,
    "choosy rule": lambda name: RuleBidder(name, choose="profit"),
    "estimate": lambda name: Estimator(name, over=OVER),
    "careful": lambda name: Estimator(name, over=OVER, share=1 / (1 + OVER)),
    "budget": lambda name: BudgetAwareBidder(name, over=OVER),
}
"""Bidders by name. "estimate" believes what it is told, which is 10% too much; "careful" knows that
and bids up to the true value; "budget" weighs what its money buys later."""


@dataclass(frozen=True)
class ModelBidder:
    """A bidder that asks a chat model, made anew for each game as a ChatBidder.

    Attributes
    ----------
    name : str
    model : str or ChatModel
        ``local``, ``rules`` or ``URL#NAME`` as in the demos, or a model of your own.
    modules : tuple of str
        What it does beside bidding: "plan", "replan", "beliefs".
    objective : str
        What it is told to be after: "profit", "items", "rank".
    temperature : float
        Of a model that is named; 0 as in the paper.
    tokens : int or None
        The most of an answer; by default 400 of the local model, and 2,000 of a server.
    """

    name: str
    model: str | ChatModel
    modules: tuple[str, ...] = MODULES
    objective: str = "profit"
    temperature: float = 0.0
    tokens: int | None = None

    @property
    def known_as(self) -> str:
        """How records know the model: without the address of a server, which may change."""
        return model_name(self.model)

    def __str__(self) -> str:
        beside = ", ".join(self.modules) or "only bids"
        most = "" if self.tokens is None else f", {self.tokens} tokens"
        return (
            f"{self.name}: {self.known_as} at temperature {self.temperature:g}{most} after "
            f"{self.objective} ({beside})"
        )


@dataclass(frozen=True)
class PersonBidder:
    """Somebody at the terminal."""

    name: str

    def __str__(self) -> str:
        return f"{self.name}: somebody at the terminal"


Entrant = Bidder | ModelBidder | PersonBidder
"""Who can be in a line-up."""


def make_bidder(kind: str, name: str = "", **of_a_model: Any) -> Entrant:
    """Return a bidder of a kind.

    Parameters
    ----------
    kind : str
        Of :data:`KINDS`; ``person``; ``local``, ``rules`` or ``URL#NAME`` for a model, after
        ``adaptive:``, ``static:`` or ``none:`` if it is not to be adaptive; or MODULE:NAME: a
        bidder, or what makes one of a name.
    name : str
        That of the kind by default.
    **of_a_model
        What else a :class:`ModelBidder` has.

    Raises
    ------
    InvalidInputError
        For what is no kind.

    Examples
    --------
    >>> make_bidder("rule")
    RuleBidder(name='rule', limit=4, choose=None)
    >>> print(make_bidder("static:local", "Ann"))
    Ann: local at temperature 0 after profit (plan)
    """
    if kind in KINDS:
        return KINDS[kind](name or kind)
    if kind == _PERSON:
        return PersonBidder(name or kind)
    head, colon, rest = kind.partition(":")
    if head in MODULES_OF and colon:
        kind_of(rest)
        made = ModelBidder(name, rest, MODULES_OF[head], **of_a_model)
        return made if name else replace(made, name=f"{head} {short_name(rest)}")
    if kind in ("local", "rules") or "://" in kind:
        kind_of(kind)
        made = ModelBidder(name, kind, **of_a_model)
        return made if name else replace(made, name=short_name(kind))
    if colon and head and rest:
        return _own(kind, name)
    known = [*KINDS, _PERSON, "adaptive:local", "static:local", "none:local"]
    fix = f"{nearest(kind, known)} (or a model's address, or MODULE:NAME)"
    raise UnknownNameError("bidder", kind, "is no kind of bidder", fix)


def _own(kind: str, name: str) -> Bidder:
    def made(found: Any) -> Any:
        if isinstance(found, type) or not isinstance(found, Bidder):
            return found(name or kind.partition(":")[2])
        return _renamed(found, name) if name else found

    found = make_named(kind, "bidder", "a bidder", made)
    if not isinstance(found, Bidder):
        fix = "give an object with a name and a method bid(call), or what makes one of a name"
        raise InvalidInputError("bidder", kind, "is no bidder", fix)
    return found


def read_bidder(given: object, suffix: str = "", **of_a_model: Any) -> Entrant:
    """Return a bidder that is given as an object, or as text ``[NAME=]KIND``.

    ``suffix`` is added to the name that a kind gives.
    """
    if isinstance(given, str):
        name, kind = split_name(given)
        made = make_bidder(kind, name, **of_a_model)
        return _renamed(made, made.name + suffix) if suffix and not name else made
    if not isinstance(given, (ModelBidder, PersonBidder)):
        instance_of("bidder", given, Bidder, "give the name of a kind, or an object with bid(call)")
    found: Entrant = cast("Any", given)
    return found


def _renamed(bidder: Any, name: str) -> Any:
    """Return a bidder of the same kind under another name."""
    if callable(alike := getattr(bidder, "alike", None)):
        return alike(name)
    copy: Any = deepcopy(bidder)
    if any(each.init and each.name == "name" for each in getattr(copy, _FIELDS, {}).values()):
        return replace(copy, name=name)
    copy.name = name
    return copy


def challenge(
    entrants: Iterable[Entrant | str], against: Sequence[Entrant | str] = ("rule", "estimate")
) -> dict[str, tuple[Entrant, ...]]:
    """Return the line-ups of the standard competition: each entrant against the same two others.

    Examples
    --------
    >>> {name: [bidder.name for bidder in who] for name, who in challenge(["budget"]).items()}
    {'budget': ['budget', 'rule, baseline', 'estimate, baseline']}
    """
    others = [read_bidder(each, ", baseline") for each in against]
    return _by_name((entrant, (entrant, *others)) for entrant in map(read_bidder, entrants))


def _by_name(
    lineups: Iterable[tuple[Entrant, tuple[Entrant, ...]]], suffix: str = ""
) -> dict[str, tuple[Entrant, ...]]:
    found = {}
    for entrant, who in lineups:
        if entrant.name + suffix in found:
            fix = "give each a name of its own, as NAME=KIND"
            raise InvalidInputError("bidder", entrant.name, "is there twice", fix)
        found[entrant.name + suffix] = who
    return found


def copies(bidder: Entrant | str, count: int = 3) -> dict[str, tuple[Entrant, ...]]:
    """Return a line-up of one bidder against itself, under numbered names."""
    one = read_bidder(bidder)
    numbers = range(1, read_count("count", count) + 1)
    seated = tuple(_renamed(one, f"{one.name} {number}") for number in numbers)
    return {f"{one.name} against itself": seated}


def ablations(bidders: Iterable[Entrant | str]) -> dict[str, tuple[Entrant, ...]]:
    """Return the line-ups of arena, section 4.3: one model as adaptive, static and none.

    Parameters
    ----------
    bidders : iterable of ModelBidder or str
        Models, a line-up each; what modules they have does not matter.

    Examples
    --------
    >>> for bidder in ablations(["local"])["local"]:
    ...     print(bidder)
    adaptive: local at temperature 0 after profit (plan, replan, beliefs)
    static: local at temperature 0 after profit (plan)
    no plan: local at temperature 0 after profit (only bids)
    """
    found = []
    for one in map(read_bidder, bidders):
        if not isinstance(one, ModelBidder):
            fix = "give a model: local, rules, or URL#NAME"
            raise InvalidInputError("bidder", one.name, "has no modules to switch off", fix)
        seated = tuple(
            replace(one, name=_NAMES.get(kind, kind), modules=modules)
            for kind, modules in MODULES_OF.items()
        )
        found.append((one, seated))
    return _by_name(found)


def objectives(bidder: Entrant | str | None = None) -> dict[str, tuple[Entrant, ...]]:
    """Return the line-up of arena, section 4.4: two bidders for profit, two for items.

    Parameters
    ----------
    bidder : ModelBidder or str, optional
        A model, which is told what to be after; rule bidders that choose their items by default.

    Examples
    --------
    >>> [bidder.name for bidder in objectives()["objectives"]]
    ['profit 1', 'profit 2', 'items 1', 'items 2']
    """
    one = None if bidder is None else read_bidder(bidder)
    if one is not None and not isinstance(one, ModelBidder):
        fix = "give a model: adaptive:local, rules, or URL#NAME; or none"
        raise InvalidInputError("bidder", one.name, "cannot be told what to be after", fix)
    seated: list[Entrant] = []
    for aim in ("profit", "items"):
        for name in (f"{aim} 1", f"{aim} 2"):
            rule = RuleBidder(name, choose=aim)
            seated.append(rule if one is None else replace(one, name=name, objective=aim))
    return {"objectives": tuple(seated)}


def lineups_by_name(
    name: str,
    bidders: Sequence[Entrant | str] = (),
    against: Sequence[Entrant | str] = (),
    **of_a_model: Any,
) -> tuple[dict[str, tuple[Entrant, ...]], dict[str, Any]]:
    """Return the line-ups of an experiment of the paper, and its settings where they differ.

    "standard" is :func:`challenge`, "copies" :func:`copies` of each bidder, "ablations"
    :func:`ablations`, and "objectives" has 20 items and budgets from 10,000 to 30,000.
    """
    if name not in EXPERIMENTS:
        raise UnknownNameError("name", name, "is no experiment", nearest(str(name), EXPERIMENTS))
    if against and name != "standard":
        fix = 'leave them out, or choose "standard"'
        raise InvalidInputError("against", list(against), f"have no place in {name}", fix)
    entrants = [read_bidder(each, **of_a_model) for each in bidders]
    if name == "objectives":
        if len(entrants) > 1:
            fix = "give one, or none for rule bidders"
            raise InvalidInputError("bidders", list(bidders), "are more than one model", fix)
        budgets = tuple(range(10_000, 30_001, 5_000))
        return objectives(*entrants), {"budgets": budgets, "orders": ("random",)}
    if name == "ablations":
        if not entrants:
            fix = "name one: local, rules, or URL#NAME"
            raise InvalidInputError("bidders", [], "name no model", fix)
        return ablations(entrants), {}
    entrants = entrants or [make_bidder(kind) for kind in KINDS]
    if name == "standard":
        others = [read_bidder(each, ", baseline", **of_a_model) for each in against]
        return (challenge(entrants, others) if others else challenge(entrants)), {}
    pairs = [(entrant, next(iter(copies(entrant).values()))) for entrant in entrants]
    return _by_name(pairs, " against itself"), {}


def needs_nobody(lineups: Mapping[str, Sequence[Entrant]]) -> bool:
    """Whether neither a model nor a person bids."""
    asked = (ModelBidder, PersonBidder)
    return not any(isinstance(each, asked) for who in lineups.values() for each in who)
