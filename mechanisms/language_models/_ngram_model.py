"""A language model that counts which word follows which."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Final

from mechanisms.language_models._advice import advice
from mechanisms.language_models._chain import Chain
from mechanisms.language_models._word_counts import Counting, read_texts
from mechanisms.language_models.explicit import Explicit
from theory.shared.arguments import read_count

__all__ = ["LONGEST", "NGramModel"]

LONGEST: Final = 10_000
"""No reply is longer, in words."""


class NGramModel(Explicit):
    """Word after word, each as often as it followed the words before it in the text.

    A reply is y = w_1 ... w_k, and

        pi(y) = prod_t c(h_t, w_t) / c(h_t),

    where c counts in the training text, h_t are the last ``order`` - 1 words before w_t in the same
    sentence, and the end of a text is a word as well. The reply ends with it, or after ``longest``
    words. The law is the same for every prompt, and probabilities are rational.

    Make one with :meth:`train`.

    Notes
    -----
    A sentence ends with a word that ends in ".", "!" or "?". Nothing of it is remembered after
    that; the start of a reply is another state. Words are what stands between white space, and one
    space is put between the words of a reply, so that a reply is spelled in one way only.
    """

    def __init__(self, chain: Chain, order: int) -> None:
        self._chain = chain
        self.order = order

    @classmethod
    def train(
        cls, texts: Iterable[str] | None = None, *, order: int = 2, longest: int = 60
    ) -> NGramModel:
        """Count the words of texts, each of which is an example of a reply.

        Parameters
        ----------
        texts : iterable of str, optional
            At least one, none of them blank. Left out, it is the advice that comes with the
            package, :func:`advice`.
        order : int
            From 1 (words are independent) to 8.
        longest : int
            The most words of a reply, from 1 to 10,000.

        Raises
        ------
        InvalidInputError
            Where there are no texts or a blank one, or a number is out of range.
        LimitError
            Where there are more than a million words.

        Examples
        --------
        >>> model = NGramModel.train(["Drink tea", "Drink water", "Eat bread and drink tea"])
        >>> for reply, probability in model.law("What now?").items():
        ...     print(probability, reply)
        1/3 Drink tea
        1/3 Drink water
        1/3 Eat bread and drink tea
        """
        order = read_count("order", order, 1, 8)
        longest = read_count("longest", longest, 1, LONGEST)
        lines = [line for lines in advice().values() for line in lines]
        counting = Counting(order, longest)
        for words in read_texts("texts", lines if texts is None else texts):
            counting.add(words, 0)
        return cls(counting.chain(counting.graph(), [Fraction(1)]), order)

    def reply_law(self, prompt: str) -> Chain:
        """Return the chain, which is the same for every prompt."""
        return self._chain

    def __repr__(self) -> str:
        graph = self._chain.graph
        return f"NGramModel(order={self.order}, {len(graph.words)} words, {graph.states} states)"
