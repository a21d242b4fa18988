"""A release against a table that an attacker may hold: who of the release may be whom.

Nobody knows better than a count: a class of a release that may be F external records is one of them with probability 1 / F. The
average over released records counts those that may be nobody as 0, so that its denominator stays the whole release; the share that
may be somebody stands beside it.

A label that was not read may be anything, so that F is the most it can be, and the risk the least: a class with such a label has a risk
between that and 1. Figures that hang on it are not measured (None), and the ends between which they lie are stated.
So it is with people who have a value that fits no label, and that nothing shows to be written as those that do: they may be anybody.

Sources: S. Kim (2025), Electronics 14(21), 4350, section 3.1; K. El Emam and F. K. Dankar (2008), "Protecting privacy using
k-anonymity", JAMIA 15(5), for the prosecutor and the journalist; L. Sweeney's k-map.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonscope.attacks.linkage.columns import LinkedColumn, Unpaired, left_out, pair_columns, unpaired
from anonscope.attacks.linkage.matches import Matches, Missing, Strays, match_tables
from anonscope.attacks.linkage.scores import Coefficient, LinkageScores, score_linkage
from anonscope.columns.readings import ImageOf, ReadAs, ToldLabels, Unknown
from anonscope.engines import Engine
from anonscope.io.sources import Relation


@dataclass(frozen=True, slots=True)
class AttackerRisk:
    """The highest and the mean chance to be right about a record; None where the attacker finds nobody to be right about."""

    maximum: float | None
    average: float | None


@dataclass(frozen=True, slots=True)
class ExternalCount:
    """How many classes, with how many records, may be so many external records."""

    external_records: int
    classes: int
    records: int


@dataclass(frozen=True, slots=True)
class Range:
    """The ends between which a figure lies; they differ where labels were not read."""

    least: float
    most: float

    @property
    def value(self) -> float | None:
        """The figure, if it does not hang on what was not read: the higher end where both say the same; None where they do not."""
        return self.most if self.most - self.least <= _SAME else None


# Ends that lie less than a percentage point apart say the same of a risk.
_SAME = 0.01


@dataclass(frozen=True, slots=True)
class Linkage:
    """What linking a release with an external table tells, as plain data; None is what was not measured, or what there is none of."""

    release: str
    external: str
    columns: tuple[LinkedColumn, ...]
    left_out: tuple[LinkedColumn, ...]  # pairs that names suggest, and that were not linked
    unpaired: Unpaired  # columns of both tables for which names suggest no pair, or more than one
    missing: Missing
    records: int
    classes: int
    external_records: int
    matched_records: int
    matched_external_records: int
    # Released records with a label that was not read, and that may be somebody all the same: with any of them, figures may hang on it.
    undecided_records: int
    # Mean of 1 / F over all released records, 0 for those that may be nobody: Kim 2025's R_external.
    average_risk: float | None
    average_risk_range: Range
    # The same over those that may be somebody only.
    average_risk_of_matched: float | None
    maximum_risk: float | None
    maximum_risk_range: Range
    # Mean of 1 / f over released records, f the size of their own class: Kim 2025's R_internal.
    internal_risk: float
    # One who knows that a person of the external table is in the release looks for the person's record there.
    prosecutor: AttackerRisk
    # One who holds a released record looks for its person in the external table.
    journalist: AttackerRisk
    k_map: int | None
    k_map_of_matched: int | None
    # Released records that may be exactly one external record.
    unique_match_share: float | None
    scores: LinkageScores | None
    counts: tuple[ExternalCount, ...]  # of records that have no unread label
    readings: tuple[ReadAs, ...]  # how the labels of every column were read
    strays: tuple[Strays, ...]  # values of the external table that fit no label, and that may be written otherwise
    unknown: str  # what labels that nothing explains were taken for

    @property
    def measured(self) -> bool:
        """Whether the average risk is known: it does not hang on labels that were not read."""
        return self.average_risk is not None

    @property
    def unread_cells(self) -> int:
        """How many released cells were not read, of all columns linked by."""
        return sum(line.cells for line in self.readings if not line.read)

    @property
    def unread_share(self) -> float:
        """The same as a share of the cells."""
        return self.unread_cells / (self.records * len(self.columns))

    @property
    def stray_share(self) -> float:
        """The share of the cells of the external table, of all columns linked by, that fit no label and may be written otherwise."""
        return sum(line.cells for line in self.strays) / (self.external_records * len(self.columns))

    @property
    def matched_share(self) -> float:
        """The share of released records that may be somebody in the external table."""
        return self.matched_records / self.records

    @property
    def expected_matches(self) -> float | None:
        """How many people an attacker who guesses within each class is expected to name rightly."""
        return None if self.average_risk is None else self._people(self.average_risk)

    @property
    def expected_matches_range(self) -> Range:
        """The fewest and the most that may be, whatever labels stand for that were not read."""
        return Range(self._people(self.average_risk_range.least), self._people(self.average_risk_range.most))

    def _people(self, risk: float) -> float:
        # Nobody is named twice: where records outnumber the people, some are right about nobody or about the same one.
        return min(risk * self.records, float(self.external_records))


def link_tables(
    engine: Engine,
    release: Relation,
    external: Relation,
    columns: Mapping[str, str] | None = None,
    *,
    only: bool = False,
    among: Sequence[str] | None = None,
    images: Mapping[str, ImageOf | ToldLabels] | None = None,
    missing: Missing = "value",
    unknown: Unknown | Mapping[str, Unknown] = "anything",
    coefficient: Coefficient = "pearson",
    weights: Mapping[str, float] | None = None,
    rows: int | None = None,
    external_engine: Engine | None = None,
) -> Linkage:
    """Return what an attacker with the external table learns; `columns` maps released columns to external ones, names suggest the others.

    With `only`, nothing but what `columns` names is linked.
    A released value matches every external value in its inverse image. A missing value is one of its own, as everywhere here: our
    steps keep it missing, and write * for what they suppress. With missing="anything" it may be anybody, on either side.
    A label that nothing explains may be anything, unless `unknown` says more; see `match_tables`.
    """
    pairs = pair_columns(release.names, external.names, columns, among, only=only)
    matches = match_tables(
        engine,
        release,
        external,
        pairs,
        images=images,
        missing=missing,
        unknown=unknown,
        rows=rows,
        external_engine=external_engine,
        doubt_others=True,
    )
    said = unknown if isinstance(unknown, str) else ", ".join(f"{column}: {how}" for column, how in unknown.items())
    scores = score_linkage(matches, coefficient=coefficient, weights=weights)
    also = left_out(release.names, external.names, pairs)
    return summarise(matches, release.name, external.name, scores, said, also, unpaired(release.names, external.names, (*pairs, *also)))


def summarise(
    matches: Matches,
    release: str,
    external: str,
    scores: LinkageScores,
    unknown: str,
    not_linked: tuple[LinkedColumn, ...],
    not_paired: Unpaired,
) -> Linkage:
    """Return the numbers of a match."""
    n, found, records = matches.release.n, matches.external_records, matches.records
    matched = found > 0
    matched_records = int(n[matched].sum())
    # A class with an unread label may be fewer people than were found for it, and nobody else. One whose labels were read may be those
    # that fit, and those with a stray value or not.
    open_ended = matched & matches.doubtful
    undecided = int(n[open_ended].sum())
    hits = float((n[matched] / found[matched]).sum())
    fitting = np.where(matches.unread, 0, matches.fitting_records)
    nobody = open_ended & ~matches.unread & (fitting == 0)
    least = np.where(matched & ~nobody, 1 / np.maximum(found, 1), 0.0)
    most = np.where(matched, 1 / np.maximum(fitting, 1), 0.0)
    average = Range(float((n * least).sum()) / records, float((n * most).sum()) / records)
    fewest = int(found[matched].min()) if matched.any() else None
    highest = Range(float(least.max()), float(most.max()))
    exact = not undecided
    back, sizes = matches.released_records, matches.external.n
    known = back > 0
    alone = int(back[known].min()) if known.any() else None
    counted = ~open_ended
    different, place = np.unique(found[counted], return_inverse=True)
    return Linkage(
        release=release,
        external=external,
        columns=matches.columns,
        left_out=not_linked,
        unpaired=not_paired,
        missing=matches.missing,
        records=records,
        classes=len(n),
        external_records=matches.external_size,
        matched_records=matched_records,
        matched_external_records=int(sizes[known].sum()),
        undecided_records=undecided,
        average_risk=average.value,
        average_risk_range=average,
        average_risk_of_matched=hits / matched_records if matched_records and exact else None,
        maximum_risk=highest.value,
        maximum_risk_range=highest,
        internal_risk=len(n) / records,
        prosecutor=AttackerRisk(
            1 / alone if alone else None, float((sizes[known] / back[known]).sum() / sizes[known].sum()) if alone else None
        )
        if exact
        else AttackerRisk(None, None),
        journalist=AttackerRisk(highest.value if fewest else None, hits / matched_records if matched_records and exact else None),
        k_map=int(found.min()) if exact or not found.min() else None,
        k_map_of_matched=fewest if exact or fewest == 1 else None,
        unique_match_share=float(n[found == 1].sum()) / records if exact else None,
        scores=scores if exact else None,
        counts=tuple(
            ExternalCount(int(size), int(classes), int(people))
            for size, classes, people in zip(different, np.bincount(place), np.bincount(place, weights=n[counted]), strict=True)
        ),
        readings=matches.readings,
        strays=matches.strays,
        unknown=unknown,
    )
