"""Who buys in the experiments of bazaar.

A buyer is named in text as ``[NAME=]KIND``: a kind of :data:`KINDS`, ``logit:SCALE``, a model with
how it is prompted such as ``debate:local``, or MODULE:NAME of your own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from llm_adapters.players import PROMPTING, ChatMarketBuyer
from llm_adapters.session import Session
from mechanisms.market import Corpus, IdealBuyer, KeywordBuyer, LogitBuyer, OneByOneBuyer
from mechanisms.play import Ask
from mechanisms.protocols import ChatModel
from mechproof.demos.models import LOCAL, RULES, kind_of
from mechproof.experiments._asking import PersonAsked, model_name, short_name, split_name
from mechproof.object_by_name import make_named
from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.shared.arguments import read_positive, read_tuple

__all__ = [
    "KINDS",
    "PROMPTING",
    "ModelBuyer",
    "OwnBuyer",
    "PersonBuyer",
    "RuleBuyer",
    "judging_model",
    "make_buyer",
    "names_somebody",
    "read_buyers",
    "seat_model",
    "seat_person",
    "seat_rule",
]

Seated = Callable[[Ask], object]
"""A buyer that can be asked."""

KINDS: Final[Mapping[str, Callable[[Corpus, str], Seated]]] = {
    "ideal": IdealBuyer,
    "keyword": KeywordBuyer,
    "keyword-stops": lambda corpus, name: KeywordBuyer(corpus, name, stops=True),
    "one-by-one": OneByOneBuyer,
}
"""Buyers by name; ``logit:SCALE`` is one more."""
_LOGIT: Final = "logit"
_PERSON: Final = "person"


@dataclass(frozen=True)
class RuleBuyer:
    """A buyer that follows a rule, and knows what passages of the corpus state.

    Attributes
    ----------
    name : str
    kind : str
        Of :data:`KINDS`, or "logit".
    scale : float or None
        Of a logit buyer.
    """

    name: str
    kind: str
    scale: float | None = None

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}" + ("" if self.scale is None else f" {self.scale:g}")


@dataclass(frozen=True)
class ModelBuyer:
    """A buyer that asks a chat model, made anew for each question.

    Attributes
    ----------
    name : str
    model : str or ChatModel
        ``local``, ``rules`` or ``URL#NAME`` as in the demos, or a model of your own.
    prompting : str
        Of :data:`PROMPTING`.
    temperature : float
        Of a model that is named; 0 as in the paper.
    tokens : int or None
        The most of an answer.
    """

    name: str
    model: str | ChatModel
    prompting: str = "direct"
    temperature: float = 0.0
    tokens: int | None = None

    @property
    def known_as(self) -> str:
        """How records know the model: without the address of a server, which may change."""
        return model_name(self.model)

    def __str__(self) -> str:
        most = "" if self.tokens is None else f", {self.tokens} tokens"
        return f"{self.name}: {self.known_as}, {self.prompting}, at {self.temperature:g}{most}"


@dataclass(frozen=True)
class PersonBuyer:
    """Somebody at the terminal."""

    name: str

    def __str__(self) -> str:
        return f"{self.name}: somebody at the terminal"


@dataclass(frozen=True)
class OwnBuyer:
    """A buyer of your own.

    Attributes
    ----------
    name : str
    buyer : callable
        It is copied for each question.
    described : str
        What tells it from others.
    """

    name: str
    buyer: Seated
    described: str

    def __str__(self) -> str:
        return f"{self.name}: {self.described}"


Entrant = RuleBuyer | ModelBuyer | PersonBuyer | OwnBuyer


def make_buyer(
    kind: str, name: str = "", corpus: Corpus | None = None, **of_a_model: Any
) -> Entrant:
    """Return a buyer of a kind.

    Parameters
    ----------
    kind : str
        Of :data:`KINDS`; ``logit:SCALE``; ``local``, ``rules`` or ``URL#NAME`` for a model, after
        ``direct:``, ``step-by-step:`` or ``debate:`` for how it is prompted; ``person``; or
        MODULE:NAME: what is called with each :class:`~mechanisms.play.Ask` and has a ``name``, or
        what makes one of a corpus and a name.
    name : str
        That of the kind by default.
    corpus : Corpus, optional
        What is handed to what makes a buyer of your own.
    **of_a_model
        What else a :class:`ModelBuyer` has.

    Raises
    ------
    InvalidInputError
        For what is no kind.

    Examples
    --------
    >>> print(make_buyer("logit:2"))
    logit:2: logit 2
    >>> print(make_buyer("debate:local", "Ann"))
    Ann: local, debate, at 0
    """
    if kind in KINDS:
        return RuleBuyer(name or kind, kind)
    if kind == _PERSON:
        return PersonBuyer(name or kind)
    head, colon, rest = kind.partition(":")
    if head == _LOGIT and colon:
        try:
            scale = read_positive("scale", float(rest))
        except ValueError:
            fix = "give logit:SCALE, such as logit:2"
            raise InvalidInputError("buyer", kind, "has no scale", fix) from None
        return RuleBuyer(name or kind, _LOGIT, scale)
    if head in PROMPTING and colon:
        kind_of(rest)
        return ModelBuyer(name or f"{head} {short_name(rest)}", rest, head, **of_a_model)
    if kind in (LOCAL, RULES) or "://" in kind:
        kind_of(kind)
        return ModelBuyer(name or short_name(kind), kind, **of_a_model)
    if head and colon and rest:
        return _own(kind, name, corpus)
    known = [*KINDS, _PERSON, "logit:2", "direct:local", "step-by-step:local", "debate:local"]
    fix = f"{nearest(kind, known)} (or a model's address, or MODULE:NAME)"
    raise UnknownNameError("buyer", kind, "is no kind of buyer", fix)


def _own(kind: str, name: str, corpus: Corpus | None) -> OwnBuyer:
    def made(found: Any) -> Any:
        if isinstance(found, type) or not hasattr(found, "name"):
            return found(corpus, name or kind.partition(":")[2])
        return found

    buyer = make_named(kind, "buyer", "a buyer", made)
    return _read_own(buyer, name, kind)


def _read_own(buyer: Any, name: str = "", described: str = "") -> OwnBuyer:
    named = name or getattr(buyer, "name", None)
    if not callable(buyer) or not isinstance(named, str) or not named.strip():
        fix = "give what is called with an Ask and has a name"
        raise InvalidInputError("buyer", buyer, "is no buyer", fix)
    kind: Any = type(buyer)
    own = kind.__repr__ is not object.__repr__
    return OwnBuyer(named, buyer, described or (repr(buyer) if own else kind.__qualname__))


def read_buyers(given: Iterable[Any], corpus: Corpus, **of_a_model: Any) -> tuple[Entrant, ...]:
    """Return buyers that are given as objects, or as text ``[NAME=]KIND``, each with its own name.

    Raises
    ------
    InvalidInputError
        For what is no buyer, for none, and for two of one name.
    """
    found: list[Entrant] = []
    for each in read_tuple("buyers", given, "give a list of buyers"):
        if isinstance(each, str):
            name, kind = split_name(each)
            found.append(make_buyer(kind, name, corpus, **of_a_model))
        else:
            known = isinstance(each, (RuleBuyer, ModelBuyer, PersonBuyer, OwnBuyer))
            found.append(each if known else _read_own(each))
    names = [each.name for each in found]
    if not names:
        raise InvalidInputError("buyers", names, "are none", "give at least one")
    if len({*names}) < len(names):
        fix = "give each a name of its own, as NAME=KIND"
        raise InvalidInputError("buyers", names, "have one name twice", fix)
    return tuple(found)


def seat_rule(entrant: RuleBuyer | OwnBuyer, corpus: Corpus, seed: int) -> Seated:
    """Return a buyer of one question, which draws by the seed."""
    if isinstance(entrant, OwnBuyer):
        return deepcopy(entrant.buyer)
    if entrant.kind == _LOGIT:
        assert entrant.scale is not None
        draw = np.random.default_rng(seed).random
        return LogitBuyer(corpus, entrant.name, entrant.scale, draw)
    return KINDS[entrant.kind](corpus, entrant.name)


def seat_model(entrant: ModelBuyer, chat: ChatModel, seed: int) -> Seated:
    """Return a buyer of one question that asks a chat model, with a code of its own seed."""
    return ChatMarketBuyer(entrant.name, chat, prompting=entrant.prompting, seed=seed)


def seat_person(entrant: PersonBuyer, session: Session) -> Seated:
    """Return who asks somebody at the terminal; the highest scores make the shortlist."""
    asked = PersonAsked(entrant.name, session)

    def seated(ask: Ask) -> object:
        answer: Any = ask.answer
        if ask.role == "shortlist":
            return [each.name for each in ask.view.offers[-1][: answer.most]]
        return asked(ask)

    return seated


def judging_model(judge: Any, **of_a_model: Any) -> ModelBuyer | None:
    """Return the model that compares answers, where a judge is one: ``local`` or ``URL#NAME``."""
    if isinstance(judge, str) and (judge == LOCAL or "://" in judge):
        kind_of(judge)
        return ModelBuyer("judge", judge, **of_a_model)
    return None


def names_somebody(given: str) -> bool:
    """Whether text names a buyer that asks a model or a person."""
    _, kind = split_name(given)
    head, _, rest = kind.partition(":")
    return kind in (LOCAL, RULES, _PERSON) or "://" in kind or (head in PROMPTING and bool(rest))
