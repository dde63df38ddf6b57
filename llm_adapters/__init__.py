"""Real language models behind the protocols of ``mechanisms``.

``session`` makes every call: within a budget, again where it may succeed, recorded. ``openai_api``
asks servers, ``local`` a model in this process. ``structured`` gets data instead of text,
``parsing`` reads text, ``players`` are participants that ask a model, and ``fakes`` stand in for
models. ``journal`` keeps what is written line by line.
"""
