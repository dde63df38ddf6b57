"""Advertising in the replies of language models: questions, advertisers, and what to ask a model.

:func:`instances` are fifty questions of our own with two fictitious advertisers each. The reference
model is asked the question, an advertiser's model :func:`advertising_prompt`, and the model that
knows its context :func:`context_prompt`. :func:`advertising_auction` is the softmax auction over
what they reply, in steps, and :func:`run_instance` leads models through it for many numbers of
candidates. :func:`reply_laws` computes the law of the reply exactly where models list theirs, and
:func:`clustered_mean` and :func:`fit_line` sum up many runs.
"""

from mechanisms.advertising._answers import NumberPerReply, Replies, Written
from mechanisms.advertising._explicit import EXPLICIT, ByQuestion, explicit_model
from mechanisms.advertising._instances import Advertiser, Instance, instances
from mechanisms.advertising._laws import LawCourse, reply_laws
from mechanisms.advertising._optimum import Optimum, optimum
from mechanisms.advertising._participants import model_participants
from mechanisms.advertising._prompts import advertising_prompt, context_prompt
from mechanisms.advertising._rules import (
    GENERATOR,
    PLATFORM,
    REFERENCE,
    AdvertisedReply,
    CandidateReplies,
    ToReward,
    ToScore,
    ToWrite,
    advertising_auction,
    candidate_replies,
)
from mechanisms.advertising._run import (
    GENERATORS,
    READINGS,
    GeneratorResult,
    InstanceResult,
    mentions,
    run_instance,
    sizes_up_to,
)
from mechanisms.advertising._statistics import (
    Estimate,
    FittedLine,
    clustered_mean,
    fit_line,
    trim_outliers,
)
from mechanisms.advertising._watch_auction import watch_advertising
from mechanisms.advertising.models import Models

__all__ = [
    "EXPLICIT",
    "GENERATOR",
    "GENERATORS",
    "PLATFORM",
    "READINGS",
    "REFERENCE",
    "AdvertisedReply",
    "Advertiser",
    "ByQuestion",
    "CandidateReplies",
    "Estimate",
    "FittedLine",
    "GeneratorResult",
    "Instance",
    "InstanceResult",
    "LawCourse",
    "Models",
    "NumberPerReply",
    "Optimum",
    "Replies",
    "ToReward",
    "ToScore",
    "ToWrite",
    "Written",
    "advertising_auction",
    "advertising_prompt",
    "candidate_replies",
    "clustered_mean",
    "context_prompt",
    "explicit_model",
    "fit_line",
    "instances",
    "mentions",
    "model_participants",
    "optimum",
    "reply_laws",
    "run_instance",
    "sizes_up_to",
    "trim_outliers",
    "watch_advertising",
]
