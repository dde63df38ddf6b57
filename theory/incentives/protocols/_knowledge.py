"""What players could know: what they are told, and what their moves depend on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from theory.incentives._checklist import write_short
from theory.incentives.protocols._judgement import RunJudgement, RunWitness
from theory.incentives.protocols._record import MessageSent, MoveMade, SecretsGranted
from theory.incentives.protocols._repeated_runs import RepeatedRun

__all__ = ["disclosure", "measurability"]


def disclosure(runs: Sequence[RepeatedRun]) -> RunJudgement:
    """Ask that a player is told nothing but what it may know.

    Before each move, and at the end, what a player was told so far is a function of the seed and
    of what it may know: what is public, the moves so far, hidden ones of others by name only, and
    the secrets granted to it so far. So runs that differ in other secrets alone tell it the same,
    in the same order. This is non-interference, with what is granted as the exception (Goguen and
    Meseguer, Security policies and security models, 1982).

    O(steps x players) look-ups a run.
    """
    return _function(
        runs,
        _tellings,
        family="what a player was told until a move",
        holds="What players are told is a function of what they may know.",
        fails="A player is told what depends on more than it may know.",
        vacuous="No two runs differ only in what some player may not know.",
    )


def measurability(runs: Sequence[RepeatedRun]) -> RunJudgement:
    """Ask that a player's moves depend on what it was told, and on nothing else.

    Each move is a function of the seed, what is public, the secrets granted to the player, and what
    it was told and did so far: a strategy is a function of information sets (Kuhn, Extensive games
    and the problem of information, 1953). So runs that look the same to a player see the same move.
    A player that draws needs a generator of its own; one that it shares tells it what others drew.

    One look-up a move.
    """
    return _function(
        runs,
        _choices,
        family="moves",
        holds="What players do is a function of what they were told.",
        fails="A player does what depends on more than it was told.",
        vacuous="No player has the same view in two runs whose secrets differ.",
    )


@dataclass(frozen=True, slots=True)
class _Instance:
    """What ``who`` was told or did from one step to another, which must be a function of a key."""

    ran: RepeatedRun
    who: str
    key: int
    answer: int
    kind: type[MessageSent | MoveMade]
    start: int
    end: int

    def steps(self) -> list[int]:
        """Return the indices of the steps."""
        inside = enumerate(self.ran.course.steps[self.start : self.end], self.start)
        return [k for k, s in inside if isinstance(s, self.kind) and s.player == self.who]


class _Histories:
    """Numbers of histories: equal ones have the same number, and one more event costs O(1)."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}

    def of(self, *events: Hashable) -> int:
        """Return the number of what consists of these."""
        return self._numbers.setdefault(events, len(self._numbers))


Reading = Callable[[RepeatedRun, Sequence[str], _Histories], Iterator[_Instance]]


def _tellings(
    ran: RepeatedRun, players: Sequence[str], histories: _Histories
) -> Iterator[_Instance]:
    """Return, for each player, what it was told before each move and at the end."""
    told = dict.fromkeys(players, histories.of())
    known = {player: _start(ran, player, histories) for player in players}
    course = ran.course
    for k, (step, held) in enumerate(zip(course.steps, course.contents, strict=True)):
        if isinstance(step, MessageSent):
            told[step.player] = histories.of(told[step.player], held)
        if isinstance(step, MoveMade):
            for who in players:
                yield _Instance(ran, who, known[who], told[who], MessageSent, 0, k)
                name_only = step.hidden and who != step.player
                seen = (step.player, step.hidden) if name_only else held
                known[who] = histories.of(known[who], seen)
        if isinstance(step, SecretsGranted):
            _grant(ran, step, known, histories)
    for who in players:
        yield _Instance(ran, who, known[who], told[who], MessageSent, 0, len(course.steps))


def _choices(
    ran: RepeatedRun, players: Sequence[str], histories: _Histories
) -> Iterator[_Instance]:
    """Return each move, with all that its player saw before."""
    seen = {player: _start(ran, player, histories) for player in players}
    course = ran.course
    for k, (step, held) in enumerate(zip(course.steps, course.contents, strict=True)):
        if isinstance(step, MoveMade):
            who = step.player
            yield _Instance(ran, who, seen[who], histories.of(held), MoveMade, k, k + 1)
        if isinstance(step, MessageSent | MoveMade):
            seen[step.player] = histories.of(seen[step.player], held)
        if isinstance(step, SecretsGranted):
            _grant(ran, step, seen, histories)


def _start(ran: RepeatedRun, player: str, histories: _Histories) -> int:
    return histories.of(ran.seed, ran.course.public, player)


def _grant(
    ran: RepeatedRun, step: SecretsGranted, known: dict[str, int], histories: _Histories
) -> None:
    for player in known.keys() & set(step.players):
        for name in sorted(step.secrets):
            known[player] = histories.of(known[player], (name, ran.course.secrets[name]))


def _function(
    runs: Sequence[RepeatedRun],
    reading: Reading,
    *,
    family: str,
    holds: str,
    fails: str,
    vacuous: str,
) -> RunJudgement:
    """Judge whether all instances with the same key have the same answer."""
    reproduced = all(ran.reproduced for ran in runs)
    players = sorted(frozenset().union(*(ran.course.players for ran in runs)))
    histories, first = _Histories(), dict[int, _Instance]()
    secrets = {id(ran): histories.of(frozenset(ran.course.secrets.items())) for ran in runs}
    instances = nontrivial = 0
    failures = list[RunWitness]()
    for ran in runs if reproduced else ():
        for each in reading(ran, players, histories):
            instances += 1
            before = first.setdefault(each.key, each)
            nontrivial += secrets[id(before.ran)] != secrets[id(ran)]
            if before.answer != each.answer:
                failures.append(_difference(before, each))
    return RunJudgement(
        family=family,
        instances=instances,
        nontrivial=nontrivial,
        failures=failures,
        holds=holds,
        fails=fails,
        vacuous=vacuous if reproduced else "Runs that cannot be reproduced cannot be compared.",
    )


def _difference(one: _Instance, other: _Instance) -> RunWitness:
    """Return the first step at which two instances differ."""
    k, n = next(
        (k, n)
        for k, n in zip_longest(one.steps(), other.steps())
        if k is None or n is None or one.ran.course.contents[k] != other.ran.course.contents[n]
    )
    return RunWitness(
        cases=(one.ran.case, other.ran.case),
        seed=one.ran.seed,
        step=1 + max(index for index in (k, n) if index is not None),
        who=one.who,
        problem=f"{one.who} {_text(one.ran, k)} in one, {_text(other.ran, n)} in the other",
    )


def _text(ran: RepeatedRun, k: int | None) -> str:
    step = None if k is None else ran.course.steps[k]
    if isinstance(step, MessageSent):
        return f"is told {write_short(step.message)}"
    return (
        f"does {write_short(step.move)}" if isinstance(step, MoveMade) else "is told nothing more"
    )
