"""The rows: what the issues ask stands in them, and a wrong answer of either side is seen."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks.harness import Bench, Growth, Row, run_python
from benchmarks.harness.targets import Figures
from benchmarks.rows import (
    collect,
    commands,
    incentives,
    information,
    inspection,
    marginal_value,
    teams,
)

ORACLE = "grows no faster than one call of the smooth oracle, exponent less its exponent at most 0"
ASKED = {  # the numbers of issues 2 to 8, and 20
    "information.ex-ante-value": ["at most 3 times a plain copy of the utilities"],
    "commands.help": ["at most 0.3 s"],
    "commands.import": ["times the import of numpy alone at most 2"],
    "commands.verify": ["at most 60 s"],
    "commands.verify-first": ["seconds to the first finding at most 3"],
    "commands.verify-all": ["at most 75 s"],
    "inspection.recursive-float": ["at most 1 s", "at most 1 s on the first call"],
    "inspection.recursive-fraction": ["at most 20 s", "at most 20 s on the first call"],
    "inspection.best": ["at most 10 s", "at most 10 s on the first call"],
    "inspection.theorem-3.3": ["at most 60 s"],
    "marginal-value.float": ["at most 0.5 s"],
    "marginal-value.exact": ["at most 10 s"],
    "incentives.second-price-arrays": ["at least 100 times faster than mechaudit"],
    "incentives.first-price-arrays": ["at least 100 times faster than mechaudit"],
    "incentives.second-price-plain": ["at least 5 times faster than mechaudit"],
    "incentives.first-price-plain": ["at least 5 times faster than mechaudit"],
    "incentives.second-price-alone": ["at most 2 s"],
    "incentives.first-price-alone": ["at most 2 s"],
    "incentives.refuted-plain": ["at most 1 s"],
    "incentives.refuted-jax": ["at most 1 s"],
    "learning.regret-matching-compiled": ["at least 50 times faster than OpenSpiel, in Python"],
    "learning.regret-matching-protocol": ["at least 2 times faster than OpenSpiel, in Python"],
    "learning.fictitious-play-compiled-quantecon": ["at least 1 times faster than QuantEcon"],
    "learning.fictitious-play-compiled-nashpy": ["at least 1 times faster than Nashpy"],
    "learning.fictitious-play-protocol-quantecon": ["at least 1 times faster than QuantEcon"],
    "learning.fictitious-play-protocol-nashpy": ["at least 1 times faster than Nashpy"],
    "learning.first-blotto": ["at most 4 s"],
    "large-game.algorithm-1-growth": [ORACLE],
    "large-game.constant-maps-growth": [ORACLE],
    "large-game.blum-mansour-16-maps": ["at least 100 times faster than Blum-Mansour, ours"],
    "large-game.blum-mansour-1000-maps": ["at least 100 times faster than Blum-Mansour, ours"],
    "large-game.million": [
        "at most 300 s",
        "average external regret at most 0.1",
        "average internal regret at most 0.1",
        "most megabytes of the process at most 1,000",
    ],
    "fixed-points.dense": [
        "at least 100 times faster than HiGHS through SciPy",
        "residual at most 1.0e-14",
    ],
    "fixed-points.sparse": [
        "at least 50 times faster than HiGHS through SciPy",
        "residual at most 1.0e-14",
    ],
    "softmax-auction.one-exponential": [
        "at most 2 times numpy.exp of the rewards, into a given array"
    ],
    "softmax-auction.direct": [
        "at least 100 times faster than equations (8) and (10) as written, in NumPy"
    ],
    "softmax-auction.many": ["at least 20 times faster than a NumPy loop over queries"],
    "softmax-auction.small": ["at most 0.03 s"],
    "softmax-auction.compilation": ["at most 2 s"],
    "softmax-auction.new-values": ["compilations for other values at most 0"],
    "softmax-jax.one-exponential": ["at most 2 times jax.numpy.exp of the rewards"],
    "softmax-jax.gpu-exponential": ["at most 2 times jax.numpy.exp of the rewards, on the GPU"],
    "softmax-jax.new-values": ["compilations for other values at most 0"],
    "softmax-auction.accuracy": ["relative error at most 1.0e-12"],
    "softmax-auction.accuracy-extreme": ["payments beyond their error bound at most 0"],
    "softmax-auction.compensated": ["relative error at most 1.0e-12"],
    "local-model.scoring": ["at most 15 s"],
    "adapters.throughput-8": ["at most 1.39 s"],
    "adapters.throughput-10": ["at most 1.39 s"],
    "adapters.overhead": ["milliseconds a call at most 1"],
    "play.step": ["at most 0.01 s"],
    "play.state": ["at most 0.001 s"],
    "play.advertising": ["at most 1.5 times a loop that calls the models"],
    "ascending.auctions": ["at most 0.02 s"],
    "ascending.many-compiled": ["at most 0.2 s"],
    "ascending.many-arrays": ["at most 0.25 s"],
    "ascending.exact": ["at most 20 s"],
    "market.retrieval": [
        "at most 0.11 s",
        "at least 18 times faster than rank_bm25 with the idf of ours",
    ],
    "market.retrieval-sparse": ["at most 0.11 s"],
    "market.questions": ["at most 0.55 s"],
}


@cache
def benches() -> dict[str, Bench]:
    return collect()


def row(name: str) -> Row:
    found = benches()[name]
    assert isinstance(found, Row)
    return found


def test_every_issue_that_states_a_speed_has_rows() -> None:
    assert {bench.issue for bench in benches().values()} == {*range(2, 10), 20, 23, 24, 25}


def test_the_targets_are_those_of_the_issues() -> None:
    said = {}
    for bench in benches().values():
        if bench.targets:
            figures = Figures(peer_name=getattr(bench, "peer_name", ""))
            said[bench.id] = [target.says(figures) for target in bench.targets]
    assert said == ASKED


def test_every_row_has_a_topic() -> None:
    for bench in benches().values():
        assert "." in bench.id
        assert bench.work


@pytest.mark.parametrize("name", ["marginal-value.histories", "teams.optimum"])
def test_sides_agree_and_an_answer_that_is_off_is_seen(name: str) -> None:
    bench = row(name)
    assert bench.peer is not None
    assert bench.agree is not None
    ours, theirs = bench.ours(), bench.peer()
    assert bench.agree(ours, theirs) == ""
    assert bench.agree(ours - 100, theirs)


def test_the_ex_ante_value_is_compared_with_plain_numpy() -> None:
    ours = information._ours(1000)
    agree = row("information.ex-ante-value/numpy").agree
    assert agree is not None
    assert agree(ours, information._plain(1000)) == ""
    assert agree(ours * (1 + 1e-6), information._plain(1000))
    assert row("information.ex-ante-value").agree is not agree  # the copy's answer is no value


@pytest.mark.parametrize("kind", [float, inspection.Fraction])
def test_inspection_is_compared_with_enumeration(kind: type) -> None:
    case = inspection._case((2, 2), 6, 3, kind)
    bench = row(f"inspection.recursive-{kind.__name__.lower()}")
    assert bench.agree is not None
    ours = inspection._recursive(case)
    assert bench.agree(ours, inspection._plain_recursive(case)) == ""
    assert bench.agree(ours + 1, inspection._plain_recursive(case))


def test_the_best_of_all_is_no_worse_than_the_best_of_some() -> None:
    bench = row("inspection.best")
    assert bench.agree is not None
    assert bench.agree([2, 3], [2, 2]) == ""
    assert "[1]" in bench.agree([2, 3], [2, 4])


def test_what_enumeration_leaves_out_is_counted() -> None:
    # each of four nodes of x^1 picks one of 2^2 subsets: 4^4 ways; with 500 tried nothing is left
    assert inspection._ways([inspection._case((2,), 4, 3)]) == 1.0
    assert inspection._ways(inspection._sixteen()) > 1e9
    assert teams._strategies() > 1e20


@pytest.mark.slow
def test_the_story_of_theorem_3_3_is_checked_by_enumeration() -> None:
    failing = zip(
        inspection._two_states(),
        inspection._fails(inspection._recursive, inspection._best),
        strict=True,
    )
    smallest = min((each for each, fails in failing if fails), key=lambda each: each.order)
    case = inspection._plain_case(smallest.instance)
    recursive, best = inspection._recursive(case), inspection._best(case)
    assert best > recursive
    told = f"{recursive} {best}"
    assert run_python("-c", inspection.SMALLEST).strip() == told
    story = f"the best admissible\n  protocol is worth {best}, x_* {recursive}.\n"
    assert inspection._told(story, told) == ""
    assert inspection._told(story.replace(f"worth {best}", "worth 99"), told)
    assert inspection._told(story, f"{best} {recursive}")


@pytest.mark.parametrize("name", incentives.TRUTHFUL)
@pytest.mark.parametrize("way", incentives.TIMES)
def test_verdicts_and_lies_are_compared_with_mechaudit(name: str, way: str) -> None:
    ours = incentives._ours(name, 5, way, incentives.PROPERTIES)
    theirs = incentives._theirs(name, 5)
    assert incentives._agree(name, ours, theirs) == ""
    (other,) = set(incentives.TRUTHFUL) - {name}
    assert incentives._agree(name, ours, incentives._theirs(other, 5))
    assert incentives._agree(other, ours, theirs)
    assert incentives._agree(name, incentives._ours(other, 5, way, incentives.PROPERTIES), theirs)


def test_a_verdict_that_is_wrong_on_real_types_is_not_timed() -> None:
    report = incentives._ours("second price", 5, "plain", ["dsic"])
    with pytest.raises(ArithmeticError, match="dsic is holds"):
        incentives._right("first price", report)


def test_the_equilibrium_is_compared_with_plain_recursion() -> None:
    for kind in (float, marginal_value.Fraction):
        for single in (False, True):
            ours = marginal_value._ours(5, kind, single)
            for method in (marginal_value.BY_SETS, marginal_value.BY_HISTORIES):
                assert marginal_value._plain(method, 5, kind, single) == ours


def test_growth_starts_where_both_sides_are_cheap() -> None:
    for name in ("marginal-value.growth", "incentives.growth"):
        bench = benches()[name]
        assert isinstance(bench, Growth)
        assert bench.peer is not None
        assert bench.agree is not None
        n = bench.sizes[0]
        assert bench.agree(bench.ours(n)(), bench.peer(n)()) == ""


def test_the_import_is_timed_within_its_process() -> None:
    assert 0 < commands._imported("json") < 100


def test_numbers_that_are_drawn_are_a_prior() -> None:
    p, u, signal = information._numbers(100)
    assert np.isclose(p.sum(), 1)
    assert u.shape == (information.ACTIONS, 100)
    assert signal.max() < information.SIGNALS
