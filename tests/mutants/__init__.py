"""Planted faults: for every claim, checks that must come out refuted.

A file holds those of a paper, or of a section of it: ``volition_marginal_value.py`` those of
Theorem 4.4. A mutant is the claim's own check with one function or one datum replaced by a broken
one, so that it is the claim's own family that must notice. ``PROOF_MUTANTS`` break the code that is
traced; they must lose the proof. ``REPAIRED`` are instances of refuted claims that hold: their
checks go both ways.
"""

from __future__ import annotations

from mutants import (
    arena,
    arena_rules_and_measures,
    bazaar,
    bazaar_experiments,
    bazaar_information_market,
    bazaar_prices,
    classics,
    oracles_learning,
    oracles_lemmas,
    truthful_allocation,
    truthful_experiments,
    truthful_incentives,
    truthful_offset,
    volition_information,
    volition_inspection,
    volition_marginal_value,
    volition_protocols,
)
from theory.claims import Check

__all__ = ["MUTANTS", "PROOF_MUTANTS", "REPAIRED"]

MUTANTS: dict[str, dict[str, Check]] = {
    **arena.MUTANTS,
    **arena_rules_and_measures.MUTANTS,
    **bazaar.MUTANTS,
    **bazaar_experiments.MUTANTS,
    **bazaar_information_market.MUTANTS,
    **bazaar_prices.MUTANTS,
    **classics.MUTANTS,
    **oracles_learning.MUTANTS,
    **oracles_lemmas.MUTANTS,
    **truthful_allocation.MUTANTS,
    **truthful_experiments.MUTANTS,
    **truthful_incentives.MUTANTS,
    **truthful_offset.MUTANTS,
    **volition_information.MUTANTS,
    **volition_inspection.MUTANTS,
    **volition_marginal_value.MUTANTS,
    **volition_protocols.MUTANTS,
}

PROOF_MUTANTS: dict[str, dict[str, Check]] = {
    **bazaar.PROOF_MUTANTS,
    **bazaar_information_market.PROOF_MUTANTS,
    **classics.PROOF_MUTANTS,
    **oracles_lemmas.PROOF_MUTANTS,
    **truthful_incentives.PROOF_MUTANTS,
    **truthful_offset.PROOF_MUTANTS,
    **volition_information.PROOF_MUTANTS,
}

REPAIRED: dict[str, dict[str, Check]] = {
    **arena.REPAIRED,
    **arena_rules_and_measures.REPAIRED,
    **bazaar.REPAIRED,
    **bazaar_experiments.REPAIRED,
    **bazaar_information_market.REPAIRED,
    **bazaar_prices.REPAIRED,
    **oracles_lemmas.REPAIRED,
    **truthful_allocation.REPAIRED,
    **truthful_offset.REPAIRED,
    **volition_inspection.REPAIRED,
}
