"""Reading choices, amounts and probabilities from text, where no schema is possible.

Every reader has a small grammar and reads the whole text by it: what else the text says could
change its meaning. What cannot be read is an :class:`~llm_adapters.errors.UnreadableError` that
quotes the text around the trouble, never a guess. Let a model reason outside of a tag, read what
stands in it with :func:`read_tagged`, and that with another reader.
"""

from llm_adapters.parsing._amounts import read_amount, read_probability
from llm_adapters.parsing._choices import read_choice, read_choices
from llm_adapters.parsing._probabilities import read_probabilities
from llm_adapters.parsing._quoting import quote_around
from llm_adapters.parsing._tags import read_tagged
from llm_adapters.parsing._verdicts import read_verdicts

__all__ = [
    "quote_around",
    "read_amount",
    "read_choice",
    "read_choices",
    "read_probabilities",
    "read_probability",
    "read_tagged",
    "read_verdicts",
]
