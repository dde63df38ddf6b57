"""A judge whose posterior comes from what a language model gives to answers."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite, log
from typing import Any

import numpy as np

from llm_adapters.players._arguments import read_count, read_text
from llm_adapters.players._belief_judge import BelievingJudge
from llm_adapters.players._judge_prompts import question_after
from llm_adapters.players._judge_task import Hypotheses, StatedHypotheses, Utilities
from llm_adapters.players._quoting import LONGEST
from mechanisms.language_models import checked_log_prob
from mechanisms.protocols import LanguageModel
from theory.errors import InvalidInputError, NumberError
from theory.shared.shapes import Row

__all__ = ["ScoredJudge"]

_MOST_CHARACTERS = 10**7
_HEAVIEST = 1e6


class ScoredJudge(BelievingJudge):
    r"""A judge of the marginal-value mechanism whose posterior comes from scores of answers.

    Each hypothesis h has an answer y_h to the question. With pi(y | S) the probability that the
    model answers y after the items of S, and with the prior p, the belief is

    .. math:: P(h \mid S) \propto p(h) \left( \frac{\pi(y_h \mid S)}{\pi(y_h \mid \emptyset)}
              \right)^{w}.

    For weight w = 1 that is Bayes' rule for an agent who answers what it believes, with the prior
    that the model brings along taken out and the stated one put in its place. With nothing revealed
    it is the stated prior, and nothing is asked.

    Parameters
    ----------
    model : LanguageModel
    question : str
    hypotheses : dict or list of str
        The answer that stands for each, by name; or answers that are names as well. All different.
    utilities : dict
        {action: {hypothesis: utility}}, rationals or floats; a row may also be a list in the order
        of the hypotheses. They are rounded to float64.
    prior : dict, optional
        {hypothesis: probability}, of the same kind; uniform by default.
    weight : float
        w, from above 0 to 10^6: below 1 for a model that makes too much of what it reads.
    name : str
        To whom a model with a method ``for_agent`` is accounted.
    longest : int
        The most characters of one content that the model is shown.

    Attributes
    ----------
    beliefs : tuple of Belief
        The prior, then each set of items that was asked about.

    Raises
    ------
    InvalidInputError
        For arguments of other kinds, and two hypotheses with one answer.

    Notes
    -----
    *Length.* A long answer is less probable than a short one, with the items and without, and the
    ratio takes that out: what the model gives to an answer whatever was said does not count. What
    is left is a sum over tokens of how much the items changed each, so that long answers can move
    further, both ways. Give answers of about the same length, or a lower weight.

    *Zeros.* An answer that the items made impossible is ruled out. Where they ruled out all, or
    where one with positive prior was impossible to begin with (which top-k and top-p do), there is
    no ratio: the belief stays as it was about some of these items, the last that was answered, and
    the failure is counted. Hypotheses of prior zero are not scored.

    One call of ``log_prob`` for each set of items, in alphabetical order, and one for none.

    Source: volition, Definition 4.1; pi(y | S) / pi(y) is the pointwise mutual information.

    Examples
    --------
    >>> from mechanisms.language_models import TableModel
    >>> from llm_adapters.players._judge_prompts import question_after
    >>> ask = "Will it rain?"
    >>> clouds = question_after(ask, {"sky": "| dark clouds"})
    >>> model = TableModel({
    ...     question_after(ask, {}): {"Yes.": "1/2", "No.": "1/2"},
    ...     clouds: {"Yes.": "3/4", "No.": "1/4"},
    ... })
    >>> judge = ScoredJudge(
    ...     model,
    ...     ask,
    ...     {"rain": "Yes.", "dry": "No."},
    ...     {"umbrella": {"rain": 0, "dry": -1}, "none": {"rain": -4, "dry": 0}},
    ...     {"rain": "1/4", "dry": "3/4"},
    ... )
    >>> judge.utilities({})
    {'umbrella': -0.75, 'none': -1.0}
    >>> print(judge.belief({"sky": "dark clouds"}))
    belief given sky
    hypothesis  probability
    ──────────  ───────────
    rain        0.5
    dry         0.5
    """

    def __init__(
        self,
        model: LanguageModel,
        question: str,
        hypotheses: Hypotheses,
        utilities: Utilities,
        prior: Mapping[str, Any] | None = None,
        *,
        weight: float = 1.0,
        name: str = "judge",
        longest: int = LONGEST,
    ) -> None:
        given: Any = model
        if isinstance(given, type) or not isinstance(given, LanguageModel):
            fix = "give an object with the methods sample and log_prob"
            raise InvalidInputError("model", model, "is not a language model", fix)
        stated = StatedHypotheses.in_floats(hypotheses, utilities, prior)
        super().__init__(stated, read_count("longest", longest, 1, _MOST_CHARACTERS))
        self.question = read_text("question", question)
        self.name = read_text("name", name)
        self.weight = _weight(weight)
        self.answers = tuple(text or name for name, text in stated.texts.items())
        if len(set(self.answers)) < len(self.answers):
            fix = "give each an answer of its own"
            raise InvalidInputError("hypotheses", hypotheses, "share an answer", fix)
        named = getattr(given, "for_agent", None)
        self._model: Any = named(self.name) if callable(named) else given
        self._live = tuple(k for k, p in enumerate(stated.prior) if p > 0)
        self._before: Row | None = None
        self._failures = 0

    @property
    def failures(self) -> int:
        """How many sets of items got no ratios."""
        return self._failures

    def _consider(self, shown: dict[str, str]) -> tuple[float, ...] | None:
        if self._before is None:
            self._before = self._scores({})
        after = self._scores(shown) if np.isfinite(self._before).all() else None
        if after is None or np.isneginf(after).all():
            self._count_failure()
            return None
        ratios = after - self._before
        prior: list[Any] = [self._stated.prior[k] for k in self._live]
        logs = np.array([log(p) for p in prior]) + self.weight * (ratios - ratios.max())
        weights = np.exp(logs - logs.max())
        found = np.zeros(len(self.answers))
        found[list(self._live)] = weights / weights.sum()
        return tuple(found.tolist())

    def _scores(self, shown: dict[str, str]) -> Row:
        """Return log pi(y_h | S) for each hypothesis of positive prior."""
        prompt = question_after(self.question, shown)
        answers = [self.answers[k] for k in self._live]
        return np.asarray(checked_log_prob(self._model, prompt, answers, name=self.name))

    def _count_failure(self) -> None:
        self._failures += 1
        session: Any = getattr(self._model, "session", None)
        if session is not None:
            session.count_failure(self._model.agent)


def _weight(value: Any) -> float:
    fix = f"give a number above 0, at most {_HEAVIEST:g}"
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NumberError("weight", value, "is not a number", fix)
    if not 0 < value <= _HEAVIEST or not isfinite(value) or not float(value):
        raise NumberError("weight", value, "is out of range", fix)
    return float(value)
