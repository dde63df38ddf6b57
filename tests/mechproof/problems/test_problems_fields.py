"""A field that there is not: the suggestion is a field of that very table, in every kind."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from documents import Document, changed, documented, paths, refusal

from mechproof.problems.format.reading import DocumentError, read_toml
from mechproof.problems.format.schema import definitions
from mechproof.problems.kind import kinds, solve

UNKNOWN = "field is unknown"
SUGGESTED = "did you mean '"


def problems(kind: str) -> Iterator[Document]:
    """The example of a kind, and the problems of it that the page shows."""
    yield read_toml(kinds()[kind].example)
    for text in documented("toml"):
        if f'kind = "{kind}"' in text:
            yield read_toml(text)


def tables(document: Document) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the tables in a document; of those in one list the first and the last."""
    keys: tuple[Any, ...]
    for keys, path in paths(document):
        here: Any = document
        inside = True
        for key in keys:
            inside = inside and (not isinstance(here, list) or key in {0, len(here) - 1})
            here = here[key]
        if inside and isinstance(here, dict):
            yield keys, path


def field_names(kind: str) -> list[str]:
    """All fields of all tables of a problem of a kind, wherever they belong."""
    tables = definitions([kinds()[kind].problem]).values()
    names = {name for each in tables for name in each.get("properties", ())}
    return sorted(names)


def told(document: object) -> DocumentError:
    with pytest.raises(DocumentError) as raised:
        solve(document)
    return raised.value


@pytest.mark.parametrize("kind", tuple(kinds()))
def test_the_field_that_is_suggested_is_one_of_that_table(kind: str) -> None:
    names, judged = field_names(kind), 0
    for document in problems(kind):
        for keys, path in tables(document):
            wrong = told(changed(*keys, "?", to=None, document=document))
            if not wrong.message.startswith(UNKNOWN):
                continue  # its names are the user's
            for name in names:
                wrong = told(changed(*keys, name, to=None, document=document))
                if not wrong.message.startswith(UNKNOWN):
                    continue  # a field of this table
                assert wrong.path == path
                fix = wrong.message.partition(SUGGESTED)[2].partition("'")[0]
                judged += 1
                if fix:
                    taken = told(changed(*keys, fix, to=None, document=document))
                    assert not taken.message.startswith(UNKNOWN), (path, name, fix)
                else:
                    listed = wrong.message.partition("known are ")[2].rstrip("…, ").split(", ")
                    assert name not in listed, (path, name)
                    taken = told(changed(*keys, listed[-1], to=None, document=document))
                    assert not taken.message.startswith(UNKNOWN), (path, name, listed)
    assert judged > len(names) // 2


def with_price(*keys: str | int) -> str:
    document = tomllib.loads(kinds()["marginal-value"].example)
    return refusal(changed(*keys, "price", to=1, document=document))


def test_a_field_of_another_table_is_not_suggested_at_its_own_name() -> None:
    judge = tomllib.loads(kinds()["marginal-value"].example)["judge"]
    for place in (0, len(judge) - 1):
        wrong = with_price("judge", place)
        assert wrong.startswith(f"$.judge[{place}]: field is unknown (got 'price'): ")
        assert "'price'?" not in wrong
        assert "revealed" in wrong
    assert with_price().startswith("$: field is unknown (got 'price'): did you mean 'prices'?")


def test_a_field_deep_in_a_tree_is_looked_for_in_its_node() -> None:
    document = tomllib.loads(kinds()["game"].example)
    inner = changed("tree", "moves", "out", "actions", to=None, document=document)
    assert inner["tree"]["moves"]["out"].keys() == {"payoffs", "actions"}
    assert refusal(inner) == (
        "$.tree.moves.out: field is unknown (got 'actions'): known are chance, infoset, moves, "
        "payoffs, player, probability"
    )
