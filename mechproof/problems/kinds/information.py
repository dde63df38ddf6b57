"""The kind ``information``: what goods that reveal variables are worth to one decision maker."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import UNSET, Meta, UnsetType

from mechproof.problems.format.reading import DocumentError, child, locate_errors
from mechproof.problems.format.typed import Record
from mechproof.problems.kind import AnswerBase, ProblemBase, ProblemKind
from mechproof.problems.shared.answers import Bound, Enclosure, Number, Rational, bound, number
from mechproof.problems.shared.counting import (
    MAX_FORECASTS,
    MAX_LONG_VALUES,
    MAX_REVEALED,
    MAX_VALUES,
    check_count,
    weigh_steps,
)
from mechproof.problems.shared.goods import (
    Good,
    States,
    Utilities,
    Value,
    Variables,
    as_text,
    as_value,
    decision_of,
    goods_of,
    look_up_name,
    space_of,
    variables_of,
)
from theory import decision
from theory import information as theory
from theory.decision import Decision
from theory.probability import ProbabilitySpace, Variable
from theory.scoring import Score
from theory.shared.shapes import Event

__all__ = ["KIND", "Answer", "Problem", "solve"]

_RULES = {str(rule): rule for rule in Score}


class ValueOfVariable(Record, frozen=True, kw_only=True):
    """The event that a variable takes a value."""

    variable: Annotated[str, Meta(description="Name of the variable.")]
    value: Annotated[Value, Meta(description='Its value; true, 1 and "1" are three values.')]


class Forecast(Record, frozen=True, kw_only=True):
    """The decision to name the probability of an event, paid by a proper scoring rule."""

    rule: Annotated[
        str,
        Meta(
            description="With y the probability given to what happens: log y; -(1 - y)^2; or y "
            "over the length of (y, 1 - y).",
            extra_json_schema={"enum": list(_RULES)},
        ),
    ]
    event: Annotated[
        tuple[str, ...] | ValueOfVariable,
        Meta(description="The states in which it occurs, or the value of a variable."),
    ]


class Problem(ProblemBase, frozen=True, kw_only=True):
    """States, what is decided, and the goods on offer."""

    kind: Annotated[Literal["information"], Meta(description="The kind of problem.")]
    states: States
    variables: Variables = msgspec.field(default_factory=dict)
    utilities: Annotated[
        Utilities | UnsetType,
        Meta(description="Action, then state: the utility. Either this or a forecast is given."),
    ] = UNSET
    forecast: Annotated[
        Forecast | UnsetType, Meta(description="The forecast that is decided, if it is one.")
    ] = UNSET
    goods: Annotated[tuple[Good, ...], Meta(description="The goods on offer.")] = ()
    bundles: Annotated[
        tuple[Annotated[tuple[str, ...], Meta(min_length=2)], ...] | UnsetType,
        Meta(
            description="Names of goods that are also valued as one: their variables jointly, at "
            "the sum of their prices. All of them together when left out."
        ),
    ] = UNSET
    known: Annotated[
        dict[str, Value], Meta(description="Variable: the value that is already known.")
    ] = msgspec.field(default_factory=dict)


class Choice(Record, frozen=True, kw_only=True):
    """What maximises expected utility. A forecast is written as a rational."""

    picked: Annotated[str, Meta(description="The maximiser that is picked.")]
    maximisers: Annotated[tuple[str, ...], Meta(description="All maximisers: the ties.")]
    rule: Annotated[str, Meta(description="How one of them is picked.")]
    expected_utility: Annotated[Number, Meta(description="Expected utility of each of them.")]


class ExPost(Record, frozen=True, kw_only=True):
    """One thing that the goods may turn out to reveal."""

    revealed: Annotated[dict[str, Value], Meta(description="Variable: its revealed value.")]
    probability: Annotated[Rational, Meta(description="Probability given what is known.")]
    choice: Annotated[Choice, Meta(description="What is best to do then.")]
    value: Annotated[Number, Meta(description="Ex-post value, net of the price.")]


class GoodsValue(Record, frozen=True, kw_only=True):
    """What one good, or some goods as one, are worth; the price is subtracted everywhere."""

    goods: Annotated[tuple[str, ...], Meta(description="Names of the goods.")]
    price: Annotated[Rational, Meta(description="The sum of their prices.")]
    ex_ante: Annotated[Number, Meta(description="Value before anything is revealed.")]
    ex_post: Annotated[
        tuple[ExPost, ...], Meta(description="Value after each thing that may be revealed.")
    ]
    realised: Annotated[
        dict[str, Number], Meta(description="Value in each possible state, once it is the truth.")
    ]
    gap: Annotated[
        Bound,
        Meta(description="Bound on the distance to the same values as separate code has them."),
    ]


class Answer(AnswerBase, frozen=True, kw_only=True):
    """The choice without any good, and the value of the goods."""

    kind: Annotated[Literal["information"], Meta(description="The kind of problem.")]
    version: Annotated[Literal[1], Meta(description="Version of the form of this answer.")]
    arithmetic: Annotated[
        Literal["exact", "certified"],
        Meta(description="exact when every number is rational; certified when some are enclosed."),
    ]
    prior: Annotated[Choice, Meta(description="What is best to do without the goods.")]
    impossible: Annotated[
        tuple[str, ...],
        Meta(description="States of probability zero, or ruled out by what is known."),
    ]
    values: Annotated[
        tuple[GoodsValue, ...], Meta(description="Each good in its order, then each bundle.")
    ]


def solve(problem: Problem) -> Answer:
    """Value the goods of a problem, each alone and in bundles.

    Raises
    ------
    DocumentError
        With the path of what cannot be used.
    """
    _check_counts(problem)
    space = space_of(problem.states)
    variables = variables_of(problem.variables, space)
    decided = _decision(problem, space, variables)
    known = _known_event(problem, space, variables)
    offered = ((child("$.goods", k), good) for k, good in enumerate(problem.goods))
    goods = goods_of(offered, variables)
    with locate_errors("$.known"):
        possible = decided.condition_on(known)
    prior = _choice(possible.prior_choice())
    values = tuple(
        _value(theory.value_of_information(decided, theory.joint_good(together), known), names)
        for names, together in _offers(problem, goods)
    )
    certified = any(isinstance(x, Enclosure) for x in _numbers(prior, values))
    still = set(possible.space.states)
    return Answer(
        kind="information",
        version=1,
        arithmetic="certified" if certified else "exact",
        prior=prior,
        impossible=tuple(state for state in problem.states if state not in still),
        values=values,
    )


def _check_counts(problem: Problem) -> None:
    """Count what is to be valued, in how many states."""
    bundles = 1 if isinstance(problem.bundles, UnsetType) else len(problem.bundles)
    cells = (len(problem.goods) + bundles) * len(problem.states)
    most, what = MAX_FORECASTS, "values of goods and bundles by state"
    if not isinstance(problem.utilities, UnsetType):
        cells *= len(problem.utilities)
        most, what = MAX_VALUES, f"{what} and action"
    path = "$.bundles" if bundles > len(problem.goods) else "$.goods"
    fix = "leave goods or bundles out, or merge states"
    check_count(path, what, cells, most, fix)
    reveals = {good.name: len(good.reveals) for good in problem.goods}
    listed = [reveals] if isinstance(problem.bundles, UnsetType) else problem.bundles
    shown = sum(reveals.values()) + sum(reveals.get(x, 0) for each in listed for x in each)
    work = shown * len(problem.states)
    what_is_shown = "variables of goods and bundles by state"
    check_count(path, what_is_shown, work, MAX_REVEALED, f"{fix}, or reveal fewer variables")
    given = {} if isinstance(problem.utilities, UnsetType) else problem.utilities
    utilities = (value for row in given.values() for value in row.values())
    work = weigh_steps(cells, (problem.states.values(), utilities), MAX_LONG_VALUES)
    what = f"{what}, by the length of numbers"
    check_count(path, what, work, MAX_LONG_VALUES, f"{fix}, or round numbers")


def _decision(
    problem: Problem, space: ProbabilitySpace, variables: Mapping[str, Variable]
) -> Decision:
    if isinstance(problem.forecast, Forecast):
        if problem.utilities is not UNSET:
            raise DocumentError("has both utilities and a forecast: keep one", path="$")
        rule = look_up_name(problem.forecast.rule, "rule", _RULES, "$.forecast.rule")
        return decision.Forecast(space, _event(problem.forecast.event, space, variables), rule)
    if isinstance(problem.utilities, UnsetType):
        raise DocumentError("has neither utilities nor a forecast: add one", path="$")
    return decision_of(problem.utilities, space)


def _event(
    event: tuple[str, ...] | ValueOfVariable,
    space: ProbabilitySpace,
    variables: Mapping[str, Variable],
) -> Event:
    path = "$.forecast.event"
    if isinstance(event, ValueOfVariable):
        variable = look_up_name(event.variable, "variable", variables, f"{path}.variable")
        return _takes(variable, event.value, f"{path}.value")
    numbers = {str(state): w for w, state in enumerate(space.states)}
    mask = np.zeros(len(space), dtype=bool)
    for k, state in enumerate(event):
        mask[look_up_name(state, "state", numbers, child(path, k))] = True
    return mask


def _known_event(
    problem: Problem, space: ProbabilitySpace, variables: Mapping[str, Variable]
) -> Event:
    mask = np.ones(len(space), dtype=bool)
    for name, value in problem.known.items():
        path = child("$.known", name)
        mask &= _takes(look_up_name(name, "variable", variables, path), value, path)
    return mask


def _offers(
    problem: Problem, goods: Mapping[str, theory.Good]
) -> Iterator[tuple[tuple[str, ...], list[theory.Good]]]:
    """Yield every good alone, then every bundle."""
    for name, good in goods.items():
        yield (name,), [good]
    everything = (tuple(goods),) if len(goods) > 1 else ()
    bundles = everything if isinstance(problem.bundles, UnsetType) else problem.bundles
    for k, names in enumerate(bundles):
        path = child("$.bundles", k)
        together = [
            look_up_name(name, "good", goods, child(path, j)) for j, name in enumerate(names)
        ]
        if len(set(names)) < len(names):
            raise DocumentError("names a good twice", path=path)
        yield names, together


def _takes(variable: Variable, value: Value, path: str) -> Event:
    with locate_errors(path):
        return variable.equals(as_text(value))


def _choice(choice: decision.Choice) -> Choice:
    return Choice(
        picked=str(choice.picked),
        maximisers=tuple(map(str, choice.maximisers)),
        rule=choice.rule,
        expected_utility=number(choice.expected_utility),
    )


def _value(found: theory.InformationValue, names: tuple[str, ...]) -> GoodsValue:
    variables = [variable.name for variable in found.good.variables]
    return GoodsValue(
        goods=names,
        price=str(found.good.price),
        ex_ante=number(found.ex_ante),
        ex_post=tuple(
            ExPost(
                revealed=dict(zip(variables, map(as_value, each.values), strict=True)),
                probability=str(each.probability),
                choice=_choice(each.choice),
                value=number(each.ex_post),
            )
            for each in found.realisations
        ),
        realised={str(state): number(value) for state, value in found.by_state.items()},
        gap=bound(found.gap),
    )


def _numbers(prior: Choice, values: Sequence[GoodsValue]) -> Iterator[str | Enclosure]:
    yield prior.expected_utility
    for each in values:
        yield each.ex_ante
        yield from each.realised.values()
        for realisation in each.ex_post:
            yield realisation.value
            yield realisation.choice.expected_utility


EXAMPLE = """\
# Fact-checking (volition, Example 2.1 and Table 1). You forecast whether an event occurs and are
# paid by the logarithmic score. Somebody offers a claim, which makes the event more likely, and
# context, which weakens the claim. What are they worth to you?
#
#   mechproof example information | mechproof solve -

