"""Small complete runs of each mechanism that language models play, told in a transcript.

``mechproof demo NAME`` runs them; :func:`run` does from Python. One argument decides who plays: the
local model, rules that need no model, or a model behind a server.
"""

from mechproof.demos._run import DEMOS, DemoResult, run
from mechproof.demos._transcript import Transcript
from mechproof.demos.models import Participants, open_participants

__all__ = ["DEMOS", "DemoResult", "Participants", "Transcript", "open_participants", "run"]
