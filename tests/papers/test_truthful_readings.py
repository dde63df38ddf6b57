"""Where a refutation of *Truthful Aggregation of LLMs* is read, its reading comes first.

The paper calls the Z_i of eq. (11) a prompt-dependent constant, and of some constant the equation
is right. Its section 6.1 says how candidates are sampled, not what the weights take the probability
of a candidate to be. Both refutations are of readings that the paper does not state.
"""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from dev import ROOT
from mechproof.cli import main
from mechproof.registry import load

DOCS = ROOT / "docs"
UNSTATED = "a reading that the paper does not state"
READ_AS = {
    "truthful.eq-11": ("partition function", "depends on the prompt"),
    "truthful.sampler": ("the model's own probabilit",),
}
PASSAGES = {"truthful.eq-11": "**Equation (11)** ", "truthful.sampler": "**What was sampled "}


def first_sentence(text: str) -> str:
    """All up to the first full stop before a capital letter, a heading in bold left out."""
    flat = re.sub(r"^\*\*[^*]*\.\*\* ", "", " ".join(text.split()))
    return re.split(r"\. (?=[A-Z])", flat, maxsplit=1)[0]


def passage(page: str, start: str) -> str:
    """The paragraph of a page that starts so."""
    paragraphs = (DOCS / page).read_text("utf-8").split("\n\n")
    (found,) = [paragraph for paragraph in paragraphs if paragraph.startswith(start)]
    return found


def says_so(name: str, text: str) -> None:
    for words in (UNSTATED, *READ_AS[name]):
        assert words in text, (name, words, text)


@pytest.mark.parametrize("name", READ_AS)
def test_the_claim_says_so_first(name: str) -> None:
    claim = load().claim(name)
    says_so(name, first_sentence(claim.reading))
    assert UNSTATED in first_sentence(claim.statement)
    assert READ_AS[name][0] in first_sentence(claim.statement)


@pytest.mark.parametrize("name", READ_AS)
def test_the_page_says_so_first(name: str) -> None:
    says_so(name, first_sentence(passage("truthful.md", PASSAGES[name])))
    (row,) = re.findall(rf"^\| `{name}` \|.*$", (DOCS / "truthful.md").read_text("utf-8"), re.M)
    assert UNSTATED in row


@pytest.mark.parametrize("name", READ_AS)
def test_the_proof_says_so_first(name: str) -> None:
    """In the paragraph after the heading."""
    anchor = f'<a id="{name.replace(".", "-")}"></a>'
    text = (DOCS / "proofs.md").read_text("utf-8").split(anchor)[1]
    says_so(name, first_sentence(text.split("\n\n")[1]))


@pytest.mark.parametrize("name", READ_AS)
def test_the_refutation_says_so_before_its_counterexample(name: str) -> None:
    shown = CliRunner().invoke(main, ("verify", "--claim", name, "--jobs", "1")).output
    before = " ".join(shown.split("Counterexample")[0].split())
    assert f"{name} is refuted" in before
    assert UNSTATED in before


def test_a_later_sentence_would_not_do() -> None:
    assert UNSTATED not in first_sentence(f"It is wrong. This is {UNSTATED}.")
    assert UNSTATED in first_sentence(f"**Eq. (11).** This is {UNSTATED}. It is wrong.")
