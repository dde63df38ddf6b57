"""What a run hands out changes nothing in it; questions are of their step; many at a time."""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from fractions import Fraction
from json import dumps
from time import process_time
from typing import Any

import numpy as np
import pytest

from mechanisms.play import (
    Anything,
    Ask,
    Choice,
    Draw,
    How,
    Quantity,
    Run,
    Steps,
    Subset,
    play,
    play_async,
    rules,
)
from mechanisms.play.plain_data import detach, freeze, set_apart
from theory.errors import InvalidInputError

LEGAL = Choice(("yes", "no"))

# --- a question is of its step


@rules
def same(times: int, together: bool = False) -> Steps[Any]:
    """Asks the very same again and again; an object that stands outside of the rules, too."""
    said = []
    for _ in range(times):
        if together:
            both = yield {"a": AGAIN, "b": Ask("Bob", "again?", LEGAL, attempts=2)}
            said.append(both["a"])
        else:
            said.append((yield AGAIN))
    return said


def pickled(ask: Ask) -> Ask:
    found: Ask = pickle.loads(pickle.dumps(ask))
    return found


AGAIN = Ask("Ann", "again?", LEGAL, attempts=2)


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("handed", [lambda ask: ask, deepcopy, pickled])
@pytest.mark.parametrize("read", [False, True])
@pytest.mark.parametrize("stale", [0, 1])
def test_a_question_of_an_earlier_step_is_not_that_of_now(
    together: bool, handed: Callable[[Ask], Ask], read: bool, stale: int
) -> None:
    def on(run: Run[Any], answer: str) -> Run[Any]:
        run = run.answer("Ann", answer)
        return run.answer("Bob", "no") if together else run

    stages = [same(4, together)]
    for _ in range(3):
        stages.append(on(stages[-1], "yes"))
    old = handed(stages[stale].asks[0])
    run = stages[stale + 1]
    if read:
        run = same.read(dumps(run.to_json()))
    assert run.asks[0] == old  # they are equal, and not the same
    with pytest.raises(
        InvalidInputError, match=rf"ask is of step {stale}, and this is step {stale + 1}"
    ):
        run.answer(old, "no")
    with pytest.raises(
        InvalidInputError, match=rf"ask is of step {stale}, and this is step {stale + 1}"
    ):
        run.no_answer(old, "late")
    assert on(run, "yes") == stages[stale + 2]
    again = handed(run.asks[0])
    assert again.step == stale + 1
    assert run.answer(again, "yes") == run.answer("Ann", "yes")
    assert AGAIN.step is None
    assert stages[stale].answer(old, "yes").log == stages[stale].answer("Ann", "yes").log


def test_a_question_before_its_refusal_is_not_that_after() -> None:
    run = same(1)
    [first] = run.asks
    after = run.answer(first, "maybe")
    with pytest.raises(InvalidInputError, match="ask is answered already"):
        after.answer(first, "yes")
    [second] = after.asks
    assert (second.step, len(second.refused)) == (0, 1)
    assert after.answer(second, "yes").outcome == ["yes"]


def test_the_question_of_a_seat_can_be_asked_for() -> None:
    run = same(2, together=True)
    assert run.ask("Bob") is run.asks[1]
    assert run.ask("Eve") is None
    assert run.answer("Bob", "no").ask("Bob") is None


# --- what is handed out


@dataclass(frozen=True)
class Told:
    """A view that is frozen, and holds what is not."""

    names: list[str]
    table: dict[str, list[int]]
    hidden: list[int] = field(repr=False)


def told() -> Told:
    return Told(["a"], {"x": [1]}, [7])


@rules
def telling(kept: list[Any]) -> Steps[Any]:
    """Rules that go on changing what they told, were answered, and return."""
    view, listed = told(), [1, [2]]
    first = yield {"q": Ask("Ann", view, Anything()), "r": Ask("Bob", listed, Anything())}
    view.names.append("rules")
    listed.append(3)
    first["q"].append("rules")
    second = yield Ask("Ann", ("see", first["q"]), Anything())
    second.append("rules")
    kept.append(second)
    return {"first": first, "second": second, "kept": kept}


