"""The text of a demo: what is shortened, and what is shown once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mechanisms.protocols import Message
from mechproof.demos import Transcript
from mechproof.demos._transcript import WIDTH, clip_text
from theory.verdicts import Table

TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), max_size=300)


def test_a_transcript_tells_each_part_as_it_comes_and_keeps_all() -> None:
    told: list[str] = []
    text = Transcript(told.append)
    text.heading("Buses", 1)
    text.say("One  two\nthree.")
    text.numbered(["first", "second"])
    text.table(Table(caption="Numbers", columns=("a", "b"), rows=(("1", "22"),)))
    assert str(text) == "\n\n".join(told)
    assert told[:3] == ["# Buses", "One two three.", "1. first\n2. second"]
    assert told[3] == "```\nNumbers\na  b\n─  ──\n1  22\n```"


def test_rules_are_shown_once() -> None:
    text = Transcript()
    for _ in range(2):
        text.conversation([Message("system", "Be brief."), Message("user", "Tea?")], "Yes.")
    assert str(text).count("Be brief.") == 1
    assert "> **system:** (as before)" in str(text)
    assert str(text).count("> **answer:** Yes.") == 2


def test_long_prompts_lose_their_middle_and_keep_both_ends() -> None:
    text = Transcript()
    lines = [f"line {k}" for k in range(40)]
    text.conversation([Message("user", "\n".join(lines))], "", lines=10)
    shown = str(text)
    assert "> **user:** line 0" in shown
    assert "> line 39" in shown
    assert "> line 20" not in shown
    assert "> … (30 lines) …" in shown
    assert "> **answer:** (nothing)" in shown


@given(TEXTS, st.integers(4, 80))
def test_what_is_clipped_is_short_and_begins_as_the_text_does(said: str, width: int) -> None:
    short, whole = clip_text(said, width), " ".join(said.split())
    assert len(short) <= width
    if len(whole) <= width:
        assert short == whole
    else:
        assert short.endswith("…")
        assert whole.startswith(short[:-1].rstrip())


@given(st.lists(st.text("ab c\n", max_size=200), max_size=4), st.text("ab c", max_size=200))
def test_every_line_of_a_conversation_is_quoted(contents: list[str], answer: str) -> None:
    text = Transcript()
    text.conversation([Message("user", each) for each in contents], answer)
    for line in str(text).splitlines():
        assert line.startswith(">")
        assert len(line) <= WIDTH or " " not in line[2:].strip()
