"""The marginal-value mechanism: informants reveal items to a judge, and are paid in hindsight."""

from __future__ import annotations

from fractions import Fraction
from json import dumps
from typing import Any, Final

from mechanisms.marginal_value import JUDGE, marginal_value, marginal_value_record
from mechanisms.play import Ask, Run
from mechproof.demos.bridge import (
    CONTENTS,
    GOAL,
    HOLDINGS,
    HYPOTHESES,
    PRICES,
    QUESTION,
    TRUTH,
    UTILITIES,
    likely_to_hold,
    tells,
)
from mechproof.games.game import Game

__all__ = ["GAME"]


def _begin() -> Run[Any]:
    return marginal_value(
        dict(CONTENTS), list(HOLDINGS), dict(PRICES), holdings=HOLDINGS, floats=False, attempts=3
    )


def _reveal(ask: Ask) -> object:
    return [name for name, _ in ask.view.held if tells(name)]


def _judge(ask: Ask) -> object:
    holds = likely_to_hold(" ".join(text for _, text in ask.view.revealed))
    belief = dict(zip(HYPOTHESES, (holds, 1 - holds), strict=True))
    return {
        action: sum((belief[name] * worth for name, worth in row.items()), Fraction(0))
        for action, row in UTILITIES.items()
    }


def _tell(run: Run[Any]) -> str:
    if run.outcome is None:
        return str(run)
    record = marginal_value_record(tuple(CONTENTS), PRICES, run, run.ledger.statement())
    return f"{record}\n\n{TRUTH}"


def _goals() -> dict[str, str]:
    worths = "; ".join(
        f"to {action}: " + ", ".join(f"{worth} if {name}" for name, worth in row.items())
        for action, row in UTILITIES.items()
    )
    example = dumps(dict.fromkeys(UTILITIES, 0))
    judge = (
        f"{QUESTION} Before anything is revealed, that {' and that '.join(HYPOTHESES)} are as "
        f"probable. What the actions are worth is, {worths}. By what is revealed to you, say what "
        f"you expect of each, such as {example}."
    )
    price = next(iter(PRICES.values()))
    informant = (
        f"{QUESTION} {GOAL} In the end you are paid for each of your moves by how much better the "
        "judge then finds the action that it took after the move than the one before it, less "
        f"{price} for each item that you revealed. Revealing nothing ends the game."
    )
    return {JUDGE: judge, **dict.fromkeys(HOLDINGS, informant)}


GAME: Final = Game(
    name="marginal-value",
    about="Two informants reveal items to a judge in turn, and are paid in hindsight. An empty "
    "line reveals nothing, which ends the game.",
    begin=_begin,
    by_rule=lambda: {**dict.fromkeys(HOLDINGS, _reveal), JUDGE: _judge},
    goals=_goals(),
    seat=next(iter(HOLDINGS)),
    tell=_tell,
)
