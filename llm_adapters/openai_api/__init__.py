"""Models behind any server that speaks the OpenAI interface, through its official client."""

from llm_adapters.openai_api._endpoint import Endpoint

__all__ = ["Endpoint"]
