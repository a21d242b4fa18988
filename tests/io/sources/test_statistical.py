"""Files of SPSS, SAS and Stata: codes as stored, missing as the file says, labels kept, and releases that go back with them."""

import datetime
import json

import pandas as pd
import pyreadstat
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError, MissingExtra, OutputError, SourceError

PEOPLE = pd.DataFrame(
    {
        "v1": [30.0, 31, 30, 31, 99, 30, 31, 30],
        "v2": [1.0, 2, 1, 2, 1, 2, 1, 2],
        "born": [datetime.date(1990, 1, 1 + i % 2) for i in range(8)],
        "town": ["Ulm", "Bonn", "", "Ulm"] * 2,
    }
)
LABELS = {"v1": "Age in years", "v2": "Sex of the respondent", "town": "Place of residence"}
CODES = {"v2": {1: "male", 2: "female", 3: "diverse"}}


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.sav"
    pyreadstat.write_sav(PEOPLE, str(path), column_labels=LABELS, variable_value_labels=CODES, missing_ranges={"v1": [99]})
    return path


def cells(path):
    with an.read(path) as data:
        selected = ", ".join(f"CAST(c{i} AS VARCHAR)" for i in range(len(data.columns)))
        return data.columns, data.engine.rows(f"SELECT {selected} FROM {data.relation.origin}"), data.relation


@pytest.mark.parametrize("ending", [".sav", ".zsav", ".por", ".xpt", ".dta"])
def test_every_format_is_read_alike(tmp_path, ending):
    """Whole numbers as such, days as days, an empty text as missing; whatever the file is called."""
    path = tmp_path / f"people{ending}"
    frame = PEOPLE.drop(columns=["born"]) if ending == ".dta" else PEOPLE
    if ending in (".sav", ".zsav"):
        pyreadstat.write_sav(frame, str(path), compress=ending == ".zsav")
    else:
        {".por": pyreadstat.write_por, ".xpt": pyreadstat.write_xport, ".dta": pyreadstat.write_dta}[ending](frame, str(path))
    columns, rows, _ = cells(path)
    assert [column.lower() for column in columns] == list(frame.columns)
    assert rows[2][:2] == ("30", "1") and rows[2][-1] is None and rows[0][-1] == "Ulm"
    if ending != ".dta":
        assert rows[1][2] == "1990-01-02"
    if ending != ".por":  # which says what it is only together with its name
        other = path.rename(tmp_path / "unknown")
        assert cells(other)[0] == columns


def test_what_the_file_calls_missing_is_missing(survey):
    """And it is said so; labels are kept beside the table, not counted."""
    _, rows, relation = cells(survey)
    assert rows[4][0] is None
    assert relation.labels.missing == ("v1",) and "'v1'" in relation.notes[0]
    assert relation.labels.columns == LABELS and relation.labels.values["v2"] == {"1": "male", "2": "female", "3": "diverse"}


def test_labels_of_the_file_say_which_column_is_what(survey, tmp_path):
    """Names that say nothing are told by their labels: of the file itself, or of another one as dictionary; a word given goes first."""
    with an.read(survey) as data:
        told = {c.name: c for c in an.suggest(data).columns}["v2"]
        other = {c.name: c for c in an.suggest(data, dictionary={"v2": "Survey weight"}).columns}["v2"]
    bare = tmp_path / "bare.csv"
    PEOPLE.to_csv(bare, index=False)
    with an.read(bare) as data:
        unlabelled = {c.name: c for c in an.suggest(data).columns}["v2"]
        by_file = {c.name: c for c in an.suggest(data, dictionary=survey).columns}["v2"]
    assert any("Sex" in reason or "sex" in reason for reason in told.reasons) and told.role == "quasi-identifier"
    assert other.reasons != told.reasons and not any("sex" in reason.lower() for reason in other.reasons)
    # What its own codes stand for, a file says of itself only.
    assert unlabelled.reasons != by_file.reasons == told.reasons[:-1]


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_a_release_goes_back_with_the_labels_that_still_hold(survey, tmp_path, ending):
    """Labels of columns stay, and of codes that are still there; a code that nobody has is not told. It verifies as published."""
    target = tmp_path / f"release{ending}"
    roles = {"quasi_identifiers": ["v1", "v2"], "sensitive": ["town"], "direct_identifiers": ["born"]}
    with an.read(survey, **roles, acknowledge={"town": "of three large ones"}) as data:
        an.anonymise(data, limits={"k_anonymity": 2}, levels={"v2": 0}).write(target)
    read = pyreadstat.read_sav if ending == ".sav" else pyreadstat.read_dta
    _, told = read(str(target))
    assert told.column_names_to_labels["v2"] == LABELS["v2"]
    assert {float(code): label for code, label in told.variable_value_labels["v2"].items()} == {1.0: "male", 2.0: "female"}
    assert an.verify(target).holds
    with target.open("ab") as file:
        file.write(b" ")
    assert not an.verify(target).holds


