"""The softmax auction: one reply to a query, drawn from softmaxed sums of rewards, with prices.

n agents report rewards r[i, j] for M candidate replies. The reply is drawn from
p = softmax(sum of r / tau + log rho), and agent i pays, in expectation, what makes the truth its
best report. :func:`softmax_payments` prices one query or many at the speed of memory,
:func:`softmax_auction` tells all there is to tell, :func:`certified_auction` and
:func:`exact_auction` are for numbers that must be right to the last digit.
"""

from mechanisms.softmax_auction._allocation_and_payments import softmax_allocation, softmax_payments
from mechanisms.softmax_auction._certified_auction import CertifiedAuction, certified_auction
from mechanisms.softmax_auction._exact_auction import ExactAuction, exact_auction
from mechanisms.softmax_auction._mechanism import SoftmaxAuction
from mechanisms.softmax_auction._model_reports import odds_from_laws, rewards_from_log_probs
from mechanisms.softmax_auction._outcome import AuctionOutcome, softmax_auction
from mechanisms.softmax_auction._settlement import Settlement

__all__ = [
    "AuctionOutcome",
    "CertifiedAuction",
    "ExactAuction",
    "Settlement",
    "SoftmaxAuction",
    "certified_auction",
    "exact_auction",
    "odds_from_laws",
    "rewards_from_log_probs",
    "softmax_allocation",
    "softmax_auction",
    "softmax_payments",
]
