"""Running checks: what agrees, what depends on what, and what happens when one goes wrong."""

from __future__ import annotations

import functools
import multiprocessing
import sys
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

import pytest
import sample_broken as broken
import sample_claims as sample

from mechproof.code_location import locations
from mechproof.profiles import PROFILES
from mechproof.registry import Registry, load
from mechproof.run import ClaimResult, RunResult, Watcher, verify
from theory.claims import Check, CheckContext, Claim, spawn_seed
from theory.errors import InvalidInputError, UnknownNameError
from theory.verdicts import Finding, Status, Strength

CLAIMS = sample.CLAIMS


def findings(run: RunResult) -> list[Finding | None]:
    return [result.finding for result in run.results]


def result_of(run: RunResult, claim: Claim) -> ClaimResult:
    found = run.result_of(claim.id)
    assert found is not None
    return found


@pytest.mark.parametrize("expected", Status)
@pytest.mark.parametrize("least", Strength)
def test_a_claim_agrees_exactly_when_status_and_strength_do(
    expected: Status, least: Strength
) -> None:
    claim = replace(CLAIMS[0], expected=expected, least={"quick": least})
    run = verify([claim])
    agrees = expected == Status.HOLDS and least != Strength.PROVED
    assert run.results[0].agrees is agrees
    assert run.agrees is agrees
    assert run.exit_status == (0 if agrees else 1)
    assert bool(run.results[0].disagreement) is not agrees


def test_the_least_strength_is_that_of_the_profile() -> None:
    claim = replace(CLAIMS[0], least={"full": Strength.PROVED})
    assert verify([claim], profile="quick").agrees
    assert not verify([claim], profile="full").agrees


def test_findings_depend_on_neither_processes_nor_selection_nor_order() -> None:
    alone = verify(CLAIMS)
    pooled = verify(CLAIMS, jobs=2)
    assert findings(alone) == findings(pooled)
    assert [r.claim.id for r in pooled.results] == [claim.id for claim in CLAIMS]
    backwards = verify(CLAIMS[::-1])
    assert findings(backwards) == findings(alone)[::-1]
    assert findings(verify(CLAIMS[-1:])) == findings(alone)[-1:]


def test_the_seed_reaches_the_check() -> None:
    runs = [verify(CLAIMS[-1:], seed=seed) for seed in (0, 1, 0)]
    assert findings(runs[0]) == findings(runs[2])
    assert findings(runs[0]) != findings(runs[1])
    found = runs[1].results[0].finding
    assert found is not None
    assert found.scope.seed == spawn_seed(1, CLAIMS[-1].id)


def test_the_budget_of_the_profile_reaches_the_check() -> None:
    for profile, budget in PROFILES.items():
        found = verify(CLAIMS[-1:], profile=profile).results[0].finding
        assert found is not None
        assert found.scope.instances == budget.samples


class Recorder(Watcher):
    def __init__(self) -> None:
        self.heard: list[tuple[str, int, int]] = []
        self.done: list[str] = []

    def progress(self, claim_id: str, done: int, total: int) -> None:
        self.heard.append((claim_id, done, total))

    def finish(self, result: ClaimResult) -> None:
        self.done.append(result.claim.id)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_watcher_hears_of_every_claim(jobs: int) -> None:
    watcher = Recorder()
    verify(CLAIMS, jobs=jobs, watcher=watcher)
    assert sorted(watcher.done) == sorted(claim.id for claim in CLAIMS)
    assert (CLAIMS[0].id, 1, 300) in watcher.heard
    assert {name for name, _, _ in watcher.heard} <= {claim.id for claim in CLAIMS}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_check_that_raises_is_named_and_the_others_run(jobs: int) -> None:
    run = verify([broken.RAISES, broken.LEAVES, broken.RETURNS_NOTHING, CLAIMS[0]], jobs=jobs)
    raised, left, empty, sound = run.results
    assert "ZeroDivisionError: one over nothing" in raised.error
    assert "sample_broken.py:" in raised.error
    assert "\n" not in raised.error
    assert "SystemExit" in left.error
    assert "NoneType" in empty.error
    assert sound.agrees
    assert run.exit_status == 2
    assert run.counts == {Status.HOLDS: 1}


def test_an_error_outweighs_a_disagreement() -> None:
    assert verify([broken.UNEXPECTED]).exit_status == 1
    assert verify([broken.UNEXPECTED, broken.RAISES]).exit_status == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_worker_that_dies_is_named_and_the_others_run() -> None:
    run = verify([*CLAIMS[:2], broken.DIES, *CLAIMS[2:]], jobs=2)
    assert "died" in result_of(run, broken.DIES).error
    assert all(result_of(run, claim).agrees for claim in CLAIMS)
    assert run.exit_status == 2
    assert not multiprocessing.active_children()


def test_a_check_that_cannot_be_sent_is_refused_before_the_run() -> None:
    assert verify([broken.LOCAL]).agrees
    watcher = Recorder()
    with pytest.raises(InvalidInputError, match=r"broken\.local.*another process.*--jobs 1"):
        verify([CLAIMS[0], broken.LOCAL], jobs=2, watcher=watcher)
    assert not watcher.done


