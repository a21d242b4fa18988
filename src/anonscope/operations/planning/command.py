"""The command that does again what was planned, to copy."""

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

from anonscope.columns.roles import Roles
from anonscope.errors import without_credentials
from anonscope.io.figures import typed
from anonscope.operations.read import Data
from anonscope.risk.policy import Policy, Rule, load, preset_names
from anonscope.risk.policy.exceptions import StatedException
from anonscope.risk.policy.limits import NAME as LIMITS
from anonscope.risk.policy.limits import untightened
from anonscope.transform.release.formulas import taken_for_formulas

# What stands where a person must say something.
REASON = "REASON"


def command(
    data: Data,
    verb: str,
    policy: Policy,
    options: Sequence[str],
    *,
    roles: Roles | None = None,
    person: str | None = None,
    output: str | None = None,
) -> str:
    """Return `anonscope VERB SOURCE` with the roles and words of an open table, the policy, further options and where it goes to.

    `person` is a direct identifier that is to be named as the person instead. Without an `output` it is a file that does not exist yet,
    delimited text unless the name of a column would be taken for a formula there.
    """
    named = _roles(data, roles, person)
    parts = ["anonscope", verb, *_source(data), *named, *_words(data), *_judged_by(policy), *options]
    return shlex.join([without_credentials(part) for part in [*parts, "-o", output or free_name(f"release{ending_of(data, roles)}")]])


def named_as_formulas(data: Data, roles: Roles | None = None) -> list[str]:
    """Return the columns of a release whose names office programs take for formulas: no delimited text is written with them."""
    dropped = (roles or data.roles).direct_identifiers
    return taken_for_formulas([column for column in data.columns if column not in dropped])


def ending_of(data: Data, roles: Roles | None = None) -> str:
    """Return the format of a release that can be written as its columns are called."""
    return ".parquet" if named_as_formulas(data, roles) else ".csv"


def opened_by(data: Data) -> list[str]:
    """Return the words that open a table with its roles and what was said of its columns, for a command that knows no population.

    Nor does it take proposals: roles that were accepted are named one by one.
    """
    accepted = data.suggestion is not None and not isinstance(data.said.get("roles"), str | Path)
    roles = _roles(data, data.roles if accepted else None, None)
    return [without_credentials(part) for part in [*_source(data, without=("population",)), *roles, *_words(data)]]


def free_name(name: str) -> str:
    """Return a name, or the first of NAME-2, NAME-3, ... where there is neither a file nor what belongs to one."""
    stem, suffix = Path(name).stem, Path(name).suffix
    names = chain([name], (f"{stem}-{number}{suffix}" for number in count(2)))
    return next(name for name in names if not any(Path(f"{name}{beside}").exists() for beside in ("", ".archive", ".manifest.json")))


def _judged_by(policy: Policy) -> list[str]:
    """Return the policy or the limits, each once; limits beside a policy are what its own rules do not say."""
    name, rules = untightened(policy.name), policy.rules
    if name == LIMITS and policy.file is None:
        return [part for rule in rules for part in ("--limit", _limit(rule))]
    named = ["--policy", policy.file or name]
    if name == policy.name:
        return named
    own = load(policy.file or name).rules if policy.file is not None or name in preset_names() else ()
    return [*named, *(part for rule in rules if rule not in own for part in ("--limit", _limit(rule)))]


def _limit(rule: Rule) -> str:
    detail = f":{rule.threshold or rule.variant}" if rule.threshold or rule.variant else ""
    return f"{rule.metric}{detail}={typed(rule.limit)}"


def levels_of(levels: Mapping[str, int]) -> list[str]:
    """Return the options that fix levels."""
    return [part for column, level in levels.items() for part in ("--level", f"{column}={level}")]


def excepted(exceptions: Sequence[StatedException]) -> list[str]:
    """Return the options that state exceptions; the reason is for a person to say."""
    return [part for e in exceptions for part in ("--except", f"{e.what}={e.reason}")]


def _source(data: Data, without: Collection[str] = ()) -> list[str]:
    said = data.said
    source = str(said.get("source", data.path or "SOURCE")) if isinstance(said.get("source"), str | Path) else str(data.path or "SOURCE")
    options = {
        "table": "--table",
        "format": "--input-format",
        "delimiter": "--delimiter",
        "quote": "--quote",
        "encoding": "--encoding",
        "sheet": "--sheet",
        "rows": "--rows",
        "population": "--population",
        "engine": "--engine",
    }
    found = [source]
    for key, option in options.items():
        if said.get(key) is not None and key not in without:
            found += [option, str(said[key])]
    if said.get("header") is not None:
        found.append("--header" if said["header"] else "--no-header")
    return found


def _roles(data: Data, changed: Roles | None, person: str | None) -> list[str]:
    """Return how the roles were said: by a file, by a suggestion that was accepted, or one by one."""
    said = data.said

    def listed(roles: Roles) -> list[str]:
        if person is None:
            return _listed(roles)
        direct = tuple(column for column in roles.direct_identifiers if column != person)
        return _listed(replace(roles, direct_identifiers=direct, person=person))

    if changed is None and data.suggestion is not None and not isinstance(said.get("roles"), str | Path):
        return ["--accept-suggestions", *listed(data.asked_roles)]
    if changed is None and isinstance(said.get("roles"), str | Path):
        return ["--roles", str(said["roles"]), *listed(data.asked_roles)]
    return listed(changed or data.roles)


def _listed(roles: Roles) -> list[str]:
    found: list[str] = []
    for option, columns in (
        ("-q", roles.quasi_identifiers),
        ("-s", roles.sensitive),
        ("-d", roles.direct_identifiers),
        ("-i", roles.insensitive),
    ):
        found += [part for column in columns for part in (option, column)]
    for option, single in (("-p", roles.person), ("--household", roles.household), ("-w", roles.weight)):
        found += [option, single] if single is not None else []
    for scenario in roles.scenarios:
        found += ["--scenario", f"{scenario.name}={','.join(scenario.quasi_identifiers)}"]
    for column, distance in roles.distance.items():
        found += [f"--{distance}", column] if distance in ("ordered", "equal") else []
    for column, path in roles.hierarchies.items():
        found += ["--hierarchy", f"{column}={path}"]
    return found


def _words(data: Data) -> list[str]:
    found = [part for column, reason in data.acknowledged.columns.items() for part in ("--acknowledge", f"{column}={reason}")]
    return [*found, *(["--acknowledge-rest", data.acknowledged.rest] if data.acknowledged.rest is not None else [])]
