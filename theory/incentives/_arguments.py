"""Reading the arguments of a check: what cannot be used is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.incentives._instance import Instance
from theory.incentives._mechanism import outcome_function
from theory.incentives._prior import Prior
from theory.incentives._property import Property
from theory.incentives._setting import Setting
from theory.incentives._types import TypeSpace
from theory.incentives._values import Given, Valuation
from theory.incentives._witness import Witness, parse
from theory.incentives.properties import PROPERTIES
from theory.numbers import rational

__all__ = ["at_least_zero", "chosen", "earlier", "make_setting", "reasons"]


def make_setting(
    mechanism: Any,
    *,
    types: TypeSpace | Sequence[TypeSpace],
    agents: int | None,
    values: Valuation | Callable[[int, Any, Any], Any] | None,
    prior: Prior | None,
    epsilon: Any,
    feasible: Callable[[Any, int], bool] | None,
    alternatives: Callable[[int], Iterable[Any]] | None,
    seed: int,
) -> Setting:
    """Return the setting that these arguments describe, or raise InvalidInputError."""
    outcome_function(mechanism, seed)
    spaces = _spaces(types, agents)
    if prior is not None and prior.agents != len(spaces):
        fix = f"give profiles of {len(spaces)} types"
        raise InvalidInputError("prior", prior, f"is about {prior.agents} agents", fix)
    return Setting(
        mechanism=mechanism,
        spaces=spaces,
        given=_valuation(values),
        prior=prior,
        epsilon=at_least_zero(epsilon, "epsilon"),
        seed=seed,
        is_feasible=feasible,
        listed=alternatives,
    )


def _spaces(types: Any, agents: int | None) -> tuple[TypeSpace, ...]:
    if _is_space(types):
        if isinstance(agents, bool) or not isinstance(agents, int) or agents < 1:
            raise InvalidInputError("agents", agents, "is not a count", "say how many agents")
        return (types,) * agents
    if not isinstance(types, Sequence) or not types or not all(map(_is_space, types)):
        fix = "give FiniteTypes([…]), Box(low, high), …, or a list with one an agent"
        raise InvalidInputError("types", types, "are not type spaces", fix)
    if agents is not None and agents != len(types):
        fix = "give one type space an agent, or leave agents out"
        raise InvalidInputError("agents", agents, f"does not fit {len(types)} type spaces", fix)
    return tuple(types)


def _is_space(types: Any) -> bool:
    return all(hasattr(types, name) for name in ("members", "grid", "draw", "round"))


def _valuation(values: Any) -> Valuation | None:
    if values is None or (isinstance(values, Valuation) and not isinstance(values, type)):
        return values
    if not callable(values) or isinstance(values, type):
        fix = "give SingleItem(), ValueTable(…), … or a function of (agent, type, allocation)"
        raise InvalidInputError("values", values, "are no values", fix)
    return Given(values)


def chosen(properties: Iterable[str] | None) -> list[Property]:
    if properties is None:
        return list(PROPERTIES.values())
    if isinstance(properties, str):
        fix = f'write ["{properties}"]'
        raise InvalidInputError("properties", properties, "is one name, not a list", fix)
    asked = list(properties)
    for name in asked:
        if name not in PROPERTIES:
            fix = nearest(name, PROPERTIES)
            raise UnknownNameError("properties", name, "is no property", fix)
    return [prop for name, prop in PROPERTIES.items() if name in asked]


def reasons(expected: Mapping[str, str] | None, chosen: Sequence[Property]) -> Mapping[str, str]:
    names = [prop.name for prop in chosen]
    for name, reason in (expected or {}).items():
        if name not in names:
            fix = nearest(name, names)
            raise UnknownNameError("expected_failures", name, "is not checked", fix)
        if not reason:
            fix = "say why the property must fail"
            raise InvalidInputError("expected_failures", name, "has no reason", fix)
    return expected or {}


def at_least_zero(value: Any, argument: str) -> Fraction:
    exact = rational(value, argument)
    if exact < 0:
        raise InvalidInputError(argument, value, "is below 0", "give 0 or more")
    return exact


def earlier(witness: Witness | str) -> tuple[str, Instance]:
    if isinstance(witness, str):
        return parse(witness)
    return witness.property, witness.instance
