"""Describe a release to catalogues and search engines, with its verdict: the public function."""

from pathlib import Path
from typing import Any

from anonscope.operations.describing.croissant import croissant
from anonscope.operations.describing.dcat import dcat
from anonscope.operations.describing.known import DescribedRelease, known_of
from anonscope.operations.describing.table_schema import table_schema
from anonscope.operations.wishes.describing import AccessRights, Describing, Standard

# What a standard asks for that only the publisher knows: the wish, and what stays empty without it.
WANTED: dict[str, tuple[str, ...]] = {
    "croissant": ("description", "license", "url"),
    "dcat": ("description", "publisher", "contact", "access_rights", "url", "license"),
    "healthdcat": ("description", "publisher", "contact", "access_rights", "url", "license"),
    "table-schema": (),
}


def describe(
    release: str | Path,
    standard: Standard = "croissant",
    *,
    title: str | None = None,
    description: str | None = None,
    license: str | None = None,
    publisher: str | None = None,
    contact: str | None = None,
    url: str | None = None,
    access_rights: AccessRights | None = None,
) -> dict[str, Any]:
    """Return a description of a release in a standard: croissant, dcat, healthdcat or table-schema.

    What was found comes from the manifest beside the release, whose bytes must be those that were published; what only the publisher
    knows is said here, and what nobody says is left out, never invented.
    """
    asked = Describing(
        standard=standard,
        title=title,
        description=description,
        license=license,
        publisher=publisher,
        contact=contact,
        url=url,
        access_rights=access_rights,
    )
    known = known_of(Path(release), asked)
    return _written(known, asked.standard)


def not_stated(asked: Describing) -> tuple[str, ...]:
    """Return what the standard wants of the publisher and nobody said."""
    return tuple(name for name in WANTED[asked.standard] if not getattr(asked, name))


def _written(known: DescribedRelease, standard: str) -> dict[str, Any]:
    if standard == "croissant":
        return croissant(known)
    if standard == "table-schema":
        return table_schema(known)
    return dcat(known, health=standard == "healthdcat")
