"""What an external table tells about a release, as plain data and as a sheet."""

from dataclasses import asdict
from typing import Any

from anonscope.linkage import Composition, Linkage, ProbabilisticLinkage
from anonscope.report.chart import Bars
from anonscope.report.document import rounded
from anonscope.report.sheet import Section, Sheet, row

SCHEMA = "anonscope/linkage/1"
COMPOSITION_SCHEMA = "anonscope/composition/1"
PROBABILISTIC_SCHEMA = "anonscope/probabilistic-linkage/1"
_SHOWN = 8


def linkage_to_dict(found: Linkage) -> dict[str, Any]:
    """Return a linkage as plain data, in the shape of the JSON contract."""
    document = {"schema": SCHEMA, **asdict(found), "matched_share": found.matched_share, "expected_matches": found.expected_matches}
    made: dict[str, Any] = plain(document)
    return made


def linkage_sheet(found: Linkage) -> Sheet:
    """Return a linkage as one page."""
    columns = ", ".join(c.release if c.release == c.external else f"{c.release} (there {c.external})" for c in found.columns)
    figures = (
        row("mean of 1 / external people a record may be (0 for nobody)", _number(found.average_risk)),
        row("the same over matched records only", _number(found.average_risk_of_matched)),
        row("highest", _number(found.maximum_risk)),
        row("mean of 1 / size of the record's own group (internal risk)", _number(found.internal_risk)),
        row("records that may be somebody there", f"{found.matched_share:.1%}"),
        row("records that may be exactly one person there", f"{found.unique_match_share:.1%}"),
        row("fewest external people a record may be (k-map)", f"{found.k_map:,}"),
        row(
            "who knows the person is in the release: highest, mean",
            f"{_number(found.prosecutor.maximum)}, {_number(found.prosecutor.average)}",
        ),
        row(
            "who looks for the person of a record: highest, mean",
            f"{_number(found.journalist.maximum)}, {_number(found.journalist.average)}",
        ),
    )
    few = found.counts[:_SHOWN]
    counts = tuple(row(f"{c.external_records:,}", f"{c.classes:,}", f"{c.records:,}") for c in few)
    said = "Records by the number of external people they may be: " + "; ".join(f"{c.external_records}: {c.records}" for c in few)
    chart = Bars("records", tuple(f"{c.external_records:,}" for c in few), (("records", tuple(float(c.records) for c in few)),), said)
    return Sheet(
        title="The release against an external table",
        source=f"{found.release} and {found.external}",
        lead=(
            f"{found.matched_records:,} of {found.records:,} released records may be somebody among the {found.external_records:,} "
            f"of the external table; an attacker is expected to name {found.expected_matches:,.1f} of them rightly. Linked by {columns}."
        ),
        sections=(
            Section("Risk", ("measure", "value"), figures, matrix=False),
            Section(
                "How many people a record may be", ("external people", "groups", "records"), counts, "The fewest first; 0 is nobody.", chart
            ),
        ),
        notes=(
            "A released value matches every external value that it may stand for.",
            f"A missing value counts as {'a value of its own' if found.missing == 'value' else 'anything'}.",
        ),
        tone=None,
    )


def _number(value: float | None) -> str:
    return "—" if value is None else f"{value:.4f}"


def plain(value: Any) -> Any:
    """Return nested data with numbers rounded as everywhere, and tuples as lists."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    return rounded(value) if isinstance(value, float) else value


def probabilistic_to_dict(found: ProbabilisticLinkage) -> dict[str, Any]:
    """Return a linkage by likeness as plain data, in the shape of the JSON contract."""
    made: dict[str, Any] = plain({"schema": PROBABILISTIC_SCHEMA, **asdict(found), "matched_share": found.matched_share})
    return made


def probabilistic_sheet(found: ProbabilisticLinkage) -> Sheet:
    """Return a linkage by likeness as one page."""
    figures = (
        row("records with a match", f"{found.matched_records:,} of {found.records:,} ({found.matched_share:.1%})"),
        row("records with exactly one match", f"{found.unique_match_share:.1%}"),
        row("mean chance that the likeliest match is right", _number(found.average_risk)),
    )
    return Sheet(
        title="The release against an external table, by likeness",
        source=f"{found.release} and {found.external}",
        lead=f"Pairs with a match probability of at least {found.threshold:g} count as one person (Fellegi and Sunter's model, by Splink).",
        sections=(Section("Risk", ("measure", "value"), figures, matrix=False),),
        notes=(
            f"Linked by {', '.join(c.release for c in found.columns)}; pairs were compared that agree on "
            f"{' or on '.join(' and '.join(rule) for rule in found.blocking)}.",
            f"{found.overlap:.0%} of the released people are taken to be in the external table. Seed {found.seed}.",
            "What Splink learns is an estimate; another threshold gives other matches.",
        ),
    )


def composition_to_dict(found: Composition, releases: tuple[str, str], people: str) -> dict[str, Any]:
    """Return what two releases tell together as plain data, in the shape of the JSON contract."""
    parts = {"first": found.first, "second": found.second, "both": found.both}
    made: dict[str, Any] = plain(
        {
            "schema": COMPOSITION_SCHEMA,
            "releases": releases,
            "people": people,
            "first_columns": [asdict(column) for column in found.first_columns],
            "second_columns": [asdict(column) for column in found.second_columns],
            **{name: asdict(candidates) for name, candidates in parts.items()},
            "newly_alone": found.newly_alone,
        }
    )
    return made


def composition_sheet(found: Composition, releases: tuple[str, str], people: str) -> Sheet:
    """Return what two releases tell together as one page."""
    named = ((releases[0], found.first), (releases[1], found.second), ("both together", found.both))
    rows = tuple(row(name, f"{c.people:,}", f"{c.fewest:,}", _number(c.average_risk), f"{c.alone:,}") for name, c in named)
    header = ("known", "people who fit", "fewest candidates", "mean of 1 / candidates", "alone")
    return Sheet(
        title="Two releases about the same people",
        source=f"{releases[0]} and {releases[1]}, people: {people}",
        lead=f"{found.newly_alone:,} people who have company in each release have none when both are known.",
        sections=(Section("Candidates", header, rows, matrix=False),),
        notes=(
            "Candidates for each other are people whom the same released groups may be; under both releases they must be so in each.",
            "Where released values overlap, the risk is an upper bound.",
        ),
        tone="high" if found.newly_alone else None,
    )
