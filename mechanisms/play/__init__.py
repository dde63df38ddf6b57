"""Mechanisms that are stepped from outside.

:func:`rules` makes a mechanism of a generator that yields what it asks for. Called with its
arguments it begins a :class:`Run`, a value: ``run.ask()`` says who is asked, what it is told and
what a legal answer is; ``run.answer(ask, …)`` returns the next stage. A run is written as plain
data and read back in another process. :func:`play` leads one to its end with participants of this
process, :func:`stages` says each stage on the way, :func:`play_async` waits for such as take their
time, and :func:`unfold` makes it a game of
:mod:`theory.games`.
"""

from mechanisms.play._best_response import BestResponse, best_response
from mechanisms.play._driving import AsyncParticipant, Participant, play, play_async, stages
from mechanisms.play._line import Steps, conclude
from mechanisms.play._log import Entry, How, ReplayError, RulesError
from mechanisms.play._recording import Knowledge, record_run
from mechanisms.play._requests import (
    END,
    TELL,
    Ask,
    Draw,
    Funds,
    Open,
    Otherwise,
    Pay,
    Request,
    Transfer,
    Unanswered,
    Unpaid,
)
from mechanisms.play._rules import Rules, rules
from mechanisms.play._run import Run
from mechanisms.play._unfolding import MAX_NODES, unfold
from mechanisms.play.answers import (
    AnswerType,
    Anything,
    Choice,
    IllegalAnswerError,
    Quantity,
    Subset,
    Text,
)

__all__ = [
    "END",
    "MAX_NODES",
    "TELL",
    "AnswerType",
    "Anything",
    "Ask",
    "AsyncParticipant",
    "BestResponse",
    "Choice",
    "Draw",
    "Entry",
    "Funds",
    "How",
    "IllegalAnswerError",
    "Knowledge",
    "Open",
    "Otherwise",
    "Participant",
    "Pay",
    "Quantity",
    "ReplayError",
    "Request",
    "Rules",
    "RulesError",
    "Run",
    "Steps",
    "Subset",
    "Text",
    "Transfer",
    "Unanswered",
    "Unpaid",
    "best_response",
    "conclude",
    "play",
    "play_async",
    "record_run",
    "rules",
    "stages",
    "unfold",
]
