"""Claims of arena on its rules, its rule bidders, its measures and its experiments."""

from __future__ import annotations

from typing import Final

from papers.arena.checks.draws_and_orders import RECORDED, SETS, LastLeads, OrdersAlike
from papers.arena.checks.measures import RAISES, MeasuresAreThese, MinimalRaisesAre, show_raises
from papers.arena.checks.plays import SCRIPTS, AccountsAdd, RulesAreKept, show_script
from papers.arena.checks.rule_bidders import STARTS, PriceOfThree
from papers.arena.checks.rule_plays import FEW, GROUPS, KeepsItsRule, NichesWiden, show_niches
from theory.checks import ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT: Final = {"quick": Strength.EXACT, "full": Strength.EXACT}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="arena.auction",
        kind=Kind.DEFINITION,
        source="arena, section 3.1",
        title="The open ascending auction",
        statement=(
            "In each round all who neither lead nor have withdrawn from the item are asked, and "
            "see all bids until then. A bid counts if it is at least the start, or the standing "
            "bid and a tenth of the start, and at most the bidder's money. Of equal highest bids "
            "each leads with the same probability. The leader gets the item when nobody else is "
            "left, and pays its bid; without a bid it is not sold. Whoever has withdrawn is back "
            "at the next item."
        ),
        reading=(
            "What is not said: ties are uniform, an answer may be tried three times, and who has "
            "no legal bid then has withdrawn."
        ),
        check=ForAll(SCRIPTS, RulesAreKept(), show_script),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.utility",
        kind=Kind.DEFINITION,
        source="arena, section 3.1",
        title="Utility, and its constraints as printed",
        statement=(
            r"$U_i = \sum_j (v_j - p_j) x_{ij}$ with $\sum_j p_j x_{ij} \le B_i$ and "
            r"$\sum_i x_{ij} = 1$."
        ),
        reading="Prices are what the ledger of the auction has, values those of the items.",
        check=ForAll(SCRIPTS, AccountsAdd(), show_script),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="arena.utility.unsold",
        kind=Kind.DEFINITION,
        source="arena, section 3.1, corrected",
        title="Utility where an item may stay unsold",
        statement=(
            r"$U_i = \sum_j (v_j - p_j) x_{ij}$ with $\sum_j p_j x_{ij} \le B_i$ and "
            r"$\sum_i x_{ij} \le 1$."
        ),
        check=ForAll(SCRIPTS, AccountsAdd(each_is_sold=False), show_script),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="arena.utility",
    ),
    Claim(
        id="arena.rule-bidder",
        kind=Kind.ALGORITHM,
        source="arena, section 4.1",
        title="The rule bidder",
        statement=(
            "A rule bidder makes the least bid, at most $K$ times an item, while its money "
            "suffices, and otherwise withdraws. Over all draws winners and prices of the stepped "
            "auction have the law that is computed without playing."
        ),
        reading=(
            "The limit is the same whatever the budget, as in the authors' code, where the "
            "budget matters by what can be paid alone."
        ),
        check=ForAll(FEW, KeepsItsRule()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.rule-price.three",
        kind=Kind.EXAMPLE,
        source="arena, section 4.1",
        title="What three rule bidders pay",
        statement=(
            "Three bidders with 4 minimal bids an item pay 1.4, 1.5 or 1.6 times the start with "
            "probabilities 1/8, 5/8 and 1/4, and 121/80 times the start on average."
        ),
        hypotheses=("Budgets do not bind.",),
        check=ForAll(STARTS, PriceOfThree()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.ties.last",
        kind=Kind.ALGORITHM,
        source="arena, the authors' code",
        title="The last of equal bids leads half of the time",
        statement=(
            "Where equal bids are drawn again at each recorded entry, the last of n equal bids "
            "leads with probability 1/2 if nothing is recorded after it; three lead with "
            "probabilities 3/16, 5/16, 1/2, and two that a withdrawal follows with 3/8 and 5/8."
        ),
        check=ForAll(RECORDED, LastLeads()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="At its own entry the last bid is gone through last, and a coin decides.",
    ),
    Claim(
        id="arena.metrics",
        kind=Kind.DEFINITION,
        source="arena, sections 4.2 and 4.3",
        title="The measures of behaviour",
        statement=(
            "The corrected failure rate is $F/(C + F)$ with refused bids F and answers that "
            "counted C. A bid increment percentage is $(b - s)/s$ or $(b - s)/$start, s being the "
            "standing bid. Engagement is the number of bids on an item. Priorities are compared "
            "with bids and wins by Spearman's correlation."
        ),
        reading=(
            "An answer that fails in all attempts is one refusal each and no correct action. "
            "Correlations hold to 50 bits. What TrueSkill shows is arena.trueskill.floor."
        ),
        check=ForAll(SCRIPTS, MeasuresAreThese(), show_script),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.metrics.minimal",
        kind=Kind.MEASUREMENT,
        source="arena, sections 4.1 and 4.3",
        title="A minimal raise is of 10% over the preceding offer",
        statement=(
            "Where bidders raise by the least amount, each bid tops the standing one by a tenth "
            "of it."
        ),
        check=ForAll(RAISES, MinimalRaisesAre("standing"), show_raises),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="arena.metrics.minimal.start",
        kind=Kind.MEASUREMENT,
        source="arena, sections 4.1 and 4.3, corrected",
        title="A minimal raise is of 10% of the start",
        statement=(
            "Where bidders raise by the least amount, each bid tops the standing one by a tenth "
            "of the starting price."
        ),
        check=ForAll(RAISES, MinimalRaisesAre("start"), show_raises),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="arena.metrics.minimal",
        proof_idea="The increment is a tenth of the start, so its share of the bid falls.",
    ),
    Claim(
        id="arena.orders",
        kind=Kind.EXAMPLE,
        source="arena, section 4.1",
        title="Where no budget binds, the order does not matter to rule bidders",
        statement=(
            "Three rule bidders have the same expected profits, and each item the same law of "
            "its price, in every order of the items."
        ),
        hypotheses=("Budgets do not bind.",),
        reading=(
            "A budget that suffices to win all items at their highest possible prices binds "
            "nobody. What the order does to smaller ones is arena.order.rule."
        ),
        check=ForAll(
            SETS,
            OrdersAlike(),
            without=(WithoutHypothesis("Budgets do not bind.", OrdersAlike(bound=False)),),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="Each item is then sold as if it were alone.",
    ),
    Claim(
        id="arena.niches",
        kind=Kind.EXAMPLE,
        source="arena, section 4.4",
        title="Groups of bidders differ more as budgets grow",
        statement=(
            "Of two bidders for profit and two for items, on 4 dear and 16 cheap items, the first "
            "win more of the dear ones at $30,000 than at $10,000: the shares of dear items "
            "among what both groups win are further apart."
        ),
        reading=(
            "Rule bidders who choose as the authors' code would have them: the dearest or the "
            "cheapest items that their money suffices for. The paper says it of models."
        ),
        check=ForAll(GROUPS, NichesWiden(30_000, 10_000), show_niches),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="arena.niches.rules",
        kind=Kind.EXAMPLE,
        source="arena, section 4.4, corrected",
        title="Groups of rule bidders differ less as budgets grow",
        statement=(
            "Of rule bidders who choose by their money, the shares of dear items among what both "
            "groups win are further apart at $10,000 than at $30,000."
        ),
        check=ForAll(GROUPS, NichesWiden(10_000, 30_000), show_niches, arithmetic=Strength.TESTED),
        expected=Status.HOLDS,
        corrects="arena.niches",
        proof_idea="With little money the choices do not meet; with enough all want all.",
    ),
)
