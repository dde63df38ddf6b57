"""The softmax auction by the formulas of its definition, one after the other, in long decimals.

``rewards[i][j]`` is the reward of agent i for candidate j, and beta_-i(j) is the sum over the
other agents k of r_k(j) / tau, plus log pi_ref(j) - log pi_gen(j) where the candidates come from
another law than the reference (Algorithm 2). Nothing is rearranged to save digits: there are
enough of them.

A table of tokens is {tokens before: {next token: probability}}; a reply ends with the token
``END``, or where it has as many tokens as are allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    Context,
    Decimal,
    DivisionByZero,
    InvalidOperation,
    Overflow,
    localcontext,
)
from fractions import Fraction
from functools import wraps
from itertools import combinations, combinations_with_replacement, product
from math import factorial, inf, prod
from typing import Any, ParamSpec, TypeVar

DIGITS = 60
END = None

P = ParamSpec("P")
R = TypeVar("R")
Row = Sequence[Any]
Token = Any
Reply = tuple[Token, ...]
Table = Mapping[Reply, Mapping[Token, Any]]


def long(digits: int = DIGITS) -> Context:
    """Arithmetic of so many digits, where what underflows is zero."""
    return Context(
        prec=digits,
        Emax=MAX_EMAX,
        Emin=MIN_EMIN,
        traps=[Overflow, DivisionByZero, InvalidOperation],
    )


def decimal(value: Any) -> Decimal:
    """Floats and whole numbers as they are, quotients and infinities too."""
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    return Decimal(value)


def in_decimals(function: Callable[P, R]) -> Callable[P, R]:
    """Runs in long decimals; an object with ``digits`` says how long."""

    @wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        with localcontext(long(getattr(args[0], "digits", DIGITS) if args else DIGITS)):
            return function(*args, **kwargs)

    return run


def dot(xs: Row, ys: Row) -> Any:
    return sum((x * y for x, y in zip(xs, ys, strict=True)), start=Decimal(0))


def log_sum_exp(scores: Sequence[Decimal]) -> Decimal:
    """log of the sum of exp; the greatest is taken out, for exp of it may not exist."""
    top = max(scores)
    return top + sum(((s - top).exp() for s in scores), start=Decimal(0)).ln()


def softmax(scores: Sequence[Decimal]) -> list[Decimal]:
    top = max(scores)
    weights = [(s - top).exp() for s in scores]
    total = sum(weights)
    return [w / total for w in weights]


# --- one query


@dataclass(frozen=True)
class Auction:
    """Equations (8) to (10), (13), (15) and (19) at one set of candidates."""

    rewards: Sequence[Row]
    tau: Any
    log_ref: Row | None = None
    log_gen: Row | None = None
    digits: int = DIGITS

    @property
    def agents(self) -> range:
        return range(len(self.rewards))

    @property
    def candidates(self) -> range:
        return range(len(self.rewards[0]))

    def reward(self, i: int) -> list[Decimal]:
        return [decimal(x) for x in self.rewards[i]]

    @in_decimals
    def log_ratio(self) -> list[Decimal]:
        """log of pi_ref / pi_gen, zero in Algorithm 1."""
        if self.log_ref is None or self.log_gen is None:
            return [Decimal(0) for _ in self.candidates]
        pairs = zip(self.log_ref, self.log_gen, strict=True)
        return [decimal(ref) - decimal(gen) for ref, gen in pairs]

    @in_decimals
    def beta(self, i: int) -> list[Decimal]:
        """What agent i cannot change."""
        others = [self.reward(k) for k in self.agents if k != i]
        tau, ratio = decimal(self.tau), self.log_ratio()
        return [
            sum((row[j] for row in others), start=Decimal(0)) / tau + ratio[j]
            for j in self.candidates
        ]

    @in_decimals
    def scores(self, i: int) -> list[Decimal]:
        """r_i / tau + beta_-i."""
        tau = decimal(self.tau)
        return [r / tau + b for r, b in zip(self.reward(i), self.beta(i), strict=True)]

    @in_decimals
    def allocation(self, i: int = 0) -> list[Decimal]:
        """(8), as agent i sees it."""
        return softmax(self.scores(i))

    @in_decimals
    def allocation_without(self, i: int) -> list[Decimal]:
        return softmax(self.beta(i))

    @in_decimals
    def offset(self, i: int) -> Decimal:
        """(13)."""
        return -decimal(self.tau) * log_sum_exp(self.beta(i))

    @in_decimals
    def utility(self, i: int, *, offset: bool = True) -> Decimal:
        """(9) with C from (13), or zero."""
        shared = decimal(self.tau) * log_sum_exp(self.scores(i))
        return shared + self.offset(i) if offset else shared

    @in_decimals
    def payment(self, i: int, *, offset: bool = True) -> Decimal:
        """(10)."""
        return self.expected_reward(i) - self.utility(i, offset=offset)

    @in_decimals
    def expected_reward(self, i: int) -> Decimal:
        return dot(self.allocation(i), self.reward(i))

    @in_decimals
    def lemma_5_5(self, i: int) -> Decimal:
        """(15): tau log of the sum of exp(r_i / tau) under the law without agent i.

        The greatest exponent is taken out, for exp of it may not exist.
        """
        tau = decimal(self.tau)
        exponents = [r / tau for r in self.reward(i)]
        top = max(exponents)
        mean = dot([(e - top).exp() for e in exponents], self.allocation_without(i))
        return tau * (top + mean.ln())

    @in_decimals
    def reward_gain(self, i: int) -> Decimal:
        """(19) where the candidates stay what they are."""
        return self.expected_reward(i) - dot(self.allocation_without(i), self.reward(i))

    @in_decimals
    def utility_gain(self, i: int, *, offset: bool = True) -> Decimal:
        """What agent i has more than if she stayed out, paid nothing and got her mean reward."""
        outside = dot(self.allocation_without(i), self.reward(i))
        return self.utility(i, offset=offset) - outside

    @in_decimals
    def revenue(self, *, offset: bool = True) -> Decimal:
        paid = (self.payment(i, offset=offset) for i in self.agents)
        return sum(paid, start=Decimal(0))

    @in_decimals
    def welfare(self, law: Row, agents: Sequence[int]) -> Decimal:
        """The agents' mean rewards less tau KL(law || rho), rho the ratios brought to sum 1."""
        rewards = (dot(law, self.reward(i)) for i in agents)
        penalty = decimal(self.tau) * kl(law, softmax(self.log_ratio()))
        return sum(rewards, start=Decimal(0)) - penalty

    @in_decimals
    def clarke_payment(self, i: int) -> Decimal:
        """What the others, the penalty among them, lose by agent i at the laws best for them."""
        others = [k for k in self.agents if k != i]
        alone = self.welfare(self.allocation_without(i), others)
        return alone - self.welfare(self.allocation(i), others)

    @in_decimals
    def utility_as_in_14(self, i: int) -> Decimal:
        """(14) for Algorithm 2 as printed: the log of the ratio is added to each exponential."""
        tau = decimal(self.tau)
        columns = zip(*(self.reward(k) for k in self.agents), strict=True)
        terms = [
            (sum(column) / tau).exp() + extra
            for column, extra in zip(columns, self.log_ratio(), strict=True)
        ]
        return tau * sum(terms, start=Decimal(0)).ln()