def spoil(thing: Any) -> None:
    """Change everything that can be changed."""
    if isinstance(thing, Told):
        for part in (thing.names, thing.table, thing.hidden):
            spoil(part)
    elif isinstance(thing, list):
        for part in thing:
            spoil(part)
        thing.append("spoilt")
    elif isinstance(thing, dict):
        for part in thing.values():
            spoil(part)
        thing["spoilt"] = []
    elif isinstance(thing, tuple):
        for part in thing:
            spoil(part)


def test_nothing_that_is_handed_out_changes_a_run() -> None:
    run = telling([])
    stages = [run := run.answer(seat, [seat]) for seat in ("Bob", "Ann", "Ann")]
    over = stages[-1]
    due = str(over), dumps(over.to_json()), over.outcome, over.log
    kept = deepcopy(due)
    for _ in range(2):
        for stage in (telling([]), *stages):
            for ask in (*stage.asks, *([stage.ask()] if stage.asks else [])):
                assert ask is not None
                spoil(ask.view)
            spoil(stage.outcome)
            for entry in stage.log:
                spoil(entry.request.view)
                spoil(entry.value)
            if stage.log:
                spoil(stage.last.value)
                spoil(stage.last.request.view)
            spoil(stage.arguments)
        assert (str(over), dumps(over.to_json()), over.outcome, over.log) == kept
    assert over.outcome == {
        "first": {"q": ["Ann", "rules"], "r": ["Bob"]},
        "second": ["Ann", "rules"],
        "kept": [["Ann", "rules"]],
    }
    assert [ask.view for ask in telling([]).asks] == [told(), [1, [2]]]
    assert stages[1].ask().view == ("see", ["Ann", "rules"])  # type: ignore[union-attr]
    [_, bob, last] = over.log
    assert (bob.value, last.value) == (["Bob"], ["Ann"])  # as they were answered


def test_rules_that_change_what_they_were_answered_begin_a_branch_with_what_was_said() -> None:
    run = telling([]).answer("Ann", ["x"]).answer("Bob", [])
    ends = [run.answer("Ann", [k]).outcome for k in range(3)]
    assert [end["first"]["q"] for end in ends] == [["x", "rules"]] * 3
    assert [end["second"] for end in ends] == [[k, "rules"] for k in range(3)]


@pytest.mark.parametrize("within", [lambda view: view, lambda view: (view, "a")])
def test_what_is_told_again_is_what_it_is_by_then(within: Callable[[Told], Any]) -> None:
    """Rules may tell the same object at each step, and change it meanwhile."""

    @rules
    def again() -> Steps[None]:
        view = told()
        for _ in range(3):
            yield Ask("Ann", within(view), Anything())
            view.names.append("rules")

    run = again()
    for _ in range(3):
        run = run.answer("Ann", 0)
    asked = [within(Told(["a"] + ["rules"] * k, told().table, [7])) for k in range(3)]
    assert [entry.request.view for entry in run.log] == asked


def test_a_question_may_be_answered_whatever_was_done_to_its_view() -> None:
    run = telling([])
    ann, bob = run.asks
    spoil(ann.view)
    after = run.answer(ann, []).answer(bob, [])
    assert after == run.answer("Ann", []).answer("Bob", [])
    with pytest.raises(InvalidInputError, match="ask is of step 0, and this is step 1"):
        after.answer(ann, [])


def test_what_does_not_change_is_not_copied() -> None:
    @rules
    def plain() -> Steps[Any]:
        yield Ask("Ann", ("a", (Fraction(1, 2), frozenset("b"))), LEGAL)
        return outcome

    outcome = (1, ("a", Fraction(1, 2)))
    run = plain()
    assert run.ask() is run.ask() is run.asks[0]
    assert run.answer("Ann", "yes").outcome is outcome


