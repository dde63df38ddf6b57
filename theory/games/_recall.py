"""Which kinds of imperfect recall each player has, with two nodes that prove each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, pairwise, zip_longest

from theory.errors import InvalidInputError
from theory.games._experience import Experiences, Step
from theory.games._game import Game
from theory.shared.arguments import instance_of
from theory.shared.printable import escape, print_safely, printable, printed_line

__all__ = ["AbsentMindedError", "Recall", "RecallKind", "RecallWitness", "recall"]


class RecallKind(StrEnum):
    """What a player may have forgotten at an information set."""

    PERFECT = "perfect"
    FORGETS_MOVES = "forgets own moves"
    FORGETS_INFORMATION = "forgets own information"
    ABSENT_MINDED = "absent-minded"


@dataclass(frozen=True, slots=True)
class RecallWitness:
    """Two nodes of an information set at which the player has lived through different things."""

    kind: RecallKind
    infoset: int
    nodes: tuple[int, int]
    sentence: str

    @printed_line
    def __str__(self) -> str:
        return f"{self.kind}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class Recall:
    """The kinds of imperfect recall of one player, each with its witness; none if perfect."""

    player: str
    witnesses: tuple[RecallWitness, ...]

    @property
    def kinds(self) -> tuple[RecallKind, ...]:
        """The kinds that hold, in the order of :class:`RecallKind`; perfect stands alone."""
        return tuple(witness.kind for witness in self.witnesses) or (RecallKind.PERFECT,)

    @property
    def is_perfect(self) -> bool:
        """Whether the player never forgets anything."""
        return not self.witnesses

    @print_safely
    def __str__(self) -> str:
        return "\n  ".join(
            [f"{printable(self.player)}: {', '.join(self.kinds)}", *map(str, self.witnesses)]
        )

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


class AbsentMindedError(InvalidInputError):
    """A method that does not apply where a play can pass one information set twice."""


def recall(game: Game) -> tuple[Recall, ...]:
    """Return for each player which kinds of imperfect recall hold.

    A player's experience at a node is the sequence of its own information sets on the path there,
    with the moves made. Recall is perfect when all nodes of each set have one experience. Where two
    nodes of a set I have different ones, compare them up to the first difference:

    - the same set with different moves: the player *forgets own moves*;
    - different sets: it *forgets own information*, as it knew where it was;
    - one is over and the other goes on at I itself: the play has been at I before, and the player
      is *absent-minded*, which is to say that one path meets I twice;
    - one is over and the other goes on at another set: it *forgets own information*, namely that
      it has been there.

    Several kinds may hold, even at one set.

    Notes
    -----
    O(n log n) a player for n nodes. The experiences at a set are sorted as words. If any two of
    them tell of forgotten moves or information, then so do two that stand next to each other. What
    a witness says is read off its two paths once more.

    References
    ----------
    Kuhn (1953), Extensive games and the problem of information: perfect recall. Okada (1987),
    Complete inflation and perfect recall in extensive games, and Bonanno (2004), Memory and perfect
    recall in extensive games: memory of moves and of information. Piccione and Rubinstein (1997),
    On the interpretation of decision problems with imperfect recall: absent-mindedness.

    Examples
    --------
    >>> from theory.games import Game, choice, end
    >>> second = choice("driver", "crossing", {"exit": end(4), "on": end(1)})
    >>> game = Game.of(("driver",), choice("driver", "crossing", {"exit": end(0), "on": second}))
    >>> print(recall(game)[0])
    driver: absent-minded
      absent-minded: at crossing, driver does not know whether the play has been there before: \
(the start) or (on)
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    return tuple(Recall(name, _witnesses(game, i)) for i, name in enumerate(game.players))


def refuse_absent_minded(game: Game, method: str) -> None:
    """Raise ``AbsentMindedError`` where a play can pass one information set twice; O(nodes)."""
    for k, infoset in enumerate(game.infosets):
        if _find_repeated_nodes(game, k):
            raise AbsentMindedError(
                f"information set of {game.players[infoset.player]!r}",
                infoset.name,
                f"is met twice on one path, where {method} does not apply: a law of moves may "
                "beat every pure strategy",
                "give the later visit an information set of its own",
            )


def _witnesses(game: Game, player: int) -> tuple[RecallWitness, ...]:
    found: dict[RecallKind, RecallWitness] = {}
    for kind, k, u, v in chain(_repetitions(game, player), _differences(game, player)):
        if kind not in found:
            found[kind] = _witness(game, k, u, v)
    return tuple(found[kind] for kind in RecallKind if kind in found)


def _repetitions(game: Game, player: int) -> Iterator[tuple[RecallKind, int, int, int]]:
    """Yield kind, set and two nodes where a play can come back to a set of the player."""
    for k in game.infosets_of(player):
        for u, v in _find_repeated_nodes(game, k):
            yield RecallKind.ABSENT_MINDED, k, u, v


def _find_repeated_nodes(game: Game, k: int) -> list[tuple[int, int]]:
    """Return the first two nodes of a set that lie on one path, if any do."""
    pairs = pairwise(game.infosets[k].nodes)
    return [(u, v) for u, v in pairs if v < game.stops[u]][:1]


def _differences(game: Game, player: int) -> Iterator[tuple[RecallKind, int, int, int]]:
    """Yield kind, set and two nodes for neighbouring experiences at each set of the player."""
    lived = Experiences.of(game, player, range(len(game.nodes)))
    ranks = lived.ranks()
    for k in game.infosets_of(player):
        first: dict[int, int] = {}
        for h in game.infosets[k].nodes:
            first.setdefault(lived.at[h], h)
        for a, b in pairwise(sorted(first, key=ranks.__getitem__)):
            yield _kind(k, *lived.first_difference(a, b)), k, first[a], first[b]


def _kind(k: int, one: Step | None, other: Step) -> RecallKind:
    before = k if one is None else one[0]
    if before != other[0]:
        return RecallKind.FORGETS_INFORMATION
    return RecallKind.ABSENT_MINDED if one is None else RecallKind.FORGETS_MOVES


def _witness(game: Game, k: int, u: int, v: int) -> RecallWitness:
    """Read off two paths how the experiences at nodes u and v differ, and say so."""
    infoset = game.infosets[k]
    one, other = (
        [(game.nodes[h].infoset, m) for h, m in game.path(end) if _moves(game, infoset.player, h)]
        for end in (u, v)
    )
    s, t = next((s, t) for s, t in zip_longest(one, other) if s != t)
    kind = _kind(k, s, t)
    places = [game.infosets[step[0]] for step in (s, t) if step]
    if kind is RecallKind.FORGETS_MOVES:
        moves = " or ".join(places[0].moves[step[1]] for step in (s, t))
        unknown = f"which move was made at {places[0].name}, {moves}"
    elif kind is RecallKind.ABSENT_MINDED:
        unknown = "whether the play has been there before"
    elif s is None:
        unknown = f"whether the play has passed {places[0].name}"
    else:
        unknown = f"whether the play has passed {' or '.join(place.name for place in places)}"
    paths = " or ".join(f"({game.story(h)})" for h in (u, v))
    sentence = f"at {infoset.name}, {game.players[infoset.player]} does not know {unknown}: {paths}"
    return RecallWitness(kind, k, (u, v), sentence)


def _moves(game: Game, player: int, h: int) -> bool:
    k = game.nodes[h].infoset
    return k >= 0 and game.infosets[k].player == player
