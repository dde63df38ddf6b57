"""Relations that reading must keep, whatever the text."""

from __future__ import annotations

import re
import unicodedata
from ast import literal_eval
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sweeps import examples

from llm_adapters.errors import UnreadableError
from llm_adapters.parsing import (
    quote_around,
    read_amount,
    read_choice,
    read_choices,
    read_probabilities,
    read_probability,
    read_tagged,
    read_verdicts,
)

NAMES = ["Option 1", "Option 2", "Option 10", "Bidder 1", "Bidder 10", "C", "C++", "a.b", "axb"]
NAMES += ["New York", "New", "Acme & Co", "x|y", "(z)", "Buy guide", "the best", "Ünïcode", "眠る"]

CHANGING = ["not", "never", "no", "or", "except", "unless", "isn't", "instead of", "?", "~~", ">"]
"""What may turn an answer into another one; none of it is ever read over."""

options = st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True)
around = st.sampled_from(["{}", "**{}**", "*{}*", "__{}__", "`{}`", '"{}"', "“{}”"])
boxed = st.sampled_from(["{}", "```\n{}\n```", "---\n{}\n---", "\r\n{}\r\n"])
led = st.sampled_from(
    ["", "Answer: ", "My final answer is ", "I would choose ", "- ", "\n\n", "# "]
)
ended = st.sampled_from(["", ".", "!", "\n", "  ", "\r\n\r\n"])
cased = st.sampled_from([str, str.upper, str.lower, str.title, str.swapcase])
wide = st.sampled_from([" ", "  ", "\t", "\u00a0", "\u3000"])


def read_or_none(read: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return read(*arguments)
    except UnreadableError as error:
        problem = str(error)
    assert len(problem) < 700
    return None


frames = st.builds(lambda a, b, c, d: d.replace("{}", b + a + c), around, led, ended, boxed)


@given(st.data(), options, frames, cased, wide)
@settings(max_examples=examples(50))
def test_a_decorated_option_is_that_option(
    data: st.DataObject,
    options: list[str],
    frame: str,
    cased: Callable[[str], str],
    wide: str,
) -> None:
    option = data.draw(st.sampled_from(options))
    text = frame.format(cased(option).replace(" ", wide))
    assert read_choice(text, options) == option
    assert read_choices(text, options) == (option,)


@given(st.data(), options, around, led)
@settings(max_examples=examples(40))
def test_an_option_beside_what_changes_it_is_refused(
    data: st.DataObject, options: list[str], around: str, led: str
) -> None:
    option = data.draw(st.sampled_from(options))
    words = (led + around.format(option)).split(" ")
    at = data.draw(st.integers(0, len(words)))
    words.insert(at, data.draw(st.sampled_from(CHANGING)))
    text = " ".join(words)
    assume(text not in options)
    assert read_or_none(read_choice, text, options) is None
    assert read_or_none(read_choices, text, options) is None


@given(st.data(), options)
@settings(max_examples=examples(40))
def test_a_second_option_is_never_read_over(data: st.DataObject, options: list[str]) -> None:
    one, other = data.draw(st.sampled_from(options)), data.draw(st.sampled_from(NAMES))
    between = data.draw(st.sampled_from([", ", " and ", " or ", "\n", " ", ". ", " is ", ": "]))
    text = one + between + other
    found = read_or_none(read_choice, text, options)
    assert found in {None, text, " ".join(text.split())} or one == other
    several = read_or_none(read_choices, text, options)
    assert several is None or set(several) in ({one, other}, {" ".join(text.split())})


verdict = st.sampled_from(["buy", "pass"])
between = st.sampled_from([": ", " - ", " – ", " = ", ":\n", "\n", " -> ", ":** "])
lines = st.sampled_from(["\n", "\n\n", "\r\n", ".\n", ", ", "; ", "\n- ", "\n* "])


@given(st.data(), options, between, lines)
@settings(max_examples=examples(50))
def test_verdicts_survive_decoration_permutation_and_renaming(
    data: st.DataObject, options: list[str], between: str, lines: str
) -> None:
    said = {option: data.draw(verdict) for option in options}
    order = data.draw(st.permutations(options))
    opening = "**" if between == ":** " else ""
    text = lines.join(f"{opening}{name}{between}{said[name].title()}" for name in order)
    found = read_verdicts(text, options)
    assert found == said
    assert list(found) == options
    assert read_verdicts(text, order) == said
    swapped = {"buy": "pass", "pass": "buy"}
    flipped = lines.join(f"{opening}{name}{between}{swapped[said[name]]}" for name in order)
    assert read_verdicts(flipped, options) == {name: swapped[it] for name, it in said.items()}
    renamed = {name: f"Paper {number + 7}" for number, name in enumerate(options)}
    other = lines.join(f"{opening}{renamed[name]}{between}{said[name]}" for name in order)
    assert read_verdicts(other, list(renamed.values())) == {renamed[n]: v for n, v in said.items()}


@given(st.data(), st.integers(2, 6))
@settings(max_examples=examples(40))
def test_a_skipped_verdict_never_shifts_the_others(data: st.DataObject, count: int) -> None:
    options = [f"Option {number}" for number in range(1, count + 1)]
    said = [data.draw(verdict) for _ in options]
    rows = [f"{name}: {it}" for name, it in zip(options, said, strict=True)]
    gone = data.draw(st.integers(0, count - 1))
    left = data.draw(st.sampled_from(["", options[gone], options[gone] + ":", said[gone], "?"]))
    text = "\n".join([*rows[:gone], left, *rows[gone + 1 :]])
    assert read_or_none(read_verdicts, text, options) is None
    bare = "\n".join(said[:gone] + said[gone + 1 :])
    assert read_or_none(read_verdicts, bare, options) is None
    fewer = options[:gone] + options[gone + 1 :]
    rest = {name: it for name, it in zip(options, said, strict=True) if name in fewer}
    assert read_verdicts("\n".join(rows[:gone] + rows[gone + 1 :]), fewer) == rest


amounts = st.builds(
    lambda whole, cents: Fraction(whole) + Fraction(cents, 100),
    st.one_of(st.integers(0, 99), st.integers(0, 10**9)),
    st.integers(0, 99),
)


styles = st.sampled_from(
    ["{:.2f}", "{:,.2f}", "${:,.2f}", "$ {:.2f}", "{:.2f} dollars", "{:.2f}€", "USD {:,.2f}"]
)
spoken = st.sampled_from(["", "Bid: ", "I would bid ", "My price is ", "\n", "Answer = "])
priced = st.builds(lambda a, b, c, d: d.replace("{}", b + a + c), around, spoken, ended, boxed)


@given(amounts, styles, priced, st.booleans())
@settings(max_examples=examples(50))
def test_a_decorated_amount_is_that_amount(
    amount: Fraction, style: str, frame: str, full: bool
) -> None:
    digits = style.format(Wide(amount))
    if full:
        digits = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in digits)
    assert read_amount(frame.format(digits)) == amount


