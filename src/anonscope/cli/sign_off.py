"""`anonscope sign-off`: the dossier behind a release, for whoever signs."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli.flattened import flattened
from anonscope.cli.tables import OriginalTable
from anonscope.operations.wishes.signing import SigningFiles, SigningOff
from anonscope.operations.wishes.words import said

ReleaseArgument = Annotated[Path, typer.Argument(metavar="RELEASE", help="The release; its manifest stands beside it.")]
Original = Annotated[
    str | None,
    typer.Option("--original", metavar="SOURCE", rich_help_panel="Which tables", help="The table that the release was made of."),
]
Questions = Annotated[
    Path | None,
    typer.Option(
        "--questions",
        metavar="FILE",
        rich_help_panel="What people say",
        help="Write what only people know as a TOML file to fill in, and stop.",
    ),
]


@flattened
def sign_off(
    release: ReleaseArgument,
    *,
    original: Original = None,
    questions: Questions = None,
    signing: SigningOff,
    files: SigningFiles,
    table: OriginalTable,
) -> None:
    """Write the dossier behind a release: what was measured before and after, by which rules, and what people stated.

    Verdict, attacks and the three questions are measured again. What only people know comes from --answers, and is "not stated" where
    nobody said it. Roles are those of the manifest unless others are given. The internal edition is written for its owner's eyes only.

    Exits as an audit of the release does, 1 if it is not what was published, or 2 if the input cannot be used.

    Example: anonscope sign-off release.csv --original patients.csv --answers answers.toml -o dossier.pdf
    """
    import anonscope as an
    from anonscope.errors import OptionError, OutputError, shown
    from anonscope.io.writing import check_writable, write_text
    from anonscope.operations.signing.published import published

    if questions is not None:
        known = published(release).roles
        scenarios = [scenario.name for scenario in known.attackers] if known is not None else ["default"]
        check_writable(questions)
        if questions.exists():
            raise OutputError(f"{shown(questions)} exists, and answers are never written over. Give another name.")
        write_text(questions, an.questions_text(scenarios))
        typer.echo(
            f"Questions: {questions}. Fill it in, then: anonscope sign-off {release} --original SOURCE --answers {questions}", err=True
        )
        return
    if original is None:
        raise OptionError(
            "A dossier compares the release with the table it was made of: --original SOURCE. Questions need --questions FILE."
        )
    form = table.form()
    with table.prepared(original) as (data, progress):
        found = an.sign_off(release, data, **said(signing, files), progress=progress)
    table.emit(found, form)
    if found.answers.open_questions:
        typer.echo(f"Not stated: {len(found.answers.open_questions)} of the questions that only people can answer.", err=True)
    raise typer.Exit(found.exit_code)
