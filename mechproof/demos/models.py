"""Whom the demos are played by: one argument decides."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from llm_adapters.session import RecordedChat, RecordedModel, Session
from mechanisms.advertising import Instance, Models
from mechanisms.protocols import ChatModel, LanguageModel, Message
from theory.errors import InvalidInputError
from theory.shared.arguments import read_count

__all__ = [
    "LOCAL",
    "REPLY_TOKENS",
    "RULES",
    "Participants",
    "Rule",
    "kind_of",
    "local_weights",
    "open_chat",
    "open_participants",
    "require_limits",
]

LOCAL: Final = "local"
RULES: Final = "rules"
_LARGEST_SEED: Final = 2**128
_LONGEST: Final = 10**9
_HIDDEN: Final = "(not shown)"
"""What stands in the place of what may hold a password."""

REPLY_TOKENS: Final = 24
"""The most tokens of a reply that is scored."""

_CHAT_TOKENS: Final = 160

_BRIEF: Final = "Answer in one short sentence."
"""The local model's system message where replies are scored."""

Rule = Callable[[Sequence[Message], Mapping[str, object] | None], str]
"""What answers in the place of a chat model."""


def kind_of(model: Any) -> str:
    """Return ``local``, ``rules``, or ``endpoint`` for an address.

    Raises
    ------
    InvalidInputError
        For anything else.
    """
    if isinstance(model, str) and model in (LOCAL, RULES):
        return model
    if isinstance(model, str) and model.startswith(("http://", "https://")):
        address, _, name = model.partition("#")
        if "@" in name and "/" not in address.partition("://")[2]:  # user:pass#word@host
            fix = "give a key in OPENAI_API_KEY; else end the address with / before #"
            raise InvalidInputError("model", _HIDDEN, "seems to hold a password", fix)
        return "endpoint"
    fix = "give local, rules, or URL#NAME such as http://127.0.0.1:8000/v1#small"
    shown = _HIDDEN if isinstance(model, str) and {":", "@"} & {*model} else model
    raise InvalidInputError("model", shown, "is no model", fix)


def require_limits(
    kinds: Collection[str], *, seed: Any, tokens: Any, time_limit: Any, known_as: Any
) -> None:
    """Refuse a seed and limits that cannot be, and such as limit nothing.

    Parameters
    ----------
    kinds : collection of str
        What takes part, as :func:`kind_of` says.
    seed, tokens, time_limit, known_as : object
        As for :func:`mechproof.demos.run`.

    Raises
    ------
    InvalidInputError
        For the first that is none.
    """
    read_count("seed", seed, 0, _LARGEST_SEED)
    if time_limit is not None and (
        type(time_limit) not in {int, float} or not 0 < time_limit <= _LONGEST
    ):
        fix = f"give seconds, above 0 and at most {_LONGEST:,}"
        raise InvalidInputError("time_limit", time_limit, "is no such time", fix)
    if tokens is not None and set(kinds) <= {RULES}:
        fix = "leave it out, or limit calls"
        raise InvalidInputError("tokens", tokens, "limits nothing, since rules use no tokens", fix)
    if known_as is not None and "endpoint" not in kinds:
        fix = "leave it out, or give an address as model"
        raise InvalidInputError("known_as", known_as, "names a server, and there is none", fix)


@dataclass(frozen=True, eq=False)
class Participants:
    """A model in the forms in which the mechanisms ask it.

    Attributes
    ----------
    name : str
        What it is, in words.
    kind : "local", "rules" or "endpoint"
    chat : ChatModel
    language_model : LanguageModel
        At temperature 1, with nothing cut off.
    decoded : callable or None
        ``decoded(temperature, top_p)`` is the law that the same model is sampled from with these;
        None where it is not known.
    """

    name: str
    kind: str
    chat: ChatModel
    language_model: LanguageModel
    decoded: Callable[[float, float], LanguageModel] | None

    def models(self, temperature: float, top_p: float) -> Models:
        """Return the law that scores, and the one that candidates are drawn from."""
        if self.decoded is None or (temperature, top_p) == (1.0, 1.0):
            return Models(self.language_model, self.language_model)
        return Models(self.language_model, self.decoded(temperature, top_p))


@contextmanager
def open_participants(
    model: str,
    session: Session,
    *,
    rule: Rule,
    instances: Sequence[Instance],
    known_as: str | None = None,
) -> Iterator[Participants]:
    """Give the participants that an argument stands for, and close their connections at the end.

    Parameters
    ----------
    model : str
        ``local`` for the model that ``mechproof model get`` obtains, ``rules`` for stand-ins that
        need nothing, or ``URL#NAME`` for a model behind a server that speaks the OpenAI interface;
        ``URL`` alone for the only one there.
    session : Session
        All calls go through it.
    rule : callable
        What the stand-in for a chat model says.
    instances : sequence of Instance
        The questions that the stand-in for a language model knows.
    known_as : str, optional
        By which records know the server.

    Raises
    ------
    InvalidInputError
        For another argument.
    LocalModelError
        Where the local model is not there, and nothing is replayed.
    MissingPackageError
        Where what an adapter needs is not installed.
    """
    kind = kind_of(model)
    if kind == RULES:
        yield _rules(session, rule, instances)
    elif kind == LOCAL:
        yield _local(session)
    else:
        with _endpoint(model, session, known_as) as found:
            yield found


