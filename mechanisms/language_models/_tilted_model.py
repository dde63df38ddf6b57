"""The law that the mechanism should converge to, without listing it."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum, inf, isfinite, log
from typing import Any

import numpy as np

from mechanisms.language_models._chain import Chain
from mechanisms.language_models._listed_law import ListedLaw
from mechanisms.language_models._odds import Odds, log_of
from mechanisms.language_models._tilted_chain import TiltedChain
from mechanisms.language_models.arguments import read_prompt
from mechanisms.language_models.explicit import Explicit, ReplyLaw
from theory.errors import InvalidInputError
from theory.numbers import rational

__all__ = ["TiltedModel"]


class TiltedModel(Explicit):
    """The optimum of the auction where rewards are log-ratios, as a language model.

    pi*(y | x) is in proportion to pi_ref(y | x) prod_i (pi_i(y | x) / pi_ref(y | x))^(a_i). That is
    the maximiser of E[sum_i r_i] - tau KL(pi || pi_ref) for r_i = tau_i log(pi_i / pi_ref) and
    a_i = tau_i / tau. Between tables it is listed. Between models that count words it is again one
    that goes from word to word, found backwards from the last word: nothing is listed, and replies
    may be as many as they like.

    Parameters
    ----------
    reference : model
        pi_ref: a table, or one that counts words; decoded and prompted ones too.
    models : sequence of models
        pi_i, of the same sort.
    powers : sequence of numbers, optional
        a_i; all 1 if left out. Rationals or floats.

    Raises
    ------
    InvalidInputError
        Where the models or powers are none; when asked, where tables are mixed with others, the
        replies of some may be longer, no reply is possible, or a negative power meets a reply that
        the reference may give and the model may not.
    LimitError
        Where words times length are above 2 10^7.

    Notes
    -----
    Laws between tables are rational where the tables are and powers are whole numbers. Else
    log-probabilities are right to about 10^-15 times their length. The backward pass takes time and
    memory in proportion to the edges of the graph times the greatest length.

    Examples
    --------
    >>> from mechanisms.language_models import TableModel
    >>> reference = TableModel({"?": {"Tea.": "1/2", "Coffee.": "1/2"}})
    >>> lover = TableModel({"?": {"Tea.": "4/5", "Coffee.": "1/5"}})
    >>> TiltedModel(reference, [lover, lover]).law("?")
    {'Tea.': Fraction(16, 17), 'Coffee.': Fraction(1, 17)}
    """

    def __init__(
        self, reference: Any, models: Sequence[Any], powers: Sequence[Any] | None = None
    ) -> None:
        given: Any = models
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise InvalidInputError("models", models, "are no sequence", "give a list of models")
        self.parts = (reference, *given)
        for model in self.parts:
            if not callable(getattr(model, "reply_law", None)):
                fix = "give a TableModel, an NGramModel, or one made of them"
                raise InvalidInputError("models", model, "has no known law", fix)
        self.powers = tuple(_read_power(one) for one in _one_each(powers, len(given)))
        total: Any = sum(self.powers)
        self._coefficients: tuple[Fraction | float, ...] = (1 - total, *self.powers)
        self._known: dict[tuple[Any, ...], tuple[ReplyLaw, float]] = {}

    def reply_law(self, prompt: str) -> ReplyLaw:
        """Return pi* for a prompt."""
        return self._tilt(prompt)[0]

    def log_partition(self, prompt: str) -> float:
        """Return log sum_y pi_ref(y) prod_i (pi_i(y) / pi_ref(y))^(a_i)."""
        return self._tilt(prompt)[1]

    def _tilt(self, prompt: str) -> tuple[ReplyLaw, float]:
        laws = tuple(model.reply_law(read_prompt(prompt)) for model in self.parts)
        known = self._known.get(laws)
        if known is None:
            known = self._known[laws] = _product(laws, self._coefficients)
        return known

    def expected_log_prob(self, prompt: str, model: Any = None) -> float:
        """Return E[log pi(y | prompt)] over y drawn from pi*, exactly but for rounding.

        Parameters
        ----------
        prompt : str
        model : model, optional
            pi, of the same sort as the others, or another TiltedModel; left out, pi* itself. It
            is -inf where pi* may reply what pi may not.

        Raises
        ------
        InvalidInputError
            As when asked for a reply.

        Examples
        --------
        >>> import numpy as np
        >>> from mechanisms.language_models import TableModel
        >>> reference = TableModel({"?": {"Tea.": "1/2", "Coffee.": "1/2"}})
        >>> lover = TableModel({"?": {"Tea.": "4/5", "Coffee.": "1/5"}})
        >>> optimum = TiltedModel(reference, [lover])
        >>> reward = optimum.expected_log_prob("?", lover)
        >>> reward -= optimum.expected_log_prob("?", reference)
        >>> bool(np.isclose(reward, 0.8 * np.log(1.6) + 0.2 * np.log(0.4)))
        True
        """
        if isinstance(model, TiltedModel):
            parts = [self.expected_log_prob(prompt, part) for part in model.parts]
            terms = [
                float(power) * one
                for power, one in zip(model._coefficients, parts, strict=True)
                if power
            ]
            return fsum(terms) - model.log_partition(prompt)
        law = self.reply_law(prompt)
        if model is None:
            return _expected_own(law)
        if not callable(getattr(model, "reply_law", None)):
            raise InvalidInputError("model", model, "has no known law", "give one that has")
        other = model.reply_law(prompt)
        if isinstance(law, ListedLaw):
            return _expected_listed(law, other)
        laws = [part.reply_law(prompt) for part in self.parts]
        longer, _ = _product([*laws, other], (*self._coefficients, Fraction(0)))
        if not isinstance(longer, TiltedChain):
            raise _mixed_kinds()
        return float(longer.expected_logs()[1][-1])

    def __repr__(self) -> str:
        return f"TiltedModel({self.parts[0]!r}, {list(self.parts[1:])!r})"


def _product(laws: Sequence[Any], powers: Sequence[Fraction | float]) -> tuple[ReplyLaw, float]:
    """Return the law in proportion to the product of powers, and the log of its sum."""
    if all(isinstance(law, Chain) for law in laws):
        tilted = TiltedChain(laws, [float(power) for power in powers])
        return tilted, tilted.log_partition
    if all(isinstance(law, ListedLaw) for law in laws):
        return _listed_product(laws, powers)
    raise _mixed_kinds()


def _mixed_kinds() -> InvalidInputError:
    fix = "give only tables, or only models that count words"
    return InvalidInputError("models", "their laws", "are of several kinds", fix)


def _listed_product(
    laws: Sequence[ListedLaw], powers: Sequence[Fraction | float]
) -> tuple[ListedLaw, float]:
    replies = [reply for reply, one in laws[0].log_of.items() if one > -inf]
    for law, power in zip(laws, powers, strict=True):
        if power < 0 and any(law.log_of.get(reply, -inf) == -inf for reply in replies):
            problem = "is negative for a model that cannot give what the reference may"
            raise InvalidInputError("powers", power, problem, "give a positive power")
    used = [(law, power) for law, power in zip(laws, powers, strict=True) if power]
    if all(law.odds.counts is not None and _is_whole(power) for law, power in used):
        weights = [Fraction(1) for _ in replies]
        for law, power in used:
            exact: dict[str, Any] = dict(zip(law.replies, law.odds.probabilities(), strict=True))
            for number, reply in enumerate(replies):
                weights[number] *= Fraction(exact.get(reply, 0)) ** int(power)
        _some_possible(any(weights))
        total = sum(weights, Fraction(0))
        return ListedLaw(replies, Odds.of_weights("law", weights)), log_of(total)
    logs = [fsum(float(power) * law.log_of.get(y, -inf) for law, power in used) for y in replies]
    _some_possible(max(logs) > -inf)
    top = max(logs)
    total_log = top + log(fsum(np.exp(np.array(logs) - top).tolist()))
    return ListedLaw(replies, Odds.of_logs(logs)), total_log


def _some_possible(possible: bool) -> None:
    if not possible:
        problem = "have no reply that all of them may give"
        raise InvalidInputError("models", "their product", problem, "give others")


def _is_whole(power: Fraction | float) -> bool:
    return isinstance(power, Fraction) and power.denominator == 1 and abs(power) <= 64


def _expected_own(law: Any) -> float:
    if isinstance(law, ListedLaw):
        return _expected_listed(law, law)
    own: float = law.expected_logs()[0]
    return own


def _expected_listed(law: ListedLaw, other: Any) -> float:
    if not isinstance(other, ListedLaw):
        raise _mixed_kinds()
    held = {reply: float(one) for reply, one in law.list_replies().items()}
    return fsum(one * other.log_of.get(reply, -inf) for reply, one in held.items() if one)


def _one_each(powers: Any, count: int) -> Sequence[Any]:
    if powers is None:
        return [1] * count
    if isinstance(powers, str) or not isinstance(powers, Sequence) or len(powers) != count:
        raise InvalidInputError("powers", powers, "are not one a model", f"give {count} numbers")
    return powers


def _read_power(value: Any) -> Fraction | float:
    if isinstance(value, float):
        if not isfinite(value):
            raise InvalidInputError("powers", value, "is not finite", "give a finite number")
        return value
    return rational(value, "powers")
