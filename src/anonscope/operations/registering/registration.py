"""A release that is registered as it is published: held against the register first, and added to it before it is placed."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from anonscope.errors import NotPublished, OptionError, shown
from anonscope.operations.read import Data
from anonscope.operations.registering.chain import Chain, Entry, append, check_whole, day, locked, read_chain
from anonscope.operations.registering.composing import Composed, NewRelease, check_counted, composed
from anonscope.operations.registering.losses import UNLIKE, budget_of, same_population, together
from anonscope.risk.privacy_loss import number
from anonscope.synthesis.ledger import Loss


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """Into which register, as a release of whom, to whom, and until when."""

    folder: Path
    population: str
    recipient: str | None = None
    review: str | None = None
    expires: str | None = None
    accepted: str | None = None  # why a release goes though it was not measured together with the earlier ones

    def __post_init__(self) -> None:
        if not self.population.strip():
            raise OptionError("A register needs the name of the population that a release is of (--population-name NAME).")
        day(self.review, "The day of the review")
        day(self.expires, "The day of the expiry")

    @contextmanager
    def under_way(self) -> "Iterator[Registering]":
        """Hold the register while a release is checked, placed and added, so that nobody else comes between."""
        with locked(self.folder):
            chain = read_chain(self.folder)
            check_whole(chain, self.folder)
            yield Registering(self, chain)

    def check_budget(self, lost: Loss, unit: str) -> None:
        """Raise where what is asked for would cost more than the budget allows; for whoever asks before anything is read."""
        with self.under_way() as registering:
            registering.check_budget(lost, unit)


class Registering:
    """One release on its way into a register."""

    def __init__(self, asked: Registration, chain: Chain) -> None:
        self.asked = asked
        self.earlier = [entry for entry in chain.entries if same_population(entry.population) == same_population(asked.population)]
        self.beside: list[NewRelease] = []  # of the same set, which were looked at already
        self._wanted = Loss()  # of the same set

    def check_budget(self, lost: Loss | None, unit: str | None) -> None:
        """Raise where a person of the population would lose more than the budget allows, or nobody can know whether that is so."""
        budget = budget_of(self.earlier)
        if budget is None or lost is None:
            return
        people, before = shown(self.asked.population), together(self.earlier, self._wanted, unit)
        self._wanted += lost
        spent, limits = before.lost, (("an epsilon", lost.epsilon, budget.epsilon), ("a delta", lost.delta, budget.delta))
        for (what, wanted, limit), gone in zip(limits, (spent.epsilon, spent.delta), strict=True):
            if limit is not None and gone + wanted > limit:
                raise NotPublished(
                    f"Not published: it would cost every person of {people} {what} of {number(wanted)}, and of their budget of "
                    f"{number(limit)}, {number(gone)} is spent. Nothing was written."
                )
        unknown = UNLIKE.format(before.unlike, before.private, people) if before.unlike else None
        if budget.delta is not None and not before.delta_known:
            unknown = "it is not known what earlier releases lose beyond their epsilon"
        if unknown is not None and not self.asked.accepted:
            raise NotPublished(
                f"Not published: whether the budget of {people} is kept cannot be known: {unknown}. Nothing was written. Say why it goes "
                "anyway (--accept-unmeasured REASON)."
            )

    def check(self, new: NewRelease, people: Data | None, name: str) -> Composed:
        """Return what a release tells together with the earlier ones; raise where that is too much, or not known."""
        uncounted = check_counted(new, self.earlier, self.asked.folder, name)
        found = composed(new, self.earlier, self.asked.folder, people, self.asked.accepted, self.beside)
        before = together(self.earlier, new.lost, new.unit)
        lost = before.lost if new.lost is not None else None
        found = replace(
            found, uncounted=uncounted, lost=lost, without_guarantee=before.unknown, unlike=before.unlike if lost is not None else 0
        )
        self.beside.append(new)
        if not found.holds and not (found.accepted and not found.measured):
            ask = "" if found.measured else " Bring the earlier releases back, or say why it goes anyway (--accept-unmeasured REASON)."
            raise NotPublished(f"{shown(name)} is not published. {found.sentence} Nothing was written.{ask}")
        return found

    def add(self, **told: object) -> Entry:
        """Add the release: before anybody can have it, so that none is out that the register does not know."""
        asked = self.asked
        entry = Entry(
            kind="release",
            population=asked.population,
            added=datetime.now(UTC).isoformat(timespec="seconds"),
            recipient=asked.recipient,
            review=asked.review,
            expires=asked.expires,
            **told,  # type: ignore[arg-type]
        )
        append(asked.folder, entry)
        return entry


def seen_from(folder: Path, path: Path) -> str:
    """Return where a file is, seen from the folder of a register."""
    return os.path.relpath(path.resolve(), folder.resolve())
