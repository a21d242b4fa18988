"""Counts of a table that is audited part by part."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from anonscope.operations.wishes.words import Wish, Words


@dataclass(frozen=True, kw_only=True)
class Keeping(Wish):
    """Whether counts of earlier parts go along, and those of this part are kept."""

    panel: ClassVar[str | None] = "What comes out"

    keep_counts: Annotated[
        str | Path | None,
        Words(
            help="Audit all parts of a table whose counts are kept in this private folder, and this one; keep its counts there too.",
            metavar="FOLDER",
            reads=Path,
        ),
    ] = None
    with_counts: Annotated[
        str | Path | None,
        Words(help="The same, and the folder stays as it is: what if this part were appended?", metavar="FOLDER", reads=Path),
    ] = None
    counts_key: Annotated[
        str | Path | None,
        Words(
            help="File of the key that kept counts are hashed with, which lies elsewhere. The first time, a new one is drawn into it.",
            metavar="FILE",
            reads=Path,
        ),
    ] = None