GRADERS = ["Hans Huber", "Peter Meier", "Anna Keller", "Maria Frei", "Urs Graf"]
BANDS = {1: "10000-14999", 2: "15000-19999", 3: "20000-24999", 4: "25000-29999", 5: "30000 and more"}


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_labels_that_tell_who_somebody_is_are_in_no_release(tmp_path, ending):
    """Neither codes that stand for names, nor one address among labels of codes or of columns; the rest stays, and a note says so."""
    frame = pd.DataFrame({"age": [20.0, 30] * 20, "grade": [float(1 + i % 5) for i in range(40)], "diag": [1.0, 2, 3, 1] * 10})
    frame["pay"] = frame["grade"]
    source, target = tmp_path / f"table{ending}", tmp_path / f"release{ending}"
    write, read = (getattr(pyreadstat, f"{verb}_{ending[1:]}") for verb in ("write", "read"))
    codes = {"grade": dict(enumerate(GRADERS, 1)), "diag": {1: "flu", 2: "cold", 3: "see anna.meier@mail.ch"}, "pay": BANDS}
    labels = {"age": "Age", "grade": "Given by Hans Huber", "diag": "Dx of anna.meier@mail.ch", "pay": "Income band"}
    write(frame, str(source), column_labels=labels, variable_value_labels=codes)
    asked = ["anonymise", str(source), "-q", "age", "-s", "grade", "-s", "diag", "-s", "pay", "--limit", "k_anonymity=3"]
    done = CliRunner().invoke(app, [*asked, "-o", str(target)])
    assert done.exit_code == 0, done.output
    _, told = read(str(target))
    assert {name: label for name, label in told.column_names_to_labels.items() if label} == {"age": "Age", "pay": "Income band"}
    assert set(told.variable_value_labels) == {"diag", "pay"}
    assert set(told.variable_value_labels["diag"].values()) == {"flu", "cold"}
    assert set(told.variable_value_labels["pay"].values()) == set(BANDS.values())
    said = " ".join(done.output.split())
    assert "What codes of 'grade', 'diag' stand for" in said and "What the file says 'grade', 'diag' is about" in said
    for path in tmp_path.iterdir():
        assert path == source or path.is_dir() or not any(word in path.read_bytes() for word in (b"Huber", b"meier@"))


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Dx of anna.meier@mail.ch", True),
        ("call +41 44 668 18 00", True),
        ("CH9300762011623852957", True),
        ("SSN 536-90-4399", True),
        ("as told by Anna Meier", True),
        ("A. Schmidt", True),
        ("Age in years", False),
        ("10000-14999", False),
        ("1990-1999", False),
        ("Yes, always", False),
        ("Strongly agree", False),
        ("North Holland", False),
    ],
)
def test_one_label_alone_tells_of_somebody_or_not(text, tells):
    """No other label has to bear it out."""
    from anonscope.columns.suggestion.by_values import tells_of_somebody

    assert tells_of_somebody(text) is tells


