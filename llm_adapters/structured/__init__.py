"""Asking models for data, and refusing what makes no sense.

``ask`` asks a chat model for data of a stated kind, validates what it says, and asks again a
bounded number of times; ``find_json`` finds the one JSON value of a text. ``checked_chat`` and
``checked_embed`` ask models that need not be trusted.
"""

from llm_adapters.structured._ask import ask
from llm_adapters.structured._checked_calls import checked_chat, checked_embed
from llm_adapters.structured._json import find_json
from llm_adapters.structured._result import NoAnswerError, ValidAnswer

__all__ = ["NoAnswerError", "ValidAnswer", "ask", "checked_chat", "checked_embed", "find_json"]
