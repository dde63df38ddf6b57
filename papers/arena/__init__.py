"""Claims of *Put Your Money Where Your Mouth Is* (AucArena), and what follows from its rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from papers.arena.checks.clocks import CLOCKS, DearerFirst, show_clocks
from papers.arena.checks.listings import (
    LOG,
    MEANS,
    LogFollowsRules,
    MeansAreConsistent,
    ProfitsReplay,
    show_logged,
)
from papers.arena.checks.noise_floor import IdenticalBidders
from papers.arena.checks.replies import (
    BUDGETED,
    BUNDLES,
    DRAINS,
    PAIRS,
    TIES_AND_ORDERS,
    AheadToo,
    BundleLoses,
    EarnsTheBudget,
    NeverLoses,
    NoEquilibrium,
    WithinSlack,
    show_bundle,
    show_duel,
    show_rank,
)
from papers.arena.checks.rule_bidders import (
    BUDGETS,
    CURSES,
    IDENTICAL,
    LIMITS,
    PLAYS,
    UNIFORM,
    BoundOnProfits,
    CurseAtBudgets,
    OrderEffect,
    PriceOfEstimates,
    PriceOfTwo,
    SeatsAlike,
    show_identical,
    show_setting,
)
from papers.arena.checks.selection import ESTIMATES, NOISES, LossOfWinner, PriceIsSecond
from papers.arena.rules_and_measures import CLAIMS as RULES_AND_MEASURES
from theory.ascending import TIE_RULES
from theory.checks import Exists, ForAll
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT: Final = {"quick": Strength.EXACT, "full": Strength.EXACT}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="arena.bound",
        kind=Kind.THEOREM,
        source="arena, section 3.1",
        title="The auction divides what the starts leave",
        statement=(
            r"$\sum_i U_i = \sum_{j \text{ sold}} (2 s_j - p_j) \le \sum_j s_j$, and payments are "
            r"at most the sum of the budgets."
        ),
        reading="True values are twice the starts. An item may stay unsold.",
        check=ForAll(PLAYS, BoundOnProfits()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="Nothing is sold below its start, so each item leaves at most its start.",
    ),
    Claim(
        id="arena.curse",
        kind=Kind.THEOREM,
        source="arena, section 3.2",
        title="Common overestimates are paid in full",
        statement=(
            r"Bidders with a common estimate $e \ge 2 s$ who raise minimally while their bid is at "
            r"most $e$ pay $e$; those who stay below it pay $e - s/10$."
        ),
        hypotheses=("Budgets do not bind.", "Estimates are on the grid of increments."),
        reading=(
            "This is overestimation in common, not selection: dividing the estimate by 1.1 leaves "
            "nothing, or a tenth of the start."
        ),
        check=ForAll(CURSES, PriceOfEstimates()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.curse.budget",
        kind=Kind.EXAMPLE,
        source="arena, sections 3.2 and 4.1",
        title="The curse disappears where budgets bind",
        statement=(
            "Three bidders up to 2.2 s on Table 1 lose $2,000 each at $40,000, and earn at $10,000 "
            "and $20,000, whether the items ascend or descend."
        ),
        check=ForAll(BUDGETS, CurseAtBudgets()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.curse.selection",
        kind=Kind.THEOREM,
        source="arena, section 3.2, beyond",
        title="The curse by selection begins with four bidders",
        statement=(
            r"With $N$ independent estimates uniform on $[v - w, v + w]$, the winner who pays the "
            r"second highest loses $w (N-3)/(N+1)$ on average."
        ),
        check=ForAll(NOISES, LossOfWinner()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="The second highest of N uniform numbers has mean (N - 1)/(N + 1).",
    ),
    Claim(
        id="arena.curse.price",
        kind=Kind.THEOREM,
        source="arena, section 3.2, beyond",
        title="Minimal raises end at the second highest estimate",
        statement=(
            "Bidders who raise minimally up to their estimates pay the second highest of them, "
            "within one increment."
        ),
        hypotheses=("Budgets do not bind.", "Every estimate is at least the start."),
        check=ForAll(ESTIMATES, PriceIsSecond()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.rule-price",
        kind=Kind.EXAMPLE,
        source="arena, section 4.1",
        title="What two rule bidders pay",
        statement=(
            r"Two bidders with $K$ minimal bids an item pay $(1 + 0.2 (K - 1)) s$, always; each "
            r"wins with probability $1/2$."
        ),
        hypotheses=("Budgets do not bind.",),
        check=ForAll(LIMITS, PriceOfTwo()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="After the first round they take turns; who led first bids last.",
    ),
    Claim(
        id="arena.ties",
        kind=Kind.ALGORITHM,
        source="arena, the authors' code",
        title="Redrawn ties treat identical bidders alike",
        statement=(
            "Where all equal bids of a round are drawn again at each recorded entry, identical "
            "bidders have equal expected profits in every seat."
        ),
        reading=(
            "Three equal bids lead with probabilities 3/16, 5/16 and 1/2; two that a withdrawal "
            "follows with 3/8 and 5/8."
        ),
        check=ForAll(IDENTICAL, SeatsAlike(TIE_RULES["redrawn"]), show_identical),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="arena.ties.uniform",
        kind=Kind.ALGORITHM,
        source="arena, corrected",
        title="Uniform ties treat identical bidders alike",
        statement=(
            "Where ties are drawn once and uniformly, identical bidders have equal expected "
            "profits in every seat."
        ),
        check=ForAll(IDENTICAL, SeatsAlike(UNIFORM), show_identical),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="arena.ties",
        proof_idea="Renaming the seats leaves the law as it is.",
    ),
    Claim(
        id="arena.order.rule",
        kind=Kind.EXAMPLE,
        source="arena, section 4.1",
        title="The effect of the order changes sign with the budget",
        statement=(
            "Three rule bidders on Table 1 earn more in descending than in ascending order at "
            "$10,000, less at $20,000, and within a dollar the same at $40,000."
        ),
        check=ForAll(BUDGETS, OrderEffect(), show_setting),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.order.benoit-krishna",
        kind=Kind.THEOREM,
        source="arena, section 4.1; Benoit and Krishna (2001)",
        title="Sell the dearer item first, where joint exits are drawn by a coin",
        statement=(
            "Two items of common value are sold by ascending clocks to two bidders whose budgets "
            "are known. The seller earns at least as much if the dearer item comes first."
        ),
        reading=(
            "A bidder leaves where winning earns it no more than losing. An item that both leave "
            "at the same point goes to either with probability 1/2."
        ),
        check=ForAll(CLOCKS, DearerFirst("coin"), show_clocks),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="arena.order.benoit-krishna.poor",
        kind=Kind.THEOREM,
        source="arena, section 4.1, corrected",
        title="Sell the dearer item first, where joint exits go to the poorer",
        statement=(
            "If joint exits go to the poorer bidder, the seller earns at least as much with the "
            "dearer item first."
        ),
        check=ForAll(CLOCKS, DearerFirst("poorer"), show_clocks),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="arena.order.benoit-krishna",
    ),
    Claim(
        id="arena.order.richer",
        kind=Kind.THEOREM,
        source="arena, section 4.1, beyond",
        title="Sell the dearer item first, where joint exits go to the richer",
        statement=(
            "If joint exits go to the richer bidder, the seller earns at least as much with the "
            "dearer item first."
        ),
        check=ForAll(CLOCKS, DearerFirst("richer"), show_clocks),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="arena.straightforward",
        kind=Kind.THEOREM,
        source="arena, section 3.2, beyond",
        title="Straightforward bidding is an equilibrium",
        statement=(
            "One item, private values: raising minimally up to one's value is a best reply to a "
            "rival that does so."
        ),
        hypotheses=("Budgets do not bind.",),
        reading=(
            "Ties are uniform, bids may jump. What is no best reply to one rival is not dominant."
        ),
        check=ForAll(PAIRS, WithinSlack(Fraction(0)), show_duel),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="arena.straightforward.half",
        kind=Kind.THEOREM,
        source="arena, section 3.2, corrected",
        title="Straightforward bidding is an equilibrium up to half an increment",
        statement="No bidder gains more than half an increment on an item by any other bidding.",
        hypotheses=("Budgets do not bind.",),
        check=ForAll(PAIRS, WithinSlack(Fraction(1, 2)), show_duel),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="arena.straightforward",
    ),
    Claim(
        id="arena.budget-drain",
        kind=Kind.THEOREM,
        source="arena, section 4.2",
        title="With budgets straightforward bidding is an equilibrium up to half an increment",
        statement=(
            "Two items of common values, two bidders with budgets: no bidder gains more than one "
            "increment by leaving straightforward bidding."
        ),
        check=ForAll(BUDGETED, WithinSlack(Fraction(1, 2)), show_duel),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="arena.budget-drain.ties",
        kind=Kind.THEOREM,
        source="arena, beyond",
        title="No tie rule and no order makes it one",
        statement=(
            "Under every rule that gives ties to a seat or to the richer bidder with a fixed "
            "probability, and in either order of the two items, some bidder with a budget gains "
            "more than one increment by leaving straightforward bidding."
        ),
        check=ForAll(TIES_AND_ORDERS, NoEquilibrium()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "Cheaper first, a dollar each, values 1 and 4: sitting out earns 3, straightforward "
            "bidding 3 times the probability of losing the tie. Dearer first, two dollars each, "
            "values 5 and 1: opening at 2 earns 3, straightforward bidding the same as before. One "
            "of the two bidders loses the tie at most half of the time, so it gains 3/2 or more, "
            "whatever the law of the tie."
        ),
        proof="docs/arena.md#no-tie-rule-and-no-order-helps",
    ),
    Claim(
        id="arena.best-reply",
        kind=Kind.THEOREM,
        source="arena, section 4.1, beyond",
        title="The best reply to rule bidders earns its budget, if enough is left to buy",
        statement=(
            "Against R = 2 or 3 rule bidders on Table 1, with $10,000 or $20,000 each and in "
            "ascending, descending or printed order, the best reply earns the smaller of its "
            "budget and the sum of all starts but the first R: $20,000 at $20,000, except against "
            "three in descending order, where it is $16,000."
        ),
        reading=(
            "A bid may jump. The reply opens one increment below all that a rival has, and leaves "
            "the item to it: rule bidders look at no estimate. Then it buys at the starts."
        ),
        check=ForAll(DRAINS, EarnsTheBudget()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "An item worth 2 s that costs at least s earns at most what it costs. While a rival "
            "has bought nothing it makes its four bids, so that no item is won for less than 1.3 "
            "s; the most over who gets each item is computed."
        ),
    ),
    Claim(
        id="arena.rank-objective",
        kind=Kind.THEOREM,
        source="arena, section 3.2 and the prompts",
        title="Who maximises profit maximises rank",
        statement=(
            "Against a straightforward rival, some reply that maximises expected profit also "
            "maximises the probability of being ahead in profit."
        ),
        reading="First place is shared where profits are equal.",
        check=ForAll(BUDGETED, AheadToo(), show_rank),
        expected=Status.REFUTED,
        least=EXACT,
        note="The prompts' objective and TrueSkill's ranks are not the paper's utility.",
    ),
    Claim(
        id="arena.exposure",
        kind=Kind.THEOREM,
        source="arena, section 3.1",
        title="Where values add, straightforward bidding never loses",
        statement="Who raises minimally up to its values ends with a profit of at least 0.",
        check=ForAll(BUDGETED, NeverLoses()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="Each item that it wins costs at most its value.",
    ),
    Claim(
        id="arena.exposure.complements",
        kind=Kind.THEOREM,
        source="arena, section 3.1, beyond",
        title="With complements it can lose",
        statement=(
            "Where two items are worth something only together, bidding for the first up to the "
            "worth of the pair less the start of the second may lose on average."
        ),
        reading="It then bids for the second up to the worth of the pair: what it paid is gone.",
        check=Exists(BUNDLES, BundleLoses(), show_bundle),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.log-listing-1",
        kind=Kind.EXAMPLE,
        source="arena, Listing 1",
        title="The printed log follows the rules",
        statement=(
            "In the log of Listing 1 only bidders who do not lead bid, all who are asked have an "
            "entry, bids are within budgets, and items are those of Table 1."
        ),
        reading="Budgets are those of the personal reports. The log does not name who made no bid.",
        check=ForAll(LOG, LogFollowsRules(), show_logged),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="arena.log-listing-1.profits",
        kind=Kind.EXAMPLE,
        source="arena, Listing 1",
        title="The printed profits are those of the log",
        statement="Value less price of the three sales is 500, 800 and 0, as the reports say.",
        check=ForAll(LOG, ProfitsReplay(), show_logged),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="arena.log-listing-1",
    ),
    Claim(
        id="arena.table-2",
        kind=Kind.MEASUREMENT,
        source="arena, Table 2",
        title="Table 2 can be means over four games",
        statement=(
            "Mean profits times four are whole, mean items are quarters, ten items at most in all, "
            "and profits sum to at most 30,000."
        ),
        reading="Consistency alone: with four games a cell no difference in it can be tested.",
        check=ForAll(MEANS, MeansAreConsistent()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="arena.trueskill.floor",
        kind=Kind.MEASUREMENT,
        source="arena, Figures 2 and 7",
        title="Ten games of three do not tell bidders apart by less than seven points",
        statement=(
            "After ten games the TrueSkill ratings of three identical bidders are more than 7 "
            "points apart in more than 5% of tournaments, and the order of ten games alone can "
            "move a rating by more than 7 points."
        ),
        reading=(
            "The usual settings of TrueSkill, which the paper does not state. Identical bidders "
            "have every ranking with the same probability and never tie."
        ),
        check=IdenticalBidders(),
        expected=Status.HOLDS,
    ),
    *RULES_AND_MEASURES,
)
