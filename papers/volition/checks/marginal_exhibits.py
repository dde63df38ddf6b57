"""Marginal-value games worked out for a reader: every set, the play, and the lattice."""

from __future__ import annotations

from papers.volition.checks.inextensibility import inextensible
from papers.volition.checks.marginal_families import (
    MarginalInstance,
    fewest_items,
    most_items,
    name_set,
    names,
)
from papers.volition.checks.marginal_laws import MarginalPlay
from papers.volition.checks.market_making import Market
from papers.volition.checks.shortfall import best_set, worth
from papers.volition.checks.shortfall_attained import Demand
from theory.marginal_value import Equilibrium, Ties, from_beliefs, lattice
from theory.verdicts import Exhibit, Table

__all__ = ["show_demand", "show_game", "show_market", "show_play", "show_shortfall"]


def show_game(instance: MarginalInstance) -> Exhibit:
    """Work a game out: every set, the play, the lattice; for another tie rule where it matters."""
    found = instance.solve()
    diagrams = [lattice(found)]
    if most_items(instance) != fewest_items(instance):
        other = instance.solve(Ties.MOST_ITEMS)
        diagrams.append(lattice(other, caption=f"The same with ties to the {other.ties}"))
    tables = (_sets(instance), *_play_out(found))
    return Exhibit(summary=str(instance), tables=tables, diagrams=tuple(diagrams))


def show_shortfall(instance: MarginalInstance) -> Exhibit:
    """Work a game out, with what would follow if the best set were revealed."""
    found, best = instance.solve(), best_set(instance)
    tables = [_sets(instance), *_play_out(found)]
    diagrams = [lattice(found)]
    if best in instance.moves and names(best) != list(found.revealed):
        first = [names(best)]
        tables.append(found.play(first).table())
        diagrams.append(lattice(found, first, f"What follows if T* = {name_set(best)} is revealed"))
    return Exhibit(summary=str(instance), tables=tuple(tables), diagrams=tuple(diagrams))


def show_play(play: MarginalPlay) -> Exhibit:
    """Work a play out: the game, and what each player is paid."""
    game = show_game(play.instance)
    paid = play.instance.game.settle(map(names, play.history)).table()
    return Exhibit(summary=str(play), tables=(*game.tables, paid), diagrams=game.diagrams)


def show_market(market: Market) -> Exhibit:
    """Work a market out: beliefs by revealed set, and what each player is paid."""
    beliefs = Table(
        caption="What the judge believes",
        columns=("revealed", "belief"),
        rows=tuple((name_set(s), str(q)) for s, q in enumerate(market.beliefs)),
    )
    game = from_beliefs(market.items, market.by_set, dict.fromkeys(market.items, 0), market.score)
    paid = game.settle(map(names, market.history)).table()
    return Exhibit(summary=str(market), tables=(beliefs, paid))


def show_demand(demand: Demand) -> Exhibit:
    """Work a game out that is to attain a bound."""
    game = show_shortfall(demand.game)
    return Exhibit(summary=f"{demand}; {demand.game}", tables=game.tables, diagrams=game.diagrams)


def _play_out(found: Equilibrium) -> tuple[Table, ...]:
    return (found.path.table(),) if found.revealed else ()


def _sets(instance: MarginalInstance) -> Table:
    strategy = fewest_items(instance)
    held = inextensible(instance)
    actions = "abc"[: len(instance.utilities)]
    rows = tuple(
        (
            name_set(s),
            *(str(row[s]) for row in instance.utilities),
            actions[instance.picked[s]],
            name_set(strategy[s]) if strategy[s] != s else "none",
            "yes" if s in held else "no",
            str(worth(instance, s)),
        )
        for s in sorted(instance.sets, key=lambda s: (s.bit_count(), names(s)))
    )
    return Table(
        caption="Each set S that can be revealed; w(S) is its worth knowing everything",
        columns=(
            "S",
            *(f"u_S({x})" for x in actions),
            "the judge",
            "goes on to",
            "inextensible",
            "w(S)",
        ),
        rows=rows,
    )
