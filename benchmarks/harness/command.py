"""What `python -m benchmarks` does."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from theory.errors import InvalidInputError, MechproofError, UnknownNameError, nearest

from .alone import do_alone
from .climbing import measure_ladder
from .growing import measure_growth
from .measuring import How, measure
from .record import Kept, Result, append, latest, read, this_run
from .row import Bench, Growth, Ladder
from .table import as_markdown, as_text, check_page, in_page

__all__ = ["main"]

DESCRIPTION = """Ours beside what people would otherwise use: the same work in one run, interleaved,
answers compared before times are. Exit status 0; 1 where answers differ or something of ours fails;
2 on a usage error. A target that is missed is marked and no error."""


def main(
    arguments: Sequence[str],
    collect: Callable[[], Mapping[str, Bench]],
    how: Callable[[bool], How] = lambda quick: How(quick=quick, seconds=2.0 if quick else 4.0),
) -> int:
    options = _parser().parse_args(arguments)
    try:
        return _run(options, collect(), how)
    except MechproofError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; what was kept stands in the file", file=sys.stderr)
        return 130


def _run(
    options: argparse.Namespace, benches: Mapping[str, Bench], how: Callable[[bool], How]
) -> int:
    if options.alone:
        print(do_alone(_chosen(benches, options.alone[:1])[0], options.alone[1]))
        return 0
    chosen = _chosen(benches, options.only)
    if options.list:
        for bench in chosen:
            print(f"{bench.id:45} issue {bench.issue}  {bench.work}")
        return 0
    _check_use(options)
    _check_files(options)
    earlier = _earlier(options.read or options.keep)
    if options.read:
        wanted = {bench.id for bench in chosen}
        shown = latest(each for each in earlier if each.result.id in wanted or not options.only)
        fresh: list[Kept] = []
    else:
        shown = fresh = _measured(options, chosen, how(options.quick))
    print(as_text(shown))
    _write(options, benches, [*earlier, *fresh])
    return int(any(each.result.status in {"differs", "failed"} for each in fresh))


def _measured(options: argparse.Namespace, chosen: Sequence[Bench], how: How) -> list[Kept]:
    chosen = [bench for bench in chosen if bench.quick or not options.quick]
    run = this_run(options.quick)
    found = []
    for number, bench in enumerate(chosen, 1):
        print(f"[{number}/{len(chosen)}] {bench.id}", file=sys.stderr, flush=True)
        kept = Kept(run, _result(bench, how))
        found.append(kept)
        if options.keep:
            append(options.keep, kept)
    return found


def _result(bench: Bench, how: How) -> Result:
    if isinstance(bench, Growth):
        return measure_growth(bench, how)
    if isinstance(bench, Ladder):
        return measure_ladder(bench, how)
    return measure(bench, how)


def _chosen(benches: Mapping[str, Bench], only: Sequence[str] | None) -> list[Bench]:
    """Those named, or whose topic is; all without a name."""
    if not only:
        return list(benches.values())
    topics = {name.split(".", 1)[0] for name in benches}
    for name in only:
        if name not in benches and name not in topics:
            fix = nearest(name, [*benches, *topics])
            raise UnknownNameError("--only", name, "is no row and no topic", fix)
    return [each for each in benches.values() if {each.id, each.id.split(".", 1)[0]} & set(only)]


def _earlier(path: Path | None) -> list[Kept]:
    if path is None or not path.exists():
        return []
    return read(path)


def _check_use(options: argparse.Namespace) -> None:
    """A page holds every row, and a run of some must not take the others' place.

    Raises
    ------
    InvalidInputError
        For options that do not go together.
    """
    if options.read and options.keep:
        raise InvalidInputError(
            "--keep", str(options.keep), "is beside --read, which measures nothing", "give one"
        )
    if not options.markdown:
        return
    page = str(options.markdown)
    if options.read and options.only:
        raise InvalidInputError(
            "--markdown", page, "is beside --only, and a page holds every row", "leave out --only"
        )
    if (options.only or options.quick) and not (options.keep or options.read):
        raise InvalidInputError(
            "--markdown",
            page,
            "would lose the rows that are not measured now",
            "give --keep FILE.jsonl with those that were kept before, or measure all",
        )


def _check_files(options: argparse.Namespace) -> None:
    """Before anything is measured."""
    from mechproof.files import check_writable

    if options.read and not options.read.exists():
        read(options.read)
    for option in ("keep", "markdown", "plot"):
        path = getattr(options, option)
        if path is not None:
            check_writable(path, f"--{option}")
    if options.markdown:
        check_page(options.markdown)


def _on_the_page(benches: Mapping[str, Bench], every: Sequence[Kept]) -> list[Kept]:
    """What stands in a page: the latest of every row that there is, in the order of the rows."""
    newest = {each.result.id: each for each in latest(every)}
    for name in newest.keys() - benches.keys():
        print(f"note: {name} is no row any more, and left out of the page", file=sys.stderr)
    return [newest[name] for name in benches if name in newest]


def _write(
    options: argparse.Namespace, benches: Mapping[str, Bench], every: Sequence[Kept]
) -> None:
    from mechproof.files import write_whole

    if options.markdown:
        page = in_page(options.markdown, as_markdown(_on_the_page(benches, every)))
        write_whole(options.markdown, page, "--markdown")
    if options.plot:
        from .plot import draw

        draw(every, options.plot)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m benchmarks", description=DESCRIPTION)
    add = parser.add_argument
    add("--only", nargs="+", metavar="ID", help="rows, or topics")
    add("--list", action="store_true", help="print the rows and stop")
    add("--quick", action="store_true", help="fewer repeats, and nothing that takes long")
    add("--keep", type=Path, metavar="FILE.jsonl", help="add a line a row to this file")
    add("--read", type=Path, metavar="FILE.jsonl", help="measure nothing; show what was kept")
    add("--markdown", type=Path, metavar="FILE", help="write the table of all rows into a page")
    add("--plot", type=Path, metavar="FILE.png", help="draw the kept runs over time")
    add("--alone", nargs=2, metavar=("ID", "SIDE"), help=argparse.SUPPRESS)
    return parser
