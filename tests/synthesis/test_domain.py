"""The declared domain: read with every mistake named, written and read again, and counted in its cells and no others."""

import sqlite3
from collections import Counter
from contextlib import closing
from datetime import date

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import ColumnNotFound, DomainError
from anonscope.synthesis.cells import cell_table
from anonscope.synthesis.counts import counts_of
from anonscope.synthesis.domain import Categories, Dates, Domain, Implication, InOrder, Numbers
from anonscope.synthesis.domain_file import domain_text, load_domain, parse_domain
from anonscope.synthesis.draft import draft_domain

WHOLE = """
person = "patient"
records_per_person = 2

[columns.sex]
categories = ["F", "M"]
missing = true

[columns.ward]
categories = [1, 2]
other = "elsewhere"

[columns.age]
lower = 0
upper = 100
whole = true
edges = [0, 18, 65]

[columns.score]
lower = 0
upper = 1
bins = 4

[columns.admitted]
first = 2020-01-15
last = 2020-12-31
unit = "quarter"

[columns.left]
first = 2020-01-01
last = 2020-12-31

[[constraints]]
when = { sex = ["F"] }
then = { age = { at_least = 18 } }

[[constraints]]
in_order = ["admitted", "left"]
"""


def test_a_domain_is_read_as_it_is_declared(tmp_path):
    """Every kind of column has the cells that were declared, and the missing value is the last one."""
    file = tmp_path / "domain.toml"
    file.write_text(WHOLE, encoding="utf-8")
    domain = load_domain(file)

    assert domain.names == ("sex", "ward", "age", "score", "admitted", "left")
    assert domain.sizes == (3, 3, 3, 4, 4, 12)
    assert domain.column("sex").labels == ("F", "M", None)
    assert domain.column("ward").labels == ("1", "2", "elsewhere")
    assert domain.column("age").labels == ("[0, 18)", "[18, 65)", "[65, 100]")
    assert domain.column("admitted").labels == ("2020-01-15", "2020-04-01", "2020-07-01", "2020-10-01")
    assert (domain.unit, domain.unit_kind, domain.records_per_unit, domain.declared) == ("patient", "person", 2, True)
    assert [type(constraint) for constraint in domain.constraints] == [Implication, InOrder]


def test_a_domain_that_is_written_is_the_same_one_when_it_is_read():
    """The file loses nothing, not even what it says of itself."""
    domain = parse_domain(WHOLE)

    assert parse_domain(domain_text(domain)) == domain
    drafted = Domain(columns=domain.columns, drafted=("sex",))
    assert parse_domain(domain_text(drafted)) == drafted and not drafted.declared


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no column is declared"),
        ("[columns.a]\nmissing = true", "declare categories"),
        ("[columns.a]\ncategories = []", "has no value"),
        ("[columns.a]\ncategories = ['x', 'x']", "listed twice"),
        ("[columns.a]\ncategories = ['x']\nlower = 1", "lower: no such key here"),
        ("[columns.a]\nlower = 2\nupper = 1", "must not be above upper"),
        ("[columns.a]\nlower = 2", "upper must be a number"),
        ("[columns.a]\nlower = 0\nupper = 9\nedges = [0, 5, 5]", "edges must rise"),
        ("[columns.a]\nlower = 0.5\nupper = 9\nwhole = true", "whole numbers are whole"),
        ("[columns.a]\nfirst = '2020'\nlast = '2021'", "must be a date"),
        ("person = 'p'\n[columns.a]\ncategories = ['x']", "say records_per_person as well"),
        ("records_per_person = 2\n[columns.a]\ncategories = ['x']", "no column tells people apart"),
        ("person = 'a'\nrecords_per_person = 1\n[columns.a]\ncategories = ['x']", "is no column of the domain"),
        ("person = 'p'\nhousehold = 'h'\n[columns.a]\ncategories = ['x']", "not both"),
        ("[columns.a]\ncategories = ['x']\n[[constraints]]\nin_order = ['a', 'a']", "numbers only"),
        ("[columns.a]\ncategories = ['x']\n[[constraints]]\nwhen = {a = ['y']}\nthen = {a = ['x']}", "declared categories"),
        ("[columns.a]\ncategories = ['x']\n[[constraints]]\nwhen = {b = ['y']}\nthen = {a = ['x']}", "'b' is declared"),
        ("columns = 1", "no column is declared"),
        ("colums = 1", "no such key"),
    ],
)
def test_a_mistake_in_a_domain_is_named(text, said):
    """Whoever writes a domain is told what is wrong with it, and where."""
    with pytest.raises(DomainError, match=said):
        parse_domain(text)


def cells_of(table, domain):
    with an.read(table) as data:
        name = cell_table(data.engine, data.relation, domain)
        return data.engine.rows(f"SELECT {', '.join(f'k{i}' for i in range(len(domain.columns)))} FROM {name}")