@pytest.mark.parametrize(
    "value", [[1], (1, [2]), {"a": 1}, {1}, bytearray(b"x"), np.arange(3), told(), (told(),)]
)
def test_a_copy_is_made_of_what_can_be_changed(value: Any) -> None:
    made = detach(value)
    assert made is not value
    assert type(made) is type(value)
    assert str(made) == str(value)
    if isinstance(value, Told):
        assert made.hidden is not value.hidden
        assert made.hidden == value.hidden


@dataclass
class Loose:
    """Can be changed, and holds nothing that can be."""

    number: int = 1


@dataclass(frozen=True)
class Own:
    """Says itself how it is copied."""

    listed: list[int]

    def __deepcopy__(self, memo: object) -> Own:
        raise ValueError("no copy is made")


def test_objects_of_other_classes_stay_what_they_are() -> None:
    for value in (object(), len, range(3), (object(), "a"), Choice, Own([1]), (Own([1]),)):
        assert detach(value) is value
    assert detach(Loose(2)) == Loose(2)
    loose = Loose(2)
    assert detach((loose,))[0] is not loose


@pytest.mark.parametrize("place", [0, 1, 2])
def test_of_several_objects_of_a_class_the_one_that_can_be_changed_is_a_copy(place: int) -> None:
    @dataclass(frozen=True)
    class Held:
        name: str
        part: Any

    given = tuple(Held("x", [1] if k == place else "y") for k in range(3))
    apart = detach(given)
    assert apart == given
    assert [mine is theirs for mine, theirs in zip(apart, given, strict=True)] == [
        k != place for k in range(3)
    ]
    assert apart[place].part is not given[place].part
    unchanged = (Held("x", 1), Held("x", Fraction(1, 2)))
    assert detach(unchanged) is unchanged


@pytest.mark.parametrize("kind", [list, tuple])
@pytest.mark.parametrize("place", [0, 1])
def test_the_list_that_a_list_holds_is_frozen_too(kind: Any, place: int) -> None:
    given = kind([1] if k == place else "x" for k in range(2))
    frozen = freeze(given)
    assert frozen == given
    assert type(frozen) is kind
    assert frozen[place] is not given[place]


@dataclass(frozen=True)
class Priced:
    """With a dictionary of its own."""

    name: str
    price: Any
    more: Any = ()


@dataclass(frozen=True, slots=True)
class Slotted:
    """Without one."""

    name: str
    price: Any
    more: Any = ()


@dataclass(frozen=True)
class SlottedByHand:
    """Without one, as its own code says."""

    __slots__ = ("more", "name", "price")
    name: str
    price: Any
    more: Any


@dataclass(frozen=True)
class Mixed(Slotted):
    """With both."""

    last: Any = None


@pytest.mark.parametrize("kind", [Priced, Slotted, SlottedByHand, Mixed])
def test_a_view_that_is_set_apart_shares_no_fraction(kind: Any) -> None:
    given = kind("a", Fraction(1, 2), (kind("b", Fraction(3, 4), ()), kind("c", 1, ())))
    if kind is Mixed:
        given = Mixed("a", Fraction(1, 2), given.more, Fraction(5))
    apart = set_apart(given)
    assert apart == given
    assert type(apart) is kind
    apart.price._numerator = 7
    apart.more[0].price._numerator = 7
    assert (given.price, given.more[0].price) == (Fraction(1, 2), Fraction(3, 4))
    assert apart.more[1] is given.more[1]
    if kind is Mixed:
        assert apart.last == 5
        assert apart.last is not given.last


# --- participants


