"""A release in vertical fragments as plain data and as a sheet: what each holds and keeps, and how far they can be put together."""

from collections.abc import Iterator
from typing import Any

from anonscope.attacks.together import FragmentsTogether
from anonscope.io.figures import decimals, per_cent
from anonscope.io.rounding import rounded
from anonscope.operations.fragment import FragmentRelease
from anonscope.report import words
from anonscope.report.associations import METHODS as PROPOSALS
from anonscope.report.sheet import Section, Sheet, row
from anonscope.report.unassigned import unassigned_sections

SCHEMA = "anonscope/fragments/1"


def fragment_release_to_dict(found: FragmentRelease) -> dict[str, Any]:
    """Return a release in fragments as plain data, in the shape of the JSON contract."""

    proposal = found.proposal
    return {
        "schema": SCHEMA,
        "source": found.source,
        "records": found.records,
        "policy": found.policy.name,
        "met": found.met,
        "proposal": {
            "name": proposal.name,
            "score": rounded(proposal.score),
            "target": proposal.target,
            "common": list(proposal.common),
            "method": proposal.method,
        },
        "fragments": [
            {
                "columns": list(f.columns),
                "quasi_identifiers": list(f.quasi_identifiers),
                "sensitive": list(f.sensitive),
                "met": f.met,
                "method": f.method,
                "k_before": f.k_before,
                "k": f.k,
                "loss": rounded(f.loss),
                "suppressed": f.suppressed,
                "rules_left_out": list(f.rules_left_out),
                "remaining": list(f.remaining),
            }
            for f in found.fragments
        ],
        "assembled": found.assembled,
        "assembled_outcome": found.assembled_outcome,
        "assembled_remaining": list(found.assembled_remaining),
        "together": found.together.to_dict() if found.together is not None else None,
        "shared": found.shared.to_dict() if found.shared is not None else None,
        "joined": found.joined.to_dict() if found.joined is not None else None,
        "columns_without_role": [column.to_dict() for column in found.unassigned],
        "recipes": list(found.printed_recipes),
        "notes": list(found.notes),
    }


def fragment_release_sheet(found: FragmentRelease) -> Sheet:
    """Return a release in fragments as a page."""

    title = "Not every fragment can meet the policy"
    if found.fragments_met:
        title = "Every fragment meets the policy" + ("" if found.met else f"; {_whole(found)} not")
    return Sheet(
        title=title,
        source=found.source,
        lead=_lead(found),
        sections=tuple(_sections(found)),
        notes=found.notes,
        tone="mid" if found.met else "high",
    )


def _whole(found: FragmentRelease) -> str:
    return "the assembled table does" if found.assembled else "joined by what they share they do"


def _lead(found: FragmentRelease) -> str:
    if not found.fragments_met:
        stopped = [str(i) for i, f in enumerate(found.fragments, start=1) if not f.met]
        return f"Fragment {', '.join(stopped)} cannot meet {words.policy_named(found.policy)}. Nothing was written."
    assert found.together is not None, "what is met is released"
    if found.joined is not None and found.joined.refused:
        return f"Every fragment by itself meets {words.policy_named(found.policy)}. {found.joined.sentence}"
    if not found.met:
        because = f": {'; '.join(found.assembled_remaining)}" if found.assembled_remaining else ""
        return (
            f"Every fragment by itself meets {words.policy_named(found.policy)}; the assembled table, whose rows say everything together, "
            f"does not{because}. Nothing was written. Release the fragments apart, and not as one table "
            "(--assemble), or recode all quasi-identifiers together."
        )
    whole = (
        f"Whoever puts all fragments together finds groups of at least {found.together.k:,}, and {per_cent(found.together.unique)} alone."
    )
    kind = "one table, row by row" if found.assembled else f"fragments {_key(found)}, each in an order of its own"
    who = "the whole and every fragment by itself meet" if found.assembled else "every fragment by itself meets"
    return f"Released as {kind}; {who} {words.policy_named(found.policy)}. {whole}"


def _key(found: FragmentRelease) -> str:
    if found.joined is None:
        return "without a common key"
    return f"that share {', '.join(found.joined.columns)} (at least {found.joined.k:,} people with the same)"


def _sections(found: FragmentRelease) -> Iterator[Section]:
    recipes = found.printed_recipes
    rows = tuple(
        row(
            str(i),
            ", ".join(f.quasi_identifiers),
            ", ".join(c for c in f.columns if c not in f.quasi_identifiers) or "—",
            _count(f.k_before),
            _count(f.k),
            "—" if f.loss is None else per_cent(f.loss),
            f"{f.suppressed:,}",
            "met" if f.met else f"breaks {', '.join(f.remaining)}",
        )
        for i, f in enumerate(found.fragments, start=1)
    )
    header = ("fragment", "quasi-identifiers", "other columns", "k before", "k now", "detail lost", "suppressed", "policy")
    score = f"Relevance less redundancy ({found.proposal.name}) = {decimals(found.proposal.score, 4)}. {PROPOSALS[found.proposal.method]}"
    yield Section("Fragments", header, rows, score, matrix=False)
    yield from unassigned_sections(found.unassigned)
    if found.together is not None:
        yield _linkage(found, found.together)
    for i, recipe in enumerate(recipes, start=1):
        name = "The recipe" if len(recipes) == 1 else f"The recipe of fragment {i}"
        yield Section(name, note=words.RECIPE, verbatim=recipe)


def _linkage(found: FragmentRelease, together: FragmentsTogether) -> Section:
    said = [("all fragments put together", together)]
    if found.shared is not None and not found.assembled:
        said.append((f"by what they share ({', '.join(found.shared.columns)})", found.shared))
    rows = tuple(row(name, f"{x.classes:,}", f"{x.k:,}", per_cent(x.unique, 2), decimals(x.average, 4)) for name, x in said)
    if found.assembled:
        lines = ["The rows belong together, so the first line is what an attacker who knows all quasi-identifiers has."]
        if found.assembled_outcome is not None:
            lines.append(f"An audit of the assembled table by the same policy: {found.assembled_outcome}.")
    else:
        lines = ["The first line is the worst case: an attacker who has found out which rows belong together."]
        if found.shared is None:
            lines.append(f"Fragments have no column in common; a guess is right in 1 of {found.records:,}.")
        else:
            lines.append("The second is how often a guess by the columns in common is right.")
    return Section(
        "Linkage between fragments",
        ("what is known", "groups", "k", "alone", "average risk (1 / group)"),
        rows,
        "How far the fragments can be put together again.",
        matrix=False,
        lines=tuple(lines),
    )


def _count(value: int | None) -> str:
    return "—" if value is None else f"{value:,}"
