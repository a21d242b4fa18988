"""Every column that would be in a release is looked at by its values, whatever its role and whatever it is called."""

import random
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest

import anonscope as an
from anonscope.cli import main
from anonscope.errors import ColumnsWithoutRole, IdentifierGiven, NotPublished
from anonscope.transform.steps import GeneraliseMapping, Round

GIVEN = ["Anna", "Peter", "Maria", "Thomas", "Julia", "Markus", "Sabine", "Andreas", "Katrin", "Stefan", "Laura", "Michael"]
FAMILY = ["Schmidt", "Meyer", "Weber", "Wagner", "Becker", "Hoffmann", "Koch", "Richter", "Klein", "Wolf", "Neumann", "Schwarz"]
NAMES = [f"{given} {family}" for given in GIVEN for family in FAMILY]
REFUSED = (NotPublished, ColumnsWithoutRole, IdentifierGiven)
POLICY = {"limits": {"k_anonymity": 2}}
ROWS = 144
VALUES = {
    "full names": NAMES,
    "family names first": [f"{name.split()[1]}, {name.split()[0]}" for name in NAMES],
    "addresses in texts": [f"wrote to {name.replace(' ', '.').lower()}@mail.org" for name in NAMES],
    "one address in twenty codes": [f"p{i}@mail.org" if i % 20 == 0 else "ABC"[i % 3] for i in range(ROWS)],
    "names beside an illness": [f"flu, {name}" for name in NAMES],
    "names in texts": [f"The patient was seen by {name} in the afternoon and went home" for name in NAMES],
    "codes": [f"P-{1000 + 7 * i}" for i in range(ROWS)],
    "streets": [f"{family}straße {i}" for i in range(1, 13) for family in FAMILY],
    "telephones": [f"+49 170 {5550000 + 13 * i}" for i in range(ROWS)],
    "json": [f'{{"who": "{name}", "age": {i}}}' for i, name in enumerate(NAMES)],
}
COLUMNS = ["result", "treatment", "income", "religion", "score", "diagnosis_text", "outcome", "employer", "occupation"]


def table(**columns):
    draw = random.Random(5)
    rows = len(next(iter(columns.values())))
    return pa.table({"age": [20 + i % 4 for i in range(rows)], "diag": [draw.choice(["flu", "gout"]) for _ in range(rows)]} | columns)


@pytest.mark.parametrize("values", VALUES)
def test_no_name_of_a_column_takes_away_what_its_values_show(values):
    """Names of people in a column `result` were proposed as sensitive, and went out with "The policy is met"."""
    for column in COLUMNS:
        found = an.suggest(table(**{column: VALUES[values]}), time_budget=0)[column]
        assert found.role in ("direct identifier", "person"), (column, found.role)


@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive"])
@pytest.mark.parametrize("values", VALUES)
def test_no_role_takes_away_what_values_show(role, values):
    """Given as a quasi-identifier nothing was looked at; as sensitive the name of the column decided."""
    known = {"quasi_identifiers": ["age"], "sensitive": ["diag"]}
    known[role] = [*known[role], "result"]
    data = table(result=VALUES[values])
    with an.read(data, **known, acknowledge_rest="a word for all the rest") as opened:
        assert an.audit(opened, "trusted-internal").verdict.outcome == "withhold"
        with pytest.raises(REFUSED, match="result"):
            an.anonymise(opened, **POLICY)
    with an.read(data, **known, acknowledge={"result": "they agreed"}) as opened:
        assert an.audit(opened, "trusted-internal").verdict.outcome != "release"
        assert [c.said for c in an.audit(opened, "trusted-internal").verdict.telling] == ["they agreed"]


@pytest.mark.parametrize("column", ["full_name", "email", "phone", "ssn"])
def test_identifiers_that_repeat_are_no_quasi_identifiers(column, tmp_path, monkeypatch, capsys):
    """Six people with twelve records each met every policy: each class of twelve was one person."""
    made = {
        "full_name": NAMES[:6],
        "email": [f"a{i}@mail.org" for i in range(6)],
        "phone": [f"+49 170 {5550000 + 13 * i}" for i in range(6)],
        "ssn": [f"{100 + i}-{20 + i}-{4000 + 7 * i}" for i in range(6)],
    }[column]
    source = tmp_path / "v.csv"
    rows = [(value, "flu" if (i + j) % 2 else "gout") for i, value in enumerate(made) for j in range(12)]
    source.write_text(f"{column},diag\n" + "".join(f"{value},{ill}\n" for value, ill in rows))
    release = tmp_path / "r.csv"
    asked = ["anonymise", str(source), "-q", column, "-s", "diag", "--policy", "ema-0070", "-o", str(release)]
    monkeypatch.setattr(sys, "argv", ["anonscope", *asked])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1 and not release.exists()
    assert f"--acknowledge {column}=REASON" in capsys.readouterr().err.replace("'", "")
    with an.read(source, quasi_identifiers=[column], sensitive=["diag"]) as data:
        assert an.explore(data, policy="ema-0070").verdict.outcome == "withhold"


NESTED = {
    "struct": [{"name": name, "email": f"p{i}@mail.org"} for i, name in enumerate(NAMES)],
    "list": [[name, "x"] for name in NAMES],
    "map": pa.array([[(name, 1)] for name in NAMES], pa.map_(pa.string(), pa.int64())),
    "binary": [f"p{i}@mail.org".encode() for i in range(ROWS)],
    "bytes": [bytes([200, i, 255, 0]) for i in range(ROWS)],
}


