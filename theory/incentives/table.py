"""All outcomes of a mechanism over finite types, as arrays of integers over one denominator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, lcm, prod
from typing import Any, Final

import numpy as np

from theory.errors import LimitError, MechproofError
from theory.incentives._mechanism import Vectorised, global_random_state, objects, report_array
from theory.incentives._reading import Number, is_number, key_of, number
from theory.incentives._values import SingleItem, SingleParameter, share
from theory.incentives.setting import Fault, OutcomeAtFault, Profile, Record, Setting
from theory.shared.text import count_text

__all__ = ["AGENTS", "CELLS", "Menu", "Slacks", "Table", "tabulate"]

AGENTS: Final = 63
"""The most agents of a table: an array has 64 axes, and one is that of the agents."""

CELLS: Final = 30_000_000
"""The most entries, profiles times agents, that a table may have."""

_REPEATS: Final = 8
"""How often each profile is repeated once one has been seen to differ."""

_SAFE: Final = 2**60


@dataclass(frozen=True, eq=False)
class Table:
    """The outcomes of all profiles.

    Profiles are indexed by the positions of their types. The value of agent i's outcome at a
    profile to type t is ``values[i][t, consequences[i][profile]] / denominator``; the payment is
    ``payments[i][profile] / denominator``. Entries of profiles that are not ``judged`` mean
    nothing.
    """

    setting: Setting
    consequences: np.ndarray
    values: tuple[np.ndarray, ...]
    payments: np.ndarray
    denominator: int
    judged: np.ndarray

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many types each agent has."""
        return tuple(int(m) for m in self.judged.shape)

    @property
    def profiles(self) -> int:
        """How many profiles there are."""
        return prod(self.sizes)

    def profile(self, position: Sequence[int]) -> Profile:
        """Return the types at a position."""
        return tuple(self.setting.types(i)[int(k)] for i, k in enumerate(position))

    def utilities(self, agent: int) -> np.ndarray:
        """Return the truthful utility of an agent at every profile, times the denominator."""
        own = np.arange(self.sizes[agent]).reshape(
            [-1 if i == agent else 1 for i in range(len(self.sizes))]
        )
        worth = self.values[agent][own, self.consequences[agent]]
        return np.asarray(worth - self.payments[agent])


class Menu:
    """The cheapest prices of the consequences of one agent, for each profile of the others.

    ``prices[r, c]`` is a lower bound on what the agent pays for consequence c when the others
    report r; ``offered[r, c]`` says whether c is on the menu at all.
    """

    def __init__(self, prices: np.ndarray, offered: np.ndarray) -> None:
        self.prices = prices
        self.offered = offered


@dataclass(frozen=True, eq=False)
class Slacks:
    """Slacks of all instances, least over lies: ``numerators / denominator`` where ``met``.

    The arrays have an axis of agents first where ``by_agent``, then one axis an agent's types.
    """

    numerators: np.ndarray
    denominator: int
    met: np.ndarray
    by_agent: bool
    instances: int
    nontrivial: int

    @property
    def least(self) -> Fraction | None:
        """The least slack; None where no instance met the hypotheses."""
        if not self.met.any():
            return None
        return Fraction(int(self.numerators[self.met].min()), self.denominator)

    def below(self, limits: Sequence[Fraction]) -> np.ndarray:
        """Return where slacks are below the limit of their agent, or of all where there is one."""
        bounds = [ceil(limit * self.denominator) for limit in limits]
        if not self.by_agent:
            return np.asarray(self.met & (self.numerators < bounds[0]))
        rows = [row < bound for row, bound in zip(self.numerators, bounds, strict=True)]
        return np.asarray(self.met & np.stack(rows))

    def at(self, agent: int, position: tuple[int, ...]) -> Fraction:
        """Return the slack of an agent at a position, least over lies."""
        cell = (agent, *position) if self.by_agent else position
        return Fraction(int(self.numerators[cell]), self.denominator)


def tabulate(setting: Setting, progress: Callable[[str, int, int], None] | None = None) -> Table:
    """Run a mechanism on every profile of finite types, twice, and tabulate what it does.

    The second run goes backwards through the profiles; one whose outcome has changed is at fault
    and not judged. ``progress`` is called with "running", profiles done and profiles in all.

    Raises
    ------
    LimitError
        For more than ``AGENTS`` agents or ``CELLS`` entries.
    """
    sizes = [len(setting.types(i)) for i in range(setting.agents)]
    if len(sizes) > AGENTS:
        problem = f"make a table of {len(sizes):,} agents, above the limit of {AGENTS}"
        raise LimitError("types", sizes, problem, "give fewer agents, or a Box, which is sampled")
    cells = prod(sizes) * setting.agents
    if cells > CELLS:
        fix = "give fewer types, or a Box, which is sampled"
        problem = f"make a table of {count_text(cells)} entries, above the limit of {CELLS:,}"
        raise LimitError("types", sizes, problem, fix)
    if isinstance(setting.mechanism, Vectorised) and _by_shares(setting):
        table = _from_arrays(setting, setting.mechanism, sizes)
        if table is not None:
            return table
    return _from_records(setting, sizes, progress or (lambda name, done, total: None))


