"""Reading choices, amounts and probabilities from text, where no schema is possible.

What cannot be read is an :class:`~llm_adapters.errors.UnreadableError` that quotes the text.
"""

from llm_adapters.parsing._quoting import quoted

__all__ = ["quoted"]
