"""The marginal-value mechanism with informants that ask a chat model, and a judge."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from llm_adapters.players import Belief, ChatInformant, ChatJudge, ScoredJudge
from mechanisms.marginal_value import MarginalValueRecord, run_marginal_value
from mechanisms.play import Ask
from mechanisms.protocols import ChatModel, LanguageModel
from mechproof.demos._overheard import (
    ConversationLog,
    Exchange,
    RecordedConversation,
    TranscriptWriter,
)
from mechproof.demos._remarks import DECISIONS
from mechproof.demos._transcript import Transcript
from mechproof.demos.bridge import (
    CONTENTS,
    GOAL,
    HOLDINGS,
    HYPOTHESES,
    PRICES,
    PRIOR,
    QUESTION,
    TRUE,
    TRUTH,
    UTILITIES,
    bridge_rule,
)
from mechproof.demos.demo import Choice, Demo
from mechproof.demos.models import LOCAL, RULES, Participants
from mechproof.unknown_names import unknown_name
from theory.errors import InvalidInputError
from theory.shared.text import number_text
from theory.verdicts import Table

__all__ = ["DEMO", "JUDGES", "MarginalValueDemo", "play"]

_NAMES: Final = {"chat": "asked for probabilities", "scored": "read off the scores of its answers"}
JUDGES: Final = tuple(_NAMES)
"""Whether the judge is asked for probabilities, or its model's scores of the answers are used."""


@dataclass(frozen=True, eq=False)
class MarginalValueDemo:
    """What came of the question.

    Attributes
    ----------
    record : MarginalValueRecord
    beliefs : tuple of Belief
        What the judge believed, the prior first.
    exchanges : tuple of Exchange
        All conversations, in order.
    failures : dict from a name to a number
        Answers of each that could not be read.
    """

    record: MarginalValueRecord
    beliefs: tuple[Belief, ...]
    exchanges: tuple[Exchange, ...]
    failures: Mapping[str, int]

    @property
    def final(self) -> Belief:
        """What the judge believed in the end."""
        names = tuple(sorted(self.record.revealed))
        return next(belief for belief in self.beliefs if belief.revealed == names)

    def expected(self, action: object) -> Any:
        """Return what an action is worth by the final belief."""
        row = UTILITIES[str(action)]
        return sum(p * row[name] for name, p in self.final.probabilities.items())

    def __str__(self) -> str:
        return str(self.record)


def play(
    chat: ChatModel,
    language_model: LanguageModel,
    transcript: Transcript,
    *,
    judge: str,
    seed: int = 0,
    progress: Callable[[str], None] = lambda text: None,
) -> MarginalValueDemo:
    """Run the mechanism on a question, and tell of it.

    Parameters
    ----------
    chat : ChatModel
        Of the informants, and of the judge where it is asked.
    language_model : LanguageModel
        Of the judge whose answers are scored.
    transcript : Transcript
    judge : "chat" or "scored"
    seed : int
        Of informants and judge.
    progress : callable
        Is told of each call.

    Raises
    ------
    UnknownNameError
        For another judge.
    InformantError, JudgeError
        Where the model raises; the session knows why.
    """
    if judge not in JUDGES:
        raise unknown_name("judge", judge, JUDGES)
    notes = ConversationLog(progress, TranscriptWriter(transcript))
    overheard = RecordedConversation(chat, notes)
    informants = {
        name: ChatInformant(name, overheard, GOAL, prices=PRICES, seed=seed) for name in HOLDINGS
    }
    judging: ChatJudge | ScoredJudge
    if judge == "scored":
        judging = ScoredJudge(language_model, QUESTION, HYPOTHESES, UTILITIES, PRIOR)
    else:
        judging = ChatJudge(overheard, HYPOTHESES, UTILITIES, PRIOR, question=QUESTION, seed=seed)
    _introduce(transcript, judge)
    prices: dict[str, object] = {
        name: float(price) if judge == "scored" else price for name, price in PRICES.items()
    }

    def asking(ask: Ask) -> None:
        if ask.role == "reveal":
            notes.occasion = f"move {len(ask.view.moves) + 1}: {ask.player}"
            return
        names = ", ".join(name for name, _ in ask.view.revealed) or "nothing"
        notes.occasion = f"the judge, given {names}"
        if judge == "scored":
            replayed = overheard.replaying
            scores = "scores in the record" if replayed else "the model scores the answers"
            progress(f"{notes.occasion}: {scores}")

    record = run_marginal_value(
        judging, informants, dict(CONTENTS), prices, holdings=HOLDINGS, asking=asking
    )
    failures = {name: one.failures for name, one in informants.items()}
    failures["judge"] = judging.failures
    found = MarginalValueDemo(record, judging.beliefs, tuple(notes.exchanges), failures)
    transcript.heading("What the judge believed")
    transcript.table(judging.table())
    _tell(transcript, found)
    return found


