"""Arguments of sessions are refused by name, and what a session costs beside its calls."""

from __future__ import annotations

from plain_python import outcomes

SETUP = """
from decimal import Decimal
from llm_adapters.session import *
from mechanisms.language_models import TableModel
nan, inf = float("nan"), float("inf")
r = Request("a", "m", "chat", {})
def make(seconds): return Answer({})
s = Session()
model = RecordedModel(TableModel({"?": {"a": 1}}), s, name="m")
"""

REFUSED = {
    "Session(time_limit=0)": "time_limit is not a time",
    "Session(time_limit=nan)": "time_limit is not a time",
    "Session(time_limit=inf)": "time_limit is not a time",
    "Session(time_limit=True)": "time_limit is not a time",
    "Session(time_limit='1')": "time_limit is not a time",
    "Session(time_limit=10**400)": "time_limit is not a time",
    "Session(grace=-1)": "grace is not a time",
    "Session(budget=5)": "budget is of another kind",
    "Session(retries=5)": "retries is of another kind",
    "Session(prices=5)": "prices are not a mapping",
    "Session(prices={'m': 5})": "prices are not prices of a model",
    "Session(prices={5: Prices(1, 1)})": "prices are not prices of a model",
    "Session(pause=5)": "pause cannot be called",
    "Session(record=5)": "record is not a path",
    "Session(record='')": "record is not a path",
    "Session(replay='a\\0b')": "replay is not a path",
    "Session(record='a', replay='b')": "replay is given beside record",
    "s.call(5, make)": "request is not a request",
    "s.call(r, 5)": "make cannot be called",
    "s.call(r, make, at_most=5)": "at_most cannot be called",
    "s.call(r, lambda seconds: 'text')": "make returned something",
    "s.call_many([5])": "calls hold something that is not a Call",
    "s.call_many(5)": "calls are not a sequence",
    "s.count_failure('')": "agent is not a name",
    "Usage(money=-1)": "money is negative",
    "Usage(money=0.5)": "money is a float",
    "s.count_failure(5)": "agent is not a name",
    "Budget(calls=-1)": "calls is not a count",
    "Budget(calls=True)": "calls is not a count",
    "Budget(calls=1.0)": "calls is not a count",
    "Budget(tokens='5')": "tokens is not a count",
    "Budget(money=0.5)": "money is a float",
    "Budget(money=nan)": "money is a float",
    "Budget(money=-1)": "money is negative",
    "Budget(money='much')": "money is not a number",
    "Prices(0.1, 1)": "input is a float",
    "Prices(1, '-1')": "output is negative",
    "Prices(1, None)": "output is not a number",
    "Retries(first=-1.0)": "first is not a time",
    "Retries(first=nan)": "first is not a time",
    "Retries(longest=inf)": "longest is not a time",
    "Request('', 'm', 'chat', {})": "agent is not a name",
    "Request('a', 5, 'chat', {})": "model is not a name",
    "Request('a', 'm', None, {})": "method is not a name",
    "Request('a', 'm', 'chat', [])": "body is not a mapping",
    "Request('a', 'm', 'chat', {'Authorization': 'x'})": "body may hold a key",
    "Request('a', 'm', 'chat', {'api_key': 'x'})": "body may hold a key",
    "Answer('text')": "body is not a mapping",
    "RecordedModel(None, s, name='m')": "model is missing",
    "RecordedModel(5, s, name='m')": "model does not work as LanguageModel",
    "RecordedModel(TableModel({'?': {'a': 1}}), None, name='m')": "session is not a Session",
    "RecordedModel(TableModel({'?': {'a': 1}}), s, name='')": "name is not a name",
    "RecordedModel(TableModel({'?': {'a': 1}}), s, name='m', agent=5)": "agent is not a name",
    "RecordedModel(TableModel({'?': {'a': 1}}), s, name=3)": "name is not a name",
    "RecordedModel(TableModel, s, name='m')": "model is a class",
    "model.sample(5, 1, None)": "prompt is not text",
    "model.log_prob('?', 'a')": "replies are no sequence",
}


def test_nonsense_is_refused_by_name_before_any_call() -> None:
    found = outcomes(SETUP, [*REFUSED, "s.total.calls", "Session(concurency=3)"])
    told = {expression: outcome.split(": ", 1) for expression, outcome in found.items()}
    for expression, start in REFUSED.items():
        kind, text = told[expression]
        assert kind.endswith("Error"), expression
        assert kind not in ("TypeError", "AttributeError", "ValueError"), (expression, text)
        assert text.startswith(start), (expression, text)
    assert found["s.total.calls"] == "value: 1", "only the one that returned a text was made"
    assert found["Session(concurency=3)"].startswith("TypeError")


COST = """
import os, tempfile, time
from llm_adapters.session import *

def make(seconds):
    return Answer({"text": "word " * 60}, 200, 60)

def cost(first, **options):
    with Session(budget=Budget(tokens=10**9), **options) as session:
        start = time.process_time()
        for i in range(first, first + 200):
            body = {"messages": [{"role": "user", "content": "word " * 200}], "seed": i}
            request = Request("a", "m", "chat", body)
            session.call(request, make, at_most=lambda: (300, 300))
        return (time.process_time() - start) / 200

def record(first):
    with tempfile.TemporaryDirectory() as folder:
        return cost(first, record=os.path.join(folder, "record"))
"""


def test_a_session_costs_far_less_than_a_millisecond_a_call() -> None:
    """In seconds of the processor, so that a busy machine counts little; the best of seven."""
    asked = [f"{way}({1000 * i})" for i in range(7) for way in ("cost", "record")]
    found = outcomes(COST, asked)
    times = {
        way: min(float(found[one][7:]) for one in asked if one.startswith(way))
        for way in ("cost", "record")
    }
    assert max(times.values()) < 0.0005, times
