"""`anonscope seal`: put a key under a release or a dossier."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from anonscope.cli.flattened import flattened
from anonscope.operations.wishes.output import Replacing

Action = Annotated[Literal["keygen", "sign"], typer.Argument(metavar="ACTION", help="keygen or sign.")]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="keygen: the key to write; sign: a release, or a dossier.")]
Key = Annotated[Path | None, typer.Option("--key", metavar="FILE", help="sign: the key that keygen wrote.")]
Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="sign: who seals it.")]
Also = Annotated[list[Path] | None, typer.Option("--also", metavar="FILE", help="sign: a file that belongs to it, such as its release.")]


@flattened
def seal(action: Action, *, file: FileArgument, key: Key = None, name: Name = None, also: Also = None, replacing: Replacing) -> None:
    """Put an Ed25519 key under a release or a dossier (extra seal); verify then says by whom it is.

    keygen writes a key for your eyes only, and its public half beside it as .pub, for others. sign writes FILE.sig, for a release
    beside its manifest. Exits 0, or 2 if the input cannot be used or is not what was published.

    Example: anonscope seal sign dossier.pdf --also release.csv --key officer.key --name 'Data protection officer'
    """
    import anonscope as an
    from anonscope.errors import OptionError

    if action == "keygen":
        typer.echo(f"Key: {file}, for your eyes only. Public half: {file}.pub, fingerprint {an.seal_key(file)}.", err=True)
        return
    if key is None or name is None:
        raise OptionError("To sign, say with which key and as who: --key FILE --name NAME.")
    found = an.seal(file, key, name, also=also or (), force=replacing.force)
    typer.echo(f"Sealed by {found.by}: {', '.join(found.files)}. Fingerprint of the key: {found.fingerprint}.", err=True)
