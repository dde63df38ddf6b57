"""Runs commands and code, each in a process of its own that begins with everything imported.

A line of JSON comes in for each: ``args`` of the command or ``code``, and the file ``out`` for what
is written. A line goes out: the status, the seconds of processor time, and the megabytes.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import textwrap
import traceback
from typing import Any


def run(job: dict[str, Any]) -> int:
    out = os.open(job["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from mechproof.cli import main
    from theory.errors import MechproofError

    try:
        if "args" in job:
            main(args=job["args"], prog_name="mechproof")
        else:
            exec(textwrap.dedent(job["code"]), {})
    except SystemExit as end:
        return int(end.code or 0)
    except MechproofError as error:
        print(f"ours: {error}", flush=True)
        return 2
    except BaseException:
        traceback.print_exc()
        return 1
    return 0


def serve() -> None:
    from mechproof.problems.commands import print_example
    from mechproof.problems.kind import kinds

    assert callable(print_example)  # what solving needs is loaded once
    kinds()
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            status = 1
            try:
                status = run(json.loads(line))
                sys.stdout.flush()
            finally:
                os._exit(status)
        _, status, used = os.wait4(pid, 0)
        unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
        took = [
            os.waitstatus_to_exitcode(status),
            used.ru_utime + used.ru_stime,
            used.ru_maxrss / unit,
        ]
        print(json.dumps(took), flush=True)


if __name__ == "__main__":
    serve()
