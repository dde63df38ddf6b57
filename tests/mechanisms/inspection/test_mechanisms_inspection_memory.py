"""What was not bought is out of the buyer's reach, though buyers here try to keep it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self
from weakref import ref

import pytest
from shoppers import Shopper, Stall, buys, names, run, shop

from mechanisms.errors import BuyerError, RevokedError
from mechanisms.inspection import TableSeller
from mechanisms.protocols import Offer, Preview, Purchase, Question, Viewing
from papers.bazaar.checks.bazaar_buyers import HoardingBuyer, texts_within

BOUGHT = "the secret of a"
NOT_BOUGHT = "the secret of b"


@dataclass
class Keeper:
    """Buys a, reads everything, and keeps what ``keep`` puts into its memory."""

    keep: Any
    name: str = "ann"
    memory: list[Any] = field(default_factory=list)

    def choose(self, viewing: Viewing) -> Any:
        contents = [offer.read() for level in viewing.offers for offer in level]
        assert NOT_BOUGHT in contents
        return self.keep(self, viewing, contents) or ["a"]

    def decide(self, question: str, bought: tuple[Purchase, ...]) -> object:
        self.memory.append(bought)
        return question


def known_after(buyer: Any, budget: int = 10) -> str:
    """All text that a buyer can reach after a run, and from what the run returns or raises."""
    try:
        outcome: object = run(buyer, shop("ab"), budget=budget)
    except BuyerError as error:
        outcome = [error, error.__cause__, error.__context__, error.record, str(error)]
    return "\n".join(texts_within(buyer, outcome))


def on_itself(buyer: Any, viewing: Viewing, contents: Any) -> None:
    buyer.memory.append(contents)


def on_a_new_attribute(buyer: Any, viewing: Viewing, contents: Any) -> None:
    buyer.elsewhere = {"deep": [{"down": contents}]}


def in_a_key(buyer: Any, viewing: Viewing, contents: Any) -> None:
    buyer.memory.append(dict.fromkeys(contents))


def in_the_name_of_an_attribute(buyer: Any, viewing: Viewing, contents: Any) -> None:
    setattr(buyer, NOT_BOUGHT, True)


def in_its_rule(buyer: Any, viewing: Viewing, contents: Any) -> None:
    buyer.keep = lambda *_: contents


def in_the_question(buyer: Any, viewing: Viewing, contents: Any) -> None:
    object.__setattr__(viewing.question, "text", str(contents))
    object.__setattr__(viewing.question, "on_offer", contents)


def in_the_viewing(buyer: Any, viewing: Viewing, contents: Any) -> None:
    object.__setattr__(viewing, "budget", contents)
    object.__setattr__(viewing.choice[0], "name", NOT_BOUGHT)


def in_a_handle(buyer: Any, viewing: Viewing, contents: Any) -> None:
    buyer.memory += viewing.choice


class Whisper(str):
    """A name that carries more, and that is equal to any other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("a")


