"""``mechproof prove``: proofs about a mechanism of somebody's own, by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mechproof.code_location import raised_at
from mechproof.object_by_name import make_named
from mechproof.path_option import PathOption
from mechproof.terminal import complain, say
from theory.errors import InvalidInputError

__all__ = ["prove"]


@click.command()
@click.argument("name", metavar="MODULE:NAME")
@click.option("--agents", type=click.IntRange(min=1), required=True, help="How many agents.")
@click.option(
    "--types",
    default="reals",
    show_default=True,
    metavar="reals|LOW..HIGH",
    help="Whose numbers are meant; either end may be left out, as in 0.. for 0 and more.",
)
@click.option(
    "--property",
    "properties",
    multiple=True,
    metavar="NAME",
    help="What to prove; may be repeated.  [default: dsic, individually_rational, "
    "no_positive_transfers, efficient]",
)
@click.option(
    "--solver", metavar="z3|cvc5|certificates", help="[default: z3 where it is installed]"
)
@click.option("--steps", type=click.IntRange(min=1), help="The most steps of the solver.")
@click.option("--check-with", metavar="SOLVER", help="A second solver that checks each proof.")
@click.option(
    "--smtlib",
    type=PathOption(),
    metavar="FOLDER",
    help="Write each proof as SMT-LIB, for any solver.",
)
@click.pass_context
def prove(
    ctx: click.Context,
    *,
    name: str,
    agents: int,
    types: str,
    properties: tuple[str, ...],
    solver: str | None,
    steps: int | None,
    check_with: str | None,
    smtlib: Path | None,
) -> None:
    """Prove properties of a mechanism for all real types, from the code that runs.

    MODULE:NAME is a mechanism, a function of the reports, or a class that is called without
    arguments; the current directory is searched first. The exit status is 0 when everything asked
    for is proved, 1 when something is not, 2 on an error.
    """
    from mechproof.proof_files import check_folder, write_scripts
    from theory.incentives import prove_mechanism
    from theory.proofs import STEPS, check_solver

    most = STEPS if steps is None else steps
    if check_with is not None:
        check_solver(check_with, most)
    if smtlib is not None:
        check_folder(smtlib, "--smtlib")
    given: dict[str, Any] = {"properties": list(properties)} if properties else {}
    mechanism = _mechanism(name)
    try:
        report = prove_mechanism(
            mechanism, types=_types(types), agents=agents, solver=solver, steps=most, **given
        )
    except SystemExit as error:
        fix = "let it return an outcome, or raise another error"
        problem = f"ends the program: {raised_at(error)}"
        raise InvalidInputError("MODULE:NAME", name, problem, fix) from error
    say(report)
    proofs = {f.property: f.proof for f in report.findings if f.proof is not None}
    confirmed = True
    for finding in report.findings:
        say(f"\n{finding.property}: {finding.reason}")
        if finding.rechecked:
            say(f"rechecked: {finding.rechecked}, gap {finding.gap}")
        if finding.proof is not None and check_with is not None:
            answer = finding.proof.checked_by(check_with, steps=most)
            confirmed &= answer.verdict == "proved"
            say(f"checked again: {answer}")
    if smtlib is not None:
        written = write_scripts(smtlib, proofs, "--smtlib")
        complain(f"{len(written)} proofs written to {smtlib}")
    ctx.exit(0 if confirmed and len(proofs) == len(report.findings) else 1)


def _mechanism(name: str) -> Any:
    def made(found: Any) -> Any:
        return found() if isinstance(found, type) else found

    return make_named(name, "MODULE:NAME", "a mechanism", made)


def _types(written: str) -> Any:
    from theory.incentives import Reals

    if written == "reals":
        return Reals()
    low, dots, high = written.partition("..")
    if not dots:
        fix = "write reals, 0..10, 0.. or ..1"
        raise InvalidInputError("--types", written, "is no range of numbers", fix)
    try:
        space = Reals(low.strip() or None, high.strip() or None)
    except InvalidInputError as error:
        raise InvalidInputError("--types", written, error.problem, error.fix) from error
    if space.low is not None and space.low == space.high:
        fix = "leave room between the ends, as in 0..10"
        raise InvalidInputError("--types", written, "is one number, of which nobody can lie", fix)
    return space
