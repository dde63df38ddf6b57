"""Claims of bazaar on what inspection changes, and on how passages are found and chosen."""

from __future__ import annotations

from typing import Final

from papers.bazaar.checks.adapted_prices import (
    MAKERS,
    POPULATIONS,
    MakesQuality,
    PricesUndoInspection,
    Tastes,
    show_population,
)
from papers.bazaar.checks.elo_orders import DeviationOverOrders
from papers.bazaar.checks.fixed_prices import (
    GOODS,
    TITLES,
    FixedPriceProof,
    InspectionAtAPrice,
    TitlesAndInspection,
    show_good,
)
from papers.bazaar.checks.follow_ups import CHAINS, DepthNeverHurts, HopsReachAnswers
from papers.bazaar.checks.forgetting import BROWSED, NothingIsStolen
from papers.bazaar.checks.ideal_buyers import (
    COPIES,
    SHELVES,
    BudgetIsKnapsack,
    OneCopyIsBought,
)
from papers.bazaar.checks.purchase_rules import (
    OFFERS,
    PARTS,
    RANKED,
    OneByOneIsBest,
    PartsAreBought,
    RankBuysSomething,
    RankShares,
)
from papers.bazaar.checks.vendor_retrieval import VENDORS, FewNeverSell
from theory.checks import Exists, ForAll, WithoutHypothesis
from theory.claims import Claim, Kind
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

