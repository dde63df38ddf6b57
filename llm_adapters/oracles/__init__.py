"""Participants of the mechanisms that think with a language model.

Each asks a :class:`~mechanisms.protocols.ChatModel` or a
:class:`~mechanisms.protocols.LanguageModel`, checks what it says, and has an answer where none can
be read: to buy nothing, to pass, a default. Such failures are counted.
"""

from llm_adapters.oracles._buyer import PROMPTING, ChatBuyer
from llm_adapters.oracles._document import Document
from llm_adapters.oracles._seller import ChatSeller

__all__ = ["PROMPTING", "ChatBuyer", "ChatSeller", "Document"]