@pytest.mark.parametrize("answer", [LEGAL, Choice((1, 2)), Subset(("a", "b"), 1), Anything()])
def test_legal_answers_that_do_not_change_are_shown_as_they_are(answer: Any) -> None:
    seen = []

    @rules
    def once() -> Steps[Any]:
        yield Ask("Ann", "", answer)

    play(once(), {"Ann": lambda ask: seen.append(ask.answer) or (answer.choices() or [0])[0]})
    assert seen[0] is answer


@pytest.mark.parametrize(
    "answer",
    [Quantity(0, "1/2"), Choice((Fraction(1, 3),)), Choice(([1],)), Subset((Fraction(2),))],
)
def test_what_could_be_changed_in_them_is_copied(answer: Any) -> None:
    apart = set_apart(answer)
    assert apart is not answer
    assert str(apart) == str(answer)
    if isinstance(answer, Quantity):
        apart.most._numerator = 99
        assert answer.most == Fraction(1, 2)
    else:
        [mine], [theirs] = answer.options, apart.options
        assert mine is not theirs
        assert apart.read(str(mine)) is not answer.read(str(mine))


# --- many at the same time


@rules
def wide(count: int, chance: bool, attempts: int = 1) -> Steps[Any]:
    """So many are asked at the same time, or drawn."""
    answers = yield {
        f"p{k}": Draw.uniform((0, 1)) if chance else Ask(f"p{k}", k, LEGAL, attempts=attempts)
        for k in range(count)
    }
    return len(answers)


def answered(count: int, how: str) -> Run[Any]:
    """Answer one by one."""
    run: Run[Any] = wide(count, how == "drawn", 2)
    asks, draws = run.asks, run.draws
    if how == "forwards":
        while (ask := run.ask()) is not None:
            run = run.answer(ask, "no")
    elif how == "backwards":
        for ask in reversed(asks):
            run = run.answer(ask.seat, "no")
    elif how == "refused":
        for ask in asks:
            run = run.answer(ask, "maybe").answer(ask.seat, "no")
    elif how == "drawn":
        for draw in draws:
            run = run.answer(draw, 1)
    else:

        async def say(ask: Ask) -> str:
            await asyncio.sleep(0)
            return "no"

        run = asyncio.run(play_async(run, {f"p{k}": say for k in range(count)}))
    return run


HOWS = ["forwards", "backwards", "refused", "drawn", "async"]


@pytest.mark.parametrize("how", HOWS)
def test_each_of_many_answers_takes_as_long_as_each_of_few(how: str) -> None:
    """Eight times as many take eight times as long and not 64 times: a ratio of one run."""

    def seconds(count: int) -> float:
        times = []
        for _ in range(3):
            start = process_time()
            assert answered(count, how).outcome == count
            times.append(process_time() - start)
        return min(times)

    seconds(100)
    assert any(seconds(1600) / seconds(200) < 24 for _ in range(2))


@pytest.mark.parametrize("how", HOWS[:4])
def test_many_answers_are_written_and_read(how: str) -> None:
    run = answered(20, how)
    again = wide.read(dumps(run.to_json()))
    assert again == run
    assert (again.outcome, len(again.log)) == (20, 40 if how == "refused" else 20)


def test_a_stage_among_many_answers_is_gone_on_with_as_it_was() -> None:
    run = wide(6, False, 2)
    stages = [run]
    for k, said in enumerate(("no", "maybe", "no", "no")):
        seat = f"p{(0, 3, 3, 1)[k]}"
        stages.append(stages[-1].answer(seat, said))
    seats = [[ask.seat for ask in stage.asks] for stage in stages]
    assert [len(each) for each in seats] == [6, 5, 5, 4, 3]
    assert [len(stage.asks[2].refused) for stage in stages[1:3]] == [0, 1]
    for stage in stages:
        assert stage.ask() == stage.asks[0]
        end = stage
        for seat in ("p5", "p4", "p2", "p1", "p3", "p0"):
            end = end.answer(seat, "yes") if end.ask(seat) is not None else end
        assert end.outcome == 6
        assert [entry.how for entry in end.log].count(How.CHOSEN) == 6
