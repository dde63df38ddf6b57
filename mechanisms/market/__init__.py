"""The information market of bazaar: passages are quoted, read, bought or forgotten.

:func:`information_market` are the rules; :func:`answer_question` leads them with vendors and a
buyer of this process. :func:`facts_corpus` makes a world of its own, in which it is known what a
passage is worth to who asks; :func:`fixed_corpus` is one that comes with the package.
"""

from mechanisms.market._answers import (
    GRADE_OUTCOMES,
    Asker,
    FactGrader,
    Grade,
    Grader,
    Grading,
    Writer,
)
from mechanisms.market._bm25 import BM25
from mechanisms.market._corpus import Corpus, FactQuestion, Passage, Statement
from mechanisms.market._corpus_json import corpus_from_json, corpus_to_json, fixed_corpus
from mechanisms.market._generator import facts_corpus, paraphrase
from mechanisms.market._participants import (
    IdealBuyer,
    KeywordBuyer,
    LogitBuyer,
    OneByOneBuyer,
    ValuationBuyer,
    Vendor,
    best_purchase,
)
from mechanisms.market._prices import PriceGame, PriceRun, Visit, price_game
from mechanisms.market._questions import Excerpt, Progress, Quote, Quotes, Tender, Texts
from mechanisms.market._reranking import Reranked, Reranker
from mechanisms.market._retrieval import (
    Cascade,
    Embedded,
    Fused,
    Retrieval,
    Rewritten,
    read_ranking,
)
from mechanisms.market._rules import MAX_HOPS, Inquiry, information_market
from mechanisms.market._run import Market, MarketResult, answer_question
from mechanisms.market._watch_market import watch_market

__all__ = [
    "BM25",
    "GRADE_OUTCOMES",
    "MAX_HOPS",
    "Asker",
    "Cascade",
    "Corpus",
    "Embedded",
    "Excerpt",
    "FactGrader",
    "FactQuestion",
    "Fused",
    "Grade",
    "Grader",
    "Grading",
    "IdealBuyer",
    "Inquiry",
    "KeywordBuyer",
    "LogitBuyer",
    "Market",
    "MarketResult",
    "OneByOneBuyer",
    "Passage",
    "PriceGame",
    "PriceRun",
    "Progress",
    "Quote",
    "Quotes",
    "Reranked",
    "Reranker",
    "Retrieval",
    "Rewritten",
    "Statement",
    "Tender",
    "Texts",
    "ValuationBuyer",
    "Vendor",
    "Visit",
    "Writer",
    "answer_question",
    "best_purchase",
    "corpus_from_json",
    "corpus_to_json",
    "facts_corpus",
    "fixed_corpus",
    "information_market",
    "paraphrase",
    "price_game",
    "read_ranking",
    "watch_market",
]
