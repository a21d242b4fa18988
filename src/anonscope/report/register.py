"""A register of releases as plain data and as a sheet."""

from dataclasses import asdict
from typing import Any

from anonscope.operations.register import Register
from anonscope.report.sheet import Section, Sheet, row
from anonscope.report.words import Tone, listed
from anonscope.risk.privacy_loss import number

SCHEMA = "anonscope/register-state/1"
_NOTE_IT = "Note it elsewhere: only that shows whether the last lines were taken out."


def register_to_dict(found: Register) -> dict[str, Any]:
    """Return everything as plain data, in the shape of the JSON contract."""
    return {
        "schema": SCHEMA,
        "folder": found.folder,
        "today": found.today.isoformat(),
        "fine": found.fine,
        "problems": list(found.problems),
        "head": found.head,
        "populations": [
            {
                "population": one.population,
                "releases": one.releases,
                "without_guarantee": one.without_guarantee,
                "spent": str(one.spent),
                "delta": str(one.delta) if one.delta is not None else None,
                "budget": str(one.budget) if one.budget is not None else None,
                "delta_budget": str(one.delta_budget) if one.delta_budget is not None else None,
                "unlike": one.unlike,
            }
            for one in found.populations
        ],
        # Others than the owner of the table may see this, and a single unknown cell could be tried out against a hash of all.
        "entries": [{key: told for key, told in asdict(entry).items() if key != "source"} for entry in found.entries],
    }


def register_sheet(found: Register) -> Sheet:
    """Return a register as one page."""
    header = ("release", "of", "to", "added", "policy", "k", "epsilon", "together with earlier ones", "review", "expires")
    rows = tuple(
        row(
            str(e.release),
            e.population,
            e.recipient or "not stated",
            e.added[:10],
            e.policy or "none",
            str(e.k) if e.k is not None else "none",
            number(e.lost) if e.epsilon is not None else "no guarantee",
            str(e.composition["sentence"]) if e.composition is not None else "bounded by its epsilon" if e.by_epsilon else "not measured",
            e.review or "not stated",
            e.expires or "not stated",
        )
        for e in found.entries
        if e.kind == "release"
    )
    spent = tuple(
        row(
            one.population,
            f"{one.releases:,}",
            number(one.spent),
            number(one.delta) if one.delta is not None else "not known",
            number(one.budget) if one.budget is not None else "none was set",
            number(one.delta_budget) if one.delta_budget is not None else "no budget of delta",
            f"{one.without_guarantee:,}",
        )
        for one in found.populations
    )
    told = (
        "population",
        "releases",
        "epsilon spent",
        "delta spent",
        "budget of epsilon",
        "of delta",
        "releases without a guarantee, which no sum counts",
    )
    # A hash that is cut cannot be noted.
    last = Section("The hash of the last line", note=_NOTE_IT, lines=(found.head,), must=(found.head,))
    sections = (
        Section("Releases", header if rows else (), rows, matrix=False, lines=() if rows else ("None yet.",)),
        Section("What a person loses", told if spent else (), spent, matrix=False),
        last,
    )
    tone: Tone = "high" if not found.fine else "mid" if found.unmeasured else "low"
    return Sheet("Register of releases", found.folder, _lead(found), sections, (), tone)


def _lead(found: Register) -> str:
    """Return what is wrong or due; where nothing is, what was not measured all the same."""
    if not found.fine:
        return " ".join(found.problems)
    if not found.unmeasured:
        return "Nothing is broken, spent, overdue or unmeasured."
    they = "was" if len(found.unmeasured) == 1 else "were"
    return f"Nothing is broken, spent or overdue. {listed(found.unmeasured)} {they} not measured together with the other releases."
