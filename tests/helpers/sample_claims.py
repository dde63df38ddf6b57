"""Claims for the tests of the command: small, exact, one of each kind of outcome."""

from __future__ import annotations

from fractions import Fraction

from theory.claims import CheckContext, Claim, Kind
from theory.verdicts import (
    Bars,
    Counterexample,
    DiagramNode,
    Exhibit,
    Finding,
    Scope,
    Status,
    Strength,
    Table,
    TreeDiagram,
)


def squares(context: CheckContext) -> Finding:
    """The sum of the first n odd numbers is n squared, for every n up to the budget."""
    last = min(context.budget.exhaustive, 300)
    for n in range(1, last + 1):
        context.progress(n, last)
        assert sum(range(1, 2 * n, 2)) == n * n
    return Finding(
        status=Status.HOLDS,
        strength=Strength.EXACT,
        scope=Scope(
            family="every n from 1",
            instances=last,
            met_hypotheses=last,
            nontrivial=last - 1,
            sizes=f"1 to {last}",
            exhausted=True,
        ),
        reason="both sides agree for every n",
        evidence=(
            "The sums were added term by term.",
            Bars(
                caption="Partial sums of odd numbers",
                unit="sum",
                labels=("n = 1", "n = 2", "n = 3", "less than <none>"),
                values=(1.0, 4.0, 9.0, -2.5),
            ),
        ),
    )


def factored(n: int, value: int, factor: int) -> Exhibit:
    """A composite value as a story, a table and a tree."""
    other = value // factor
    return Exhibit(
        summary=f"n = {n}: n² + n + 41 = {value} is divisible by {factor}",
        story=(
            f"A believer in the formula tries n = {n} & hopes for a prime < 2000.",
            f"A sceptic divides the value by {factor}, and nothing is left over.",
        ),
        tables=(
            Table(
                caption="The value and its factors",
                columns=("n", "n² + n + 41", "factor", "other factor"),
                rows=((str(n), str(value), str(factor), str(other)),),
            ),
        ),
        diagrams=(
            TreeDiagram(
                caption=f"What divides <{value}>",
                nodes=(
                    DiagramNode(-1, "", f"is {value} prime?"),
                    DiagramNode(0, "divide", f"{factor} & {other}", "a prime", ("sceptic",)),
                    DiagramNode(0, "believe", "wrong", "a prime", ("believer",)),
                ),
                legend=(("believer", "takes it on trust"), ("sceptic", "tries > 1 divisor")),
            ),
        ),
    )


def primes(context: CheckContext) -> Finding:
    """n² + n + 41 is prime for every n >= 0: false at n = 40."""
    for n in range(context.budget.exhaustive):
        value = n * n + n + 41
        factor = next((d for d in range(2, int(value**0.5) + 1) if value % d == 0), None)
        if factor is not None:
            return Finding(
                status=Status.REFUTED,
                strength=Strength.EXACT,
                scope=Scope(
                    family="every n from 0",
                    instances=n + 1,
                    met_hypotheses=n + 1,
                    nontrivial=n + 1,
                    sizes=f"0 to {n}",
                    exhausted=True,
                ),
                reason=f"{value} = {factor} · {value // factor}",
                counterexample=Counterexample(
                    exhibit=factored(n, value, factor),
                    minimality="every smaller n gives a prime",
                ),
            )
    raise AssertionError("no composite value within the budget")


def primes_below(context: CheckContext) -> Finding:
    """n² + n + 41 is prime for 0 <= n < 40."""
    values = [n * n + n + 41 for n in range(40)]
    prime = all(value % d for value in values for d in range(2, int(value**0.5) + 1))
    return Finding(
        status=Status.HOLDS if prime else Status.REFUTED,
        strength=Strength.EXACT,
        scope=Scope(
            family="n from 0 to 39",
            instances=40,
            met_hypotheses=40,
            nontrivial=40,
            sizes="0 to 39",
            exhausted=True,
        ),
        reason="trial division finds no factor",
    )


def mean_of_draws(context: CheckContext) -> Finding:
    """A measurement that depends on the seed and on nothing else."""
    draws = context.generator().integers(0, 100, size=context.budget.samples)
    mean = Fraction(int(draws.sum()), len(draws))
    return Finding(
        status=Status.MEASURED,
        strength=Strength.TESTED,
        scope=Scope(
            family="uniform integers below 100",
            instances=len(draws),
            met_hypotheses=len(draws),
            nontrivial=len(draws),
            sizes="one draw",
            seed=context.seed,
        ),
        reason=f"mean {mean}",
        tolerances={"display": "none"},
    )


CLAIMS = (
    Claim(
        id="sample.squares",
        kind=Kind.THEOREM,
        source="sample, lemma 1",
        title="Odd numbers add up to squares",
        statement=r"For every $n\ge 1$, $\sum_{k=1}^{n} (2k-1) = n^2$.",
        hypotheses=(r"$n$ is a natural number", r"nothing costs more than \$5"),
        reading=r"The empty sum is left out, so $n \ne 0$.",
        proof_idea=r"Add the odd number $2n+1$ to $n^2$.",
        proof="docs/sample.md#squares",
        check=squares,
        expected=Status.HOLDS,
        least={"quick": Strength.CERTIFIED},
    ),
    Claim(
        id="sample.primes",
        kind=Kind.THEOREM,
        source="sample, theorem 2 & <remark>",
        title="A polynomial whose values are prime",
        statement=r"$n^2+n+41$ is prime for every $n\ge 0$.",
        check=primes,
        expected=Status.REFUTED,
        note="Euler only spoke of the first forty values.",
    ),
    Claim(
        id="sample.primes.c1",
        kind=Kind.THEOREM,
        source="a correction of ours",
        title="The first forty values are prime",
        statement=r"$n^2+n+41$ is prime for $0\le n<40$.",
        check=primes_below,
        expected=Status.HOLDS,
        corrects="sample.primes",
    ),
    Claim(
        id="sample.mean",
        kind=Kind.MEASUREMENT,
        source="sample, sec. 3",
        title="The mean of a draw",
        statement=r"The mean of a uniform draw from $\{0,\dots,99\}$ is near $\frac{99}{2}$.",
        check=mean_of_draws,
        expected=Status.MEASURED,
    ),
)
