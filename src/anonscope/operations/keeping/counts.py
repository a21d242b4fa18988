"""An audit of a table that comes in parts: what can be measured from counts, and what has to be said of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonscope.errors import CountsError, OptionError, shown
from anonscope.operations.keeping.folder import CountsFolder, KeptTable, open_folder
from anonscope.operations.read import Data
from anonscope.operations.wishes.policy import Keeping
from anonscope.risk.counting.kept import KeptCounts
from anonscope.risk.policy import Policy


@dataclass(frozen=True, slots=True)
class Counting:
    """Counts that go along in an audit, and whether those of its part are kept."""

    folder: CountsFolder
    kept: KeptCounts
    keeps: bool

    def finish(self, data: Data, repeated_ids: Sequence[str]) -> tuple[str, ...]:
        """Keep what was counted, if that was asked for, and return what every report says of it.

        `repeated_ids` are columns that tell that one person has several records: how many in other parts is in no count.
        """
        if repeated_ids:
            raise CountsError(
                f"Column {shown(repeated_ids[0])} tells that one person has several records, and kept counts do not tell how many in which "
                "parts. Name the person (-p COLUMN). Nothing was kept."
            )
        part, earlier, repeated = self.kept.part, self.kept.earlier, self.kept.repeated
        assert part is not None, "the audit has counted its part"
        if self.keeps and not repeated:
            self.folder.add(data.engine, self.kept)
        before = earlier.count if earlier is not None else 0
        said = []
        if repeated:
            said.append(
                f"The {part.records:,} records of this table were counted already, so they were not added: this is an audit of the "
                f"{before:,} records whose counts are kept."
            )
        elif earlier is not None:
            parts = f"{len(earlier.parts):,} earlier part{'s' if len(earlier.parts) > 1 else ''}"
            said.append(
                f"This is an audit of {before + part.records:,} records: {part.records:,} of this part, and {before:,} of {parts} whose "
                "counts were kept. A record that stands in two parts counts twice, and nobody can tell that from counts."
            )
        if self.keeps:
            said.append(
                f"Counts of {before + (0 if repeated else part.records):,} records are kept in {shown(self.folder.path.name)}. They are as "
                "secret as the data: keep the folder from others, and its key somewhere else."
            )
        return tuple(said)


def counting(data: Data, asked: Keeping, policy: Policy, **others: Any) -> Counting | None:
    """Return the counts that go along in an audit; None if none were asked for. `others` are what the audit does beside measuring."""
    path = asked.keep_counts or asked.with_counts
    if path is None:
        if asked.counts_key is not None:
            raise OptionError("A key of counts is named, but no folder of them (--keep-counts, --with-counts).")
        return None
    if asked.keep_counts is not None and asked.with_counts is not None:
        raise OptionError("Counts are kept in a folder, or taken along and the folder stays as it is: name one of the two.")
    if asked.counts_key is None:
        raise OptionError("Counts are kept with a key that lies elsewhere. Name its file (--counts-key FILE).")
    _check_countable(data, policy, others)
    table = KeptTable.of(data.columns, data.roles, data.perturbed)
    folder = open_folder(Path(path), Path(asked.counts_key), table, new=asked.keep_counts is not None)
    return Counting(folder, folder.kept(), asked.keep_counts is not None)


def _check_countable(data: Data, policy: Policy, others: dict[str, Any]) -> None:
    """Raise if counts do not tell all that an audit of this table looks at: from them nothing may be said that the table does not say."""
    roles = data.roles
    if data.engine.remote:
        raise CountsError(f"Counts are kept on this machine, and {data.engine.title} keeps the table elsewhere. Audit it there as a whole.")
    for wanted, what in (
        (data.rows is not None, "a part is counted whole (--rows)"),
        (roles.weight is not None, "survey weights are not kept"),
        (roles.household is not None, "households are not kept"),
        (data.population is not None, "a population is matched by values, which are not kept"),
        (data.privacy_loss is not None or data.guarantee is not None, "what parts of a differentially private release lose adds up"),
        (policy.checklist is not None, f"the policy {shown(policy.name)} goes through the values of all columns"),
        (bool(others.get("explain")), "reasons rest on values"),
        (others.get("attacks") is not None, "attacks need the records"),
    ):
        if wanted:
            raise CountsError(f"This cannot be audited from kept counts: {what}. Audit the whole table without them.")
    if not roles.attributes:
        raise CountsError("Counts are of quasi-identifiers, and none is named (-q COLUMN).")
    if roles.person is None:
        _check_nobody_returns(data)


def _check_nobody_returns(data: Data) -> None:
    """Raise if a column may tell that one person is in several parts: it is not counted, so that nobody would see it."""
    from anonscope.columns.suggestion.repeated import called_ids, like_ids  # late: the lexicon takes a moment to read
    from anonscope.columns.suggestion.sampled import Sample

    roles = data.roles
    measured = (*roles.attributes, *roles.sensitive)
    uncounted = [column for column in data.columns if column not in (*measured, *roles.insensitive)]
    alike = like_ids(Sample(data.engine, data.relation), measured)
    telling = uncounted + list(dict.fromkeys((*called_ids(data.columns, measured), *alike)))
    if telling:
        named = ", ".join(map(shown, telling[:5])) + (f" and {len(telling) - 5} more" if len(telling) > 5 else "")
        raise CountsError(
            f"Kept counts do not tell whether a person is in several parts, and {named} may. Name the person (-p COLUMN), say that such a "
            "column is insensitive (-i COLUMN), or leave it out of the table."
        )
