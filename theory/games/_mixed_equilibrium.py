"""Finding an equilibrium in mixed strategies: exact for two players, approximate for more."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from theory.errors import InvalidInputError, LimitError
from theory.games._equilibrium import Equilibrium, Method
from theory.games._game import Game
from theory.games._lemke import equilibrium_weights
from theory.games._logit import logit_play
from theory.games._pure_equilibria import stage_equilibria
from theory.games._recall import recall, refuse_absent_minded
from theory.games._sequence_form import TwoPlayerForm, plan_form, sequence_form
from theory.games._strategies import Behaviour, Mixed
from theory.games._subgames import Stage, stages
from theory.shared.arguments import instance_of, read_count

__all__ = [
    "PLAN_LIMIT",
    "SEQUENCE_LIMIT",
    "ForgetfulError",
    "mixed_equilibrium",
]

SEQUENCE_LIMIT: Final = 150
"""The most moves of two players in one stage."""

PLAN_LIMIT: Final = 100
"""The most plans of a player who forgets."""

REPLY_LIMIT: Final = 20_000
"""The most joint moves of a forgetful player that are tried for its regret."""

_PURE_WORK: Final = 100_000
"""The most pure profiles of a stage, times its nodes, that are tried before mixed ones are."""

Laws = dict[int, tuple[Fraction, ...]]


class ForgetfulError(InvalidInputError):
    """A game in which players forget, where behaviour may have no equilibrium."""


def mixed_equilibrium(
    game: Game, limit: int = SEQUENCE_LIMIT, plan_limit: int = PLAN_LIMIT
) -> Equilibrium:
    """Return an equilibrium, in mixed strategies if need be.

    Subgames are solved from the innermost on, each with what the next ones pay, so that an exact
    answer is subgame perfect. Where at most two players move in a subgame, and remember what they
    did and knew, Lemke's method on the sequence form finds an equilibrium in exact numbers. Where
    more move, pure profiles are tried, and then a path of logit responses ends near an equilibrium;
    its gap is computed exactly. Where one of two players forgets, and no pure profile will do, an
    equilibrium of the whole game in mixed strategies is found, which draw a plan before the play: a
    game of forgetful players need not have one in behaviour.

    Parameters
    ----------
    game : Game
    limit : int
        The most moves of two players in a subgame, the next ones left out.
    plan_limit : int
        The most plans of a player who forgets.

    Raises
    ------
    AbsentMindedError
        Where one path meets an information set twice.
    ForgetfulError
        Where three players or more move, one of them forgets, and no pure profile will do.
    LimitError
        For a game above a limit.

    Notes
    -----
    Each of the pivots, about one a sequence as a rule, takes O(sequences²) operations on integers
    whose length grows with the sequences.

    References
    ----------
    Koller, Megiddo and von Stengel (1996), Efficient computation of equilibria for extensive
    two-person games. Wichardt (2008), Existence of Nash equilibria in finite extensive form games
    with imperfect recall: a counterexample.

    Examples
    --------
    >>> from theory.games import Game, choice, end
    >>> sides = ("heads", "tails")
    >>> game = Game.of(("even", "odd"), choice("even", "even", {
    ...     a: choice("odd", "odd", {b: end(3 if a == b == "heads" else int(a == b), int(a != b))
    ...     for b in sides}) for a in sides}))
    >>> print(mixed_equilibrium(game))
    Behaviour
    player  information set  moves
    ──────  ───────────────  ────────────────────
    even    even             heads 1/2, tails 1/2
    odd     odd              heads 1/4, tails 3/4
    <BLANKLINE>
    Subgame-perfect equilibrium
    player  payoff  most gained by deviating
    ──────  ──────  ────────────────────────
    even    3/4     0
    odd     1/2     0
    """
    instance_of("game", game, Game, "use Game.of, or read one with from_efg")
    read_count("limit", limit, 0)
    read_count("plan_limit", plan_limit, 0)
    refuse_absent_minded(game, "the search for mixed equilibria")
    values: dict[int, tuple[Fraction, ...]] = {}
    laws: Laws = {}
    used: set[Method] = set()
    for stage in stages(game):
        movers = sorted({game.infosets[k].player for k in stage.infosets})
        method, found = Method.SEQUENCES, _of_two(game, stage, values, movers, limit)
        if found is None:
            method, found = Method.PROFILES, _find_pure(game, stage, values)
        if found is None:
            if not all(player.is_perfect for player in recall(game)):
                return _of_plans(game, plan_limit)
            method, found = Method.LOGIT, logit_play(game, stage, values)
        if found:
            used.add(method)
        laws |= found
        values[stage.root] = _expect(game, stage, values, found)
    behaviour = Behaviour(tuple(laws[k] for k in range(len(game.infosets))))
    return Equilibrium(
        game,
        behaviour,
        methods=tuple(method for method in Method if method in used),
        reply_limit=REPLY_LIMIT,
    )


def _of_two(
    game: Game,
    stage: Stage,
    values: Mapping[int, tuple[Fraction, ...]],
    movers: list[int],
    limit: int,
) -> Laws | None:
    """Return the play of a stage; None where more than two players move, or one forgets."""
    if len(movers) > 2:
        return None
    if not movers:
        return {}
    moves = sum(len(game.infosets[k].moves) for k in stage.infosets)
    if moves > limit:
        raise LimitError(
            "moves of two players in one subgame",
            moves,
            f"are more than the limit of {limit}",
            "give a smaller game, or a larger limit",
        )
    form = sequence_form(game, stage, values, (movers[0], movers[-1]))
    if form is None:
        return None
    weights = equilibrium_weights(form)
    return {k: law for side in (0, 1) for k, law in _laws(form, side, weights).items()}


def _laws(form: TwoPlayerForm, side: int, weights: tuple[list[Fraction], list[Fraction]]) -> Laws:
    """Return a player's laws of moves. Where own moves rule out a set, a best move is made."""
    worth = [Fraction(0)] * form.count(side)
    for pair, paid in form.payoffs.items():
        worth[pair[side]] += paid[side] * weights[1 - side][pair[1 - side]]
    laws = {}
    for decision in reversed(form.decisions[side]):
        best = max(decision.sequences, key=lambda s: (worth[s], -s))
        worth[decision.before] += worth[best]
        total = weights[side][decision.before]
        laws[decision.infoset] = tuple(
            weights[side][s] / total if total else Fraction(s == best) for s in decision.sequences
        )
    return laws


