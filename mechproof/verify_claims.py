"""Claims by their names: what ``mechproof verify`` does, for programs."""

from __future__ import annotations

from mechproof import run
from mechproof.profiles import budget_of
from mechproof.registry import load
from mechproof.run import RunResult
from theory.claims import Claim
from theory.errors import InvalidInputError
from theory.shared.arguments import refusing

__all__ = ["verify"]


@refusing
def verify(
    *claims: str | Claim,
    paper: str | None = None,
    profile: str = "quick",
    seed: int = 0,
    jobs: int = 1,
) -> RunResult:
    """Compute claims, and compare what is found with what is expected.

    Parameters
    ----------
    *claims : str or Claim
        Ids of claims, as ``mechproof claims`` lists them, or claims of your own. Without any and
        without ``paper``, all claims of all papers.
    paper : str, optional
        All claims of this paper, too.
    profile : str
        How much work: ``quick`` or ``full``.
    seed : int
        From which the seeds of the claims are derived.
    jobs : int
        How many processes. With one, everything is computed in this one; a script that asks for
        more does so below ``if __name__ == "__main__":``, because each process reads it again.

    Returns
    -------
    RunResult
        The results in the order of the registry, claims of your own after them. ``print`` says
        what was found of each; a notebook shows the whole report.

    Raises
    ------
    UnknownNameError
        When there is no such claim, paper or profile.
    InvalidInputError
        When a claim cannot be sent to another process, or an argument is of no use.

    Examples
    --------
    >>> found = verify("bazaar.table-1")
    >>> print(found)
    bazaar.table-1: refuted
    >>> found.agrees, found.results[0].finding.scope.instances
    (True, 3)
    """
    budget_of(profile, "profile")
    registry = load()
    ids, own = [], []
    for claim in claims:
        if isinstance(claim, Claim):
            own.append(claim)
        elif claim in registry.papers:
            fix = f"give paper={claim!r} for all its claims"
            raise InvalidInputError("claims", claim, "is a paper", fix)
        elif isinstance(claim, str):
            ids.append(claim)
        else:
            fix = "give the id of a claim, or a Claim"
            raise InvalidInputError("claims", claim, "is no claim", fix)
    papers = () if paper is None else (paper,)
    named = registry.select(papers, ids, ("paper", "claims")) if papers or ids or not own else ()
    chosen = (*named, *own)
    return run.verify(
        chosen,
        profile=profile,
        seed=seed,
        jobs=jobs,
        known=registry.claims,
    )
