"""What textbooks say of the classic mechanisms, for all real types of two and three agents."""

from __future__ import annotations

from mechanisms.classics import (
    AllPay,
    FirstPrice,
    MedianVoting,
    MultiUnitVCG,
    PostedPrice,
    SecondPrice,
)
from papers.classics.checks.all_types import ForAllTypes, ForSomeTypes
from theory.claims import Claim, Kind
from theory.incentives import Reals
from theory.verdicts import Status, Strength

__all__ = ["CLAIMS"]

_PROVED = {"quick": Strength.PROVED, "full": Strength.PROVED}
_EXACT = {"quick": Strength.EXACT, "full": Strength.EXACT}

_TRUTHFUL = ("dsic", "individually_rational", "no_positive_transfers")
_VCG = (*_TRUTHFUL, "efficient")
_SETTING = "Types are any real numbers, below 0 too; two agents, and three."

CLAIMS: tuple[Claim, ...] = (
    Claim(
        id="classics.posted-price",
        kind=Kind.THEOREM,
        source="Nisan, Roughgarden, Tardos and Vazirani (2007), section 9.5.6",
        title="A price that no bid moves is truthful",
        statement=(
            r"$u_i(t_i, (t_i, r_{-i})) \ge u_i(t_i, (l, r_{-i}))$, "
            r"$u_i(t_i, (t_i, r_{-i})) \ge 0$ and $p_i \ge 0$ at the posted price 1, served in "
            r"order."
        ),
        reading=f"{_SETTING} Prices other than 0 are the price 1 in another unit.",
        check=ForAllTypes(PostedPrice(1), _TRUTHFUL),
        expected=Status.HOLDS,
        least=_PROVED,
    ),
    Claim(
        id="classics.first-price",
        kind=Kind.THEOREM,
        source="Vickrey (1961)",
        title="In the first-price auction it pays to shade the bid",
        statement=(
            r"$u_i(t_i, (l, r_{-i})) > u_i(t_i, (t_i, r_{-i}))$ for some types and reports, where "
            r"the winner pays the own bid."
        ),
        reading="With two agents, and with three.",
        check=ForSomeTypes(FirstPrice(), "dsic"),
        expected=Status.HOLDS,
        least=_EXACT,
    ),
    Claim(
        id="classics.first-price.rest",
        kind=Kind.THEOREM,
        source="Vickrey (1961)",
        title="First price, told the truth, costs nobody anything and finds the highest bid",
        statement=(
            r"$u_i(t_i, t) \ge 0$, $p_i(t) \ge 0$, and $\sum_i v_i(t_i, f(t)) \ge "
            r"\sum_i v_i(t_i, o)$ for every allocation $o$."
        ),
        reading=_SETTING,
        check=ForAllTypes(
            FirstPrice(), ("individually_rational", "no_positive_transfers", "efficient")
        ),
        expected=Status.HOLDS,
        least=_PROVED,
    ),
    Claim(
        id="classics.second-price",
        kind=Kind.THEOREM,
        source="Vickrey (1961)",
        title="The second-price auction is truthful and efficient",
        statement=(
            r"$u_i(t_i, (t_i, r_{-i})) \ge u_i(t_i, (l, r_{-i}))$, $u_i(t_i, (t_i, r_{-i})) \ge 0$,"
            r" $p_i \ge 0$, and the item goes where it is worth most."
        ),
        reading=f"{_SETTING} Where all bids are below 0 nobody wins.",
        check=ForAllTypes(SecondPrice(), _VCG),
        expected=Status.HOLDS,
        least=_PROVED,
    ),
    Claim(
        id="classics.second-price.reserve",
        kind=Kind.THEOREM,
        source="Myerson (1981)",
        title="A reserve leaves the second-price auction truthful",
        statement=(
            r"$u_i(t_i, (t_i, r_{-i})) \ge u_i(t_i, (l, r_{-i}))$, $u_i(t_i, (t_i, r_{-i})) \ge 0$ "
            r"and $p_i \ge 0$ with a reserve of 1."
        ),
        reading=f"{_SETTING} Reserves other than 0 are the reserve 1 in another unit.",
        check=ForAllTypes(SecondPrice(reserve=1), _TRUTHFUL),
        expected=Status.HOLDS,
        least=_PROVED,
    ),
    Claim(
        id="classics.second-price.unsold",
        kind=Kind.THEOREM,
        source="Myerson (1981)",
        title="A reserve costs efficiency",
        statement=(
            r"$\sum_i v_i(t_i, f(t)) < \sum_i v_i(t_i, o)$ for some types and some allocation $o$, "
            r"with a reserve of 1."
        ),
        reading="With two agents, and with three.",
        check=ForSomeTypes(SecondPrice(reserve=1), "efficient"),
        expected=Status.HOLDS,
        least=_EXACT,
    ),
    Claim(
        id="classics.all-pay",
        kind=Kind.THEOREM,
        source="Krishna (2010), section 3.2",
        title="Who bids the truth in an all-pay auction can lose",
        statement=(
            r"$u_i(t_i, (t_i, r_{-i})) < 0$ for some types and reports, where everyone pays the "
            r"own bid."
        ),
        reading="With two agents, and with three.",
        check=ForSomeTypes(AllPay(), "individually_rational"),
        expected=Status.HOLDS,
        least=_EXACT,
    ),
    Claim(
        id="classics.multi-unit",
        kind=Kind.THEOREM,
        source="Vickrey (1961)",
        title="Two units, the same price: the highest losing bid",
        statement=(
            r"$u_i(t_i, (t_i, r_{-i})) \ge u_i(t_i, (l, r_{-i}))$, $u_i(t_i, (t_i, r_{-i})) \ge 0$,"
            r" $p_i \ge 0$, and the units go where they are worth most, one each."
        ),
        reading=_SETTING,
        check=ForAllTypes(MultiUnitVCG(2), _VCG),
        expected=Status.HOLDS,
        least=_PROVED,
    ),
    Claim(
        id="classics.median",
        kind=Kind.THEOREM,
        source="Moulin (1980)",
        title="The median peak is truthful, and nobody can do better by all",
        statement=(
            r"$-|t_i - m(t_i, r_{-i})| \ge -|t_i - m(l, r_{-i})|$, and "
            r"$\sum_i |t_i - m(t)| \le \sum_i |t_i - x|$ for every real $x$, with $m$ the lower "
            r"median."
        ),
        reading="Peaks are any real numbers; two voters, and three.",
        check=ForAllTypes(MedianVoting(Reals()), ("dsic", "no_positive_transfers", "efficient")),
        expected=Status.HOLDS,
        least=_PROVED,
    ),
)
