"""How a release is described to catalogues and search engines, and what only its publisher knows."""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from anonscope.operations.wishes.words import Wish, Words

Standard = Literal["croissant", "dcat", "healthdcat", "table-schema"]
AccessRights = Literal["public", "restricted", "non-public"]
_PANEL = "What only the publisher knows"


@dataclass(frozen=True, kw_only=True)
class Publisher(Wish):
    """What is said of a release by whoever publishes it; what nobody says is left out."""

    panel: ClassVar[str | None] = _PANEL

    title: Annotated[str | None, Words(help="Its title. Default: the name of the file.", metavar="TEXT")] = None
    description: Annotated[str | None, Words(help="What it is about, in a sentence.", metavar="TEXT")] = None
    license: Annotated[str | None, Words(help="The address of its licence.", metavar="URL")] = None
    publisher: Annotated[str | None, Words(help="Who publishes it.", metavar="NAME")] = None
    contact: Annotated[str | None, Words(help="An e-mail address for questions.", metavar="ADDRESS")] = None
    url: Annotated[str | None, Words(help="Where it can be had, or read about.", metavar="URL")] = None
    access_rights: Annotated[
        AccessRights | None,
        Words(help="Who may have it.", wrong="Access is public, restricted or non-public, not {}.", shown=False),
    ] = None


@dataclass(frozen=True, kw_only=True)
class Describing(Publisher):
    """In which standard a release is described."""

    standard: Annotated[
        Standard,
        Words(
            help="The standard of the description.",
            flags=("--as",),
            wrong="A description is croissant, dcat, healthdcat or table-schema, not {}.",
        ),
    ] = "croissant"
