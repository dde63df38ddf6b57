"""Writing an answer into a form: the model chooses what is free, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from math import inf
from typing import Any, Final

import numpy as np

from llm_adapters.errors import MissingCapabilityError
from llm_adapters.local._decoding import Decoding, choose_tokens, greatest, law
from llm_adapters.local._json_forms import (
    ArrayForm,
    Either,
    Node,
    Number,
    OpenForm,
    Options,
    Record,
    StringForm,
)
from llm_adapters.local._numerals import Numeral
from llm_adapters.local._strings import PLAIN, complete
from llm_adapters.local._token_scorer import TokenScorer
from theory.errors import LimitError
from theory.shared.shapes import Float64

__all__ = ["Pick", "Written", "picking", "write_answer"]


# --- How many tokens a form may need

Encode = Callable[[str], Sequence[int]]


def reserve(node: Node, lead: str, encode: Encode) -> int:
    """Return the most tokens of a value whose strings and arrays are as short as they may be.

    ``lead`` stands before it. Parts are counted as spelled one by one.
    """
    if isinstance(node, Options):
        return max(len(encode(lead + text)) for text in node.texts)
    if isinstance(node, Either):
        options = [len(encode(lead + text)) for text in node.options]
        return max([*options, *(reserve(each, lead, encode) for each in node.free)])
    assert isinstance(node, OpenForm)
    opening = max(len(encode(lead + c)) for c in node.openings)
    if isinstance(node, Number):
        longest = node.numeral.longest
        return max(opening + longest - 1, len(lead) + longest)
    return opening + _count_inner_tokens(node, encode)


def _count_inner_tokens(node: OpenForm, encode: Encode) -> int:
    if isinstance(node, StringForm):
        return len(encode('"'))
    if isinstance(node, Record):
        keys = [name if place == 0 else f", {name}" for place, (name, _) in enumerate(node.fields)]
        values = [reserve(each, " ", encode) for _, each in node.fields]
        return sum(len(encode(f"{key}:")) for key in keys) + sum(values) + len(encode("}"))
    assert isinstance(node, ArrayForm)
    items = 0
    if node.least:
        more = len(encode(",")) + reserve(node.item, " ", encode)
        items = reserve(node.item, "", encode) + (node.least - 1) * more
    return items + len(encode("]"))


# --- Writing an answer into a form: the model chooses what is free, and nothing else

Pick = Callable[[Any], tuple[int, float]]
"""Given weights as logarithms, which is chosen, and the log-probability with which it is."""

_END: Final = "\0"  # in the place of the character after the answer itself
_ANYTHING: Final = ""


@dataclass(frozen=True)
class Written:
    """An answer.

    Attributes
    ----------
    text : str
        JSON.
    tokens : int
        How many it took, as it was read by the model.
    log_prob : float
        The sum over what was chosen; 0 where the most probable was taken.
    """

    text: str
    tokens: int
    log_prob: float


def picking(decoding: Decoding | None, rng: np.random.Generator) -> Pick:
    """Return what draws from weights, or takes the first of the greatest.

    ``decoding`` does to the choices what it does to tokens elsewhere; None takes the greatest.
    """

    def pick(weights: Float64[np.ndarray, " choices"]) -> tuple[int, float]:
        if decoding is None:
            return int(greatest(weights[None])[0]), 0.0
        log_probs = law(weights[None], decoding)
        taken = int(choose_tokens(log_probs, rng.random(1))[0])
        return taken, float(log_probs[0, taken])

    return pick


def write_answer(
    form: Node, scorer: TokenScorer, prompt: Sequence[int], most: int, pick: Pick
) -> Written:
    """Write an answer of a form, of at most ``most`` tokens.

    What is not free is written without asking. Each choice is made from weights, in the order of
    the text:

    - *one of some values*, and whether an array goes on: the probability that the model gives to
      the answer so far with this value and the character after it, spelled as the tokenizer spells
      it. A value that is not one of a few competes with the probability of its first character,
      for each that it can have.
    - *a number*: token by token, among the tokens with which it can become one that fits; those
      that begin with the character after it count as one, which ends it.
    - *a string*: token by token, among those with which it stays one; those that begin with a
      quotation mark count as one, which ends it. It also ends where it is as long as it may be, or
      the tokens are used up that nothing else needs.

    So the law of the answer is the product of these choices, each renormalised among what fits
    there. It is not the law of the model given that all of the answer fits, except where there is
    a single choice.

    Raises
    ------
    LimitError
        Where the form may need more tokens, with its strings and arrays as short as they may be.
    MissingCapabilityError
        Where the tokenizer has no token with which a number goes on.
    """
    writer = _Writer(scorer, list(prompt), most, pick)
    writer.begin(form)
    writer.value(form, "", (_END,))
    writer.commit()
    return Written("".join(writer.text), len(writer.tokens) - len(prompt), writer.log_prob)


class _Writer:
    def __init__(self, scorer: TokenScorer, tokens: list[int], most: int, pick: Pick) -> None:
        self.scorer = scorer
        self.tokens = tokens
        self.pick = pick
        self.text: list[str] = []
        self.log_prob = 0.0
        self._spare = most
        self._parts: list[str] = []  # of the text, not among the tokens yet
        self.encode = cache(scorer.encode)

    def begin(self, form: Node) -> None:
        """Set aside the tokens that the form may need.

        Raises
        ------
        LimitError
            Where there are not as many.
        """
        needed, most = reserve(form, "", self.encode), self._spare
        if needed > most:
            problem = f"is too little for this JSON Schema, which may need {needed:,}"
            raise LimitError("max_tokens", most, problem, f"give {needed} at least")
        self._spare = most - needed

    def commit(self) -> None:
        """Spell what was written; what comes next is spelled by itself."""
        self.tokens += self._spell(self._parts)
        self._parts = []

    def value(self, node: Node, lead: str, after: tuple[str, ...]) -> None:
        """Write a value and what stands before it; one of the characters ``after`` follows it."""
        if isinstance(node, Number):
            self.commit()
            self._number(node.numeral, "", lead, after)
        elif isinstance(node, OpenForm):
            self._write_fixed(lead + node.openings[0])
            self._write_rest(node, node.openings[0], after)
        else:
            self._one_of(node, lead, after)

    def _one_of(
        self, node: Node, lead: str, after: tuple[str, ...], others: tuple[str, ...] = ()
    ) -> bool:
        """Write a value of any kind or one of some other texts; return whether it is a value."""
        options: tuple[str, ...] = ()
        free: tuple[OpenForm, ...] = ()
        if isinstance(node, Options):
            options = node.texts
        elif isinstance(node, Either):
            options, free = node.options, node.free
        elif isinstance(node, OpenForm):
            free = (node,)
        begun = [(each, c) for each in free for c in each.openings]
        choices: list[tuple[str, tuple[str, ...]]] = [
            *((text, (_ANYTHING,)) for text in others),
            *((lead + text, after) for text in options),
            *((lead + c, (_ANYTHING,)) for _, c in begun),
        ]
        taken = self._choose(choices)
        if taken >= len(others) + len(options):
            self._write_rest(*begun[taken - len(others) - len(options)], after)
        return taken >= len(others)

    def _write_rest(self, node: OpenForm, begun: str, after: tuple[str, ...]) -> None:
        """Write the rest of a value, of which the first character is there."""
        if isinstance(node, Number):
            self.commit()
            self._number(node.numeral, begun, "", after)
        elif isinstance(node, StringForm):
            self.commit()
            self._string(node.most)
            self._write_fixed('"')
        elif isinstance(node, Record):
            for place, (name, each) in enumerate(node.fields, 1):
                self._write_fixed(f"{name}:" if place == 1 else f", {name}:")
                self.value(each, " ", (",",) if place < len(node.fields) else ("}",))
            self._write_fixed("}")
        else:
            assert isinstance(node, ArrayForm)
            self._items(node)

    def _items(self, node: ArrayForm) -> None:
        first = reserve(node.item, "", self.encode)
        more = len(self.encode(",")) + reserve(node.item, " ", self.encode)
        count = 0
        while self._room(node, count, more if count else first):
            free = count >= node.least
            if count and free and self._choose([(",", (_ANYTHING,)), ("]", (_ANYTHING,))]):
                return
            if count and not free:
                self._write_fixed(",")
            self._spare -= (more if count else first) if free else 0
            after: tuple[str, ...] = (",",) if count + 1 < node.least else ("]",)
            if count + 1 >= node.least and self._room(node, count + 1, more):
                after = (",", "]")
            if count or not free:
                self.value(node.item, " " if count else "", after)
            elif not self._one_of(node.item, "", after, ("]",)):
                self._spare += first
                return
            count += 1
        self._write_fixed("]")

    def _room(self, node: ArrayForm, count: int, cost: int) -> bool:
        """Return whether one more value can come after so many."""
        return count < node.least or ((node.most or inf) > count and cost <= self._spare)

    def _write_fixed(self, text: str) -> None:
        self.text.append(text)
        self._parts.append(text)

    def _choose(self, choices: Sequence[tuple[str, tuple[str, ...]]]) -> int:
        """Write one of several texts, each with what may follow it; return its place."""
        taken = 0
        if len(choices) > 1:
            spelled = [
                self._spell_with([*self._parts, text], c) for text, after in choices for c in after
            ]
            shared = _count_shared(spelled)
            rest = [tokens[shared:] for tokens in spelled]
            scores = self.scorer.log_probs([*self.tokens, *spelled[0][:shared]], rest)
            ends = np.cumsum([len(after) for _, after in choices])
            weights = np.array([np.logaddexp.reduce(w) for w in np.split(scores, ends[:-1])])
            taken = self._pick_place(weights if weights.max() > -inf else np.zeros(len(weights)))
        self._write_fixed(choices[taken][0])
        return taken

    def _number(self, numeral: Numeral, text: str, lead: str, after: tuple[str, ...]) -> None:
        texts = self.scorer.pieces.texts
        self.text.append(lead)
        while True:
            whole = not lead and numeral.fits(text)
            going = [
                token
                for token in self.scorer.pieces.numeric
                if texts[token].startswith(lead)
                and numeral.begins(text + texts[token].removeprefix(lead))
            ]
            if whole and not going:
                return
            log_probs = self.scorer.next_log_probs(self.tokens)
            weights = log_probs[going]
            if whole:
                weights = np.append(weights, self._score_stop(log_probs, after))
            if weights.max(initial=-inf) == -inf:
                if whole:
                    return
                problem = f"no token of the model goes on with the number {text!r}"
                raise MissingCapabilityError(problem, 'take schema_mode="instruction"')
            taken = self._pick_place(weights)
            if taken == len(going):
                return
            self.tokens.append(going[taken])
            more = texts[going[taken]].removeprefix(lead)
            self.text.append(more)
            text, lead = text + more, ""

    def _string(self, most: int | None) -> None:
        pieces, state, length = self.scorer.pieces, PLAIN, 0
        begin = len(self.tokens)
        while self._spare and length != most:
            tokens, states, lengths = pieces.after(state)
            if most is not None:
                fits = length + lengths + (states != PLAIN) <= most
                tokens, states, lengths = tokens[fits], states[fits], lengths[fits]
            log_probs = self.scorer.next_log_probs(self.tokens)
            weights = log_probs[tokens]
            if state == PLAIN:
                weights = np.append(weights, self._score_stop(log_probs, ('"',)))
            if weights.max(initial=-inf) == -inf:
                break
            taken = self._pick_place(weights)
            if taken == len(tokens):
                break
            self.tokens.append(int(tokens[taken]))
            self._spare -= 1
            state, length = int(states[taken]), length + int(lengths[taken])
        self.text.append(complete(self.scorer.decode(self.tokens[begin:]), most))

    def _score_stop(self, log_probs: Float64[np.ndarray, " tokens"], after: Sequence[str]) -> float:
        """Return the log-probability of a token that begins with what may follow."""
        found = log_probs[self.scorer.pieces.opening(after)]
        ends = log_probs[[self.scorer.end]] if _END in after else found[:0]
        return float(np.logaddexp.reduce(np.concatenate([found, ends]), initial=-inf))

    def _pick_place(self, weights: Float64[np.ndarray, " choices"]) -> int:
        taken, log_prob = self.pick(weights)
        self.log_prob += log_prob
        return taken

    def _spell_with(self, parts: Sequence[str], after: str) -> tuple[int, ...]:
        if after == _END:
            return (*self._spell(parts), self.scorer.end)
        return self._spell([*parts[:-1], parts[-1] + after])

    def _spell(self, parts: Sequence[str]) -> tuple[int, ...]:
        """Return the tokens of a text, spelled as one if that takes no more of them."""
        apart = tuple(token for part in parts for token in self.encode(part))
        whole = self.encode("".join(parts))
        return whole if len(whole) <= len(apart) else apart


def _count_shared(spelled: Sequence[tuple[int, ...]]) -> int:
    """Return with how many tokens in common all begin."""
    low, high = min(spelled), max(spelled)
    differ = (place for place, token in enumerate(low) if token != high[place])
    return next(differ, len(low))