@in_decimals
def rewards_from_models(
    model: Row, reference: Row, tau: Any = 1, log_normaliser: Any = 0
) -> list[Decimal]:
    """(11) from probabilities, with the factor tau on both terms."""
    scale, constant = decimal(tau), decimal(log_normaliser)
    return [
        scale * (decimal(p) / decimal(q)).ln() + scale * constant
        for p, q in zip(model, reference, strict=True)
    ]


# --- the same from odds exp(r / tau), in quotients


def odds_allocation(odds: Sequence[Row], weights: Row | None = None) -> list[Fraction]:
    size = len(odds[0])
    base = [Fraction(1)] * size if weights is None else [Fraction(w) for w in weights]
    found = [w * prod((Fraction(row[j]) for row in odds), start=1) for j, w in enumerate(base)]
    return [Fraction(w) / sum(found) for w in found]


def odds_allocation_without(
    odds: Sequence[Row], i: int, weights: Row | None = None
) -> list[Fraction]:
    rest = [row for k, row in enumerate(odds) if k != i]
    return odds_allocation([[1] * len(odds[0]), *rest], weights)


@in_decimals
def odds_payment(
    odds: Sequence[Row], i: int, weights: Row | None = None, *, tau: Any = 1, offset: bool = True
) -> Decimal:
    """Mean of log of the agent's odds less log of what (9) sums, times tau."""
    law = odds_allocation(odds, weights)
    reward = dot([decimal(p) for p in law], [decimal(Fraction(x)).ln() for x in odds[i]])
    base = [1] * len(law) if weights is None else weights
    products = [prod((Fraction(row[j]) for row in odds), start=1) for j in range(len(law))]
    total = sum(Fraction(w) * x for w, x in zip(base, products, strict=True))
    if offset:
        total /= sum(
            Fraction(w) * x / Fraction(o) for w, x, o in zip(base, products, odds[i], strict=True)
        )
    return decimal(tau) * (reward - decimal(total).ln())


