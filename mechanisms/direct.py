"""Direct mechanisms, stepped: chance draws types, each agent is told its own and reports one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from typing import TYPE_CHECKING, Any

from mechanisms.play import Ask, Choice, Draw, Steps, rules
from theory.errors import InvalidInputError
from theory.numbers import rational
from theory.shared.arguments import read_tuple

if TYPE_CHECKING:
    from theory.incentives import Prior

__all__ = ["DirectOutcome", "OwnType", "direct_mechanism", "quasilinear"]


@dataclass(frozen=True)
class OwnType:
    """What an agent is told: its own type."""

    type: Any

    def __str__(self) -> str:
        return f"your type is {self.type}"


@dataclass(frozen=True)
class DirectOutcome:
    """What came of the reports.

    Attributes
    ----------
    agents : tuple of str
    types, reports : tuple
        One an agent.
    allocation : object
        Drawn, where the mechanism returns a lottery.
    payments : tuple of Fraction
        What each agent pays.
    """

    agents: tuple[str, ...]
    types: tuple[Any, ...]
    reports: tuple[Any, ...]
    allocation: Any
    payments: tuple[Fraction, ...]


@rules
def direct_mechanism(
    mechanism: Any,
    prior: Prior | Mapping[tuple[Any, ...], object],
    *,
    agents: Iterable[str] | None = None,
    attempts: int = 1,
) -> Steps[DirectOutcome]:
    """Play a direct mechanism: reports are asked for at the same time.

    Parameters
    ----------
    mechanism : Mechanism or callable
        From a report of each agent to an allocation and payments, as
        :func:`~theory.incentives.check_mechanism` takes it; exact, and random in lotteries alone.
    prior : Prior, or mapping
        The probability of each profile of types. An agent may report any type that it can have.
    agents : names, optional
        "agent 0", "agent 1", … where nothing is said.
    attempts : int
        How often a report may be tried; after that the run ends.

    Raises
    ------
    InvalidInputError
        For another number of names than agents, a mechanism that draws from ``rng``, and an outcome
        without one payment an agent.

    Examples
    --------
    In a first-price auction the truth earns nothing; a second price leaves nothing to gain:

    >>> from mechanisms.classics import FirstPrice, SecondPrice
    >>> from mechanisms.play import best_response
    >>> law = {(a, b): "1/4" for a in (0, 2) for b in (0, 2)}
    >>> def worth(agent, type, allocation):
    ...     return type if allocation == agent else 0
    >>> truth = {name: lambda ask: ask.view.type for name in ("agent 0", "agent 1")}
    >>> for auction in (FirstPrice(), SecondPrice()):
    ...     run = direct_mechanism(auction, law)
    ...     print(best_response(run, "agent 0", truth, quasilinear(worth)).gap)
    1/2
    0
    """
    law = Draw.of(_masses(prior), "types")
    profile = yield law
    likely = [each for each, weight in zip(law.values, law.weights, strict=True) if weight]
    possible = [dict.fromkeys(each[k] for each in likely) for k in range(len(profile))]
    names = _names(agents, len(profile))
    reports = yield {
        name: Ask(name, OwnType(own), Choice(types), "report", attempts=attempts)
        for name, own, types in zip(names, profile, possible, strict=True)
    }
    reported = tuple(reports.values())
    allocation, payments = _outcome(mechanism, reported)
    support = getattr(allocation, "support", None)
    if support is not None:  # of a lottery
        values, weights = zip(*support, strict=True)
        allocation = yield Draw(values, weights, "allocation")
    return DirectOutcome(names, profile, reported, allocation, payments)


def quasilinear(
    values: Callable[[int, Any, Any], object],
) -> Callable[[DirectOutcome], dict[str, Fraction]]:
    """Return the utilities of an outcome: what the allocation is worth less the payment.

    Parameters
    ----------
    values : callable (agent, type, allocation) -> number
        Rational; the agent by its number.
    """

    def utilities(outcome: DirectOutcome) -> dict[str, Fraction]:
        each = zip(outcome.agents, outcome.types, outcome.payments, strict=True)
        return {
            name: rational(values(k, type, outcome.allocation), f"value of {name}") - paid
            for k, (name, type, paid) in enumerate(each)
        }

    return utilities


def _outcome(mechanism: Any, reports: tuple[Any, ...]) -> tuple[Any, tuple[Fraction, ...]]:
    from theory.incentives import Outcome

    rule = getattr(mechanism, "outcome", mechanism)
    if not callable(rule):
        fix = "give a function of the reports, or an object with a method outcome(reports)"
        raise InvalidInputError("mechanism", mechanism, "is not a mechanism", fix)
    if _draws_from_rng(rule):
        fix = "return a Lottery, from which chance draws"
        raise InvalidInputError("mechanism", mechanism, "draws from rng", fix)
    returned: Any = rule(reports)
    if not isinstance(returned, Outcome):
        try:
            allocation, payments = returned
        except (TypeError, ValueError) as error:
            fix = "return the allocation and the payments"
            raise InvalidInputError("outcome", returned, "is no outcome", fix) from error
        returned = Outcome(allocation, payments)
    paid = read_tuple("payments", returned.payments, "return one payment an agent")
    if len(paid) != len(reports):
        problem = f"are {len(paid)}, for {len(reports)} agents"
        raise InvalidInputError("payments", paid, problem, "return one payment an agent")
    amounts = tuple(rational(each, f"payment of agent {k}") for k, each in enumerate(paid))
    return returned.allocation, amounts


def _masses(prior: Any) -> Mapping[tuple[Any, ...], object]:
    """Return the probability of each profile."""
    from theory.incentives import Prior

    masses: Any = getattr(prior, "masses", prior)
    listed = masses if isinstance(masses, Mapping) else ()
    sizes = {len(each) if isinstance(each, tuple) else -1 for each in listed}
    return masses if len(sizes) == 1 and -1 not in sizes else Prior(prior).masses  # which refuses


def _draws_from_rng(rule: Callable[..., Any]) -> bool:
    try:
        return "rng" in signature(rule).parameters
    except (TypeError, ValueError):  # a builtin may not say what it takes
        return False


def _names(agents: Iterable[str] | None, count: int) -> tuple[str, ...]:
    if agents is None:
        return tuple(f"agent {k}" for k in range(count))
    names: tuple[str, ...] = read_tuple("agents", agents)
    if len(names) != count or len(set(names)) < count:
        problem = f"are not {count} different names"
        raise InvalidInputError("agents", names, problem, "name each agent of the prior")
    return names
