"""Code that reads texts which ask for much: what it is, and a pattern of what is said."""

from __future__ import annotations

from typing import Final

from hostile_syntax import TOO_DEEP

__all__ = ["CODE"]

CODE: Final[dict[str, tuple[str, str]]] = {
    "a quotation in Gambit's format that has no end": (
        r"""
        from theory.games import from_efg
        from_efg('EFG 2 R "' + '\\"' * 3_000_000)
        """,
        "a quotation mark is never closed",
    ),
    "a cycle": (
        """
        from mechproof.problems.documents import solve
        a = {"kind": "game", "players": ["x"], "actions": {"x": ["y"]}}
        a["payoffs"] = a
        solve(a)
        """,
        TOO_DEEP,
    ),
    "a cycle of lists": (
        """
        from mechproof.problems.documents import solve
        a = []
        a.append(a)
        solve({"kind": "information", "states": {"a": 1}, "goods": a})
        """,
        TOO_DEEP,
    ),
    "a long integer": (
        """
        from mechproof.problems.documents import solve
        solve({"kind": "information", "states": {"a": 10**5000}})
        """,
        r"\$.states.a: has more than 4000 digits",
    ),
    "a long amount": (
        """
        from mechanisms.ledger import Ledger
        Ledger({"a": 1}).amount(10**20000)
        """,
        "amount has more than 4000 digits",
    ),
    "results that are nested": (
        """
        from pathlib import Path
        import tempfile
        from mechproof import load_sweep
        path = Path(tempfile.mkdtemp()) / "results.jsonl"
        path.write_text('{"a":' * 100_000 + "\\n")
        load_sweep(path)
        """,
        "results.jsonl",
    ),
    "results of bytes": (
        """
        from pathlib import Path
        import tempfile
        from mechproof import load_sweep
        path = Path(tempfile.mkdtemp()) / "results.jsonl"
        path.write_bytes(b"\\xff\\0" * 1_000_000 + b"\\n" + b"7" * 1_000_000)
        load_sweep(path)
        """,
        "results.jsonl",
    ),
    "JSON of a server": (
        """
        from llm_adapters.openai_api._endpoint import Endpoint
        from theory.errors import MechproofError
        server = Endpoint("http://127.0.0.1:1/v1", key="k")
        long = b'{"a": ' + b"7" * 10**6 + b"}"
        bodies = [b'{"a":' * 400_000, long, b"\\xff\\0" * 10**6, b"[NaN]"]
        told = [server._read({}, body) for body in bodies]
        assert all(isinstance(each, str) for each in told), told
        raise MechproofError("; ".join(told))
        """,
        "nested more than .*cannot be read.*cannot be read.*not an object",
    ),
    "a nested reply": (
        """
        from llm_adapters.structured._json import find_json
        find_json('{"a":' * 900 + "1" + "}" * 900)
        """,
        "nested too deeply, more than 100 levels",
    ),
    "a long number in a reply": (
        """
        from llm_adapters.structured._json import find_json
        find_json('{"a": ' + "7" * 100_000 + "}")
        """,
        "cannot be read",
    ),
    "a reply of one long amount": (
        """
        from llm_adapters.parsing import read_amount
        read_amount("I bid " + "7" * 100_000)
        """,
        "too many for an answer",
    ),
    "a sweep of too many steps": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        text = 'check = "math:hypot"\\n[axes]\\na = { from = 0, to = 1e3999, by = "1e-3999" }'
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text(text)
        sys.exit(main(["sweep", str(path)]))
        """,
        "sweep.toml: ",
    ),
    "a sweep of long steps": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        text = 'check = "mechproof.sweep.examples:auction"\\n[axes]\\n'
        text += "reserve = { from = 0, to = \\"1e-3990\\", by = \\"1.01e-3995\\" }"
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text(text)
        sys.exit(main(["sweep", str(path)]))
        """,
        r"axes.reserve: asks for [\d,]+ values, by their length, more than the limit of 1,000,000",
    ),
    "a sweep of many axes": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        text = 'check = "mechproof.sweep.examples:auction"\\n[axes]\\nnone = []\\n'
        text += "".join(f"a{k} = {{ from = 0, to = 999999, by = 1 }}\\n" for k in range(900))
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text(text)
        sys.exit(main(["sweep", str(path)]))
        """,
        "axes make about 1.00e5400 cells",
    ),
    "a sweep of long values": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        text = 'check = "mechproof.sweep.examples:auction"\\n[axes]\\n'
        text += f'a = [0]\\nb = [0]\\nc = [0, "{"x" * 900_000}"]\\n'
        text += '[plot]\\nx = "a"\\ny = "b"\\nvalue = "v"\\nwhere = { c = 1 }'
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text(text)
        sys.exit(main(["sweep", str(path)]))
        """,
        r"where\['c'\] is no value of this axis .got 1.: known are 0, x+…x+",
    ),
    "results of another sweep with a long name": (
        """
        from pathlib import Path
        import tempfile
        from mechproof.sweep import Grid
        from mechproof.sweep._keeping import _line, header, writing
        import json
        grid = Grid({"a": [0, 1]})
        path = Path(tempfile.mkdtemp()) / "results.jsonl"
        path.write_bytes(_line(json.dumps(header(grid, "x" * 1_000_000, 1))) + b"\\n")
        with writing(path, header(grid, "check", 1)):
            pass
        """,
        "is of another sweep .its check is x+",
    ),
    "a game whose long moves are not repeated": (
        """
        from theory.games import from_efg
        moves = " ".join(f'"{k:0>900}"' for k in range(1_000))
        from_efg(f'EFG 2 R "" {{ "a" }} p "" 1 1 "" {{ {moves} }} 0 p "" 1 1 "" {{ "x" }} 0')
        """,
        "the information set was described with the moves '000",
    ),
    "a sweep of dotted keys": (
        """
        from pathlib import Path
        import sys, tempfile
        from mechproof.cli import main
        path = Path(tempfile.mkdtemp()) / "sweep.toml"
        path.write_text("a" + ".a" * 40_000 + " = 1")
        sys.exit(main(["sweep", str(path)]))
        """,
        "more than 50 parts",
    ),
    "a record with nested lines": (
        """
        from pathlib import Path
        import tempfile
        from zlib import crc32
        from llm_adapters.session import Session
        from llm_adapters.session._lines import HEADER, read_line
        for body in (b'"a":' + b"[" * 100_000, b'"b":' + b"7" * 10**6, b'"x":' + b'{"a":' * 900):
            line = b"{" + body
            line += b',"check":"%08x"}' % crc32(line)
            assert read_line(line) is None
        path = Path(tempfile.mkdtemp()) / "record"
        path.write_bytes(HEADER + b"\\n" + line + b"\\n" + line + b"\\n")
        with Session(replay=path):
            pass
        """,
        "record",
    ),
}
"""Code by name, and a pattern of what is raised."""
