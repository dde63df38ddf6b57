"""Small complete runs of each mechanism that language models play, told in a transcript.

``mechproof demo NAME`` runs them; :func:`run` does from Python. Each is a module that defines
``DEMO``; ``demo.py`` says what a demo is. One argument decides who plays: the
local model, rules that need no model, or a model behind a server.
"""

from mechproof.hidden_packages import refuse_hidden

refuse_hidden("theory", "mechanisms", "llm_adapters")  # before any of them is imported below

from mechproof.demos._run import DemoResult, run  # noqa: E402
from mechproof.demos._transcript import Transcript  # noqa: E402
from mechproof.demos.demo import Demo, demos  # noqa: E402
from mechproof.demos.models import Participants, open_participants  # noqa: E402

__all__ = [
    "Demo",
    "DemoResult",
    "Participants",
    "Transcript",
    "demos",
    "open_participants",
    "run",
]