def test_names_that_a_program_does_not_allow_are_told(tmp_path):
    """Nothing is written, and no value is in the sentence."""
    with an.read(pd.DataFrame({"a b": [1, 1], "c": ["x", "y"]}), quasi_identifiers=["a b"], sensitive=["c"]) as data:
        made = an.anonymise(data, limits={"k_anonymity": 2})
        with pytest.raises(OutputError, match="not one that it allows"):
            made.write(tmp_path / "release.sav")
    assert list(tmp_path.iterdir()) == []


def test_hierarchies_to_edit_say_what_codes_stand_for(survey, tmp_path):
    """So that groups can be named by them."""
    edited = tmp_path / "edit.toml"
    done = CliRunner().invoke(app, ["hierarchy", str(survey), "-q", "v2", "-q", "v1", "--edit", str(edited)])
    assert done.exit_code == 0, done.output
    assert '# "1" stands for "male"' in edited.read_text(encoding="utf-8")
    assert an.read_hierarchy(edited, "v2").leaves == ("1", "2")


def test_a_file_that_is_none_is_told(tmp_path, monkeypatch, survey):
    """Damaged, cut, a table of SAS that has only its beginning; and a library that is not there."""
    for name, content in (
        ("a.sav", b"$FL2 nothing"),
        ("a.sas7bdat", bytes(12) + b"\xc2\xea\x81\x60" + bytes(500)),
        ("a.dta", b"x,y\n1,2\n"),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(SourceError, match="not a readable"):
            an.read(tmp_path / name)
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat", None)
    with pytest.raises(MissingExtra, match=r"anonscope\[stats\]"):
        an.read(survey)


DDI = """<?xml version="1.0"?><codeBook xmlns="ddi:codebook:2_5"><dataDscr>
<var name="v2"><labl>Sex of the
 respondent</labl><catgry><catValu>1</catValu><labl>male</labl></catgry></var><var name="v1"/></dataDscr></codeBook>"""


def test_a_codebook_in_xml_is_a_dictionary(tmp_path):
    """Labels of variables, not of their answers; what defines entities, or is no XML, is refused."""
    from anonscope.columns.suggestion.dictionary import labels_in, read_dictionary

    path = tmp_path / "codebook.xml"
    path.write_text(DDI, encoding="utf-8")
    assert read_dictionary(path) == labels_in(DDI) == {"v2": "Sex of the respondent"}
    bomb = '<!DOCTYPE a [<!ENTITY b "c">]><codeBook><var name="x"><labl>&b;</labl></var></codeBook>'
    for wrong in (bomb, "<codeBook><var", "<codeBook></codeBook>"):
        path.write_text(wrong, encoding="utf-8")
        with pytest.raises(AnonscopeError, match="dictionary"):
            read_dictionary(path)


def test_what_codes_stand_for_tells_roles_and_is_in_their_report(tmp_path):
    """Codes say nothing, their labels do; labels that are names of people are in no report."""
    people = pd.DataFrame(
        {"q17": [1.0, 2.0, 1.0, 2.0] * 5, "q18": [1.0, 2.0, 3.0, 4.0] * 5, "q19": [1.0, 2.0] * 10, "q20": [1.0, 2.0, 3.0, 1.0] * 5}
    )
    codes = {
        "q17": {1.0: "Male", 2.0: "Female"},
        "q18": {1.0: "Married", 2.0: "Divorced", 3.0: "Widowed", 4.0: "Single"},
        "q20": {1.0: "Maria Schmidt", 2.0: "Peter Johnson", 3.0: "Anna Kowalska"},
    }
    path = tmp_path / "people.sav"
    pyreadstat.write_sav(people, str(path), variable_value_labels=codes)
    found = an.suggest(path)
    assert found["q17"].evidence.concept == "sex" and found["q17"].role == "quasi-identifier"
    assert "What its codes stand for, as the file says, tells that it is about" in " ".join(found["q17"].reasons)
    assert found["q18"].evidence.concept == "marital_status" and found["q19"].evidence.concept is None
    for text in (found.to_text(), json.dumps(found.to_dict())):
        assert "The file says what its codes stand for: Married, Divorced, Widowed, Single." in text and "Schmidt" not in text
    pyreadstat.write_sav(people, str(path))
    assert an.suggest(path)["q17"].evidence.concept is None
