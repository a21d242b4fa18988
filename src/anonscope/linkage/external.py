"""A release against a table that an attacker may hold: who of the release may be whom.

Nobody knows better than a count: a class of a release that may be F external records is one of them with probability 1 / F. The
average over released records counts those that may be nobody as 0, so that its denominator stays the whole release; the share that
may be somebody stands beside it. Sources: S. Kim (2025), Electronics 14(21), 4350, section 3.1; K. El Emam and F. K. Dankar (2008),
"Protecting privacy using k-anonymity", JAMIA 15(5), for the prosecutor and the journalist; L. Sweeney's k-map.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anonscope.engines import Engine
from anonscope.linkage.columns import LinkedColumn, pair_columns
from anonscope.linkage.families import ImageOf
from anonscope.linkage.matches import Matches, Missing, match_tables
from anonscope.linkage.scores import Coefficient, LinkageScores, score_linkage
from anonscope.sources import Relation


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
class Linkage:
    """What linking a release with an external table tells, as plain data."""

    release: str
    external: str
    columns: tuple[LinkedColumn, ...]
    missing: Missing
    records: int
    classes: int
    external_records: int
    matched_records: int
    matched_external_records: int
    # Mean of 1 / F over all released records, 0 for those that may be nobody: paper 4's R_external.
    average_risk: float
    # The same over those that may be somebody only.
    average_risk_of_matched: float | None
    maximum_risk: float
    # Mean of 1 / f over released records, f the size of their own class: paper 4's R_internal.
    internal_risk: float
    # One who knows that a person of the external table is in the release looks for the person's record there.
    prosecutor: AttackerRisk
    # One who holds a released record looks for its person in the external table.
    journalist: AttackerRisk
    k_map: int
    k_map_of_matched: int | None
    # Released records that may be exactly one external record.
    unique_match_share: float
    scores: LinkageScores
    counts: tuple[ExternalCount, ...]

    @property
    def matched_share(self) -> float:
        """The share of released records that may be somebody in the external table."""
        return self.matched_records / self.records

    @property
    def expected_matches(self) -> float:
        """How many released records an attacker who guesses within each class is expected to get right."""
        return self.average_risk * self.records


def link_tables(
    engine: Engine,
    release: Relation,
    external: Relation,
    columns: Mapping[str, str] | None = None,
    *,
    among: Sequence[str] | None = None,
    images: Mapping[str, ImageOf] | None = None,
    missing: Missing = "value",
    coefficient: Coefficient = "pearson",
    weights: Mapping[str, float] | None = None,
    rows: int | None = None,
    external_engine: Engine | None = None,
) -> Linkage:
    """Return what an attacker with the external table learns; `columns` maps released columns to external ones, or names suggest it.

    A released value matches every external value in its inverse image. A missing value is one of its own, as everywhere here: our
    steps keep it missing, and write * for what they suppress. With missing="anything" it may be anybody, on either side.
    """
    pairs = pair_columns(release.names, external.names, columns, among)
    matches = match_tables(engine, release, external, pairs, images=images, missing=missing, rows=rows, external_engine=external_engine)
    return summarise(matches, release.name, external.name, score_linkage(matches, coefficient=coefficient, weights=weights))


def summarise(matches: Matches, release: str, external: str, scores: LinkageScores) -> Linkage:
    """Return the numbers of a match."""
    n, found, records = matches.release.n, matches.external_records, matches.records
    matched = found > 0
    matched_records = int(n[matched].sum())
    hits = float((n[matched] / found[matched]).sum())
    back, sizes = matches.released_records, matches.external.n
    known = back > 0
    fewest = int(found[matched].min()) if matched.any() else None
    alone = int(back[known].min()) if known.any() else None
    different, place = np.unique(found, return_inverse=True)
    return Linkage(
        release=release,
        external=external,
        columns=matches.columns,
        missing=matches.missing,
        records=records,
        classes=len(n),
        external_records=matches.external_size,
        matched_records=matched_records,
        matched_external_records=int(sizes[known].sum()),
        average_risk=hits / records,
        average_risk_of_matched=hits / matched_records if matched_records else None,
        maximum_risk=1 / fewest if fewest else 0.0,
        internal_risk=len(n) / records,
        prosecutor=AttackerRisk(
            1 / alone if alone else None, float((sizes[known] / back[known]).sum() / sizes[known].sum()) if alone else None
        ),
        journalist=AttackerRisk(1 / fewest if fewest else None, hits / matched_records if matched_records else None),
        k_map=int(found.min()),
        k_map_of_matched=fewest,
        unique_match_share=float(n[found == 1].sum()) / records,
        scores=scores,
        counts=tuple(
            ExternalCount(int(size), int(classes), int(people))
            for size, classes, people in zip(different, np.bincount(place), np.bincount(place, weights=n), strict=True)
        ),
    )
