"""What purchases tell, and what that is worth: signals, gains, the best admissible protocol."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inspection_cases import (
    HINT,
    doubled,
    instances,
    oracle_node,
    problem,
    random_protocols,
    told,
    with_prices,
)
from reference import inspection as oracle
from sweeps import examples

from theory.errors import ExactnessError
from theory.games import optimum
from theory.inspection import (
    Protocol,
    Ties,
    _best_protocol,
    best_admissible,
    gains_over,
    inspection_game,
    recursive_inspection,
    signal,
    value_of_signalling,
)

F = Fraction
OURS = problem(HINT)

few = settings(max_examples=examples(50))


def test_a_signal_by_hand() -> None:
    found = signal(Protocol.of(OURS, told))
    assert found is not None
    assert str(found) == "x^0 after buying nothing: reached in 1, not in 0"
    assert (found.known.level, found.present, found.absent) == (0, 1, 0)


def test_the_recursive_protocol_may_signal() -> None:
    """Silence means state 0; x^0 is not let read it, and so gains nothing over itself."""
    solution = recursive_inspection(OURS)
    assert str(signal(solution.protocol)) == "x^0 after buying nothing: reached in 0, not in 1"
    assert gains_over(solution.protocol, solution) == ()


def test_signals_are_as_defined() -> None:
    """Posteriors given the node against posteriors given the values, at every node reached."""
    silent = loud = 0
    for depth in (0, 1, 2):
        for instance, theirs, ours in random_protocols(5 + depth, 60, depth):
            found = signal(ours)
            assert (found is not None) == oracle.signals(instance, theirs)
            if found is None:
                silent += 1
                continue
            loud += 1
            reached = reached_nodes(instance, theirs)
            (node,) = [
                key
                for n in range(depth + 1)
                for each in ours.nodes(n)
                if each.known == found.known
                for key in [oracle_node(depth, each)]
            ]
            assert found.present in reached[node]
            assert found.absent in set(node[1]) - reached[node]
    assert silent > 60
    assert loud > 40


def reached_nodes(
    instance: oracle.Instance, theirs: oracle.Protocol
) -> dict[oracle.Node, set[int]]:
    reached: dict[oracle.Node, set[int]] = {}
    for w in instance.states:
        for node in oracle.path(instance, theirs, w):
            reached.setdefault(node, set()).add(w)
    return reached


@few
@given(instances(), st.data())
def test_who_always_buys_the_same_does_not_signal(
    instance: oracle.Instance, data: st.DataObject
) -> None:
    """And is worth no more than the recursive protocol."""
    ours = problem(instance)
    bought = [data.draw(st.sampled_from(ours.options(n))) for n in range(1, ours.depth + 1)]
    action = data.draw(st.sampled_from(ours.decision.actions))
    constant = Protocol.of(ours, lambda known: bought[known.level - 1] if known.level else action)
    assert signal(constant) is None
    value: Any = recursive_inspection(ours).value
    assert constant.value <= value


def test_gains_by_hand() -> None:
    """(b - a) in state 1 for its silence; 1/2 less for the report in state 0; nothing elsewhere."""
    found = gains_over(Protocol.of(OURS, told), recursive_inspection(OURS))
    assert [(str(x.known), x.chosen, x.instead_of, x.amount, x.signals) for x in found] == [
        ("knowing A0=y", ("A0",), (), F(-1, 6), False),
        ("knowing A0=n", (), ("A0",), F(-1, 3), False),
        ("after buying nothing", "b", "a", F(2, 3), True),
    ]


def test_gains_add_up_and_come_from_signals() -> None:
    """Their sum is the difference of the values; only where it signals can one be positive."""
    better = 0
    for instance, theirs, drawn_at_random in random_protocols(9, 80):
        best = best_admissible(drawn_at_random.problem)
        worth = (oracle.value(instance, theirs), oracle.best(instance))
        for ties in Ties:
            solution = recursive_inspection(drawn_at_random.problem, ties)
            for ours, value in zip((drawn_at_random, best.protocol), worth, strict=True):
                gains = gains_over(ours, solution)
                amounts: list[Any] = [gain.amount for gain in gains]
                recursive: Any = solution.value
                assert sum(amounts) == value - recursive
                assert all(gain.chosen != gain.instead_of for gain in gains)
                assert all(gain.signals for gain in gains if gain.amount > F(0))
                better += sum(amounts) > 0
    assert better > 20


# The best admissible protocol


def test_the_value_of_signalling_by_hand() -> None:
    """3/2 against 4/3: state 0 pays 1/2 for what state 1 then knows without paying."""
    found = value_of_signalling(OURS)
    assert (found.value, found.best.value, found.recursive.value) == (F(1, 6), F(3, 2), F(4, 3))
    assert [(x.purchases, x.action) for x in found.best.plays] == [((("A0",),), "a"), (((),), "b")]
    text = str(found)
    assert text.startswith("Signalling is worth 1/6.\n\nrecursive inspection: worth 4/3, 1/3 spent")
    assert "\n\nthe best admissible protocol: worth 3/2, 1/6 spent\n" in text
    assert found._repr_html_().startswith("<p>Signalling is worth 1/6.</p><table>")


@few
@given(instances(), st.sampled_from([F(0), F(51, 10)]))
def test_without_prices_or_with_high_ones_signals_are_worth_nothing(
    instance: oracle.Instance, price: Fraction
) -> None:
    """Who may have all for nothing, or will buy nothing, need not be told by silence."""
    assert value_of_signalling(problem(with_prices(instance, lambda _: price))).value == 0


@few
@given(instances())
def test_the_best_is_no_worse_and_splitting_states_does_not_help(
    instance: oracle.Instance,
) -> None:
    found = value_of_signalling(problem(instance))
    assert found.value >= 0
    assert found.best.gap == 0
    twice = best_admissible(problem(doubled(instance)))
    assert (twice.value, twice.gap) == (found.best.value, 0)


def test_a_wrong_optimum_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A strategy and a bound that belong to the game with another price."""
    other = optimum(inspection_game(problem(with_prices(HINT, lambda price: price / 2))))
    monkeypatch.setattr(_best_protocol, "optimum", lambda _: other)
    assert best_admissible(OURS).gap > 0


def test_the_best_must_be_exact() -> None:
    with pytest.raises(ExactnessError, match="the best admissible protocol"):
        best_admissible(problem(HINT, "float64"))
