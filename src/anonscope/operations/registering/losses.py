"""What releases of the same people lose together: epsilons and deltas add up, but only if all of them protect the same."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from anonscope.errors import RegisterError, shown
from anonscope.operations.registering.chain import Entry, check_whole, read_chain
from anonscope.risk.policy.guarantee import StatedTogether
from anonscope.synthesis.ledger import Loss
from anonscope.transform.release.manifest import file_hash

UNLIKE = (
    "{0:,} of {1:,} private releases of {2} protect single records, and the others people: no sum of these is what a person loses, unless "
    "everybody has one record"
)


@dataclass(frozen=True, slots=True)
class Budget:
    """What a person may lose in total; without a delta, that has no limit."""

    epsilon: Fraction
    delta: Fraction | None


@dataclass(frozen=True, slots=True)
class Together:
    """What several releases lose, as far as they state it."""

    lost: Loss
    private: int  # how many state an epsilon
    delta_known: bool  # whether all of these state a delta, too
    unknown: int  # how many are bounded by no stated loss, so that no sum counts them
    unlike: int  # how many protect single records where others protect people

    def stated(self, others: int) -> StatedTogether:
        """Return it as a policy judges it."""
        return StatedTogether(self.lost.epsilon, self.lost.delta, others, self.unknown, self.unlike)


def together(entries: Sequence[Entry], new: Loss | None = None, unit: str | None = None) -> Together:
    """Return what the releases among some lines of a register lose, and a new one that protects such a unit."""
    releases = [entry for entry in entries if entry.kind == "release"]
    private = [entry for entry in releases if entry.epsilon is not None]
    units = [entry.unit for entry in private] + ([unit] if new is not None else [])
    records = units.count("record")
    return Together(
        lost=sum((Loss(entry.lost, Fraction(entry.delta or 0)) for entry in private), new or Loss()),
        private=len(units),
        delta_known=all(entry.delta is not None for entry in private),
        unknown=sum(not entry.by_epsilon or entry.delta is None or entry.unit is None for entry in releases),
        unlike=records if records < len(units) - units.count(None) else 0,
    )


def budget_of(entries: Sequence[Entry]) -> Budget | None:
    """Return the last budget that was set for a population."""
    found = [Budget(entry.lost, None if entry.delta is None else Fraction(entry.delta)) for entry in entries if entry.kind == "budget"]
    return found[-1] if found else None


def same_population(name: str) -> str:
    """Return what names of one population have in common: case, blanks and ways to write a letter make no other people."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())


def stated_in(folder: Path, release: Path | None) -> StatedTogether:
    """Return what a register has of a release and all others of the same people, earlier and later; raise where it does not know it."""
    if release is None:
        raise RegisterError("A register knows releases by the bytes of their files, and this table is no file of this machine.")
    if not folder.is_dir():
        raise RegisterError(f"The folder of the register, {shown(folder)}, does not exist.")
    chain = read_chain(folder)
    check_whole(chain, folder)
    known = file_hash(release)
    whose = {same_population(entry.population) for entry in chain.entries if entry.sha256 == known}
    if not whose:
        raise RegisterError(f"The register has no release with the bytes of {shown(release.name)}. Add it first: anonscope register add.")
    found = [entry for entry in chain.entries if entry.kind == "release" and same_population(entry.population) in whose]
    return together(found).stated(len(found) - 1)
