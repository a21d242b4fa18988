"""k-map, delta-presence and what is counted in a population table: worked examples, then their own laws."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.errors import ColumnNotFound, PopulationError
from reference.attackers import over, tuples
from support.strategies import Table, law, tables

Run = Callable[..., an.Audit]
SAMPLE: dict[str, Any] = {"sex": ["F", "F", "M", None], "age": [30, 30, 30, 30]}
EVERYBODY = {"sex": ["F"] * 4 + ["M"] * 2 + [None, "X"], "age": [30] * 3 + [40] + [30] * 2 + [30, 99]}
BY_COUNT = ("journalist", "k_map", "delta_presence", "population_uniqueness")


def test_a_sample_in_its_population(audit: Run) -> None:
    """Three women of 30, two men, one person without a recorded sex; a woman of 40 and X are not in the sample."""
    found = audit(**SAMPLE, quasi_identifiers=["sex", "age"], population=pa.table(EVERYBODY))

    assert found["k_map"].value == 1
    presence = found["delta_presence"]
    assert (presence.min, presence.mean, presence.max) == (0, 4 / 8, 1)
    alone = found["population_uniqueness"]
    assert (alone.variant, alone.value, alone.count) == ("counted", 3 / 8, 3)


def test_when_every_class_is_in_the_sample_nobody_is_known_to_be_absent(audit: Run) -> None:
    """The least of f / F is above 0 then."""
    found = audit(sex=["F", "F", "M"], quasi_identifiers=["sex"], population=pa.table({"sex": ["F"] * 8 + ["M"] * 2}))

    assert (found["k_map"].value, found["delta_presence"].min, found["delta_presence"].max) == (2, 1 / 4, 1 / 2)


def test_columns_may_have_other_names_and_types(audit: Run) -> None:
    """Ages as floats in one table and as integers in the other are the same ages."""
    population = pa.table({"gender": EVERYBODY["sex"], "years": [float(age) for age in EVERYBODY["age"]], "name": ["?"] * 8})
    found = audit(**SAMPLE, quasi_identifiers=["sex", "age"], population=population, population_columns={"sex": "gender", "age": "years"})

    assert found["delta_presence"].mean == 1 / 2


def test_files_of_any_kind_serve_as_a_population(tmp_path: Path) -> None:
    """Both tables are text files, and their readers do not get in each other's way, whatever the encodings are."""
    (tmp_path / "sample.csv").write_text("sex;age\nF;30\nè;30\n", encoding="latin-1")
    (tmp_path / "population.csv").write_text("age,sex\n30,F\n30,F\n30,è\n", encoding="utf-16")
    with an.read(tmp_path / "sample.csv", quasi_identifiers=["sex", "age"], population=tmp_path / "population.csv") as data:
        found = an.audit(data)

    assert (found["k_map"].value, found["delta_presence"].mean) == (1, 2 / 3)


def test_a_scenario_is_measured_if_the_population_knows_its_columns(audit: Run) -> None:
    """A register of the sexes says nothing about ages, and the reason says so."""
    population = pa.table({"sex": EVERYBODY["sex"]})
    found = audit(**SAMPLE, quasi_identifiers=["sex", "age"], scenarios={"near": ["sex"]}, population=population)

    for metric in BY_COUNT:
        assert found[metric].reason == "the population table has no column for 'age'"
        assert found.select(metric, scenario="near")[0].status == "measured"
    assert found.select("k_map", scenario="near")[0].value == 1


def test_a_population_that_the_sample_is_not_from_is_not_measured(audit: Run) -> None:
    """Two women in the sample, one in the population; a man whom the population does not have."""
    found = audit(sex=["F", "F", "M"], quasi_identifiers=["sex"], population=pa.table({"sex": ["F", "X", "X", "X"]}))

    for metric in BY_COUNT:
        assert found[metric].status == "not measured"
        assert "smaller than the sample in 2 of 2 classes" in str(found[metric].reason)
    assert any("smaller than the sample" in warning for warning in found.warnings)


