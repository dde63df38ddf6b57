"""What most people come for, each loaded when it is asked for.

>>> from mechproof import FiniteTypes, check_mechanism
>>> def pay_your_bid(bids):
...     winner = bids.index(max(bids))
...     return winner, [bid if i == winner else 0 for i, bid in enumerate(bids)]
>>> report = check_mechanism(pay_your_bid, types=FiniteTypes([0, 1, 2]), agents=2)
>>> print(report["dsic"].status)
refuted
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mechanisms.learners import play_game
    from mechanisms.softmax_auction import softmax_auction
    from mechproof.problems.documents import solve
    from mechproof.sweep import Grid, SweepResult, load_sweep, run_sweep
    from mechproof.verify_claims import verify
    from theory.incentives import (
        Box,
        FiniteTypes,
        assert_dsic,
        check_mechanism,
        implementable,
        prove_mechanism,
    )
    from theory.information import value_of_information

__version__ = "0.1.0"
__all__ = [
    "Box",
    "FiniteTypes",
    "Grid",
    "SweepResult",
    "__version__",
    "assert_dsic",
    "check_mechanism",
    "implementable",
    "load_sweep",
    "play_game",
    "prove_mechanism",
    "run_sweep",
    "softmax_auction",
    "solve",
    "value_of_information",
    "verify",
]
_HOMES = {
    "Box": "theory.incentives",
    "FiniteTypes": "theory.incentives",
    "Grid": "mechproof.sweep",
    "SweepResult": "mechproof.sweep",
    "assert_dsic": "theory.incentives",
    "check_mechanism": "theory.incentives",
    "implementable": "theory.incentives",
    "load_sweep": "mechproof.sweep",
    "play_game": "mechanisms.learners",
    "prove_mechanism": "theory.incentives",
    "run_sweep": "mechproof.sweep",
    "softmax_auction": "mechanisms.softmax_auction",
    "solve": "mechproof.problems.documents",
    "value_of_information": "theory.information",
    "verify": "mechproof.verify_claims",
}

if not TYPE_CHECKING:  # so that type checkers know which names there are

    def __getattr__(name):
        """Load what is asked for, so that the import and the command start fast."""
        if name in _HOMES:
            from mechproof.hidden_packages import refuse_hidden

            home = _HOMES[name]
            refuse_hidden("theory", home.partition(".")[0])
            globals()[name] = getattr(import_module(home), name)
            return globals()[name]
        from difflib import get_close_matches

        near = "".join(f"; did you mean {each!r}?" for each in get_close_matches(name, _HOMES, 1))
        problem = f"module {__name__!r} has no attribute {name!r}{near}"
        raise AttributeError(problem, name=name, obj=None)  # else Python would guess once more

    def __dir__():
        """Return the public names, loaded or not, and those that every module has."""
        return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
