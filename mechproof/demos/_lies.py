"""What an advertiser would have gained by lying, searched for in a given auction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mechanisms.softmax_auction import SoftmaxAuction
from theory.incentives import FiniteTypes, Outcome, PropertyFinding, check_mechanism
from theory.shared.shapes import Float64
from theory.verdicts import ShownAsTable, Status, Table

__all__ = ["LieSearch", "PaysItsReport", "PaysNothing", "named_lies", "search_lies"]

_RANDOM: Final = 16
_STARTS: Final = 12
_STEPS: Final = 60
_TYPES: Final = 16
_TINY: Final = 1e-300


@dataclass(frozen=True, repr=False)
class PaysNothing(SoftmaxAuction):
    """The same law of the reply, for free: whoever exaggerates gains."""

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the law of the reply; nobody pays."""
        return Outcome(super().outcome(reports).allocation, (0.0,) * len(reports))


@dataclass(frozen=True, repr=False)
class PaysItsReport(SoftmaxAuction):
    """The same law of the reply, and each pays what it says that the reply is worth to it.

    The counterpart of the first-price auction: whoever understates pays less.
    """

    def outcome(self, reports: Sequence[Any]) -> Outcome:
        """Return the law of the reply, and each report's expectation under it."""
        law = super().outcome(reports).allocation
        paid = (float(np.dot(law, np.array(report, dtype=float))) for report in reports)
        return Outcome(law, tuple(paid))


@dataclass(frozen=True, eq=False)
class LieSearch(ShownAsTable):
    """The lies of one agent that were tried in one auction, and what each would have gained.

    Attributes
    ----------
    agent : int
    named : dict from a description to a gain
        Lies that one might think of.
    random, ascent : float
        The largest gain of random lies, and of where ascent along the gradient of the gain ended.
    tried : int
        How many lies were tried.
    report : float64 array of shape (candidates,)
        The lie that gains most.
    finding : PropertyFinding
        What the battery says: the true rewards and the best lies are types, each with every other
        as a lie, against what the others really reported.
    """

    agent: int
    named: Mapping[str, float]
    random: float
    ascent: float
    tried: int
    report: Float64[np.ndarray, " candidates"]
    finding: PropertyFinding

    @property
    def best(self) -> float:
        """The largest gain found."""
        return max(*self.named.values(), self.random, self.ascent)

    @property
    def tolerance(self) -> float:
        """The gain that the battery puts down to rounding."""
        return float(self.finding.tolerance)

    @property
    def pays(self) -> bool:
        """Whether some lie pays."""
        return self.best > self.tolerance or self.finding.status is Status.REFUTED

    def table(self) -> Table:
        """Return the lies and their gains."""
        rows = [*self.named.items(), ("the best random lie", self.random)]
        rows.append(("where ascent along the gradient ends", self.ascent))
        return Table(
            caption=f"What agent {self.agent} gains by a lie; rounding explains "
            f"{self.tolerance:.1g}",
            columns=("lie", "gain"),
            rows=tuple((name, f"{gain:+.3g}") for name, gain in rows),
        )


def named_lies(
    rewards: Float64[np.ndarray, "agents candidates"], agent: int
) -> dict[str, Float64[np.ndarray, " candidates"]]:
    """Return lies that an agent might think of, by what they are."""
    own = rewards[agent]
    best = np.eye(len(own))[int(own.argmax())]
    return {
        "half of every reward": own / 2,
        "1% less of every reward": 0.99 * own,
        "1% more of every reward": 1.01 * own,
        "ten times every reward": 10 * own,
        "nothing is worth anything": np.zeros_like(own),
        "the opposite of every reward": -own,
        "10 more for its favourite": own + 10 * best,
        "10 less for all but its favourite": own - 10 * (1 - best),
        "10 less for every candidate": own - 10,
    }


