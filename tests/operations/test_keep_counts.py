"""Counts of a table that comes in parts: the same numbers as of the whole, secrets kept, and never a yes that the whole would not get."""

import json
import random
import re
import stat

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import CountsError, OptionError

HEAD = ("sex", "age", "area", "income", "illness", "who")
PARTS = (150, 40, 25)


def drawn(seed, count, areas):
    draw = random.Random(seed)
    return [
        (
            *(draw.choice(["female", "male", ""]), draw.randint(20, 25), draw.choice(areas)),
            *(
                draw.choice(["", 9, 10, 100, 1000 + seed]),
                draw.choice(["influenza", "gout", f"illness-{seed}"]),
                f"person-{draw.randint(1, 50)}",
            ),
        )
        for _ in range(count)
    ]


def text(rows, head=HEAD):
    return "".join(",".join(map(str, row)) + "\n" for row in (head, *rows))


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Three parts, of which each has values that no other one has, and all of them as one table."""
    folder = tmp_path_factory.mktemp("parts")
    parts = [drawn(i, count, ["north", "south", f"area-{i}"]) for i, count in enumerate(PARTS)]
    for i, rows in enumerate(parts):
        (folder / f"part-{i}.csv").write_text(text(rows))
    (folder / "whole.csv").write_text(text([row for rows in parts for row in rows]))
    return folder


ROLES = {
    "events": {"quasi_identifiers": ["sex", "age", "area"], "sensitive": ["income", "illness"], "person": "who"},
    "one sensitive": {"quasi_identifiers": ["sex", "age", "area"], "sensitive": ["income"], "insensitive": ["illness", "who"]},
    "two sensitive": {"quasi_identifiers": ["sex", "area"], "sensitive": ["illness", "income"], "insensitive": ["age", "who"]},
    "none sensitive": {"quasi_identifiers": ["age", "area"], "insensitive": ["sex", "illness", "income", "who"]},
}


def measured(audit):
    return {
        (m.metric, m.scenario, m.attributes, m.sensitive, m.variant, m.level, m.count, m.status, m.reason): [
            x for x in (m.value, m.min, m.mean, m.max, m.sum) if x is not None
        ]
        for m in audit.measurements
    }


def assert_same(found, whole):
    assert measured(found).keys() == measured(whole).keys()
    for what, numbers in measured(whole).items():
        assert measured(found)[what] == pytest.approx(numbers, rel=1e-9, abs=1e-12), what
    assert (found.rows, found.persons, found.verdict.outcome) == (whole.rows, whole.persons, whole.verdict.outcome)
    assert [(r.rule, r.status) for r in found.verdict.rules] == [(r.rule, r.status) for r in whole.verdict.rules]
    assert found.missing == pytest.approx(whole.missing)
    assert [s.sizes for s in found.scenarios] == [s.sizes for s in whole.scenarios]


@pytest.mark.parametrize("name", ROLES)
def test_parts_are_measured_as_the_whole(tables, tmp_path, name):
    """After every part all numbers are those of a table with all records so far; the folder is the part's only news of the others."""
    kept = {"keep_counts": tmp_path / "counts", "counts_key": tmp_path / "key"}
    for i in range(3):
        found = an.audit(tables / f"part-{i}.csv", joined=True, **ROLES[name], **kept)
        assert found.rows == sum(PARTS[: i + 1])
    assert_same(found, an.audit(tables / "whole.csv", joined=True, **ROLES[name]))


def test_many_columns_and_some_metrics_only(tmp_path):
    """Words that hold the codes change as values come; so do missing values where single columns are not looked at."""
    draw = random.Random(5)
    names = [f"column {i}" for i in range(14)]
    parts = [[[draw.choice(["", *range(40 * (i + 1))]) for _ in names] for _ in range(30)] for i in range(2)]
    paths = []
    for i, rows in enumerate([*parts, [*parts[0], *parts[1]]]):
        paths.append(tmp_path / f"{i}.csv")
        paths[-1].write_text(text(rows, names))
    roles = {"quasi_identifiers": names[:-1], "sensitive": names[-1:]}
    kept = {"keep_counts": tmp_path / "counts", "counts_key": tmp_path / "key"}
    an.audit(paths[0], only=["k_anonymity"], **roles, **kept)
    unkept = {"with_counts": tmp_path / "counts", "counts_key": tmp_path / "key"}
    assert_same(an.audit(paths[1], only=["k_anonymity"], **roles, **unkept), an.audit(paths[2], only=["k_anonymity"], **roles))
    assert_same(an.audit(paths[1], **roles, **kept), an.audit(paths[2], **roles))