class Wide(Fraction):
    """A fraction of cents that is written without passing through a float."""

    def __format__(self, how: str) -> str:
        whole, cents = divmod(int(self * 100), 100)
        return f"{whole:,}.{cents:02d}" if "," in how else f"{whole}.{cents:02d}"


@given(st.data(), amounts, st.sampled_from([*CHANGING, "about", "-", "to", "/", "5", "0", "x"]))
@settings(max_examples=examples(50))
def test_an_amount_beside_what_changes_it_is_refused(
    data: st.DataObject, amount: Fraction, change: str
) -> None:
    words = ["I", "would", "bid", f"{Wide(amount):,.2f}"]
    words.insert(data.draw(st.integers(0, 4)), change)
    assert read_or_none(read_amount, " ".join(words)) is None


PIECES = ["0", "1", "5", "10", "500", "1e3", ".", ",", "-", "−", "+", "%", "/", "$", "€", " ", "\n"]
PIECES += [
    "bid",
    "I",
    "not",
    "*",
    "**",
    '"',
    "'",
    "(",
    ")",
    "[",
    "]",
    ":",
    "=",
    "!",
    "½",
    "٣",
    "５",
]
PIECES += ["²", "\u200b", "\u00a0", "…", "e", "k", "option", "Option 1", "Option 10", "buy", "pass"]
PIECES += [
    "and",
    "or",
    "none",
    "#",
    "-",
    "1.",
    "2)",
    "```",
    "is",
    "dollars",
    "percent",
    "\ud800",
    ">",
]
soup = st.one_of(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.text(max_size=40))


