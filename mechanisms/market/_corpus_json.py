"""Corpora as JSON, and the one that comes with the package."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Final, TypeAlias

import msgspec

from mechanisms.market._corpus import Corpus, FactQuestion, Passage, Statement
from theory.errors import InvalidInputError
from theory.shared.arguments import instance_of

__all__ = ["corpus_from_json", "corpus_to_json", "fixed_corpus"]

_LONGEST: Final = 1 << 28
"""The most characters that are read."""

Triple: TypeAlias = tuple[str, str, str]
"""Subject, relation and value of a statement."""


class _Passage(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    name: str
    owner: str
    price: str | int
    title: str
    text: str
    states: list[Triple] = []
    promises: list[Triple] = []


class _Question(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    subject: str
    relations: list[str]
    worth: str | int


class _Corpus(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    passages: list[_Passage]
    questions: list[_Question] = []
    facts: list[Triple] = []
    title_error: str | int = 0
    licence: str = ""


def corpus_to_json(corpus: Corpus, licence: str = "") -> str:
    """Return a corpus as JSON, an entry a line; :func:`corpus_from_json` reads it back.

    Prices and other numbers are exact: texts such as "5/2". Statements are lists of subject,
    relation and value, in the order of the alphabet.

    Parameters
    ----------
    corpus : Corpus
    licence : str
        Of the texts, by its SPDX name.

    Raises
    ------
    InvalidInputError
        For a text with a lone surrogate in it, which is no Unicode.

    Examples
    --------
    >>> passage = Passage("p1", "Ann", "5/2", "Ilm", "Ilm lies on the Raun.")
    >>> print(corpus_to_json(Corpus((passage,))), end="")
    {
    "passages": [
    {"name":"p1","owner":"Ann","price":"5/2","title":"Ilm","text":"Ilm lies on the Raun."}
    ],
    "questions": [
    ],
    "facts": [
    ],
    "title_error": "0",
    "licence": ""
    }
    """
    instance_of("corpus", corpus, Corpus, "give a Corpus")
    instance_of("licence", licence, str, "give text")
    passages = (
        _Passage(
            p.name, p.owner, str(p.price), p.title, p.text, *map(_triples, (p.states, p.promises))
        )
        for p in corpus.passages
    )
    questions = (
        _Question(q.name, q.subject, list(q.relations), str(q.worth)) for q in corpus.questions
    )
    lists = {"passages": passages, "questions": questions, "facts": _triples(corpus.facts)}
    parts = [f'"{name}": [\n{_lines(entries)}]' for name, entries in lists.items()]
    parts += [f'"title_error": "{corpus.title_error}"', f'"licence": {_json(licence)}']
    return "{\n" + ",\n".join(parts) + "\n}\n"


def corpus_from_json(text: str | bytes) -> Corpus:
    """Return the corpus that :func:`corpus_to_json` wrote, or somebody in the same form.

    Raises
    ------
    InvalidInputError
        For what is no such JSON, naming the place, and for what no :class:`Corpus` may hold.

    Examples
    --------
    >>> corpus = corpus_from_json('{"passages": [{"name": "p1", "owner": "Ann", "price": "2.50", '
    ...                           '"title": "Ilm", "text": "Ilm lies on the Raun."}]}')
    >>> corpus.passages[0].price
    Fraction(5, 2)
    """
    instance_of("text", text, (str, bytes), "give JSON")
    if len(text) > _LONGEST:
        raise InvalidInputError("text", f"{len(text):,} characters", "is too long", "cut it up")
    try:
        read = msgspec.json.decode(text, type=_Corpus)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        fix = "write passages with name, owner, price, title and text"
        raise InvalidInputError("corpus", f"JSON, {error}", "cannot be read", fix) from error
    return Corpus(
        tuple(
            Passage(
                p.name, p.owner, p.price, p.title, p.text, *map(_statements, (p.states, p.promises))
            )
            for p in read.passages
        ),
        tuple(FactQuestion(q.name, q.subject, tuple(q.relations), q.worth) for q in read.questions),
        _statements(read.facts),
        read.title_error,
    )


@lru_cache(maxsize=1)
def fixed_corpus() -> Corpus:
    """Return the fixed set: 200 passages, 110 questions, 20 owners, every tenth title shuffled.

    It is ``facts_corpus(2, title_error="1/10")`` as it was when the set was made, kept in the
    package under CC0-1.0: results on it stay comparable whatever becomes of the generator. Half of
    the questions need two facts, and each fact that one needs is stated by a passage.

    Examples
    --------
    >>> corpus = fixed_corpus()
    >>> len(corpus.passages), len(corpus.questions), len(corpus.by_owner())
    (200, 110, 20)
    """
    return corpus_from_json(files("mechanisms.market").joinpath("fixed_corpus.json").read_bytes())


def _triples(statements: Iterable[Statement]) -> list[Triple]:
    return [(each.subject, each.relation, each.value) for each in sorted(statements)]


def _statements(triples: Iterable[Triple]) -> frozenset[Statement]:
    return frozenset(Statement(*triple) for triple in triples)


def _lines(entries: Iterable[object]) -> str:
    written = ",\n".join(map(_json, entries))
    return f"{written}\n" if written else ""


def _json(entry: object) -> str:
    try:
        return msgspec.json.encode(entry).decode()
    except UnicodeEncodeError as error:
        fix = "leave lone surrogates out"
        raise InvalidInputError("corpus", str(error), "is no Unicode", fix) from error