kind = "information"

# What is known before anything is bought; nothing here.
# known = { claim = 1 }

# Goods to value together as well. When left out, all goods together are.
bundles = [["claim", "context"]]

# Probabilities, written as integers, decimals or fractions; they sum to one exactly.
# The first letter of a state says whether the event Occurs or Fails; the digits are the values of
# claim and context.
[states]
O00 = 0.0375
O01 = 0.0375
O10 = "1/48"
O11 = "1/240"
F00 = 0.43125
F01 = 0.43125
F10 = "1/48"
F11 = "1/60"

# Each variable has a value in every state: text, an integer, true or false.
[variables]
claim   = { O00 = 0, O01 = 0, O10 = 1, O11 = 1, F00 = 0, F01 = 0, F10 = 1, F11 = 1 }
context = { O00 = 0, O01 = 1, O10 = 0, O11 = 1, F00 = 0, F01 = 1, F10 = 0, F11 = 1 }

# The decision is a forecast: rule "log", "brier" or "spherical". An event may also be the value
# of a variable: event = { variable = "claim", value = 1 }.
[forecast]
rule = "log"
event = ["O00", "O01", "O10", "O11"]

# A decision among actions has a table of utilities instead of a forecast:
# [utilities]
# publish = { O00 = 1, O01 = 1, O10 = 1, O11 = 1, F00 = -2, F01 = -2, F10 = -2, F11 = -2 }
# wait    = { O00 = 0, O01 = 0, O10 = 0, O11 = 0, F00 = 0, F01 = 0, F10 = 0, F11 = 0 }

[[goods]]
name = "claim"
reveals = ["claim"]

[[goods]]
name = "context"
reveals = ["context"]
price = 0  # the price when none is given
"""

KIND = ProblemKind(
    name="information",
    problem=Problem,
    answer=Answer,
    solve=solve,
    example=EXAMPLE,
    constraint={"oneOf": [{"required": ["utilities"]}, {"required": ["forecast"]}]},
)