# --- distances of laws


@in_decimals
def kl(p: Row, q: Row) -> Decimal:
    """KL(p || q), infinite where p has mass and q has none."""
    total = Decimal(0)
    for x, y in zip(map(decimal, p), map(decimal, q), strict=True):
        if x:
            total += x * (x / y).ln() if y else Decimal(inf)
    return total


def total_variation(p: Row, q: Row) -> Any:
    return sum(abs(x - y) for x, y in zip(p, q, strict=True)) / 2


def greatest_gap(p: Row, q: Row) -> Any:
    """The greatest difference in the probability of an event: total variation again."""
    slots = range(len(p))
    events = (event for size in range(len(p) + 1) for event in combinations(slots, size))
    return max(abs(sum(p[j] - q[j] for j in event)) for event in events)


# --- the law of the reply at a number of candidates


def optimum(generator: Row, weights: Row) -> list[Fraction]:
    """The limit: proportional to the generator's law times the weight."""
    found = [Fraction(g) * Fraction(w) for g, w in zip(generator, weights, strict=True)]
    return [x / sum(found) for x in found]


def reply_law(generator: Row, weights: Row, candidates: int) -> tuple[list[Fraction], Fraction]:
    """Each reply's probability, and that of candidates which all have weight zero.

    All tuples of candidates are listed; of a tuple, a candidate is drawn by its weight.
    """
    law = [Fraction(0)] * len(generator)
    nothing = Fraction(0)
    for draws in product(range(len(generator)), repeat=candidates):
        chance = prod((Fraction(generator[y]) for y in draws), start=Fraction(1))
        total = sum(Fraction(weights[y]) for y in draws)
        if not total:
            nothing += chance
            continue
        for y in draws:
            law[y] += chance * Fraction(weights[y]) / total
    return law, nothing


def reply_law_by_counts(
    generator: Row, weights: Row, candidates: int
) -> tuple[list[Fraction], Fraction]:
    """The same over multisets, each as often as it can be put in order."""
    law = [Fraction(0)] * len(generator)
    nothing = Fraction(0)
    for draws in combinations_with_replacement(range(len(generator)), candidates):
        counts = [draws.count(y) for y in range(len(generator))]
        orders = factorial(candidates) // prod(factorial(n) for n in counts)
        chance = orders * prod(
            (Fraction(g) ** n for g, n in zip(generator, counts, strict=True)), start=Fraction(1)
        )
        total = sum(n * Fraction(w) for n, w in zip(counts, weights, strict=True))
        if not total:
            nothing += chance
            continue
        for y, n in enumerate(counts):
            law[y] += chance * n * Fraction(weights[y]) / total
    return law, nothing


