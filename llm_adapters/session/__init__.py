"""The discipline of calls to models: budgets, retries, records, usage by agent, cancellation.

Every adapter makes its calls through a :class:`Session`. Its record is a file with one line of JSON
for each answer: a run that ended half-way goes on from it, and a run that is over is replayed from
it without any model.
"""

from llm_adapters.session._recorded_models import RecordedChat, RecordedEmbedder, RecordedModel
from llm_adapters.session._retries import Retries
from llm_adapters.session._session import Session
from llm_adapters.session._usage import Budget, Prices, Usage
from llm_adapters.session.request import Answer, Call, Request

__all__ = [
    "Answer",
    "Budget",
    "Call",
    "Prices",
    "RecordedChat",
    "RecordedEmbedder",
    "RecordedModel",
    "Request",
    "Retries",
    "Session",
    "Usage",
]
