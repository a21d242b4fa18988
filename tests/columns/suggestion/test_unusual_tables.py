"""Tables that are wide, short, constant, mixed or full of long cells."""

import random
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

import anonscope as an


def test_one_column():
    """Nothing to combine, still a role."""
    found = an.suggest(pa.table({"age": list(range(20, 70))}))

    assert found["age"].role == "quasi-identifier"


def test_one_record():
    """Everything is unique and constant at once."""
    found = an.suggest(pa.table({"age": [40], "sex": ["F"], "name": ["Anna"], "x": [None]}))

    assert len(found.columns) == 4
    assert found["x"].role == "insensitive"


def test_a_thousand_columns():
    """The number of values looked at is lowered, and stated."""
    drawn = random.Random(1)
    table = pa.table({f"x{i}": [drawn.randrange(5) for _ in range(200)] for i in range(1000)})
    found = an.suggest(table, time_budget=1)

    assert len(found.columns) == 1000
    assert found.values_looked_at == 100


def test_constant_columns():
    """They say nothing about anybody, and are no person, whatever they are called."""
    found = an.suggest(pa.table({"age": [40] * 50, "patient_id": ["a"] * 50, "weight": [1.0] * 50, "sex": [None] * 50}))

    assert {c.role for c in found.columns} == {"insensitive"}
    assert found.search.combinations == ()


def test_all_unique_columns():
    """Codes and running numbers must go, amounts stay."""
    drawn = random.Random(2)
    found = an.suggest(
        pa.table(
            {
                "c1": [f"K{drawn.randrange(10**8):08}" for _ in range(300)],
                "c2": list(range(300)),
                "c3": [drawn.random() for _ in range(300)],
            }
        )
    )

    assert found.of("direct identifier") == ("c1", "c2")
    assert found["c3"].role == "sensitive"


def test_mixed_types():
    """A column of numbers, words and nothing is read as it prints."""
    frame = pd.DataFrame({"mixed": [1, "two", None, 3.5, "four"] * 10, "age": [20, 30, 40, 50, 60] * 10, "n": [Decimal("1.50")] * 50})
    found = an.suggest(frame)

    assert found["mixed"].type == "category"
    assert found["age"].role == "quasi-identifier"


def test_ten_megabyte_cells():
    """Only the beginning of a cell is looked at."""
    found = an.suggest(pa.table({"blob": ["x" * 10_000_000 + str(i) for i in range(4)], "sex": ["F", "M", "F", "M"]}))

    assert found["sex"].role == "quasi-identifier"
    assert found["blob"].evidence.values == 4
    assert len(found.to_json()) < 20_000


def test_nested_columns_are_left_aside():
    """With a reason, instead of an error about the whole table."""
    found = an.suggest(pa.table({"tags": [["a"], ["b", "c"]], "sex": ["F", "M"]}))

    assert found["tags"].type == "nested"
    assert "nested" in found["tags"].reasons[0]


def test_names_that_are_empty_odd_or_long():
    """Whatever a header holds."""
    names = ["\x00\x1b[31m", "名前", "a" * 5000, "'; DROP TABLE x; --", "=", "Ärger/€ %"]
    found = an.suggest(pa.table({name: ["a", "b", "c"] for name in names}))

    assert [c.name for c in found.columns] == names
    assert "\x1b" not in found.to_text()
    assert "\x1b" not in found.to_toml()


def test_infinite_numbers_and_huge_ones():
    """No NaN or infinity comes out."""
    found = an.suggest(
        pa.table({"x": [float("inf"), float("-inf"), float("nan"), 1e308, -0.0, 0.0], "y": ["1e999", "-1e999", "3", "4", "5", "6"]})
    )

    assert "Infinity" not in found.to_json()
    assert "NaN" not in found.to_json()


@pytest.mark.parametrize("rows", [1, 10, 1000])
def test_only_the_first_records(rows):
    """What `rows` leaves out is not looked at."""
    with an.read(pa.table({"age": list(range(2000))}), rows=rows) as data:
        assert an.suggest(data).records == rows


def test_values_beyond_the_sample_count():
    """Distinct and missing values are exact where shapes are sampled."""
    rows = 50_000
    column = [f"{i:07}" if i % 10 else None for i in range(rows)]
    evidence = an.suggest(pa.table({"x": column, "sex": ["F", "M"] * (rows // 2)}), time_budget=0)["x"].evidence

    assert evidence.values == rows * 9 // 10
    assert evidence.missing == pytest.approx(0.1)
