"""Proofs for all real types: the classics, faults that break them, and what is not traced."""

from __future__ import annotations

import inspect
import pickle
from fractions import Fraction
from typing import Any

import pytest
from proving_mechanisms import (
    DIFFERENT,
    FAULTS,
    UNTRACED,
    first_price,
    last_gets_a_rebate_above_seven,
    last_loses_a_hundredth,
    last_of_three_has_a_lower_reserve,
    second_price,
    takes_a_root,
    with_reserve,
)
from sweeps import in_turns

from mechanisms.classics import (
    AllPay,
    FirstPrice,
    MedianVoting,
    MultiUnitVCG,
    PostedPrice,
    SecondPrice,
)
from mechanisms.gallery import GALLERY, Exhibit
from theory.errors import InvalidInputError
from theory.incentives import (
    Box,
    DrawnTypes,
    Effort,
    FiniteTypes,
    Piece,
    Piecewise,
    Product,
    PropertyFinding,
    Reals,
    Simplex,
    Vectorised,
    check_mechanism,
    prove_mechanism,
)
from theory.proofs import SOLVERS
from theory.verdicts import Status, Strength

LITTLE = Effort(samples=200, starts=2, steps=20, shrinks=300)


def proved(finding: PropertyFinding) -> bool:
    return finding.status is Status.HOLDS and finding.strength is Strength.PROVED


def dsic(mechanism: Any, agents: int = 2, **arguments: Any) -> PropertyFinding:
    given = {"properties": ["dsic"], "effort": LITTLE, "agents": agents, **arguments}
    return prove_mechanism(mechanism, **given)["dsic"]


SOUND: dict[str, tuple[Any, set[str]]] = {
    "posted price": (PostedPrice(2), {"efficient"}),
    "second price": (SecondPrice(), set()),
    "second price with reserve": (SecondPrice("5/2"), {"efficient"}),
    "units": (MultiUnitVCG(2), set()),
    "median": (MedianVoting(Reals()), {"individually_rational"}),
    "a function": (second_price, set()),
}


def judged(name: str, agents: int, solver: str) -> None:
    mechanism, breaks = SOUND[name]
    report = prove_mechanism(mechanism, agents=agents, solver=solver)
    assert set(report.refuted) == breaks
    for finding in report.findings:
        if finding.property in breaks:
            assert finding.witness is not None
            assert finding.witness.replay().fails
        else:
            assert proved(finding), str(finding)
            assert finding.proof is not None
            assert finding.proof.complete
            assert "in every path" in finding.rechecked


@pytest.mark.parametrize("name", ["median", "a function"])
def test_classics_with_two_agents_are_proved_by_z3(name: str) -> None:
    judged(name, 2, "z3")


@pytest.mark.parametrize("solver", ["certificates", "cvc5"])
def test_other_solvers_prove_the_same(solver: str) -> None:
    for mechanism in (PostedPrice(2), MedianVoting(Reals())):
        assert proved(dsic(mechanism, solver=solver))


@pytest.mark.slow
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("agents", [2, 3])
@pytest.mark.parametrize("name", SOUND)
def test_the_classics_are_proved_by_every_solver(name: str, agents: int, solver: str) -> None:
    judged(name, agents, solver)


@pytest.mark.parametrize("mechanism", [FirstPrice(), AllPay(), first_price])
def test_paying_the_own_bid_is_refuted_by_a_small_witness(mechanism: Any) -> None:
    finding = dsic(mechanism)
    assert finding.status is Status.REFUTED
    assert finding.strength is Strength.EXACT
    witness = finding.witness
    assert witness is not None
    assert witness.replay().fails
    numbers = [*witness.profile, *witness.lies]
    assert all(isinstance(x, Fraction) and x.denominator <= 2 and abs(x) <= 2 for x in numbers)


LONG = [
    (last_loses_a_hundredth, 3),
    (last_gets_a_rebate_above_seven, 3),
    (last_of_three_has_a_lower_reserve, 2),
]


