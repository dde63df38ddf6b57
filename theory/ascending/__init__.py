"""Ascending auctions over a sequence of items, among bidders with budgets, in exact arithmetic.

:func:`exact_auction` computes the law of prices, winners and profits where all bidders follow
rules. The protocol is that of arena, section 3; the running auction is in ``mechanisms``.
"""

from theory.ascending._exact import MAX_TOTALS, AuctionLaw, ItemLaw, exact_auction
from theory.ascending._items import Item
from theory.ascending._rules import BidRule, EstimateRule, LimitRule, PrivateValues
from theory.ascending._setting import MAX_LEVELS, AuctionSetting, read_setting
from theory.ascending._states import MAX_STATES
from theory.ascending._ties import TIE_RULES, Tie, TieRule, redrawn_law, tie_rule

__all__ = [
    "MAX_LEVELS",
    "MAX_STATES",
    "MAX_TOTALS",
    "TIE_RULES",
    "AuctionLaw",
    "AuctionSetting",
    "BidRule",
    "EstimateRule",
    "Item",
    "ItemLaw",
    "LimitRule",
    "PrivateValues",
    "Tie",
    "TieRule",
    "exact_auction",
    "read_setting",
    "redrawn_law",
    "tie_rule",
]