def in_a_name(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    name = Whisper("a")
    vars(name)["heard"] = contents
    return [name]


def in_the_list_of_names(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    class Names(list[str]):
        heard = contents

    return Names(["a"])


def in_a_generator(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    def answers() -> Any:
        yield "a"
        buyer.memory.append(contents)

    return answers()


WAYS = [
    on_itself,
    on_a_new_attribute,
    in_a_key,
    in_the_name_of_an_attribute,
    in_its_rule,
    in_the_question,
    in_the_viewing,
    in_a_handle,
    in_a_name,
    in_the_list_of_names,
    in_a_generator,
]


@pytest.mark.parametrize("keep", WAYS)
def test_what_was_not_bought_is_not_kept(keep: Any) -> None:
    known = known_after(Keeper(keep))
    assert BOUGHT in known
    assert NOT_BOUGHT not in known


def name_not_on_offer(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    return contents


def message(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    raise ValueError(*contents)


def name_of_a_class(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    raise type(str(contents), (LookupError,), {"heard": contents})


def cause(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    raise ValueError from KeyError(contents)


def end_of_the_program(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    raise SystemExit(contents)


def late_exception(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    yield "a"
    raise ValueError(contents)


def note(buyer: Any, viewing: Viewing, contents: Any) -> Any:
    error = ValueError()
    error.add_note(str(contents))
    raise error


@pytest.mark.parametrize(
    ("tell", "kind"),
    [
        (name_not_on_offer, "names what is not on offer"),
        (message, "raised ValueError ("),
        (name_of_a_class, "raised LookupError ("),
        (cause, "raised ValueError ("),
        (end_of_the_program, "raised SystemExit ("),
        (late_exception, "raised ValueError ("),
        (note, "raised ValueError ("),
    ],
)
def test_an_error_does_not_tell_what_was_not_bought(tell: Any, kind: str) -> None:
    known = known_after(Keeper(tell))
    assert f"ann {kind}" in known
    assert NOT_BOUGHT not in known


def test_purchases_of_deeper_levels_carry_nothing_up() -> None:
    """Contents can be changed by who reads them; each reader has a copy of its own."""
    told: list[Any] = []

    @dataclass
    class Smuggler(Shopper):
        def choose(self, viewing: Viewing) -> list[str]:
            for level in viewing.offers:
                for offer in level:
                    page: Any = offer.read()
                    page += [other.read() for other in viewing.choice if other is not offer]
            for good in viewing.bought:
                bought: Any = good.content
                told.append(list(bought))
                bought += [offer.read() for offer in viewing.choice]
                object.__setattr__(good, "content", "all of it")
            return [viewing.choice[0].name]

    seller = TableSeller("eve", [[Offer(x, [x], 1) for x in level] for level in ("ab", "cd")])
    smuggler = Smuggler(ending=lambda _, bought: [good.content for good in bought])
    assert run(smuggler, seller).decision == [["c"], ["a"]]
    assert told == [["c"]]


def test_a_seller_cannot_change_what_was_offered() -> None:
    page = ["as offered"]

    def rule(question: Question) -> list[Offer]:
        if question.level == 2:
            page.append("changed")
        return [Offer(f"x{question.level}", page, 1)]

    record = run(Shopper(buys("x1"), ending=lambda _, bought: bought[0].content), Stall(rule))
    assert record.decision == ["as offered"]


# --- handles


def test_a_handle_reads_during_the_choice_and_never_again() -> None:
    handles: list[Preview] = []  # shared by all copies, as a module's global would be

    def rule(viewing: Viewing) -> list[str]:
        handles.extend(viewing.choice)
        return ["a"] if handles[1].read() == NOT_BOUGHT else []

    assert run(Shopper(rule), shop("ab")).purchases == (("a",),)
    assert names(handles) == ["a", "b"]
    for handle in handles:
        with pytest.raises(RevokedError, match=f"'{handle.name}' may be read only while"):
            handle.read()


def test_a_handle_is_revoked_when_the_buyer_raises() -> None:
    handles: list[Preview] = []
    with pytest.raises(BuyerError):
        run(Shopper(lambda v: handles.extend(v.choice) or 1 / 0), shop("ab"))
    with pytest.raises(RevokedError):
        handles[0].read()


# --- copies


def test_every_choice_is_made_by_another_copy() -> None:
    asked: list[Any] = []
    buyer = Keeper(lambda self, v, _: asked.append(self) or names(v.choice)[:1])
    run(buyer, shop("ab", "cd", "ef"), depth=3)
    assert len({id(each) for each in [buyer, *asked]}) == 4
    assert all(each.memory == [] for each in asked)
    assert len(buyer.memory) == 1


class ItsOwnCopy(Keeper):
    def __deepcopy__(self, memo: object) -> Self:
        return self


class NoCopy(Keeper):
    def __deepcopy__(self, memo: object) -> Self:
        raise TypeError("holds a connection")


def test_a_buyer_that_is_its_own_copy_is_refused() -> None:
    with pytest.raises(BuyerError, match="ann is its own copy, which could keep what it reads"):
        run(ItsOwnCopy(on_itself), shop("ab"))


def test_a_buyer_that_cannot_be_copied_is_told_what_to_do() -> None:
    with pytest.raises(
        BuyerError, match=r"raised TypeError.* when it was copied: define __deepcopy__"
    ):
        run(NoCopy(on_itself), shop("ab"))


# --- that the tests can fail


@pytest.mark.parametrize("keep", WAYS[:5])
def test_a_buyer_that_is_not_copied_does_keep_it(
    keep: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mechanisms.inspection._run._copy_buyer", lambda buyer, name: buyer)
    assert NOT_BOUGHT in known_after(Keeper(keep))


def test_a_handle_that_is_not_revoked_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    handles: list[Preview] = []
    monkeypatch.setattr("mechanisms.inspection._run.ReadingSession.close", lambda self: None)
    run(Shopper(lambda v: handles.extend(v.choice) or ()), shop("ab"))
    assert handles[1].read() == NOT_BOUGHT


def test_what_copies_share_no_mechanism_can_close() -> None:
    """As the docstring says: a module's global, an attribute of the class, a closure."""
    shared: list[Any] = []
    run(Keeper(lambda self, v, contents: shared.extend(contents)), shop("ab"), depth=1)
    assert NOT_BOUGHT in shared


def in_a_function_that_is_bought(buyer: Any, viewing: Viewing, contents: Any) -> None:
    contents[0].heard = contents[1]


def through_a_weak_reference(buyer: Any, viewing: Viewing, contents: Any) -> None:
    contents[0]().memory.append(contents[1])


def test_functions_and_weak_references_are_shared_too() -> None:
    """As the docstring says: they are not copied."""
    function = Keeper(in_a_function_that_is_bought)
    reference = Keeper(through_a_weak_reference)
    for keeper, content in ((function, lambda: None), (reference, ref(reference))):
        stall = TableSeller("eve", [[Offer("a", content, 1), Offer("b", NOT_BOUGHT, 1)]])
        run(keeper, stall)
    assert function.memory[0][0].content.heard == NOT_BOUGHT
    assert reference.memory[0] == NOT_BOUGHT


@pytest.mark.parametrize("raises", [False, True])
def test_the_hoarders_of_the_claim_keep_nothing(raises: bool) -> None:
    known = known_after(HoardingBuyer(raises, "ann"), budget=1)
    assert (BOUGHT in known) == (not raises)
    assert NOT_BOUGHT not in known


def test_the_search_of_a_memory_looks_everywhere() -> None:
    def closure() -> Any:
        return lambda *_: hidden

    hidden = "in a closure"
    error = ValueError("in an exception")
    error.__cause__ = KeyError("in its cause")
    keeper: Any = Keeper(closure(), memory=[{"in a key": [{("in a tuple",)}]}])
    keeper.new = Offer("in a field", iter(["in an iterator"]), 0)
    found = texts_within(keeper, error)
    assert {
        "in a closure",
        "in an exception",
        "in its cause",
        "in a key",
        "in a tuple",
        "in a field",
        "in an iterator",
        "new",
    } <= found
    assert not texts_within([1, Offer, pytest])
