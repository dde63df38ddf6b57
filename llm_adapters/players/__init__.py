"""Participants of the mechanisms that think with a language model.

Each asks a :class:`~mechanisms.protocols.ChatModel` or a
:class:`~mechanisms.protocols.LanguageModel`, checks what it says, and has an answer where none can
be read: to buy nothing, to pass, a default. Such failures are counted.
"""

from llm_adapters.players._belief_judge import Belief
from llm_adapters.players._bidder import ChatBidder
from llm_adapters.players._buyer import PROMPTING, ChatBuyer
from llm_adapters.players._candidates import (
    GENERATOR,
    REFERENCE,
    Candidates,
    ModelRoles,
    draw_candidates,
)
from llm_adapters.players._chat_judge import ChatJudge
from llm_adapters.players._chat_oracle import ChatOracle
from llm_adapters.players._chat_player import ChatPlayer
from llm_adapters.players._document import Document
from llm_adapters.players._grader import ChatGrader
from llm_adapters.players._hypothetical_passage import HypotheticalPassage
from llm_adapters.players._informant import ChatInformant
from llm_adapters.players._market_buyer import ChatMarketBuyer
from llm_adapters.players._market_writer import ChatAsker, ChatWriter
from llm_adapters.players._oracle_report import OracleReport
from llm_adapters.players._scored_judge import ScoredJudge
from llm_adapters.players._seller import ChatSeller

__all__ = [
    "GENERATOR",
    "PROMPTING",
    "REFERENCE",
    "Belief",
    "Candidates",
    "ChatAsker",
    "ChatBidder",
    "ChatBuyer",
    "ChatGrader",
    "ChatInformant",
    "ChatJudge",
    "ChatMarketBuyer",
    "ChatOracle",
    "ChatPlayer",
    "ChatSeller",
    "ChatWriter",
    "Document",
    "HypotheticalPassage",
    "ModelRoles",
    "OracleReport",
    "ScoredJudge",
    "draw_candidates",
]
