"""A language model in this process, with the law that it really samples from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import numpy as np
from msgspec import Meta, convert

from llm_adapters.errors import CallError
from llm_adapters.local._decoding import Decoding
from llm_adapters.local._loading import LoadedModel
from llm_adapters.local._local_adapter import LocalAdapter, law_of, settings_of
from llm_adapters.local._prompt_limit import check_room
from llm_adapters.local._sequences import draw_sequences, score_sequences
from llm_adapters.local._weights import Weights
from llm_adapters.session import Answer, Session
from llm_adapters.session.recalled import RecalledAnswer
from mechanisms.language_models import checked_log_prob, checked_sample
from mechanisms.language_models.arguments import number_of_replies, read_prompt, read_replies
from mechanisms.protocols import Message, Sampled
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count
from theory.shared.shapes import Float64

__all__ = ["MOST_TOKENS", "LocalModel"]

MOST_TOKENS: Final = 1_000_000
_ROUNDS: Final = 1000
_SEEDS: Final = 2**63
Tokens = tuple[Annotated[int, Meta(ge=0, lt=2**31)], ...]


class LocalModel(LocalAdapter):
    """A language model: the prompt is what the user says, a reply what the assistant answers.

    A reply y is a sequence of tokens y_1 ... y_m with its end, or of ``max_tokens`` tokens without
    one, and pi(y | x) = prod_t q(y_t | x, y_1 ... y_{t-1}), where q is the law of the model's next
    token after temperature, top-k and top-p. Both methods speak of this law.

    Parameters
    ----------
    weights : Weights
    max_tokens : int
        The most tokens of a reply.
    temperature, top_p, top_k
        As in ``Decoding``: p^(1/T) normalised, then the k most probable tokens, then the fewest
        most probable that have at least ``top_p`` together. T > 0; 0 has no law to be scored.
    system : str, optional
        What the system says before; the default of the model's template if left out.
    session : Session, optional
    agent : str

    Raises
    ------
    InvalidInputError
        For arguments of the wrong kind.

    Notes
    -----
    *Tokens and texts.* Control tokens other than the end never come: they are taken out before
    temperature. Several tokens that end a reply count as one. A model without a chat template goes
    on with the prompt as plain text. Text that looks like a control token stays text.

    One text can be spelled by several sequences of tokens. The text of a drawn reply stands for the
    tokens that were drawn, for all that shares the weights, and a record keeps them; any other text
    stands for those that the tokenizer makes of it. A draw whose text stands for other tokens
    already is drawn again, so the law is that of sequences given that this does not happen, while
    ``log_probs`` are those of the sequences. It is rare: of 384 replies of SmolLM2 to plain
    questions none was drawn again; of 256 that were cut inside an emoji after two tokens, 14 were.
    A reply that is cut in the middle of a character ends in U+FFFD.

    *Rounding.* Logits are computed in float32, all that follows in float64. PyTorch rounds
    differently by how many tokens and threads it computes with, so ``log_prob`` gives the numbers
    that came with a sample up to some 10^-4 (7e-5 at most, for SmolLM2 and 60 tokens), and one seed
    may give another reply on another machine: keep a record. With top-k or top-p a token at the
    edge may fall on either side by rounding. That moves log pi by about its probability, and in
    principle gives -inf where that very token was drawn; of 72 replies none was moved.

    *Cost.* The prompt is computed once, and that of the last few prompts is kept. Drawing n replies
    takes max_tokens steps of n rows, scoring a few passes over all tokens.

    Examples
    --------
    >>> from llm_adapters.local import Weights
    >>> model = LocalModel(Weights("models/tiny.gguf"), max_tokens=40, temperature=0.8)
    >>> model.with_decoding(temperature=1, top_p=0.9)
    LocalModel(Weights('tiny'), max_tokens=40, temperature=1.0, top_k=0, top_p=0.9)
    """

    def __init__(
        self,
        weights: Weights,
        *,
        max_tokens: int = 60,
        temperature: float = 1.0,
        top_p: float = 1.0,
        top_k: int = 0,
        system: str | None = None,
        session: Session | None = None,
        agent: str = "model",
    ) -> None:
        super().__init__(weights, session, agent)
        self.max_tokens = read_count("max_tokens", max_tokens, 1, MOST_TOKENS)
        self.decoding = Decoding(temperature, top_k, top_p)
        given: Any = system
        if given is not None and not isinstance(given, str):
            raise InvalidInputError("system", system, "is not text", "give a str or None")
        self.system = system

    def with_decoding(
        self,
        *,
        temperature: float | None = None,
        top_p: float | None = None,
        top_k: int | None = None,
    ) -> LocalModel:
        """Return the same model with another temperature, top-p or top-k; the others stay.

        Raises
        ------
        InvalidInputError
            As in ``Decoding``.
        """
        now = self.decoding
        return self._with(
            temperature=now.temperature if temperature is None else temperature,
            top_p=now.top_p if top_p is None else top_p,
            top_k=now.top_k if top_k is None else top_k,
        )

    def for_agent(self, agent: str) -> LocalModel:
        """Return the same model, accounted to another agent."""
        return self._with(agent=agent)

    def sample(self, prompt: str, n: int, rng: np.random.Generator) -> Sampled:
        """Draw n replies independently; one integer is drawn from ``rng`` as their seed.

        Raises
        ------
        InvalidInputError
            Where an argument is of the wrong kind, or the prompt is no Unicode.
        LimitError
            Where prompt and reply do not fit the model's context.
        CallError
            Where the model does not load, or draws one text in ever other tokens.
        AdapterError
            What a session raises.
        """
        number_of_replies(n, rng)
        n = int(n)
        body = {
            "prompt": read_prompt(prompt),
            "n": n,
            "seed": int(rng.integers(_SEEDS)),
            **self._settings(),
        }

        def read(answer: Mapping[str, Any]) -> tuple[Sampled, list[tuple[int, ...]]]:
            found = checked_sample(RecalledAnswer(answer), prompt, n, rng, name=self.weights.name)
            sequences = convert(answer["tokens"], list[Tokens])
            if len(sequences) != n:
                raise ValueError(f"{n} replies have the tokens of {len(sequences)}")
            return found, sequences

        found, sequences = self._asking.answer(
            "sample",
            body,
            lambda: self._sample(prompt, n, body["seed"]),
            lambda: (len(self._prompt(prompt)), n * self.max_tokens),
            read,
        )
        for reply, tokens in zip(found.replies, sequences, strict=True):
            self.weights.memory.take(reply, tokens)
        return found

    def log_prob(self, prompt: str, replies: Sequence[str]) -> Float64[np.ndarray, " replies"]:
        """Return log pi(y | prompt) for each reply y, and -inf for what is never drawn.

        Raises
        ------
        As ``sample``.
        """
        given = read_replies(replies)
        body = {"prompt": read_prompt(prompt), "replies": list(given), **self._settings()}
        return self._asking.answer(
            "score",
            body,
            lambda: self._score(prompt, given),
            lambda: (self._tokens_to_score(prompt, given), 0),
            lambda body: checked_log_prob(
                RecalledAnswer(body), prompt, given, name=self.weights.name
            ),
        )

    def __repr__(self) -> str:
        law = law_of(self.max_tokens, self.decoding.temperature, self.decoding)
        system = "" if self.system is None else f", system={self.system!r}"
        return f"LocalModel({self.weights!r}, {law}{system})"

    # --- what is computed here

    def _sample(self, prompt: str, n: int, seed: int) -> Answer:
        rng = np.random.default_rng(seed)
        memory = self.weights.memory
        with self.weights.lock:
            loaded = self.weights.loaded
            asked = self._tokens_of(loaded, prompt)
            sequences, log_probs = self._draw(loaded, asked, n, rng)
            replies = [loaded.text.decode(tokens) for tokens in sequences]
            for i in range(n):
                rounds = 0
                while not self._stands(loaded, replies[i], sequences[i]):
                    if rounds == _ROUNDS:
                        problem = f"{replies[i]!r} is drawn in ever other tokens than it stands for"
                        raise CallError(problem, "raise max_tokens, or use new Weights")
                    again, scores = self._draw(loaded, asked, 1, rng)
                    sequences[i], log_probs[i] = again[0], scores[0]
                    replies[i] = loaded.text.decode(again[0])
                    rounds += 1
                memory.take(replies[i], sequences[i])
        body = {
            "replies": replies,
            "log_probs": log_probs.tolist(),
            "tokens": [list(tokens) for tokens in sequences],
        }
        return Answer(body, len(asked), sum(len(tokens) for tokens in sequences))

    def _draw(
        self, loaded: LoadedModel, asked: Sequence[int], n: int, rng: np.random.Generator
    ) -> tuple[list[tuple[int, ...]], Float64[np.ndarray, " n"]]:
        engine, symbols = loaded.engine, loaded.symbols
        return draw_sequences(engine, symbols, asked, self.max_tokens, self.decoding, n=n, rng=rng)

    def _stands(self, loaded: LoadedModel, reply: str, tokens: tuple[int, ...]) -> bool:
        known = self.weights.memory.tokens(reply)
        return known is None or known == tokens

    def _score(self, prompt: str, replies: Sequence[str]) -> Answer:
        with self.weights.lock:
            loaded = self.weights.loaded
            asked = self._tokens_of(loaded, prompt)
            known = self._spell(loaded, replies)
            distinct = list(dict.fromkeys(tokens for tokens in known if tokens is not None))
            scores = score_sequences(
                loaded.engine,
                loaded.symbols,
                asked,
                self.max_tokens,
                self.decoding,
                sequences=distinct,
            )
        score = dict(zip(distinct, scores.tolist(), strict=True))
        found = [-np.inf if tokens is None else score[tokens] for tokens in known]
        used = len(asked) + sum(map(len, distinct))
        return Answer({"log_probs": found}, used, 0)

    def _spell(self, loaded: LoadedModel, replies: Sequence[str]) -> list[tuple[int, ...] | None]:
        """Return the tokens of replies; those of a record count only where they spell the reply."""
        text = loaded.text
        known = [self.weights.memory.tokens(reply) for reply in replies]
        return [
            drawn if drawn is not None and text.spells(drawn, reply) else text.canonical(reply)
            for reply, drawn in zip(replies, known, strict=True)
        ]

    def _tokens_to_score(self, prompt: str, replies: Sequence[str]) -> int:
        with self.weights.lock:
            loaded = self.weights.loaded
            known = {tokens or () for tokens in self._spell(loaded, replies)}
            return len(self._tokens_of(loaded, prompt)) + sum(map(len, known))

    def _prompt(self, prompt: str) -> tuple[int, ...]:
        with self.weights.lock:
            return self._tokens_of(self.weights.loaded, prompt)

    def _tokens_of(self, loaded: LoadedModel, prompt: str) -> tuple[int, ...]:
        if loaded.text.has_template:
            system = [] if self.system is None else [Message("system", self.system)]
            tokens = loaded.text.conversation([*system, Message("user", prompt)])
        else:
            before = "" if self.system is None else f"{self.system}\n\n"
            tokens = loaded.text.plain(before + prompt)
        check_room(loaded, "prompt", prompt, tokens, self.max_tokens)
        return tokens

    def _settings(self) -> dict[str, Any]:
        now = self.decoding
        numbers = settings_of(self.max_tokens, now.temperature, now.top_k, now.top_p)
        return {**numbers, "system": self.system}

    def _with(self, **changed: Any) -> LocalModel:
        now = self.decoding
        same: dict[str, Any] = {
            "max_tokens": self.max_tokens,
            "temperature": now.temperature,
            "top_p": now.top_p,
            "top_k": now.top_k,
            "system": self.system,
            "session": self.session,
            "agent": self.agent,
        }
        return LocalModel(self.weights, **{**same, **changed})
