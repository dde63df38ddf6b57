"""The questions and advertisers that come along, and what models are asked."""

from __future__ import annotations

from collections import Counter
from inspect import unwrap
from typing import Any

import pytest

from mechanisms.advertising import (
    Advertiser,
    Instance,
    advertising_prompt,
    context_prompt,
    instances,
)
from mechanisms.language_models import advice, question_of
from mechanisms.language_models.topics import Brands, Topics
from theory.errors import InvalidInputError

FIRMS = (Advertiser("Darnly", "wool in tins"), Advertiser("Heelix", "thick socks"))
ASKED = "How do I mend a sock?"


def test_fifty_questions_with_two_firms_each() -> None:
    found = instances()
    assert len(found) == len({one.query for one in found}) == 50
    assert all(len(one.advertisers) == 2 for one in found)
    assert set(Counter(one.topic for one in found).values()) == {5}
    assert {one.topic for one in found} == set(advice())
    assert instances() is found


def test_names_are_told_apart_and_from_all_other_words() -> None:
    firms = [firm for one in instances() for firm in one.advertisers]
    names = [firm.name for firm in firms]
    assert len(set(names)) == 100
    assert all(name.isascii() and name.isalpha() and name.istitle() for name in names)
    texts = [one.query for one in instances()] + [firm.description for firm in firms]
    texts += [line for lines in advice().values() for line in lines]
    everything = "\n".join(texts).casefold()
    for name in names:
        assert name.casefold() not in everything
        assert sum(name.casefold() in other.casefold() for other in names) == 1


def test_texts_are_written_as_they_are_used() -> None:
    for one in instances():
        assert one.query.endswith("?")
        for firm in one.advertisers:
            assert not firm.description.endswith(".")
            assert firm.description == " ".join(firm.description.split())
            assert firm.description[0].islower()


def test_models_understand_every_question_and_prompt() -> None:
    topics = Topics(advice())
    for one in instances():
        first, second = one.advertisers
        brands = Brands({firm.name: firm.description for firm in one.advertisers})
        named = {
            one.query: (),
            advertising_prompt(one.query, first): (first.name,),
            advertising_prompt(one.query, second): (second.name,),
            context_prompt(one.query, one.advertisers): (first.name, second.name),
        }
        for prompt, names in named.items():
            assert question_of(prompt) == one.query
            assert topics.about(question_of(prompt)) == one.topic
            assert brands.named_in(prompt) == names


def test_prompts_say_all_there_is_to_say() -> None:
    for number in range(4):
        firms = FIRMS[:number] if number < 3 else (*FIRMS, Advertiser("Thimbla", "thimbles"))
        prompt = context_prompt(ASKED, firms)
        assert prompt.startswith(ASKED)
        assert all(f"{one.name}, which offers {one.description}" in prompt for one in firms)
        assert prompt.count("which offers") == len(firms)
    assert context_prompt(ASKED, []) == ASKED
    assert advertising_prompt(ASKED, FIRMS[0]) != context_prompt(ASKED, FIRMS[:1])


def test_an_instance_without_one_of_its_firms() -> None:
    instance = Instance(ASKED, FIRMS, "clothes")
    assert instance.without(0) == Instance(ASKED, FIRMS[1:], "clothes")
    assert instance.without(1).advertisers == FIRMS[:1]
    for number in (-1, 2, True, "0", None):
        with pytest.raises(InvalidInputError, match="number"):
            unwrap(Instance.without)(instance, number)
    assert str(instance).splitlines() == [ASKED, "  Darnly: wool in tins", "  Heelix: thick socks"]


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (Advertiser, ("", "x")),
        (Advertiser, ("x", " ")),
        (Advertiser, (None, "x")),
        (Advertiser, ("x", 3)),
        (Instance, ("", FIRMS)),
        (Instance, (None, FIRMS)),
        (Instance, (ASKED, ())),
        (Instance, (ASKED, list(FIRMS))),
        (Instance, (ASKED, ("Darnly",))),
        (Instance, (ASKED, (FIRMS[0], FIRMS[0]))),
        (Instance, (ASKED, FIRMS, None)),
    ],
)
def test_refusals(kind: Any, given: tuple[Any, ...]) -> None:
    self = object.__new__(kind)
    with pytest.raises(InvalidInputError):
        unwrap(kind.__init__)(self, *given)


@pytest.mark.parametrize(
    ("function", "given"),
    [
        (advertising_prompt, ("", FIRMS[0])),
        (advertising_prompt, (None, FIRMS[0])),
        (advertising_prompt, (ASKED, "Darnly")),
        (advertising_prompt, (ASKED, FIRMS)),
        (context_prompt, (" ", FIRMS)),
        (context_prompt, (ASKED, None)),
        (context_prompt, (ASKED, "Darnly")),
        (context_prompt, (ASKED, ["Darnly"])),
        (context_prompt, (ASKED, FIRMS[0])),
    ],
)
def test_prompts_refuse(function: Any, given: tuple[Any, ...]) -> None:
    with pytest.raises(InvalidInputError):
        unwrap(function)(*given)