def test_names_that_fit_nothing_are_errors(audit: Run) -> None:
    """A misspelt column is offered the nearest one; a table that shares no column is refused."""
    with pytest.raises(ColumnNotFound, match="Did you mean 'gender'"):
        audit(**SAMPLE, quasi_identifiers=["sex"], population=pa.table({"gender": ["F"]}), population_columns={"sex": "gendre"})
    with pytest.raises(PopulationError, match="no quasi-identifier"):
        audit(**SAMPLE, quasi_identifiers=["sex"], population=pa.table({"gender": ["F"]}), population_columns={"age": "gender"})
    with pytest.raises(PopulationError, match="--population-column"):
        audit(**SAMPLE, quasi_identifiers=["sex"], population=pa.table({"gender": ["F"]}))


def test_at_event_level_the_sample_is_counted_in_persons(audit: Run) -> None:
    """Three visits of one woman are one of the two women there are."""
    found = audit(sex=["F"] * 3, who=["a"] * 3, quasi_identifiers=["sex"], person="who", population=pa.table({"sex": ["F", "F"]}))

    assert (found["k_map"].value, found["k_map"].level, found["delta_presence"].max) == (2, "person", 1 / 2)


@st.composite
def populations(draw: st.DrawFn) -> tuple[Table, Table]:
    """Return a sample and a population it may or may not come from."""
    table = draw(tables())
    extra = draw(st.integers(0, 8))
    known = [name for name, _ in table.columns if name.startswith("q")]
    copies = draw(st.lists(st.integers(0, table.rows - 1), max_size=8)) + list(range(draw(st.sampled_from([0, table.rows, table.rows]))))
    if not copies and not extra:
        copies = [0]
    strangers = {
        name: draw(st.lists(st.sampled_from([*table[name], *new_value(table[name])]), min_size=extra, max_size=extra)) for name in known
    }
    return table, Table(tuple((name, (*(table[name][i] for i in copies), *strangers[name])) for name in known), table.quasi_identifiers)


def new_value(values: tuple[Any, ...]) -> list[Any]:
    """Return a value that a column does not have, of the column's type; none if the column is empty."""
    present = [v for v in values if v is not None and v == v]
    return [max(present) + ("!" if isinstance(present[0], str) else 1)] if present else []


@law
@given(both=populations())
def test_the_engine_agrees_with_the_obvious_definition(both: tuple[Table, Table]) -> None:
    """Count the sample's and the population's look-alikes one by one."""
    sample, people = both
    with an.read(
        sample.arrow(),
        quasi_identifiers=sample.quasi_identifiers,
        person=sample.person,
        scenarios=dict(sample.scenarios),
        population=people.arrow(),
        threads=1,
    ) as data:
        found = an.audit(data)
    for scenario, attributes in sample.attackers:
        seen = tuples(sample, attributes)
        f = Counter(c for c, _ in set(zip(seen, sample[sample.person], strict=True))) if sample.person else Counter(seen)
        F = Counter(tuples(people, attributes))
        (k_map,) = found.select("k_map", scenario=scenario)
        if any(F[c] < f[c] for c in f):
            assert k_map.status == "not measured"
            continue
        assert k_map.value == min(F[c] for c in f)
        (presence,) = found.select("delta_presence", scenario=scenario)
        low, mean, high = over([f[c] / F[c] for c in F for _ in range(F[c])])
        assert (presence.min, presence.mean, presence.max) == pytest.approx((low, mean, high))
        journalist = found.select("journalist", scenario=scenario)[0]
        assert (journalist.min, journalist.mean, journalist.max) == pytest.approx(over([1 / F[c] for c in f.elements()]))
        (alone,) = found.select("population_uniqueness", scenario=scenario)
        assert alone.value == pytest.approx(sum(n == 1 for n in F.values()) / F.total())


def test_a_quasi_identifier_of_many_words_is_aligned() -> None:
    """Eight columns of 1,200 values do not fit into one number; a known combination that is new is a class of its own."""
    rows = 1200
    wide = {f"w{i}": [f"{(i + 1) * r % rows}" for r in range(rows)] for i in range(8)}
    people = {name: values + values[:3] + [values[0 if name == "w0" else 1]] + ["new"] for name, values in wide.items()}
    with an.read(pa.table(wide), quasi_identifiers=list(wide), population=pa.table(people)) as data:
        found = an.audit(data)

    assert found["k_map"].value == 1
    assert (found["delta_presence"].min, found["delta_presence"].mean) == (0, rows / (rows + 5))
    assert found["journalist"].sum == pytest.approx(rows - 3 / 2)
    assert found["population_uniqueness"].count == rows - 3 + 2
