"""The mechanisms of the textbooks: what a checker should find sound, or broken in a known way.

Each is a frozen dataclass with a method ``outcome(reports)``, for any number of agents where the
rule makes sense for any number, and exact on integers and fractions. Ties go to the lowest index.
"""

from mechanisms.classics._combinatorial import MAX_ASSIGNMENTS, CombinatorialVCG
from mechanisms.classics._ironing import ironed_virtual_values
from mechanisms.classics._median import MedianVoting
from mechanisms.classics._multi_unit import GeneralisedSecondPrice, MultiUnitVCG
from mechanisms.classics._myerson import MyersonOptimal
from mechanisms.classics._price_tables import first_price_table, second_price_table
from mechanisms.classics._serial_dictatorship import MAX_DICTATORS, RandomSerialDictatorship
from mechanisms.classics._single_item import AllPay, FirstPrice, PostedPrice, SecondPrice

__all__ = [
    "MAX_ASSIGNMENTS",
    "MAX_DICTATORS",
    "AllPay",
    "CombinatorialVCG",
    "FirstPrice",
    "GeneralisedSecondPrice",
    "MedianVoting",
    "MultiUnitVCG",
    "MyersonOptimal",
    "PostedPrice",
    "RandomSerialDictatorship",
    "SecondPrice",
    "first_price_table",
    "ironed_virtual_values",
    "second_price_table",
]
