"""Small runs of the experiments of bazaar, and a buyer that heeds places alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mechanisms.market import fixed_corpus
from mechanisms.play import Ask
from mechproof.experiments import bazaar

Row = dict[str, Any]
CORPUS = fixed_corpus()


def small(name: str, out: Path, **changed: Any) -> bazaar.BazaarReport:
    return bazaar.run(name, out, **{"questions": 4, "draw": False, **changed})


class Leaning:
    """Buys what stands first, whatever it is; answers nothing of use."""

    def __init__(self, name: str = "leaning", fails: str = "", place: int = 0) -> None:
        self.name, self.fails, self.place = name, fails, place

    def __call__(self, ask: Ask) -> object:
        if ask.role == "shortlist":
            return [each.name for each in ask.view.offers[0][:3]]
        if ask.role == "choose":
            if self.fails and self.fails in ask.view.question.text:
                raise RuntimeError("no connection")
            offers = ask.view.offers[0]
            return [each.name for each in offers[self.place : self.place + 1] if each.price <= 20]
        return "" if ask.role == "ask on" else "nothing of use"
