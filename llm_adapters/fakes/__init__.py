"""Chat models and an embedder that need no model: for tests, examples and dry runs.

They are deterministic functions of what they are given, the generator included. Language models of
that kind are in :mod:`mechanisms.language_models`.
"""

from llm_adapters.fakes._embedder import HashEmbedder
from llm_adapters.fakes._rule import RuleChat
from llm_adapters.fakes._scripted import ScriptedChat
from llm_adapters.fakes._table import TableChat

__all__ = ["HashEmbedder", "RuleChat", "ScriptedChat", "TableChat"]