def test_an_interrupt_stops_the_workers() -> None:
    class Impatient(Recorder):
        def progress(self, claim_id: str, done: int, total: int) -> None:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify([broken.SLEEPS, CLAIMS[0]], jobs=2, watcher=Impatient())
    assert not multiprocessing.active_children()


def test_nothing_to_run_is_an_error() -> None:
    with pytest.raises(InvalidInputError, match="claims"):
        verify([])
    with pytest.raises(InvalidInputError, match="jobs"):
        verify(CLAIMS, jobs=0)
    with pytest.raises(InvalidInputError, match="seed"):
        verify(CLAIMS, seed=-1)
    with pytest.raises(UnknownNameError, match="did you mean 'quick'"):
        verify(CLAIMS, profile="quik")


def test_corrections_are_known_whether_run_or_not() -> None:
    run = verify(CLAIMS[1:2], known=CLAIMS)
    assert [claim.id for claim in run.corrections_of("sample.primes")] == ["sample.primes.c1"]
    assert run.result_of("sample.primes.c1") is None


def module(path: Path, name: str, claims: str) -> str:
    text = f"from dataclasses import replace\nimport sample_claims as s\n{claims}\n"
    (path / f"{name}.py").write_text(text, encoding="utf-8")
    return name


def test_modules_of_claims_are_found_and_selected() -> None:
    registry = load(["sample_claims", "sample_claims"])
    mine = registry.select(papers=["sample"])
    assert mine == CLAIMS
    assert registry.select(ids=["sample.mean", "sample.squares"]) == (CLAIMS[0], CLAIMS[3])
    assert registry.select(papers=["sample"], ids=["sample.mean"]) == CLAIMS
    assert registry.select() == registry.claims
    assert registry.claims[-len(CLAIMS) :] == CLAIMS


def test_unknown_names_come_with_the_nearest() -> None:
    registry = Registry(CLAIMS)
    with pytest.raises(UnknownNameError, match=r"--claim.*sample\.squars.*'sample\.squares'"):
        registry.select(ids=["sample.squars"])
    with pytest.raises(UnknownNameError, match=r"--paper.*sampel.*'sample'"):
        registry.select(papers=["sampel"])
    with pytest.raises(UnknownNameError, match=r"--module.*sample_claim'.*'sample_claims'"):
        load(["sample_claim"])
    with pytest.raises(UnknownNameError, match=r"--module.*'mechproof.registry'"):
        load(["mechproof.registrie"])


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        ("CLAIMS = s.CLAIMS[:1]", r"both sample_claims and mine .*sample\.squares"),
        ("CLAIMS = [s.CLAIMS[0]]", "no tuple CLAIMS"),
        ("CLAIMS = (1,)", "no tuple CLAIMS"),
        ("", "no tuple CLAIMS"),
        ("1 / 0", r"fails to import: ZeroDivisionError.*mine\.py:3"),
        ("import no_such_module", "fails to import: ModuleNotFoundError"),
        (
            "CLAIMS = (replace(s.CLAIMS[0], id='a.b', corrects='sample.prime'),)",
            r"a\.b\.corrects.*did you mean 'sample\.primes'",
        ),
        (
            "CLAIMS = (replace(s.CLAIMS[0], id='a.b', least={'quik': s.Strength.EXACT}),)",
            r"a\.b\.least.*did you mean 'quick'",
        ),
    ],
)
def test_a_faulty_module_is_refused(
    claims: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    name = module(tmp_path, "mine", claims)
    monkeypatch.delitem(sys.modules, name, raising=False)
    with pytest.raises(InvalidInputError, match=message):
        load(["sample_claims", name])
    sys.modules.pop(name, None)


@dataclass(frozen=True)
class Composed:
    family: Check
    conclusion: Check

    def __call__(self, context: CheckContext) -> Finding:
        return self.family(context)

    def method(self, context: CheckContext) -> Finding:
        return self.conclusion(context)


def names(check: object) -> list[str]:
    return [location.name for location in locations(check)]


def test_where_the_code_is() -> None:
    assert names(sample.squares) == ["squares"]
    assert names(functools.partial(sample.squares)) == ["squares"]
    composed = Composed(family=sample.squares, conclusion=functools.partial(sample.primes))
    assert names(composed) == ["Composed", "squares", "primes"]
    assert names(composed.method) == ["Composed.method", "Composed", "squares", "primes"]
    for location in locations(composed):
        path, line = location.place.split(":")
        assert not PurePath(path).is_absolute()
        assert path.endswith(".py")
        assert int(line) > 0


def test_the_line_is_that_of_the_definition() -> None:
    (location,) = locations(sample.primes)
    with open(sample.__file__, encoding="utf-8") as file:
        lines = file.read().splitlines()
    assert lines[int(location.place.split(":")[1]) - 1].startswith("def primes(")
