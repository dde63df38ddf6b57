"""The kind ``game``: what is known of a finite game, in extensive or in strategic form."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from typing import Annotated, Final, Literal, TypeVar

from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, check_name, child, locate_errors
from mechproof.problems.format.typed import check_digits
from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.kinds.game.correlated import (
    CONCEPTS,
    OBJECTIVES,
    BestEquilibriumAnswer,
    Concept,
    best_equilibrium_of,
    describe_best_equilibrium,
    objective_of,
)
from mechproof.problems.kinds.game.distribution import (
    DistributionGaps,
    describe_gaps,
    distribution_gaps_of,
)
from mechproof.problems.kinds.game.equilibria import (
    Optimum,
    PureEquilibria,
    SubgamePerfect,
    optimum_of,
    pure_equilibria_of,
    reached_and_bits,
    subgame_perfect_of,
)
from mechproof.problems.kinds.game.examples import EXAMPLE
from mechproof.problems.kinds.game.forms import ANSWER_CONSTRAINT, PROBLEM_CONSTRAINT, check_form
from mechproof.problems.kinds.game.history import HistoryAnswer, history_answer_of
from mechproof.problems.kinds.game.mixed import MixedAnswer, mixed_answer_of
from mechproof.problems.kinds.game.recall import GameSize, Recall, game_size_of, recall_of
from mechproof.problems.kinds.game.strategic import (
    Actions,
    Payoffs,
    Play,
    ProfileEntry,
    distribution_of,
    plays_of,
    tabulated_game,
)
from mechproof.problems.kinds.game.trees import Start, game_of
from mechproof.problems.shared.counting import MAX_LONG_NODES, by_length, check_count
from mechproof.problems.shared.goods import look_up_name
from theory import games
from theory.games import Game
from theory.normal_form import NormalFormGame, from_nfg
from theory.numbers import Exact

__all__ = ["KIND", "Answer", "Problem", "solve"]

_MAX_EFG: Final = 1_000_000
"""How long a text in Gambit's extensive format may be: reading one takes longer than JSON."""
_MAX_NFG: Final = 2_000_000
"""How long a text in Gambit's strategic format may be."""
_NODES: Final = "nodes by player"

_Form = TypeVar("_Form", Game, NormalFormGame)


class Problem(ProblemBase, frozen=True, kw_only=True):
    """A finite game: extensive, as text or as a tree; or strategic, as text or by tables."""

    kind: Annotated[Literal["game"], Meta(description="The kind of problem.")]
    efg: Annotated[
        str | UnsetType, Meta(description="The game in Gambit's extensive format, version 2.")
    ] = UNSET
    players: Annotated[
        Annotated[tuple[str, ...], Meta(min_length=1)] | UnsetType,
        Meta(description="With a tree or tables: names of the players, in the order of payoffs."),
    ] = UNSET
    tree: Annotated[
        Start | UnsetType, Meta(description="The first node, and under it all others.")
    ] = UNSET
    nfg: Annotated[
        str | UnsetType, Meta(description="The game in Gambit's strategic format, version 1.")
    ] = UNSET
    actions: Actions | UnsetType = UNSET
    payoffs: Payoffs | UnsetType = UNSET
    distribution: Annotated[
        Annotated[tuple[ProfileEntry, ...], Meta(min_length=1)] | UnsetType,
        Meta(description="Probabilities of profiles, to be judged; those left out have none."),
    ] = UNSET
    plays: Annotated[
        dict[str, Annotated[tuple[Play, ...], Meta(min_length=1)]] | UnsetType,
        Meta(
            description="A history, to be judged: by player what it played round by round, an "
            "action or action: probability."
        ),
    ] = UNSET
    compute: Annotated[
        tuple[Annotated[str, Meta(extra_json_schema={"enum": list(CONCEPTS)})], ...] | UnsetType,
        Meta(
            description="Which equilibria to compute, coarse correlated and correlated ones. When "
            "left out both, unless there is a distribution or a history to judge.",
            extra_json_schema={"uniqueItems": True},
        ),
    ] = UNSET
    objective: Annotated[
        Annotated[str, Meta(extra_json_schema={"enum": list(OBJECTIVES)})]
        | dict[str, Fraction]
        | UnsetType,
        Meta(
            description="Which equilibrium to compute: that of the greatest sum of payoffs, as "
            "when left out, of the least, or of the greatest sum with these weights by player."
        ),
    ] = UNSET