def search_lies(
    mechanism: SoftmaxAuction,
    rewards: Float64[np.ndarray, "agents candidates"],
    agent: int,
    rng: np.random.Generator,
) -> LieSearch:
    """Look for a lie that pays an agent whose true rewards these are, as the others report theirs.

    Tried are :func:`named_lies`, random ones, and the ends of ascents along the gradient of the
    gain from the random ones. The truth and the best of them are then types of the agent in a check
    of dominant-strategy truthfulness, judged in exact arithmetic on the float64 outcomes.

    Notes
    -----
    Some 37 lies, of which 16 are types: 17 x 16 comparisons; 60 gradients from each of 12 starts.
    """
    own = rewards[agent]
    scale = max(1.0, float(np.ptp(own)))
    spread = scale * np.repeat([0.1, 1.0, 3.0, 10.0], _RANDOM // 4)
    random = own + spread[:, np.newaxis] * rng.normal(size=(_RANDOM, len(own)))
    starts = random[rng.permutation(_RANDOM)[:_STARTS]]
    ends = _ascend_utility(mechanism, rewards, agent, starts, 20 * scale)
    named = named_lies(rewards, agent)
    gains = [_gain(mechanism, rewards, agent, lie) for lie in (*named.values(), *random, *ends)]
    lies = np.array([*named.values(), *random, *ends])
    first, second = len(named), len(named) + len(random)
    best = np.argsort(-np.array(gains), kind="stable")
    return LieSearch(
        agent=agent,
        named=dict(zip(named, gains, strict=False)),
        random=max(gains[first:second]),
        ascent=max(gains[second:]),
        tried=len(lies),
        report=lies[best[0]],
        finding=_judge_lies(mechanism, rewards, agent, lies[best[:_TYPES]]),
    )


def _gain(
    mechanism: SoftmaxAuction,
    rewards: Float64[np.ndarray, "agents candidates"],
    agent: int,
    lie: Float64[np.ndarray, " candidates"],
) -> float:
    told = rewards.copy()
    told[agent] = lie

    def keep_utility(reports: Float64[np.ndarray, "agents candidates"]) -> float:
        found: Any = mechanism.outcome(list(reports))
        return float(np.dot(found.allocation, rewards[agent]) - found.payments[agent])

    return keep_utility(told) - keep_utility(rewards)


def _judge_lies(
    mechanism: SoftmaxAuction,
    rewards: Float64[np.ndarray, "agents candidates"],
    agent: int,
    lies: Float64[np.ndarray, "lies candidates"],
) -> PropertyFinding:
    types = [FiniteTypes([_read_exact(row)]) for row in rewards]
    types[agent] = FiniteTypes(dict.fromkeys(map(_read_exact, [rewards[agent], *lies])))
    return check_mechanism(mechanism.outcome, types=types, properties=["dsic"])["dsic"]


def _read_exact(row: Float64[np.ndarray, " candidates"]) -> tuple[Fraction, ...]:
    return tuple(Fraction(value) for value in row.tolist())


def _ascend_utility(
    mechanism: SoftmaxAuction,
    rewards: Float64[np.ndarray, "agents candidates"],
    agent: int,
    starts: Float64[np.ndarray, "starts candidates"],
    reached: float,
) -> Float64[np.ndarray, "starts candidates"]:
    """Follow the gradient of the utility from a lie, within a box, from all starts at once."""
    own = rewards[agent]
    none = np.zeros_like(own)
    logs = [none if log is None else log for log in (mechanism.log_ref, mechanism.log_gen)]
    others = rewards.sum(axis=0) - own
    base = others / mechanism.tau + logs[0] - logs[1]
    low, high = own - reached, own + reached
    width = high - low
    lies = np.clip(starts, low, high)
    values, slopes = _utilities(mechanism, lies, own, base)
    lengths = np.full(len(lies), 0.1)
    for _ in range(_STEPS):
        ways = np.nan_to_num(slopes) * width
        ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), _TINY)
        moved = np.clip(lies + lengths[:, np.newaxis] * width * ways, low, high)
        found, steeper = _utilities(mechanism, moved, own, base)
        better = found > values
        lies = np.where(better[:, np.newaxis], moved, lies)
        slopes = np.where(better[:, np.newaxis], steeper, slopes)
        values = np.where(better, found, values)
        lengths *= np.where(better, 1.5, 0.5)
    return np.asarray(lies)


# --- the utility of each of several lies, up to a constant, and its gradient


def _law(
    lies: Float64[np.ndarray, "starts candidates"],
    base: Float64[np.ndarray, " candidates"],
    tau: float,
) -> tuple[Float64[np.ndarray, "starts candidates"], Float64[np.ndarray, " starts"]]:
    """Return the law of the reply under each lie, and the logarithm of its normaliser."""
    exponents = base + lies / tau
    top = exponents.max(axis=1, keepdims=True)
    weights = np.exp(exponents - top)
    total = weights.sum(axis=1, keepdims=True)
    return weights / total, (top + np.log(total))[:, 0]


def _utilities(
    mechanism: SoftmaxAuction,
    lies: Float64[np.ndarray, "starts candidates"],
    own: Float64[np.ndarray, " candidates"],
    base: Float64[np.ndarray, " candidates"],
) -> tuple[Float64[np.ndarray, " starts"], Float64[np.ndarray, "starts candidates"]]:
    law, log_total = _law(lies, base, mechanism.tau)
    free = isinstance(mechanism, PaysNothing)
    kept = np.broadcast_to(own, law.shape) if free else own - lies
    values = (law * kept).sum(axis=1)
    slopes = _covariance(law, kept) / mechanism.tau
    if isinstance(mechanism, PaysItsReport):
        return np.asarray(values), np.asarray(slopes - law)
    return np.asarray(values if free else values + mechanism.tau * log_total), slopes


def _covariance(
    law: Float64[np.ndarray, "starts candidates"], what: Float64[np.ndarray, "starts candidates"]
) -> Float64[np.ndarray, "starts candidates"]:
    return np.asarray(law * (what - (law * what).sum(axis=1, keepdims=True)))
