"""Language models that are known exactly, and how to ask any other.

A :class:`~mechanisms.protocols.LanguageModel` samples replies and scores them. Those here are small
enough for their laws to be known: a table, counts of words, and what is made of them by
temperature, top-p, mixing and instructions. So a mechanism runs without any large model, and what
it should converge to is known (:class:`TiltedModel`).
"""

from mechanisms.language_models._advice import advice
from mechanisms.language_models._checked_answers import checked_log_prob, checked_sample
from mechanisms.language_models._decoded_model import DecodedModel
from mechanisms.language_models._instructed_model import InstructedModel
from mechanisms.language_models._instructed_table import InstructedTable
from mechanisms.language_models._mixture_model import MixtureModel
from mechanisms.language_models._ngram_model import NGramModel
from mechanisms.language_models._prompted_model import PromptedModel
from mechanisms.language_models._table_model import TableModel
from mechanisms.language_models._tilted_model import TiltedModel
from mechanisms.language_models.errors import LanguageModelError
from mechanisms.language_models.explicit import (
    LISTED_LIMIT,
    Explicit,
    ExplicitModel,
    Law,
    ReplyLaw,
)
from mechanisms.language_models.topics import question_of

__all__ = [
    "LISTED_LIMIT",
    "DecodedModel",
    "Explicit",
    "ExplicitModel",
    "InstructedModel",
    "InstructedTable",
    "LanguageModelError",
    "Law",
    "MixtureModel",
    "NGramModel",
    "PromptedModel",
    "ReplyLaw",
    "TableModel",
    "TiltedModel",
    "advice",
    "checked_log_prob",
    "checked_sample",
    "question_of",
]
