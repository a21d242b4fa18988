"""A population table beside the sample: how many people of the population share each class.

The population is encoded with the sample's dictionary. A value that the sample does not have gets a negative number of its
own, so population classes that nobody in the sample is in stay apart and are counted; text is compared once per record.

    population_source(p0.., n)          what the population shows of the quasi-identifiers, as canonical text
    population_weight(attribute, v, w)  the sample's w, or a negative number for a value unknown to the sample
    population_record(x0.., n)          people that agree on everything
For one scenario:
    population_class(q, known, n)       known is 1 where every value occurs in the sample; then q is the sample's q
    aligned(q, n, population_n)         the sample's classes in people, with the population's size of the same class
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.engines.values import canonical
from anonscope.errors import ColumnNotFound, OptionError, PopulationError, shown
from anonscope.io.sources import Relation
from anonscope.io.sources.unreadable import unreadable
from anonscope.risk.counting.encode import Layout


@dataclass(frozen=True, slots=True)
class CountedPopulation:
    """A population table that was read: which quasi-identifiers it knows, in the order of its columns."""

    name: str
    attributes: tuple[str, ...]

    def lacks(self, columns: tuple[str, ...]) -> tuple[str, ...]:
        """Return the quasi-identifiers that it has no column for."""
        return tuple(column for column in columns if column not in self.attributes)


DEFAULT_THRESHOLD = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """What came of holding a release against another table, whose values its labels stand for: a linkage in numbers."""

    name: str
    kind: Literal["population", "external"]
    columns: tuple[str, ...]  # of the release, by which it was linked
    lacking: tuple[str, ...]  # quasi-identifiers that the other table has no column for
    people: Mapping[int, int]  # released records by how many people of the other table each may be
    short: int  # released records in classes that have more members than the other table has people whom they may be
    undecided: int  # released records with a label that nothing explains, so that whom they may be is not known
    fewest_released: int | None  # released records that somebody of the other table may be, at the least; None if nobody is found


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What is known of the world outside the table."""

    population: CountedPopulation | None = None
    sampling_fraction: float | None = None
    population_size: int | None = None
    matched: tuple[Matched, ...] = ()

    @property
    def given(self) -> frozenset[Literal["population", "external"]]:
        """What a rule may have waited for."""
        counted: set[Literal["population", "external"]] = {"population"} if self.population is not None else set()
        return frozenset(counted | {found.kind for found in self.matched})

    def __post_init__(self) -> None:
        if self.sampling_fraction is not None and self.population_size is not None:
            raise OptionError("Give the sampling fraction or the population size, not both: one follows from the other.")
        if self.sampling_fraction is not None and not 0 < self.sampling_fraction <= 1:
            raise OptionError(f"A sampling fraction is more than 0 and at most 1, not {self.sampling_fraction:g}.")
        if self.population_size is not None and self.population_size < 1:
            raise OptionError(f"A population size is at least 1, not {self.population_size:,}.")


def read_population(engine: Engine, relation: Relation, attributes: tuple[str, ...], columns: Mapping[str, str]) -> CountedPopulation:
    """Make `population_source` and return what it knows; `columns` says what a quasi-identifier is called in the population."""
    for attribute, column in columns.items():
        if attribute not in attributes:
            raise PopulationError(f"{shown(attribute)} is said to be {shown(column)} in the population, but it is no quasi-identifier.")
        if column not in relation.names:
            raise ColumnNotFound(column, relation.names)
    found = {
        attribute: columns.get(attribute, attribute) for attribute in attributes if columns.get(attribute, attribute) in relation.names
    }
    if not found:
        raise PopulationError(
            f"The population table {shown(relation.name)} has no column that is named like a quasi-identifier. "
            "Say which one is which (--population-column age=age_at_census)."
        )
    selected = ", ".join(
        f"{canonical(f'c{position}', relation.columns[position].type, column)} AS p{i}"
        for i, (column, position) in enumerate((column, relation.position(column)) for column in found.values())
    )
    names = ", ".join(f"p{i}" for i in range(len(found)))
    select = f"SELECT {names}, COUNT(*) AS n FROM (SELECT {selected} FROM {relation.origin}) AS x GROUP BY {names}"
    try:
        engine.stage("population_source", select, large=relation.large, ordered=False)
    except UnreadableLine as error:
        raise unreadable(relation, error) from None
    return CountedPopulation(relation.name, tuple(found))


def encode_population(engine: Engine, layout: Layout, population: CountedPopulation) -> None:
    """Make `population_record` with the sample's dictionary, which must have been made."""
    numbers = [layout.attributes.index(attribute) for attribute in population.attributes]
    values = engine.distinct("population_source", {number: f"p{i}" for i, number in enumerate(numbers)})
    engine.materialise(
        "population_weight",
        "SELECT d.attribute, d.v, CASE WHEN w.w IS NULL THEN -ROW_NUMBER() OVER (PARTITION BY d.attribute ORDER BY d.v) ELSE w.w END AS w "
        f"FROM {values} LEFT JOIN weight AS w ON d.attribute = w.attribute AND d.v = w.v",
    )
    sums = {f"x{i}": [(number, f"p{i}")] for i, number in enumerate(numbers)}
    coded = engine.coded("population_source", "population_weight", sums, ["n"])
    engine.materialise("population_record", f"SELECT {', '.join(sums)}, n FROM {coded}")


def open_population_classes(engine: Engine, layout: Layout, population: CountedPopulation, columns: tuple[str, ...]) -> None:
    """Make `population_class` and `aligned` for the scenario whose `class` is open."""
    places = {attribute: f"x{population.attributes.index(attribute)}" for attribute in columns}
    keys = ", ".join(places.values())
    radices = layout.of(columns)
    words = sorted({radix.word for radix in radices})
    packed = ", ".join(
        " + ".join(
            f"CASE WHEN {x} < 0 THEN 0 ELSE {x} END" for x in (places[layout.attributes[r.attribute]] for r in radices if r.word == word)
        )
        + f" AS k{word}"
        for word in words
    )
    known = " AND ".join(f"NOT {x} < 0" for x in places.values())
    counted = (
        f"SELECT {packed}, CASE WHEN {known} THEN 1 ELSE 0 END AS known, n "
        f"FROM (SELECT {keys}, CAST(SUM(n) AS BIGINT) AS n FROM population_record GROUP BY {keys}) AS x"
    )
    if len(words) == 1:
        engine.materialise("population_class", f"SELECT k{words[0]} AS q, known, n FROM ({counted}) AS y")
    else:
        # A tuple of known values that the sample does not have together has no q; it is a class all the same.
        same = " AND ".join(f"y.k{word} = k.k{word}" for word in words)
        engine.materialise(
            "population_class",
            "SELECT COALESCE(k.q, 0) AS q, CASE WHEN k.q IS NULL THEN 0 ELSE y.known END AS known, y.n "
            f"FROM ({counted}) AS y LEFT JOIN tuple_key AS k ON {same}",
        )
    engine.materialise(
        "aligned",
        "SELECT k.q, k.persons AS n, COALESCE(p.n, 0) AS population_n "
        "FROM class AS k LEFT JOIN population_class AS p ON k.q = p.q AND p.known = 1",
    )