def first_order(generator: Row, weights: Row) -> list[Fraction]:
    """What M times the distance to the optimum tends to."""
    best = optimum(generator, weights)
    ratio = [b / Fraction(g) for b, g in zip(best, generator, strict=True)]
    mean = sum(b * w for b, w in zip(best, ratio, strict=True))
    return [b * (mean - w) for b, w in zip(best, ratio, strict=True)]


# --- decoding


@in_decimals
def tempered(row: Mapping[Token, Any], temperature: Any) -> dict[Token, Decimal]:
    """Probabilities to the power 1 / temperature, brought to sum 1."""
    power = 1 / decimal(temperature)
    weights = {token: decimal(p) ** power for token, p in row.items() if p}
    total = sum(weights.values())
    return {token: w / total for token, w in weights.items()}


def nuclei(row: Mapping[Token, Any], top_p: Any) -> list[set[Token]]:
    """The smallest sets of likeliest tokens that hold top_p; more than one where tokens tie."""
    likely = sorted(row, key=lambda token: row[token], reverse=True)
    for size in range(1, len(likely) + 1):
        if sum(row[token] for token in likely[:size]) >= top_p:
            least = row[likely[size - 1]]
            sure = {token for token in row if row[token] > least}
            ties = [token for token in likely if row[token] == least]
            return [sure | set(some) for some in combinations(ties, size - len(sure))]
    return [set(likely)]


@in_decimals
def decoded(row: Mapping[Token, Any], temperature: Any = 1, top_p: Any = 1) -> dict[Token, Decimal]:
    """Temperature first, then the first nucleus, brought to sum 1."""
    warm = tempered(row, temperature)
    kept = nuclei(warm, decimal(top_p))[0]
    total = sum(warm[token] for token in kept)
    return {token: p / total for token, p in warm.items() if token in kept}


def replies(table: Table, longest: int, before: Reply = ()) -> Iterator[Reply]:
    """All replies, those of too many tokens cut off."""
    for token in table[before]:
        if token is END:
            yield before
        elif len(before) + 1 == longest:
            yield (*before, token)
        else:
            yield from replies(table, longest, (*before, token))


@in_decimals
def decoded_law(
    table: Table, longest: int, temperature: Any = 1, top_p: Any = 1
) -> dict[Reply, Decimal]:
    """Each reply by the product of its tokens' probabilities where every token is decoded."""
    rows = {before: decoded(row, temperature, top_p) for before, row in table.items()}
    law = {}
    for reply in replies(table, longest):
        chance = Decimal(1)
        for place, token in enumerate(reply):
            chance *= rows[reply[:place]].get(token, Decimal(0))
        if len(reply) < longest:
            chance *= rows[reply].get(END, Decimal(0))
        law[reply] = chance
    return law


def context(before: Reply, order: int) -> Reply | str:
    """What the next word depends on: the last order - 1 words of its sentence.

    The start of a reply and that of a later sentence differ, but for independent words.
    """
    if order == 1:
        return ()
    ends = [place for place, word in enumerate(before, 1) if word[-1] in ".!?"]
    sentence = before[ends[-1] :] if ends else before
    if not sentence:
        return "later" if before else "start"
    return sentence[-(order - 1) :]


def counted(texts: Sequence[str], order: int, longest: int) -> dict[Reply, dict[Token, Fraction]]:
    """The table in which a word follows as often as it did in the texts after the same context."""
    seen: dict[Any, dict[Token, int]] = {}
    for text in texts:
        words = text.split()
        for place, word in enumerate([*words, END]):
            row = seen.setdefault(context(tuple(words[:place]), order), {})
            row[word] = row.get(word, 0) + 1
    table: dict[Reply, dict[Token, Fraction]] = {}
    waiting: list[Reply] = [()]
    while waiting:
        before = waiting.pop()
        row = seen[context(before, order)]
        total = sum(row.values())
        table[before] = {word: Fraction(count, total) for word, count in row.items()}
        if len(before) + 1 < longest:
            waiting += [(*before, word) for word in row if word is not END]
    return table