@pytest.fixture
def counts(tables, tmp_path):
    """What an audit of the second part takes, after one of the first was kept."""
    kept = {"keep_counts": tmp_path / "counts", "counts_key": tmp_path / "key"} | ROLES["events"]
    an.audit(tables / "part-0.csv", **kept)
    return kept


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_part_is_never_counted_twice(tables, counts, tmp_path):
    """The same records again, in another order and another format, or all parts once more, change nothing: groups do not grow."""
    rows = [line.split(",") for line in (tables / "part-0.csv").read_text().splitlines()[1:]]
    random.Random(1).shuffle(rows)
    again = pa.table({name: [row[i] or None for row in rows] for i, name in enumerate(HEAD)})
    pq.write_table(again, tmp_path / "again.parquet")
    before = content(counts["keep_counts"])
    found = an.audit(tmp_path / "again.parquet", **counts)
    assert found.rows == PARTS[0]
    assert "were counted already" in found.warnings[0]
    assert content(counts["keep_counts"]) == before
    assert an.audit(tables / "part-1.csv", **counts).rows == PARTS[0] + PARTS[1]
    (tmp_path / "both.csv").write_text((tables / "part-1.csv").read_text() + (tables / "part-0.csv").read_text().partition("\n")[2])
    assert an.audit(tmp_path / "both.csv", **counts).rows == PARTS[0] + PARTS[1]
    with pytest.raises(CountsError, match="looks like the whole table"):
        an.audit(tables / "whole.csv", **counts)


def test_the_folder_is_private_and_tells_no_value(tables, counts, tmp_path):
    """Only its owner enters it, its key lies elsewhere, and no value of any column stands in it."""
    an.audit(tables / "part-1.csv", **counts)
    folder = counts["keep_counts"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in (*folder.iterdir(), counts["counts_key"])} == {0o600}
    assert len(list(folder.iterdir())) == 3
    key = counts["counts_key"].read_bytes().strip()
    rows = [row for i in (0, 1) for row in drawn(i, PARTS[i], ["north", "south", f"area-{i}"])]
    # Words only: digits may stand in a hash or a count by chance.
    cells = {cell for row in rows for cell in row if isinstance(cell, str) and len(cell) > 3}
    stored = [column.to_pylist() for path in folder.glob("*.parquet") for column in pq.read_table(path).columns]
    texts = {str(value) for values in stored for value in values}
    assert len(cells) > 40
    assert not cells & texts
    assert not any(cell.encode() in whole for whole in content(folder).values() for cell in (*cells, key.decode()))


def test_what_if_a_part_were_appended(tables, counts):
    """`with_counts` gives the numbers of all parts and leaves the folder as it is."""
    before = content(counts["keep_counts"])
    asked = {k: v for k, v in counts.items() if k != "keep_counts"} | {"with_counts": counts["keep_counts"]}
    found = an.audit(tables / "part-1.csv", **asked)
    assert found.rows == PARTS[0] + PARTS[1]
    assert content(counts["keep_counts"]) == before


