"""Two releases about the same people: how few candidates are left to somebody who has both.

S. R. Ganta, S. P. Kasiviswanathan and A. Smith (2008), "Composition attacks and auxiliary information in data privacy", KDD: releases
that are harmless alone need not be so together, because candidates must fit both.

The model. A table of people (the original, or any external table that holds them) is known to the attacker, and each of them may have a
record in both releases; no key joins the releases. Two people are candidates for each other under a release when the same released
classes may be either of them; who fits no class of a release is not in it, unless their values may only be written otherwise: then
nothing is measured. Under both releases they must be so in each: the candidate sets are intersected. With one level of recoding per
column everybody fits one class, and this is the plain intersection of two classes. Where released values overlap, people who fit partly
the same classes are told apart, so the risk is an upper bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anonscope.attacks.linkage.columns import LinkedColumn
from anonscope.attacks.linkage.families import Integers
from anonscope.attacks.linkage.matches import Matches, Strays
from anonscope.columns.readings import ReadAs
from anonscope.errors import LinkageError
from anonscope.risk.counting.grouping import dense


@dataclass(frozen=True, slots=True)
class Candidates:
    """How many people remain candidates for each other: over those who fit the releases in question.

    None is what was not measured, because it hangs on labels that were not read, or on people who are written otherwise.
    """

    people: int
    fewest: int | None
    average_risk: float | None  # mean of 1 / candidates
    alone: int | None  # people without another candidate


@dataclass(frozen=True, slots=True)
class Composition:
    """The same people under one release, under the other, and under both."""

    first_columns: tuple[LinkedColumn, ...]
    second_columns: tuple[LinkedColumn, ...]
    first: Candidates
    second: Candidates
    both: Candidates
    newly_alone: int | None  # people with company in each release who have none when both are known
    first_readings: tuple[ReadAs, ...]  # how the labels of the first release were read
    second_readings: tuple[ReadAs, ...]
    first_strays: tuple[Strays, ...]  # people's values that fit no label of the first release, and may be written otherwise
    second_strays: tuple[Strays, ...]

    @property
    def measured(self) -> bool:
        """Whether all labels were read, and all people's values placed, that the result hangs on."""
        return self.newly_alone is not None


def compose(first: Matches, second: Matches) -> Composition:
    """Return what two releases tell together; both must have been matched with the same table of people."""
    if first.external_size != second.external_size:
        raise LinkageError(
            f"The releases were matched with tables of {first.external_size:,} and of {second.external_size:,} people. "
            "Match both with the same table."
        )
    marks = [matches.signatures[matches.tuple_of] for matches in (first, second)]
    fits = [matches.released_records[matches.tuple_of] > 0 for matches in (first, second)]
    common = fits[0] & fits[1]
    if not common.any():
        raise LinkageError("Nobody in the table of people fits both releases, so there is nothing to compose.")
    groups = [np.unique(mark, return_inverse=True)[1].astype(np.int64) for mark in marks]
    width = int(groups[1].max()) + 1
    together, _ = dense(groups[0] * width + groups[1], (int(groups[0].max()) + 1) * width)
    sizes = [_sizes(group, rows) for group, rows in ((groups[0], fits[0]), (groups[1], fits[1]), (together, common))]
    alone = [size[group] == 1 for size, group in zip(sizes, (*groups, together), strict=True)]
    read = [not (matches.doubtful & (matches.external_records > 0)).any() for matches in (first, second)]
    return Composition(
        first_columns=first.columns,
        second_columns=second.columns,
        first=_candidates(sizes[0], measured=read[0]),
        second=_candidates(sizes[1], measured=read[1]),
        both=_candidates(sizes[2], measured=all(read)),
        newly_alone=int((common & alone[2] & ~alone[0] & ~alone[1]).sum()) if all(read) else None,
        first_readings=first.readings,
        second_readings=second.readings,
        first_strays=first.strays,
        second_strays=second.strays,
    )


def fewest_together(matches: Sequence[Matches], person_of: Integers | None = None) -> Candidates:
    """Return how many people remain candidates for each other under all releases, the last of which is the new one.

    Everybody who fits the new release and an earlier one is looked at: they are told apart by every release, also by not being in one.
    `person_of` says whose each record of the table of people is, where somebody may have several: people are counted, not records.
    """
    if len({one.external_size for one in matches}) != 1:
        raise LinkageError("The releases were matched with tables of different people. Match all with the same table.")
    fits = [one.released_records[one.tuple_of] > 0 for one in matches]
    common = fits[-1] & np.any(fits[:-1], axis=0)
    together = np.zeros(len(common), dtype=np.int64)
    for one in matches:
        marks = np.unique(one.signatures[one.tuple_of], return_inverse=True)[1].astype(np.int64)
        together, _ = dense(together * (int(marks.max()) + 1) + marks, (int(together.max()) + 1) * (int(marks.max()) + 1))
    read = not any((one.doubtful & (one.external_records > 0)).any() for one in matches)
    if not common.any():
        # Nobody is in two of them: nobody is alone, if all labels were read.
        return Candidates(0, None, None, 0 if read else None)
    if person_of is not None:
        together = np.unique(np.column_stack((together[common], person_of[common])), axis=0)[:, 0]
        common = np.ones(len(together), dtype=bool)
    return _candidates(_sizes(together, common), measured=read)


def _sizes(group: Integers, fits: Integers) -> Integers:
    """Return how many people who fit are in each group."""
    return np.bincount(group[fits], minlength=int(group.max()) + 1)


def _candidates(sizes: Integers, *, measured: bool) -> Candidates:
    found = sizes[sizes > 0]
    if not measured:
        return Candidates(int(found.sum()), None, None, None)
    return Candidates(int(found.sum()), int(found.min()), len(found) / int(found.sum()), int((found == 1).sum()))
