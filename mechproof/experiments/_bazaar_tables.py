"""The tables of the experiments of bazaar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from mechproof.experiments._bazaar_choices import (
    CLASSES,
    Demand,
    estimate_text,
    roles_bought,
)
from mechproof.experiments._bazaar_judging import OUTCOMES, Player
from mechproof.experiments._bazaar_scenes import BASE, Part
from theory.verdicts import Table

if TYPE_CHECKING:
    from mechproof.experiments.bazaar_results import BazaarResults

__all__ = ["tables_of"]


def tables_of(results: BazaarResults) -> tuple[Table, ...]:
    """Return the tables of what there is: two copies, prices, orders, the market."""
    return tuple(
        table
        for table in (
            _copies(results, same=True),
            _copies(results, same=False),
            _demand(results),
            _logits(results),
            _changes(results),
            _changes_by_price(results),
            _positions(results),
            _market(results),
            _against_best(results),
            _comparisons(results),
            _wins(results),
            _ratings(results),
            _usage(results),
        )
        if table is not None and table.rows
    )


def _asked(results: BazaarResults, parts: Sequence[Part]) -> int:
    return len({row["question"] for row in results.rows if Part.of(row) in parts})


def _copies(results: BazaarResults, *, same: bool) -> Table | None:
    parts = results.parts_named("copies")
    found = {buyer: results.copies(buyer, same=same) for buyer in results.buyers}
    found = {buyer: shares for buyer, shares in found.items() if shares}
    if not found:
        return None
    what = f"both at {BASE}" if same else f"one at {BASE}, one at {3 * BASE // 2}, in both orders"
    return Table(
        caption=f"Two passages that state the same, {what}: {_asked(results, parts)} questions, "
        "percent",
        columns=("buyer", *next(iter(found.values()))),
        rows=tuple(
            (buyer, *map(estimate_text, shares.values())) for buyer, shares in found.items()
        ),
    )


def _demand(results: BazaarResults) -> Table | None:
    parts = results.parts_named("gold price", inspection=True)
    if not parts or results.name != "demand":
        return None
    rows = []
    for buyer in results.buyers:
        found = [results.demand(buyer, part) for part in parts]
        if all(found):
            rows += [
                (buyer, what, *(estimate_text(each[what], 0) for each in found))
                for what in found[0]
            ]
    return Table(
        caption=f"Who buys the gold passage at each price, beside two others at {BASE}: "
        f"{_asked(results, parts)} questions, percent",
        columns=("buyer", "buys", *(part.setting for part in parts)),
        rows=tuple(rows),
    )


def _logits(results: BazaarResults) -> Table | None:
    if results.name != "demand":
        return None
    return Table(
        caption="Logit of the sets that are bought; elasticities to the price of gold at "
        f"{BASE}, with 95% intervals",
        columns=("buyer", "worth", "cost", "of gold", "of the others", "remark"),
        rows=tuple((buyer, *_logit_cells(each)) for buyer, each in results.demands.items()),
    )


def _logit_cells(demand: Demand) -> tuple[str, ...]:
    if demand.fit is None:
        return ("", "", "", "", demand.reason)
    ends = zip(demand.fit.value, demand.fit.interval, strict=True)
    cells = [f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, (low, high) in ends]
    for each in (demand.own, demand.cross):
        cells.append("" if each is None else "{:.2f} [{:.2f}, {:.2f}]".format(*each))
    return (*cells, "")


def _changes(results: BazaarResults) -> Table | None:
    prices = list(dict.fromkeys(part.setting for part in results.parts_named("gold price")))
    rows = []
    for buyer in results.buyers:
        found = results.changes(buyer, prices)
        if found:
            total = sum(each.value for each in found.values())
            rows.append(
                (buyer, *map(estimate_text, found.values()), f"{round(total, 6) + 0.0:.1f}")
            )
    return Table(
        caption="What inspection changes, in percentage points, over all prices of gold",
        columns=("buyer", *CLASSES, "sum"),
        rows=tuple(rows),
    )


def _changes_by_price(results: BazaarResults) -> Table | None:
    prices = list(dict.fromkeys(part.setting for part in results.parts_named("gold price")))
    rows = []
    for buyer in results.buyers:
        for price in prices:
            if found := results.changes(buyer, [price]):
                rows.append((buyer, price, *map(estimate_text, found.values())))
    return Table(
        caption="What inspection changes, by the price of gold",
        columns=("buyer", "price", *CLASSES),
        rows=tuple(rows),
    )


def _positions(results: BazaarResults) -> Table | None:
    parts = results.parts_named("order")
    if not parts:
        return None
    rows = []
    for buyer, found in results.positions.items():
        gold = results.share(
            results.rows_of(buyer, *parts), lambda row: "gold" in roles_bought(row)
        )
        cells = (
            *map(estimate_text, found.by_position),
            estimate_text(found.swaps),
            f"{found.p:.3f}",
        )
        rows.append((buyer, *cells, estimate_text(gold)))
    return Table(
        caption="Purchases by position, less their mean, in percentage points: "
        f"{_asked(results, parts)} questions in all six orders",
        columns=("buyer", "first", "second", "third", "swaps that matter, %", "p", "buys gold, %"),
        rows=tuple(rows),
    )


def _market(results: BazaarResults) -> Table | None:
    rows = []
    for player, found in results.summaries.items():
        rows.append(
            (
                player.buyer,
                player.budget,
                "yes" if player.inspection else "titles",
                str(found.questions),
                estimate_text(found.right),
                *map(estimate_text, (found.worth, found.spent, found.net)),
                _number(found.per_credit, 2),
                estimate_text(found.twice, 2),
                _number(found.useless, 1),
                _number(found.concentration, 3),
            )
        )
    return Table(
        caption="The market: a question on average",
        columns=(
            *("buyer", "budget", "reads", "questions", "right, %", "worth", "spent", "net"),
            *("worth per credit", "paid twice", "useless, %", "concentration"),
        ),
        rows=tuple(rows),
    )


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _against_best(results: BazaarResults) -> Table | None:
    if results.name != "keyword-baseline":
        return None
    rows = []
    for player in results.summaries:
        found = results.against_best(player)
        share, worst = (None if x is None else 100 * x for x in (found.share, found.worst))
        rows.append((str(player), str(found.questions), _number(share, 1), _number(worst, 1)))
    return Table(
        caption="What is gained by the offers for first questions, in percent of the best set "
        "that can be paid",
        columns=("buyer", "questions with a gain", "of all gains", "at worst"),
        rows=tuple(rows),
    )


def _comparisons(results: BazaarResults) -> Table | None:
    """Return the outcomes of pairs; of a ladder of budgets there are too many to show."""
    if results.name == "budget":
        return None
    rows = []
    for (first, second), found in results.pairs.items():
        if results.name == "inspection" and first.inspection == second.inspection:
            continue
        count = Counter(each.outcome for each in found)
        scored = count["won"] + count["lost"] + count["tie"]
        share = (
            f"{float(100 * Fraction(2 * count['won'] + count['tie'], 2 * scored)):.1f}"
            if scored
            else ""
        )
        rows.append((str(first), str(second), *(str(count[o]) for o in OUTCOMES), share))
    return Table(
        caption=f"Answers compared by {results.judge}",
        columns=("answer of", "against", *OUTCOMES, "score, %"),
        rows=tuple(rows),
    )


def _wins(results: BazaarResults) -> Table | None:
    """Return the share of comparisons that each wins against each, a tie being half of one."""
    players = list(results.summaries)
    if results.name != "models" or len(players) < 2:
        return None
    return Table(
        caption="Score of the row against the column, in percent",
        columns=("answer of", *map(str, players)),
        rows=tuple(
            (str(p), *(_number(_score(results, p, q), 1) for q in players)) for p in players
        ),
    )


def _score(results: BazaarResults, player: Player, other: Player) -> float | None:
    found = results.score(player, other)
    return None if found is None else 100 * found


def _ratings(results: BazaarResults) -> Table | None:
    return None if results.rated is None else results.rated.table()


def _usage(results: BazaarResults) -> Table | None:
    """Return what was asked of models, by buyer."""
    totals: dict[str, Counter[str]] = {}
    money: dict[str, Fraction] = {}
    for row in results.rows:
        for name, used in row["usage"].items():
            if "money" not in used:  # of a person
                continue
            total = totals.setdefault(name, Counter())
            total.update({k: v for k, v in used.items() if k != "money"})
            money[name] = money.get(name, Fraction(0)) + Fraction(used["money"])
    columns = ("calls", "retries", "input_tokens", "output_tokens", "unreadable")
    return Table(
        caption="What was asked of models",
        columns=("buyer", *(name.replace("_", " ") for name in columns), "money"),
        rows=tuple(
            (name, *(f"{total[c]:,}" for c in columns), f"{float(money[name]):.4f}")
            for name, total in totals.items()
        ),
    )
