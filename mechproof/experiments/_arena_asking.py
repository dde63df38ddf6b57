"""How bidders are asked that are no rules: each game keeps all answers, and asks for none twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field

from llm_adapters.players import ChatBidder
from llm_adapters.session import Session, Usage
from mechanisms.ascending import AuctionResult, Bid, Bidder, Call
from mechanisms.play import Ask
from mechproof.demos.bidding import bidding_rule
from mechproof.demos.models import Rule
from mechproof.experiments._asking import (
    ModelAsking,
    PersonAsked,
    curable,
    model_usage,
    person_usage,
)
from mechproof.experiments._rows import Row
from mechproof.experiments.arena_bidders import OVER, Entrant, ModelBidder, PersonBidder
from mechproof.terminal import say

__all__ = ["Asking", "Game"]


@dataclass
class Asking(ModelAsking):
    """What is common to all games."""

    rule: Rule = field(default=bidding_rule, kw_only=True)

    def check(self, bidders: Sequence[Entrant]) -> None:
        """See that the models of bidders can be asked, as :meth:`check_models`."""
        self.check_models(each.model for each in bidders if isinstance(each, ModelBidder))

    @contextmanager
    def game(self, number: int, who: Sequence[Entrant], seed: int) -> Iterator[Game]:
        """Give the bidders of a game, and close what they were asked through at its end."""
        with ExitStack() as stack:
            game = Game()
            models = [each for each in who if isinstance(each, ModelBidder)]
            if models:
                game.models = self.models(number, stack)
            if any(isinstance(each, PersonBidder) for each in who):
                game.persons = self.persons(number, stack)
            game.bidders = [self._seated(each, game, seed, stack) for each in who]
            yield game
            self.used += sum((one.calls for one in game.calls.values()), 0)

    def _seated(self, entrant: Entrant, game: Game, seed: int, stack: ExitStack) -> Bidder:
        """Return the bidder of one game."""
        if isinstance(entrant, ModelBidder):
            assert game.models is not None
            chat = self.chat(entrant, game.models, stack)
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
        if self.error is None:
            self.error = curable(error, self.models)

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
        return {**model_usage(self.models), **person_usage(self.persons)}

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


class _Person(PersonAsked):
    """Somebody at the terminal, whose answers are kept."""

    modules: tuple[str, ...] = ()
    over = OVER

    def bid(self, call: Call) -> object:
        return self(Ask(self.name, call, Bid(call.least, call.money, call.step, None), "bid"))
