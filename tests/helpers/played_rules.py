"""Rules for the tests of runs: an auction with chance, a shop that is paid, and random ones."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from mechanisms.play import (
    TELL,
    Ask,
    Choice,
    Draw,
    Funds,
    Open,
    Pay,
    Quantity,
    Steps,
    Subset,
    Transfer,
    Unpaid,
    rules,
)


@dataclass(frozen=True)
class Value:
    """What a bidder is told."""

    worth: Fraction

    def __str__(self) -> str:
        return f"it is worth {self.worth} to you"


@rules(data=(Value,))
def auction(bidders: list[str], worths: list[Any]) -> Steps[Any]:
    """Bidders draw their values, and bid at the same time; ties are drawn."""
    values = yield {name: Draw.uniform(worths, f"value of {name}") for name in bidders}
    bids = yield {
        name: Ask(name, Value(Fraction(values[name])), Choice((0, 1, 2)), role="bid")
        for name in bidders
    }
    best = max(bids.values())
    winner = yield Draw.uniform([name for name in bidders if bids[name] == best], "winner")
    return winner, best, tuple(values.items())


@rules
def shop(purse: Any, price: Any, rounds: int) -> Steps[Any]:
    """Ann may buy again and again; what she cannot pay she does not get."""
    yield Open((("Ann", purse), ("Bob", Fraction(0))))
    got = 0
    for k in range(rounds):
        funds = yield Funds("Ann")
        buys = yield Ask("Ann", (k, funds), Choice(("buy", "leave")), role="buy")
        if buys == "buy":
            unpaid = yield Pay((Transfer("Ann", "Bob", price, f"round {k}"),))
            got += not isinstance(unpaid, Unpaid)
    return got


@rules
def patient(otherwise: str, attempts: int) -> Steps[Any]:
    """Asks one question, several times if need be, and one more."""
    default: Any = TELL if otherwise == "tell" else 0
    said = yield Ask("Ann", "how much?", Quantity(0, 3), attempts=attempts, otherwise=default)
    again = yield Ask("Ann", ("you said", str(said)), Quantity(0, 3))
    return said, again


@rules
def branching(seed: int, rounds: int) -> Steps[Any]:
    """Asks and draws as a seed has it, and as it was answered."""
    generator = Random(seed)
    told: list[Any] = []
    for _ in range(rounds):
        kind = generator.randrange(4)
        if kind == 0:
            told.append((yield Draw.of({"l": Fraction(1, 3), "r": Fraction(2, 3)})))
        elif kind == 1:
            told.append((yield Ask("Ann", tuple(told), Choice(("x", 2, Fraction(1, 2))))))
        elif kind == 2:
            options = ("a", "b", "c")[: generator.randrange(1, 4)]
            told.append((yield Ask("Bob", tuple(told), Subset(options), seat=f"Bob {len(told)}")))
        else:
            both = yield {
                "b": Ask("Bob", len(told), Quantity(0, 2, "1/2")),
                "chance": Draw.uniform((1, 2, 3)),
                "a": Ask("Ann", len(told), Choice((True, False))),
            }
            told.append(tuple(both.items()))
    return tuple(told)


def led(run: Any, generator: Random, steps: int = 1000) -> Any:
    """The run after so many answers, each of a random legal kind to a random open request."""
    for _ in range(steps):
        open_ = [*run.asks, *run.draws]
        if not open_:
            break
        request = generator.choice(open_)
        legal = request.values if isinstance(request, Draw) else request.answer.choices()
        run = run.answer(request, generator.choice(legal))
    return run
