"""A synthetic table as plain data and as a sheet: what it guarantees, what it spent, and what an attack on it found."""

from collections.abc import Iterator
from typing import Any

from anonscope.attacks.success import Success
from anonscope.io.figures import decimals, per_cent
from anonscope.io.rounding import rounded
from anonscope.operations.synthesise import Synthesis
from anonscope.report.sheet import Section, Sheet, row
from anonscope.synthesis.likeness import Likeness

SCHEMA = "anonscope/synthesis/1"


def synthesis_to_dict(found: Synthesis) -> dict[str, Any]:
    """Return a synthesis as plain data, in the shape of the JSON contract."""
    return {
        "schema": SCHEMA,
        "source": found.source,
        "method": found.method.name,
        "parameters": found.method.parameters,
        "reference": found.method.source,
        "records": found.records,
        "columns": [{"column": c.name, "kind": c.kind, "cells": c.size} for c in found.domain.columns],
        "drafted_from_data": list(found.domain.drafted),
        "guarantee": found.guarantee.to_dict(),
        "budget": found.budget,
        "counted_together": [list(columns) for columns in found.structure],
        "hold_out": found.hold_out,
        "likeness": rounded_likeness(found.likeness),
        "membership": [_attack(result) for result in found.attacks],
        "notes": list(found.notes),
        "cpu_seconds": rounded(found.cpu_seconds),
    }


def rounded_likeness(found: Likeness | None) -> dict[str, Any] | None:
    """Return how like its original a table is, as plain data; None: not measured."""
    return {name: rounded(value) if isinstance(value, float) else value for name, value in found.to_dict().items()} if found else None


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _attack(result: Success) -> dict[str, Any]:
    return {
        "variant": result.variant,
        "status": result.status,
        "reason": result.reason,
        "auc": rounded(result.success),
        "low": rounded(result.figures.get("auc_low")),
        "high": rounded(result.figures.get("auc_high")),
        "true_positives_at_1_percent": rounded(result.figures.get("tpr_at_0.01")),
        "members": result.targets,
        "others": result.control_targets,
        "smoke_test": result.smoke_test,
    }


def synthesis_sheet(found: Synthesis) -> Sheet:
    """Return a synthesis as a page."""
    holds = found.guarantee.holds
    title = "A synthetic table with differential privacy" if holds else "A synthetic table without a guarantee"
    sentence = found.guarantee.sentence
    lead = f"{sentence[0].upper()}{sentence[1:]}."
    # Drawn again it would be another table, and what it may lose would be spent again.
    return Sheet(title, found.source, lead, tuple(_sections(found)), found.notes, "low" if holds else "mid", once=True)


def _sections(found: Synthesis) -> Iterator[Section]:
    parameters = ", ".join(f"{name} {value:g}" for name, value in found.method.parameters.items())
    how = f"{found.method.title} ({found.method.name}{f': {parameters}' if parameters else ''}). {found.method.source}."
    rows = tuple(
        row(c.name, c.kind, f"{c.size:,}", "the data" if c.name in found.domain.drafted else "declared") for c in found.domain.columns
    )
    yield Section(
        f"{found.records:,} records, {len(found.columns)} columns", ("column", "kind", "cells", "known from"), rows, how, matrix=False
    )
    if found.structure:
        lines = tuple(" with ".join(columns) for columns in found.structure)
        yield Section("What was counted together", note="Every column by itself, and these:", lines=lines)
    if found.budget is not None:
        spent: dict[str, tuple[int, str]] = {}
        for charge in found.budget["charges"]:
            times, rho = spent.get(charge["purpose"], (0, charge["rho"]))
            spent[charge["purpose"]] = (times + 1, rho)
        entries = tuple(row(purpose, f"{times:,}") for purpose, (times, _) in spent.items())
        yield Section("What the budget went to", ("for", "times"), entries, "In rho, as exact fractions, in the JSON report.", matrix=False)
    if found.guarantee.holds:
        told = found.guarantee.to_dict()
        yield Section("Proven", lines=tuple(told["proven"]))
        yield Section("Not proven", lines=tuple(told["not_proven"]))
    if found.likeness is not None:
        line = f"{_capital(found.likeness.in_words)}."
        yield Section("What it still tells", lines=(line,), note="0 % is the same table, 100 % nothing in common.")
    if found.attacks:
        header = ("can members be told from others?", "AUC", "95 % interval", "found at 1 % false alarms")
        lines_of = tuple(_row(result) for result in found.attacks)
        yield Section("Attack on membership", header, lines_of, "0.5 is no better than chance, 1 tells everybody apart.", matrix=False)


def _row(result: Success) -> Any:
    if result.success is None:
        return row(result.variant, "not measured", result.reason or "", "")
    figures = result.figures
    name = f"{result.variant} (a smoke test)" if result.smoke_test else result.variant
    return row(
        name,
        decimals(result.success, 3),
        f"{decimals(figures['auc_low'], 3)} to {decimals(figures['auc_high'], 3)}",
        per_cent(figures["tpr_at_0.01"]),
    )
