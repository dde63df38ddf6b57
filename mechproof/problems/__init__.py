"""Problem files: a document in JSON, TOML or JSON Lines goes in, an answer in JSON comes out.

A kind of problem is one module here that defines ``KIND``, a
:class:`~mechproof.problems.kinds.ProblemKind`.
"""

from mechproof.shadowing import refuse_hidden

refuse_hidden("theory")
