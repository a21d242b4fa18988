"""Into which register a release goes, as a release of whom, and to whom."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from anonscope.operations.wishes.words import Wish, Words


@dataclass(frozen=True, kw_only=True)
class RegisteredTo(Wish):
    """Whose release it is, who receives it, and until when."""

    panel: ClassVar[str | None] = "Register of releases"

    population_name: Annotated[str | None, Words(help="The population that a release is of, as you call it.", metavar="NAME")] = None
    recipient: Annotated[str | None, Words(help="Who receives it.", metavar="NAME")] = None
    review: Annotated[str | None, Words(help="When it is looked at again.", metavar="DAY")] = None
    expires: Annotated[str | None, Words(help="When the recipient may not use it any more.", metavar="DAY")] = None
    accept_unmeasured: Annotated[
        str | None, Words(help="Why it goes though nobody could measure it together with earlier releases.", metavar="REASON")
    ] = None


@dataclass(frozen=True, kw_only=True)
class Registered(RegisteredTo):
    """Whether a release is held against the earlier ones of its population, and added to their register, as it is published."""

    panel: ClassVar[str | None] = "Register of releases"

    register: Annotated[
        Path | None, Words(help="Hold it against the releases in this folder's register first, and add it.", metavar="FOLDER")
    ] = None
