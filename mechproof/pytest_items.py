"""What the plugin collects: a test of one property, which fails with the witness."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from mechproof.testing import MechanismTests
from theory.errors import InvalidInputError, MechproofError
from theory.incentives import MechanismReport, PropertyFinding, Witness
from theory.verdicts import Status

__all__ = ["PropertyTest", "Refuted"]

_KEPT = 8


class Refuted(AssertionError):  # noqa: N818 - a finding, shown by this name
    """A property fails."""


Refuted.__module__ = "builtins"  # as pytest's own failures: summaries show the name alone


class PropertyTest(pytest.Item):
    """The test of one property; it fails with the witness, and without a traceback."""

    def __init__(self, *, tests: MechanismTests, prop: str, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._tests = tests
        self._prop = prop
        reason = tests.expected_failures.get(prop)
        if reason:
            self.add_marker(pytest.mark.xfail(reason=reason, raises=Refuted, strict=True))

    def runtest(self) -> None:
        """Check the property, and complain of all that is not a finding in its favour."""
        report = self._report()
        finding = report[self._prop]
        if report.faults:
            told = "\n".join(f"could not be judged {fault}" for fault in report.faults[:5])
            pytest.fail(f"{told}\n\n{_about(report, finding)}", pytrace=False)
        if finding.witness is not None:
            raise Refuted(_tell_witness(report, finding, finding.witness))
        by_default = self._tests.properties is None and not finding.expected
        if finding.status is Status.VACUOUS and by_default:
            pytest.skip(finding.reason)
        if finding.status is Status.HOLDS and finding.expected:
            slip = f"{self._prop} was expected to fail ({finding.expected}), but it holds"
            pytest.fail(f"{slip}\n\n{_about(report, finding)}", pytrace=False)
        if finding.status is not Status.HOLDS:
            pytest.fail(_about(report, finding), pytrace=False)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException]) -> Any:  # type: ignore[override] # text, as pytest's own
        """Return the message alone where the exception is about the mechanism or the arguments."""
        if isinstance(excinfo.value, Refuted | MechproofError):
            return excinfo.getrepr(style="value")
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the test stands."""
        return self.path, 0, self.name

    def _report(self) -> MechanismReport:
        """Check with the witnesses found before, and keep the one found now."""
        cache = getattr(self.config, "cache", None)
        key = f"mechproof/{sha256(self.nodeid.encode()).hexdigest()[:16]}"
        try:
            kept = cache.get(key, None) if cache is not None else None
        except Exception:  # what lies there may be nobody's JSON
            kept = None
        listed = kept[:_KEPT] if isinstance(kept, list) else []
        known = [line for line in listed if isinstance(line, str)]
        try:
            report = self._tests.check(self._prop, known)
        except Exception:
            if not known:
                raise
            known = []  # what was kept may be broken: the check can do without
            report = self._tests.check(self._prop)
        line = _line(report.witness)
        if cache is not None and line:
            cache.set(key, [line, *(each for each in known if each != line)][:_KEPT])
        return report


def _about(report: MechanismReport, finding: PropertyFinding) -> str:
    return f"{report.mechanism}: {report.about}\n{finding.statement}\n{finding}"


def _tell_witness(report: MechanismReport, finding: PropertyFinding, witness: Witness) -> str:
    """Tell the witness, then what it is a witness of, then how to keep it."""
    status = f"{finding.property} is {finding.status} ({finding.strength}; {finding.scope})"
    return (
        f"{witness}\n\n{report.mechanism}: {report.about}\n{status}: {finding.statement}\n\n"
        f"To keep this case as a test of its own:\n\n{witness.as_test()}"
    )


def _line(witness: Witness | None) -> str:
    """Return a witness as a line of JSON; nothing where its types cannot be written so."""
    try:
        return witness.to_json() if witness is not None else ""
    except InvalidInputError:
        return ""
