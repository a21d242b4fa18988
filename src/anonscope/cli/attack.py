"""`anonscope attack`: what somebody really finds out from a release, measured with a control."""

from pathlib import Path
from typing import Annotated

import typer

from anonscope.cli import options as opt
from anonscope.cli.arguments import assignments
from anonscope.cli.emit import emit, report_format
from anonscope.cli.progress import progress_bar

_TABLES, _ATTACKER, _ATTACKED = "Which tables", "What the attacker knows", "How it is attacked"

ReleaseArgument = Annotated[str, typer.Argument(metavar="RELEASE", help="The release to attack, in any format a source may have.")]
Original = Annotated[
    str, typer.Option("--original", metavar="FILE", rich_help_panel=_TABLES, help="The table that the release was made of.")
]
Control = Annotated[
    str | None,
    typer.Option("--control", metavar="FILE", rich_help_panel=_TABLES, help="People of the same population who are not in the original."),
]
External = Annotated[
    str | None, typer.Option("--external", metavar="FILE", rich_help_panel=_TABLES, help="A table that an attacker really holds.")
]
ExternalColumns = Annotated[
    list[str] | None,
    typer.Option("--external-column", metavar="COLUMN=COLUMN", rich_help_panel=_TABLES, help="What a column is called there. Repeat."),
]
OnlyColumns = Annotated[
    bool, typer.Option("--only-columns", rich_help_panel=_TABLES, help="Link that table by what --external-column names only.")
]
Also = Annotated[
    list[str] | None,
    typer.Option("--also", metavar="RELEASE", rich_help_panel=_TABLES, help="A further release of the same people. Repeat for several."),
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key", metavar="COLUMN", rich_help_panel=_TABLES, help="Tells records apart in release and original. Default: their order."
    ),
]
Paired = Annotated[
    bool | None,
    typer.Option("--paired/--unpaired", rich_help_panel=_TABLES, help="Whether records stand in the same order.", show_default=False),
]
Attackers = Annotated[
    Path | None, typer.Option("--attackers", metavar="FILE", rich_help_panel=_ATTACKER, help="What attackers know, as a TOML file.")
]
Know = Annotated[
    list[str] | None,
    typer.Option("--know", metavar="COLUMN", rich_help_panel=_ATTACKER, help="A known column; default: the quasi-identifiers. Repeat."),
]
Within = Annotated[
    list[str] | None,
    typer.Option("--within", metavar="COLUMN=NUMBER", rich_help_panel=_ATTACKER, help="A known number is off by up to this. Repeat."),
]
Wrong = Annotated[
    list[str] | None,
    typer.Option("--wrong", metavar="COLUMN=SHARE", rich_help_panel=_ATTACKER, help="A known value is somebody else's this often. Repeat."),
]
Known = Annotated[float, typer.Option("--known", metavar="SHARE", rich_help_panel=_ATTACKER, help="Share of people the attacker knows of.")]
Attempt = Annotated[
    float, typer.Option("--attempt", metavar="SHARE", rich_help_panel=_ATTACKER, help="How likely the attack is tried on somebody.")
]
Prior = Annotated[
    str | None,
    typer.Option("--prior", metavar="FILE", rich_help_panel=_ATTACKER, help="A table of what is likely before the release is seen."),
]
Only = Annotated[
    list[str] | None,
    typer.Option(
        "--attack",
        metavar="NAME",
        rich_help_panel=_ATTACKED,
        help="singling_out, linkability, inference, membership, composition, downcoding. Repeat; default: all.",
    ),
]
Targets = Annotated[
    int, typer.Option("--targets", metavar="N", rich_help_panel=_ATTACKED, help="How many people are attacked; 0 is everybody.")
]
Group = Annotated[
    str | None,
    typer.Option("--group", metavar="COLUMN", rich_help_panel=_ATTACKED, help="Show who is hit by this column's values, which are named."),
]
ClassSize = Annotated[
    int | None,
    typer.Option("--class-size", metavar="K", rich_help_panel=_ATTACKED, help="The smallest group the release had to have (downcoding)."),
]
Model = Annotated[bool, typer.Option("--model", rich_help_panel=_ATTACKED, help="Also learn sensitive values from the release (extra ml).")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", rich_help_panel=_ATTACKED, help="Seed of what is drawn.")]
PolicyOption = Annotated[
    str | None,
    typer.Option(
        "--policy", metavar="NAME|FILE", rich_help_panel=_ATTACKED, help="Judge by a policy, such as synthetic or research-attacked."
    ),
]


def attack(
    release: ReleaseArgument,
    original: Original,
    control: Control = None,
    external: External = None,
    external_columns: ExternalColumns = None,
    only_columns: OnlyColumns = False,
    also: Also = None,
    key: Key = None,
    paired: Paired = None,
    attackers: Attackers = None,
    know: Know = None,
    within: Within = None,
    wrong: Wrong = None,
    known: Known = 1.0,
    attempt: Attempt = 1.0,
    prior: Prior = None,
    attacks: Only = None,
    targets: Targets = 2000,
    group: Group = None,
    class_size: ClassSize = None,
    model: Model = False,
    seed: Seed = 1,
    policy: PolicyOption = None,
    quasi_identifiers: opt.QuasiIdentifiers = None,
    sensitive: opt.Sensitive = None,
    person: opt.Person = None,
    direct_identifiers: opt.DirectIdentifiers = None,
    insensitive: opt.Insensitive = None,
    acknowledge: opt.Acknowledge = None,
    acknowledge_rest: opt.AcknowledgeRest = None,
    hierarchies: opt.Hierarchies = None,
    recipe: opt.MadeBy = None,
    roles: opt.RolesFile = None,
    accept_suggestions: opt.AcceptSuggestions = False,
    format: opt.FormatOption = None,
    output: opt.Output = None,
    quiet: opt.Quiet = False,
    memory_limit: opt.MemoryLimit = None,
    threads: opt.Threads = None,
    temp_folder: opt.TempFolder = None,
) -> None:
    """Attack a release with the people it is about, and with people who are not in it.

    Exits 0, 1 if a policy was named that is not met, or 2 if the input cannot be used.

    Example: anonscope attack release.csv --original patients.csv --control others.csv --roles patients.roles.toml -o attacks.html
    """
    import anonscope as an
    from anonscope.cli.arguments import number_of
    from anonscope.errors import OptionError

    form = report_format(format, output)
    if output is not None:
        from anonscope.io.writing import check_writable

        check_writable(output)
    ladders = assignments(hierarchies, "A hierarchy is written COLUMN=FILE (for instance diagnosis=diagnoses.csv)")
    reaches = assignments(within, "A reach is written COLUMN=NUMBER (for instance age=2)")
    errors = assignments(wrong, "A share of errors is written COLUMN=SHARE (for instance zip=0.1)")
    stated = know or reaches or errors or known != 1 or attempt != 1 or prior is not None
    if attackers is not None and stated:
        raise OptionError("What the attacker knows is said by --attackers or by the other options, not by both.")
    with (
        an.read(
            original,
            quasi_identifiers=quasi_identifiers or (),
            sensitive=sensitive or (),
            person=person,
            direct_identifiers=direct_identifiers or (),
            **opt.words(insensitive, acknowledge, acknowledge_rest),
            roles=roles,
            memory_limit=memory_limit,
            threads=threads,
            temp_folder=temp_folder,
        ) as data,
        progress_bar(quiet=quiet) as progress,
    ):
        if accept_suggestions:
            data.accept(an.suggest(data, progress=progress))
        one = None
        if stated:
            one = an.Attacker(
                name="stated",
                columns=tuple(know or data.roles.attributes),
                within={column: number_of(text, column) for column, text in reaches.items()},
                wrong={column: number_of(text, column) for column, text in errors.items()},
                known=known,
                attempt=attempt,
                prior=prior,
            )
        found = an.attack(
            release,
            data,
            control=control,
            external=external,
            external_columns=assignments(external_columns, "An external column is written COLUMN=COLUMN") or None,
            external_only=only_columns,
            also=also or (),
            attackers=[one] if one is not None else attackers,
            attacks=attacks or None,
            policy=policy,
            key=key,
            paired=paired,
            hierarchies={**data.roles.hierarchies, **ladders},
            recipe=recipe,
            targets=targets or None,
            group=group,
            class_size=class_size,
            model=model,
            seed=seed,
            progress=progress,
        )
    emit(found, form, output)
    if found.verdict is not None:
        raise typer.Exit(found.verdict.exit_code)
