"""A best-response oracle for learners that asks a chat model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import floor, log10
from typing import Any, Final, Literal

import numpy as np

from llm_adapters.players._agent_chat import AgentChat
from llm_adapters.players._answer_schemas import draws, form_of
from llm_adapters.players._arguments import read_count, read_names, read_seed, read_text
from llm_adapters.players._chat_maps import drawn_maps
from llm_adapters.players._oracle_report import OracleReport
from mechanisms.learners import ActionOracle, History, Round
from mechanisms.learners.history_memory import HistoryMemory, RewardSum
from mechanisms.learners.lazy_maps import SampledMaps
from mechanisms.protocols import ChatModel, Message
from theory.actions import ListedActions, mean_features
from theory.shared.arguments import read_generator, read_positive
from theory.shared.shapes import Bool, Float64, Row

__all__ = ["ChatOracle"]


class _MoveGains(HistoryMemory[tuple[Any, Any]]):
    """For each action i the rewards of all actions j, in rounds weighted with the share of i.

    Row i is the sum over rounds s of w_s x_s(i) r_s(j). The move of i to j would have gained entry
    (i, j) less entry (i, i); the diagonal adds up to what was earned. Beside the rows stands which
    of the actions were ever played.
    """

    def _empty(self) -> tuple[Any, Any]:
        size = self._actions.size
        return np.zeros((size, size)), np.zeros(size, dtype=bool)

    def _with(
        self,
        value: tuple[Float64[np.ndarray, "actions actions"], Bool[np.ndarray, " actions"]],
        each: Round,
    ) -> tuple[Float64[np.ndarray, "actions actions"], Bool[np.ndarray, " actions"]]:
        rows, played = value
        shares = each.weight * mean_features(self._actions, each.play)
        return rows + np.outer(shares, np.asarray(each.observation)), played | (shares > 0)


# --- What the model of a best-response oracle is told, in our own words

_RULES: Final = Message("system", "You choose one action of several. More points are better.")
_MOST_PLACES: Final = 300
_FEW: Final = 10


def conversation(situation: str, texts: Mapping[str, str], points: Sequence[str]) -> list[Message]:
    """Return what asks for one of the actions, each with its points."""
    lines = ["Actions, each with the points that it would have earned so far:"]
    for (name, text), earned in zip(texts.items(), points, strict=True):
        lines.append(f"- {name}: {earned} points{f' ({text})' if text else ''}")
    names = [json.dumps(name, ensure_ascii=False) for name in texts]
    choice = " or ".join(names) if len(names) <= _FEW else '"the name of the action"'
    asked = (
        "Which action would have earned the most?\n"
        f'Answer in JSON alone, in this form:\n{{\n  "action": {choice}\n}}'
    )
    parts = [*([situation] if situation else []), "\n".join(lines), asked]
    return [_RULES, Message("user", "\n\n".join(parts))]


def decimals(numbers: Row, digits: int) -> tuple[str, ...]:
    """Write numbers as plain decimals that tell the largest from the smallest to so many digits.

    Examples
    --------
    >>> import numpy as np
    >>> decimals(np.array([1234.5678, 1234.0, 1235.0]), 3)
    ('1234.57', '1234.00', '1235.00')
    >>> decimals(np.array([0.00012345, -0.0005]), 2)
    ('0.00012', '-0.00050')
    """
    spread = float(numbers.max()) - float(numbers.min())
    places = digits if spread == 0 else digits - 1 - floor(log10(spread))
    places = min(max(places, 0), _MOST_PLACES)
    return tuple(f"{round(number, places) + 0.0:.{places}f}" for number in numbers.tolist())


# --- A best-response oracle for learners that asks a chat model

_MOST_ACTIONS: Final = 1_000
_MOST_DIGITS: Final = 17
_MOST_DRAWS: Final = 10**7


class ChatOracle:
    r"""An oracle of learners that asks a chat model which action would have earned most.

    The model is shown each action with its points, and names one. The points are

    .. math:: S_i = \sum_s w_s r_s(i) \quad\text{or}\quad S_i + n_i / \eta

    for a pure or a smooth best response, n_i being independent standard Gumbel noise, drawn anew
    for each answer, and eta the rate that the learner asks for. A model that names the action with
    the most points thus draws from the softmax law of eta S, which is what
    :class:`~mechanisms.learners.FTPL` needs. Under noise the model sees perturbed totals and
    nothing else of the past: no round by itself, and no total without its noise, in this answer or
    another, since each is a new conversation.

    An answer that cannot be read is asked for again with what was wrong; after the last attempt an
    action is drawn uniformly, which keeps the learner from being read like a book where a fixed
    default would not. Such failures are counted. Errors of the model itself, such as a server that
    is down or a spent budget, are raised.

    Parameters
    ----------
    chat : ChatModel
    actions : dict or list of str
        What each action is, by name; or names alone. Learners call them 0, ..., N - 1, in this
        order; at most 1,000, since every prompt lists them.
    situation : str
        What the actions are for; shown to the model.
    digits : int
        To how many digits the points tell the best action from the worst, from 1 to 17. Actions
        whose points are closer are shown alike, so that the law is that of an oracle with a gap of
        up to the spread of the points times 10^(1 - digits).
    name : str
        To whom a chat with a method ``for_agent`` is accounted.
    seed : int
        For pure best responses, which are asked for without a generator.

    Attributes
    ----------
    names : tuple of str
    report : OracleReport
        How its answers compare with exact best responses to the same totals.
    gap : float
        The most by which an answer was worse than that, in rewards; learners pass it on as
        ``oracle_gap``. An oracle with a gap is none, and what is proven of learners with oracles is
        not proven of learners with it.

    Raises
    ------
    InvalidInputError
        For arguments of other kinds, and numbers out of range.

    Notes
    -----
    A round of ``FTPL`` with m samples asks m questions; each is asked up to three times. A round of
    ``InternalFTPL`` with m samples asks up to m (k + 1), where k actions have been played: the best
    map is found from the best map of each action played and the best constant one, all under their
    own noise, by comparing what they would have gained.

    Source: Chen, Chen, Foster and Hazan, "Playing Large Games with Oracles and AI Debate" (2024),
    whose experiments add noise to the last reward alone and show the others as they were.

    Examples
    --------
    >>> import json
    >>> from llm_adapters.fakes import RuleChat
    >>> from mechanisms.learners import FTPL
    >>> def leader(messages, schema):
    ...     shown = [line[2:] for line in messages[1].content.splitlines() if line[:2] == "- "]
    ...     points = {line.split(":")[0]: float(line.split()[1]) for line in shown}
    ...     return json.dumps({"action": max(points, key=points.get)})
    >>> oracle = ChatOracle(RuleChat(leader), ["rock", "paper", "scissors"])
    >>> learner = FTPL(oracle, rng=np.random.default_rng(0), rounds=100)
    >>> for _ in range(100):
    ...     learner.observe([0.0, 0.5, 1.0])
    >>> learner.play().actions, oracle.report.asked, oracle.gap
    ((2,), 101, 0.0)
    """

    def __init__(
        self,
        chat: ChatModel,
        actions: Mapping[str, str] | Iterable[str],
        *,
        situation: str = "",
        digits: int = 6,
        name: str = "oracle",
        seed: int = 0,
    ) -> None:
        given: Any = actions
        self.names = read_names("actions", given)
        read_count("number of actions", len(self.names), 1, _MOST_ACTIONS)
        self._texts = dict.fromkeys(self.names, "")
        if isinstance(given, Mapping):
            self._texts = {each: read_text(f"action {each}", given[each]) for each in self.names}
        self.situation = read_text("situation", situation) if situation != "" else ""
        self.digits = read_count("digits", digits, 1, _MOST_DIGITS)
        self.name = read_text("name", name)
        self.seed = read_seed(seed)
        self.actions = ListedActions(len(self.names))
        self.report = OracleReport()
        self._line = AgentChat(chat, self.name)
        self._exact = ActionOracle(self.actions)
        self._totals, self._gains = RewardSum(self.actions), _MoveGains(self.actions)

    @property
    def size(self) -> int:
        """The number of actions N."""
        return len(self.names)

    @property
    def gap(self) -> float:
        """The most by which an answer was worse than the best response it was asked for."""
        return self.report.gap

    @property
    def failures(self) -> int:
        """How many best responses got no answer that could be read."""
        return self._line.failures

    def __contains__(self, action: object) -> bool:
        return type(action) is int and 0 <= action < self.size

    def read_observation(self, observation: Any, reward_range: tuple[float, float]) -> Row:
        """Return the rewards of a round, checked.

        Raises
        ------
        InvalidInputError
            For what is no row of finite numbers in the range, one for each action.
        """
        return self._exact.read_observation(observation, reward_range)

    def best_response(self, history: History) -> int:
        """Return the action that the model names when it is shown the totals."""
        return self._ask_for_action(self._totals.of(history))

    def smooth_best_response(
        self, history: History, *, rate: float, rng: np.random.Generator, n: int = 1
    ) -> list[int]:
        """Return n answers, each to totals with noise of its own.

        Raises
        ------
        InvalidInputError
            For a rate that is not positive, and what is no count or no generator.
        """
        step, drawn = read_positive("rate", rate), read_generator(rng)
        totals = self._totals.of(history)
        noise = drawn.gumbel(size=(read_count("n", n, 0, _MOST_DRAWS), self.size))
        return [self._ask_among(totals + row / step, drawn) for row in noise]

    def best_map(self, history: History) -> tuple[int, int] | None:
        """Return the best of the moves that the model names for each action played.

        What a move would have gained is computed. None where none gains.
        """
        rows, played = self._gains.of(history)
        moves = [(i, self._ask_for_action(rows[i])) for i in np.flatnonzero(played).tolist()]
        gains = [float(rows[i, j] - rows[i, i]) for i, j in moves]
        best = max(range(len(moves)), key=gains.__getitem__, default=None)
        return None if best is None or gains[best] <= 0 else moves[best]

    def smooth_best_maps(
        self,
        history: History,
        *,
        rate: float,
        rng: np.random.Generator,
        n: int,
        constants: bool = False,
    ) -> SampledMaps:
        """Return n best maps under noise, from the model's answers for each action played.

        Raises
        ------
        InvalidInputError
            For a rate that is not positive, and what is no count or no generator.
        """
        step, drawn = read_positive("rate", rate), read_generator(rng)
        number = read_count("n", n, 0, _MOST_DRAWS)
        rows, played = self._gains.of(history)
        totals = self._totals.of(history) if constants else None
        return drawn_maps(self._ask_among, rows, played, totals, rate=step, rng=drawn, n=number)

    def _ask_for_action(self, points: Row) -> int:
        """Return the action that the model names, with draws that depend on the question alone."""
        shown = " ".join(decimals(points, self.digits))
        return self._ask_among(points, draws(self.seed, shown))

    def _ask_among(self, points: Row, rng: np.random.Generator, without: int | None = None) -> int:
        """Return the action that the model names among all but one.

        Two numbers are drawn whatever comes of it: the seed for the model, and what is taken where
        it gives no answer.
        """
        seed, spare = int(rng.integers(2**63)), float(rng.random())
        places = [k for k in range(self.size) if k != without]
        texts = {self.names[k]: self._texts[self.names[k]] for k in places}
        asked = conversation(self.situation, texts, decimals(points[places], self.digits))
        kind, read = _form(tuple(texts))
        said = self._line.ask(asked, kind, np.random.default_rng(seed), read)
        chosen = places[int(spare * len(places))]
        if said is not None:
            chosen = self.names.index(said["action"])
        gap = float(points[places].max() - points[chosen])
        self.report = self.report.with_answer(gap, failed=said is None)
        return chosen

    def __repr__(self) -> str:
        return f"ChatOracle({', '.join(map(repr, self.names))}, failures={self.failures})"


@lru_cache(maxsize=16)
def _form(names: tuple[str, ...]) -> Any:
    return form_of({"action": Literal[names]})