EXACT: Final = {"quick": Strength.EXACT, "full": Strength.EXACT}

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="bazaar.inspection.fixed-price",
        kind=Kind.THEOREM,
        source="bazaar, section 2",
        title="Inspection at a fixed price",
        statement=(
            r"A buyer gains $\max(0, \pi v - p)$ without inspection and $\pi \max(0, v - p)$ with "
            r"it, which is at least as much. Where it buys without, revenue falls from $p$ to "
            r"$\pi p$ and the sum of both stays; where it does not, revenue rises from 0 to $\pi "
            r"p$ if $v \ge p$, and the sum of both by $\pi v$."
        ),
        hypotheses=(
            r"The good is worth $v$ with probability $\pi$, and nothing otherwise.",
            r"The price $p$ is the same in both regimes; a copy costs nothing.",
        ),
        reading="A buyer that is indifferent buys.",
        check=ForAll(
            GOODS,
            InspectionAtAPrice(),
            show_good,
            FixedPriceProof(),
            without=(
                WithoutHypothesis("a bad good is worth nothing", InspectionAtAPrice(nothing=False)),
            ),
        ),
        expected=Status.HOLDS,
        least={"quick": Strength.PROVED, "full": Strength.PROVED},
        proof_idea="Both regimes are compared in each order of the price, the worth and its mean.",
    ),
    Claim(
        id="bazaar.inspection.neutral",
        kind=Kind.THEOREM,
        source="bazaar, section 2",
        title="Inspection where the price is set to it",
        statement=(
            r"A price $p$ with inspection and $\pi p$ without have the same revenue, and leave "
            r"each type of buyer the same. So have the best prices of both regimes."
        ),
        hypotheses=(
            r"Buyer $i$ has worth $v_i$ with probability $\pi$, and nothing otherwise.",
            r"The quality is good or worthless.",
            r"The quality is the same to all.",
            r"One seller sets one price, before it knows the quality; a copy costs nothing.",
        ),
        reading="Who is indifferent buys; of equal prices the least is asked.",
        check=ForAll(
            POPULATIONS,
            PricesUndoInspection(),
            show_population,
            without=(
                WithoutHypothesis(
                    "the quality is good or worthless", PricesUndoInspection(tastes=Tastes.SCALED)
                ),
                WithoutHypothesis(
                    "the quality is the same to all", PricesUndoInspection(tastes=Tastes.OWN)
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            r"Both times type i buys if and only if v_i ≥ p: on average it pays π p and gains "
            r"π (v_i - p)."
        ),
    ),
    Claim(
        id="bazaar.inspection.quality",
        kind=Kind.THEOREM,
        source="bazaar, section 1",
        title="Inspection where the seller chooses the quality",
        statement=(
            r"Without inspection no equilibrium has quality. With it some has if and only if $v "
            r"\ge c$, and all have if $v - 1 > c$."
        ),
        hypotheses=(
            r"The seller makes a good thing, worth $v$ to the buyer, at a cost $c > 0$, or a bad "
            r"one for nothing, and asks a price from $1, \dots, v$; the buyer then buys or not.",
        ),
        reading=(
            "One sale. Equilibria are subgame-perfect ones in pure strategies. That the buyer may "
            "refuse the price v, which leaves it nothing, costs the seller one step of the prices."
        ),
        check=ForAll(MAKERS, MakesQuality()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "Without inspection the buyer does the same at a price whatever was made, so that who "
            "makes a good thing saves the cost by a bad one. With it a bad thing sells at no price."
        ),
    ),
    Claim(
        id="bazaar.inspection.titles",
        kind=Kind.THEOREM,
        source="bazaar, section 2",
        title="The worse the titles, the more inspection is worth",
        statement=(
            r"If titles are wrong with probability $e$, what inspection adds to the buyer's gain "
            r"at a fixed price is 0 at $e = 0$ and does not fall in $e$."
        ),
        hypotheses=(
            r"The good is worth $v$ with probability $\pi$, and nothing otherwise.",
            r"$e \le 1/2$.",
        ),
        check=ForAll(
            TITLES,
            TitlesAndInspection(),
            without=(
                WithoutHypothesis(
                    "titles are wrong at most half of the time", TitlesAndInspection(half=False)
                ),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "A title of error e' > e is one of error e that is sometimes turned round: it informs "
            "less in the order of Blackwell, and what is gained with it is at most as much, while "
            "who inspects gains the same."
        ),
    ),
    Claim(
        id="bazaar.forget",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3",
        title="What it is worth not to forget",
        statement=(
            "Who decides by all that it read gains, beside who decides by what it bought, the "
            "worth of the best decision given all texts less that of the best given those bought. "
            "In the market a buyer that tries to keep what it reads gains nothing by it."
        ),
        hypotheses=("The seats of the buyer share no memory: each is played by a copy.",),
        reading=(
            "The texts that are bought are the same for all. A buyer whose copies share their "
            "memory is a thief, and check_protocol finds its answers to depend on what it was "
            "never told."
        ),
        check=ForAll(BROWSED, NothingIsStolen()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="All worlds are played, by an honest buyer, one that hoards, and a thief.",
    ),
    Claim(
        id="bazaar.one-by-one",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3 and the prompts",
        title="A verdict on each passage by itself",
        statement=(
            "A buyer that buys each passage which is worth more than its price, as if there were "
            "no other, has the greatest worth after prices of all sets that it can pay."
        ),
        reading="As printed: the answer is Buy or Pass for each option.",
        check=ForAll(OFFERS, OneByOneIsBest()),
        expected=Status.REFUTED,
        least=EXACT,
    ),
    Claim(
        id="bazaar.one-by-one.distinct",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3 and the prompts, corrected",
        title="Verdicts one by one, where no two passages say the same",
        statement=(
            "A buyer that buys each passage which is worth more than its price, as if there were "
            "no other, has the greatest worth after prices of all sets that it can pay."
        ),
        hypotheses=("Of the passages on offer at most one states the fact that is needed.",),
        check=ForAll(
            OFFERS,
            OneByOneIsBest(distinct=True),
            without=(WithoutHypothesis("no two passages say the same", OneByOneIsBest()),),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        corrects="bazaar.one-by-one",
    ),
    Claim(
        id="bazaar.one-by-one.parts",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3 and the prompts",
        title="Verdicts one by one, where parts are needed together",
        statement=(
            "To buy each passage that by itself is worth more than its price gains the most, also "
            "where passages are worth something only all together."
        ),
        reading="By itself each of two parts or more is worth nothing.",
        check=ForAll(PARTS, PartsAreBought()),
        expected=Status.REFUTED,
        least=EXACT,
        note="No verdict on a part alone can be right: a joint choice is needed.",
    ),
    Claim(
        id="bazaar.rational-choice",
        kind=Kind.ALGORITHM,
        source="bazaar, section 4.1 and Figure 2",
        title="Of passages that say the same at most one is bought, the cheapest",
        statement=(
            "Of passages that state one fact in other words an ideal buyer buys the cheapest if "
            "the fact is worth more than its price, and nothing otherwise."
        ),
        reading="What is measured in the paper are shares of models; an ideal buyer's are 100%.",
        check=ForAll(COPIES, OneCopyIsBought()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="bazaar.budget",
        kind=Kind.ALGORITHM,
        source="bazaar, section 4.2 and Figure 5",
        title="What a budget is worth",
        statement=(
            "What an ideal buyer gains with a budget is the value of a knapsack of passages with "
            "their worths after prices; it never falls in the budget."
        ),
        hypotheses=("The passages on offer state different facts.",),
        reading="It need not be concave: 0, 1, 3, 4 for gains of 1 and 3 at prices 1 and 2.",
        check=ForAll(SHELVES, BudgetIsKnapsack()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="bazaar.greedy",
        kind=Kind.ALGORITHM,
        source="bazaar, appendix C and the authors' code",
        title="By rank until the first passage that cannot be paid",
        statement=(
            "A buyer that buys in the order of rank, and stops at the first passage that it "
            "cannot pay, may get nothing where it could have had something."
        ),
        reading=(
            "The paper says that it buys until the budget is exhausted; the authors' code stops. "
            "Passages are ranked by the facts that they state."
        ),
        check=Exists(RANKED, RankBuysSomething()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="bazaar.greedy.shares",
        kind=Kind.MEASUREMENT,
        source="bazaar, appendix C and the authors' code",
        title="What share of the best set is bought by rank",
        statement=(
            "Of eight passages with 25 to spend, who stops at the first passage that it cannot "
            "pay has 74% of the best set on average, and who passes over it 94%."
        ),
        reading=(
            "Worths from 1 to 10 and prices from 1 to 20, all as likely, ranked by worth; the "
            "paper gives no such numbers."
        ),
        check=RankShares(),
        expected=Status.MEASURED,
    ),
    Claim(
        id="bazaar.vendor-bm25",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3 and the authors' code",
        title="A small vendor that ranks by its own statistics sells nothing",
        statement=(
            r"With $idf = \log((N - n + 1/2)/(n + 1/2))$ over the vendor's own $N$ passages and a "
            r"threshold above 0, no passage is quoted, whatever is asked. With $\log(1 + (N - n + "
            r"1/2)/(n + 1/2))$ each passage with a word of the question is."
        ),
        hypotheses=("The vendor has one passage or two.",),
        reading=(
            "A negative idf gives way to a quarter of the mean idf, as in the package that the "
            "authors use."
        ),
        check=ForAll(
            VENDORS,
            FewNeverSell(),
            without=(
                WithoutHypothesis("it has fewer than three passages", FewNeverSell(few=False)),
            ),
        ),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea=(
            "A word in 1 of 1 passages has idf log(1/3), in 1 of 2 log(1) and in 2 of 2 log(1/5): "
            "none is above 0, so neither is their mean or any score."
        ),
    ),
    Claim(
        id="bazaar.hops",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3.3",
        title="How far follow-up questions reach",
        statement=(
            "With d hops an ideal buyer finds every answer that needs at most d + 1 facts in a row "
            "and that its budget can pay, and no other."
        ),
        hypotheses=(
            "Each fact is found only by who asks for it by name, which takes the one before.",
            "Each fact is worth more than its price.",
        ),
        reading="It buys what it needs next, also where money will not go to the end.",
        check=ForAll(CHAINS, HopsReachAnswers()),
        expected=Status.HOLDS,
        least=EXACT,
        proof_idea="A question and d that follow in turn ask for d + 1 facts.",
    ),
    Claim(
        id="bazaar.hops.even",
        kind=Kind.ALGORITHM,
        source="bazaar, section 3.3",
        title="Depth can hurt",
        statement=(
            "A buyer that spends its budget evenly over the questions that it may ask can gain "
            "less with one hop more."
        ),
        hypotheses=("The budget is the same for every depth.",),
        check=Exists(CHAINS, DepthNeverHurts()),
        expected=Status.HOLDS,
        least=EXACT,
    ),
    Claim(
        id="bazaar.elo.orders",
        kind=Kind.MEASUREMENT,
        source="bazaar, section 4.2 and Figure 5",
        title="What the deviation over orders says",
        statement=(
            "The deviation of Elo ratings over orders of the games is no standard error: it is "
            "below that of a Bradley-Terry fit to 30 games of which 20 are won, and several times "
            "that to 1,000 games of which 670 are won; it grows from the first to the second."
        ),
        reading=(
            "Two players; both figures are of the difference of their ratings, in points of 400 "
            "to a factor of 10. K = 32."
        ),
        check=DeviationOverOrders(),
        expected=Status.MEASURED,
    ),
)
