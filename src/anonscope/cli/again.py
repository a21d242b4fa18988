"""The command that somebody typed, with what was missing in it, to copy."""

import shlex
from collections.abc import Sequence

from anonscope.errors import ColumnsWithoutRole, without_credentials

_DIRECT = ("-d", "--direct-identifier")


def with_words(typed: Sequence[str], missing: ColumnsWithoutRole, *, why: str = "To go on") -> str:
    """Return how to go on, if a command can: the same one, which drops what looks like a direct identifier, with a reason for the rest."""
    if missing.steps and missing.identifiers:
        # What only a step of the recipe can mend, no command mends.
        return ""
    dropped = [column for column in missing.identifiers if column != missing.person]
    added = [part for column in dropped for part in ("-d", column)]
    if missing.person is not None:
        added += ["-p", missing.person]
    notes = ["-d drops a column; say -i instead for one that is no direct identifier"] if dropped else []
    if missing.person is not None:
        notes.append("-p counts people by a column, of which the release has a pseudonym: say -i instead if it is no id of a person")
    rest = ["--acknowledge-rest", "REASON"]
    reason = "put your reason in the place of REASON"
    found = ""
    roles = [part for column in missing.quasi_identifiers for part in ("-q", column)]
    roles += [part for column in missing.sensitive for part in ("-s", column)]
    # Options take the place of the lists of a roles file, so that beside one they would take roles back.
    if roles and not missing.steps and not any(word.split("=")[0] == "--roles" for word in typed):
        left = set(missing.others) - {*missing.quasi_identifiers, *missing.sensitive}
        told = [*notes, "-q counts what an outsider may know, -s protects what nobody may learn", *([reason] if left else [])]
        found = f"\n\n{why} ({'; '.join(told)}):\n  {_command([*typed, *added, *roles, *(rest if left else [])])}"
        notes = ["if they may be released as they are"]
    notes += [reason] if missing.others else []
    last = _command([*typed, *added, *(rest if missing.others else [])])
    return f"{found}\n\n{'Or' if found else why} ({'; '.join(notes)}):\n  {last}"


def with_person(typed: Sequence[str], column: str) -> str:
    """Return how to go on where a direct identifier is the id of a person; what a roles file calls it, the option overrules."""
    for option in _DIRECT:
        for said, parts in (((option, column), 2), ((f"{option}={column}",), 1), ((f"{option}{column}",), 1)):
            for i in range(len(typed)):
                if tuple(typed[i : i + parts]) == said:
                    typed = [*typed[:i], *typed[i + parts :]]
                    return with_person(typed, column)
    return f"\n\nTo go on (the release has a pseudonym of the column):\n  {_command([*typed, '-p', column])}"


def with_reasons(typed: Sequence[str], columns: Sequence[str]) -> str:
    """Return how to go on where columns that were given a role tell who somebody is: with a reason for each."""
    reasons = [part for column in columns for part in ("--acknowledge", f"{column}=REASON")]
    return f"\n\nTo release it as it is (put your reason in the place of REASON):\n  {_command([*typed, *reasons])}"


def _command(typed: Sequence[str]) -> str:
    return shlex.join(["anonscope", *map(without_credentials, typed)])
