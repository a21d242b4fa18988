"""Recoding by search: combinations of quasi-identifiers are coarsened along hierarchies until every class keeps the limits.

Full-domain recoding gives a column one level throughout, subtree recoding every value of a column one label, and both suppress the
classes that still break a limit; local recoding and Mondrian give every combination levels of its own. The step holds what was
asked and, for full-domain recoding, the levels that were found. It is carried out anew on the table it is applied to, so the limits
hold on new data too, and on the same data the same release comes out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anonscope.columns.hierarchy import Hierarchy, read_hierarchy
from anonscope.columns.images import EVERYTHING, Everything, Exactly, Image, read_image
from anonscope.columns.roles import Roles, Scenario
from anonscope.errors import PolicyError, RecipeError
from anonscope.io.sources import Relation
from anonscope.risk.policy import Policy, excepting, from_rules, load
from anonscope.risk.policy.limits import exceptions_of
from anonscope.transform.table import Expression, Table
from anonscope.transform.transformation import Effect, Transformation, listed

if TYPE_CHECKING:
    from anonscope.engines import Engine
    from anonscope.risk.counting.columns import CodedColumn
    from anonscope.transform.search.label_tables import LabelTables
    from anonscope.transform.search.limits import Limit
    from anonscope.transform.search.parted.mondrian import PartedRecoding
    from anonscope.transform.search.prepare import Prepared, SearchSettings
    from anonscope.transform.search.recoding import Recoding

Method = Literal["global", "subtree", "local", "mondrian"]
METHODS: tuple[Method, ...] = ("global", "subtree", "local", "mondrian")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recode(Transformation):
    """Coarsen combinations of quasi-identifiers until a policy, or limits named one by one, are met."""

    name: ClassVar[str] = "recode"
    title: ClassVar[str] = "Recode until a policy is met"
    standard: ClassVar[str] = "generalisation"
    effect: ClassVar[Effect] = "recoding"

    quasi_identifiers: tuple[str, ...]
    policy: str | None = None
    rules: tuple[Mapping[str, Any], ...] = ()  # as a policy file has them
    exceptions: tuple[Mapping[str, Any], ...] = ()  # that somebody stated, as a policy file has them
    method: Method = "local"
    sensitive: tuple[str, ...] = ()
    person: str | None = None
    scenarios: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    distance: Mapping[str, str] = field(default_factory=dict)
    hierarchies: Mapping[str, str] = field(default_factory=dict)  # files, as seen from the recipe
    start: Method | None = None  # the method whose solution local recoding starts from
    levels: Mapping[str, int] = field(default_factory=dict)  # found for full-domain recoding
    steps: Mapping[str, int] = field(default_factory=dict)  # of methods that the clock ended, to repeat what they did
    lowest: Mapping[str, int] = field(default_factory=dict)
    highest: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    suppression: float = 0.0
    suppressed: Literal["keep", "drop"] = "keep"
    population: str | None = None  # a file, for k-map
    population_columns: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.columns:
            raise self.fail("quasi_identifiers must name at least one column")
        if (self.policy is None) == (not self.rules):
            raise self.fail("policy or rules must be given, and only one of them")
        try:
            _ = self.judged_by
        except PolicyError as error:
            raise self.fail(f"{'policy' if self.policy is not None else 'rules'}: {error}") from None
        if self.method not in METHODS:
            raise self.fail(f"method must be one of {', '.join(METHODS)}")
        if self.suppressed not in ("keep", "drop"):
            raise self.fail("suppressed must be keep or drop")
        if isinstance(self.suppression, bool) or not isinstance(self.suppression, int | float) or not 0 <= self.suppression <= 1:
            raise self.fail("suppression must be a share from 0 to 1")
        if self.start is not None and (self.method != "local" or self.start not in METHODS or self.start == "local"):
            raise self.fail("start must be another method than local, and the method local")
        if set(self.steps) - set(METHODS) or any(isinstance(x, bool) or not isinstance(x, int) or x < 0 for x in self.steps.values()):
            raise self.fail("steps must be numbers from 0 on, each of a method")
        if "global" in (self.method, self.start) and set(self.levels) != set(self.columns):
            raise self.fail("levels must give the level of every quasi-identifier where the method or the start is global")
        for key in ("levels", "lowest", "highest", "weights", "hierarchies"):
            for column, value in getattr(self, key).items():
                if key != "hierarchies" and (isinstance(value, bool) or not isinstance(value, int | float) or value < 0):
                    raise self.fail(f"{key} must be made of numbers from 0 on")
                if column not in (*self.columns, *(self.sensitive if key == "hierarchies" else ())):
                    raise self.fail(f"{key} names a column that is not among the quasi-identifiers")

    @property
    def columns(self) -> tuple[str, ...]:
        return self.roles.attributes

    @property
    def words(self) -> str:
        how = {
            "global": "one level a column",
            "subtree": "one label a value",
            "local": "combination by combination",
            "mondrian": "by Mondrian",
        }[self.method]
        return f"recode {listed(self.columns)}, {how}"

    @property
    def roles(self) -> Roles:
        """The roles that the search goes by."""
        return Roles(
            quasi_identifiers=self.quasi_identifiers,
            sensitive=self.sensitive,
            person=self.person,
            scenarios=tuple(Scenario(name, tuple(columns)) for name, columns in self.scenarios.items()),
            distance=dict(self.distance),
        )

    @property
    def judged_by(self) -> Policy:
        """The policy whose limits the release must keep."""
        asked = from_rules(self.rules) if self.policy is None else load(self.policy)
        return excepting(asked, exceptions_of(self.exceptions))

    def mixes(self, column: str) -> bool:
        return column in (*self.columns, *self.sensitive, self.person)

    def apply(self, table: Table) -> Table:
        from anonscope.transform.search.methods import recode, solve_in_parts
        from anonscope.transform.search.targets import limits_of

        prepared = self.prepared(table)
        problem = prepared.problem
        limits = limits_of(self.judged_by, problem, [scenario.quasi_identifiers for scenario in self.roles.scenarios])
        levels = tuple(int(self.levels[column]) for column in self.columns) if self.levels else None
        labels = labels_for(table, self.columns)
        found: Recoding | PartedRecoding
        if prepared.parted is None:
            found = recode(problem, limits, self.method, levels, self.start, self.steps)
        else:
            found = solve_in_parts(prepared.parted, limits, self.method, labels).recoding
            self._check_proven(found, limits)
        if found.broken:
            names = ", ".join(limit.name for limit in found.broken)
            raise RecipeError(f"The table cannot be recoded so that all limits hold. What stays broken: {names}.")
        return written(table, prepared, found, labels)

    def prepared(
        self, table: Table, hierarchies: Mapping[str, Hierarchy] | None = None, population: "dict[str, Any] | None" = None
    ) -> "Prepared":
        """Return the table as the problem of a search, with the hierarchies and the population that the step names."""
        from anonscope.transform.search.prepare import SearchSettings

        roles = self.roles
        if hierarchies is None:
            hierarchies = {column: read_hierarchy(table.file(name), column) for column, name in self.hierarchies.items()}
        bounds = {column: (int(self.lowest.get(column, 0)), int(self.highest.get(column, 1_000))) for column in roles.attributes}
        settings = SearchSettings(weights=self.weights, suppression=self.suppression, levels=bounds, suppressed=self.suppressed)
        return prepared_for(table, roles, hierarchies, settings, population or self._population(table))

    def _check_proven(self, found: "Recoding | PartedRecoding", limits: "Sequence[Limit]") -> None:
        """Raise where parts were recoded one by one and a limit may be broken by all of them together: nobody would notice."""
        from anonscope.transform.search.parted.mondrian import PartedRecoding

        if isinstance(found, PartedRecoding) and (unproven := found.unproven(limits)):
            names = ", ".join(limit.name for limit in unproven)
            raise RecipeError(
                f"The table has so many combinations that it is recoded part by part, and whether it keeps {names} as a whole only an "
                "audit can tell. Use anonymise, which audits the release, or limits on classes."
            )

    def image(self, column: str, released: str | None) -> Image:
        if column not in self.columns:
            return Exactly(released)
        return Everything() if released == EVERYTHING else read_image(released)

    def _population(self, table: Table) -> "dict[str, Any] | None":
        if self.population is None:
            return None
        return population_of(table.file(self.population), self.columns, self.population_columns, table.engine)


def prepared_for(
    table: Table, roles: Roles, hierarchies: Mapping[str, Hierarchy], settings: "SearchSettings", population: "dict[str, Any] | None" = None
) -> "Prepared":
    """Return a table as the problem of a search: its tuples, wherever its records stay."""
    from anonscope.risk.counting.columns import read_columns
    from anonscope.transform.search.prepare import prepare

    relation = table.relation("the table")
    if table.engine.remote:
        return _prepared_elsewhere(table.engine, relation, roles, hierarchies, settings, population)
    wanted = [*roles.attributes, *roles.sensitive, *([roles.person] if roles.person is not None else [])]
    return prepare(read_columns(table.engine, relation, wanted), roles, hierarchies, settings, population)


def population_of(source: Any, attributes: Sequence[str], names: Mapping[str, str], beside: "Engine") -> "dict[str, Any]":
    """Return the columns of a population in codes, under the names that the table has for them on the engine `beside`."""
    from anonscope.engines import DuckDB
    from anonscope.io.sources import open_source
    from anonscope.risk.counting.columns import read_columns

    theirs = {column: names.get(column, column) for column in attributes}
    engine = DuckDB.like(beside)
    try:
        columns = read_columns(engine, open_source(source, engine), tuple(dict.fromkeys(theirs.values())))
    finally:
        engine.close()
    return {column: columns[name] for column, name in theirs.items()}


def values_of(population: "Mapping[str, CodedColumn] | None") -> "dict[str, tuple[str | None, ...]]":
    """Return which values the columns of a population have, for hierarchies that must cover them; nothing without one."""
    return {column: coded.values for column, coded in (population or {}).items()}


def _prepared_elsewhere(
    engine: "Engine",
    relation: Relation,
    roles: Roles,
    hierarchies: Mapping[str, Hierarchy],
    settings: "SearchSettings",
    population: "dict[str, Any] | None",
) -> "Prepared":
    """Return the problem of a table whose records stay where they are: by its combinations or, if these are too many, in parts."""
    from anonscope.risk.counting.combinations import count_combinations, read_combinations, too_many
    from anonscope.transform.search.parted.table import PartedTable, summary
    from anonscope.transform.search.prepare import Prepared, prepare

    found = count_combinations(engine, relation, roles)
    if found.fit:
        columns, counts = read_combinations(found)
        return prepare(columns, roles, hierarchies, settings, population, counts)
    if population is not None:
        raise too_many(found, "a limit about a population", "Judge by a policy without one")
    problem = summary(found, hierarchies, settings)
    return Prepared(problem, None, PartedTable(found, problem))


def labels_for(table: Table, attributes: Sequence[str]) -> "LabelTables":
    """Return tables for the labels of tuples, under names of their own on the engine."""
    from anonscope.transform.search.label_tables import LabelTables

    return LabelTables(table.engine, f"labels_{len(table.engine.statements)}", attributes)


def written(table: Table, prepared: "Prepared", recoding: "Recoding | PartedRecoding", labels: "LabelTables") -> Table:
    """Return the table with the labels that tuples have at their levels; a column that no tuple changes stays as it is.

    Labels go beside records by their order or, where these have none, by their values; `labels` has those of parts already.
    """
    from anonscope.transform.search.recoding import Recoding

    if not isinstance(recoding, Recoding):
        return _joined(table, labels)
    if prepared.tuple_of is not None:
        return _attached(table, prepared.tuple_of, recoding)
    labels.add(recoding)
    return _joined(table, labels)


def _joined(table: Table, labels: "LabelTables") -> Table:
    from anonscope.transform.search.label_tables import joined_with

    if not labels.changed and not labels.dropped:
        return table
    changed = {a: column for a, column in enumerate(labels.attributes) if column in labels.changed}
    table.engine.define(labels.name, labels.union())
    origin = joined_with(table.origin, [table.text(column) for column in labels.attributes], labels.name, tuple(changed))
    if labels.dropped:
        origin = f"(SELECT * FROM {origin} WHERE kept = 1) AS t"
    beside = replace(table, origin=origin, shortened=table.shortened or labels.dropped)
    return beside.assigned({column: Expression(f"l{a}", "VARCHAR") for a, column in changed.items()})


def _attached(table: Table, tuple_of: Any, recoding: "Recoding") -> Table:
    import numpy as np
    import pyarrow as pa

    problem = recoding.problem
    drop = problem.suppressed == "drop" and bool(recoding.suppressed.any())
    columns: dict[str, Any] = {}
    for a, ladder in enumerate(problem.ladders):
        level = recoding.at[:, a].astype(np.int64)
        if (level[~recoding.suppressed] == 0).all() and (drop or not recoding.suppressed.any()):
            continue
        # All labels of all levels in one list; a tuple's place in it is its node, counted on from the levels below.
        below = np.cumsum([0, *(ladder.nodes(j) for j in range(ladder.height))])
        labels = pa.array([label for nodes in ladder.labels for label in nodes], pa.string())
        place = np.zeros(problem.tuples, dtype=np.int64)
        for j in np.unique(level).tolist():
            chosen = level == j
            place[chosen] = below[j] + problem.coded(a, j)[chosen]
        columns[ladder.name] = pa.DictionaryArray.from_arrays(pa.array(place[tuple_of].astype(np.int32)), labels)
    kept = pa.array(~recoding.suppressed[tuple_of]) if drop else None
    if not columns and kept is None:
        return table
    return table.attached(columns, dict.fromkeys(columns, "VARCHAR"), kept=kept)
