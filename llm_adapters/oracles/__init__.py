"""Participants of the mechanisms that think with a language model.

Each asks a :class:`~mechanisms.protocols.ChatModel` or a
:class:`~mechanisms.protocols.LanguageModel`, checks what it says, and has an answer where none can
be read: to buy nothing, to pass, a default. Such failures are counted.
"""

__all__: list[str] = []
