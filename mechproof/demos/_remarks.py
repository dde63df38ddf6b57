"""What transcripts show of the decisions of a model, and what they cannot show."""

from __future__ import annotations

from typing import Final

from mechproof.demos.models import LOCAL, RULES

__all__ = ["DECISIONS", "SMALL"]

SMALL: Final = (
    "The local model has 135 million parameters, which is a test of the plumbing and not of "
    "anybody's rationality."
)

DECISIONS: Final = {
    RULES: "Everybody follows a fixed rule here. What is seen is the mechanism: who may know "
    "what, who pays whom. Nothing is seen of how a model behaves.",
    LOCAL: f"{SMALL} It is held to the form of an answer and chooses only what is free in it, so "
    "that nearly all answers can be read; but its choices are hardly better than chance, and it "
    "may want to buy more than it can pay. What is seen is that the mechanism keeps its accounts "
    "and its secrets whatever its participants say, and that an answer that cannot be used costs a "
    "purchase or a turn, never a wrong reading. Whether inspection or payments for information "
    "make decisions better is not to be seen with such a model.",
    "endpoint": "One run is one run: the accounts, and who was told what, are as the mechanism "
    "says; how good the decisions of this model are would take many questions to say.",
}
"""Of participants that decide what to buy, to reveal or to do."""
