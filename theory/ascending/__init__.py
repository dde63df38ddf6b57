"""Ascending auctions over a sequence of items, among bidders with budgets, in exact arithmetic.

:func:`exact_auction` computes the law of prices, winners and profits where all bidders follow
rules, and :func:`best_reply` what one seat earns at best against them. :func:`clock_sale` sells two
items to two bidders who reason from known budgets. The protocol is that of arena, section 3.
"""

from theory.ascending._clock import JOINT_EXITS, ClockSale, clock_sale
from theory.ascending._exact import MAX_TOTALS, AuctionLaw, ItemLaw, exact_auction
from theory.ascending._items import Item
from theory.ascending._reply import (
    MAX_SITUATIONS,
    BestReply,
    Objective,
    Profit,
    ProfitAndRank,
    Situation,
    Worth,
    best_reply,
)
from theory.ascending._rules import BidRule, EstimateRule, LimitRule, PrivateValues
from theory.ascending._setting import MAX_DISCOUNTS, MAX_LEVELS, AuctionSetting, read_setting
from theory.ascending._states import MAX_STATES
from theory.ascending._ties import TIE_RULES, Tie, TieRule, redrawn_law, tie_rule

__all__ = [
    "JOINT_EXITS",
    "MAX_DISCOUNTS",
    "MAX_LEVELS",
    "MAX_SITUATIONS",
    "MAX_STATES",
    "MAX_TOTALS",
    "TIE_RULES",
    "AuctionLaw",
    "AuctionSetting",
    "BestReply",
    "BidRule",
    "ClockSale",
    "EstimateRule",
    "Item",
    "ItemLaw",
    "LimitRule",
    "Objective",
    "PrivateValues",
    "Profit",
    "ProfitAndRank",
    "Situation",
    "Tie",
    "TieRule",
    "Worth",
    "best_reply",
    "clock_sale",
    "exact_auction",
    "read_setting",
    "redrawn_law",
    "tie_rule",
]
