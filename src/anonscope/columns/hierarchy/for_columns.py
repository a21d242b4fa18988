"""A hierarchy for every column that is to be coarsened: the one that was given, else one made from the data."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from anonscope.columns.hierarchy import Hierarchy, read_hierarchy
from anonscope.columns.hierarchy.automatic import Meaning, automatic
from anonscope.columns.hierarchy.company import company
from anonscope.columns.hierarchy.icd10 import are_icd10
from anonscope.columns.roles import Roles
from anonscope.columns.suggestion.clues import Clues
from anonscope.columns.suggestion.combine import kind_of
from anonscope.columns.suggestion.propose import look
from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.errors import ColumnNotFound, EngineError, HierarchyError, shown
from anonscope.io.sources import Relation

# Whole numbers in columns about these are names, so that the number next to one is not like it.
_NAMED = frozenset(
    (
        *("sex", "race", "marital_status", "nationality", "language", "veteran", "occupation", "institution", "housing"),
        *("disability", "care_pathway", "report_source", "diagnosis", "treatment", "sex_life", "belief", "crime"),
    )
)
_AREAS = ("small_area", "large_area")
_POSTCODE = frozenset(("zip", "zipcode", "postcode", "postal", "plz", "postleitzahl"))
# Whole numbers in columns about small areas are codes if they are equally long, and not short.
_SHORTEST_CODE = 3


# Kinds of columns whose values are grouped by what their records are like, and how many values they then have.
_GROUPED = ("category", "code", "ordinal")
_ALIKE = range(4, 10_000)
# Another engine does not look at what records are like.
_ALONE = " Rare categories were joined by their counts alone here; on DuckDB they may be joined otherwise."
# Values of one column, each of which has a place in a hierarchy or among the sensitive ones.
MOST_VALUES = 1_000_000


class _Values(NamedTuple):
    texts: tuple[str, ...]
    records: tuple[int, ...]

    def and_further(self, texts: Iterable[str | None]) -> "_Values":
        """Return these values, and those that no record has, in their order."""
        counts = {text: 0 for text in texts if text is not None} | dict(zip(self.texts, self.records, strict=True))
        return _Values(tuple(sorted(counts)), tuple(counts[text] for text in sorted(counts))) if len(counts) > len(self.texts) else self


def hierarchies_for(
    engine: Engine,
    relation: Relation,
    columns: Sequence[str],
    given: Mapping[str, str | Path | Hierarchy] | None = None,
    rows: int | None = None,
    *,
    sensitive: Sequence[str] = (),
    further: Mapping[str, Sequence[str | None]] | None = None,
) -> dict[str, Hierarchy]:
    """Return a hierarchy for each of these columns; one that was given must cover all values of its column.

    Rare values are grouped by what their records are like in the other columns; those that are `sensitive` have no say in that.
    `further` are values of a population, which a hierarchy that is made covers too. No record has them, so nobody can say what their
    records are like: a column with some is not grouped by that.
    """
    if unknown := [name for name in columns if name not in relation.names]:
        raise ColumnNotFound(unknown[0], relation.names)
    # What is wrong with a file is said before the table is read.
    known = {name: _opened(hierarchy, name) for name, hierarchy in (given or {}).items() if name in columns}
    found: dict[str, Hierarchy] = {}
    asked = tuple(dict.fromkeys(columns))
    looked: dict[str, tuple[_Values, str, Meaning | None]] = {}
    for clue in look(engine, relation, asked, rows=rows) if columns else ():
        column = relation.columns[relation.position(clue.profile.name)]
        # Nested values cannot be counted, which this says.
        canonical("v", column.type, column.name)
        check_values(engine, column.name, clue.profile.values)
        values = _values(engine)
        if column.name in known:
            found[column.name] = known[column.name]
            check_coverage(column.name, found[column.name], values.texts)
            looked[column.name] = (values, "given", None)
        else:
            looked[column.name] = (values, *_treated(clue, values))
    grouped = {column: values.texts for column, (values, kind, _) in looked.items() if kind in _GROUPED and len(values.texts) in _ALIKE}
    values_of = {column: len(values.texts) for column, (values, _, _) in looked.items() if column not in sensitive}
    beside = company(engine, relation, asked, grouped, values_of)
    for name, (values, kind, meaning) in looked.items():
        if name not in known:
            everybody = values.and_further((further or {}).get(name, ()))
            found[name] = automatic(name, *everybody, kind, meaning, beside.get(name) if everybody is values else None)
    return {name: found[name] for name in asked if name in found}


def hierarchies_for_roles(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    given: Mapping[str, str | Path | Hierarchy],
    rows: int | None = None,
    further: Mapping[str, Sequence[str | None]] | None = None,
) -> dict[str, Hierarchy]:
    """Return the hierarchies of all quasi-identifiers, `further` values of a population covered, and of sensitive attributes the given."""
    found = hierarchies_for(engine, relation, roles.attributes, given, rows, further=further)
    return found | {column: _opened(given[column], column) for column in roles.sensitive if column in given}


def made_from_data(columns: Sequence[str], *, remote: bool) -> str:
    """Return what a reader must know of hierarchies that nobody gave; `remote` is whether another engine than DuckDB holds the table."""
    one = len(columns) == 1
    what = "it was made from the data. Look at it: it decides" if one else "they were made from the data. Look at them: they decide"
    return f"No hierarchy was given for {', '.join(columns)}; {what} what is kept.{_ALONE if remote else ''}"


def check_coverage(column: str, hierarchy: Hierarchy, values: Sequence[str]) -> None:
    """Raise unless a hierarchy has a row for every value; the message has their number, and none of them."""
    if uncovered := hierarchy.uncovered(values):
        raise HierarchyError(
            f"The hierarchy {shown(hierarchy.name)} does not cover {uncovered:,} of the {len(values):,} values of column {shown(column)}. "
            "Add a line for each, written exactly as in the table."
        )


def _opened(given: str | Path | Hierarchy, column: str) -> Hierarchy:
    return given if isinstance(given, Hierarchy) else read_hierarchy(given, column)


def _values(engine: Engine) -> _Values:
    counted = engine.rows("SELECT v, CAST(SUM(n) AS BIGINT) AS n FROM counted WHERE v IS NOT NULL GROUP BY v ORDER BY v")
    return _Values(tuple(v for v, _ in counted), tuple(int(n) for _, n in counted))


def _treated(clue: Clues, values: _Values) -> tuple[str, Meaning | None]:
    """Return the kind of a column as far as coarsening goes, and what its values are if there is a ladder for just that."""
    kind: str = kind_of(clue)
    about = clue.meaning.concept.name if clue.meaning is not None else None
    if about == "age":
        return kind, "age"
    if about == "small_area" and _POSTCODE & set(clue.words):
        return kind, "postcode"
    if about == "diagnosis" and are_icd10(values.texts):
        return kind, "icd-10"
    if kind == "ordinal" and about in _AREAS:
        # Two numbers with a hyphen are a band elsewhere.
        return "code", None
    if kind == "integer" and about == "small_area":
        lengths = set(map(len, values.texts))
        return ("code" if len(lengths) == 1 and min(lengths) >= _SHORTEST_CODE else "category"), None
    if clue.type.kind == "integer" and about == "large_area":
        # The numbers of states and regions have no common beginnings, even where their column is called a code.
        return "category", None
    return ("category" if kind == "integer" and about in _NAMED else kind), None


def check_values(engine: Engine, column: str, different: int) -> None:
    """Raise if a column has more values than are looked at one by one."""
    if engine.remote and different > MOST_VALUES:
        raise EngineError(
            f"Column {shown(column)} has {different:,} different values, and no more than {MOST_VALUES:,} of a column are fetched from "
            f"{engine.title} to give each its place. Coarsen the column by a recipe first: round numbers, cut codes, generalise dates."
        )
