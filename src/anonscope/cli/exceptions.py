"""The option by which somebody states an exception from a policy, with the reason."""

from typing import Annotated

import typer

Except = Annotated[
    list[str] | None,
    typer.Option(
        "--except",
        metavar="WHAT=REASON",
        rich_help_panel="What comes out",
        help="Accept that a rule is broken, and say how far and why: 'correlation:income<=0.78=it is public'; 'all:COLUMN=REASON' for all "
        "rules about a column. The result never counts as meeting the policy. Repeat for several.",
    ),
]


def exceptions_of(given: list[str] | None) -> dict[str, str]:
    """Return what is excepted with the reasons."""
    from anonscope.errors import PolicyError
    from anonscope.risk.policy.exceptions import split

    found: dict[str, str] = {}
    for text in given or ():
        what, reason = split(text)
        if what in found:
            raise PolicyError(f"The exception {what} is stated twice.")
        found[what] = reason
    return found
