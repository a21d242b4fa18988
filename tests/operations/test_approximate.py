"""Estimates from a sample of groups, held against slow counts of everything."""

import json
from collections import Counter
from random import Random

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import ColumnNotFound, OptionError
from anonscope.risk.counting.sketch import SIZES

COLUMNS = ("area", "age", "trade")


def people(records: int, seed: int = 4) -> pa.Table:
    """Return invented people of whom many are alone and some share everything; some values are the same text in two columns."""
    drawn = Random(seed)
    return pa.table(
        {
            "area": [str(int(90 * drawn.random() ** 2)) for _ in range(records)],
            "age": [drawn.randrange(20, 80) for _ in range(records)],
            "trade": [drawn.choice([None, "1", "2", str(drawn.randrange(40))]) for _ in range(records)],
        }
    )


def truth(table: pa.Table, columns: tuple[str, ...]) -> Counter[int]:
    """Return how many groups have each size, by counting records one by one."""
    return Counter(Counter(tuple(row[c] for c in columns) for row in table.to_pylist()).values())


def below(sizes: Counter[int], k: int) -> float:
    return sum(n * c for n, c in sizes.items() if n < k) / sum(n * c for n, c in sizes.items())


def test_a_small_table_is_counted_whole():
    """Every figure is exact, also with an attribute left out."""
    table = people(900)
    with an.read(table, quasi_identifiers=COLUMNS) as data:
        found = an.approximate(data)

    sizes = truth(table, COLUMNS)
    assert found.exact and found.sampled == found.groups.value == sizes.total()
    assert [b.share.value for b in found.below] == pytest.approx([below(sizes, k) for k in SIZES])
    assert all(b.share.low == b.share.value == b.share.high for b in found.below)
    for entry in found.without:
        assert entry.unique.value == pytest.approx(below(truth(table, tuple(c for c in COLUMNS if c != entry.attribute)), 2))


@pytest.mark.parametrize(("records", "groups"), [(20_000, 1500), (20_000, 200)])
def test_intervals_hold_the_truth(records, groups):
    """In at least nine of ten draws each, and the estimates differ from draw to draw."""
    table = people(records)
    sizes = truth(table, COLUMNS)
    wanted = {b: below(sizes, b) for b in SIZES} | {c: below(truth(table, tuple(x for x in COLUMNS if x != c)), 2) for c in COLUMNS}
    held: Counter[object] = Counter()
    values = set()
    with an.read(table, quasi_identifiers=COLUMNS) as data:
        for seed in range(30):
            found = an.approximate(data, groups=groups, seed=seed)
            shares = {b.k: b.share for b in found.below} | {w.attribute: w.unique for w in found.without}
            held.update(name for name, share in shares.items() if share.low <= wanted[name] <= share.high)
            held["groups"] += found.groups.low <= sizes.total() <= found.groups.high
            values.add(found.unique.value)
            assert not found.exact and found.sampled < 3 * groups

    assert len(values) > 20
    assert min(held[name] for name in [*wanted, "groups"]) >= 25
    assert held.total() >= 0.93 * 30 * (len(wanted) + 1)


def test_few_groups_of_many_records_take_another_pass():
    """The first draw finds next to none of them; the second finds all, and is exact."""
    table = pa.table({"sex": ["F", "M"] * 2_000, "part": [str(i % 3) for i in range(4_000)]})
    with an.read(table, quasi_identifiers=["sex", "part"]) as data:
        found = an.approximate(data, groups=100)

    assert found.passes > 1 and found.exact and found.sampled == 6 and found.unique.value == 0


def test_reports_say_that_it_is_no_verdict():
    """In every format, with the attribute first whose absence helps most."""
    with an.read(people(500), quasi_identifiers=COLUMNS) as data:
        found = an.approximate(data)

    assert "This is no verdict" in found.render("text") and "This is no verdict" in found.render("html")
    told = json.loads(found.render("json"))
    assert told["schema"] == "anonscope/approximation/1" and told["exact"] is True
    assert {entry["attribute"] for entry in told["without"]} == set(COLUMNS)
    least = min(found.without, key=lambda entry: entry.unique.value).attribute
    text = found.render("markdown")
    assert all(text.index(f"| {least} ") <= text.index(f"| {column} ") for column in COLUMNS)


def test_an_audit_that_estimates_judges_nothing(tmp_path):
    """So it never exits as if a policy were met, whatever the table."""
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n" + "31,F\n" * 400)
    done = CliRunner().invoke(app, ["audit", str(path), "-q", "age", "-q", "sex", "--approximate"])
    plain = CliRunner().invoke(app, ["approximate", str(path), "-q", "age", "-q", "sex"])

    assert (done.exit_code, plain.exit_code) == (1, 0)
    assert done.stdout == plain.stdout and "This is no verdict" in done.stdout


def test_bad_input_is_said():
    """Nobody to hide, nothing to hide by, too small a draw."""
    with an.read(people(10), quasi_identifiers=["age"]) as data, pytest.raises(OptionError, match="from 100 to"):
        an.approximate(data, groups=99)
    with an.read(people(10)) as data, pytest.raises(OptionError, match="none is named"):
        an.approximate(data)
    with pytest.raises(OptionError, match="read"):
        an.approximate(people(10))
    with pytest.raises(ColumnNotFound), an.read(people(10), quasi_identifiers=["shoe"]) as data:
        an.approximate(data)
