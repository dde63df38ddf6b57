"""A mechanism that draws, as the law of its outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from theory.errors import InvalidInputError
from theory.incentives._draws import BRANCHES, Draws, Path, chance_of, next_path, refusal
from theory.incentives._mechanism import is_seeded, mechanism_name, rule_of
from theory.incentives._reading import FLOAT64, Number, original
from theory.incentives._record import Fault, Profile, Record, read
from theory.shared.arguments import refusing

__all__ = ["InExpectation"]

_DECLARED: Final = ("value", "feasible", "alternatives", "value_of_names")


@refusing
class InExpectation:
    r"""A mechanism that takes ``rng``, judged in expectation over what it draws.

    With draws :math:`d` of probability :math:`P(d)` an outcome is the lottery over the allocations
    :math:`f(r, d)`, and agent i's payment is :math:`\sum_d P(d)\, p_i(r, d)`. So ``dsic`` says
    truthful in expectation, and every other property is about expected utilities and payments, too.

    The mechanism runs once for each way in which its draws can come out, and once more in the
    opposite order; what a generator of NumPy's leads to must be among the outcomes.

    Parameters
    ----------
    mechanism : Mechanism or callable
        With a parameter ``rng``, of which it asks ``integers``, ``choice``, ``permutation`` or
        ``shuffle``, in at most 1,024 ways in all. A probability ``p=`` is read exactly; floats
        whose sum is 1 up to rounding are divided by it.

    Attributes
    ----------
    refused : str
        A draw that could not be gone through, such as ``random``; empty where there was none.
    branches : int
        The most ways in which the draws at one profile came out.

    Raises
    ------
    InvalidInputError
        For what is no mechanism, or takes no ``rng``.

    Complexity: two runs of the mechanism for each way in which the draws come out.

    Source: Nisan, Roughgarden, Tardos and Vazirani, Algorithmic Game Theory (2007), section
    9.5.6.

    Examples
    --------
    >>> def free_by_coin(bids, rng):
    ...     return rng.choice([0, 1]), [0, 0]
    >>> print(InExpectation(free_by_coin).outcome((3, 1)))
    allocation 0 with 1/2, 1 with 1/2; expected payments (0, 0)
    """

    def __init__(self, mechanism: Any) -> None:
        self._rule = rule_of(mechanism)
        if not is_seeded(self._rule):
            fix = "give it a parameter rng, or check it as it is"
            raise InvalidInputError("mechanism", mechanism, "takes no rng", fix)
        self.mechanism = mechanism
        self.__name__ = mechanism_name(mechanism)
        self.refused = ""
        self.branches = 1

    def __getattr__(self, name: str) -> Any:
        if name in _DECLARED:
            return getattr(self.mechanism, name)
        raise AttributeError(name)

    def outcome(self, reports: Sequence[Any]) -> Record | Fault:
        """Return the law of the outcomes, or what is wrong with one of them.

        Raises
        ------
        InvalidInputError
            Where a draw cannot be gone through; and whatever the mechanism raises.
        """
        profile = tuple(reports)
        found: list[tuple[Path, Record]] = []
        path: Path | None = ()
        while path is not None:
            whole, record = self._once(profile, path)
            if isinstance(record, Fault):
                return record
            found.append((whole, record))
            if len(found) > BRANCHES:
                self.refused = self.refused or f"more than {BRANCHES:,} ways to draw"
                raise refusal(self.refused)
            path = next_path(whole)
        self.branches = max(self.branches, len(found))
        for whole, record in reversed(found):
            _, again = self._once(profile, whole)
            if again != record:
                return _moody(profile, f"the same draws led to {record}, and then to {again}")
        drawn = read(profile, self._rule(profile, rng=np.random.default_rng(0)))
        if not any(_is_same(record, drawn) for _, record in found):
            return _moody(profile, f"a generator of NumPy's leads to {drawn}, and no draw does")
        return _mean(found)

    def _once(self, profile: Profile, path: Path) -> tuple[Path, Record | Fault]:
        """Return the draws of one run and their outcome."""
        draws = Draws(path)
        try:
            returned = draws.run(lambda rng: self._rule(profile, rng=rng))
        finally:
            self.refused = self.refused or draws.refused
        record = read(profile, returned)
        if draws.changed:
            record = _moody(profile, "after the same draws it asked for others")
        if draws.inexact and isinstance(record, Record):
            record = replace(
                record, float_epsilons=tuple(max(g, FLOAT64) for g in record.float_epsilons)
            )
        return tuple(draws.made), record


def _mean(found: Sequence[tuple[Path, Record]]) -> Record:
    """Return the lottery over all allocations, with the expected payments."""
    chances = [chance_of(path) for path, _ in found]
    law: dict[Any, Number] = {}
    for chance, (_, record) in zip(chances, found, strict=True):
        for key, (_, p) in zip(record.keys, record.support, strict=True):
            law[key] = law.get(key, 0) + chance * p
    columns = [*zip(*(record.payments for _, record in found), strict=True)]
    float_epsilons = zip(*(record.float_epsilons for _, record in found), strict=True)
    return Record(
        support=tuple((original(key), _simplify(p)) for key, p in law.items()),
        payments=tuple(
            _simplify(sum(c * p for c, p in zip(chances, paid, strict=True))) for paid in columns
        ),
        float_epsilons=tuple(map(max, float_epsilons)),
        largest=tuple(max(map(abs, paid)) for paid in columns),
        keys=tuple(law),
    )


def _simplify(value: Number) -> Number:
    return int(value) if value.denominator == 1 else value


def _is_same(one: Record, other: Record | Fault) -> bool:
    return isinstance(other, Record) and one.told == other.told


def _moody(profile: Profile, problem: str) -> Fault:
    return Fault(profile, f"not deterministic: {problem}", random=True)
