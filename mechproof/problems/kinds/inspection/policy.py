"""The policy of an inspection protocol: what is chosen at every node, as data and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.typed import Record
from mechproof.problems.shared.answers import Rational
from mechproof.problems.shared.goods import Value, as_text

__all__ = ["PolicyNode", "Purchase", "in_words"]


class Purchase(Record, frozen=True, kw_only=True):
    """What is bought on one level."""

    level: Annotated[int, Meta(description="The level.")]
    goods: Annotated[tuple[str, ...], Meta(description="Names of the goods; none is nothing.")]


class PolicyNode(Record, frozen=True, kw_only=True):
    """What is chosen in one place: what is known there, and what then is best."""

    level: Annotated[
        int, Meta(description="The level whose goods are chosen from; 0 for the action.")
    ]
    purchases: Annotated[
        tuple[Purchase, ...],
        Meta(
            description="What was bought on the levels above, in that order. For successive "
            "inspection on the next level only: no other purchase counts."
        ),
    ]
    known: Annotated[dict[str, Value], Meta(description="Variable: the value that is known.")]
    states: Annotated[tuple[str, ...], Meta(description="The states in which this is known.")]
    probability: Annotated[Rational, Meta(description="Probability of what is known.")]
    reached: Annotated[
        Rational, Meta(description="Probability of getting here; 0 off the path of the protocol.")
    ]
    buy: Annotated[
        tuple[str, ...] | UnsetType, Meta(description="Goods to buy, on level 1 and above.")
    ] = UNSET
    action: Annotated[str | UnsetType, Meta(description="What to do, on level 0.")] = UNSET
    expected: Annotated[
        Rational,
        Meta(
            description="Expected payoff given the known values alone, all prices paid, if the "
            "protocol is followed from here. For successive inspection E[U^n] of the choice given "
            "these values, which is what its choices go by (volition, eqs. 3 to 5)."
        ),
    ]


def in_words(nodes: Iterable[PolicyNode]) -> tuple[str, ...]:
    """Return a sentence for each node that is reached."""
    return tuple(_sentence(node) for node in nodes if node.reached != "0")


def _sentence(node: PolicyNode) -> str:
    parts = [f"Level {node.level}" if node.level else "Action"]
    if node.purchases:
        bought = [name for purchase in node.purchases for name in purchase.goods]
        parts.append(f"after buying {_list_names(bought)}")
    if node.known:
        seen = [f"{name}={_show_value(value)}" for name, value in node.known.items()]
        parts.append(f"knowing {_list_names(seen)}")
    chosen = node.action if isinstance(node.action, str) else f"buy {_list_names(node.buy or ())}"
    return f"{', '.join(parts)}: {chosen}."


def _list_names(names: Sequence[str]) -> str:
    *others, last = names or ("nothing",)
    return f"{', '.join(others)} and {last}" if others else last


def _show_value(value: Value) -> str:
    return value if isinstance(value, str) else as_text(value)
