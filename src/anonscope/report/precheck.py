"""Pre-checks as plain data and as a sheet."""

from dataclasses import asdict
from typing import Any

from anonscope.io.figures import decimals
from anonscope.io.rounding import rounded
from anonscope.operations.precheck import PreCheck, Sparsity
from anonscope.report import words
from anonscope.report.sheet import Cell, Section, Sheet, row
from anonscope.risk.marginals import Marginal
from anonscope.transform.ready.preview import Preview

SCHEMA = "anonscope/precheck/1"


def precheck_to_dict(found: PreCheck) -> dict[str, Any]:
    """Return the pre-checks as plain data; null where a number does not exist, with the reason beside it."""
    return {
        "schema": SCHEMA,
        "source": found.source,
        "rows": found.rows,
        "weighted": found.weighted,
        "marginals": [_rounded(asdict(m)) for m in found.marginals],
        "sparsity": [
            _rounded(asdict(s)) | {"percentiles": {str(percent): size for percent, size in s.percentiles}} for s in found.sparsity
        ],
        "previews": [_rounded(asdict(p)) for p in found.previews],
        "notes": list(found.notes),
    }


def precheck_sheet(found: PreCheck) -> Sheet:
    """Return the pre-checks as three tables."""
    sections = [
        Section(
            "How each column is spread",
            ("attribute", "values", "missing", "commonest", "top 1 % of values", "skewness", "held by the top 1 %", "note"),
            tuple(_marginal(m) for m in found.marginals),
            "Shares of the records, and of the column's total for the top 1 % of the records.",
        ),
        Section(
            "How small the groups of look-alikes are",
            ("scenario", "classes", "classes of one", "records alone", "records in groups up to 3", "5 %", "50 %", "95 %"),
            tuple(_sparse(s) for s in found.sparsity),
            "The last three are the group sizes that so many per cent of the records do not exceed.",
        ),
    ]
    if found.previews:
        sections.append(
            Section(
                "What pseudonymisation levels would cost",
                ("column", "level", "rule", "deviation", "cosine", "Jaccard", "note"),
                tuple(_preview(p) for p in found.previews),
                "A deviation of 0 and similarities of 1 mean that nothing changes.",
            )
        )
    weighted = ", weighted" if found.weighted else ""
    return Sheet("Before pseudonymisation", found.source, f"{found.rows:,} records{weighted}.", tuple(sections), found.notes)


def _marginal(m: Marginal) -> tuple[Cell, ...]:
    shares = [words.share(share, 1) for share in (m.missing, m.commonest, m.top_values)]
    top = "—" if m.top_records is None else words.share(m.top_records, 1)
    return row(m.column, f"{m.values:,}", *shares, _number(m.skewness), top, "; ".join(m.reasons))


def _sparse(s: Sparsity) -> tuple[Cell, ...]:
    shares = [words.share(share, 1) for share in (s.classes_of_one, s.records_alone, s.records_rare)]
    return row(words.scenario_title(s.scenario), f"{s.classes:,}", *shares, *(f"{size:,}" for _, size in s.percentiles))


def _preview(p: Preview) -> tuple[Cell, ...]:
    parts = [p.reason] if p.reason else []
    parts += [f"from {p.sample.values:,} of {p.sample.of:,} values, seed {p.sample.seed}"] if p.sample else []
    return row(p.column, p.level, p.rule, _number(p.deviation), _number(p.cosine), _number(p.jaccard), "; ".join(parts))


def _number(value: float | None) -> str:
    return "—" if value is None else decimals(value, 3)


def _rounded(entry: dict[str, Any]) -> dict[str, Any]:
    return {
        key: rounded(value) if isinstance(value, float) else list(value) if isinstance(value, tuple) else value
        for key, value in entry.items()
    }
