"""What the transcripts show of a model, and what they cannot show."""

from __future__ import annotations

from mechproof.demos.models import LOCAL, RULES

__all__ = ["remark"]

_AUCTION = "softmax-auction"

_SMALL = (
    "The local model has 135 million parameters, which is a test of the plumbing and not of "
    "anybody's rationality."
)


def remark(demo: str, kind: str) -> str:
    """Return what a demo can and cannot show of participants of a kind."""
    if demo == _AUCTION:
        return _auction(kind)
    if kind == RULES:
        return (
            "Everybody follows a fixed rule here. What is seen is the mechanism: who may know "
            "what, who pays whom. Nothing is seen of how a model behaves."
        )
    if kind == LOCAL:
        return (
            f"{_SMALL} It is held to the form of an answer and chooses only what is free in it, so "
            "that nearly all answers can be read; but its choices are hardly better than chance, "
            "and it may want to buy more than it can pay. What is seen is that the mechanism keeps "
            "its accounts and its secrets whatever its participants say, and that an answer that "
            "cannot be used costs a purchase or a turn, never a wrong reading. Whether inspection "
            "or payments for information make decisions better is not to be seen with such a model."
        )
    return (
        "One run is one run: the accounts, and who was told what, are as the mechanism says; how "
        "good the decisions of this model are would take many questions to say."
    )


def _auction(kind: str) -> str:
    if kind == RULES:
        return (
            "The model counts words, so that all its laws are known. What is seen is the auction: "
            "laws, prices and lies, on numbers that are exact. Nothing is seen of language."
        )
    known = (
        "Log-probabilities are exact whatever the size of the model, so prices, lies and laws "
        "above are those of the mechanism on a real language model, and truth is best for each "
        "firm whatever its rewards are."
    )
    if kind == LOCAL:
        return (
            f"{known} {_SMALL} Its replies are not to be relied on, it may mention a firm without "
            "a reason or none at all, and its log-ratios say little of what an advertiser would "
            "really pay. Replies of a sentence differ by tens of nats, so the optimum on a few of "
            "them is nearly one reply, and the law comes near it only where that one is drawn. How "
            "near it comes to the optimum over all replies is not to be seen: that is not known."
        )
    return (
        f"{known} The server scores at temperature 1 alone, so candidates are drawn so, too, and "
        "the two kinds of weights agree."
    )
