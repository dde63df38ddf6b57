"""Find claims: every module of the package ``papers``, and modules of the user's own."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import ModuleType

from mechproof.code_location import raised_at
from mechproof.hidden_packages import refuse_hidden, search_here
from mechproof.profiles import PROFILES
from mechproof.unknown_names import unknown_name
from theory.claims import Claim
from theory.errors import InvalidInputError

__all__ = ["Registry", "load", "paper_modules"]


@dataclass(frozen=True, slots=True)
class Registry:
    """The claims that were found, in the order of their modules."""

    claims: tuple[Claim, ...]

    def claim(self, claim_id: str, argument: str = "--claim", others: Iterable[str] = ()) -> Claim:
        """Return the claim with this id.

        Raises
        ------
        UnknownNameError
            When no claim has it; ``argument`` is where the id was given, and ``others`` are what
            else may be given there.
        """
        for claim in self.claims:
            if claim.id == claim_id:
                return claim
        raise unknown_name(argument, claim_id, (*(claim.id for claim in self.claims), *others))

    @property
    def papers(self) -> tuple[str, ...]:
        """The papers that make the claims, in their order."""
        return tuple(dict.fromkeys(claim.paper for claim in self.claims))

    def select(
        self,
        papers: Iterable[str] = (),
        ids: Iterable[str] = (),
        arguments: tuple[str, str] = ("--paper", "--claim"),
    ) -> tuple[Claim, ...]:
        """Return the claims of ``papers`` together with those named by ``ids``, or all of them.

        Raises
        ------
        UnknownNameError
            When a paper or an id is unknown; ``arguments`` are where they were given.
        InvalidInputError
            When an id is that of a paper.
        """
        ids = tuple(ids)
        known = {claim.id for claim in self.claims}
        for name in ids:
            if name in self.papers and name not in known:
                fix = f"give {arguments[0]} {name} for all its claims"
                raise InvalidInputError(arguments[1], name, "is a paper", fix)
        wanted_papers = set(papers)
        for paper in sorted(wanted_papers.difference(self.papers)):
            raise unknown_name(arguments[0], paper, self.papers)
        wanted_ids = {self.claim(claim_id, arguments[1]).id for claim_id in ids}
        if not wanted_papers and not wanted_ids:
            return self.claims
        return tuple(c for c in self.claims if c.paper in wanted_papers or c.id in wanted_ids)


def paper_modules() -> tuple[str, ...]:
    """Return the names of the modules in ``papers`` that have a tuple ``CLAIMS``, sorted."""
    refuse_hidden("papers", "mechanisms")
    papers = importlib.import_module("papers")
    found = sorted(info.name for info in pkgutil.iter_modules(papers.__path__, "papers."))
    return tuple(name for name in found if hasattr(_import(name), "CLAIMS"))


def load(modules: Sequence[str] = ()) -> Registry:
    """Import the papers and ``modules``, and collect their claims.

    The current directory is searched for ``modules`` first, as ``python -m`` does.

    Raises
    ------
    UnknownNameError
        When a module does not exist, or a claim corrects one that does not.
    InvalidInputError
        When a module has no tuple ``CLAIMS``, fails to import, or repeats an id.
    """
    papers = paper_modules()
    if modules:
        search_here()
    home: dict[str, str] = {}
    claims: list[Claim] = []
    for name in dict.fromkeys((*papers, *modules)):
        for claim in _claims_of(name, _import(name)):
            if claim.id in home:
                raise InvalidInputError(
                    "Claim.id",
                    claim.id,
                    f"is claimed by both {home[claim.id]} and {name}",
                    "rename one of the two",
                )
            home[claim.id] = name
            claims.append(claim)
    for claim in claims:
        if claim.corrects and claim.corrects not in home:
            raise unknown_name(f"{claim.id}.corrects", claim.corrects, home)
        for profile in sorted(set(claim.least) - set(PROFILES)):
            raise unknown_name(f"{claim.id}.least", profile, PROFILES)
    return Registry(tuple(claims))


def _claims_of(name: str, module: ModuleType) -> tuple[Claim, ...]:
    claims = getattr(module, "CLAIMS", None)
    if not isinstance(claims, tuple) or not all(isinstance(item, Claim) for item in claims):
        raise InvalidInputError(
            "module", name, "has no tuple CLAIMS of Claim", "define CLAIMS = (Claim(...), ...)"
        )
    return claims


def _import(name: str) -> ModuleType:
    try:
        module = importlib.import_module(name) if _exists(name) else None
    except Exception as error:
        raise InvalidInputError(
            "module", name, f"fails to import: {raised_at(error)}", "fix the module"
        ) from error
    if module is None:
        raise unknown_name("--module", name, _siblings(name))
    return module


def _exists(name: str) -> bool:
    try:  # a name that begins with a dot says where it is from another module on
        return not name.startswith(".") and find_spec(name) is not None
    except (ModuleNotFoundError, ValueError):
        return False


def _siblings(name: str) -> list[str]:
    parent = name.rpartition(".")[0]
    spec = find_spec(parent) if parent and _exists(parent) else None
    if spec is None:
        return [info.name for info in pkgutil.iter_modules()]
    places = spec.submodule_search_locations or []
    return [info.name for info in pkgutil.iter_modules(places, f"{parent}.")]
