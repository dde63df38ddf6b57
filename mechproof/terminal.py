"""What the commands print: texts from outside give no orders to the terminal."""

from __future__ import annotations

import click

from theory.shared.printable import one_line, printable

__all__ = ["complain", "say"]


def say(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print a text, in which characters that give orders to a terminal are written out."""
    click.echo(printable(str(text), lines=True), err=err, nl=nl)


def complain(problem: object, who: object = "mechproof") -> None:
    """Print what is wrong in one line to standard error."""
    say(f"{one_line(str(who))}: {one_line(str(problem))}", err=True)
