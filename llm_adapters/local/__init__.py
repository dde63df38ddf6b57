"""Models in this process, through ``transformers``: samples with their exact law, chat, vectors.

PyTorch and ``transformers`` come with the extra ``local`` and load when a model is first asked.
"""

from llm_adapters.local._chat import LocalChat
from llm_adapters.local._decoding import Decoding
from llm_adapters.local._embedder import LocalEmbedder
from llm_adapters.local._model import LocalModel
from llm_adapters.local._sentence_embedder import SentenceEmbedder
from llm_adapters.local._weights import Weights

__all__ = ["Decoding", "LocalChat", "LocalEmbedder", "LocalModel", "SentenceEmbedder", "Weights"]
