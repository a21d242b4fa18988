"""Recoding by search: combinations of quasi-identifiers are coarsened along hierarchies until every class keeps the limits.

Full-domain recoding gives a column one level throughout and suppresses the classes that still break a limit; local recoding and
Mondrian give every combination levels of its own. The step holds what was asked and, for full-domain recoding, the levels that
were found. It is carried out anew on the table it is applied to, so the limits hold on new data too, and on the same data the
same release comes out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anonscope.errors import PolicyError, RecipeError
from anonscope.hierarchy import Hierarchy, read_hierarchy
from anonscope.images import EVERYTHING, Everything, Exactly, Image, read_image
from anonscope.policy import Policy, from_rules, load
from anonscope.roles import Roles, Scenario
from anonscope.transform.table import Table
from anonscope.transform.transformation import Effect, Transformation, listed

if TYPE_CHECKING:
    from anonscope.search.prepare import Prepared
    from anonscope.search.recoding import Recoding

Method = Literal["global", "local", "mondrian"]
METHODS: tuple[Method, ...] = ("global", "local", "mondrian")


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
    method: Method = "local"
    sensitive: tuple[str, ...] = ()
    person: str | None = None
    scenarios: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    distance: Mapping[str, str] = field(default_factory=dict)
    hierarchies: Mapping[str, str] = field(default_factory=dict)  # files, as seen from the recipe
    levels: Mapping[str, int] = field(default_factory=dict)  # found for full-domain recoding
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
        if self.method == "global" and set(self.levels) != set(self.columns):
            raise self.fail("levels must give the level of every quasi-identifier where the method is global")
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
        how = {"global": "one level a column", "local": "combination by combination", "mondrian": "by Mondrian"}[self.method]
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
        return from_rules(self.rules) if self.policy is None else load(self.policy)

    def apply(self, table: Table) -> Table:
        from anonscope.search.methods import recode
        from anonscope.search.targets import limits_of

        prepared = self.prepared(table)
        problem = prepared.problem
        limits = limits_of(self.judged_by, problem, [scenario.quasi_identifiers for scenario in self.roles.scenarios])
        levels = tuple(int(self.levels[column]) for column in self.columns) if self.levels else None
        found = recode(problem, limits, self.method, levels)
        if found.broken:
            names = ", ".join(limit.name for limit in found.broken)
            raise RecipeError(f"The table cannot be recoded so that all limits hold. What stays broken: {names}.")
        return written(table, prepared, found)

    def prepared(
        self, table: Table, hierarchies: Mapping[str, Hierarchy] | None = None, population: "dict[str, Any] | None" = None
    ) -> "Prepared":
        """Return the table as the problem of a search, with the hierarchies and the population that the step names."""
        from anonscope.search.prepare import Settings, prepare, read_columns

        roles = self.roles
        if hierarchies is None:
            hierarchies = {column: read_hierarchy(table.file(name)) for column, name in self.hierarchies.items()}
        wanted = [*roles.attributes, *roles.sensitive, *([roles.person] if roles.person is not None else [])]
        columns = read_columns(table.engine, table.relation("the table"), wanted)
        bounds = {column: (int(self.lowest.get(column, 0)), int(self.highest.get(column, 1_000))) for column in roles.attributes}
        settings = Settings(weights=self.weights, suppression=self.suppression, levels=bounds, suppressed=self.suppressed)
        return prepare(columns, roles, hierarchies, settings, population or self._population(table))

    def image(self, column: str, released: str | None) -> Image:
        if column not in self.columns:
            return Exactly(released)
        return Everything() if released == EVERYTHING else read_image(released)

    def _population(self, table: Table) -> "dict[str, Any] | None":
        if self.population is None:
            return None
        return population_of(table.file(self.population), self.columns, self.population_columns)


def population_of(source: Any, attributes: Sequence[str], names: Mapping[str, str]) -> "dict[str, Any]":
    """Return the columns of a population in codes, under the names that the table has for them."""
    from anonscope.engines import DuckDB
    from anonscope.search.prepare import read_columns
    from anonscope.sources import open_source

    theirs = {column: names.get(column, column) for column in attributes}
    engine = DuckDB()
    try:
        columns = read_columns(engine, open_source(source, engine), tuple(dict.fromkeys(theirs.values())))
    finally:
        engine.close()
    return {column: columns[name] for column, name in theirs.items()}


def written(table: Table, prepared: "Prepared", recoding: "Recoding") -> Table:
    """Return the table with the labels that tuples have at their levels; a column that no tuple changes stays as it is."""
    import numpy as np
    import pyarrow as pa

    problem = prepared.problem
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
        columns[ladder.name] = pa.DictionaryArray.from_arrays(pa.array(place[prepared.tuple_of].astype(np.int32)), labels)
    kept = pa.array(~recoding.suppressed[prepared.tuple_of]) if drop else None
    if not columns and kept is None:
        return table
    return table.attached(columns, dict.fromkeys(columns, "VARCHAR"), kept=kept)
