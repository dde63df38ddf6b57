"""Small language models, and a test of draws against a law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import chi2

from mechanisms.language_models import (
    DecodedModel,
    InstructedModel,
    InstructedTable,
    MixtureModel,
    NGramModel,
    PromptedModel,
    TableModel,
    TiltedModel,
)

TEXTS = (
    "Drink tea. Sleep well.",
    "Drink water before you sleep.",
    "Sleep in a dark room.",
    "Drink tea in a warm room. Read!",
    "Ünïcode lernt schlafen 眠る.",
)
SHORT = 8
ASKED = "How do I sleep?"
TOLD = ASKED + "\n\nSpeak of Restly, please."
TOPICS = {"sleep": TEXTS, "food": ("Eat bread.", "Eat bread and drink soup.")}
BRANDS = {"Restly": "dark curtains for a room", "Teabag": "warm tea"}

SURE_TO_ONE_IN = 1e9


def words(order: int = 2, longest: int = SHORT) -> NGramModel:
    return NGramModel.train(TEXTS, order=order, longest=longest)


def table() -> TableModel:
    return TableModel(
        {ASKED: {"Now.": "1/2", "Later.": "1/3", "Never.": "1/6", "Impossible.": 0}, "": {"": 1}}
    )


def instructed(longest: int = SHORT, **options: Any) -> InstructedModel:
    return InstructedModel(BRANDS, TOPICS, longest=longest, **options)


def told(model: Any) -> PromptedModel:
    return PromptedModel(model, add_told)


def add_told(prompt: str) -> str:
    return prompt + "\n\nSpeak of Restly, please."


def models() -> dict[str, Any]:
    """Models that all reply to ASKED, with few enough replies to be listed."""
    counted, firm = words(), instructed()
    return {
        "table": table(),
        "floats": TableModel({ASKED: {"Now.": 0.7, "Later.": 0.2, "Never.": 1e-9}}),
        "pairs": counted,
        "singles": words(1, 2),
        "triples": words(3),
        "cooled": DecodedModel(counted, 0.7),
        "cut": DecodedModel(counted, 1, "3/5"),
        "both": DecodedModel(counted, 0.8, 0.9),
        "table, both": DecodedModel(table(), 0.8, 0.9),
        "mixture": MixtureModel([DecodedModel(counted, 1, "3/5"), counted], ["2/3", "1/3"]),
        "mixture in floats": MixtureModel([table(), counted], [0.25, 0.75]),
        "instructed": firm,
        "told": told(firm),
        "instructed table": InstructedTable(BRANDS, TOPICS, answers=2),
        "tilted": TiltedModel(firm, [told(firm), told(firm)], ["1/2", 0.75]),
        "tilted tables": TiltedModel(table(), [table()], [0.5]),
    }


def unlikely(drawn: Sequence[str], law: Mapping[str, Any]) -> bool:
    """Whether chi-square speaks against the law; under it, it does so once in 10^9 times.

    Replies that are expected fewer than ten times are taken together.
    """
    seen, n = Counter(drawn), len(drawn)
    assert set(seen) <= set(law)
    cells = [(seen[reply], float(p) * n) for reply, p in law.items()]
    rare = [cell for cell in cells if cell[1] < 10]
    cells = [cell for cell in cells if cell[1] >= 10]
    rest = (sum(o for o, _ in rare), sum(e for _, e in rare))
    if rest[1] >= 10:
        cells.append(rest)
    statistic = sum((o - e) ** 2 / e for o, e in cells)
    return bool(statistic > chi2.isf(1 / SURE_TO_ONE_IN, max(len(cells) - 1, 1)))


def total(law: Mapping[str, Any]) -> Any:
    return sum(law.values(), Fraction(0)) if exact(law) else float(np.sum(list(law.values())))


def exact(law: Mapping[str, Any]) -> bool:
    return all(isinstance(p, Fraction) for p in law.values())