def test_every_value_has_its_cell_and_what_has_none_is_left_out():
    """Numbers and dates move to the nearest bound, strange categories to `other` or the missing value, and the rest is left out."""
    domain = Domain(
        columns=(
            Categories(name="sex", categories=("F", "M"), missing=True),
            Categories(name="ward", categories=tuple("123456789"), other="elsewhere"),
            Numbers(name="age", lower=0, upper=100, starts=(0, 18, 65), decimals=0),
            Dates(name="day", first=date(2020, 1, 1), last=date(2020, 3, 31), missing=True),
        )
    )
    table = pa.table(
        {
            "sex": ["F", "X", None, "M"],
            "ward": ["9", "10", "1", None],
            "age": [17.9, -3, 1e9, 20],
            "day": ["2020-02-29", "1999-01-01", "2077-01-01", "no day"],
        }
    )

    # The last record has no ward, and a missing ward is not allowed.
    assert sorted(cells_of(table, domain)) == sorted([(0, 8, 0, 1), (2, 9, 0, 0), (2, 0, 2, 2)])


def test_nobody_counts_more_often_than_declared_and_others_do_not_matter():
    """A person has at most so many rows, and which ones they are depends on nobody else."""
    domain = Domain(columns=(Categories(name="x", categories=tuple("abcdefgh")),), unit="id", records_per_unit=2)
    crowd = {"id": ["p"] * 8 + ["q"] * 3 + [None] * 2, "x": [*"abcdefgh", *"aab", "a", "b"]}
    alone = {name: values[:8] for name, values in crowd.items()}

    with_others, without = (Counter(cells_of(pa.table(table), domain)) for table in (crowd, alone))
    assert sum(without.values()) == 2 and sum(with_others.values()) == 4
    assert not without - with_others


def test_a_column_that_is_not_there_is_named():
    """A domain of another table is refused before anything is counted."""
    with pytest.raises(ColumnNotFound, match="sexe"):
        cells_of(pa.table({"sex": ["F"]}), Domain(columns=(Categories(name="sexe", categories=("F",)),)))


def test_a_draft_says_that_it_was_read_from_the_data():
    """A draft fits its table and is marked in every column, and in the bound on records."""
    table = pa.table(
        {
            "id": ["p", "p", "p", "q"],
            "sex": ["F", None, "M", "F"],
            "age": [1, 2, 3, 70],
            "weight": [1.5, 2, 3, 4],
            "day": ["2020-01-01", "2020-02-01", "2021-01-01", "2020-05-05"],
        }
    )
    with an.read(table, person="id") as data:
        domain = draft_domain(data.engine, data.relation, data.roles)

    assert [column.kind for column in domain.columns] == ["categories", "numbers", "numbers", "dates"]
    assert domain.column("sex").missing and domain.column("age").size == 70 and domain.column("weight").size == 32
    assert (domain.unit, domain.records_per_unit) == ("id", 3)
    assert domain.drafted == ("sex", "age", "weight", "day", "records_per_unit") and not domain.declared
    assert "READ FROM THE DATA" in domain_text(domain)


def test_a_database_counts_the_same_cells_and_hands_out_no_record(tmp_path):
    """Of the same people the same records count, in every marginal; a draft from there is the same too."""
    chance = np.random.default_rng(1)
    rows = [
        (str(i // 3), "FM"[i % 2], int(chance.integers(0, 100)), float(chance.random()), f"2020-{i % 12 + 1:02d}-10") for i in range(300)
    ]
    with closing(sqlite3.connect(tmp_path / "visits.db")) as base:
        base.execute("CREATE TABLE visits (id TEXT, sex TEXT, age INTEGER, score REAL, day TEXT)")
        base.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?)", rows)
        base.commit()
    here = pa.table({name: [row[i] for row in rows] for i, name in enumerate(("id", "sex", "age", "score", "day"))})
    domain = parse_domain(
        'person = "id"\nrecords_per_person = 2\n[columns.sex]\ncategories = ["F", "M"]\n[columns.age]\nlower = 0\nupper = 99\nbins = 5\n'
        "[columns.score]\nlower = 0\nupper = 1\nbins = 4\n[columns.day]\nfirst = 2020-01-01\nlast = 2020-12-31\nmissing = true\n"
    )
    with an.read(f"sqlite:///{tmp_path / 'visits.db'}", table="visits", person="id") as there, an.read(here, person="id") as local:
        counts = [counts_of(d.engine, cell_table(d.engine, d.relation, domain), domain) for d in (there, local)]
        for columns in [(0,), (1,), (2,), (3,), (0, 1), (1, 3)]:
            assert counts[0].of(columns).tolist() == counts[1].of(columns).tolist()
        assert counts[0].of((0,)).sum() == 200
        assert draft_domain(there.engine, there.relation, there.roles) == draft_domain(local.engine, local.relation, local.roles)


def test_a_text_among_the_numbers_of_a_file_has_no_place_and_stops_nothing(tmp_path):
    """The reader of delimited text would convert a column that is used as a number only, and stop at the first that is none."""
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n" + "N,f\n" + "".join(f"{i % 90},{'fm'[i % 2]}\n" for i in range(200)))
    domain = parse_domain("[columns.age]\nlower = 0\nupper = 99\nwhole = true\nbins = 5\nmissing = true\n")
    with an.read(path) as data:
        name = cell_table(data.engine, data.relation, domain)
        counted = dict(data.engine.rows(f"SELECT k0, COUNT(*) FROM {name} GROUP BY k0"))

    assert counted[5] == 1 and sum(counted.values()) == 201