# --- the transcript


def _introduce(transcript: Transcript, judge: str) -> None:
    transcript.say(
        "A judge must act, and informants hold what could help. They reveal items in turn, until "
        "one of them keeps everything. After each move it is noted what the judge would do. In the "
        "end each move is paid, by what the judge then believes: by how much better the action "
        "after it is than the action before it, less the price of what was revealed. So a move "
        "that misleads is paid for by whoever made it, once it is corrected."
    )
    transcript.points(
        [
            f"**The question.** {QUESTION}",
            f"**The judge** is {_NAMES[judge]}.",
            f"**What is true**, and told to nobody. {TRUTH}",
        ]
    )
    rows = tuple(
        (action, *(str(row[name]) for name in HYPOTHESES)) for action, row in UTILITIES.items()
    )
    caption = "What the actions are worth; before anything is revealed, both are as probable"
    transcript.table(Table(caption=caption, columns=("action", *HYPOTHESES), rows=rows))
    for name, items in HOLDINGS.items():
        transcript.say(f"{name} holds:")
        transcript.points(f"**{item}**, price {PRICES[item]}: {CONTENTS[item]}" for item in items)


def _tell(transcript: Transcript, found: MarginalValueDemo) -> None:
    record = found.record
    transcript.heading("Moves and payments")
    transcript.table(record.table())
    transcript.table(record.statement.tables()[1])
    first, last = record.actions[0], record.actions[-1]
    worth = [found.expected(action) for action in (last, first)]
    total, prices = sum(record.rewards), sum(record.prices)
    transcript.say(
        f"The rewards add up to {number_text(total)}. By what the judge believes in the end, to "
        f"{last} is worth {number_text(worth[0])}; to {first}, as it would have done at first, "
        f"{number_text(worth[1])}. The difference, less {number_text(prices)} for what was "
        f"revealed, is {number_text(worth[0] - worth[1] - prices)}."
    )
    value = UTILITIES[str(last)][TRUE]
    transcript.say(f"In truth {TRUE}, and to {last} is worth {value}.")
    if any(found.failures.values()):
        listed = ", ".join(f"{name} {count}" for name, count in found.failures.items() if count)
        transcript.say(
            f"Answers that could not be used, even when asked for again: {listed}. An informant "
            "then keeps everything, which ends the game; the judge believes what it did before."
        )


# --- the demo


def _play(who: Participants, text: Transcript, **options: Any) -> MarginalValueDemo:
    return play(who.chat, who.language_model, text, **options)


def _settle(settings: dict[str, Any], kind: str) -> dict[str, Any]:
    judge = settings["judge"] or ("scored" if kind == LOCAL else "chat")
    if judge == "scored" and kind == RULES:
        problem = "needs a model that scores answers, and rules score none here"
        raise InvalidInputError("judge", judge, problem, "give chat, or another model")
    return {**settings, "judge": judge}


DEMO: Final = Demo(
    name="marginal-value",
    about="Let two informants reveal items to a judge, and pay each move with hindsight.",
    play=_play,
    rule=bridge_rule,
    remarks=DECISIONS,
    options={
        "judge": Choice(
            None,
            JUDGES,
            "Ask the judge for probabilities, or score its answers.  [default: scored with the "
            "local model, else chat]",
        )
    },
    settle=_settle,
)
