"""Single values are withheld: those that are listed, those that few records have, or those of records that another column singles out.

ISO/IEC 20889, local suppression; R. Aufschläger et al. (2023), section 4.3 and figure 4: to suppress a number, * may be a statistic of its
column. Such a number is made up, and nobody can tell it from one that was there.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar

from anonscope.columns.images import EVERYTHING, Everything, Exactly, Image
from anonscope.errors import shown
from anonscope.transform.steps.suppress_column import Statistic, SuppressColumn
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import AnyValueTransformation, Effect, check_types, whole


@dataclass(frozen=True, slots=True, kw_only=True)
class SuppressCells(AnyValueTransformation):
    """Replace values of a column by `*` where a rule says so: listed `values`, those in fewer than `below` records, some records only."""

    name: ClassVar[str] = "suppress_cells"
    title: ClassVar[str] = "Suppress cells"
    standard: ClassVar[str] = "local suppression"
    effect: ClassVar[Effect] = "suppression"

    values: tuple[str, ...] = ()
    below: int | None = None
    where: str = ""
    where_values: tuple[str, ...] = ()
    missing: bool = False  # release a missing value instead of *
    statistic: Statistic = ""  # of the whole column, instead of *

    def __post_init__(self) -> None:
        check_types(type(self), {f.name: getattr(self, f.name) for f in fields(self)})
        AnyValueTransformation.__post_init__(self)
        if not self.values and self.below is None and not self.where:
            raise self.fail("values, below or where must say which cells are suppressed")
        if self.below is not None:
            whole(self, "below", self.below, 2)
        if self.statistic and self.missing:
            raise self.fail("a suppressed cell is missing or says a statistic, not both")
        if self.statistic:
            self._whole  # noqa: B018 (it is refused where there is no such statistic)
        if bool(self.where) != bool(self.where_values):
            raise self.fail("where names a column, and where_values lists what it has in the records that are meant: give both")

    @property
    def words(self) -> str:
        return f"suppress cells of {shown(self.column)}"

    @property
    def perturbative(self) -> bool:
        # A statistic looks like a value, and groups of equal values no longer mean what they say.
        return bool(self.statistic)

    @property
    def _whole(self) -> SuppressColumn:
        return SuppressColumn(column=self.column, statistic=self.statistic)

    def mixes(self, column: str) -> bool:
        return column == self.where or (column == self.column and (self.below is not None or bool(self.statistic)))

    def expression(self, table: Table) -> Expression:
        text = table.text(self.column)
        rules = [_among(table, "listed", text, self.values)] if self.values else []
        if self.below is not None:
            rules.append(f"NOT {self._frequent(table, text, self.below)}")
        met = f"({' OR '.join(rules)})" if rules else "TRUE"
        if self.where:
            met += f" AND {_among(table, 'meant', table.text(self.where), self.where_values)}"
        place, kind = table.at(self.column)
        if self.statistic:
            told = self._whole.expression(table)
            kept = place if told.type == kind else text if told.type == "VARCHAR" else f"CAST({place} AS {told.type})"
            return replace(told, sql=f"CASE WHEN {met} THEN {told.sql} ELSE {kept} END")
        if self.missing:
            return Expression(f"CASE WHEN {met} THEN NULL ELSE {place} END", kind)
        return Expression(f"CASE WHEN {met} THEN '{EVERYTHING}' ELSE {text} END", "VARCHAR")

    def _frequent(self, table: Table, text: str, below: int) -> str:
        """Return the SQL that tells whether a text is not rare."""
        counted = f"SELECT v FROM (SELECT {text} AS v FROM {table.origin}) AS t WHERE v IS NOT NULL GROUP BY v HAVING COUNT(*) >= {below}"
        if table.engine.remote:
            # They stay where they are, as there may be many; a record meets its own by a join.
            name = f"frequent_{table.made + 1}"
            table.engine.materialise(name, counted)
            return f"((SELECT MAX(l.v) FROM {name} AS l WHERE l.v = {text}) IS NOT NULL)"
        # In an order of their own, because the engine's changes with its threads.
        return _among(table, "frequent", text, sorted(table.engine.batches(counted).read_all().column(0).to_pylist()))

    def image(self, column: str, released: str | None) -> Image:
        if column == self.column and self.missing and released is None:
            return Everything()
        if column == self.column and self.statistic and released is not None:
            return Everything()
        return AnyValueTransformation.image(self, column, released)

    def image_of(self, released: str) -> Image:
        return Everything() if released == EVERYTHING else Exactly(released)


def _among(table: Table, name: str, text: str, values: Sequence[str]) -> str:
    """Return the SQL that tells whether a text is one of these; looked up, because IN may cost the records their order."""
    return f"({table.engine.lookup(f'{name}_{table.made + 1}', text, dict.fromkeys(values, ''))} IS NOT NULL)"
