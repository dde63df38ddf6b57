"""Inspection protocols beside plain enumerations of the same definitions (issue 3).

Ours builds the problem from plain data, solves it and checks the answer. Where the enumeration
would not end it tries some ways to buy, and all of them are taken to cost as much each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache, partial
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from benchmarks.harness import AtMostSeconds, Growth, Ladder, Row, Work, close_to, run_python, same

if TYPE_CHECKING:
    from .plain_inspection import Case

PEER = "plain enumeration"
TRIED = 500  # ways to buy that an enumeration tries where it would not end
SAMPLES = 30  # problems of three states, of the 2,000 that the quick profile samples
CLAIM = "volition.theorem-3.3"
SMALLEST = """
from benchmarks.rows.inspection import plain_smallest
print(*plain_smallest())
"""

Size = tuple[tuple[int, ...], int]
Solve = Callable[["Case"], Any]


@cache
def _case(
    goods: tuple[int, ...], states: int, actions: int, kind: type = Fraction, seed: int = 0
) -> Case:
    from .plain_inspection import draw

    return draw(seed, goods, states, actions, kind)


def _problem(case: Case) -> Any:
    from theory.decision import DecisionProblem
    from theory.information import Good
    from theory.inspection import InspectionProblem
    from theory.probability import ProbabilitySpace, Variable

    decision = DecisionProblem.of(ProbabilitySpace.of(case.p), dict(enumerate(case.utilities)))
    levels = [
        [
            Good.of(f"{n}.{j}", Variable.of("shown", shows), price)
            for j, (shows, price) in enumerate(level)
        ]
        for n, level in enumerate(case.levels, 1)
    ]
    return InspectionProblem.of(decision, levels)


def _recursive(case: Case) -> Any:
    from theory.inspection import recursive_inspection

    return recursive_inspection(_problem(case)).value


def _best(case: Case) -> Any:
    from theory.inspection import best_admissible

    return best_admissible(_problem(case)).value


def _plain_recursive(case: Case) -> Any:
    from .plain_inspection import recursive_value

    return recursive_value(case)


def _plain_best(case: Case, tried: int | None = None) -> Any:
    from .plain_inspection import best_of_purchases

    return best_of_purchases(case, tried)


def _plain_best_of_all(case: Case) -> Any:
    from .plain_inspection import best_of_all_protocols

    return best_of_all_protocols(case)


def _prepared(what: tuple[tuple[int, ...], int, int, type]) -> None:
    """Build the problem, and load what ours needs, so that a call that is done once is warm."""
    _recursive(_case((1,), 2, 2))
    _case(*what)


def _recursive_row(kind: type, target: float) -> Row:
    what = ((4, 4, 4), 256, 4, kind)
    return Row(
        id=f"inspection.recursive-{kind.__name__.lower()}",
        issue=3,
        work=f"recursive protocol, 4 goods on each of 3 levels, 256 states, {kind.__name__}",
        ours=lambda: _recursive(_case(*what)),
        peer=lambda: _plain_recursive(_case(*what)),
        peer_name=PEER,
        agree=same if kind is Fraction else close_to(1e-9),
        prepare=partial(_prepared, what),
        target=(AtMostSeconds(target), AtMostSeconds(target, "cold")),
        repeats=5 if kind is float else 0,
        quick=kind is float,
    )


@cache
def _sixteen() -> list[Case]:
    """Fifteen problems of four binary goods and sixteen states."""
    return [_case((4,), 16, actions, seed=seed) for actions in (2, 3, 4) for seed in range(5)]


def _ways(cases: Sequence[Case]) -> float:
    """How many times as many ways there are to buy as those that are tried."""
    from .plain_inspection import count_protocols

    counts = [count_protocols(case, 1) for case in cases]
    return sum(counts) / sum(min(TRIED, count) for count in counts)


def _no_worse(ours: list[Any], theirs: list[Any]) -> str:
    """The best of all protocols is worth at least the best of some."""
    worse = [case for case, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a < b]
    return f"ours is worth less than some protocol in cases {worse}" if worse else ""


@cache
def _two_states() -> list[Any]:
    """All members of the family of Theorem 3.3 with two states, in order."""
    from papers.volition.checks.inspection_families import PROBLEMS

    return [member for member in PROBLEMS.members(2) if member is not None]


def _plain_case(instance: Any) -> Case:
    from .plain_inspection import Case

    total = sum(instance.weights)
    return Case(
        [Fraction(weight, total) for weight in instance.weights],
        instance.utilities,
        [[(offer.shows, offer.price) for offer in level] for level in instance.levels],
    )


@cache
def _two_state_cases() -> list[Case]:
    return [_plain_case(member.instance) for member in _two_states()]


def _fails(recursive: Solve, best: Solve) -> list[bool]:
    return [best(case) > recursive(case) for case in _two_state_cases()]


@cache
def _three_states() -> list[Case]:
    import numpy as np

    from papers.volition.checks.inspection_families import PROBLEMS

    generator = np.random.default_rng(0)
    drawn = (PROBLEMS.sample(3, generator) for _ in count())
    met = (member for member in drawn if member is not None)
    return [_plain_case(member.instance) for member in islice(met, SAMPLES)]


def plain_smallest() -> tuple[Fraction, Fraction]:
    """What the two protocols are worth on the smallest failing problem, by enumeration."""
    failing = zip(_two_states(), _fails(_plain_recursive, _plain_best_of_all), strict=True)
    smallest = min((each for each, fails in failing if fails), key=lambda each: each.order)
    case = _plain_case(smallest.instance)
    return _plain_recursive(case), _plain_best_of_all(case)


def _told(shown: str, smallest: str) -> str:
    """The story is about a problem on which the protocols are worth what enumeration says."""
    recursive, best = smallest.split()
    told = f"the best admissible protocol is worth {best}, x_* {recursive}."
    return "" if told in " ".join(shown.split()) else f"the story does not say {told!r}"


RECURSIVE: list[Size] = [((3, 3, 3), 256), ((4, 4, 4), 256)]
RECURSIVE += [((4, 4, 4), states) for states in (512, 1024, 2048, 4096, 8192)]
ONE_LEVEL: list[Size] = [((2,), 4), *(((3,), states) for states in (5, 6, 7, 8))]
ONE_LEVEL += [((goods,), 2**goods) for goods in (4, 5, 6, 7, 8)]
DEEPER: list[Size] = [*(((2, 1), states) for states in (3, 4, 5, 8)), ((2, 2), 16)]
DEEPER += [((2, 2, 2), 16), ((3, 3), 16), ((4, 4), 16)]
DEEPER += [((3, 3, 3), states) for states in (16, 32, 64)]

LADDERS: list[tuple[str, str, Sequence[Size], type, Solve, Solve]] = [
    ("recursive-float", "recursive, float64", RECURSIVE, float, _recursive, _plain_recursive),
    ("recursive-exact", "recursive, exact", RECURSIVE, Fraction, _recursive, _plain_recursive),
    ("best", "best admissible, one level", ONE_LEVEL, Fraction, _best, _plain_best),
    ("best-deep", "best admissible, several levels", DEEPER, Fraction, _best, _plain_best),
]


def _steps(
    sizes: Sequence[Size], kind: type, solves: dict[str, Solve], method: str
) -> Iterator[tuple[str, Work]]:
    for goods, states in sizes:
        name = f"{'+'.join(map(str, goods))} goods on {states:,} states"
        yield name, partial(_climb, solves[method], goods, states, kind)


def _climb(solve: Solve, goods: tuple[int, ...], states: int, kind: type) -> Any:
    return solve(_case(goods, states, 3, kind))


def _grown(states: int) -> Work:
    case = _case((3, 3, 3), states, 4)
    return lambda: _recursive(case)


def _plain_grown(states: int) -> Work:
    return partial(_plain_recursive, _case((3, 3, 3), states, 4))


def rows() -> Iterator[Row | Growth | Ladder]:
    yield _recursive_row(float, 1)
    yield _recursive_row(Fraction, 20)
    small = ((3,), 5, 3)
    yield Row(
        id="inspection.best-small",
        issue=3,
        work="best admissible protocol, 3 goods, 5 states, exact",
        ours=lambda: _best(_case(*small)),
        peer=lambda: _plain_best(_case(*small)),
        peer_name=PEER,
        agree=same,
        prepare=partial(_case, *small),
        repeats=3,
    )
    yield Row(
        id="inspection.best",
        issue=3,
        work="best admissible protocol, 4 binary goods, 16 states, exact, 15 problems in a row "
        "(the target is for one)",
        ours=lambda: [_best(case) for case in _sixteen()],
        peer=lambda: [_plain_best(case, TRIED) for case in _sixteen()],
        peer_name=PEER,
        agree=_no_worse,
        prepare=_sixteen,
        target=(AtMostSeconds(10), AtMostSeconds(10, "cold")),
        repeats=5,
        peer_scale=lambda: _ways(_sixteen()),
    )
    yield Row(
        id="inspection.theorem-3.3-two-states",
        issue=3,
        work="which problems of two states refute Theorem 3.3, all in the family",
        ours=partial(_fails, _recursive, _best),
        peer=partial(_fails, _plain_recursive, _plain_best_of_all),
        peer_name=PEER,
        agree=same,
        prepare=_two_state_cases,
        repeats=3,
        quick=False,
    )
    yield Row(
        id="inspection.theorem-3.3-three-states",
        issue=3,
        work=f"best admissible protocols of {SAMPLES} sampled problems of three states, exact",
        ours=lambda: [_best(case) for case in _three_states()],
        peer=lambda: [_plain_best(case, TRIED) for case in _three_states()],
        peer_name=PEER,
        agree=_no_worse,
        prepare=_three_states,
        repeats=3,
        peer_scale=lambda: _ways(_three_states()),
        quick=False,
    )
    yield Row(
        id="inspection.theorem-3.3",
        issue=3,
        work="the smallest counterexample to Theorem 3.3 from a cold start, a whole process; ours "
        "judges 2,000 problems of three states, too, and tells the story",
        ours=partial(run_python, "-m", "mechproof", "explain", CLAIM),
        peer=partial(run_python, "-c", SMALLEST),
        peer_name=f"{PEER} of all problems of two states",
        agree=_told,
        target=AtMostSeconds(60),
        repeats=0,
        cold=False,
        quick=False,
    )
    yield Growth(
        id="inspection.growth",
        issue=3,
        work="recursive protocol by states, 3 goods on each of 3 levels, exact",
        sizes=(16, 32, 64, 128, 256),
        ours=_grown,
        peer=_plain_grown,
        peer_name=PEER,
        agree=same,
        peer_up_to=64,
        repeats=3,
    )
    for name, what, sizes, kind, ours, plain in LADDERS:
        yield Ladder(
            id=f"inspection.largest-{name}",
            issue=3,
            work=f"{what}, three actions",
            methods=("ours", PEER),
            steps=partial(_steps, sizes, kind, {"ours": ours, PEER: plain}),
        )
