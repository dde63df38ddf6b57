"""Asking the judge and the informants, and what their answers must be."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from reprlib import repr as short

import numpy as np

from mechanisms.ledger import Amount
from mechanisms.marginal_value._errors import InformantError, JudgeError
from mechanisms.marginal_value._record import in_braces
from mechanisms.participants import blame, describe_object, plain
from mechanisms.protocols import History, Informant, Judge
from theory.errors import InvalidInputError, nearest
from theory.numbers import Exact, Floats, as_numbers
from theory.shared.rounding import best_of

__all__ = ["Judgement", "ask_informant", "ask_judge"]

_JUDGE = "the judge"


@dataclass(frozen=True)
class Judgement:
    """What the judge expects of each action, and the first of the best."""

    utilities: dict[Hashable, Amount]
    action: Hashable
    numbers: Exact | Floats

    @property
    def floats(self) -> bool:
        """Whether the numbers are float64, not exact."""
        return isinstance(self.numbers, Floats)


def ask_judge(
    judge: Judge,
    revealed: Mapping[str, object],
    actions: Iterable[Hashable] | None,
    floats: bool | None,
) -> Judgement:
    """Return the opinion of the judge.

    Parameters
    ----------
    judge : Judge
    revealed : mapping
        Contents by name, in copies for the judge.
    actions, floats
        The actions and the kind of number that the answer must have; None when any will do.

    Raises
    ------
    JudgeError
        When it raises, or its answer is no number for each action.
    """
    where = f"when shown {in_braces(revealed)}"
    fix = "return a utility for each action"
    with blame(JudgeError, _JUDGE, where, fix):
        answer: object = judge.utilities(revealed)
        row = dict(answer) if isinstance(answer, Mapping) else {}
    if not row:
        raise JudgeError(_JUDGE, f"answered {short(answer)} {where}", fix)
    known = tuple(row) if actions is None else tuple(actions)
    for action in known:
        if action not in row:
            raise JudgeError(
                _JUDGE,
                f"gave no utility of {describe_object(action)} {where}",
                "give one each time",
            )
    for action in row:
        if action not in known:
            fix = nearest(
                describe_object(action, str), (describe_object(each, str) for each in known)
            )
            raise JudgeError(_JUDGE, f"added {describe_object(action)} {where}", fix)
    try:
        numbers = _numbers([row[action] for action in known], floats)
    except InvalidInputError as error:
        raise JudgeError(
            _JUDGE, f"cannot be understood {where}", describe_object(error, str)
        ) from error
    utilities = dict(zip(known, numbers.scalars(), strict=True))
    return Judgement(utilities, known[_first_best(numbers)], numbers)


def ask_informant(
    informant: Informant, name: str, history: History, items: Iterable[str]
) -> tuple[str, ...]:
    """Return the items that an informant names, in the order of the items.

    Raises
    ------
    InformantError
        When it raises, or returns anything but names of items, at most as many as there are.
    """
    known = tuple(items)
    fix = "return names of items, or ()"
    with blame(InformantError, name, "when asked to reveal", fix):
        answer: object = informant.reveal(history)
        named: list[object] | None = None
        if isinstance(answer, Iterable) and not isinstance(answer, str):
            named = list(islice(answer, len(known) + 1))
    if named is None:
        raise InformantError(name, f"answered {short(answer)}", fix)
    texts = [plain(each) for each in named]
    for text, each in zip(texts, named, strict=True):
        if text not in known:
            raise InformantError(name, f"names {short(each)}, no item", nearest(text, known))
    if len(named) > len(known):
        raise InformantError(
            name, f"names more than the {len(known)} items that there are", "name each once"
        )
    return tuple(item for item in known if item in texts)


def _numbers(row: list[object], floats: bool | None) -> Exact | Floats:
    """Read a row of utilities; whole numbers may stand for floats."""
    numbers = as_numbers([*row, 0.0], "utilities")[:-1] if floats else as_numbers(row, "utilities")
    if numbers.shape != (len(row),) or not isinstance(numbers, Exact | Floats):
        raise InvalidInputError(
            "utilities", row, "cannot be paid", "give one rational or one float for each action"
        )
    if floats is False and isinstance(numbers, Floats):
        raise InvalidInputError(
            "utilities", row, "are floats beside exact numbers", "write all in one kind"
        )
    return numbers


def _first_best(numbers: Exact | Floats) -> int:
    """Return the place of the first of the largest.

    Floats tie by the rule of all of ``theory``: what other actions are worth does not count.
    """
    sizes = np.abs(numbers.values) if isinstance(numbers, Floats) else None
    return int(best_of(numbers, sizes).argmax())
