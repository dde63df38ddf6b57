"""Making a counterexample human-sized, without losing that it is one."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from theory.incentives._instance import Instance, size
from theory.incentives._property import Property
from theory.incentives.search._pairs import simple_pairs
from theory.incentives.search._simpler import simpler_in_one, simpler_in_two
from theory.incentives.search._slots import native
from theory.incentives.setting import Setting, Unjudged

__all__ = ["shrink"]


def shrink(
    prop: Property, setting: Setting, instance: Instance, trials: int, tolerance: Fraction
) -> Instance:
    """Return a smaller instance that fails, judging at most ``trials`` candidates of each kind.

    Of the first ``trials`` changes of an instance the smallest that fails and is smaller, by
    :func:`size`, takes its place, until there is none. Changes to types near the present ones, or
    related to them, come first; where none helps, pairs of simple types. Every one is judged by
    the exact slack.
    """
    near: set[Instance] = set()
    pairs: set[Instance] = set()
    kinds = ((simpler_in_one, near), (simpler_in_two, near), (simple_pairs, pairs))
    improved = True
    while improved:
        improved = False
        for simpler, tried in kinds:
            changes, now = simpler(prop.shape, setting, instance), size(setting, instance)
            sizes = {
                candidate: measure
                for candidate in dict.fromkeys(islice(changes, trials))
                if not (candidate in near or candidate in pairs)
                and (measure := size(setting, candidate)) < now
            }
            for candidate in sorted(sizes, key=sizes.__getitem__):
                if len(tried) >= trials:
                    break
                tried.add(candidate)
                read = native(prop.shape, setting, candidate)
                if _is_failing(prop, setting, read, tolerance):
                    instance, improved = read, True
                    break
            if improved:
                break
    return instance


def _is_failing(prop: Property, setting: Setting, instance: Instance, tolerance: Fraction) -> bool:
    try:
        slack = prop.slack(setting, instance)
    except Unjudged:
        return False
    return slack is not None and slack < setting.limit(tolerance, prop.concerned(instance))
