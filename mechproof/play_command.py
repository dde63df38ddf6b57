"""The command ``mechproof play``: somebody at a terminal takes a seat in a mechanism."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mechproof.path_option import PathOption
from mechproof.person import ask_person
from mechproof.terminal import complain, say
from theory.errors import InvalidInputError

if TYPE_CHECKING:
    from mechanisms.play import Ask, Rules, Run

__all__ = ["play"]

_FILE = PathOption()
_LARGEST: Final = 5_000_000
"""The most characters of a game that is kept."""
_FIX: Final = "give a file that this command has written, or a new one"


@dataclass(frozen=True)
class Game:
    """A mechanism that can be played at a terminal.

    Attributes
    ----------
    start : Run
        Before its first question.
    by_rule : mapping
        By player, who answers where nobody at the terminal does.
    tell : function
        Takes a run that is over, and says what came of it.
    seat : str
        Who is at the terminal where nothing is said.
    """

    start: Run[Any]
    by_rule: Mapping[str, Callable[[Ask], object]]
    tell: Callable[[Run[Any]], str]
    seat: str = "buyer"

    @property
    def rules(self) -> Rules[Any, Any]:
        """The rules that are followed."""
        return self.start.rules


def _inspection() -> Game:
    from mechanisms.inspection import inspection, inspection_record
    from mechproof.demos.case import BUSES

    sellers = {seller.name: seller for seller in BUSES.sellers()}
    money = {"buyer": BUSES.budget, **dict.fromkeys(sellers, 0)}
    depth = len(BUSES.levels)
    start = inspection(
        BUSES.question, "buyer", list(sellers), money, depth, actions=BUSES.options, attempts=3
    )

    def buyer(ask: Ask) -> object:
        rule, text = BUSES.rule, str(ask.view)
        if ask.role == "decide":
            return next((what for sign, what in rule.decides if sign in text), rule.otherwise)
        wanted = [
            offer.name
            for offer in ask.view.offers[-1]
            if (doubt := rule.buys.get(offer.name)) is not None and not (doubt and doubt in text)
        ]
        return wanted if ask.view.budget is None or _cost(ask, wanted) <= ask.view.budget else []

    def tell(run: Run[Any]) -> str:
        if run.outcome is None:
            return str(run)
        record = inspection_record(BUSES.question, "buyer", run, run.ledger.statement())
        worth = BUSES.worth(run.outcome.decision, run.outcome.spending)
        return f"{record}\n\n{BUSES.truth} The decision is worth {worth}, less what was spent."

    players = {name: lambda ask, s=seller: s.offers(ask.view) for name, seller in sellers.items()}
    return Game(start, {"buyer": buyer, **players}, tell)


def _arena() -> Game:
    from mechanisms.ascending import (
        Bidder,
        Estimator,
        RuleBidder,
        auction_result,
        begin_auction,
        bidder_participant,
    )
    from mechproof.demos.bidding import BUDGET, ITEMS

    over = Fraction(1, 10)
    bidders: list[Bidder] = [
        Estimator("you", over=over),
        RuleBidder("Rae"),
        Estimator("Eve", over=over),
    ]
    start = begin_auction(ITEMS, bidders, BUDGET).seeded("play")

    def tell(run: Run[Any]) -> str:
        return str(run) if run.outcome is None else str(auction_result(run))

    return Game(start, {each.name: bidder_participant(each) for each in bidders}, tell, "you")


def _cost(ask: Ask, names: list[str]) -> Any:
    return sum(offer.price for offer in ask.view.offers[-1] if offer.name in names)


GAMES: Final[Mapping[str, Callable[[], Game]]] = {"inspection": _inspection, "arena": _arena}
"""By name, what can be played."""


@click.command()
@click.argument("name", metavar="NAME", type=click.Choice(list(GAMES)))
@click.option(
    "--seat",
    "seats",
    multiple=True,
    metavar="PLAYER",
    help="Whose place you take; may be repeated. Rules take the others.  "
    "[default: buyer; in arena, you]",
)
@click.option(
    "--file",
    "file",
    type=_FILE,
    metavar="FILE",
    help="Keep the game in FILE after each answer, and go on from there if it exists.",
)
def play(*, name: str, seats: tuple[str, ...], file: Path | None) -> None:
    """Play NAME at the terminal: take one seat or several, and rules take the others.

    Answer as you are asked; ":quit" or the end of the input stops, and the same command with the
    same FILE goes on. NAME is inspection, or arena: an ascending auction.
    """
    game = GAMES[name]()
    taken = seats or (game.seat,)
    for seat in taken:
        if seat not in game.by_rule:
            known = ", ".join(game.by_rule)
            raise InvalidInputError("--seat", seat, "plays no part", f"take one of {known}")
    run = _kept(game, name, file) if file is not None and file.exists() else game.start
    if file is not None:
        from mechproof.files import check_writable

        check_writable(file, "--file")
    while (ask := run.ask()) is not None:
        if ask.player in taken:
            answer = ask_person(ask)
            if answer is None:
                where = "nothing is kept: use --file FILE" if file is None else f"kept in {file}"
                complain(f"the game is not over; {where}")
                raise SystemExit(1)
            memory = "" if ask.seat == ask.player else "promised"
            run = run.answer(ask, answer, memory=memory)
        else:
            run = run.answer(ask, game.by_rule[ask.player](ask))
        if file is not None:
            _keep(run, name, file)
    say()
    say(game.tell(run))


def _keep(run: Run[Any], name: str, file: Path) -> None:
    from mechproof.files import write_whole

    text = json.dumps({"play": name, "run": run.to_json()}) + "\n"
    if len(text) > _LARGEST:
        fix = "answer with shorter texts"
        raise InvalidInputError("--file", len(text), "would be too long to be read again", fix)
    write_whole(file, text, "--file")


def _kept(game: Game, name: str, file: Path) -> Run[Any]:
    """Read a game that was stopped."""
    from llm_adapters.files import read_whole

    try:
        if file.stat().st_size > _LARGEST:
            raise InvalidInputError("--file", str(file), "is too long for a game", _FIX)
        kept = json.loads(read_whole(file))
        other, written = kept["play"], kept["run"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        if isinstance(error, InvalidInputError):
            raise
        raise InvalidInputError("--file", str(file), "holds no game", _FIX) from error
    if other != name:
        raise InvalidInputError("--file", str(file), f"holds a game of {other}", _FIX)
    # before the rules run, which takes the longer the more players and items there are
    if isinstance(written, dict) and written.get("arguments") != game.start.to_json()["arguments"]:
        raise InvalidInputError("--file", str(file), "holds a game with other arguments", _FIX)
    return game.rules.read(written)