def _by_shares(setting: Setting) -> bool:
    return setting.passed_values is None or isinstance(
        setting.passed_values, SingleItem | SingleParameter
    )


def _from_records(
    setting: Setting, sizes: list[int], progress: Callable[[str, int, int], None]
) -> Table:
    profiles = list(product(*map(setting.types, range(setting.agents))))
    for done, profile in enumerate(profiles):
        if done % 64 == 0:
            progress("running", done, len(profiles))
        _record_or_fault(setting, profile)
    progress("running", len(profiles), len(profiles))
    _look_again(setting, profiles)
    judged = np.zeros(len(profiles), dtype=bool)
    numbers: list[dict[Any, tuple[int, Any]]] = [{} for _ in sizes]
    ids = np.zeros((len(sizes), len(profiles)), dtype=np.int64)
    paid: list[tuple[Number, ...]] = []
    none = (0,) * len(sizes)
    for p, profile in enumerate(profiles):
        record = _record_or_fault(setting, profile)
        if isinstance(record, Fault):
            paid.append(none)
            continue
        judged[p] = True
        paid.append(record.payments)
        for i in range(len(sizes)):
            key = _consequence(setting, i, profile, record)
            ids[i, p], _ = numbers[i].setdefault(key_of(key), (len(numbers[i]), key))
    worths = [
        [_worths(setting, i, key) for _, key in numbers[i].values()] for i in range(len(sizes))
    ]
    table = judged.reshape(sizes)
    for i, columns in enumerate(worths):
        table &= _has_values(columns, ids[i].reshape(sizes), i)
        setting.see(i, (v for column in columns for v in column if v is not None), 0.0)
    exact = [v for columns in worths for column in columns for v in column if v is not None]
    common = lcm(1, *{v.denominator for v in exact}, *{v.denominator for row in paid for v in row})
    values = tuple(
        _integers([[v or 0 for v in c] for c in columns] or [[0] * sizes[i]], common).T
        for i, columns in enumerate(worths)
    )
    payments = _integers(paid, common).T.reshape(len(sizes), *sizes)
    return Table(
        setting=setting,
        consequences=ids.reshape(len(sizes), *sizes),
        values=tuple(_as_int64_if_safe(v, payments) for v in values),
        payments=_as_int64_if_safe(payments, *values),
        denominator=common,
        judged=table,
    )


def _look_again(setting: Setting, profiles: Sequence[Profile]) -> None:
    """Repeat all profiles backwards; where one differs, or chance is at work, each many times."""
    with global_random_state(setting.seed) as drawn_on:
        differing = [p for p in reversed(profiles) if not setting.repeats(p)]
    if not differing and not drawn_on:
        return
    for profile in profiles:
        with global_random_state(setting.seed + 1) as drawn_on:
            steady = all(setting.repeats(profile) for _ in range(_REPEATS))
        if steady and drawn_on:
            problem = f"not deterministic: draws on the global state of {' and '.join(drawn_on)}"
            setting.keep(profile, Fault(profile, problem, random=True))


def _record_or_fault(setting: Setting, profile: Profile) -> Record | Fault:
    try:
        return setting.record(profile)
    except OutcomeAtFault as unjudged:
        return unjudged.fault


def _consequence(setting: Setting, agent: int, profile: Profile, record: Record) -> Any:
    """Return what an outcome is to an agent: its share where values go by shares, or all."""
    support = record.support
    if len(support) > 1 or not all(map(is_number, setting.types(agent))):
        return support
    for allocation, _ in support:
        try:
            valuation = setting.valuation(profile[agent], allocation)
            part = share(agent, allocation)
        except Exception:  # no form that is known: values are asked for, and say so
            break
        if isinstance(valuation, SingleItem | SingleParameter) and isinstance(part, int | Fraction):
            return part
    return support


def _worths(setting: Setting, agent: int, key: Any) -> list[Number | None]:
    """Return what a consequence is worth to each type, None where that cannot be said."""
    if not isinstance(key, tuple):
        return [t * key for t in setting.types(agent)]
    record, worths = Record(key, ()), list[Number | None]()
    for t in setting.types(agent):
        try:
            worths.append(setting.worth(agent, t, record))
        except OutcomeAtFault:
            worths.append(None)
    return worths


def _has_values(
    columns: Sequence[Sequence[Number | None]], ids: np.ndarray, agent: int
) -> np.ndarray:
    """Return at which profiles an agent's values are known.

    Not where nobody can value what the agent gets, and not for types that cannot value something
    that others can.
    """
    unknown = np.array([[v is None for v in column] for column in columns] or [[False]])
    nobody = np.asarray(unknown.all(axis=1))
    some = unknown[~nobody].any(axis=0) if (~nobody).any() else np.zeros(ids.shape[agent], bool)
    own = (-1 if axis == agent else 1 for axis in range(ids.ndim))
    return np.asarray(~nobody[ids] & ~some.reshape(tuple(own)))