def test_long_proofs_of_faults_are_among_the_others() -> None:
    assert {*LONG} < {*FAULTS}


@pytest.mark.parametrize(
    ("mechanism", "agents"),
    [*(fault for fault in FAULTS if fault not in LONG), *in_turns(LONG, 3)],
)
def test_a_fault_breaks_the_proof(mechanism: Any, agents: int) -> None:
    finding = dsic(mechanism, agents)
    assert finding.status is Status.REFUTED
    assert finding.proof is None
    assert finding.witness is not None
    assert finding.witness.replay().fails


@pytest.mark.parametrize("mechanism", DIFFERENT)
def test_code_that_sees_more_than_numbers_is_not_proved(mechanism: Any) -> None:
    made = mechanism() if isinstance(mechanism, type) else mechanism
    finding = dsic(made, effort=SMALL)
    assert finding.proof is None
    assert finding.strength is not Strength.PROVED
    if finding.strength is Strength.EXACT:  # a grid was enough
        assert finding.witness is not None
        assert finding.witness.replay().fails
    else:
        assert finding.reason.startswith("not traced: ")


SMALL = Effort(samples=40, starts=1, steps=5, shrinks=40)


@pytest.mark.parametrize(("mechanism", "named"), UNTRACED)
def test_what_cannot_be_traced_is_tested_and_says_where(mechanism: Any, named: str) -> None:
    finding = dsic(mechanism, effort=SMALL)
    assert finding.proof is None
    assert finding.strength is not Strength.PROVED
    assert named in finding.reason
    if "`" in named:
        assert "proving_mechanisms.py, line " in finding.reason


def test_an_irrelevant_change_of_a_comparison_keeps_the_proof() -> None:
    assert proved(dsic(with_reserve))


def test_a_solver_that_stops_leaves_the_matter_open_but_for_a_search() -> None:
    held = dsic(SecondPrice(), steps=1)
    assert held.status is Status.AMBIGUOUS
    assert held.proof is None
    assert held.reason.startswith("unknown: z3 ")
    assert dsic(FirstPrice(), steps=1).status is Status.REFUTED


def test_other_properties_run_on_symbols() -> None:
    names = ["feasible", "weakly_budget_balanced", "weakly_monotone", "anonymous"]
    names += ["revenue_monotone", "strongly_budget_balanced"]
    report = prove_mechanism(SecondPrice(), agents=2, properties=names, effort=LITTLE)
    assert report.refuted == ("strongly_budget_balanced",)
    assert all(proved(f) for f in report.findings if f.status is Status.HOLDS)
    assert report["feasible"].reason.endswith("; judged by the values (one item)")


def test_the_envelope_formula_is_proved_at_a_posted_price_and_at_no_other_payment() -> None:
    def dearer(bids: Any) -> tuple[tuple[int], tuple[int]]:
        return ((1,), (3,)) if bids[0] >= 2 else ((0,), (0,))

    name = "payment_identity"
    given = {"agents": 1, "properties": [name], "types": Reals(0), "effort": LITTLE}
    held = prove_mechanism(PostedPrice(2), **given)[name]
    assert proved(held), str(held)
    wrong = prove_mechanism(dearer, **given)[name]
    assert wrong.status is Status.REFUTED


def test_a_property_of_calls_is_tested() -> None:
    report = prove_mechanism(SecondPrice(), agents=2, properties=["deterministic"], effort=LITTLE)
    assert report["deterministic"].strength is Strength.TESTED
    assert "a trace says nothing" in report["deterministic"].reason


def test_epsilon_is_part_of_the_definition() -> None:
    def nearly(bids: Any) -> tuple[int, list[Any]]:
        return 0, [bids[0] / 4]

    inside = {"types": Box(0, 1), "agents": 1}
    assert dsic(nearly, **inside).status is Status.REFUTED
    assert proved(dsic(nearly, epsilon="1/4", **inside))
    assert dsic(nearly, epsilon="6/25", **inside).status is Status.REFUTED


