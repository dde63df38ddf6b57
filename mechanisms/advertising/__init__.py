"""Advertising in the replies of language models: questions, advertisers, and what to ask a model.

:func:`instances` are fifty questions of our own with two fictitious advertisers each. The reference
model is asked the question, an advertiser's model :func:`advertising_prompt`, and the model that
knows its context :func:`context_prompt`.
"""

from mechanisms.advertising._instances import Advertiser, Instance, instances
from mechanisms.advertising._prompts import advertising_prompt, context_prompt

__all__ = ["Advertiser", "Instance", "advertising_prompt", "context_prompt", "instances"]