def _from_arrays(setting: Setting, mechanism: Vectorised, sizes: list[int]) -> Table | None:
    """Tabulate an array function, or return None where it fails on the array as a whole."""
    reports = _all_reports(setting, sizes)
    try:
        shares, payments = mechanism.outcomes(reports)
        shares, payments = shares.copy(), payments.copy()
        with global_random_state(setting.seed) as drawn_on:
            again = [part[::-1] for part in mechanism.outcomes(reports[::-1].copy())]
    except Exception:  # one profile may be to blame: they are run one by one
        return None
    sane = _mark_finite(shares) & _mark_finite(payments) & (payments.dtype.kind != "b")
    same = _mark_equal(shares, again[0]) & _mark_equal(payments, again[1])
    if drawn_on or not sane.all() or not same.all():
        return None  # some profile is at fault: they are run one by one
    try:
        paid, paid_over, paid_epsilon = _over_one_denominator(payments)
        given, given_over, given_epsilon = _over_one_denominator(shares)
        types = [_over_one_denominator(objects(setting.types(i))) for i in range(len(sizes))]
    except MechproofError:
        return None  # not all are numbers
    common = lcm(paid_over, *(over * given_over for _, over, _ in types))
    ids, values = [], []
    for i, (own, over, _) in enumerate(types):
        different, where = np.unique(given[:, i], return_inverse=True)
        ids.append(where.reshape(sizes))
        values.append(
            _scale(
                np.multiply.outer(own.astype(object), different.astype(object)),
                common // (over * given_over),
            )
        )
    moved = np.moveaxis(_scale(paid, common // paid_over), 1, 0).reshape(len(sizes), *sizes)
    for i, worths in enumerate(values):
        largest = (Fraction(int(np.abs(a).max(initial=0)), common) for a in (moved[i], worths))
        setting.see(i, largest, max(paid_epsilon, given_epsilon))
    return Table(
        setting=setting,
        consequences=np.stack(ids),
        values=tuple(_as_int64_if_safe(v, moved) for v in values),
        payments=_as_int64_if_safe(moved, *values),
        denominator=common,
        judged=np.ones(sizes, dtype=bool),
    )


def _all_reports(setting: Setting, sizes: list[int]) -> np.ndarray:
    columns = [report_array([[t] for t in setting.types(i)])[:, 0] for i in range(len(sizes))]
    whole = all(c.dtype == np.int64 for c in columns)
    flat, later = [], prod(sizes)
    for column, size in zip(columns, sizes, strict=True):  # no axis an agent: there may be many
        each, later = later, later // size
        kinds = column.astype(np.int64 if whole else object)
        flat.append(np.tile(np.repeat(kinds, later), prod(sizes) // each))
    return np.stack(flat, axis=1)


def _mark_finite(array: np.ndarray) -> np.ndarray:
    return np.isfinite(array) if array.dtype.kind == "f" else np.ones(array.shape, dtype=bool)


def _mark_equal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.asarray(a == b, dtype=bool)


def _over_one_denominator(array: np.ndarray) -> tuple[np.ndarray, int, float]:
    """Return integers, their denominator, and the epsilon of the floats that there were, or 0."""
    if array.dtype.kind in "bi":
        return array.astype(np.int64), 1, 0.0
    float_epsilon = 0.0
    if array.dtype.kind == "f":
        float_epsilon = float(np.finfo(array.dtype).eps)
        whole = array.astype(np.int64) if np.abs(array).max(initial=0) < _SAFE else None
        if whole is not None and (whole == array).all():
            return whole, 1, float_epsilon
    read = [number(v, "outcome") for v in array.ravel().tolist()]
    common = lcm(1, *{v.denominator for v, _ in read})
    flat = objects([v.numerator * (common // v.denominator) for v, _ in read])
    return (
        flat.reshape(array.shape),
        common,
        float_epsilon or max((g for _, g in read), default=0.0),
    )


def _integers(rows: Sequence[Sequence[Number]], common: int) -> np.ndarray:
    table = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        table[i, :] = [v.numerator * (common // v.denominator) for v in row]
    return table


def _scale(array: np.ndarray, factor: int) -> np.ndarray:
    if factor == 1:
        return array
    return np.asarray(array.astype(object) * factor)


def _as_int64_if_safe(array: np.ndarray, *beside: np.ndarray) -> np.ndarray:
    """Return the array as int64 where sums of few entries of all arrays fit, else as objects."""
    largest = max(
        (max(abs(int(a.max())), abs(int(a.min()))) for a in (array, *beside) if a.size), default=0
    )
    return array.astype(np.int64 if largest < _SAFE // 8 else object)