def test_bounds_are_hypotheses() -> None:
    def refuses_negatives(bids: Any) -> Any:
        if min(bids) < 0:
            raise ValueError
        return second_price(bids)

    assert proved(dsic(refuses_negatives, types=Reals(low=0)))
    assert "not traced" in dsic(refuses_negatives).reason


def test_listed_types_are_gone_through() -> None:
    mixed = [FiniteTypes([0, 1, 5]), Reals()]
    assert proved(dsic(SecondPrice(), agents=2, types=mixed))
    assert dsic(FirstPrice(), agents=2, types=mixed).status is Status.REFUTED
    finite = dsic(SecondPrice(), types=FiniteTypes(range(3)))
    assert finite.strength is Strength.EXACT
    assert finite.reason == "every instance was judged"


def test_vectors_have_a_symbol_an_entry() -> None:
    def likes(reports: Any) -> tuple[int, tuple[int, ...]]:
        first = reports[0]
        return max(range(len(first)), key=first.__getitem__), (0,) * len(reports)

    for space in (Simplex(3), Box([0, 0], [1, 2]), Product(Reals(), Box(0, 1))):
        assert proved(dsic(likes, agents=1, types=space))


def test_arrays_are_traced() -> None:
    from mechanisms.classics import first_price_table, second_price_table

    assert proved(dsic(Vectorised(second_price_table)))
    assert dsic(Vectorised(first_price_table)).status is Status.REFUTED


def test_efficiency_compares_with_a_space_of_alternatives() -> None:
    def first_peak(peaks: Any) -> tuple[Any, list[int]]:
        return peaks[0], [0] * len(peaks)

    def away(agent: int, peak: Any, outcome: Any) -> Any:
        return -abs(peak - outcome)

    given = {"values": away, "alternatives": lambda agents: Reals(), "properties": ["efficient"]}
    report = prove_mechanism(first_peak, agents=3, effort=LITTLE, **given)
    witness = report["efficient"].witness
    assert witness is not None
    assert witness.replay().fails
    held = prove_mechanism(first_peak, agents=2, **given)["efficient"]
    assert proved(held)
    assert held.reason.endswith("; compared with all of ℝ, by alternatives=")
    listed = check_mechanism(
        first_peak, types=FiniteTypes([0, 1]), agents=2, values=away,
        alternatives=lambda agents: Reals(), properties=["efficient"],
    )  # fmt: skip
    assert listed["efficient"].status is Status.VACUOUS


def test_drawn_types_are_refused_by_name() -> None:
    from hypothesis import strategies as st

    finding = dsic(SecondPrice(), types=DrawnTypes(st.fractions(0, 1)))
    assert "(DrawnTypes)" in finding.reason


@pytest.mark.slow
def test_too_many_paths_are_foreseen() -> None:
    def sorts(reports: Any) -> tuple[int, tuple[int, ...]]:
        numbers = sorted(x for report in reports for x in report)
        return 0, (0,) * (len(reports) + (numbers[0] > numbers[-1]))

    finding = dsic(sorts, agents=2, types=Product(*[Reals()] * 5))
    assert "paths, above the limit of" in finding.reason


def posted_form(price: int, allocation: int | None = None) -> Piecewise:
    return Piecewise(
        [
            Piece(when=[(1, -price)], allocation=0, payments=[price]),
            Piece(when=lambda bids: True, allocation=allocation, payments=lambda bids: [0]),
        ]
    )


def rooted(bids: Any) -> tuple[int | None, list[int]]:
    """Sell at price 4, in code that cannot be traced."""
    import math

    return (0, [4]) if bids[0] >= 0 and math.sqrt(bids[0]) >= 2 else (None, [0])


def test_a_declared_form_is_traced_in_place_of_the_code() -> None:
    assert "math.sqrt" in dsic(rooted, agents=1).reason
    finding = dsic(rooted, agents=1, pieces=posted_form(4))
    assert proved(finding)
    assert "of the declared form, which agrees with the code at " in finding.reason


