"""Runs as plain data, and back."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from json import loads
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mechanisms.ledger import Ledger
from mechanisms.participants import describe_object
from mechanisms.play._bank import Outside, require_paid
from mechanisms.play._log import Entry, How, ReplayError
from mechanisms.play._requests import Ask, Draw, Unanswered, Unpaid, mark_ask
from mechanisms.play._run import Run, start
from mechanisms.play.answers import IllegalAnswerError
from mechanisms.play.plain_data import digest, from_json, to_json
from theory.errors import InvalidInputError, MechproofError
from theory.numbers.reading import require_short

if TYPE_CHECKING:
    from mechanisms.play._rules import Rules

__all__ = ["run_from_json", "run_to_json"]

_OWN: Final = {"Unanswered": Unanswered, "Unpaid": Unpaid}
_FIX: Final = "give what Run.to_json has written"


def run_to_json(run: Run[Any]) -> dict[str, Any]:
    """Return a run as plain data."""
    rules = run.rules
    kinds = {**_OWN, **rules.kinds}
    positional, named = run.arguments
    return {
        "rules": rules.name,
        "version": rules.version,
        "arguments": [
            [to_json(each, f"argument {k + 1}", kinds) for k, each in enumerate(positional)],
            {name: to_json(each, name, kinds) for name, each in named.items()},
        ],
        "seed": run.seed,
        **({"ledger": {"run": run.name}} if run.on_outside_ledger else {}),
        "log": [_entry_to_json(entry, kinds) for entry in run._ordered()],
    }


def _entry_to_json(entry: Entry, kinds: Mapping[str, type]) -> dict[str, Any]:
    request = entry.request
    written: dict[str, Any] = {"step": entry.step, "key": entry.key, "how": entry.how.value}
    written["asked"] = _asked(request)
    where = f"answer at step {entry.step}"
    if entry.how is How.CHOSEN:
        written["value"] = request.answer.write(entry.value)
    elif entry.how is How.DRAWN:
        places = (k for k, each in enumerate(request.values) if each is entry.value)
        written["value"] = next(places)
    elif entry.how is How.BANK:
        written["value"] = to_json(entry.value, where, kinds)
    for name in ("reason", "memory"):
        if getattr(entry, name):
            written[name] = getattr(entry, name)
    return written


def _asked(request: Any) -> str:
    """Return what tells a request from others."""
    if isinstance(request, Ask):
        return mark_ask(request)
    return digest(type(request).__name__, request)


class _WrittenEntry(NamedTuple):
    """An entry of a log that was read, and is understood once its request is known."""

    step: int
    key: str
    how: How
    asked: str
    value: Any
    reason: str
    memory: str
    kinds: Mapping[str, type]

    def settled(self, name: str, request: Any) -> Entry:
        """Return the entry, if it answers the request that the rules make now."""
        if _asked(request) != self.asked:
            problem = "ask for something else than this log answers"
            fix = "replay it with the rules and arguments that it was written with"
            raise ReplayError(name, self.step, problem, fix)
        try:
            value = self._value(request)
        except (IllegalAnswerError, LookupError, TypeError, ValueError, AttributeError) as error:
            problem = f"find in the log what is no answer: {error}"
            raise ReplayError(name, self.step, problem, _FIX) from error
        return Entry(self.step, self.key, request, self.how, value, self.reason, self.memory)

    def _value(self, request: Any) -> Any:
        if isinstance(request, Ask):
            if self.how in (How.DRAWN, How.BANK):
                raise LookupError(f"a player's answer was {self.how.value}")
            nth = len(request.refused) + 1
            if self.how is (How.REFUSED if nth >= request.attempts else How.ILLEGAL):
                raise LookupError(f"attempt {nth} of {request.attempts} was {self.how.value}")
            return request.answer.read_written(self.value) if self.how is How.CHOSEN else None
        if isinstance(request, Draw):
            if self.how is not How.DRAWN or type(self.value) is not int or self.value < 0:
                raise LookupError("a draw without its number")
            return request.read(request.values[self.value])
        if self.how is not How.BANK:
            raise LookupError(f"a payment was {self.how.value}")
        return from_json(self.value, self.kinds)


def run_from_json(
    rules: Rules[Any, Any], given: Mapping[str, Any] | str, ledger: Ledger | None
) -> Run[Any]:
    """Return the run that was written."""
    written: Any = given
    if isinstance(given, str):
        try:
            written = loads(given)
        except (ValueError, RecursionError) as error:
            raise InvalidInputError("written", given, "is no JSON", _FIX) from error
    try:
        name, version = written["rules"], written["version"]
        positional, named = written["arguments"]
        seed, log = written["seed"], written["log"]
    except (TypeError, KeyError, ValueError) as error:
        raise InvalidInputError("written", written, "is no run", _FIX) from error
    if name != rules.name:
        fix = f"read it with the rules of that name, not with {rules.name}"
        raise InvalidInputError("rules", name, "are others", fix)
    if version != rules.version:
        fix = f"these are version {rules.version}; use the version that wrote it"
        raise InvalidInputError("version", version, f"of {name} is another", fix)
    if type(seed) not in (int, str, type(None)):
        raise InvalidInputError("seed", seed, "is no seed", _FIX)
    if type(seed) is int:
        require_short(Fraction(seed), "seed")
    if type(log) is not list:
        raise InvalidInputError("log", log, "is no list", _FIX)
    outside = _outside(written, ledger)
    kinds = {**_OWN, **rules.kinds}
    arguments = _arguments(rules, positional, named, kinds)
    script = [_entry(each, kinds) for each in log]
    try:
        run = start(rules, arguments, seed, script, outside)
    except MechproofError:
        raise
    except Exception as error:  # of rules that were given what they cannot use
        problem = f"lets the rules raise {describe_object(error)}"
        raise InvalidInputError("written", name, problem, _FIX) from error
    if outside is not None:
        require_paid(run.log, outside)
    return run


def _outside(written: Mapping[str, Any], ledger: Ledger | None) -> Outside | None:
    """Return the ledger that a run was on, with its name there."""
    if "ledger" not in written:
        return None if ledger is None else Outside(ledger)
    said = written["ledger"]
    if type(said) is not dict or said.keys() != {"run"} or type(said["run"]) is not str:
        raise InvalidInputError("ledger", said, "is not that of a run", _FIX)
    if ledger is None:
        fix = "give that ledger: rules.read(written, ledger)"
        raise InvalidInputError("ledger", None, "is needed, since others use it, too", fix)
    return Outside(ledger, said["run"])


def _arguments(
    rules: Rules[Any, Any], positional: Any, named: Any, kinds: Mapping[str, type]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    problem = "do not fit the rules"
    if type(positional) is not list or type(named) is not dict:
        raise InvalidInputError("arguments", [positional, named], problem, _FIX)
    given = (
        tuple(from_json(each, kinds) for each in positional),
        {key: from_json(each, kinds) for key, each in named.items()},
    )
    try:
        return rules.bind(*given[0], **given[1])
    except TypeError as error:
        raise InvalidInputError("arguments", given, problem, str(error)) from error


def _entry(written: Any, kinds: Mapping[str, type]) -> _WrittenEntry:
    try:
        step, key, asked = written["step"], written["key"], written["asked"]
        reason, memory = written.get("reason", ""), written.get("memory", "")
        how = How(written["how"])
    except (TypeError, KeyError, ValueError, AttributeError) as error:
        raise InvalidInputError("log", written, "has what is no entry", _FIX) from error
    texts = (key, asked, reason, memory)
    counted = type(step) is int and 0 <= step < 2**53
    if not counted or not all(type(each) is str for each in texts):
        raise InvalidInputError("log", written, "has what is no entry", _FIX)
    return _WrittenEntry(step, key, how, asked, written.get("value"), reason, memory, kinds)
