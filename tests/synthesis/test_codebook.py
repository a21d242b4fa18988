"""A domain drafted from a codebook: what it bounds is declared, what it does not is read from the data and marked."""

import json

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import OptionError
from anonscope.synthesis.codebook import read_codebook
from anonscope.synthesis.domain import Categories, Dates, Numbers
from anonscope.synthesis.domain_file import load_domain

SCHEMA = {
    "fields": [
        {"name": "sex", "type": "string", "constraints": {"enum": ["F", "M", "X"], "required": True}},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 110}},
        {"name": "seen", "type": "date", "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}},
        {"name": "weight", "type": "number", "constraints": {"minimum": 0.5, "maximum": 250}},
        {"name": "free", "type": "string"},
    ]
}
CSV = "variable,value,label,minimum,maximum\nsex,F,female,,\nsex,M,male,,\nage,,years,0,110\n"


def test_a_table_schema_declares_its_bounds(tmp_path):
    """Enumerations, whole and other numbers, dates; what it does not bound is left out, and what is not required may be missing."""
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(SCHEMA))
    found = read_codebook(path)

    assert set(found) == {"sex", "age", "seen", "weight"}
    assert isinstance(found["sex"], Categories) and found["sex"].categories == ("F", "M", "X") and not found["sex"].missing
    assert isinstance(found["age"], Numbers) and (found["age"].lower, found["age"].upper, found["age"].decimals) == (0, 110, 0)
    assert isinstance(found["weight"], Numbers) and found["weight"].decimals is None and found["weight"].missing
    assert isinstance(found["seen"], Dates) and found["seen"].unit == "month"


def test_tables_and_mappings_are_codebooks_too(tmp_path):
    """A line for every value, or an object of values; many whole numbers are numbers."""
    table, mapping = tmp_path / "book.csv", tmp_path / "book.json"
    table.write_text(CSV)
    mapping.write_text(json.dumps({"SEX": {"values": {"1": "Male", "2": "Female"}}, "AGEP": {"values": {str(i): "" for i in range(100)}}}))

    assert read_codebook(table)["sex"].labels == ("F", "M", None) and read_codebook(table)["age"].present == 111
    found = read_codebook(mapping)
    assert found["SEX"].labels == ("1", "2", None) and isinstance(found["AGEP"], Numbers) and found["AGEP"].upper == 99


def test_only_what_no_codebook_bounds_is_marked_as_read_from_the_data(tmp_path, monkeypatch):
    """With all columns bounded a guarantee holds; with one that is not it does not, and says which."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book.csv").write_text(CSV)
    (tmp_path / "people.csv").write_text("sex,age,ward\n" + "".join(f"{'FM'[i % 2]},{i % 90},{'ab'[i % 2]}\n" for i in range(200)))
    run = CliRunner().invoke
    said = ["synthesise", "people.csv", "--dictionary", "book.csv", "--draft-domain", "domain.toml"]
    assert run(app, said).exit_code == 0
    domain = load_domain(tmp_path / "domain.toml")
    assert domain.drafted == ("ward",) and domain.column("age").size == 112

    with an.read(pa.table({"sex": ["F", "M"] * 50, "age": list(range(100))})) as data:
        whole = an.draft_domain(data, dictionary=tmp_path / "book.csv")
        assert whole.declared and an.synthesise(data, whole, epsilon=1).guarantee.holds


@pytest.mark.parametrize("text", ["", "{", '{"fields": []}', "a,b\n1,2\n"])
def test_what_is_no_codebook_is_a_sentence(tmp_path, text):
    """And so is one that is not there."""
    path = tmp_path / "book"
    path.write_text(text)
    with pytest.raises(OptionError, match="codebook"):
        read_codebook(path)
    with pytest.raises(OptionError, match="There is no codebook"):
        read_codebook(tmp_path / "nowhere.csv")
