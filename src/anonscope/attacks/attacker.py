"""What an attacker knows, as data: columns, how exactly, of how many people, what they take for likely, and how likely they try.

The scenarios of a roles file are attackers who know their columns exactly. A file of attackers says more:

    schema = "anonscope/attackers/1"

    [[attackers]]
    name = "neighbour"
    columns = ["age", "sex", "zip"]
    within = { age = 2 }        # known to within two years
    wrong = { zip = 0.1 }       # one in ten is wrong
    known = 0.5                 # of half of the people
    attempt = 0.2               # and one in five is ever looked for
    prior = "census.csv"        # what is likely before the release is seen
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from anonscope.attacks.people import Attacked, People, chances, column_salt, marked
from anonscope.columns.roles import Roles
from anonscope.errors import AttackError, shown
from anonscope.io.toml_file import TomlFile, read_toml

SCHEMA = "anonscope/attackers/1"
_KEYS = ("name", "columns", "within", "wrong", "known", "attempt", "prior")
_SALTS = 65521  # by which draws of one column are told from those of another


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacker:
    """Somebody with a table of their own: which columns, within which reach, how often wrong, of which share of people."""

    name: str
    columns: tuple[str, ...]
    within: Mapping[str, float] = field(default_factory=dict)
    wrong: Mapping[str, float] = field(default_factory=dict)
    known: float = 1.0
    attempt: float = 1.0
    prior: str | None = None

    def __post_init__(self) -> None:
        for title, number in (("known", self.known), ("attempt", self.attempt)):
            if not 0 < number <= 1:
                raise AttackError(f"Attacker {shown(self.name)}: {title} is a share above 0 and at most 1, not {number:g}.")
        for title, table in (("within", self.within), ("wrong", self.wrong)):
            for column, number in table.items():
                if column not in self.columns:
                    raise AttackError(f"Attacker {shown(self.name)}: {title} names {shown(column)}, which is not among the known columns.")
                if not isfinite(number) or number < 0 or (title == "wrong" and number >= 1):
                    limit = "a share from 0 to below 1" if title == "wrong" else "a number that is not negative"
                    raise AttackError(f"Attacker {shown(self.name)}: {title} of {shown(column)} is {limit}, not {number:g}.")

    @property
    def chance(self) -> float:
        """How likely somebody is known to the attacker, and is looked for."""
        return self.known * self.attempt

    @property
    def exact(self) -> bool:
        return not any(self.within.values()) and not any(self.wrong.values())


def attackers_of(roles: Roles) -> tuple[Attacker, ...]:
    """Return the scenarios of roles as attackers who know everything exactly."""
    return tuple(Attacker(name=scenario.name, columns=tuple(scenario.quasi_identifiers)) for scenario in roles.attackers)


def load_attackers(path: str | Path) -> tuple[Attacker, ...]:
    """Read a file of attackers."""
    file = Path(path)
    document = read_toml(file, AttackError)
    content = document.described_by(SCHEMA)
    entries = content.pop("attackers", None)
    for key in content:
        raise document.fail("no such key; known are schema, attackers", key)
    if not isinstance(entries, list) or not entries:
        raise document.fail("there must be at least one; write [[attackers]], a name and columns", "attackers")
    found = tuple(_attacker(document, i, entry, file.parent) for i, entry in enumerate(entries))
    names = [attacker.name for attacker in found]
    if len(set(names)) < len(names):
        raise document.fail("two attackers have the same name", "attackers")
    return found


def fitting(attacker: Attacker, attacked: Attacked) -> Attacker:
    """Return the attacker with those known columns that release and people have; raise where a reach is about words."""
    columns = tuple(name for name in attacker.columns if name in attacked.columns)
    for name, reach in attacker.within.items():
        if name in columns and reach and not attacked.numeric(name) and not _days(attacked, name):
            raise AttackError(
                f"Attacker {shown(attacker.name)}: {shown(name)} does not hold numbers or days, so nothing is near it within {reach:g}."
            )
    within = {name: reach for name, reach in attacker.within.items() if name in columns and reach}
    wrong = {name: share for name, share in attacker.wrong.items() if name in columns and share}
    return replace(attacker, columns=columns, within=within, wrong=wrong)


def as_known(attacker: Attacker, attacked: Attacked, people: People, salt: int = 0) -> People:
    """Return what the attacker believes of people: numbers off by up to the reach, some values those of somebody else."""
    codes = dict(people.codes)
    for column, reach in attacker.within.items():
        numbers = attacked.numbers(column)
        if np.isnan(numbers[1:]).any():
            continue
        own = column_salt(people.codes[column]) % _SALTS
        drawn = chances(marked(people.codes, people.records, attacked.seed, 101 + salt + own))
        order = np.argsort(numbers[1:], kind="stable")
        wanted = numbers[codes[column]] + (2 * drawn - 1) * reach
        place = np.clip(np.searchsorted(numbers[1:][order], wanted), 0, len(order) - 1)
        nearest = order[place] + 1
        within = np.abs(numbers[nearest] - numbers[codes[column]]) <= reach
        codes[column] = np.where((codes[column] > 0) & within, nearest, codes[column])
    for column, share in attacker.wrong.items():
        own = column_salt(people.codes[column]) % _SALTS
        drawn = chances(marked(people.codes, people.records, attacked.seed, 211 + salt + own))
        # The value of somebody in the original, drawn by where it stands among all of them in order of their values.
        other = np.sort(attacked.original.codes[column])
        which = chances(marked(people.codes, people.records, attacked.seed, 307 + salt + own))
        codes[column] = np.where(drawn < share, other[(which * len(other)).astype(np.int64)], codes[column])
    return replace(people, codes=codes)


def _attacker(document: TomlFile, place: int, content: Any, folder: Path) -> Attacker:
    def fail(problem: str, key: str) -> Exception:
        return document.fail(problem, f"attackers.{key}", entry=place)

    if not isinstance(content, dict):
        raise document.fail("must be a table with a name and columns", "attackers")
    for key in content:
        if key not in _KEYS:
            raise fail(f"no such key; known are {', '.join(_KEYS)}", key)
    name, columns = content.get("name"), content.get("columns")
    if not isinstance(name, str) or not name.strip():
        raise fail("must be text", "name")
    if not isinstance(columns, list) or not columns or not all(isinstance(column, str) for column in columns):
        raise fail('must be a list of column names, such as ["age", "sex"]', "columns")
    for key in ("within", "wrong"):
        table = content.get(key, {})
        if not isinstance(table, dict) or not all(isinstance(x, int | float) and not isinstance(x, bool) for x in table.values()):
            raise fail("must be a table of columns and numbers, such as { age = 2 }", key)
    for key in ("known", "attempt"):
        if isinstance(content.get(key, 1), bool) or not isinstance(content.get(key, 1), int | float):
            raise fail("must be a number", key)
    prior = content.get("prior")
    if prior is not None and not isinstance(prior, str):
        raise fail("must be the name of a file, in quotes", "prior")
    return Attacker(
        name=name,
        columns=tuple(dict.fromkeys(columns)),
        within=content.get("within", {}),
        wrong=content.get("wrong", {}),
        known=content.get("known", 1.0),
        attempt=content.get("attempt", 1.0),
        prior=str(folder / prior) if prior is not None else None,
    )


def _days(attacked: Attacked, column: str) -> bool:
    texts: Sequence[str | None] = attacked.values[column][1:]
    return bool(texts) and all(text is not None and len(text) >= 10 and text[4:5] == "-" and text[7:8] == "-" for text in texts)
