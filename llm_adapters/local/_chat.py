"""A chat model in this process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from llm_adapters._conversation import read_conversation, read_rng
from llm_adapters.errors import MissingCapabilityError
from llm_adapters.local._decoding import Decoding
from llm_adapters.local._json_forms import Node
from llm_adapters.local._json_writer import picking, write_answer
from llm_adapters.local._loading import LoadedModel
from llm_adapters.local._local_adapter import LocalAdapter, law_of, settings_of
from llm_adapters.local._model import MOST_TOKENS
from llm_adapters.local._prompt_limit import check_room
from llm_adapters.local._schema import form_of
from llm_adapters.local._sequences import draw_sequences
from llm_adapters.local._token_scorer import LoadedTokenScorer
from llm_adapters.local._weights import Weights
from llm_adapters.session import Answer, Session
from llm_adapters.session.recalled import RecalledAnswer
from llm_adapters.structured import checked_chat
from mechanisms.protocols import Message
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = ["LocalChat"]

SCHEMA_MODES: Final = ("auto", "schema", "instruction")
_SEEDS: Final = 2**63


class LocalChat(LocalAdapter):
    """A chat model: the answer to the last message of a conversation, in this process.

    It can be held to a JSON Schema: then what the schema leaves no choice about is written for it,
    and everything that it chooses is chosen among what fits, so that the first answer fits. The
    schema is not shown to it; say in the messages what is asked for.

    Parameters
    ----------
    weights : Weights
        Of a model with a chat template.
    max_tokens : int
        The most tokens of an answer; a longer one is cut. With a schema, its strings and arrays end
        in time.
    temperature : number
        0 takes the most probable token each time, and the answer depends on nothing else.
    top_p, top_k
        As for ``LocalModel``.
    schema_mode : "auto", "schema" or "instruction"
        How an answer is made to fit a schema: by holding the model to it; by putting it into the
        last message, which a small model need not heed; or by the first where that is possible, and
        by the second where it is not.
    session : Session, optional
    agent : str

    Raises
    ------
    InvalidInputError
        For arguments of the wrong kind.

    Notes
    -----
    A model can be held to objects of stated properties, constants, enumerations, booleans, numbers
    within bounds, strings of a greatest length, arrays of these, optional values (``anyOf``) and
    references. Under a schema a choice is a draw from weights among what fits, one choice after the
    other; temperature, top-k and top-p are applied to these weights. The weight of an option is the
    probability that the model gives to it as a whole, with the character after it.

    What is chosen among ten options takes little more than one pass over the prompt.

    Examples
    --------
    >>> from llm_adapters.local import Weights
    >>> LocalChat(Weights("models/tiny.gguf"), max_tokens=100)
    LocalChat(Weights('tiny'), max_tokens=100, temperature=0.0, top_k=0, top_p=1.0)
    """

    def __init__(
        self,
        weights: Weights,
        *,
        max_tokens: int = 256,
        temperature: float = 0.0,
        top_p: float = 1.0,
        top_k: int = 0,
        schema_mode: str = "auto",
        session: Session | None = None,
        agent: str = "model",
    ) -> None:
        super().__init__(weights, session, agent)
        self.max_tokens = read_count("max_tokens", max_tokens, 1, MOST_TOKENS)
        given: Any = temperature
        self._greedy = not isinstance(given, (bool, np.bool_)) and given == 0
        self._decoding = Decoding(1.0 if self._greedy else temperature, top_k, top_p)
        if schema_mode not in SCHEMA_MODES:
            fix = f"give one of {', '.join(SCHEMA_MODES)}"
            raise InvalidInputError("schema_mode", schema_mode, "is no such mode", fix)
        self.schema_mode = schema_mode

    @property
    def temperature(self) -> float:
        """The temperature; 0 where the most probable token is taken."""
        return 0.0 if self._greedy else self._decoding.temperature

    def for_agent(self, agent: str) -> LocalChat:
        """Return the same model, accounted to another agent."""
        return LocalChat(
            self.weights,
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            top_p=self._decoding.top_p,
            top_k=self._decoding.top_k,
            schema_mode=self.schema_mode,
            session=self.session,
            agent=agent,
        )

    def chat(
        self,
        messages: Sequence[Message],
        rng: np.random.Generator,
        *,
        schema: Mapping[str, object] | None = None,
    ) -> str:
        """Return what the assistant answers; one integer is drawn from ``rng`` as the seed.

        Raises
        ------
        InvalidInputError
            Where an argument is of the wrong kind, or the model's template refuses the messages.
        LimitError
            Where conversation and answer do not fit the model's context, or ``max_tokens`` is less
            than the schema may need.
        MissingCapabilityError
            Where the model has no chat template, or cannot be held to the schema and must be.
        CallError
            Where the model does not load.
        AdapterError
            What a session raises.
        """
        given = read_conversation(messages)
        seed = int(read_rng(rng).integers(_SEEDS))
        form, more = None, {}
        if schema is not None:
            stated = _write_schema(schema)
            form = self._form(schema)
            if form is None:
                given = _add_schema(given, stated)
            else:
                more = {"schema": stated}
        decoding = self._decoding
        body = {
            "messages": [{"role": m.role, "content": m.content} for m in given],
            "seed": 0 if self._greedy else seed,
            **settings_of(self.max_tokens, self.temperature, decoding.top_k, decoding.top_p),
            **more,
        }
        return self._asking.answer(
            "chat",
            body,
            lambda: self._answer(given, seed, form),
            lambda: (self._length(given), self.max_tokens),
            lambda body: checked_chat(RecalledAnswer(body), given, rng, name=self.weights.name),
        )

    def __repr__(self) -> str:
        law = law_of(self.max_tokens, self.temperature, self._decoding)
        return f"LocalChat({self.weights!r}, {law})"

    def _form(self, schema: Mapping[str, object]) -> Node | None:
        """Return what the model is held to; None where that is done by words."""
        if self.schema_mode == "instruction":
            return None
        try:
            return form_of(schema)
        except MissingCapabilityError:
            if self.schema_mode == "schema":
                raise
            return None

    def _answer(self, messages: Sequence[Message], seed: int, form: Node | None) -> Answer:
        decoding, rng = None if self._greedy else self._decoding, np.random.default_rng(seed)
        most = self.max_tokens
        with self.weights.lock:
            loaded = self.weights.loaded
            asked = self._tokens_of(loaded, messages)
            if form is not None:
                scorer = LoadedTokenScorer(loaded, asked)
                answer = write_answer(form, scorer, asked, most, picking(decoding, rng))
                return Answer({"text": answer.text}, len(asked), answer.tokens)
            (tokens,), _ = draw_sequences(
                loaded.engine, loaded.symbols, asked, most, decoding, n=1, rng=rng
            )
        return Answer({"text": loaded.text.decode(tokens)}, len(asked), len(tokens))

    def _length(self, messages: Sequence[Message]) -> int:
        with self.weights.lock:
            return len(self._tokens_of(self.weights.loaded, messages))

    def _tokens_of(self, loaded: LoadedModel, messages: Sequence[Message]) -> tuple[int, ...]:
        if not loaded.text.has_template:
            problem = f"{self.weights.name} has no chat template"
            raise MissingCapabilityError(problem, "take a model that was trained to chat")
        tokens = loaded.text.conversation(messages)
        check_room(loaded, "messages", messages, tokens, self.max_tokens)
        return tokens


def _write_schema(schema: Any) -> str:
    """Return a schema as JSON."""
    if not isinstance(schema, Mapping):
        fix = "give a JSON Schema as a dict"
        raise InvalidInputError("schema", schema, "is no mapping", fix)
    try:
        return json.dumps(dict(schema), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        fix = "give a JSON Schema of dicts, lists, texts and numbers"
        raise InvalidInputError("schema", schema, "is no JSON", fix) from error


def _add_schema(messages: tuple[Message, ...], schema: str) -> tuple[Message, ...]:
    """Add the schema to the last message."""
    last = messages[-1]
    content = f"{last.content}\n\nAnswer with JSON only, which fits this JSON Schema:\n{schema}"
    return (*messages[:-1], Message(last.role, content))
