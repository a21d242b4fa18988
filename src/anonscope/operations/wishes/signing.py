"""What a dossier for signature is made from, and for whose eyes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from anonscope.operations.wishes.attacks import CONTROL
from anonscope.operations.wishes.policy import PolicyGiven
from anonscope.operations.wishes.versions import External
from anonscope.operations.wishes.words import Wish, Words

Edition = Literal["internal", "publishable"]
_SAID = "What people say"


@dataclass(frozen=True, kw_only=True)
class SigningOff(External):
    """What a dossier is about."""

    panel: ClassVar[str | None] = _SAID

    control: Annotated[Any, CONTROL] = None
    edition: Annotated[
        Edition,
        Words(
            help="internal, or publishable: without hashes of source and recipe, seeds and hierarchies.",
            wrong="An edition is internal or publishable, not {}.",
        ),
    ] = "internal"
    recipients: Annotated[
        Sequence[str], Words(help="Only these recipients of the answers. Repeat.", flags=("--recipient",), metavar="NAME")
    ] = ()
    policy: Annotated[
        PolicyGiven | None,
        Words(help="Judge by another policy than the manifest's.", metavar="NAME|FILE", reads=str),
    ] = None


@dataclass(frozen=True, kw_only=True)
class SigningFiles(Wish):
    """What people wrote down for a dossier."""

    panel: ClassVar[str | None] = _SAID

    answers: Annotated[Any, Words(help="What only people know, as a TOML file.", metavar="FILE", reads=Path)] = None
    laws: Annotated[
        Sequence[Any],
        Words(help="A further text to go by, or a newer one of the same name. Repeat.", flags=("--law",), metavar="FILE"),
    ] = ()
    intruder_test: Annotated[Path | None, Words(help="The folder of a motivated intruder test that was judged.", metavar="FOLDER")] = None