@contextmanager
def open_chat(
    model: str,
    session: Session,
    *,
    rule: Rule,
    temperature: float = 1.0,
    tokens: int | None = None,
    loaded: Any = None,
    known_as: str | None = None,
) -> Iterator[ChatModel]:
    """Give the chat model alone that an argument stands for.

    Parameters
    ----------
    model, session, rule, known_as
        As for :func:`open_participants`.
    temperature : float
        Rules have none.
    tokens : int, optional
        The most tokens of an answer: by default 160 of the local model, and 640 of a server.
    loaded : Weights, optional
        What :func:`local_weights` gave, so that it is loaded once for several sessions.
    """
    kind = kind_of(model)
    if kind == RULES:
        yield _rule_chat(rule, session)
    elif kind == LOCAL:
        yield _local_chat(loaded or local_weights(session), session, temperature, tokens)
    else:
        from llm_adapters.openai_api import Endpoint

        base_url, _, name = model.partition("#")
        with Endpoint(base_url, name or None, known_as=known_as) as endpoint:
            yield _endpoint_chat(endpoint, session, temperature, tokens)


def local_weights(session: Session) -> Any:
    """Return the weights of the local model, which a replay only knows the name of."""
    from llm_adapters.local import Weights
    from mechproof.local_model import SMOLLM2, weights

    return Weights(SMOLLM2.file, name=SMOLLM2.name) if session.replaying else weights()


def _rule_chat(rule: Rule, session: Session) -> ChatModel:
    from llm_adapters.fakes import RuleChat

    return RecordedChat(RuleChat(rule), session, name="rules")


def _local_chat(
    loaded: Any, session: Session, temperature: float, tokens: int | None = None
) -> ChatModel:
    from llm_adapters.local import LocalChat

    most = _CHAT_TOKENS if tokens is None else tokens
    return LocalChat(loaded, max_tokens=most, temperature=temperature, session=session)


def _endpoint_chat(
    endpoint: Any, session: Session, temperature: float, tokens: int | None = None
) -> ChatModel:
    from llm_adapters.openai_api import OpenAIChat

    most = 4 * _CHAT_TOKENS if tokens is None else tokens
    return OpenAIChat(endpoint, session=session, max_tokens=most, temperature=temperature)


def _rules(session: Session, rule: Rule, instances: Sequence[Instance]) -> Participants:
    from mechanisms.advertising import explicit_model
    from mechanisms.language_models import DecodedModel

    words = explicit_model("ngram", instances)

    def decoded(temperature: float, top_p: float) -> LanguageModel:
        law = DecodedModel(words, temperature=temperature, top_p=top_p)
        name = f"counts of words, temperature {temperature:g}, top-p {top_p:g}"
        return RecordedModel(law, session, name=name)

    return Participants(
        name="rules and counts of words, in the place of a model",
        kind=RULES,
        chat=_rule_chat(rule, session),
        language_model=RecordedModel(words, session, name="counts of words"),
        decoded=decoded,
    )


def _local(session: Session) -> Participants:
    from llm_adapters.local import LocalModel
    from mechproof.local_model import SMOLLM2

    loaded = local_weights(session)
    model = LocalModel(loaded, max_tokens=REPLY_TOKENS, system=_BRIEF, session=session)

    def decoded(temperature: float, top_p: float) -> LanguageModel:
        law: LanguageModel = model.with_decoding(temperature=temperature, top_p=top_p)
        return law

    return Participants(
        name=f"{SMOLLM2.name}, in this process",
        kind=LOCAL,
        chat=_local_chat(loaded, session, 1.0),
        language_model=model,
        decoded=decoded,
    )


@contextmanager
def _endpoint(address: str, session: Session, known_as: str | None) -> Iterator[Participants]:
    from llm_adapters.openai_api import Endpoint, OpenAIModel

    base_url, _, name = address.partition("#")
    with Endpoint(base_url, name or None, known_as=known_as) as endpoint:
        yield Participants(
            name=f"{name or 'the only model'} behind a server",
            kind="endpoint",
            chat=_endpoint_chat(endpoint, session, 1.0),
            language_model=OpenAIModel(
                endpoint,
                session=session,
                max_tokens=REPLY_TOKENS,
                template="{}\n\nAnswer in one line:".format,
                end="\n",
            ),
            decoded=None,
        )