@given(soup)
@settings(max_examples=examples(120))
def test_an_amount_that_is_read_stands_in_the_text_alone(text: str) -> None:
    """A plain oracle: all digits of the text, of any script, are those of the one number."""
    value = read_or_none(lambda: read_amount(text, least=-(10**30), most=10**30))
    if value is None:
        return
    narrow = "".join(chr(ord(c) - 0xFEE0) if "！" <= c <= "～" else c for c in text)
    digits = [c for c in narrow if unicodedata.category(c).startswith("N")]
    assert all(c.isascii() for c in digits)
    written = re.findall(r"[0-9.,]*[0-9](?:[eE][+-]?[0-9]+)?", narrow)
    assert len(written) == 1
    assert sum(c.isdigit() for c in written[0]) == len(digits)
    assert abs(value) == Fraction(written[0].replace(",", ""))
    signs = sum(narrow.replace(written[0], "").count(c) for c in "-−")
    assert (value < 0) <= (signs > 0)
    if "," in written[0]:
        groups = written[0].split(".")[0].split(",")
        assert all(len(group) == 3 for group in groups[1:])
    assert not re.search(r"not|or\b|%|/|[½٣²…>]|k", narrow.replace("dollar", ""))


@given(soup)
@settings(max_examples=examples(40))
def test_a_probability_that_is_read_stands_in_the_text_alone(text: str) -> None:
    value = read_or_none(read_probability, text)
    if value is None:
        return
    assert 0 <= value <= 1
    narrow = "".join(chr(ord(c) - 0xFEE0) if "！" <= c <= "～" else c for c in text)
    written = re.findall(r"[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?(?:/[0-9]+)?", narrow)
    assert len(written) == 1
    share = "%" in narrow or "percent" in narrow
    assert value == Fraction(written[0]) / (100 if share else 1)


@given(soup)
@settings(max_examples=examples(120))
def test_an_option_that_is_read_stands_in_the_text_alone(text: str) -> None:
    options = ["Option 1", "Option 10", "buy", "pass", "5"]
    folded = " ".join(text.translate({ord("５"): "5"}).casefold().split())
    for option in read_or_none(read_choices, text, options) or ():
        assert option.casefold() in folded
    option = read_or_none(read_choice, text, options)
    if option is not None:
        beside = folded.replace(option.casefold(), " ")
        assert option.casefold() in folded
        assert not any(other.casefold() in beside for other in options if other != option)
        assert not re.search(r"not|\bor\b|none|[0-9½٣²…>%?/]", beside)


@given(soup)
@settings(max_examples=examples(50))
def test_texts_without_lines_for_all_have_no_verdicts_and_no_law(text: str) -> None:
    options = ["Option 1", "Option 10"]
    verdicts = read_or_none(read_verdicts, text, options)
    law = read_or_none(read_probabilities, text, options)
    for found in (verdicts, law):
        if found is not None and "[" not in text:
            assert all(option.casefold() in text.casefold() for option in options)
    if law is not None:
        assert sum(law.values()) == 1


@given(st.integers(1, 12), st.data())
@settings(max_examples=examples(40))
def test_laws_survive_decoration_and_permutation(size: int, data: st.DataObject) -> None:
    options = [f"State {number}" for number in range(size)]
    weights = data.draw(st.lists(st.integers(0, 50), min_size=size, max_size=size))
    assume(sum(weights) > 0)
    law = {
        name: Fraction(weight, sum(weights)) for name, weight in zip(options, weights, strict=True)
    }
    assume(all(p in (0, 1) or p.numerator + p.denominator != 100 for p in law.values()))
    order = data.draw(st.permutations(options))
    assert read_probabilities("\n".join(f"- **{n}:** {law[n]}" for n in order), options) == law
    assert read_probabilities(f"[{', '.join(str(law[n]) for n in options)}]", options) == law
    backwards = f"[{', '.join(str(law[n]) for n in order)}]"
    assert read_probabilities(backwards, order) == law


@given(st.text(max_size=30), st.text(max_size=30), st.text(max_size=30))
@settings(max_examples=examples(40))
def test_what_was_tagged_is_read_as_it_is(before: str, inside: str, after: str) -> None:
    text = f"{before}<answer>{inside}</answer>{after}"
    assume("answer" not in (before + inside + after).casefold())
    if inside.strip():
        assert read_tagged(text, "answer") == inside.strip()
        assert read_or_none(read_tagged, text + text + "<answer>", "answer") is None
        other = read_or_none(read_tagged, text + f"<answer>{inside}x</answer>", "answer")
        assert other is None
    else:
        assert read_or_none(read_tagged, text, "answer") is None


@given(st.text(), st.integers(0, 300))
@settings(max_examples=examples(40))
def test_quotes_are_short_and_have_the_place(text: str, at: int) -> None:
    at = min(at, len(text))
    shown = quote_around(text, at)
    inside = literal_eval(shown)
    assert len(inside) <= 122
    assert text[at : at + 20] in inside
    if len(text) <= 120:
        assert shown == repr(text)