def _find_pure(game: Game, stage: Stage, values: Mapping[int, tuple[Fraction, ...]]) -> Laws | None:
    """Return the first pure equilibrium of a stage; None if there is none, or too many to try."""
    try:
        found = stage_equilibria(game, stage, values, _PURE_WORK // len(stage.nodes))
    except LimitError:
        return None
    if not found:
        return None
    sizes = [len(game.infosets[k].moves) for k in stage.infosets]
    return {
        k: tuple(Fraction(m == move) for m in range(size))
        for k, move, size in zip(stage.infosets, found[0][0], sizes, strict=True)
    }


def _of_plans(game: Game, limit: int) -> Equilibrium:
    """Return an equilibrium of the whole game in mixed strategies of the two who move."""
    movers = sorted({infoset.player for infoset in game.infosets})
    if len(movers) > 2:
        forgets = next(player for player in recall(game) if not player.is_perfect)
        raise ForgetfulError(
            f"recall of {forgets.player!r}",
            ", ".join(forgets.kinds),
            f"is not perfect, where {len(movers)} players move: an equilibrium in behaviour need "
            "not exist",
            "give a game in which nobody forgets, or only two players move",
        )
    form, plans = plan_form(game, (movers[0], movers[-1]), limit)
    weights = equilibrium_weights(form)
    strategies = []
    for side, player in enumerate(dict.fromkeys(form.players)):
        drawn = [(plan, p) for plan, p in zip(plans[side], weights[side][1:], strict=True) if p]
        strategies.append(Mixed(player, tuple(s for s, _ in drawn), tuple(p for _, p in drawn)))
    return Equilibrium(game, tuple(strategies), methods=(Method.PLANS,), reply_limit=REPLY_LIMIT)


def _expect(
    game: Game, stage: Stage, values: Mapping[int, tuple[Fraction, ...]], laws: Laws
) -> tuple[Fraction, ...]:
    """Return what each player expects at the start of a stage and after it."""
    total = [Fraction(0)] * len(game.players)
    reach = {stage.root: Fraction(1)}
    for h in stage.nodes:
        node = game.nodes[h]
        if h != stage.root:
            parent = game.nodes[node.parent]
            law = parent.probabilities if parent.is_chance else laws[parent.infoset]
            reach[h] = reach[node.parent] * law[node.move]
        if reach[h]:
            paid = values[h] if h in stage.cuts else node.payoffs
            total = [t + reach[h] * u for t, u in zip(total, paid, strict=True)]
    return tuple(total)