@pytest.mark.parametrize("values", NESTED)
@pytest.mark.parametrize("column", ["x9", "measurements"])
def test_nested_values_are_looked_into(column, values, tmp_path):
    """`x9` of names and addresses "could not be told", and one word for all the rest published it."""
    source = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(table(**{column: NESTED[values]}), source)
    opened = an.read(source, quasi_identifiers=["age"], sensitive=["diag"], acknowledge_rest="laboratory")
    with opened as data, pytest.raises(REFUSED, match=column):
        an.anonymise(data, **POLICY)
    with an.read(source) as data, pytest.raises(REFUSED, match=column):
        an.apply(Round(column="age", to=10), data).save(tmp_path / "a.parquet")


def test_nested_values_that_name_nobody_need_one_word_for_all(tmp_path):
    with an.read(
        table(x9=[[i, i + 1] for i in range(ROWS)]), quasi_identifiers=["age"], sensitive=["diag"], acknowledge_rest="laboratory"
    ) as data:
        assert an.anonymise(data, **POLICY).met


RECODED = """
schema = "anonscope/recipe/1"
[[steps]]
apply = "recode"
quasi_identifiers = ["name"]
[[steps.rules]]
metric = "k_anonymity"
minimum = 1
"""


def test_a_step_that_names_a_column_is_no_treatment(tmp_path):
    """Recoding to classes of one wrote every name as it was."""
    recipe = tmp_path / "recode.toml"
    recipe.write_text(RECODED)
    with an.read(table(name=NAMES)) as data, pytest.raises(REFUSED, match="name"):
        an.apply(recipe, data).save(tmp_path / "r.csv")


def test_a_group_that_lists_its_people_names_them(tmp_path):
    """`{Anna Schmidt, Anna Meyer, ...}` is shared by eleven, and has all their names."""
    groups = tuple(tuple(NAMES[i : i + 12]) for i in range(0, ROWS, 12))
    step = GeneraliseMapping(column="name", groups=groups)
    for roles in ({}, {"direct_identifiers": ["name"]}):
        with an.read(table(name=NAMES), **roles) as data, pytest.raises(REFUSED, match="name"):
            an.apply(step, data).save(tmp_path / "r.csv")


@pytest.mark.parametrize("records", [2_000, 100_000])
def test_names_among_codes_are_seen_however_few(records, tmp_path):
    """Two names in a column of 2,000 codes went out by a reason for all the rest: a sample missed them."""
    draw = random.Random(5)
    codes = [f"{draw.choice('ABC')}{draw.randrange(100, 999)}" for _ in range(records)]
    codes[records // 3 + 1], codes[records // 2 + 1] = "Anna Schmidt", "Weber, Peter"
    made = pa.table({"age": [str(20 + i % 4) for i in range(records)], "code": codes})
    pyarrow.parquet.write_table(made, tmp_path / "t.parquet")
    for roles in ({}, {"sensitive": ["code"]}):
        with an.read(tmp_path / "t.parquet", quasi_identifiers=["age"], acknowledge_rest="codes of the laboratory", **roles) as data:
            assert an.audit(data, "trusted-internal").verdict.outcome == "withhold"


HARMLESS = {
    "city": ["Houston", "Jackson", "Madison", "Lincoln", "Austin", "Arlington", "Charlotte", "Denver", "Dallas", "Nashville"],
    "place_of_birth": [
        "San Jose",
        "San Juan",
        "Santa Maria",
        "San Antonio",
        "Santa Barbara",
        "San Diego",
        "San Pedro",
        "Santa Clara",
        "San Miguel",
    ],
    "county": ["Adams", "Allen", "Benton", "Clark", "Clay", "Douglas", "Franklin", "Grant", "Greene", "Hamilton", "Henry", "Jackson"],
    "employer": ["Siemens", "Bosch", "Ford", "Boeing", "Goldman Sachs", "Morgan Stanley", "Wells Fargo", "Lockheed Martin", "Merck"],
    "company": ["Müller GmbH", "Schmidt AG", "Weber KG", "Bäckerei Koch", "Autohaus Wagner", "Klein GmbH", "Richter Bau GmbH"],
    "diagnosis": ["Alzheimer", "Parkinson", "Crohn", "Hodgkin", "Down syndrome", "Huntington", "Graves", "Bell palsy", "Marfan"],
    "postcode": [f"{1011 + 17 * i} AB" for i in range(ROWS)],
    "dose": [f"{5 * i + 5}mg" for i in range(ROWS)],
    "blood_pressure": [f"{100 + i % 70}/{60 + i % 40}" for i in range(ROWS)],
    "icd": [f"{'ACEIJKMNS'[i % 9]}{10 + i % 80}.{i % 10}" for i in range(ROWS)],
}


@pytest.mark.parametrize("column", HARMLESS)
def test_what_people_have_is_no_identifier(column):
    """Where somebody lives is known to outsiders: called sensitive, that alone is for somebody to answer for."""
    made = [HARMLESS[column][i % len(HARMLESS[column])] for i in range(ROWS)]
    for role in ("quasi_identifiers", "sensitive"):
        with an.read(table(**{column: made}).select(["age", column]), **({"quasi_identifiers": ["age"]} | {role: [column]})) as data:
            asked = [c.column for c in an.audit(data, "trusted-internal").verdict.telling if not (role == "sensitive" and c.known)]
            assert asked == []
