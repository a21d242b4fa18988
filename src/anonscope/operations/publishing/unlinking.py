"""Releases without what ties the records of a person together, where these find people and nobody said why they may stay so."""

from collections.abc import Collection
from dataclasses import replace

from anonscope.errors import shown
from anonscope.operations.apply import Release
from anonscope.operations.audit import Audit
from anonscope.risk.findings import ScenarioCounts
from anonscope.risk.policy import check_linked
from anonscope.transform.release.remarks import forms_note
from anonscope.transform.steps.drop_column import DropColumn
from anonscope.transform.steps.pseudonymise import pseudonym_note
from anonscope.transform.steps.sort_records import SortRecords

_COMMENT = "It would say which records are one person's, and all of them together find people."
# Tables of events have those of one person side by side.
_ORDER = "Their order would tell the same."


def unlinked(release: Release, after: Audit, also: Collection[str] = ()) -> tuple[Release, Audit]:
    """Return a release without the ids that find people, and its audit, which counted the people while they could be told apart.

    Ids in `also` are left out whatever they find. Raises `RecordsLinked` where another column would say the same as the id, and nobody
    said why that may be.
    """
    found = {linked.column: linked for linked in after.verdict.linked if linked.unanswered or (linked.open and linked.column in also)}
    columns = [column for column in release.columns if column in found or column in also]
    if not columns:
        return release, after
    verdict = after.verdict.left_out({c: release.standing_in(c, found[c].size) for c in columns if c in found})
    check_linked(verdict.linked)
    left = release.then(*(DropColumn(column=column) for column in columns), SortRecords())
    comments = (*release.recipe.comments, *(_COMMENT for _ in columns), _ORDER)
    if release.recipe.comments:
        left = replace(left, recipe=replace(left.recipe, comments=comments))
    return left, replace(after, verdict=verdict)


def counted_before(release: Release, after: Audit | None) -> tuple[ScenarioCounts, ...]:
    """Return the groups in which people were counted, where a release does not tell them apart any more."""
    person = after.roles.person if after is not None else None
    return after.scenarios if after is not None and person is not None and person not in release.columns else ()


def release_notes(release: Release | None, after: Audit | None) -> list[str]:
    """Return what became of values that took another form, of labels that tell of somebody, and of the id of the person."""
    if release is None or after is None:
        return []
    return [*forms_note(release.changes), *release.label_notes, *release.order_notes(), *person_notes(release, after)]


def person_notes(release: Release, after: Audit) -> list[str]:
    """Return what became of the id of the person, and what all records of a person tell together; nothing where no person was named."""
    person = after.roles.person
    if person is None:
        return []
    told = [linked.sentence for linked in after.verdict.linked]
    if person in release.columns:
        return [pseudonym_note(person), *told]
    return [*told, f"To keep records of one person together, under a pseudonym, say why (--acknowledge {shown(person)}=REASON)."]
