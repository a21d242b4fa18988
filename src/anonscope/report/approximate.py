"""Estimates from a sample of groups as plain data and as a sheet."""

from dataclasses import asdict
from typing import Any

from anonscope.io.figures import decimals
from anonscope.operations.approximate import Approximation
from anonscope.report import words
from anonscope.report.charts.bars import Bars
from anonscope.report.sheet import Section, Sheet, row
from anonscope.risk.counting.sketch import Estimate

SCHEMA = "anonscope/approximation/1"


def approximation_to_dict(found: Approximation) -> dict[str, Any]:
    """Return the estimates as plain data, in the shape of the JSON contract."""
    return {"schema": SCHEMA, **asdict(found), "exact": found.exact, "attributes": list(found.attributes)} | {
        name: [asdict(entry) for entry in getattr(found, name)] for name in ("below", "without")
    }


def approximation_sheet(found: Approximation) -> Sheet:
    """Return the estimates as two tables, the attribute that tells most about people first."""
    blamed = sorted(found.without, key=lambda entry: entry.unique.value)
    said = "Share of records in groups of fewer than k: " + "; ".join(f"{b.k}: {decimals(b.share.value, 3)}" for b in found.below)
    chart = Bars(
        "share of records",
        tuple(f"{b.k}" for b in found.below),
        (("records in groups of fewer than k", tuple(b.share.value for b in found.below)),),
        said,
        spans=tuple((b.share.low, b.share.high) for b in found.below),
    )
    drawn = (
        f"All {found.sampled:,} groups were counted, so every figure is exact."
        if found.exact
        else f"{found.sampled:,} of about {decimals(found.groups.value, 0)} groups "
        f"({decimals(found.groups.low, 0)} to {decimals(found.groups.high, 0)}) were "
        "drawn, each with all its records; intervals are meant to hold in 95 of 100 draws."
    )
    sections = (
        Section(
            "How many hide how well",
            ("groups of fewer than", "share of records", "95 % interval"),
            tuple(row(f"{b.k}", *_told(b.share)) for b in found.below),
            "Fewer than 2: the record is alone.",
            chart,
        ),
        Section(
            "Who is to blame",
            ("without", "share of records alone", "95 % interval"),
            tuple(row(entry.attribute, *_told(entry.unique)) for entry in blamed),
            f"With all attributes {words.share(found.unique.value, 1)} of the records are alone.",
        ),
    )
    notes = (
        "This is no verdict: nothing was said of sensitive attributes, of columns without a role, or of several records of a person. "
        "Audit the table before it is released.",
        f"Seed {found.seed}; {found.passes} pass{'es' if found.passes > 1 else ''} over the table.",
    )
    return Sheet("How many hide how well, estimated", found.source, f"{found.records:,} records. {drawn}", sections, notes)


def _told(share: Estimate) -> tuple[str, str]:
    return words.share(share.value, 1), f"{words.share(share.low, 1)} to {words.share(share.high, 1)}"
