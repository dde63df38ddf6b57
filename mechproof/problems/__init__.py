"""Problem files: a document in JSON, TOML or JSON Lines goes in, an answer in JSON comes out.

``kinds/`` has the kinds of problems, ``kind.py`` says what a kind is. ``format/`` reads a document
and gives it types, ``shared/`` has what several kinds state, count and answer. ``commands.py`` is
the commands, ``limits.py`` the time and memory that they allow.
"""

from mechproof.hidden_packages import refuse_hidden

refuse_hidden("theory")
