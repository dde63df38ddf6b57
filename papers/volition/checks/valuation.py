"""volition, eqs. (1) and (2): what pins down realised, ex-post and ex-ante value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from papers.volition.checks.families import InformationInstance
from theory.decision import Decision
from theory.information import Good, InformationValue, perfect_information, value_of_information
from theory.search import Trial

__all__ = ["ExPostValueLaws", "RealisedValueLaws"]

Valuation = Callable[[Decision, Good], InformationValue]


@dataclass(frozen=True)
class RealisedValueLaws:
    """What pins eq. (1) down: a transcription of it, and five consequences."""

    value: Valuation = value_of_information

    def __call__(self, instance: InformationInstance) -> Trial:
        """Check every law; non-trivial where the good changes the choice."""
        value = self.value(instance.problem, instance.good)
        realised, price = value.realised.scalars(), instance.price
        best = _first_best_by_block(instance)
        default = _first_best(instance, range(len(instance.weights)))
        transcribed = [
            u[best[i]] - u[default] - price
            for u, i in zip(_by_state(instance), instance.signal, strict=True)
        ]
        shifted = InformationInstance(
            instance.weights,
            tuple(tuple(u + w for w, u in enumerate(row)) for row in instance.utilities),
            instance.signal,
            price,
        )
        dearer = self.value(instance.problem, instance.reprice(price + 1).good)
        silent = InformationInstance(
            instance.weights, instance.utilities, (0,) * len(instance.signal), price
        )
        unchanged = [best[i] == default for i in instance.signal]
        laws = {
            "eq. (1) as written": realised == transcribed,
            "a good that leaves the choice as it is gains minus its price": all(
                r == -price for r, same in zip(realised, unchanged, strict=True) if same
            ),
            "a good that reveals nothing gains minus its price in every state": (
                set(self.value(silent.problem, silent.good).realised.scalars()) == {-price}
            ),
            "one more in price is one less in every state": (
                dearer.realised.scalars() == [r - 1 for r in realised]
            ),
            "what every action gains alike in a state does not count": (
                self.value(shifted.problem, shifted.good).realised.scalars() == realised
            ),
            "recomputation by separate code leaves no gap": value.gap == 0,
        }
        return _judge_laws(laws, nontrivial=not all(unchanged))


@dataclass(frozen=True)
class ExPostValueLaws:
    """What pins eq. (2) down: both of its sides, its sign, and its mean."""

    value: Valuation = value_of_information

    def __call__(self, instance: InformationInstance) -> Trial:
        """Check every law; non-trivial where the good changes the choice."""
        value = self.value(instance.problem, instance.good)
        price, partition, space = instance.price, instance.partition, instance.space
        by_action: list[tuple[Any, ...]] = [
            space.conditional_expectation(row, partition).by_block for row in instance.utilities
        ]
        default = _first_best(instance, range(len(instance.weights)))
        ex_post = [r.ex_post for r in value.realisations]
        right = [
            max(row[i] for row in by_action) - by_action[default][i] - price
            for i in range(partition.count)
        ]
        left = space.conditional_expectation(value.realised.scalars(), partition).by_block
        masses = space.probabilities.block_sums(partition.labels, partition.count).scalars()
        everything = self.value(instance.problem, perfect_information(space, price))
        stays = [default in r.choice.maximisers for r in value.realisations]
        laws = {
            "ex-post value is max E[U(x)|i] - E[U(x0)|i] - p": ex_post == right,
            "ex-post value is E[realised value | i]": ex_post == list(left),
            "ex-post value plus price is at least 0": all(v + price >= 0 for v in ex_post),
            "where the prior choice stays best, the value is minus the price": all(
                v == -price for v, same in zip(ex_post, stays, strict=True) if same
            ),
            "ex-ante value is the mean of ex-post values": (
                value.ex_ante == sum(m * v for m, v in zip(masses, ex_post, strict=True))
            ),
            "perfect information is worth at least as much at the same price": (
                everything.ex_ante >= value.ex_ante
            ),
        }
        return _judge_laws(laws, nontrivial=not all(stays))


def _by_state(instance: InformationInstance) -> list[tuple[int, ...]]:
    return list(zip(*instance.utilities, strict=True))


def _first_best(instance: InformationInstance, states: Any) -> int:
    totals = [sum(instance.weights[w] * row[w] for w in states) for row in instance.utilities]
    return totals.index(max(totals))


def _first_best_by_block(instance: InformationInstance) -> dict[int, int]:
    states = range(len(instance.signal))
    return {
        i: _first_best(instance, [w for w in states if instance.signal[w] == i])
        for i in instance.signal
    }


def _judge_laws(laws: dict[str, bool], nontrivial: bool) -> Trial:
    broken = [law for law, kept in laws.items() if not kept]
    return Trial(nontrivial=nontrivial, failure=f"Broken: {'; '.join(broken)}." if broken else "")
