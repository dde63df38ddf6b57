"""Models behind any server that speaks the OpenAI interface, through its official client.

An :class:`Endpoint` is a server and a model behind it; :class:`OpenAIChat`, :class:`OpenAIModel`
and :class:`OpenAIEmbedder` are the oracles that it can be. What a server lacks is an error that
names it.
"""

from llm_adapters.openai_api._chat import OpenAIChat
from llm_adapters.openai_api._embedder import OpenAIEmbedder
from llm_adapters.openai_api._endpoint import Endpoint
from llm_adapters.openai_api._model import OpenAIModel

__all__ = ["Endpoint", "OpenAIChat", "OpenAIEmbedder", "OpenAIModel"]
