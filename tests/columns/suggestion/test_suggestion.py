"""What people hold: roles with reasons, a file that an audit reads, and nothing that shows a value."""

import json
from dataclasses import FrozenInstanceError

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.roles import load
from anonscope.errors import ColumnNotFound, OptionError
from support import identified_people as people

SECRET = "Zebedee-Quux"
PATIENTS = {
    "name": [f"{SECRET} {i}" for i in range(60)],
    "age": [20 + i % 50 for i in range(60)],
    "sex": ["F", "M", "M"] * 20,
    "postcode": [f"0{1000 + i % 7}" for i in range(60)],
    "diagnosis": ["flu", "gout", SECRET] * 20,
    "flag": ["n"] * 59 + ["y"],
    'odd "name"\n\\ = [': ["a", "b", "c"] * 20,
}


@pytest.fixture(scope="module")
def found() -> an.Suggestion:
    return an.suggest(pa.table(PATIENTS))


def test_every_column_has_a_role_confidence_and_a_reason(found):
    """In the order of the table."""
    assert [c.name for c in found.columns] == list(PATIENTS)
    assert all(c.reasons for c in found.columns)
    assert {c.confidence for c in found.columns} <= {"low", "medium", "high"}
    assert found.roles.quasi_identifiers[:3] == ("age", "sex", "postcode")
    assert found.roles.sensitive == ("diagnosis",)
    assert found.roles.direct_identifiers == ("name",)


def test_a_rare_flag_is_not_sensitive_because_it_is_rare(found):
    """The risk rate of 50 % calls it sensitive; that is told, and not believed."""
    flag = found["flag"]

    assert flag.evidence.risk_rate == pytest.approx(50 * (1 + 1 / 59))
    assert flag.role == "insensitive"
    assert "calls it sensitive" in flag.disagreements[0]


def test_the_roles_file_makes_a_round_trip(found, tmp_path):
    """Reasons are comments, names may hold anything, and what is read are the roles."""
    path = tmp_path / "roles.toml"
    path.write_text(found.to_toml(), encoding="utf-8")

    assert load(path) == found.roles
    assert "# Its name ('age')" in path.read_text(encoding="utf-8")


def test_nothing_shows_a_value(found):
    """Neither text nor JSON, TOML, HTML nor repr."""
    shown = (found.to_text(), found.to_json(), found.to_toml(), found._repr_html_(), repr(found), found.to_frame().to_csv())

    assert not any(SECRET in text for text in shown)


def test_the_result_is_frozen_and_plain(found):
    """It outlives the connection, and JSON has no NaN."""
    with pytest.raises(FrozenInstanceError):
        found.source = "other"
    document = json.loads(found.to_json(), parse_constant=pytest.fail)
    assert document["schema"] == "anonscope/suggestion/1"
    assert [c["name"] for c in document["columns"]] == list(PATIENTS)
    assert len(found.to_frame()) == len(PATIENTS)


def test_hypertext_is_escaped():
    """A column name is the user's."""
    assert "<script>" not in an.suggest(pa.table({"<script>alert(1)</script>": ["a", "b"]}))._repr_html_()


def test_force_and_forbid():
    """What the user says goes first, and is said to be theirs."""
    found = an.suggest(pa.table(PATIENTS), force={"flag": "sensitive", "age": "insensitive"}, forbid=["postcode"])

    assert [found[c].role for c in ("flag", "age", "postcode")] == ["sensitive", "insensitive", "insensitive"]
    assert found["flag"].reasons == ("You said so.",)


@pytest.mark.parametrize(
    "options",
    [
        {"force": {"flag": "secret"}},
        {"force": {"flag": "sensitive"}, "forbid": ["flag"]},
        {"force": {"flag": "person", "age": "person"}},
        {"alpha": 1, "beta": 25},
        {"alpha": 101},
        {"time_budget": -1},
    ],
)
def test_options_that_mean_nothing(options):
    """Are refused before any work."""
    with pytest.raises(OptionError):
        an.suggest(pa.table(PATIENTS), **options)


def test_a_misspelt_column_is_named():
    """With the nearest one."""
    with pytest.raises(ColumnNotFound, match="'flag'"):
        an.suggest(pa.table(PATIENTS), forbid=["flagg"])


def test_given_roles_are_kept():
    """A suggestion fills in what its owner left open."""
    with an.read(pa.table(PATIENTS), sensitive=["age"]) as data:
        data.accept(an.suggest(data))
        assert data.roles.sensitive == ("age", "diagnosis")
        assert "age" not in data.roles.quasi_identifiers
        audit = an.audit(data)

    assert audit.suggestion is not None
    assert audit.roles.sensitive == ("age", "diagnosis")


def test_a_report_says_that_roles_were_proposed():
    """In every format; and nothing is said where roles were given."""
    table = pa.table(PATIENTS)
    with an.read(table, roles=an.suggest(table)) as data:
        proposed = an.audit(data)
    with an.read(table, quasi_identifiers=["age"]) as data:
        given = an.audit(data)

    for format in ("text", "markdown", "html"):
        assert "Roles were proposed by anonscope and accepted" in proposed.render(format)
        assert "Roles were proposed" not in given.render(format)
    assert proposed.to_dict()["suggestion"]["columns"][1]["role"] == "quasi-identifier"
    assert given.to_dict()["suggestion"] is None
    assert SECRET not in "".join(proposed.render(format) for format in ("text", "markdown", "html", "json"))


def test_the_same_table_gives_the_same_suggestion():
    """On every run, and whatever the order of the records."""
    columns = people.table()
    backwards = {name: values[::-1] for name, values in columns.items()}
    first, again, turned = (an.suggest(pa.table(c)).columns for c in (columns, columns, backwards))

    assert first == again
    assert [(c.name, c.role, c.confidence, c.type) for c in first] == [(c.name, c.role, c.confidence, c.type) for c in turned]


def test_the_bundled_sample_is_understood(tmp_path):
    """The roles that its authors gave are recovered."""
    from anonscope.io.samples import write_hospital

    sample = write_hospital(tmp_path)
    for table, roles in ((sample.patients, load(sample.patient_roles)), (sample.visits, load(sample.visit_roles))):
        found = an.suggest(table).roles
        assert set(roles.quasi_identifiers) <= set(found.quasi_identifiers)
        assert set(roles.sensitive) <= set(found.sensitive)
        assert found.person == roles.person
        assert set(roles.direct_identifiers) <= set(found.direct_identifiers)
