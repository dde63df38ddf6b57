"""Open ascending auctions of several items to bidders with budgets (arena).

:func:`run_auction` sells items to bidders of this process; :func:`ascending_auction` is the same
auction in the stepped form, for any other program. Its exact law, where bidders follow rules, is
in :mod:`theory.ascending`.
"""

from mechanisms.ascending._beliefs import Beliefs, Believed, ToRecount
from mechanisms.ascending._best_reply_bidder import BestReplyBidder
from mechanisms.ascending._bidders import (
    Bidder,
    BudgetAwareBidder,
    CallbackBidder,
    Estimator,
    RuleBidder,
    best_bundle,
)
from mechanisms.ascending._items import (
    Bonus,
    Item,
    Worths,
    common_values,
    interdependent_values,
    paper_items,
    private_values,
    sort_items,
)
from mechanisms.ascending._many import ManyAuctions, run_many
from mechanisms.ascending._outcome import Auctioned, Move, Settled
from mechanisms.ascending._questions import Bid, Call, Lot, Plan, Planned, Sale, ToPlan
from mechanisms.ascending._result import (
    AuctionResult,
    FailedBid,
    ItemSale,
    Said,
    auction_result,
)
from mechanisms.ascending._rules import MODULES, SELLER, ascending_auction
from mechanisms.ascending._run import BidderError, begin_auction, bidder_participant, run_auction
from mechanisms.ascending._terms import Terms
from mechanisms.ascending._watch_auction import watch_auction

__all__ = [
    "MODULES",
    "SELLER",
    "AuctionResult",
    "Auctioned",
    "Beliefs",
    "Believed",
    "BestReplyBidder",
    "Bid",
    "Bidder",
    "BidderError",
    "Bonus",
    "BudgetAwareBidder",
    "Call",
    "CallbackBidder",
    "Estimator",
    "FailedBid",
    "Item",
    "ItemSale",
    "Lot",
    "ManyAuctions",
    "Move",
    "Plan",
    "Planned",
    "RuleBidder",
    "Said",
    "Sale",
    "Settled",
    "Terms",
    "ToPlan",
    "ToRecount",
    "Worths",
    "ascending_auction",
    "auction_result",
    "begin_auction",
    "best_bundle",
    "bidder_participant",
    "common_values",
    "interdependent_values",
    "paper_items",
    "private_values",
    "run_auction",
    "run_many",
    "sort_items",
    "watch_auction",
]
