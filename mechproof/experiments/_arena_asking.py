"""How bidders are asked that are no rules: each game keeps all answers, and asks for none twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from llm_adapters.errors import (
    AdapterError,
    BudgetSpentError,
    CallError,
    CancelledError,
    MissingAnswerError,
    MissingPackageError,
    RecordError,
)
from llm_adapters.players import ChatBidder
from llm_adapters.session import Answer, Budget, Prices, RecordedChat, Request, Session, Usage
from mechanisms.ascending import AuctionResult, Bid, Bidder, Call
from mechanisms.play import Ask
from mechproof.demos.bidding import bidding_rule
from mechproof.demos.models import LOCAL, RULES, kind_of, local_weights, open_chat
from mechproof.experiments._rows import Row
from mechproof.experiments.arena_bidders import OVER, Entrant, ModelBidder, PersonBidder
from mechproof.local_model import LocalModelError, find_model
from mechproof.person import ask_person
from mechproof.terminal import say
from theory.errors import InvalidInputError

__all__ = ["Asking", "Game", "seed_of"]

_TOKENS: Final = {LOCAL: 400, RULES: 400, "endpoint": 2_000}
"""The most tokens of an answer: room for the sales of ten items."""

_CURABLE: Final = (
    BudgetSpentError,
    CancelledError,
    LocalModelError,
    MissingAnswerError,
    MissingPackageError,
    RecordError,
)
"""What says nothing of a bidder: the run stops, and can be gone on with."""


@dataclass
class Asking:
    """What is common to all games.

    Attributes
    ----------
    folder : Path
        Where answers are kept, a file a game.
    replay : Path or None
        Such a folder, from which all answers come.
    calls : int or None
        The most calls of models in all games.
    prices : mapping from str to Prices
        By model.
    time_limit : float or None
        Seconds for an answer of a model.
    notice : callable or None
        Told what is waited for.
    used : int
        Calls of the games that are over.
    """

    folder: Path
    replay: Path | None = None
    calls: int | None = None
    prices: Mapping[str, Prices] = field(default_factory=dict)
    time_limit: float | None = None
    notice: Callable[[str], object] | None = None
    used: int = 0
    _loaded: Any = None

    def check(self, bidders: Sequence[Entrant]) -> None:
        """See that models can be asked, before anything is written.

        Raises
        ------
        InvalidInputError, AdapterError
            For a model that is none, or that is not there; for a folder without answers.
        """
        if self.replay is not None and not self.replay.is_dir():
            fix = "give the folder of a run that is over"
            raise InvalidInputError("replay", str(self.replay.parent), "has no answers", fix)
        for model in {b.model for b in bidders if isinstance(b, ModelBidder)}:
            if not isinstance(model, str):
                continue
            kind = kind_of(model)
            if kind == LOCAL and self.replay is None:
                find_model()
            elif kind == "endpoint":
                with Session() as session, open_chat(model, session, rule=bidding_rule):
                    pass

    @contextmanager
    def game(self, number: int, who: Sequence[Entrant], seed: int) -> Iterator[Game]:
        """Give the bidders of a game, and close what they were asked through at its end."""
        with ExitStack() as stack:
            game = Game()
            models = [each for each in who if isinstance(each, ModelBidder)]
            if models:
                left = None if self.calls is None else max(0, self.calls - self.used)
                limits: dict[str, Any] = {"budget": Budget(calls=left), "notice": self.notice}
                game.models = stack.enter_context(
                    Session(
                        **self._kept(number, "models"),
                        **limits,
                        prices=self.prices,
                        call_limit=self.time_limit,
                    )
                )
            if any(isinstance(each, PersonBidder) for each in who):
                game.persons = stack.enter_context(
                    Session(**self._kept(number, "persons"), grace=0)
                )
            game.bidders = [self._seated(each, game, seed, stack) for each in who]
            yield game
            self.used += sum((one.calls for one in game.calls.values()), 0)

    def _kept(self, number: int, by: str) -> dict[str, Any]:
        name = f"{number:06}.{by}.jsonl"
        if self.replay is not None:
            return {"replay": self.replay / name}
        self.folder.mkdir(exist_ok=True)
        return {"record": self.folder / name}

    def _seated(self, entrant: Entrant, game: Game, seed: int, stack: ExitStack) -> Bidder:
        """Return the bidder of one game."""
        if isinstance(entrant, ModelBidder):
            assert game.models is not None
            chat = self._chat(entrant, game.models, stack)
            bidder = ChatBidder(
                entrant.name,
                chat,
                objective=entrant.objective,
                modules=entrant.modules,
                over=OVER,
                seed=seed,
            )
            return _Watched(bidder, game)
        if isinstance(entrant, PersonBidder):
            assert game.persons is not None
            return _Person(entrant.name, game.persons)
        if isinstance(entrant, ChatBidder):
            return entrant.alike(seed=seed)
        return deepcopy(entrant)

    def _chat(self, entrant: ModelBidder, session: Session, stack: ExitStack) -> Any:
        model = entrant.model
        if not isinstance(model, str):
            return RecordedChat(model, session, name=entrant.known_as)
        kind = kind_of(model)
        if kind == LOCAL and self._loaded is None:
            self._loaded = local_weights(session)
        return stack.enter_context(
            open_chat(
                model,
                session,
                rule=bidding_rule,
                temperature=entrant.temperature,
                tokens=entrant.tokens or _TOKENS[kind],
                loaded=self._loaded,
                known_as=entrant.known_as if kind == "endpoint" else None,
            )
        )


@dataclass
class Game:
    """The bidders of one game, and what came of asking them.

    Attributes
    ----------
    bidders : list of Bidder
        In their seats.
    models, persons : Session or None
        Through which they are asked.
    answered : set of str
        Whose model has given an answer.
    error : Exception or None
        What ended the game.
    """

    bidders: list[Bidder] = field(default_factory=list)
    models: Session | None = None
    persons: Session | None = None
    answered: set[str] = field(default_factory=set)
    error: Exception | None = None

    def note_failure(self, error: Exception) -> None:
        """Let nobody be asked any more, where another try may end otherwise."""
        failure = None if self.models is None else self.models.failure
        failure = error if failure is None and isinstance(error, AdapterError) else failure
        again = isinstance(failure, CallError) and not failure.request_refused
        if self.error is None and (again or isinstance(failure, _CURABLE)):
            self.error = failure

    def check(self, result: AuctionResult) -> None:
        """Raise what says nothing of the bidders, so that the game is played again.

        Those are errors that another try may cure, and the error of a model that has not answered
        once.
        """
        if self.error is not None:
            raise self.error
        silent = [name for name in result.unanswered if name not in self.answered]
        watched = {bidder.name for bidder in self.bidders if isinstance(bidder, _Watched)}
        if self.models is not None and self.models.failure is not None and watched & {*silent}:
            raise self.models.failure

    @property
    def calls(self) -> Mapping[str, Usage]:
        """What was used of models, by bidder."""
        return {} if self.models is None else self.models.usage

    def usage(self) -> Row:
        """Return what was used of models, by bidder, and how many answers persons gave."""
        found: Row = {
            name: {
                "calls": used.calls,
                "retries": used.retries,
                "input_tokens": used.input_tokens,
                "output_tokens": used.output_tokens,
                "money": str(used.money),
                "unreadable": used.failures,
            }
            for name, used in self.calls.items()
        }
        persons = {} if self.persons is None else self.persons.usage
        return {**found, **{name: {"answers": used.calls} for name, used in persons.items()}}

    def tell(self, text: object) -> None:
        """Say something to the persons of the game."""
        if self.persons is not None:
            say()
            say(text)


class _Watched:
    """A bidder with a model, whose errors are noted."""

    def __init__(self, bidder: ChatBidder, game: Game) -> None:
        self.name, self.modules, self.over = bidder.name, bidder.modules, bidder.over
        self._bidder, self._game = bidder, game

    def bid(self, call: Call) -> object:
        return self._bidder.bid(call)

    def __call__(self, ask: Ask) -> object:
        if self._game.error is not None:
            raise self._game.error
        try:
            answer = self._bidder(ask)
        except Exception as error:
            self._game.note_failure(error)
            raise
        self._game.answered.add(self.name)
        return answer


class _Person:
    """Somebody at the terminal, whose answers are kept."""

    modules: tuple[str, ...] = ()
    over = OVER

    def __init__(self, name: str, session: Session) -> None:
        self.name, self._session = name, session

    def bid(self, call: Call) -> object:
        return self(Ask(self.name, call, Bid(call.least, call.money, call.step, None), "bid"))

    def __call__(self, ask: Ask) -> object:
        """Return the answer: one that was kept, or what is typed now."""
        told = {"role": ask.role, "told": str(ask.view), "answer": str(ask.answer)}
        request = Request(self.name, "person", "answer", told)
        return self._session.call(request, lambda seconds: Answer({"said": _typed(ask)})).body[
            "said"
        ]


def _typed(ask: Ask) -> object:
    said = ask_person(ask)
    if said is None:
        raise KeyboardInterrupt
    return said


def seed_of(text: str) -> int:
    """Return the seed of the bidders of a game, from text that names it."""
    return int.from_bytes(sha256(text.encode(errors="backslashreplace")).digest()[:8], "big")
