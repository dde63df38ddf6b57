"""Checks of universal and existential claims: every status and strength they can end with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from families import DIGITS, always_holds, context, number

from theory.checks import Exists, ForAll, WithoutHypothesis
from theory.claims import Budget, CheckContext, Claim, Kind, spawn_seed
from theory.errors import InvalidInputError, UndecidedError
from theory.proofs import Proof, Tracer
from theory.search import Trial
from theory.verdicts import (
    DiagramNode,
    Exhibit,
    Finding,
    Status,
    Strength,
    Table,
    TreeDiagram,
)

Instance = tuple[int, ...]


def squares_are_at_least_zero(stage: CheckContext) -> Proof:
    stage.progress(0, 2)
    stage.progress(1, 2)
    trace = Tracer(real=("u",))
    u = trace["u"]
    return trace.prove(lambda: [u * u if u > 0 else (-u) * (-u)])


def cubes_are_at_least_zero(_: CheckContext) -> Proof:
    trace = Tracer(real=("u",))
    u = trace["u"]
    return trace.prove(lambda: [u * u * u])


def never_called(_: CheckContext) -> Proof:
    raise AssertionError("a refuted claim is not proved")


def below(threshold: int) -> Any:
    return lambda c: Trial(failure=f"{number(c)} is large" if number(c) >= threshold else "")


def in_words(instance: Instance) -> Exhibit:
    table = Table(caption="digits", columns=("digit",), rows=tuple((str(d),) for d in instance))
    tree = TreeDiagram(caption="digits", nodes=(DiagramNode(-1, "", str(instance[0])),))
    return Exhibit(
        summary=f"the number {number(instance)}",
        story=("It has digits.",),
        tables=(table,),
        diagrams=(tree,),
    )


def test_what_holds_on_an_exhausted_family_is_exact() -> None:
    found = ForAll(DIGITS, always_holds)(context())
    assert (found.status, found.strength) == (Status.HOLDS, Strength.EXACT)
    assert found.scope.exhausted
    assert (found.scope.instances, found.scope.seed) == (1110, None)
    assert found.counterexample is None


def test_what_holds_on_a_sampled_family_is_tested() -> None:
    found = ForAll(DIGITS, always_holds)(context(seed=9, exhaustive=10))
    assert (found.status, found.strength) == (Status.HOLDS, Strength.TESTED)
    assert not found.scope.exhausted
    assert found.scope.seed == 9


def test_balls_make_certified_at_best() -> None:
    check = ForAll(DIGITS, always_holds, arithmetic=Strength.CERTIFIED)
    assert check(context()).strength == Strength.CERTIFIED
    assert check(context(exhaustive=10)).strength == Strength.TESTED
    refuted = ForAll(DIGITS, below(5), arithmetic=Strength.CERTIFIED)
    assert refuted(context()).strength == Strength.CERTIFIED


def test_a_proof_makes_proved() -> None:
    check = ForAll(DIGITS, always_holds, prove=squares_are_at_least_zero)
    for exhaustive in (10, 1000):
        found = check(context(exhaustive=exhaustive))
        assert (found.status, found.strength) == (Status.HOLDS, Strength.PROVED)
        assert "Proved for all real u: 2 paths" in found.reason
        assert "proved for all real u" in found.scope.family
        assert any(isinstance(item, Table) for item in found.evidence)


def test_a_proof_that_fails_leaves_the_strength_of_the_search() -> None:
    check = ForAll(DIGITS, always_holds, prove=cubes_are_at_least_zero)
    assert check(context()).strength == Strength.EXACT
    found = check(context(exhaustive=10))
    assert (found.status, found.strength) == (Status.HOLDS, Strength.TESTED)
    assert any("No proof" in str(item) and "u**3" in str(item) for item in found.evidence)


def test_a_counterexample_beats_a_proof() -> None:
    found = ForAll(DIGITS, below(985), in_words, never_called)(context())
    assert (found.status, found.strength) == (Status.REFUTED, Strength.EXACT)
    assert found.counterexample is not None
    assert found.counterexample.exhibit.summary == "the number 990"
    assert found.counterexample.exhibit.tables[0].rows == (("9",), ("9",), ("0",))
    assert found.counterexample.minimality.endswith("nothing smaller in the family fails")
    assert "990 is large" in found.reason
    assert "Of 1,110 instances that meet the hypotheses, 15 fail" in found.reason


def test_a_family_that_meets_no_hypothesis_is_vacuous() -> None:
    check = ForAll(DIGITS, lambda _: Trial.unmet(), prove=never_called)
    found = check(context())
    assert found.status == Status.VACUOUS
    assert (found.scope.met_hypotheses, found.scope.nontrivial) == (0, 0)


def test_a_failure_without_hypotheses_refutes_nothing() -> None:
    found = ForAll(DIGITS, lambda _: Trial(met=False, failure="irrelevant"))(context())
    assert found.status == Status.VACUOUS


def test_a_predicate_that_raises_undecided_is_ambiguous() -> None:
    def certified(instance: tuple[int, ...]) -> Trial:
        if instance == (3,):
            raise UndecidedError("two balls overlap")
        return Trial()

    found = ForAll(DIGITS, certified, in_words)(context())
    assert found.status is Status.AMBIGUOUS
    assert "1 instances undecided" in found.reason


def test_a_claim_without_a_nontrivial_instance_says_so() -> None:
    found = ForAll(DIGITS, lambda _: Trial(nontrivial=False), in_words)(context())
    assert found.status is Status.HOLDS
    assert "None of them was non-trivial" in found.reason


@pytest.mark.parametrize("met", [True, False])
def test_an_open_comparison_is_ambiguous(met: bool) -> None:
    def trial(instance: Instance) -> Trial:
        return Trial(met=met, undecided=instance == (3,))

    found = ForAll(DIGITS, trial, prove=never_called)(context())
    assert found.status == Status.AMBIGUOUS
    assert "1 instances undecided" in found.reason


def test_a_counterexample_beats_an_open_comparison() -> None:
    def trial(instance: Instance) -> Trial:
        return Trial(undecided=instance == (3,), failure="bad" if instance == (4,) else "")

    assert ForAll(DIGITS, trial)(context()).status == Status.REFUTED


def test_what_a_predicate_raises_is_not_hidden() -> None:
    def broken(_: Instance) -> Trial:
        raise ArithmeticError("on purpose")

    with pytest.raises(ArithmeticError, match="on purpose"):
        ForAll(DIGITS, broken)(context())


# --- clause by clause


def small_and_even(clauses: str) -> Any:
    """Every number that is small and even is below 40 and has an even last digit."""

    def trial(instance: Instance) -> Trial:
        n = number(instance)
        if ("small" in clauses and n >= 40) or ("even" in clauses and n % 2):
            return Trial.unmet()
        wrong = n >= 40 or instance[-1] % 2 == 1
        return Trial(failure=f"{n} is large or odd" if wrong else "")

    return trial


WITHOUT_SMALL = WithoutHypothesis("n is small", small_and_even("even"))
WITHOUT_EVEN = WithoutHypothesis("n is even", small_and_even("small"))
WITHOUT_NOTHING = WithoutHypothesis("n has digits", small_and_even("small even"))


def test_each_clause_that_is_dropped_gets_its_smallest_counterexample() -> None:
    check = ForAll(
        DIGITS, small_and_even("small even"), in_words, without=(WITHOUT_SMALL, WITHOUT_EVEN)
    )
    found = check(context())
    assert (found.status, found.strength) == (Status.HOLDS, Strength.EXACT)
    assert found.counterexample is None
    assert found.reason.endswith(
        "Without the clause “n is small” it fails. Without the clause “n is even” it fails."
    )
    exhibits = [in_words((4, 0)), in_words((1,))]
    lines = [item for item in found.evidence if isinstance(item, str) and "Without" in item]
    assert lines[0].startswith(
        "Without the clause “n is small” it fails, as on the number 40: 40 is large or odd (every"
    )
    assert lines[1].startswith("Without the clause “n is even” it fails, as on the number 1: ")
    assert all(line.endswith("nothing smaller in the family fails)") for line in lines)
    shown = [(line, *exhibit.details) for line, exhibit in zip(lines, exhibits, strict=True)]
    assert found.evidence == (*shown[0], *shown[1])


def test_a_clause_that_nothing_needs_is_said_to_be_such() -> None:
    check = ForAll(DIGITS, small_and_even("small even"), without=(WITHOUT_NOTHING,))
    found = check(context())
    line = "Without the clause “n has digits” no counterexample was found among 45 instances."
    assert found.evidence == (line,)
    assert found.reason.endswith(line)


def test_a_dropped_clause_may_have_a_family_of_its_own() -> None:
    single = replace(DIGITS, levels=(1,))
    dropped = replace(WITHOUT_SMALL, family=single)
    found = ForAll(DIGITS, small_and_even("small even"), without=(dropped,))(context())
    assert "“n is small” no counterexample was found among 5 instances." in found.reason


def test_what_a_dropped_clause_leaves_open_is_said() -> None:
    dropped = WithoutHypothesis("c", lambda c: Trial(undecided=c == (3,)))
    found = ForAll(DIGITS, always_holds, without=(dropped,))(context())
    assert found.status is Status.HOLDS
    assert "among 1,110 instances; 1 were left undecided." in found.reason


def test_clauses_are_dropped_beside_a_proof_too() -> None:
    check = ForAll(
        DIGITS,
        small_and_even("small even"),
        prove=squares_are_at_least_zero,
        without=(WITHOUT_EVEN,),
    )
    found = check(context())
    assert found.strength is Strength.PROVED
    assert isinstance(found.evidence[0], Table)
    assert "“n is even” it fails, as on (1,)" in str(found.evidence[1])


def test_no_clause_is_dropped_from_a_claim_that_fails() -> None:
    def never(_: Instance) -> Trial:
        raise AssertionError("a refuted claim needs no clause")

    found = ForAll(DIGITS, below(5), without=(WithoutHypothesis("c", never),))(context())
    assert found.status is Status.REFUTED
    assert found.evidence == ()


# --- existential claims


def test_a_witness_is_shown_with_what_is_known_about_smaller_ones() -> None:
    found = Exists(DIGITS, below(985), in_words)(context())
    assert (found.status, found.strength) == (Status.HOLDS, Strength.EXACT)
    assert found.counterexample is None
    assert found.reason == (
        "Of 1,110 instances that meet the hypotheses, 15 do it. The smallest: 990 is large"
    )
    line, *rest = found.evidence
    assert str(line).startswith("The smallest witness: the number 990 (every member")
    assert tuple(rest) == in_words((9, 9, 0)).details


def test_a_witness_from_a_sample_is_exact_and_may_not_be_the_smallest() -> None:
    found = Exists(DIGITS, below(7), in_words)(context(exhaustive=5))
    assert (found.status, found.strength) == (Status.HOLDS, Strength.EXACT)
    assert "a smaller one may exist" in str(found.evidence[0])


@pytest.mark.parametrize(("exhaustive", "strength"), [(1000, "exact"), (5, "tested")])
def test_no_witness_refutes_as_far_as_was_searched(exhaustive: int, strength: str) -> None:
    found = Exists(DIGITS, always_holds)(context(exhaustive=exhaustive))
    assert (found.status, found.strength) == (Status.REFUTED, strength)
    assert found.reason.startswith("None of ")


def test_a_witness_must_meet_the_hypotheses() -> None:
    found = Exists(DIGITS, lambda _: Trial(met=False, failure="irrelevant"))(context())
    assert found.status is Status.VACUOUS


@pytest.mark.parametrize("witness", [False, True])
def test_an_open_comparison_is_ambiguous_unless_another_instance_does_it(witness: bool) -> None:
    def trial(instance: Instance) -> Trial:
        does_it = witness and instance == (5,)
        return Trial(undecided=instance == (3,), failure="does it" if does_it else "")

    found = Exists(DIGITS, trial)(context())
    assert found.status is (Status.HOLDS if witness else Status.AMBIGUOUS)


@dataclass
class Share:
    """Remembers how far a check says it is."""

    seen: list[Fraction]

    def __call__(self, done: int, total: int) -> None:
        self.seen.append(Fraction(done, total))


@pytest.mark.parametrize("prove", [None, squares_are_at_least_zero, cubes_are_at_least_zero])
def test_progress_rises_through_search_and_proof(prove: Any) -> None:
    share = Share([])
    dropped = (WITHOUT_EVEN, WITHOUT_SMALL)
    ForAll(DIGITS, always_holds, prove=prove, without=dropped)(replace(context(), progress=share))
    assert share.seen == sorted(share.seen)
    assert (share.seen[0], share.seen[-1]) == (0, 1)


def test_stages_share_the_progress_and_nothing_else() -> None:
    share = Share([])
    whole = replace(context(seed=4), progress=share)
    for number_of_stage in range(3):
        stage = whole.stage(number_of_stage, 3)
        assert stage == whole
        stage.progress(1, 2)
    assert share.seen == [Fraction(1, 6), Fraction(3, 6), Fraction(5, 6)]


# --- claims


def accepted(_: CheckContext) -> Finding:
    raise NotImplementedError("only its claim is looked at")


@pytest.mark.parametrize("bad", ["paper", "paper.", ".name", "paper.a name", "", "a\t.b"])
def test_an_id_is_paper_and_name(bad: str) -> None:
    with pytest.raises(InvalidInputError, match=r"Claim\.id"):
        Claim(
            id=bad,
            kind=Kind.THEOREM,
            source="",
            title="",
            statement="",
            check=accepted,
            expected=Status.HOLDS,
        )


def test_budgets_are_positive_counts() -> None:
    for name in ("exhaustive", "samples", "shrinks", "size"):
        with pytest.raises(InvalidInputError, match=name):
            replace(Budget(exhaustive=1, samples=1, shrinks=1, size=1), **{name: 0})


def test_a_seed_is_derived_from_the_run_and_the_name_alone() -> None:
    assert spawn_seed(1, "paper.a") == spawn_seed(1, "paper.a")
    seeds = {
        spawn_seed(s, name) for s in range(20) for name in ("paper.a", "paper.b", "a.b", "b.a")
    }
    assert len(seeds) == 80
    with pytest.raises(InvalidInputError, match="seed"):
        spawn_seed(-1, "paper.a")


def test_a_generator_is_the_same_for_the_same_seed() -> None:
    draws = [context(seed=s).generator().integers(2**60) for s in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]
