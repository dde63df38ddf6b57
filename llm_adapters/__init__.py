"""Real language models behind the protocols of ``mechanisms``: servers, local models, records."""
