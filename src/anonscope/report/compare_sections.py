"""Sections of a comparison: what every version keeps, what it tells as a whole, and what models still learn from it.

What is kept is folded into three, values, distributions and relations; all measures stand behind them.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from anonscope.errors import joined
from anonscope.io.figures import decimals, figure, per_cent
from anonscope.io.rounding import rounded
from anonscope.operations.comparing.weighing import ComparedVersion
from anonscope.report import words
from anonscope.report.link import linked_words, ranged, share
from anonscope.report.sheet import Section, row
from anonscope.risk.policy import RuleResult
from anonscope.utility import UTILITIES
from anonscope.utility.kept import FOLDS, KeptKind, kept
from anonscope.utility.unpaired import NOT_PAIRED, UNPAIRED


def kept_to_dict(version: ComparedVersion) -> dict[str, Any]:
    """Return the three folds of a version as plain data."""
    return {
        one.fold: {"share": rounded(one.share), "measure": one.by, "reason": one.reason}
        for one in kept(version.utilities, whole=version.whole)
    }


def kept_section(releases: Sequence[ComparedVersion]) -> Section:
    """Return a row for each of the three questions, a column for each release."""
    found = [kept(v.utilities, whole=v.whole) for v in releases]
    rows = tuple(
        row(fold.title, *(_kept_share(each[at]) for each in found), f"{fold.question} {_by(each[at] for each in found)}")
        for at, fold in enumerate(FOLDS)
    )
    note = "Each is one stated measure, from 0 % to 100 %; more of each kind below."
    return Section("What is kept", ("", *(v.name for v in releases), "what it says"), rows, note, matrix=False)


def _kept_share(one: KeptKind) -> str:
    return f"not measured: {one.reason}" if one.share is None else per_cent(one.share)


def _by(found: Any) -> str:
    names = dict.fromkeys(one.by for one in found)
    titles = [(UTILITIES.get(name) or UNPAIRED[name]).title.lower() for name in names]
    return f"By {' or '.join(titles)}."


def whole_section(releases: Sequence[ComparedVersion]) -> Section:
    """Return every measure of tables as wholes, a column for each release that was compared so."""
    shown = [v for v in releases if v.whole]
    rows = []
    for name, utility in UNPAIRED.items():
        better = "higher is better" if utility.better == "higher" else "lower is better"
        found = [[m for m in v.utilities if m.utility == name] for v in shown]
        kinds = dict.fromkeys((m.variant, m.column) for each in found for m in each)
        # By column only where the measure is about a column and nothing else.
        table = {kind: None for kind in kinds if kind[1] is None} or kinds
        for variant, column in table:
            told = ", ".join(part for part in (variant, column) if part is not None)
            values = [next((m for m in each if (m.variant, m.column) == (variant, column)), None) for each in found]
            cells = ["—" if m is None else f"not measured: {m.reason}" if m.value is None else figure(m.value) for m in values]
            rows.append(row(f"{utility.title} ({told})" if told else utility.title, *cells, better))
    note = "Original and release as wholes: their records do not correspond. By column in the JSON."
    return Section("Compared as wholes", ("measure", *(v.name for v in shown), ""), tuple(rows), note, matrix=False)


def not_measured(releases: Sequence[ComparedVersion]) -> tuple[str, ...]:
    """Say of which releases nothing was measured record by record."""
    return tuple(f"{v.name}: not measured: {NOT_PAIRED}." for v in releases if v.whole)


def models_section(versions: Sequence[ComparedVersion]) -> Section:
    """Return what models learnt from the original and from each release."""
    rows, said = [], ""
    for v in versions:
        if v.model is None:
            continue
        learnt = f"Learnt on {v.model.trained_on:,} records, tested on {v.model.tested_on:,} of the original."
        said = f"Predicted: {v.model.target} ({v.model.task}). {learnt} In brackets the 95 % interval."
        for score in v.model.scores:
            before, after = _scored(score.original, score.original_interval), _scored(score.release, score.release_interval)
            rows.append(row(v.name, score.model, score.score, before, after, _scored(score.difference, score.difference_interval)))
    header = ("version", "model", "score", "learnt from the original", "learnt from the release", "difference")
    return Section("What models still learn", header, tuple(rows), said, matrix=False)


def _scored(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None:
        return "—"
    return decimals(value, 3) if interval is None else f"{decimals(value, 3)} ({decimals(interval[0], 3)} to {decimals(interval[1], 3)})"


def broken(unmet: Mapping[str, Sequence[RuleResult]]) -> tuple[str, ...]:
    """Return what each version breaks in a line: a first screen that says that none is recommended says why."""
    told = {name: "; ".join(f"{r.label} ({words.measured(r)}, limit {words.limit(r)})" for r in rules) for name, rules in unmet.items()}
    return tuple(f"- {name}: {said or 'see the audit of this version'}" for name, said in told.items())


def linkage_section(versions: Sequence[ComparedVersion]) -> Section:
    """Return what an external table tells of the people of every version."""
    rows = tuple(
        row(
            v.name,
            ranged(v.linkage.average_risk, v.linkage.average_risk_range),
            per_cent(v.linkage.matched_share),
            share(v.linkage.unique_match_share),
            "not measured" if v.linkage.k_map is None else f"{v.linkage.k_map:,}",
            per_cent(v.linkage.unread_share),
        )
        for v in versions
        if v.linkage is not None
    )
    linked: dict[str, list[str]] = {}
    for v in versions:
        if v.linkage is not None:
            linked.setdefault(linked_words(v.linkage.columns, v.linkage.left_out), []).append(v.name)
    note = (
        "Average risk is the mean of 1 / (people of the external table whom a record may be), 0 where it may be nobody. k-map is the "
        "fewest such people over all records: 1 means that somebody is found for certain, if they are in that table at all, and 0 that "
        "some record may be nobody there."
    )
    return Section(
        "Against the external table",
        ("version", "average risk", "matched", "matched to one person", "k-map", "cells not read"),
        rows,
        note,
        matrix=False,
        lines=tuple(told if len(linked) == 1 else f"{joined(names)}: {told}" for told, names in linked.items()),
    )
