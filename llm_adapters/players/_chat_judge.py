"""A judge that asks a chat model for posterior probabilities."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, Final, Literal

from llm_adapters.players._agent_chat import AgentChat
from llm_adapters.players._answer_schemas import draws, form_of
from llm_adapters.players._arguments import read_count, read_seed, read_text
from llm_adapters.players._belief_judge import BelievingJudge
from llm_adapters.players._judge_prompts import RULES, brief, posterior_form
from llm_adapters.players._judge_task import Hypotheses, StatedHypotheses, Utilities
from llm_adapters.players._quoting import LONGEST, code_word, money
from mechanisms.protocols import ChatModel, Message
from theory.errors import InvalidInputError, NumberError
from theory.numbers import rational

__all__ = ["ChatJudge"]

_CODE: Final = "code"
_MOST_CHARACTERS: Final = 10**7


class ChatJudge(BelievingJudge):
    """A judge of the marginal-value mechanism that asks a chat model what is probable.

    The model is asked for the probability of each hypothesis given what is revealed; what each
    action is then worth is computed here, exactly:

        u_S(x) = sum over h of P(h | S) u(x, h).

    With nothing revealed the belief is the prior, and nothing is asked. Any other set of items is
    asked about once, in alphabetical order, so that neither the order of the moves nor a repeated
    question changes the belief. An answer that cannot be read is asked for again with what was
    wrong; after the last attempt the belief stays as it was about some of these items, the last
    that was answered, or else the prior. Such failures are counted, and marked in ``beliefs``.
    Errors of the model itself, such as a server that is down or a spent budget, are raised.

    Parameters
    ----------
    chat : ChatModel
    hypotheses : dict or list of str
        What each says, by name; or names alone. Exactly one of them is taken to be true.
    utilities : dict
        {action: {hypothesis: utility}}, rationals; a row may also be a list in the order of the
        hypotheses.
    prior : dict, optional
        {hypothesis: probability}, rationals that sum to one; uniform by default.
    question : str
        What it is all about; shown to the model.
    name : str
        To whom a chat with a method ``for_agent`` is accounted.
    tolerance : rational
        How far the sum of the model's probabilities may be from one, from 0 to 1/10. Each is read
        as the decimal that was written; a sum within the tolerance is divided out exactly, and any
        other is asked for again. The default, 1/50, admits rounding to two places for up to four
        hypotheses, as in 0.33, 0.33, 0.33.
    seed : int
        From 0 to 2^128. The draws for a set of items depend on it, on the prompt, and on nothing
        else. So does the code that an answer must repeat: keep the seed from informants.
    longest : int
        The most characters of one content that the model is shown.

    Attributes
    ----------
    beliefs : tuple of Belief
        The prior, then each set of items that was asked about.

    Raises
    ------
    InvalidInputError
        For arguments of other kinds; a ``ProbabilityError`` where the prior is none, an
        ``ExactnessError`` for floats.

    Notes
    -----
    Contents are quoted: each line stands behind a mark, and an answer counts only with a code that
    hashes the prompt. A model that believes what it reads may still be misled. That is what the
    mechanism pays others to correct.

    One question for each set of items, asked up to three times.

    Source: volition, Definition 4.1.

    Examples
    --------
    >>> import json
    >>> from llm_adapters.fakes import RuleChat
    >>> def forecaster(messages, schema):
    ...     code = schema["properties"]["code"]["const"]
    ...     return json.dumps({"code": code, "rain": 0.9, "dry": 0.1})
    >>> judge = ChatJudge(
    ...     RuleChat(forecaster),
    ...     ["rain", "dry"],
    ...     {"umbrella": {"rain": 0, "dry": -1}, "none": {"rain": -4, "dry": 0}},
    ...     {"rain": "1/4", "dry": "3/4"},
    ... )
    >>> print(*judge.utilities({}).values())
    -3/4 -1
    >>> print(*judge.utilities({"sky": "dark clouds"}).values())
    -1/10 -18/5
    >>> print(judge)
    what the judge believes
    revealed  rain  dry
    ────────  ────  ────
    nothing   1/4   3/4
    sky       9/10  1/10
    """

    def __init__(
        self,
        chat: ChatModel,
        hypotheses: Hypotheses,
        utilities: Utilities,
        prior: Mapping[str, Any] | None = None,
        *,
        question: str = "",
        name: str = "judge",
        tolerance: object = Fraction(1, 50),
        seed: int = 0,
        longest: int = LONGEST,
    ) -> None:
        stated = StatedHypotheses.exactly(hypotheses, utilities, prior)
        if _CODE in stated.texts:
            problem, fix = "is the name of another field of the answer", "name it otherwise"
            raise InvalidInputError("hypotheses", _CODE, problem, fix)
        super().__init__(stated, read_count("longest", longest, 1, _MOST_CHARACTERS))
        self.question = read_text("question", question) if question != "" else ""
        self.name = read_text("name", name)
        self.tolerance = rational(tolerance, "tolerance")
        if not 0 <= self.tolerance <= Fraction(1, 10):
            raise NumberError("tolerance", tolerance, "is out of range", "give one from 0 to 1/10")
        self.seed = read_seed(seed)
        self._line = AgentChat(chat, self.name)

    @property
    def failures(self) -> int:
        """How many sets of items got no answer that could be read."""
        return self._line.failures

    def _consider(self, shown: dict[str, str]) -> tuple[Fraction, ...] | None:
        text = brief(self.question, self._stated, shown)
        code = code_word(self.seed, text)
        asked = [RULES, Message("user", f"{text}\n\n{posterior_form(self._stated, code)}")]
        kind, read = form_of(
            {_CODE: Literal[code]} | dict.fromkeys(self._stated.texts, _probability()),
            self._problem,
        )
        said = self._line.ask(asked, kind, draws(self.seed, text), read)
        if said is None:
            return None
        chances = self._read_decimals(said)
        total = sum(chances, Fraction(0))
        return tuple(p / total for p in chances)

    def _problem(self, said: dict[str, Any]) -> str:
        total = sum(self._read_decimals(said), Fraction(0))
        if abs(total - 1) <= self.tolerance:
            return ""
        return f"the probabilities add up to {money(total)}, and must add up to 1"

    def _read_decimals(self, said: dict[str, Any]) -> tuple[Fraction, ...]:
        """Return the probabilities as the decimals that they were written as."""
        return tuple(Fraction(repr(said[name])) for name in self._stated.texts)


def _probability() -> Any:
    from pydantic import Field

    return Annotated[float, Field(ge=0, le=1)]