def test_another_key_or_a_change_is_told(tables, counts, tmp_path):
    """Counts that were kept with another key, or that differ by a bit from what was kept, say nothing, and stay as they are."""
    folder = counts["keep_counts"]
    whole = content(folder)
    other = tmp_path / "other"
    other.write_text("0123456789abcdef" * 2)
    other.chmod(0o600)
    with pytest.raises(CountsError, match="with another one"):
        an.audit(tables / "part-1.csv", **counts | {"counts_key": other})
    for name, bytes_ in whole.items():
        changed = bytearray(bytes_)
        changed[len(changed) // 2] ^= 1
        for damaged in (bytes(changed), bytes_[:-9], b""):
            (folder / name).write_bytes(damaged)
            with pytest.raises(CountsError, match=r"damaged or were changed|with another one|another version"):
                an.audit(tables / "part-1.csv", **counts)
        (folder / name).unlink()
        if name != "counts.json":
            with pytest.raises(CountsError, match="damaged or were changed"):
                an.audit(tables / "part-1.csv", **counts)
        (folder / name).write_bytes(bytes_)
    forged = json.loads(whole["counts.json"])
    forged["counts"]["parts"][0][0] += 1
    (folder / "counts.json").write_text(json.dumps(forged))
    with pytest.raises(CountsError, match="damaged or were changed"):
        an.audit(tables / "part-1.csv", **counts)
    (folder / "counts.json").write_bytes(whole["counts.json"])
    assert an.audit(tables / "part-1.csv", **counts).rows == PARTS[0] + PARTS[1]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"quasi_identifiers": ["sex", "age"], "insensitive": ["area"]},
            "quasi-identifiers 'sex', 'age', 'area', and this one 'sex', 'age'",
        ),
        ({"sensitive": ["illness"], "insensitive": ["income"]}, "sensitive attributes 'income', 'illness', and this one 'illness'"),
        ({"person": None, "insensitive": ["who"]}, "counts people by 'who', and this one none"),
        ({"rows": 10}, "counted whole"),
        ({"weight": "age", "quasi_identifiers": ["sex", "area"]}, "weights are not kept"),
        ({"population": "whole.csv"}, "population is matched by values"),
        ({"policy": "hipaa-safe-harbor"}, "goes through the values"),
        ({"explain": True}, "reasons rest on values"),
    ],
)
def test_what_does_not_fit_is_refused(tables, counts, changed, said):
    """Other roles, and all that counts do not tell, is a sentence; the folder stays as it is."""
    before = content(counts["keep_counts"])
    asked = counts | changed
    if "population" in changed:
        asked["population"] = tables / "whole.csv"
    with pytest.raises(CountsError, match=re.escape(said)):
        an.audit(tables / "part-1.csv", **asked)
    assert content(counts["keep_counts"]) == before


def test_other_columns_are_refused(tables, counts, tmp_path):
    """A part has the columns of the others, in whatever order."""
    lines = (tables / "part-1.csv").read_text().splitlines()
    (tmp_path / "more.csv").write_text("\n".join(f"{line},{'more' if i == 0 else i}" for i, line in enumerate(lines)) + "\n")
    with pytest.raises(CountsError, match="has the columns"):
        an.audit(tmp_path / "more.csv", **counts)
    turned = [line.split(",") for line in lines]
    (tmp_path / "turned.csv").write_text("\n".join(",".join(row[::-1]) for row in turned) + "\n")
    assert an.audit(tmp_path / "turned.csv", **counts).rows == PARTS[0] + PARTS[1]


def test_folders_that_are_no_place_for_counts(tables, tmp_path):
    """Not beside the key, not where others enter, not among other things, not without a key, not from nothing."""
    table, roles, key = tables / "part-0.csv", ROLES["events"], tmp_path / "key"
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "full").mkdir(mode=0o700)
    (tmp_path / "full" / "letter.txt").write_text("dear")
    for folder, secret, said in (
        (tmp_path / "new", tmp_path / "new" / "key", "must not lie in"),
        (tmp_path / "open", key, "Others may enter"),
        (tmp_path / "full", key, "other things"),
        (table, key, "is a file"),
        (tmp_path / "no" / "where", key, "does not exist"),
    ):
        with pytest.raises(CountsError, match=said):
            an.audit(table, keep_counts=folder, counts_key=secret, **roles)
    with pytest.raises(CountsError, match="No counts are kept"):
        an.audit(table, with_counts=tmp_path / "new", counts_key=key, **roles)
    for asked in ({"keep_counts": tmp_path / "new"}, {"counts_key": key}, {"keep_counts": "a", "with_counts": "b", "counts_key": key}):
        with pytest.raises(OptionError):
            an.audit(table, **asked, **roles)
    assert not (tmp_path / "new").exists()
    key.write_text("short")
    key.chmod(0o600)
    with pytest.raises(CountsError, match="5 bytes"):
        an.audit(table, keep_counts=tmp_path / "new", counts_key=key, **roles)
    key.chmod(0o644)
    with pytest.raises(CountsError, match="read or changed by others"):
        an.audit(table, keep_counts=tmp_path / "new", counts_key=key, **roles)


