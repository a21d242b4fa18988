"""Fragments put together again by the columns that they share, as whoever gets them would, and judged by the policy of the table.

A row whose shared values few others have is paired with its other halves by them alone. Where fewer people share them than the policy
wants in a group, a guess of which rows belong together is better than a guess within a group may be. The fragments are then as good as
one table, and must keep the policy as one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anonscope.attacks.together import FragmentsTogether, told_apart
from anonscope.columns.roles import Roles, left_of
from anonscope.errors import shown
from anonscope.io.figures import decimals, per_cent
from anonscope.io.rounding import rounded
from anonscope.operations.anonymise import Anonymisation
from anonscope.operations.apply import Release
from anonscope.operations.audit import audit
from anonscope.operations.publishing.judging import reasons
from anonscope.operations.read import Data, engine_limits, read
from anonscope.operations.split import Split
from anonscope.risk.counting.arrays import Integers
from anonscope.risk.counting.columns import CodedColumn, numbered, read_columns
from anonscope.risk.counting.grouping import distinct
from anonscope.risk.policy import Policy

_STAR = "*"
# One is no group, whatever a policy says.
_LEAST = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedFragments:
    """What a join by shared columns finds: the fewest people whom shared values leave, how many have too few, and what then breaks."""

    columns: tuple[str, ...]
    wanted: int  # people of the smallest group that the policy accepts
    k: int  # the fewest people with the same shared values
    records: int
    linkable: int  # records whose shared values fewer people have than that
    expected: float  # records paired rightly, if whoever has several to choose from guesses
    remaining: tuple[str, ...]  # limits that the joined table breaks; nothing where too few can be joined
    without: str  # what to leave out of the command

    @property
    def refused(self) -> bool:
        """Whether the fragments may not be released, because joined they break the policy."""
        return bool(self.remaining)

    @property
    def sentence(self) -> str:
        """What a join does, with a way that works."""
        names = ", ".join(map(shown, self.columns)) + (", which is a key" if self.linkable == self.records else "")
        return (
            f"All fragments have {names}: joined by it, {decimals(self.expected, 0)} of {self.records:,} rows "
            f"({per_cent(self.expected / self.records)}) are paired rightly, and the joined table breaks the policy: "
            f"{'; '.join(self.remaining)}. Nothing was written. Leave it out of what fragments share: run the same command {self.without}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain data."""
        return {
            "columns": list(self.columns),
            "k": self.k,
            "wanted": self.wanted,
            "records": self.records,
            "linkable": self.linkable,
            "expected_pairs": rounded(self.expected),
            "remaining": list(self.remaining),
        }


def put_together(data: Data, parts: Sequence[Anonymisation]) -> FragmentsTogether:
    """Return how far the released values of all fragments tell people apart; all fragments have the same records in one order."""
    person = () if data.roles.person is None else (data.roles.person,)
    columns: dict[str, CodedColumn] = {}
    for i, part in enumerate(parts):
        names = [ladder.column for ladder in part.columns]
        with _release(part).read() as left:
            # A column that is common to all fragments is another one in each.
            columns |= {f"{i}.{name}": column for name, column in read_columns(left.engine, left.relation, names).items()}
    whose = read_columns(data.engine, data.relation, person, data.rows) if person else {}
    found = told_apart(tuple(columns), columns | whose, person)
    return replace(found, columns=tuple(dict.fromkeys(name.partition(".")[2] for name in found.columns)))


def joined_by_what_they_share(data: Data, policy: Policy, split: Split, parts: Sequence[Anonymisation]) -> JoinedFragments | None:
    """Return what a join of fragments by their shared columns finds; None where they share none.

    The parts have the same records in one order still, so who is paired rightly is known.
    """
    names = split.shared(len(parts))
    if not names:
        return None
    wanted = max(policy.class_size, _LEAST)
    person = data.roles.person
    whose = read_columns(data.engine, data.relation, [person], data.rows)[person] if person is not None else None
    sizes = np.min([_candidates(_release(part), names, data.roles, whose) for part in parts], axis=0)
    linkable = int((sizes < wanted).sum())
    return JoinedFragments(
        columns=names,
        wanted=wanted,
        k=int(sizes.min()),
        records=len(sizes),
        linkable=linkable,
        expected=float((1 / sizes).sum()),
        remaining=tuple(_broken(data, policy, parts)) if linkable else (),
        without=_without(split, names),
    )


def _release(part: Anonymisation) -> Release:
    assert part.release is not None, "what is met is released"
    return part.release


def _candidates(release: Release, names: Sequence[str], roles: Roles, whose: CodedColumn | None) -> Integers:
    """Return, for every record of a fragment, how many people at least have values that go with its shared ones.

    Everybody with the same released values does, whatever the other fragments made of theirs. A suppressed value goes with any.
    """
    with release.read() as left:
        columns = read_columns(left.engine, left.relation, names)
    people = _people(columns, names, whose)
    recoded = [name for name in names if name in roles.attributes]
    kept = [name for name in names if name not in recoded]
    suppressed = np.zeros(len(people), dtype=bool)
    for name in recoded:
        starred = [code for code, value in enumerate(columns[name].values) if value == _STAR]
        suppressed |= np.isin(columns[name].codes, starred)
    return np.where(suppressed, _people(columns, kept, whose, len(people)), people)


def _people(columns: Mapping[str, CodedColumn], names: Sequence[str], whose: CodedColumn | None, records: int = 0) -> Integers:
    """Return how many people have the values of every record."""
    number, count = (
        numbered([columns[name].codes for name in names], [len(columns[name].values) for name in names])
        if names
        else (np.zeros(records, dtype=np.int64), 1)
    )
    if whose is None:
        return np.bincount(number, minlength=count)[number]
    classes, _, _ = distinct(number, count, whose.codes.astype(np.int64), len(whose.values), np.ones(len(number)))
    return np.bincount(classes, minlength=count)[number]


def _broken(data: Data, policy: Policy, parts: Sequence[Anonymisation]) -> list[str]:
    """Return what the fragments break as one table, row by row."""
    import pyarrow as pa

    joined: dict[str, Any] = {}
    again: list[str] = []
    for number, part in enumerate(parts, start=1):
        made = _release(part).table
        for name in made.column_names:
            if name not in joined:
                joined[name] = made.column(name)
            elif name in data.roles.attributes:
                # A common column is recoded in every fragment by itself, and each says something.
                again.append(f"{name} (fragment {number})")
                joined[again[-1]] = made.column(name)
    roles = left_of(data.roles, list(joined))
    roles = replace(roles, quasi_identifiers=(*roles.quasi_identifiers, *again)) if again else roles
    with read(pa.table(joined), roles=roles, **engine_limits(data)) as table:
        table.acknowledged = data.acknowledged.left_of(tuple(joined))
        table.perturbed, table.privacy_loss = _release(parts[0]).perturbed, _release(parts[0]).privacy_loss
        verdict = audit(table, policy).verdict
    return [] if verdict.met else list(reasons(verdict)) or ["it may not be released as one table"]


def _without(split: Split, names: Sequence[str]) -> str:
    """Return which columns a command must not share, and what to say instead, with its options in brackets."""
    left = [f"{shown(c)} as a common column (--common)" for c in split.common if c in names]
    if split.target in names:
        left.append(f"{shown(split.target or '')} as the target (--target)")
    secrets = split.sensitive_in == "all" and set(split.data.roles.sensitive) & set(names)
    one = ["with the sensitive attributes in one fragment (--sensitive-in 1)"] if secrets else []
    return " and ".join([*([f"without {' and '.join(left)}"] if left else []), *one])
