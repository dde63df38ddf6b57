"""Texts from outside give no orders: to the terminal, to spreadsheets, to readers of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from documents import UMBRELLA, Document, changed, run
from hostile_texts import PLAIN, TEXTS
from hypothesis import given
from hypothesis import strategies as st
from terminal_orders import CHECKS, COMMANDS, HOSTILE, assert_quiet

from dev import ROOT
from llm_adapters.errors import CallError
from llm_adapters.openai_api._failures import failure
from mechanisms.errors import SellerError
from mechanisms.play._log import RulesError
from mechanisms.play.answers import IllegalAnswerError
from mechanisms.protocols import Message
from mechproof.demos import Transcript
from mechproof.problems.format.reading import DocumentError
from mechproof.sweep import load_sweep
from theory._gambit_text import GambitTextError
from theory.errors import InvalidInputError, MechproofError
from theory.shared.printable import json_text, printable
from theory.verdicts import DiagramNode, LatticeDiagram, LatticeNode, Table, TreeDiagram


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    Path("hostile_checks.py").write_text(CHECKS, encoding="utf-8")
    yield
    sys.modules.pop("hostile_checks", None)


def sweep(check: str, axes: str, *more: str) -> Any:
    text = f'check = "hostile_checks:{check}"\n[axes]\n{axes}\n'
    Path("sweep.toml").write_text(text, encoding="utf-8")
    allowed = ("--allow-package", "hostile_checks")
    arguments = ("sweep", "sweep.toml", "--jobs", "1", "--results", "r.jsonl", *more)
    return run(*arguments, *(allowed if "--allow-package" in run("sweep", "-h").output else ()))


def test_what_a_sweep_prints() -> None:
    result = sweep("says", "x = [0, 1, 2]")
    assert result.exit_code == 1
    assert_quiet(result.stdout_bytes)
    assert_quiet(result.stderr)
    assert r"ValueError: no\x1b[31mred" in result.stdout
    labels = ", ".join(json.dumps(text) for text in COMMANDS)
    Path("r.jsonl").unlink()
    result = sweep("fails", f"label = [{labels}]")
    assert_quiet(result.stdout_bytes)
    assert_quiet(result.stderr)
    found = load_sweep("r.jsonl")
    assert found.column("label") == COMMANDS, "they are kept as they are"
    for shown in (str(found), str(found.table())):
        assert_quiet(shown)


def test_what_a_wrong_sweep_is_told() -> None:
    for text in COMMANDS:
        Path("r.jsonl").unlink(missing_ok=True)
        quoted = json.dumps(text)
        Path("s.toml").write_text(f"check = {quoted}\n[axes]\n{quoted} = 3\n", encoding="utf-8")
        Path("t.toml").write_text(f'check = "a:{quoted[1:]}\n[axes]\nx=[1]\n', encoding="utf-8")
        for file in ("s.toml", "t.toml"):
            result = run("sweep", file)
            assert result.exit_code == 2
            assert "Traceback" not in result.stderr
            assert result.stderr.count("\n") == 1
            assert_quiet(result.stderr)


@pytest.mark.parametrize("text", [*COMMANDS, "a\nError: b"])
def test_wrong_arguments_are_quoted_without_their_orders(text: str) -> None:
    for arguments in (
        (text,),
        (f"--{text}",),
        ("solve", "a.toml", text),
        ("solve", f"--{text}"),
        ("solve", "a.toml", "--seconds", text),
        ("sweep", "a.toml", text),
        ("schema", "game", text),
        ("schema", text),
        ("demo", text),
        ("demo", "softmax-auction", text),
        ("prove", "a:b", text),
    ):
        result = run(*arguments)
        assert result.exit_code == 2, arguments
        assert_quiet(result.stderr)
        assert result.stderr.count("\nError: ") <= 1, arguments
        assert "Traceback" not in result.stderr


def test_what_verify_explain_and_claims_print() -> None:
    ids = ['hostile."><script>alert(1)</script>', "hostile.\x1b[31m\u202eraises"]
    module = ("--module", "hostile_texts")
    results = [
        run("verify", *module, "--paper", "hostile", "--jobs", "1", "--json", "report.json"),
        *(run("explain", *module, name) for name in ids),
        run("claims", *module),
        run("explain", *module, "hostile.\x1b[31m"),
        run("verify", *module, "--paper", "\x1b[31m\u202e"),
    ]
    for result in results:
        assert_quiet(result.stdout_bytes)
        assert_quiet(result.stderr)
        assert "Traceback" not in result.stderr
    assert r"\x1b[31m" in results[0].stdout
    written = Path("report.json").read_text(encoding="utf-8")
    assert_quiet(written)
    assert json.loads(written)["claims"][0]["source"] == " ".join(PLAIN)


def hostile_problem(text: str) -> Document:
    document: Document = json.loads(json.dumps(UMBRELLA).replace('"rain"', json.dumps(text)))
    return changed("goods", 0, "name", to=text + "!", document=document)


@pytest.mark.parametrize("text", [*COMMANDS, "\ud800"])
def test_what_solve_answers_to_labels(text: str) -> None:
    data = json.dumps(hostile_problem(text)).encode()
    one = run("solve", "--format", "json", "-", stdin=data)
    many = run("solve", "--format", "jsonl", "-", stdin=data + b"\n" + data)
    for result in (one, many):
        assert "Traceback" not in result.stderr
        assert_quiet(result.stdout_bytes)
        assert_quiet(result.stderr)
    if one.exit_code == 0:
        assert json.dumps(text)[1:-1] in json.dumps(json.loads(one.stdout))


@pytest.mark.parametrize("text", COMMANDS)
def test_what_a_wrong_problem_is_told(text: str) -> None:
    wrong = [
        changed("states", to={text: "1/2", text + "x": "1/3"}),
        changed("known", to={text: text}),
        changed("goods", 0, "reveals", to=[text]),
        changed("kind", to=text),
        {**UMBRELLA, text: text},
    ]
    for document in wrong:
        data = json.dumps(document).encode()
        for kind in ("json", "jsonl"):
            result = run("solve", "--format", kind, "-", stdin=data)
            assert result.exit_code == 2
            assert "Traceback" not in result.stderr
            assert_quiet(result.stdout_bytes)
            assert_quiet(result.stderr)


@pytest.mark.parametrize(
    "error",
    [
        InvalidInputError("a" + HOSTILE, HOSTILE, "is" + HOSTILE, HOSTILE),
        CallError(HOSTILE, HOSTILE),
        SellerError(HOSTILE, HOSTILE, HOSTILE),
        DocumentError(HOSTILE, path="$." + HOSTILE),
        failure(400, "/completions", {"error": {"message": HOSTILE}}, {}),
        failure(500, "/completions", HOSTILE, {}),
    ],
)
def test_errors_that_quote(error: Exception) -> None:
    assert_quiet(str(error))


def test_transcripts_with_replies_of_models() -> None:
    told: list[str] = []
    text = Transcript(told.append)
    for part in (*COMMANDS, *TEXTS):
        text.heading(part)
        text.say(part)
        text.points([part])
        text.numbered([part])
        text.quote(part, part)
        text.conversation([Message("system", part), Message("user", part)], part)
        text.table(Table(caption=part, columns=(part,), rows=((part,),)))
        text.block(part)
    assert_quiet(str(text))
    assert "\n\n".join(told) == str(text)
    for part in told:
        assert_quiet(part)


def test_tables_and_pictures_for_a_terminal() -> None:
    for part in COMMANDS:
        shown = [
            Table(caption=part, columns=(part, "b"), rows=((part, part), ("x", part))),
            TreeDiagram(
                caption=part,
                nodes=(DiagramNode(-1, "", part), DiagramNode(0, part, part, part, (part,))),
                legend=((part, part),),
            ),
            LatticeDiagram(
                caption=part, nodes=(LatticeNode((part,), part),), legend=((part, part),)
            ),
        ]
        for each in shown:
            assert_quiet(str(each))
            assert_quiet(each._repr_html_())
    shown = str(Table(caption="", columns=("a\nb", "c"), rows=(("\x1b[31mred", "x"),)))
    head, rule, row = shown.split("\n")[1:]
    assert head == r"a\nb" + " " * 9 + "c"
    assert rule == "─" * 11 + "  ─"
    assert row == r"\x1b[31mred  x"


# --- marks that nobody sees

SEEN_FORMATS = (
    *map(chr, range(0x600, 0x606)),
    *"\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd",
)
"""Of category Cf, and drawn: signs around numbers and verses."""


def test_every_mark_that_nobody_sees_is_written_out() -> None:
    every = map(chr, range(sys.maxunicode + 1))
    unseen = {c for c in every if unicodedata.category(c) == "Cf"} - set(SEEN_FORMATS)
    unseen |= set("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180f\u3164\uffa0\ufe00\ufe0e\ufe0f")
    unseen |= set(map(chr, range(0xE0100, 0xE01F0)))
    for mark in unseen:
        for text in (mark, f"a{mark}b", f"ad{mark * 2}min", f" {mark}=", f"1{mark}"):
            assert mark not in printable(text), hex(ord(mark))


READABLE = {
    "Persian": "می\u200cخواهم کتاب\u200cها",
    "Hindi": "क्\u200dष क्\u200cष",
    "Sinhala": "ශ්\u200dරී ලංකා",
    "Malayalam": "ന്\u200dമ",
    "Arabic": "۝ ١٢٣ سلام",
    "Mongolian": "ᠮᠣᠩᠭᠣᠯ",
    "Khmer": "ភាសាខ្មែរ",
    "Korean": "한국어",
    "a family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a heart": "\u2764\ufe0f\u200d\U0001f525 \u2764\ufe0e",
    "a scientist": "\U0001f469\U0001f3fd\u200d\U0001f52c \U0001f3c3\u200d\u2640\ufe0f",
    "a key cap": "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "a flag": "\U0001f1ee\U0001f1f3",
    "signs": "\u203c\ufe0f \u2122\ufe0f \u00a9\ufe0f \u2194\ufe0f",
}


@pytest.mark.parametrize("name", READABLE)
def test_what_is_written_with_joiners_stays(name: str) -> None:
    assert printable(READABLE[name]) == READABLE[name]


@given(
    st.text(
        st.sampled_from("a1\u200c\u200d\ufe0f\ufe0e\u20e3\u2764\U0001f525\u0645\u094d\u180e\u1820")
    )
)
def test_what_is_printable_stays_so(text: str) -> None:
    once = printable(text)
    assert printable(once) == once
    in_json = json_text(json.dumps(text, ensure_ascii=False))
    assert json.loads(in_json) == text
    assert printable(in_json, lines=True) == in_json
    assert (in_json == f'"{text}"') == (once == text)


# --- closed streams


@pytest.mark.parametrize(
    "arguments",
    [
        ("solve", "problem.json"),
        ("claims",),
        ("schema", "information"),
        ("example", "information"),
        ("sweep", "sweep.toml", "--jobs", "1"),
        ("--version",),
        ("model", "show"),
    ],
)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a shell")
def test_nothing_can_be_printed_on_a_closed_standard_output(arguments: tuple[str, ...]) -> None:
    Path("problem.json").write_text(json.dumps(UMBRELLA), encoding="utf-8")
    text = 'check = "mechproof.sweep.examples:auction"\n[axes]\nbidders = [1]\nreserve = [0]\n'
    Path("sweep.toml").write_text(text + "share = [1]\ntop = [1]\n", encoding="utf-8")
    line = '"$0" -m mechproof "$@" >&-'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr == "mechproof: standard output is closed: nothing can be printed\n"


# --- Objects that hold names and texts from outside ----------------------------------------------

_ORDER = "\x1b[31mred\u202e"


def _holders(name: str) -> list[object]:
    from mechanisms.ledger import Ledger
    from theory.correlated import nash_gap
    from theory.decision import DecisionProblem
    from theory.games import from_efg
    from theory.incentives import Lottery
    from theory.marginal_value import MarginalValueGame
    from theory.normal_form import NormalFormGame
    from theory.probability import ProbabilitySpace

    ledger = Ledger({name: 2, "b": 0})
    ledger.transfer(name, "b", 1, memo=name)
    space = ProbabilitySpace.of({name: "1/2", "b": "1/2"})
    tree = f'EFG 2 R "x" {{ "{name}" }} p "" 1 1 "" {{ "m" "{name}" }} 0 t "" 1 "" {{ 1 }} '
    table = NormalFormGame.of([[[1]], [[1]]], players=[name, "b"], actions=[[name], ["x"]])
    return [
        ledger,
        *ledger.statement().entries,
        space.variable("v", str).partition,
        from_efg(f'{tree}t "" 2 "" {{ 2 }}'),
        table,
        *nash_gap(table, [[1], [1]]).players,
        Lottery({name: 1}),
        MarginalValueGame.of([name], {(): [1, 0], (name,): [0, 1]}, {name: 0}),
        DecisionProblem.of(space, {name: [1, 1], "y": [1, 1]}).prior_choice(),
    ]


def test_what_is_printed_of_an_object_gives_no_orders() -> None:
    texts = [str(each) for each in _holders(_ORDER)]
    assert [text for text in texts if "\x1b" in text or "\u202e" in text] == []
    assert sum(r"\x1b" in text for text in texts) >= 8


_LINE = "2. ann pays bob 4 for the house"
_FORGED = f"tea\n{_LINE}\n  {_LINE}"


def _tellers() -> list[object]:
    from llm_adapters.players import Candidates
    from mechanisms.advertising import Advertiser, Instance
    from theory.correlated import equilibrium_gaps
    from theory.games import Game, chance, choice, end, recall
    from theory.incentives import FiniteTypes, MechanismReport, check_mechanism
    from theory.normal_form import NormalFormGame

    first = choice(_FORGED, _FORGED, {_FORGED: end(1), "m": end(2)})
    again = choice(_FORGED, _FORGED, {_FORGED: first, "m": end(3)})
    game = Game.of([_FORGED], chance({_FORGED: (1, again)}), _FORGED)
    table = NormalFormGame.of(
        [[[1], [2]], [[1], [1]]], players=[_FORGED, "b"], actions=[[_FORGED, "y"], ["x"]]
    )
    numbers = np.zeros(2)
    asked = Instance(_FORGED, (Advertiser(_FORGED, _FORGED), Advertiser("b", "b")))
    report = check_mechanism(lambda bids: (0, [1, 0]), types=FiniteTypes([0, 1]), agents=2)
    return [
        game,
        *recall(game),
        *equilibrium_gaps(table, [[1], [0]]).players,
        asked,
        Candidates(asked, (_FORGED, "b"), numbers, numbers, numbers, np.zeros((2, 2))),
        MechanismReport(_FORGED, _FORGED, report.findings),
    ]


def test_no_name_and_no_memo_makes_a_line_of_its_own() -> None:
    for each in (*_holders(_FORGED), *_tellers()):
        lines = str(each).split("\n")
        assert not {_LINE, f"  {_LINE}"} & set(lines), type(each)


def test_no_error_makes_a_line_of_its_own() -> None:
    class Told:
        def __repr__(self) -> str:
            return _FORGED

    errors = [
        MechproofError(_FORGED),
        InvalidInputError(_FORGED, _FORGED, _FORGED, _FORGED),
        InvalidInputError("x", Told(), "is wrong", "give another"),
        CallError(_FORGED, _FORGED),
        SellerError(_FORGED, _FORGED, _FORGED),
        GambitTextError(1, 1, _FORGED, _FORGED, _FORGED),
        DocumentError(_FORGED, path=_FORGED),
        DocumentError(_FORGED, line=1, column=1),
    ]
    assert [each for each in errors if "\n" in str(each)] == []
    array = InvalidInputError("x", np.zeros((2, 1)), "is wrong", "give another")
    assert str(array) == "x is wrong (got array([[0.], [0.]])): give another"


def test_no_error_is_as_long_as_what_it_quotes() -> None:
    first, long, last = "x", "'" + "y" * 1_000_000 + "'", "give another"
    errors = [
        MechproofError(f"{first} is {long}: {last}"),
        InvalidInputError(first, long, f"is {long}", last),
        InvalidInputError(first, 1, "is wrong", f"{long}, {last}"),
        CallError(f"{first} is {long}", last),
        SellerError(first, f"says {long}", last),
        IllegalAnswerError(f"{first} is {long}", last),
        RulesError(first, 1, f"say {long}", last),
        GambitTextError(1, 1, first, f"is {long}", last),
        DocumentError(f"{first} is {long}: {last}", path=f"$.{long}"),
        DocumentError(f"{first} is {long}: {last}", line=1, column=1),
    ]
    for error in errors:
        told = str(error)
        assert len(told) < 4_500
        assert first in told[:40] or told.startswith("$.")
        assert told.endswith(last)
    assert all(len(each.message) == 4_000 for each in errors if isinstance(each, DocumentError))


@pytest.mark.parametrize("blank", [" ", "\t", "\n", "\r", " \n"])
def test_an_error_that_quotes_blanks_is_told_at_once(blank: str) -> None:
    """Looking for line breaks took the square of their number."""
    start = time.process_time()
    told = str(InvalidInputError("text", Shown(f"a{blank * 60_000}b"), "is blank", "say more"))
    assert time.process_time() - start < 1
    assert told.startswith("text is blank (got a")
    assert "\n" not in told


class Shown(str):
    """Text that is shown as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@pytest.mark.parametrize("raised", [SystemExit, GeneratorExit, BaseException, RecursionError])
def test_a_value_that_raises_when_it_is_shown_ends_nothing(raised: type[BaseException]) -> None:
    class Rude:
        def __repr__(self) -> str:
            raise raised

    error = InvalidInputError("x", Rude(), "is rude", "give another")
    assert str(error) == "x is rude (got a Rude that cannot be shown): give another"


def test_an_interrupt_while_a_value_is_shown_is_one() -> None:
    class Slow:
        def __repr__(self) -> str:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        str(InvalidInputError("x", Slow(), "is slow", "give another"))
