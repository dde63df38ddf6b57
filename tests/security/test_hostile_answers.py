"""Whatever is given as an answer is refused by name, or is written so that it can be read again.

A legal answer that cannot be read again would lose the run that it is written with.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import pytest

from mechanisms.advertising._answers import NumberPerReply, Replies
from mechanisms.ascending._beliefs import Believed
from mechanisms.ascending._questions import Bid, Planned
from mechanisms.inspection._questions import Offers
from mechanisms.learners._repeated_game import MixedStrategy
from mechanisms.marginal_value._answers import Price, Utilities
from mechanisms.market._questions import Quotes, Texts
from mechanisms.play import AnswerType, Choice, IllegalAnswerError, Quantity, Subset, Text

GIVEN: Final[dict[str, Any]] = {
    **{f"10^{n}": 10**n for n in (400, 999, 1_001, 3_999, 4_000, 4_200, 5_000)},
    "-10^5000": -(10**5_000),
    "long fraction": Fraction(10**990 + 1, 10**990 + 3),
    "longer fraction": Fraction(10**1_990 + 1, 10**1_990 + 3),
    "longest fraction": Fraction(1, 10**4_500),
    **{text: text for text in ("1e4000", "-1e4000", "1e3999", "1e-4000", "nan", "1/0", "１")},
    "long text of a fraction": "1/" + "7" * 3_990,
    "digits": "9" * 5_000,
    "nan as a float": float("nan"),
    "infinity": float("inf"),
    "the other infinity": -float("inf"),
    "a large float": 1e280,
    "text": "x" * (1 << 21),
    "half a pair": "\ud800",
    "nesting": "[" * 100_000,
    "JSON of a long number": "[" + "7" * 5_000 + "]",
    "a list": [[], {}],
    "nothing": None,
    **{str(legal): legal for legal in (0, 1, "a", "b")},
    "true": True,
    "bytes": b"1",
}

NUMBERS: Final[dict[str, tuple[AnswerType[Any], Callable[[Any], Any]]]] = {
    "quantity": (Quantity(-(10**9)), lambda given: given),
    "money": (Believed(("A", "B"), ("v", "w")), lambda given: {"money": given}),
    "profit of a later bidder": (
        Believed(("A", "B"), ("v", "w")),
        lambda given: {"money": 1, "profits": {"A": 1, "B": given}},
    ),
    "price of a later item": (
        Believed(("A", "B"), ("v", "w")),
        lambda given: {"money": 1, "won": {"B": {"v": 1, "w": given}}},
    ),
    "bid": (Bid(Fraction(1), Fraction(10**300), Fraction(1, 3), None), lambda given: given),
    "priority": (Planned(("a", "b")), lambda given: {"priorities": {"a": 1, "b": given}}),
    **{
        f"utility of a later action, {actions}, {floats}": (
            Utilities((), actions, floats),
            lambda given: {"a": 1, "b": given},
        )
        for actions in (None, ("a", "b"))
        for floats in (None, False, True)
    },
    "price": (Price(("x", "y"), floats=False), lambda given: given),
    "price as a float": (Price(("x", "y"), floats=True), lambda given: given),
    **{
        f"price of a later offer, {floats}": (
            Offers(1, 5, frozenset(), floats),
            lambda given: [
                {"name": "a", "content": 1, "price": 1},
                {"name": "b", "content": 1, "price": given},
            ],
        )
        for floats in (False, True)
    },
    "log-probability": (Replies(2), lambda given: [("a", -1), ("b", given)]),
    "reward": (NumberPerReply(("a", "b"), "reward"), lambda given: [1, given]),
    "probability": (MixedStrategy(("a", "b")), lambda given: [1, given]),
    **{
        f"{field} of a later quote": (
            Quotes(2),
            lambda given, field=field: [
                {"name": "a", "title": "", "text": "", "price": 1},
                {"name": "b", "title": "", "text": "x", "price": 1, field: given},
            ],
        )
        for field in ("name", "title", "text", "price", "score")
    },
    "text": (Text(), lambda given: given),
    "a later text": (Texts(2), lambda given: ["a", given]),
    "option": (Choice(("a", "b")), lambda given: given),
    "a later option": (Subset(("a", "b")), lambda given: ["a", given]),
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_legal_answer_can_be_read_again(name: str) -> None:
    answer, wrap = NUMBERS[name]
    legal = 0
    for given in GIVEN.values():
        for said in (given, wrap(given), *_as_json(wrap(given))):
            try:
                read = answer.read(said)
            except IllegalAnswerError:
                continue
            legal += 1
            written = json.loads(json.dumps(answer.write(read)))
            assert answer.read_written(written) == read
    assert legal


def _as_json(said: Any) -> list[str]:
    try:
        return [json.dumps(said)]
    except (TypeError, ValueError):
        return []
