"""Tables with roles: the ones Hypothesis draws, and how a test audits one."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pyarrow as pa
from hypothesis import seed, settings
from hypothesis import strategies as st

import anonscope as an

Key = tuple[str, str, tuple[str, ...] | None, str | None, str | None, str]
Numbers = dict[Key, tuple[float, ...]]


def law(test: Any) -> Any:
    """Run a test on thirty tables, the same ones for every metric and on every machine: a failure can be repeated."""
    return seed(2025)(settings(max_examples=20, deadline=None, database=None)(test))


@dataclass(frozen=True)
class Table:
    """A table and the role of its columns, as a plain value that can be drawn, changed and audited."""

    columns: tuple[tuple[str, tuple[Any, ...]], ...]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    person: str | None = None
    scenarios: tuple[tuple[str, tuple[str, ...]], ...] = ()
    distance: tuple[tuple[str, str], ...] = ()
    weight: str | None = None
    household: str | None = None
    population: "Table | None" = None

    @property
    def rows(self) -> int:
        return len(self.columns[0][1])

    def __getitem__(self, column: str) -> tuple[Any, ...]:
        return dict(self.columns)[column]

    @property
    def attackers(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        return (("default", self.quasi_identifiers), *self.scenarios)

    def arrow(self) -> pa.Table:
        return pa.table({name: pa.array(list(values), from_pandas=True) for name, values in self.columns})

    def mapped(self, change: Any) -> "Table":
        """Return the table with every column's values replaced by `change(name, values)`."""
        return replace(self, columns=tuple((name, tuple(change(name, values))) for name, values in self.columns))

    def picked(self, rows: Any) -> "Table":
        """Return the table made of these rows, by number; rows may repeat."""
        chosen = list(rows)
        return self.mapped(lambda name, values: (values[i] for i in chosen))

    def renamed(self, names: dict[str, str]) -> "Table":
        """Return the table with other column names, roles included."""

        def all_of(listed: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(names[name] for name in listed)

        return Table(
            columns=tuple((names[name], values) for name, values in self.columns),
            quasi_identifiers=all_of(self.quasi_identifiers),
            sensitive=all_of(self.sensitive),
            person=names[self.person] if self.person else None,
            scenarios=tuple((scenario, all_of(listed)) for scenario, listed in self.scenarios),
            distance=tuple((names[name], kind) for name, kind in self.distance),
            weight=names[self.weight] if self.weight else None,
            household=names[self.household] if self.household else None,
            population=self.population.renamed(names) if self.population else None,
        )


@lru_cache(maxsize=512)
def audited(table: Table, policy: str = "scorr") -> an.Audit:
    """Return the audit of a table. Laws are stated metric by metric and share their tables, so audits are kept."""
    with an.read(
        table.arrow(),
        quasi_identifiers=table.quasi_identifiers,
        sensitive=table.sensitive,
        person=table.person,
        scenarios=dict(table.scenarios),
        distance=dict(table.distance),
        weight=table.weight,
        household=table.household,
        population=table.population.arrow() if table.population else None,
        threads=1,
    ) as data:
        return an.audit(data, policy=policy)


def numbers(audit: an.Audit, metric: str | None = None) -> Numbers:
    """Return what was measured, by metric, scenario, attributes, sensitive attribute, variant and level."""
    return {
        (m.metric, m.scenario, m.attributes, m.sensitive, m.variant, m.level): (m.value,) if m.value is not None else (m.min, m.mean, m.max)
        for m in audit.measurements
        if m.status == "measured" and metric in (None, m.metric)
    }


# Few distinct values, so that ties are common; '1' and '1.0' are two values that are one number, '01' is a code and no number.
WORDS = st.sampled_from([" ", "a", "b", "B", "é", "missing", None])
NUMBERS_AS_TEXT = st.sampled_from(["1", "1.0", "2", "9", "10", None])
CODES = st.sampled_from(["01", "1", "10", None])
INTEGERS = st.sampled_from([-3, 0, 2, 10, None])
FLOATS = st.sampled_from([-1.5, -0.0, 0.0, 1.0, 2.5, 1e20, float("nan")])
CONSTANT = st.just("same")
NOTHING = st.none()
KINDS = (WORDS, NUMBERS_AS_TEXT, CODES, INTEGERS, FLOATS, CONSTANT, NOTHING)
# NaN must be one object, or a table would not equal itself and its audit would not be kept.


@st.composite
def columns(draw: st.DrawFn, rows: int) -> tuple[Any, ...]:
    """Return one column: words, numbers as text, codes, integers, floats, a constant, or nothing but NULL."""
    kind = draw(st.sampled_from(KINDS))
    return tuple(draw(st.lists(kind, min_size=rows, max_size=rows)))


@st.composite
def tables(draw: st.DrawFn, *, sensitive: int = 0, max_rows: int = 14) -> Table:
    """Return a table with one to three quasi-identifiers and at least `sensitive` sensitive attributes.

    It may have person ids, some of them missing, and further scenarios; one row and one class occur.
    """
    rows = draw(st.integers(1, max_rows))
    known = tuple(f"q{i}" for i in range(draw(st.integers(1, 3))))
    hidden = tuple(f"s{i}" for i in range(draw(st.integers(sensitive, 2))))
    made = [(name, draw(columns(rows))) for name in (*known, *hidden)]
    person = None
    if draw(st.booleans()):
        person = "who"
        made.append((person, tuple(draw(st.lists(st.sampled_from(["ann", "bob", "cy", "di", None]), min_size=rows, max_size=rows)))))
    listed = st.lists(st.sampled_from(known), min_size=1, unique=True).map(tuple)
    scenarios = tuple((f"attacker {i}", draw(listed)) for i in range(draw(st.integers(0, 2))))
    distance = tuple((name, draw(st.sampled_from(["equal", "ordered"]))) for name in hidden if draw(st.booleans()))
    return Table(tuple(made), known, hidden, person, scenarios, distance)
