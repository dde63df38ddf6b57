"""Conservation of money, and budgets that are never exceeded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ulp

from theory.incentives.protocols._judgement import RunJudgement, RunWitness
from theory.incentives.protocols._reading import Payment, RecordedRun
from theory.incentives.protocols._repeated_runs import RepeatedRun
from theory.shared.text import number_text

__all__ = ["budgets", "conservation"]


def conservation(runs: Sequence[RepeatedRun]) -> RunJudgement:
    r"""Ask that money neither appears nor vanishes.

    With b_a the opening balance of account a, c_a the closing one, and payments (i, j, x) from i to
    j: every i and j has an account, the same accounts are there at both ends, and

        c_a = b_a + \sum_{(i, a, x)} x - \sum_{(a, j, x)} x   for every a.

    Where there are floats, c_a may be off by one rounding a payment and one more. It is the rule of
    double entry (Pacioli, Summa de arithmetica, 1494). Runs that do not end within their limit are
    left out.
    """
    ended = [ran for ran in runs if ran.course.ended]
    return RunJudgement(
        family="runs",
        instances=len(ended),
        nontrivial=sum(bool(ran.course.opening or ran.course.payments) for ran in ended),
        failures=[_at(ran, *leak) for ran in ended for leak in _leaks(ran.course)],
        holds="Closing balances are opening balances and what was paid.",
        fails="Money appears or vanishes.",
        vacuous="No run that ended has accounts.",
        exact=not any(ran.course.inexact for ran in ended),
    )


def budgets(runs: Sequence[RepeatedRun]) -> RunJudgement:
    r"""Ask that no payment takes an account below its floor.

    With b_a^k what the opening balance and the first k payments leave on account a, b_a^k >= f_a
    for the payer a of the k-th payment, or the payee where the amount is negative; a payment to
    oneself draws on nothing. The floor f_a is 0 where none is stated. Balances are computed here,
    so that a mechanism whose own books are wrong hides nothing. Floats may be off by rounding, as
    for conservation.
    """
    return RunJudgement(
        family="runs",
        instances=len(runs),
        nontrivial=sum(_pays_from_limited_account(ran.course) for ran in runs),
        failures=[_at(ran, *over) for ran in runs for over in _overdrafts(ran.course)],
        holds="No payment takes an account below its floor.",
        fails="A payment takes an account below its floor.",
        vacuous="No account that has a floor pays anything.",
        exact=not any(ran.course.inexact for ran in runs),
    )


Problem = tuple[int | None, str, str]


def _at(ran: RepeatedRun, step: int | None, who: str, problem: str) -> RunWitness:
    return RunWitness(cases=(ran.case,), seed=ran.seed, step=step, who=who, problem=problem)


class _Books:
    """Balances by the opening balances and the payments, and how far floats may be off."""

    def __init__(self, course: RecordedRun) -> None:
        self.inexact = course.inexact
        self.balances = dict(course.opening)
        self._largest = {account: abs(b) for account, b in course.opening.items()}
        self._changes = dict.fromkeys(course.opening, 0)

    def change(self, account: str, by: Fraction) -> None:
        """Add to a balance."""
        self.balances[account] += by
        self._largest[account] = max(self._largest[account], abs(self.balances[account]))
        self._changes[account] += 1

    def rounding(self, account: str) -> Fraction:
        """Return one unit in the last place for each change, and one more."""
        if not self.inexact:
            return Fraction(0)
        return (self._changes[account] + 1) * Fraction(ulp(float(self._largest[account])))

    def text(self, amount: Fraction) -> str:
        """Write an amount."""
        return number_text(float(amount) if self.inexact else amount)


def _leaks(course: RecordedRun) -> Iterator[Problem]:
    """Return what the closing balances do not account for."""
    books = _Books(course)
    for payment in course.payments:
        for account, change in _changes(payment):
            if account not in course.opening:
                problem = f"{account} has no account, and {books.text(payment.amount)} is paid"
                yield payment.step, account, problem
                return
            books.change(account, change)
    for account in dict.fromkeys([*course.opening, *course.closing]):
        if account not in course.closing or account not in course.opening:
            when = "end" if account in course.opening else "start"
            yield None, account, f"{account} has no balance at the {when}"
            continue
        has, due = course.closing[account], books.balances[account]
        if abs(has - due) > books.rounding(account):
            verb = "appears" if has > due else "vanishes"
            yield (
                None,
                account,
                f"{books.text(abs(has - due))} {verb}: {account} ends with {books.text(has)}, "
                f"and by the payments with {books.text(due)}",
            )


def _overdrafts(course: RecordedRun) -> Iterator[Problem]:
    """Return the first payment that takes an account below its floor."""
    books = _Books(course)
    for payment in course.payments:
        for account, change in _changes(payment):
            if account not in course.opening:
                continue
            before = books.balances[account]
            books.change(account, change)
            floor = course.floors.get(account, Fraction(0))
            if change >= 0 or floor is None:
                continue
            if books.balances[account] < floor - books.rounding(account):
                keeps = f" and must keep {books.text(floor)}" if floor else ""
                held = f"{account} has {books.text(before)}{keeps}"
                yield payment.step, account, f"{held}, and pays {books.text(-change)}"
                return


def _pays_from_limited_account(course: RecordedRun) -> bool:
    """Whether an account that has a floor pays anything."""
    return any(
        change < 0 and course.floors.get(account, 0) is not None
        for payment in course.payments
        for account, change in _changes(payment)
    )


def _changes(payment: Payment) -> tuple[tuple[str, Fraction], ...]:
    """Return what a payment adds to the balance of each account, which is nothing by oneself."""
    if payment.payer == payment.payee:
        return ((payment.payer, Fraction(0)),)
    return (payment.payer, -payment.amount), (payment.payee, payment.amount)