class Answer(AnswerBase, frozen=True, kw_only=True):
    """What is known of a game; which fields there are depends on its form."""

    kind: Annotated[Literal["game"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    players: Annotated[tuple[str, ...], Meta(description="The players.")]
    size: Annotated[GameSize | UnsetType, Meta(description="How large the game is.")] = UNSET
    recall: Annotated[
        dict[str, Recall] | UnsetType, Meta(description="Player: what it may have forgotten.")
    ] = UNSET
    subgame_perfect: Annotated[
        SubgamePerfect | UnsetType,
        Meta(description="One subgame-perfect equilibrium in pure strategies."),
    ] = UNSET
    pure_equilibria: Annotated[
        PureEquilibria | UnsetType, Meta(description="All Nash equilibria in pure strategies.")
    ] = UNSET
    mixed_equilibrium: Annotated[
        MixedAnswer | UnsetType,
        Meta(
            description="With several players and no subgame-perfect equilibrium in pure "
            "strategies: one in mixed strategies."
        ),
    ] = UNSET
    optimum: Annotated[
        Optimum | UnsetType,
        Meta(description="The best strategy before the play, with one player only."),
    ] = UNSET
    actions: Annotated[
        dict[str, tuple[str, ...]] | UnsetType, Meta(description="Player: its actions.")
    ] = UNSET
    words: Annotated[tuple[str, ...] | UnsetType, Meta(description="What was found, in words.")] = (
        UNSET
    )
    given: Annotated[
        DistributionGaps | UnsetType,
        Meta(description="The gaps of the distribution that was given."),
    ] = UNSET
    played: Annotated[
        HistoryAnswer | UnsetType, Meta(description="The regrets of the history that was given.")
    ] = UNSET
    computed: Annotated[
        dict[Concept, BestEquilibriumAnswer] | UnsetType,
        Meta(description="The equilibria that were to be computed: cce, coarse correlated; ce."),
    ] = UNSET


def solve(problem: Problem) -> Answer:
    """Say what is known of a game.

    Of an extensive one recall, pure equilibria, a mixed one where no pure one is subgame perfect
    and, with one player, the optimum; of a strategic one
    the gaps of a distribution, the regrets of a history, and correlated equilibria.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    game = _game(problem)
    return _extensive(game) if isinstance(game, Game) else _strategic(problem, game)


def _extensive(game: Game) -> Answer:
    _, bits = reached_and_bits(_require_few(game))
    work = by_length(len(game.nodes) * len(game.players), bits)
    what, fix = f"{_NODES}, by the length of numbers", "round the numbers, or give fewer nodes"
    check_count("$", what, work, MAX_LONG_NODES, fix)
    perfect = subgame_perfect_of(game)
    mixed = len(game.players) > 1 and isinstance(perfect.found, UnsetType)
    return Answer(
        kind="game",
        version=1,
        players=game.players,
        size=game_size_of(game),
        recall=recall_of(game),
        subgame_perfect=perfect,
        pure_equilibria=pure_equilibria_of(game),
        mixed_equilibrium=mixed_answer_of(game) if mixed else UNSET,
        optimum=optimum_of(game) if len(game.players) == 1 else UNSET,
    )


def _strategic(problem: Problem, game: NormalFormGame) -> Answer:
    law, history = problem.distribution, problem.plays
    distribution = None if isinstance(law, UnsetType) else distribution_of(law, game)
    plays = None if isinstance(history, UnsetType) else plays_of(history, game)
    concepts = _wanted_concepts(problem)
    objective = objective_of(problem.objective, game)
    words: list[str] = []
    given: DistributionGaps | UnsetType = UNSET
    played: HistoryAnswer | UnsetType = UNSET
    if distribution is not None:
        given = distribution_gaps_of(game, distribution)
        words.append(describe_gaps(given, "The distribution"))
    if plays is not None:
        played, said = history_answer_of(game, plays)
        words += said
    computed: dict[Concept, BestEquilibriumAnswer] = {
        concept: best_equilibrium_of(game, concept, objective) for concept in concepts
    }
    words += [describe_best_equilibrium(concept, found) for concept, found in computed.items()]
    return Answer(
        kind="game",
        version=1,
        players=game.players,
        actions=dict(zip(game.players, game.actions, strict=True)),
        words=tuple(words),
        given=given,
        played=played,
        computed=computed or UNSET,
    )


def _wanted_concepts(problem: Problem) -> list[Concept]:
    judged = (problem.distribution, problem.plays) != (UNSET, UNSET)
    names = problem.compute
    if isinstance(names, UnsetType):
        names = () if judged else tuple(CONCEPTS)
    if not names and problem.objective is not UNSET:
        raise DocumentError("is for what there is to compute: add compute", path="$.objective")
    for k, name in enumerate(names):
        if name in names[:k]:
            raise DocumentError(f"{name!r} is given twice: keep one", path=child("$.compute", k))
    return [
        look_up_name(name, "equilibrium", CONCEPTS, child("$.compute", k))
        for k, name in enumerate(names)
    ]


def _require_few(game: Game) -> Game:
    """Refuse a game of more nodes by player than are gone through, before they are."""
    many = len(game.nodes) * len(game.players)
    check_count("$", _NODES, many, MAX_LONG_NODES, "give fewer nodes or players")
    return game


def _require_short(game: _Form, path: str) -> _Form:
    """Refuse a game out of text with long names or long and many numbers, as other documents are.

    Raises
    ------
    DocumentError, LimitError
        See ``check_name`` and ``check_digits``.
    """
    lists = [game.players]
    if isinstance(game, Game):
        lists += [tuple(each.name for each in game.infosets), *(node.moves for node in game.nodes)]
    else:
        lists += game.actions
    for name in chain.from_iterable(lists):
        check_name(name, path)
    if isinstance(game, Game):
        told = chain.from_iterable(node.payoffs + node.probabilities for node in game.nodes)
    elif isinstance(game.payoffs, Exact) and game.payoffs.is_short:
        return game
    else:
        told = chain.from_iterable(game.payoffs.scalars())
    check_digits(told, "numbers of the game")
    return game


def _game(problem: Problem) -> Game | NormalFormGame:
    check_form({field for field in problem.__struct_fields__ if getattr(problem, field) != UNSET})
    if isinstance(problem.efg, str):
        check_count("$.efg", "characters", len(problem.efg), _MAX_EFG, "give a smaller game")
        with locate_errors("$.efg"):
            return _require_short(_require_few(games.from_efg(problem.efg)), "$.efg")
    if isinstance(problem.nfg, str):
        check_count("$.nfg", "characters", len(problem.nfg), _MAX_NFG, "give a smaller game")
        with locate_errors("$.nfg"):
            return _require_short(from_nfg(problem.nfg), "$.nfg")
    assert not isinstance(problem.players, UnsetType)
    if not isinstance(problem.tree, UnsetType):
        return game_of(problem.players, problem.tree)
    assert not isinstance(problem.actions, UnsetType)
    assert not isinstance(problem.payoffs, UnsetType)
    return tabulated_game(problem.players, problem.actions, problem.payoffs)


KIND = ProblemKind(
    name="game",
    problem=Problem,
    answer=Answer,
    solve=solve,
    example=EXAMPLE,
    constraint=PROBLEM_CONSTRAINT,
    answer_constraint=ANSWER_CONSTRAINT,
)
