"""What an external table tells about a release, as plain data and as a sheet."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from anonscope.attacks.linkage import Linkage, LinkedColumn, Range, Strays, Unpaired
from anonscope.columns.readings import BLANK, CUT, OTHERWISE, ROUNDED, SHIFTED, ReadAs
from anonscope.io.figures import decimals, per_cent
from anonscope.io.rounding import plain
from anonscope.operations.compose import ComposedReleases
from anonscope.operations.link import ProbablyLinkedRelease
from anonscope.report.charts.bars import Bars
from anonscope.report.charts.chart import Chart
from anonscope.report.charts.flow import Stream, flow
from anonscope.report.sheet import Section, Sheet, row

SCHEMA = "anonscope/linkage/1"
COMPOSITION_SCHEMA = "anonscope/composition/1"
PROBABILISTIC_SCHEMA = "anonscope/probabilistic-linkage/1"
_SHOWN = 8
_NAMED = 12


def linkage_to_dict(found: Linkage) -> dict[str, Any]:
    """Return a linkage as plain data, in the shape of the JSON contract."""
    document = {
        "schema": SCHEMA,
        **asdict(found),
        "status": "measured" if found.measured else "not measured",
        "matched_share": found.matched_share,
        "expected_matches": found.expected_matches,
        "expected_matches_range": asdict(found.expected_matches_range),
        "unread_cells": found.unread_cells,
        "unread_share": found.unread_share,
        "stray_share": found.stray_share,
    }
    made: dict[str, Any] = plain(document)
    return made


def linkage_sheet(found: Linkage) -> Sheet:
    """Return a linkage as one page."""
    figures = (
        row("mean of 1 / external people a record may be (0 for nobody)", ranged(found.average_risk, found.average_risk_range)),
        row("the same over matched records only", _number(found.average_risk_of_matched, found)),
        row("highest", ranged(found.maximum_risk, found.maximum_risk_range)),
        row("mean of 1 / size of the record's own group (internal risk)", _number(found.internal_risk)),
        row("records that may be somebody there", per_cent(found.matched_share)),
        row(
            "records that may be exactly one person there", _NOT if found.unique_match_share is None else per_cent(found.unique_match_share)
        ),
        row("fewest external people a record may be (k-map)", _NOT if found.k_map is None else f"{found.k_map:,}"),
        row(
            "who knows the person is in the release: highest, mean",
            f"{_number(found.prosecutor.maximum, found)}, {_number(found.prosecutor.average, found)}",
        ),
        row(
            "who looks for the person of a record: highest, mean",
            f"{_number(found.journalist.maximum, found)}, {_number(found.journalist.average, found)}",
        ),
    )
    few = found.counts[:_SHOWN]
    counts = tuple(row(f"{c.external_records:,}", f"{c.classes:,}", f"{c.records:,}") for c in few)
    said = "Records by the number of external people they may be: " + "; ".join(f"{c.external_records}: {c.records}" for c in few)
    chart = Bars("records", tuple(f"{c.external_records:,}" for c in few), (("records", tuple(float(c.records) for c in few)),), said)
    return Sheet(
        charts=(_flow(found),),
        conclusion=_conclusion(found),
        title="The release against an external table",
        source=f"{found.release} and {found.external}",
        lead=(
            f"{found.matched_records:,} of {found.records:,} released records may be somebody among the {found.external_records:,} "
            f"of the external table; {_expected(found)} {linked_words(found.columns, found.left_out)}"
        ),
        sections=(
            Section("Risk", ("measure", "value"), figures, matrix=False),
            Section(
                "How many people a record may be",
                ("external people", "groups", "records"),
                counts,
                "The fewest first; 0 is nobody." + _left_out(found),
                chart,
            ),
            read_section(found.readings),
        ),
        notes=(
            "A released value matches every external value that it may stand for. One that is written otherwise and fits another label is "
            "believed.",
            _missing(found),
            *unpaired_notes(found.unpaired),
            *unread_notes(found.readings, found.unread_share),
            *stray_notes(found.strays, found.columns),
        ),
        tone=None,
    )


_NOT = "not measured"
_FEW = 10


def _conclusion(found: Linkage) -> str:
    if not found.measured:
        return (
            "What an attacker with this table learns is not measured: it hangs on values that nothing explains, and is no safer for that."
        )
    alone = "some" if found.unique_match_share is None else per_cent(found.unique_match_share)
    expected = f"about {decimals(found.expected_matches, 1)}" if found.expected_matches is not None else "an unknown number"
    if not found.matched_records:
        return f"Whoever holds {found.external} finds nobody of the release in it."
    return (
        f"Whoever holds {found.external} can put the right name to {expected} of {found.records:,} records; {alone} of the records can "
        "belong to one person there only."
    )


def _flow(found: Linkage) -> Chart:
    """Return to how many people of the external table released records lead."""
    ends = {"one": 0, "few": 0, "many": 0, "nobody": 0}
    for c in found.counts:
        people = c.external_records
        ends["nobody" if people == 0 else "one" if people == 1 else "few" if people <= _FEW else "many"] += c.records
    words = {
        "one": ("one person", "found for certain, if in that table at all"),
        "few": (f"2 to {_FEW} people", "a guess is often right"),
        "many": (f"more than {_FEW}", "a guess is mostly wrong"),
        "nobody": ("nobody", "not in that table, as far as values tell"),
    }
    streams = [Stream(words[end][0], records, end, words[end][1]) for end, records in ends.items()]
    if found.undecided_records:
        streams.append(Stream("not measured", found.undecided_records, "unknown", "hangs on values that nothing explains"))
    return flow(streams, found.release)


def linked_words(linked: Sequence[LinkedColumn], not_linked: Sequence[LinkedColumn]) -> str:
    """Say which columns were paired and, if they are not namesakes, how that is known; and which were left out."""
    said = f"Linked by {', '.join(_pair(c) for c in linked)}."
    return f"{said} Left out although in both tables: {', '.join(_pair(c) for c in not_linked)}." if not_linked else said


def _pair(column: LinkedColumn) -> str:
    return column.release if column.release == column.external else f"{column.release} (there {column.external}, {column.reason})"


def _missing(found: Linkage) -> str:
    """Say what a missing value counts as; where only the release has blanks, nobody knows whether they are missing values."""
    if found.missing == "anything":
        return "A missing value counts as anything."
    blank = _columns(line for line in found.readings if line.how == BLANK)
    but = f", except in {', '.join(blank)}: blanks there, where the external table has none, may be anything" if blank else ""
    return f"A missing value counts as a value of its own{but}."


def _columns(lines: Iterable[ReadAs]) -> list[str]:
    return list(dict.fromkeys(line.column for line in lines))


def _expected(found: Linkage) -> str:
    """Return how many an attacker gets right, or between which ends that lies."""
    if found.expected_matches is not None and not found.undecided_records:
        return f"an attacker is expected to name {decimals(found.expected_matches, 1)} of them rightly."
    ends = found.expected_matches_range
    between = f"between {decimals(ends.least, 1)} and {decimals(ends.most, 1)}"
    if found.expected_matches is not None:
        return f"an attacker is expected to name {between} of them rightly."
    return f"how many of them an attacker names rightly is not measured ({between}), because {' and '.join(_because(found))}."


def _because(found: Linkage) -> Iterator[str]:
    if found.unread_share or not found.strays:
        yield f"{per_cent(found.unread_share)} of the cells hold values that nothing explains"
    if found.strays:
        share_of = per_cent(found.stray_share)
        yield f"{share_of} of the external table's cells hold values that fit no released one and may be written otherwise"


def _left_out(found: Linkage) -> str:
    return f" {found.undecided_records:,} records that hang on values that were not read are left out." if found.undecided_records else ""


def share(value: float | None) -> str:
    """Return a share, or that it was not measured."""
    return _NOT if value is None else per_cent(value)


def ranged(value: float | None, ends: Range) -> str:
    """Return a figure, or the ends between which it lies."""
    if ends.least == ends.most:
        return decimals(ends.most, 4)
    return f"{'' if value is not None else f'{_NOT}: '}between {decimals(ends.least, 4)} and {decimals(ends.most, 4)}"


def _number(value: float | None, found: Linkage | None = None) -> str:
    """Return a number; of what there is none of, or what was not measured, a sign that it is so."""
    if value is None:
        return _NOT if found is not None and found.undecided_records else "—"
    return decimals(value, 4)


def read_section(readings: Sequence[ReadAs], title: str = "How released values were read") -> Section:
    """Return how released values were read, column by column, in counts and kinds of notation."""
    cells = Counter[str]()
    for line in readings:
        cells[line.column] += line.cells
    rows = tuple(
        row(line.column, line.how, f"{line.labels:,}", f"{line.cells:,}", per_cent(line.cells / cells[line.column])) for line in readings
    )
    header = ("column", "read as", "different values", "cells", "of the column")
    return Section(title, header, rows, "What was not read may be anything.", matrix=False)


def unread_notes(readings: Sequence[ReadAs], unread: float) -> Iterator[str]:
    """Return what to do about values that were not read."""
    columns = _columns(line for line in readings if not line.read)
    if not columns:
        return
    blank = _columns(line for line in readings if line.how == BLANK)
    altered = _columns(line for line in readings if line.how in (ROUNDED, SHIFTED, CUT))
    strange = _columns(line for line in readings if line.how == OTHERWISE)
    labels = any(not line.read and line.how not in (BLANK, OTHERWISE) for line in readings)
    what = "values" if labels or strange else "blanks"
    yield f"{per_cent(unread)} of the cells ({', '.join(columns)}) hold {what} that nothing explains; they may be anything."
    if strange:
        yield (
            f"Some values of {', '.join(strange)} fit nobody in the other table, and nothing shows that it writes such values in the same "
            "way: zeros in front may be lost, capitals, accents, the order of days, decimal signs or units may differ. Write the column as "
            f"the original does; or, if the other table merely lacks these values, say so (--unknown {strange[0]}=itself)."
        )
    if blank:
        yield (
            f"If blanks of {', '.join(blank)} stand for what was suppressed, say so (--missing anything); if they are missing values as "
            f"they stand, say that (--unknown {blank[0]}=itself)."
        )
    if labels:
        yield (
            "Say what values stand for: the recipe (--recipe FILE), a hierarchy (--hierarchy COLUMN=FILE), or, where the other table is "
            "the original in the same order, what they replaced (--unknown observed)."
        )
    if altered:
        yield (
            f"Numbers or days of {', '.join(altered)} look rounded, shifted or perturbed, and no recipe tells how. If they are values as "
            f"they stand, say so (--unknown {altered[0]}=itself)."
        )


def unpaired_notes(found: Unpaired) -> Iterator[str]:
    """Return which columns of both tables were not paired, and how to pair them."""
    for ours, theirs in found.competing:
        yield (
            f"Not paired, because more than one fits: {', '.join(ours)} of the release and {', '.join(theirs)} of the external table. Say "
            f"which is which (--column {ours[0]}={theirs[0]})."
        )
    # A column that only one table has left over has nothing to be paired with.
    if found.release and found.external:
        yield f"Columns of the release that were not paired: {_some(found.release)}. Say which one is which (--column RELEASED=EXTERNAL)."
        yield f"Columns of the external table that were not paired: {_some(found.external)}."


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def stray_notes(strays: Sequence[Strays], columns: Sequence[LinkedColumn]) -> Iterator[str]:
    """Return what to do about values of the external table that fit no label and may be written otherwise."""
    if strays:
        there = {column.external: column.release for column in columns}
        shares = ", ".join(f"{per_cent(line.share)} of {line.column}" for line in strays)
        yield (
            f"Cells of the external table ({shares}) fit no released value, and nothing shows that they are written as those that fit: "
            "these people may be anybody in the release. Write them as the release does; or, if the release merely lacks such people, say "
            f"so (--unknown {there[strays[0].column]}=itself)."
        )


def probabilistic_to_dict(found: ProbablyLinkedRelease) -> dict[str, Any]:
    """Return a linkage by likeness as plain data, in the shape of the JSON contract."""
    made: dict[str, Any] = plain(
        {
            "schema": PROBABILISTIC_SCHEMA,
            **asdict(found),
            "status": "measured" if found.measured else "not measured",
            "matched_share": found.matched_share,
        }
    )
    return made


def probabilistic_sheet(found: ProbablyLinkedRelease) -> Sheet:
    """Return a linkage by likeness as one page."""
    figures = (
        row(
            "records with a match",
            _NOT if found.matched_records is None else f"{found.matched_records:,} of {found.records:,} ({share(found.matched_share)})",
        ),
        row("records with exactly one match", share(found.unique_match_share)),
        row("mean chance that the likeliest match is right", _risk(found.average_risk)),
    )
    rules = " or on ".join(" and ".join(rule) for rule in found.blocking)
    agreed = f" Pairs were compared that agree on {rules}." if rules else ""
    lead = f"Pairs with a match probability of at least {found.threshold:g} count as one person (Fellegi and Sunter's model, by Splink)."
    if found.unlike:
        lead = (
            f"Not measured: most values of {', '.join(found.unlike)} are written as none of the external table is, so that likeness says "
            "nothing. Generalised, masked and rounded values are linked by what they stand for where nobody asks for likeness "
            "(--by-likeness)."
        )
    return Sheet(
        title="The release against an external table, by likeness",
        source=f"{found.release} and {found.external}",
        lead=lead,
        sections=(Section("Risk", ("measure", "value"), figures, matrix=False),),
        notes=(
            f"{linked_words(found.columns, found.left_out)}{agreed}",
            f"{per_cent(found.overlap, 0)} of the released people are taken to be in the external table. Seed {found.seed}.",
            "What Splink learns is an estimate; another threshold gives other matches.",
        ),
    )


def _count(value: int | None) -> str:
    return _NOT if value is None else f"{value:,}"


def _risk(value: float | None) -> str:
    return _NOT if value is None else decimals(value, 4)


def composition_to_dict(found: ComposedReleases) -> dict[str, Any]:
    """Return what two releases tell together as plain data, in the shape of the JSON contract."""
    releases, people = found.releases, found.people
    parts = {"first": found.first, "second": found.second, "both": found.both}
    made: dict[str, Any] = plain(
        {
            "schema": COMPOSITION_SCHEMA,
            "releases": releases,
            "people": people,
            "first_columns": [asdict(column) for column in found.first_columns],
            "second_columns": [asdict(column) for column in found.second_columns],
            "first_left_out": [asdict(column) for column in found.first_left_out],
            "second_left_out": [asdict(column) for column in found.second_left_out],
            **{name: asdict(candidates) for name, candidates in parts.items()},
            "newly_alone": found.newly_alone,
            "status": "measured" if found.measured else "not measured",
            "first_readings": [asdict(line) for line in found.first_readings],
            "second_readings": [asdict(line) for line in found.second_readings],
            "first_strays": [asdict(line) for line in found.first_strays],
            "second_strays": [asdict(line) for line in found.second_strays],
        }
    )
    return made


def composition_sheet(found: ComposedReleases) -> Sheet:
    """Return what two releases tell together as one page."""
    releases, people = found.releases, found.people
    named = ((releases[0], found.first), (releases[1], found.second), ("both together", found.both))
    rows = tuple(row(name, f"{c.people:,}", _count(c.fewest), _risk(c.average_risk), _count(c.alone)) for name, c in named)
    parts = zip(releases, (found.first_readings, found.second_readings), strict=True)
    read = tuple(read_section(lines, f"How released values were read: {name}") for name, lines in parts)
    doubtful = sorted({line.column for line in (*found.first_readings, *found.second_readings) if not line.read})
    header = ("known", "people who fit", "fewest candidates", "mean of 1 / candidates", "alone")
    return Sheet(
        title="Two releases about the same people",
        source=f"{releases[0]} and {releases[1]}, people: {people}",
        lead=(
            f"{found.newly_alone:,} people who have company in each release have none when both are known."
            if found.newly_alone is not None
            else f"What both tell is not measured: it hangs on {' and on '.join(_hanging(found, doubtful))}."
        ),
        sections=(Section("Candidates", header, rows, matrix=False), *read),
        notes=(
            f"{releases[0]}: {linked_words(found.first_columns, found.first_left_out)}",
            f"{releases[1]}: {linked_words(found.second_columns, found.second_left_out)}",
            "Candidates for each other are people whom the same released groups may be; under both releases they must be so in each.",
            "Where released values overlap, the risk is an upper bound.",
            *stray_notes((*found.first_strays, *found.second_strays), (*found.first_columns, *found.second_columns)),
        ),
        tone="high" if found.newly_alone else None,
    )


def _hanging(found: ComposedReleases, doubtful: Sequence[str]) -> Iterator[str]:
    """Yield what keeps a composition from being measured."""
    if doubtful:
        yield f"values of {', '.join(doubtful)} that nothing explains"
    if astray := sorted({line.column for line in (*found.first_strays, *found.second_strays)}):
        yield f"people whose {', '.join(astray)} fits no released value and may be written otherwise"
