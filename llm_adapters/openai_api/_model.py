"""A language model behind a server, with the log-probabilities of whole replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, Final

import numpy as np
from msgspec import convert

from llm_adapters.errors import CallError, MissingCapabilityError
from llm_adapters.openai_api._adapter import Adapter, draw_seed
from llm_adapters.openai_api._drawn_replies import DrawnReply, read_drawn
from llm_adapters.openai_api._echoed_scores import ScoredReply, read_echo
from llm_adapters.openai_api._endpoint import Endpoint
from llm_adapters.openai_api._reading import add_cost_to_errors, bound, choices_of, usage_of
from llm_adapters.openai_api._sampling_law import TAKEN, disagreement, read_law
from llm_adapters.session import Answer, Call, Session
from mechanisms.language_models.arguments import number_of_replies, read_prompt, read_replies
from mechanisms.protocols import Sampled
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.shared.shapes import Float64

__all__ = ["OpenAIModel"]

_PATH: Final = "/completions"
_NO_N: Final = "completions: n"
_NO_ZERO: Final = "completions: max_tokens of 0"
_ROUNDS: Final = 20
_MOST: Final = 10_000
Template = Callable[[str], str]


class OpenAIModel(Adapter):
    r"""A language model behind a server: replies and their scores come from ``/completions``.

    Its law is that of the tokens: a reply y is drawn token by token at temperature 1, with nothing
    left out, until ``end`` or until it has ``max_tokens`` tokens, and

        log pi(y | x) = sum_t log p(y_t | x, y_<t),

    the end among the y_t unless the reply was cut. The server scores a text that it is given
    (``echo``), so draws and other texts are scored in the same way.

    Parameters
    ----------
    endpoint : Endpoint
    end : str
        The text of the token that ends a reply, such as ``"<|im_end|>"``, as the server cuts it
        back into that token; or a text at which replies stop, such as ``"\n"``.
    session : Session, optional
        Makes the calls; left out, it is one without budget or record.
    agent : str
        To whom usage is accounted.
    max_tokens : int
        The most tokens of a reply, its end included.
    template : callable, optional
        prompt -> the text that a reply follows, such as
        ``"<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n".format``. Left out, it is the
        prompt itself.
    tolerance : float
        How far the log-probability of a reply may differ between drawing and scoring it.
    temperature, top_p : 1
        For other values the server gives log-probabilities of another law than it draws from, so
        they are refused.
    extra : dict, optional
        Other parameters for the server. Those that change the law are refused, but for the values
        that turn them off: servers may draw with other defaults, and ``{"top_k": -1, "min_p": 0}``
        turns those of vLLM off.

    Raises
    ------
    InvalidInputError
        Where these are no such things.
    MissingCapabilityError
        For another temperature or top-p, and extras that change the law.

    Notes
    -----
    A text may be drawn as tokens other than those that a tokenizer cuts it into, and cannot be
    scored then: it is drawn again. So the law sampled from is that of the model given that this
    does not happen, and log-probabilities lack one constant for each prompt, the logarithm of its
    probability; their differences are exact. A server may have another end token beside ``end``,
    which it does not tell: then the scores are too low by the odds of that one.

    What can be seen of a server that draws from another law than it scores is an error: scores that
    differ by more than ``tolerance``, and one unlikely reply that comes every time.

    One call for all replies of ``sample`` (``n``), or one for each where the server knows no
    ``n``; and one for each reply that is scored.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        end: str,
        session: Session | None = None,
        agent: str = "model",
        max_tokens: int = 60,
        template: Template | None = None,
        tolerance: float = 1.0,
        temperature: float = 1.0,
        top_p: float = 1.0,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(endpoint, session, agent, extra, TAKEN)
        given: Any = end
        if not isinstance(given, str) or not given:
            fix = 'give the text of the token that ends a reply, such as "<|im_end|>"'
            raise InvalidInputError("end", end, "is not text, or is empty", fix)
        if template is not None and not callable(template):
            fix = 'give a function prompt -> text, such as "Q: {}\\nA:".format'
            raise InvalidInputError("template", template, "cannot be called", fix)
        self._end = end
        self._most = read_count("max_tokens", max_tokens, 1, 10**6)
        self._template = template
        self._tolerance = read_law(self._extra, tolerance, temperature, top_p)

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies independently, with their log-probabilities.

        Raises
        ------
        InvalidInputError
            Where an argument is of the wrong kind.
        MissingCapabilityError
            Where the server gives no log-probabilities.
        CallError
            Where it draws from another law than it scores, as far as that can be seen, or gives no
            replies that it can score.
        AdapterError
            Where the session ends, or the server fails.
        """
        count = number_of_replies(n, rng)
        read_count("n", count, 0, _MOST)
        text = self._text(read_prompt(prompt))
        kept: list[tuple[DrawnReply, ScoredReply]] = []
        for _ in range(_ROUNDS):
            if len(kept) == count:
                break
            drawn = self._draw(text, count - len(kept), rng)
            scores = self._score(text, [one.text for one in drawn])
            kept += [
                (one, scores[one.text])
                for one in drawn
                if one.is_scored_as(scores[one.text], self._end, self._most)
            ]
        if len(kept) < count:
            problem = f"{len(kept)} of {count} replies came as the tokens that the server cuts "
            fix = "see that end and template are those of the model"
            raise CallError(f"{problem}their text into, in {_ROUNDS} rounds of draws", fix)
        replies = tuple(one.text for one, _ in kept)
        log_probs = np.array([scored.total(self._most) for _, scored in kept], dtype=np.float64)
        problem = disagreement(kept, log_probs, self._tolerance)
        if problem:
            fix = "turn off in the server what changes its draws, with extra= for example"
            raise CallError(problem, fix)
        return Sampled(prompt, replies, log_probs)

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return log pi(y | prompt) for each reply y, and -inf for what is never drawn.

        Raises
        ------
        InvalidInputError
            Where an argument is of the wrong kind.
        MissingCapabilityError
            Where the server gives no log-probabilities, does not echo, or has a token that stands
            across the beginning or the end of a reply, so that the reply has no score of its own.
        AdapterError
            Where the session ends, or the server fails.
        """
        given = read_replies(replies)
        text = self._text(read_prompt(prompt))
        possible = [reply for reply in given if self._end not in reply]
        scores = self._score(text, possible)
        for reply, scored in scores.items():
            if scored.inside:
                problem = f"{scored.inside} inside a token of the model: {reply[:80]!r}"
                fix = "change the template or the reply, so that a token begins there"
                raise MissingCapabilityError(problem, fix)
        found = [scores[y].total(self._most) if y in scores else -inf for y in given]
        return np.array(found, dtype=np.float64)

    def _text(self, prompt: str) -> str:
        if self._template is None:
            return prompt
        text: Any = self._template(prompt)
        if not isinstance(text, str):
            raise InvalidInputError("template", text, "returned no text", "return a str")
        return text

    def _draw(self, text: str, number: int, rng: np.random.Generator) -> list[DrawnReply]:
        """Ask for all replies at once, then for those that did not come, one by one."""
        first = self._sample_call(text, number, draw_seed(rng))
        drawn = _read_drawn_replies(self.session.call_many([first])[0].body)
        missing = number - len(drawn)
        calls = [self._sample_call(text, 1, draw_seed(rng)) for _ in range(missing)]
        for one in self.session.call_many(calls):
            drawn += _read_drawn_replies(one.body)
        return drawn

    def _sample_call(self, text: str, number: int, seed: int) -> Call:
        at_most = (bound(text), number * self._most)
        settings = {"max_tokens": self._most, "seed": seed}
        request = self._request("sample", {"text": text, "n": number, "end": self._end, **settings})

        def build() -> dict[str, Any]:
            body = {**self._extra, "prompt": text, "stop": [self._end], "logprobs": 1, **settings}
            body |= {"temperature": 1.0, "top_p": 1.0}
            asked = 1 if _NO_N in self.endpoint.refused else number
            return body if asked == 1 else body | {"n": asked}

        def make(seconds: float) -> Answer:
            data = self._post(_PATH, request, build, {"n": _NO_N}, seconds)
            with add_cost_to_errors(data, at_most):
                choices = self.endpoint.secret.clean(choices_of(data, number))
                drawn = [read_drawn(choice, self._end, self._most) for choice in choices]
            return Answer({"replies": [one.data() for one in drawn]}, *usage_of(data, at_most))

        def read(body: Mapping[str, Any]) -> None:
            if not 1 <= len(_read_drawn_replies(body)) <= number:
                raise ValueError(
                    f"it has {len(_read_drawn_replies(body))} replies, and {number} are asked for"
                )

        return Call(request, make, lambda: at_most, read)

    def _score(self, text: str, replies: Sequence[str]) -> dict[str, ScoredReply]:
        distinct = list(dict.fromkeys(replies))
        answers = self.session.call_many([self._score_call(text, reply) for reply in distinct])
        return {
            reply: _read_scored_reply(answer.body)
            for reply, answer in zip(distinct, answers, strict=True)
        }

    def _score_call(self, text: str, reply: str) -> Call:
        at_most = (bound(text, reply, self._end), 1)
        request = self._request("score", {"text": text, "reply": reply, "end": self._end})

        def build() -> dict[str, Any]:
            most = 1 if _NO_ZERO in self.endpoint.refused else 0
            whole = text + reply + self._end
            body = {**self._extra, "prompt": whole, "max_tokens": most, "echo": True}
            return body | {"logprobs": 1, "temperature": 1.0, "top_p": 1.0}

        def make(seconds: float) -> Answer:
            data = self._post(_PATH, request, build, {"max_tokens": _NO_ZERO}, seconds)
            with add_cost_to_errors(data, at_most):
                scored = read_echo(choices_of(data, 1)[0], text, reply, self._end)
            return Answer(scored.data(), *usage_of(data, at_most))

        return Call(request, make, lambda: at_most, _read_scored_reply)


def _read_drawn_replies(body: Mapping[str, Any]) -> list[DrawnReply]:
    return convert(body["replies"], list[DrawnReply])


def _read_scored_reply(body: Mapping[str, Any]) -> ScoredReply:
    return convert(body, ScoredReply)
