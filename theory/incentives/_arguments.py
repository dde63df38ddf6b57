"""Reading the arguments of a check: what cannot be used is refused by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any, Final

from theory.errors import InvalidInputError, UnknownNameError, nearest
from theory.incentives._finite import Effort
from theory.incentives._mechanism import outcome_function
from theory.incentives._prior import Prior
from theory.incentives._property import Instance, Property
from theory.incentives._types import TypeSpace, member
from theory.incentives._values import ADDITIVE, UNIT_DEMAND, Valuation, ValueFunction, ValueTable
from theory.incentives.properties import PROPERTIES
from theory.incentives.setting import Setting
from theory.incentives.witness import Witness, parse
from theory.numbers import rational
from theory.shared.arguments import read_count

__all__ = [
    "at_least_zero",
    "fitting_instance",
    "make_setting",
    "read_earlier_witnesses",
    "read_effort",
    "read_expected_failures",
    "select_properties",
]

_WITNESSES: Final = "give a list of witnesses, or of lines that Witness.to_json wrote"


def make_setting(
    mechanism: Any,
    *,
    types: Any,
    agents: Any,
    values: Any,
    prior: Any,
    epsilon: Any,
    feasible: Any,
    alternatives: Any,
    seed: Any,
    value_of_names: Any = None,
) -> Setting:
    """Return the setting that these arguments describe, or raise InvalidInputError."""
    read_count("seed", seed, 0)
    outcome_function(mechanism, seed)
    spaces = _spaces(types, agents)
    _check_callable(feasible, "feasible", "give a function of (allocation, agents)")
    _check_callable(alternatives, "alternatives", "give a function of agents, such as a lambda")
    for names in (value_of_names, getattr(mechanism, "value_of_names", None)):
        _check_names(names)
    return Setting(
        mechanism=mechanism,
        spaces=spaces,
        passed_values=_valuation(values, len(spaces)),
        prior=_prior(prior, spaces),
        epsilon=at_least_zero(epsilon, "epsilon"),
        seed=seed,
        passed_feasible=feasible,
        passed_alternatives=alternatives,
        passed_value_of_names=value_of_names,
    )


def _check_names(names: Any) -> None:
    known = names is None or names in (ADDITIVE, UNIT_DEMAND)
    if not known and (not callable(names) or isinstance(names, type)):
        fix = f'give "{ADDITIVE}", "{UNIT_DEMAND}" or a function of (names, type, allocation)'
        raise InvalidInputError("value_of_names", names, "says no value of several names", fix)


def _check_callable(function: Any, argument: str, fix: str) -> None:
    if function is not None and not callable(function):
        raise InvalidInputError(argument, function, "is not callable", fix)


def _prior(prior: Any, spaces: Sequence[TypeSpace]) -> Prior | None:
    if prior is None:
        return None
    if not isinstance(prior, Prior):
        fix = "give Prior({profile: probability}) or Prior.uniform(types, agents)"
        raise InvalidInputError("prior", prior, "is not a Prior", fix)
    if prior.agents != len(spaces):
        fix = f"give profiles of {len(spaces)} types"
        raise InvalidInputError("prior", prior, f"is about {prior.agents} agents", fix)
    outside = prior.outside(spaces)
    if outside is not None:
        fix = f"give profiles of types in {' and '.join(dict.fromkeys(map(repr, spaces)))}"
        raise InvalidInputError("prior", outside, "has a profile outside the types", fix)
    return prior


def _spaces(types: Any, agents: Any) -> tuple[TypeSpace, ...]:
    if _is_space(types):
        return (types,) * read_count("agents", agents, fix="say how many agents")
    each = types if isinstance(types, Sequence) and not isinstance(types, str) else [types]
    if any(hasattr(space, "example") for space in each):
        fix = "write DrawnTypes(strategy) for the types that a Hypothesis strategy draws"
        raise InvalidInputError("types", types, "are no type spaces but a strategy", fix)
    if not isinstance(types, Sequence) or not types or not all(map(_is_space, types)):
        fix = "give FiniteTypes([…]), Box(low, high), …, or a list with one an agent"
        raise InvalidInputError("types", types, "are not type spaces", fix)
    if agents is not None and (type(agents) is not int or agents != len(types)):
        fix = "give one type space an agent, or leave agents out"
        raise InvalidInputError("agents", agents, f"does not fit {len(types)} type spaces", fix)
    return tuple(types)


def _is_space(types: Any) -> bool:
    names = ("members", "grid", "draw", "round", "__contains__")
    return not isinstance(types, type) and all(hasattr(types, name) for name in names)


def _valuation(values: Any, agents: int) -> Valuation | None:
    if isinstance(values, ValueTable) and len(values.tables) not in {1, agents}:
        fix = f"give one table for all, or one for each of the {agents} agents"
        raise InvalidInputError("values", values, f"has {len(values.tables)} tables", fix)
    if values is None or (isinstance(values, Valuation) and not isinstance(values, type)):
        return values
    if not callable(values) or isinstance(values, type):
        fix = "give SingleItem(), ValueTable(…), … or a function of (agent, type, allocation)"
        raise InvalidInputError("values", values, "are no values", fix)
    return ValueFunction(values)


def select_properties(properties: Any) -> list[Property]:
    """Return the properties of these names; all for None."""
    if properties is None:
        return list(PROPERTIES.values())
    if isinstance(properties, str):
        fix = f'write ["{properties}"]'
        raise InvalidInputError("properties", properties, "is one name, not a list", fix)
    asked = _read_list(properties, "properties", 'give a list of names, such as ["dsic"]')
    for name in asked:
        if not isinstance(name, str) or name not in PROPERTIES:
            fix = nearest(name, PROPERTIES)
            raise UnknownNameError("properties", name, "is no property", fix)
    return [prop for name, prop in PROPERTIES.items() if name in asked]


def read_expected_failures(expected: Any, chosen: Sequence[Property]) -> Mapping[str, str]:
    """Return the reasons why properties must fail, by name."""
    if expected is None:
        return {}
    if not isinstance(expected, Mapping):
        fix = 'give the reason by name, as {"dsic": "bids are paid"}'
        raise InvalidInputError("expected_failures", expected, "is not a mapping", fix)
    names = [prop.name for prop in chosen]
    for name, reason in expected.items():
        if name not in names:
            fix = nearest(name, names)
            raise UnknownNameError("expected_failures", name, "is not checked", fix)
        if not isinstance(reason, str) or not reason:
            fix = "say in words why the property must fail"
            raise InvalidInputError("expected_failures", name, "has no reason", fix)
    return expected


def read_effort(effort: Any) -> Effort:
    """Return the budgets; those of ``Effort()`` for None."""
    if effort is None:
        return Effort()
    if not isinstance(effort, Effort):
        raise InvalidInputError("effort", effort, "is not an Effort", "give Effort(samples=2_000)")
    for field in fields(effort):
        read_count(f"effort.{field.name}", getattr(effort, field.name), 0)
    return effort


def fitting_instance(prop: Property, setting: Setting, instance: Any) -> Instance:
    """Return an instance with types as the setting's spaces give them.

    Raises
    ------
    InvalidInputError
        Where the property says nothing of the setting, or the instance is none of its instances.
    """
    inapplicable = prop.why_inapplicable(setting)
    if inapplicable:
        fix = "pass what it needs, or ask for another property"
        raise InvalidInputError("property", prop.name, f"cannot be judged: {inapplicable}", fix)
    if not isinstance(instance, Instance):
        fix = "give Instance(profile, agents, lies)"
        raise InvalidInputError("instance", instance, "is not an Instance", fix)
    if not prop.shape.fits(setting, instance):
        raise InvalidInputError("instance", instance, "does not fit", _shape(prop, setting))
    spaces, agents = setting.spaces, instance.agents
    said = (spaces[prop.shape.liar(agents, k)] for k in range(len(instance.lies)))
    profile = tuple(map(member, spaces, instance.profile))
    return Instance(profile, agents, tuple(map(member, said, instance.lies)))


def _shape(prop: Property, setting: Setting) -> str:
    shape = prop.shape
    profile = f"a profile of {setting.agents} types" if shape.profile else "an empty profile"
    lies = "one or more lies" if shape.open_ended else f"{shape.lies} lies"
    return f"{prop.name} takes {profile}, {shape.agents} agents and {lies}, all of the types given"


def at_least_zero(value: Any, argument: str) -> Fraction:
    exact = rational(value, argument)
    if exact < 0:
        raise InvalidInputError(argument, value, "is below 0", "give 0 or more")
    return exact


def read_earlier_witnesses(witnesses: Any) -> list[tuple[str, Instance]]:
    """Return where witnesses found before stand, each with its property."""
    if isinstance(witnesses, str | Witness):
        raise InvalidInputError("witnesses", witnesses, "is one witness, not a list", _WITNESSES)
    return [_earlier(witness) for witness in _read_list(witnesses, "witnesses", _WITNESSES)]


def _earlier(witness: Any) -> tuple[str, Instance]:
    if isinstance(witness, str):
        return parse(witness)
    if not isinstance(witness, Witness):
        raise InvalidInputError("witnesses", witness, "is not a witness", _WITNESSES)
    return witness.property, witness.instance


def _read_list(values: Any, argument: str, fix: str) -> list[Any]:
    if not isinstance(values, Iterable):
        raise InvalidInputError(argument, values, "is not a list", fix)
    return list(values)