@pytest.mark.parametrize("form", [posted_form(3), posted_form(4, 0), posted_form(5)])
def test_a_form_that_differs_from_the_code_proves_nothing(form: Piecewise) -> None:
    finding = dsic(rooted, agents=1, pieces=form)
    assert finding.proof is None
    assert "the declared form differs from the code at reports" in finding.reason


def test_a_form_that_covers_too_little_proves_nothing() -> None:
    form = Piecewise([Piece(when=[(1, -4)], allocation=0, payments=[4])])
    assert "cover no such reports" in dsic(rooted, agents=1, pieces=form).reason


def test_a_proof_is_plain_data_that_other_solvers_read() -> None:
    proof = dsic(SecondPrice()).proof
    assert proof is not None
    again = pickle.loads(pickle.dumps(proof))
    assert again.checked_by("cvc5").verdict == "proved"
    assert again.smtlib().rstrip().endswith("(check-sat)")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"solver": "z4"}, "solver"),
        ({"steps": 0}, "steps"),
        ({"pieces": [1]}, "pieces"),
        ({"agents": 0}, "agents"),
        ({"types": "reals"}, "types"),
        ({"properties": ["dsik"]}, "properties"),
        ({"epsilon": 0.1}, "epsilon"),
    ],
)
def test_bad_arguments_are_named(arguments: dict[str, Any], named: str) -> None:
    function = inspect.unwrap(prove_mechanism)
    with pytest.raises(InvalidInputError, match=named):
        function(SecondPrice(), **{"agents": 2, **arguments})


def test_expected_failures_are_kept() -> None:
    reason = {"dsic": "bids are paid"}
    report = prove_mechanism(
        FirstPrice(), agents=2, properties=["dsic"], expected_failures=reason, effort=LITTLE
    )
    assert report.ok
    assert report["dsic"].expected == "bids are paid"


def test_the_same_call_gives_the_same_report() -> None:
    first, second = (str(dsic(takes_a_root, effort=SMALL)) for _ in range(2))
    assert first == second


def on_reals(exhibit: Exhibit) -> Any:
    first = exhibit.types[0]
    return Product(*[Reals(low=0)] * len(first)) if isinstance(first, tuple) else Reals(low=0)


NUMERIC = [e for e in GALLERY if not isinstance(e.types[0], str)]
QUICK = {"dsic", "individually_rational", "strongly_budget_balanced", "anonymous", "efficient"}


def agrees(exhibit: Exhibit, names: list[str]) -> None:
    """Whatever the grid refutes is refuted, and what is refuted beyond it has a witness."""
    candidates = exhibit.name in {"RunnerUp", "BordaCount"}  # on a grid they come of some profile
    report = prove_mechanism(
        exhibit.mechanism, types=on_reals(exhibit), agents=exhibit.agents, properties=names,
        alternatives=(lambda agents: range(3)) if candidates else None,
        effort=Effort(samples=400, starts=4, steps=40, shrinks=300),
    )  # fmt: skip
    for finding in report.findings:
        if finding.property in exhibit.breaks:
            assert finding.status is Status.REFUTED, str(finding)
        if finding.status is Status.REFUTED:
            assert finding.witness is not None
            assert finding.witness.replay().fails


@pytest.mark.parametrize("name", ["NearlyTruthful", "TiesOnly"])
def test_the_gallery_breaks_what_it_breaks_on_a_grid(name: str) -> None:
    (exhibit,) = (e for e in NUMERIC if e.name == name)
    agrees(exhibit, sorted(QUICK))


@pytest.mark.slow
@pytest.mark.parametrize("exhibit", NUMERIC, ids=[e.name for e in NUMERIC])
def test_the_whole_gallery_breaks_what_it_breaks_on_a_grid(exhibit: Exhibit) -> None:
    more = ["feasible", "weakly_monotone", "non_bossy", "revenue_monotone"]
    agrees(exhibit, [*QUICK, *more] if exhibit.name != "GreedyVCG" else ["dsic", "efficient"])
