"""What it is worth to decide by texts that were read, not bought; and that the market bars it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

from mechanisms.market import Excerpt, Market, Quote, answer_question, watch_market
from mechanisms.play import Ask
from theory.incentives.protocols import RunRecord, check_protocol
from theory.search import Draw, Family, Trial

__all__ = ["BROWSED", "Browsing", "Hoarder", "NothingIsStolen", "SharedMemory"]

World = tuple[bool, ...]


@dataclass(frozen=True)
class Browsing:
    """Texts that each say yes or no, all worlds as likely, and an answer that is right in each.

    The right answer is worth ``stake``; ``wanted`` are the texts that are bought, at 1 each.
    """

    texts: int
    right: tuple[bool, ...]
    wanted: tuple[bool, ...]
    stake: int = 2

    def __str__(self) -> str:
        wanted = [str(k) for k, each in enumerate(self.wanted, 1) if each]
        rows = ", ".join(
            f"{''.join('ny'[bit] for bit in world)}: {'ny'[right]}"
            for world, right in zip(self.worlds, self.right, strict=True)
        )
        return f"answers by what the texts say {rows}; bought: {', '.join(wanted) or 'none'}"

    @property
    def worlds(self) -> tuple[World, ...]:
        """What the texts may say."""
        return tuple(product((False, True), repeat=self.texts))

    def decide(self, known: dict[int, bool]) -> bool:
        """Return the answer that is right in most worlds that fit what is known; no on a tie."""
        fits = [
            right
            for world, right in zip(self.worlds, self.right, strict=True)
            if all(world[k] == bit for k, bit in known.items())
        ]
        return 2 * sum(fits) > len(fits)

    def value_of_theft(self) -> Fraction:
        """Return what the best decision given all texts is worth above that given those bought."""
        blocks: dict[World, list[bool]] = {}
        for world, right in zip(self.worlds, self.right, strict=True):
            key = tuple(bit for bit, bought in zip(world, self.wanted, strict=True) if bought)
            blocks.setdefault(key, []).append(right)
        found = sum(max(sum(block), len(block) - sum(block)) for block in blocks.values())
        return self.stake * (1 - Fraction(found, len(self.worlds)))


@dataclass
class Hoarder:
    """Buys what is wanted, tries to keep all that it reads, and answers by all that it knows."""

    case: Browsing
    keeps: bool = True
    name: str = "the buyer"
    hoard: dict[int, bool] = field(default_factory=dict[int, bool])

    def __call__(self, ask: Ask) -> object:
        """Answer as a buyer of the market does."""
        if ask.role == "choose":
            offers = ask.view.offers[0]
            if self.keeps:
                self.hoard.update(_read(each.content for each in offers))
            return [each.name for each in offers if self.case.wanted[int(each.name[-1])]]
        known = self.hoard | _read(each.content for each in ask.view.bought)
        return "yes" if self.case.decide(known) else "no"


class SharedMemory(Hoarder):
    """A thief: the seat that is forgotten writes into the memory of the one that answers."""

    def __deepcopy__(self, memo: dict[int, object]) -> SharedMemory:
        """Return itself."""
        return self


@dataclass
class _Library:
    """Quotes all texts of a world at 1 each."""

    world: World
    name: str = "library"

    def __call__(self, ask: Ask) -> list[Quote]:
        del ask
        return [
            Quote(f"text {k}", f"text {k}", f"text {k} says {'yes' if bit else 'no'}", 1)
            for k, bit in enumerate(self.world)
        ]


def _read(contents: Any) -> dict[int, bool]:
    texts = [each.text for each in contents if isinstance(each, Excerpt) and each.text]
    return {int(text.split()[1]): text.endswith("yes") for text in texts}


@dataclass(frozen=True)
class NothingIsStolen:
    """Who hoards gains what an honest buyer does; with a shared memory it gains the theft.

    ``check_protocol`` finds nothing against who hoards, and that the thief's answer depends on what
    the buyer was never told.
    """

    hoarder: Callable[[Browsing], Any] = Hoarder
    thief: Callable[[Browsing], Any] = SharedMemory

    def __call__(self, case: Browsing) -> Trial:
        """Play all worlds with three buyers; non-trivial where there is something to steal."""
        honest = self._gain(case, lambda of: Hoarder(of, keeps=False))
        hoarded, stolen = (self._gain(case, each) for each in (self.hoarder, self.thief))
        theft = case.value_of_theft()
        failure = ""
        if hoarded != honest:
            failure = f"who hoards gains {hoarded}, an honest buyer {honest}."
        elif stolen - honest != theft:
            failure = f"a shared memory gains {stolen - honest}, and the texts are worth {theft}."
        elif refuted := self._refuted(case, self.hoarder):
            failure = f"the protocol breaks {', '.join(refuted)}."
        elif theft and "measurability" not in self._refuted(case, self.thief):
            failure = "no check finds the thief."
        return Trial(nontrivial=theft > 0, failure=failure)

    def _gain(self, case: Browsing, buyer: Callable[[Browsing], Any]) -> Fraction:
        total = Fraction(0)
        for world, right in zip(case.worlds, case.right, strict=True):
            found = answer_question(Market((_Library(world),)), "yes or no?", buyer(case), 10)
            total += case.stake * (found.answer == ("yes" if right else "no")) - found.spent
        return total / len(case.worlds)

    def _refuted(self, case: Browsing, buyer: Callable[[Browsing], Any]) -> Sequence[str]:
        def run(world: World, rng: object) -> RunRecord:
            del rng
            return watch_market(Market((_Library(world),)), "yes or no?", buyer(case), 10)

        return check_protocol(run, case.worlds, seeds=1).refuted


def _build_browsing(draw: Draw, texts: int) -> Browsing:
    right = tuple(draw.choice((False, True)) for _ in range(2**texts))
    return Browsing(texts, right, tuple(draw.choice((False, True)) for _ in range(texts)))


def _browsing_size(case: Browsing) -> tuple[int, ...]:
    return (sum(case.right) + sum(case.wanted),)


BROWSED: Family[Browsing] = Family(
    description="one text or two that say yes or no, every answer to them, every set bought",
    level_name="texts",
    levels=(1, 2),
    build=_build_browsing,
    size=_browsing_size,
)
