"""Advertising auctions for ``theory.incentives.protocols``: who may know what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mechanisms.advertising._instances import Instance
from mechanisms.advertising._rules import GENERATOR, REFERENCE, advertising_auction
from mechanisms.play import Ask, Entry, How, Participant, play, record_run
from theory.shared.arguments import read_tuple

if TYPE_CHECKING:
    from theory.incentives.protocols import RunRecord

__all__ = ["watch_advertising"]


def watch_advertising(
    instance: Instance,
    participants: Mapping[str, Participant],
    candidates: int,
    *,
    told: Iterable[str] | None = None,
    tau: float = 1.0,
    offset: bool = True,
    attempts: int = 1,
    seed: int | str = 0,
    private: Mapping[str, object] | None = None,
    setting: object = None,
) -> RunRecord:
    """Play :func:`advertising_auction` and note what happens, for ``check_protocol``.

    The players are the generator, the reference and the advertisers. All know the question and the
    rules. The generator may know the advertisers that it is told of, the reference the different
    replies that were drawn, and an advertiser these and their log-probabilities under the
    reference. It knows neither the other advertisers and their rewards, nor the law that replies
    were drawn from. Who may know what comes from the answers, and not from what the auction tells.

    Parameters
    ----------
    instance, candidates, told, tau, offset, attempts
        As for :func:`advertising_auction`.
    participants : mapping
        As for :func:`~mechanisms.play.play`; made anew for each run.
    seed : int or str
        Draws the reply.
    private : mapping, optional
        By name, what the generator, the reference or an advertiser knows from the start, such as
        its rewards. An advertiser also knows what it offers.
    setting : object
        What else distinguishes the participants; runs are compared where it, the question, the
        number of advertisers and the rules are the same.

    Raises
    ------
    InvalidInputError, ParticipantError
        As for :func:`advertising_auction` and :func:`~mechanisms.play.play`.

    Examples
    --------
    >>> from mechanisms.advertising import Advertiser
    >>> from theory.incentives.protocols import check_protocol
    >>> firms = Advertiser("Darnly", "wool in tins"), Advertiser("Heelix", "thick socks")
    >>> def run(reward, rng):
    ...     participants = {
    ...         "the generator": lambda ask: [("Ask Darnly.", -1), ("Buy new ones.", -1)],
    ...         "the reference": lambda ask: [-2, -1],
    ...         "Darnly": lambda ask: [reward, 0],
    ...         "Heelix": lambda ask: [0, 1],
    ...     }
    ...     instance, known = Instance("How do I mend a sock?", firms), {"Darnly": reward}
    ...     return watch_advertising(instance, participants, 2, private=known)
    >>> check_protocol(run, [1, 2]).refuted
    ()
    """
    firms = {one.name: one for one in instance.advertisers}
    names = tuple(firms) if told is None else read_tuple("told", told)
    begun = advertising_auction(
        instance, candidates, told=names, tau=tau, offset=offset, attempts=attempts
    )
    run = play(begun.seeded(seed), participants)
    known = dict(private or {})
    known |= {name: (one, known.get(name)) for name, one in firms.items()}

    def may_know(seat: str, log: Sequence[Entry]) -> object:
        if seat == GENERATOR:
            return [firms[name] for name in firms if name in names]
        asked: list[Any] = [entry for entry in log if isinstance(entry.request, Ask)]
        said = {each.request.role: each.value for each in asked if each.how is How.CHOSEN}
        replies = tuple(dict.fromkeys(said["write"].replies))
        return replies if seat == REFERENCE else (replies, said["score"])

    return record_run(
        run,
        may_know,
        private=known,
        public=(instance.query, len(firms), candidates, tau, offset, attempts, setting),
        limit=4 * attempts * (len(firms) + 2) + 2 * len(firms) + 2,
    )
