"""Records in small classes are withheld, so that every class that is left is large enough.

Tuple suppression: R. Aufschläger et al. (2023), section 4.3; ISO/IEC 20889, record suppression.
"""

from dataclasses import dataclass, fields, replace
from typing import ClassVar, Literal

from anonscope.columns.images import EVERYTHING, Everything, Exactly, Image
from anonscope.errors import RecipeError, shown
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import Effect, Transformation, check_types, listed, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressRecords(Transformation):
    """Drop the records whose class over the quasi-identifiers is smaller than `k`, or keep them with every quasi-identifier `*`."""

    name: ClassVar[str] = "suppress_records"
    title: ClassVar[str] = "Suppress records"
    standard: ClassVar[str] = "record suppression"
    effect: ClassVar[Effect] = "suppression"

    quasi_identifiers: tuple[str, ...]
    k: int
    person: str = ""
    suppressed: Literal["drop", "keep"] = "drop"

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        if not self.quasi_identifiers or not all(self.quasi_identifiers):
            raise self.fail("quasi_identifiers must name at least one column")
        if len(set(self.quasi_identifiers)) < len(self.quasi_identifiers):
            raise self.fail("quasi_identifiers must name every column once")
        whole(self, "k", self.k, 2)
        if self.person in self.quasi_identifiers:
            raise self.fail("person must name a column that is no quasi-identifier")
        if self.suppressed not in ("drop", "keep"):
            raise self.fail("suppressed must be one of drop, keep")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.quasi_identifiers if self.suppressed == "keep" else ()

    @property
    def words(self) -> str:
        what = "drop records" if self.suppressed == "drop" else "suppress the quasi-identifiers of records"
        return f"{what} in classes below {self.k:,} over {listed(self.quasi_identifiers)}"

    def mixes(self, column: str) -> bool:
        return column in (*self.quasi_identifiers, self.person)

    def apply(self, table: Table) -> Table:
        self._check_size(table)
        stored = table.stored()
        flagged = self._joined(stored) if table.engine.remote else self._beside(stored)
        if self.suppressed == "drop":
            return replace(flagged, origin=f"(SELECT * FROM {flagged.origin} WHERE kept) AS j", shortened=True).assigned({})
        self._check_suppressed(flagged)
        return flagged.assigned(
            {
                column: Expression(f"CASE WHEN kept THEN {flagged.text(column)} ELSE '{EVERYTHING}' END", "VARCHAR")
                for column in self.quasi_identifiers
            }
        )

    def _beside(self, table: Table) -> Table:
        """Return a stored table with, beside every record, whether it is kept."""
        name = f"arrow_source_small_{table.made}"
        table.engine.register(name, table.engine.batches(self._flagged(table)).read_all())
        return replace(table, origin=table.engine.beside(table.origin, name))

    def _joined(self, table: Table) -> Table:
        """Return the same where records have no order: a record meets its class if that is large enough, of which there are fewest."""
        name = f"large_{table.made}"
        keys = ", ".join(f"{table.text(column)} AS q{i}" for i, column in enumerate(self.quasi_identifiers))
        classes = ", ".join(f"q{i}" for i in range(len(self.quasi_identifiers)))
        counted = f"SELECT DISTINCT {keys}, {table.text(self.person)} AS p" if self.person else f"SELECT {keys}"
        sizes = f"SELECT {classes}, COUNT(*) AS n FROM ({counted} FROM {table.origin}) AS t GROUP BY {classes} HAVING COUNT(*) >= {self.k}"
        table.engine.materialise(name, sizes)
        # No window, because one very large class would be brought to one worker.
        met = " AND ".join(f"{table.text(column)} IS NOT DISTINCT FROM g.q{i}" for i, column in enumerate(self.quasi_identifiers))
        joined = f"(SELECT t.*, g.n IS NOT NULL AS kept FROM {table.origin} AS t LEFT JOIN {name} AS g ON {met}) AS f"
        return replace(table, origin=joined)

    def _flagged(self, table: Table) -> str:
        """Return the SELECT that tells of every record, in their order, whether its class is large enough."""
        keys = ", ".join(f"{table.text(column)} AS q{i}" for i, column in enumerate(self.quasi_identifiers))
        classes = ", ".join(f"q{i}" for i in range(len(self.quasi_identifiers)))
        # Windows and no join, because a missing value equals a missing value only in a partition.
        if not self.person:
            records = f"SELECT ROW_NUMBER() OVER () AS r, {keys} FROM {table.origin}"
            size = f"COUNT(*) OVER (PARTITION BY {classes})"
        else:
            # Persons are counted by their first record in a class; a window that counts distinct values is not everywhere.
            events = f"SELECT ROW_NUMBER() OVER () AS r, {keys}, {table.text(self.person)} AS p FROM {table.origin}"
            first = f"CASE WHEN ROW_NUMBER() OVER (PARTITION BY {classes}, p ORDER BY r) = 1 THEN 1 ELSE 0 END"
            records = f"SELECT r, {classes}, {first} AS f FROM ({events}) AS e"
            size = f"SUM(f) OVER (PARTITION BY {classes})"
        return f"SELECT n >= {self.k} AS kept FROM (SELECT r, {size} AS n FROM ({records}) AS t) AS s ORDER BY r"

    def _check_size(self, table: Table) -> None:
        for column in (*self.quasi_identifiers, *([self.person] if self.person else [])):
            table.at(column)
        counted = _distinct(table.text(self.person)) if self.person else "COUNT(*)"
        size = int(table.engine.rows(f"SELECT {counted} FROM {table.origin}")[0][0])
        if size < self.k:
            raise RecipeError(f"k is {self.k:,}, but the table has only {self._counted(size)}: every record would be suppressed.")

    def _check_suppressed(self, table: Table) -> None:
        """Raise if the suppressed records, which look all alike, are a class that is too small itself."""
        counted = _distinct(table.text(self.person)) if self.person else "COUNT(*)"
        starred = " AND ".join(f"COALESCE({table.text(column)} = '{EVERYTHING}', FALSE)" for column in self.quasi_identifiers)
        select = f"SELECT COUNT(*) FILTER (WHERE NOT kept), {counted} FROM {table.origin} WHERE NOT kept OR ({starred})"
        suppressed, size = table.engine.rows(select)[0]
        if suppressed and size < self.k:
            raise RecipeError(
                f"Only {self._counted(size)} would be suppressed, and with every quasi-identifier {EVERYTHING} they would be a class "
                f'below {self.k:,} themselves. Say suppressed = "drop".'
            )

    def _counted(self, size: int) -> str:
        if self.person:
            return f"{size:,} different value{'s' if size != 1 else ''} of {shown(self.person)}"
        return f"{size:,} record{'s' if size != 1 else ''}"

    def image(self, column: str, released: str | None) -> Image:
        if column in self.columns and released == EVERYTHING:
            return Everything()
        return Exactly(released)


def _distinct(text: str) -> str:
    """Return the SQL that counts persons; a missing id counts as one, as in an audit."""
    return f"COUNT(DISTINCT {text}) + COALESCE(MAX(CASE WHEN {text} IS NULL THEN 1 ELSE 0 END), 0)"
