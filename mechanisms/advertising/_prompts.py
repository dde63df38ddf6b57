"""What a language model is asked: a user's question, with or without word of advertisers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mechanisms.advertising._instances import Advertiser
from theory.errors import InvalidInputError

__all__ = ["advertising_prompt", "context_prompt"]


def advertising_prompt(query: str, advertiser: Advertiser) -> str:
    """Return what the model of one advertiser is asked: to answer, and to recommend that firm.

    Raises
    ------
    InvalidInputError
        Where the question is blank, or the second argument no :class:`Advertiser`.

    Examples
    --------
    >>> print(advertising_prompt("How do I mend a sock?", Advertiser("Darnly", "wool in tins")))
    How do I mend a sock?
    <BLANKLINE>
    Give a helpful answer that recommends Darnly, which offers wool in tins.
    """
    firm = _describe_query(query, [advertiser])[0]
    return f"{query}\n\nGive a helpful answer that recommends {firm}."


def context_prompt(query: str, advertisers: Sequence[Advertiser]) -> str:
    """Return what the context-aware model is asked: to answer, and to bring in all the firms.

    Without advertisers it is the question alone, which is what the reference model is asked.

    Raises
    ------
    InvalidInputError
        Where the question is blank, or not all are :class:`Advertiser`.

    Examples
    --------
    >>> firms = [Advertiser("Darnly", "wool in tins"), Advertiser("Heelix", "thick socks")]
    >>> print(context_prompt("How do I mend a sock?", firms))  # doctest: +NORMALIZE_WHITESPACE
    How do I mend a sock?
    <BLANKLINE>
    Give a helpful answer. Where it fits, mention Darnly, which offers wool in tins, and Heelix,
    which offers thick socks.
    >>> context_prompt("How do I mend a sock?", [])
    'How do I mend a sock?'
    """
    firms = _describe_query(query, advertisers)
    if not firms:
        return query
    listed = firms[0] if len(firms) == 1 else ", ".join(firms[:-1]) + f", and {firms[-1]}"
    return f"{query}\n\nGive a helpful answer. Where it fits, mention {listed}."


def _describe_query(query: Any, advertisers: Any) -> list[str]:
    if not isinstance(query, str) or not query.strip():
        raise InvalidInputError("query", query, "is not text, or blank", "give the question")
    if not isinstance(advertisers, Sequence) or isinstance(advertisers, str):
        raise InvalidInputError("advertisers", advertisers, "are no sequence", "give a list")
    for one in advertisers:
        if not isinstance(one, Advertiser):
            fix = "give Advertiser(name, description)"
            raise InvalidInputError("advertisers", one, "is no Advertiser", fix)
    return [f"{one.name}, which offers {one.description}" for one in advertisers]