def test_ids_that_may_return_are_refused(tables, tmp_path):
    """Without a person, a column that might tell that somebody is in two parts is not passed over."""
    kept = {"keep_counts": tmp_path / "counts", "counts_key": tmp_path / "key", "quasi_identifiers": ["sex", "age", "area"]}
    others = {"sensitive": ["income", "illness"]}
    for roles in ({}, {"direct_identifiers": ["who"]}):
        with pytest.raises(CountsError, match="'who' may"):
            an.audit(tables / "part-0.csv", **kept, **others, **roles)
    (tmp_path / "ids.csv").write_text("patient_id,age\n1,30\n2,31\n")
    with pytest.raises(CountsError, match="'patient_id' may"):
        an.audit(tmp_path / "ids.csv", **kept | {"quasi_identifiers": ["patient_id", "age"]})


def test_an_id_under_another_role_is_refused(tmp_path):
    """What looks like an id of people is no quasi-identifier of a table in parts, whether it repeats in this part or not."""
    for name, rows in (("once", range(40)), ("again", [*range(20), *range(20)])):
        path = tmp_path / f"{name}.csv"
        path.write_text("patient,age\n" + "".join(f"P{10_000 + 7 * i},{30 + i % 5}\n" for i in rows))
        kept = {"keep_counts": tmp_path / "counts", "counts_key": tmp_path / "key", "quasi_identifiers": ["patient", "age"]}
        with pytest.raises(CountsError, match="'patient'"):
            an.audit(path, **kept)
    assert not (tmp_path / "counts").exists()


def test_what_an_earlier_part_showed_stands(tmp_path):
    """An address in a column of the first part, and a value in two forms over two parts, withhold the table as they do as a whole."""
    first = pa.table({"area": ["a", "b"] * 20, "note": ["x", ""] * 20})
    named = first.set_column(0, "area", pa.array(["a", "somebody.real@example.org"] * 20))
    second = pa.table({"area": ["a", "b"] * 15, "note": ["x", None] * 15})
    roles = {"quasi_identifiers": ["area"], "sensitive": ["note"]}
    for name, one in (("named", named), ("forms", first)):
        paths = [tmp_path / f"{name}-{i}.parquet" for i in range(3)]
        for path, table in zip(paths, (one, second, pa.concat_tables([one, second])), strict=True):
            pq.write_table(table, path)
        kept = {"keep_counts": tmp_path / name, "counts_key": tmp_path / "key"}
        an.audit(paths[0], "pipeline", **roles, **kept)
        found, whole = an.audit(paths[1], "pipeline", **roles, **kept), an.audit(paths[2], "pipeline", **roles)
        assert_same(found, whole)
        assert [w for w in whole.warnings if w not in found.warnings] == []
        assert whole.warnings


def test_what_needs_records_is_refused(tables, counts):
    """Reasons, records and plans are about records, of which there are counts only."""
    with an.read(tables / "part-1.csv", **ROLES["events"]) as data:
        found = an.audit(data, keep_counts=counts["keep_counts"], counts_key=counts["counts_key"])
        for ask in (found.why, found.records, found.plan):
            with pytest.raises(OptionError, match="only counts are kept"):
                ask()
    assert found.source_hash is None


def test_at_the_prompt(tables, tmp_path):
    """It says what was kept and that it is secret; no plan is looked for, and a list of records is refused."""
    roles = ["-q", "sex", "-q", "age", "-q", "area", "-s", "illness", "-i", "income", "-p", "who"]
    kept = ["--keep-counts", str(tmp_path / "counts"), "--counts-key", str(tmp_path / "key")]
    for i in (0, 1):
        done = CliRunner().invoke(app, ["audit", str(tables / f"part-{i}.csv"), *roles, *kept, "--quiet"])
        assert done.exit_code == 1
        assert f"Counts of {sum(PARTS[: i + 1])} records are kept in 'counts'. They are as secret as the data" in done.stderr
        assert "PLAN" not in done.stdout
    done = CliRunner().invoke(app, ["audit", str(tables / "part-2.csv"), *roles, *kept, "--records", str(tmp_path / "r.csv")])
    assert isinstance(done.exception, OptionError)
    assert not (tmp_path / "r.csv").exists()
