"""Pseudonyms are keyed, consistent and different for different values; the key stays out of everything that people see."""

import hashlib
import hmac
import json
import stat
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.columns.images import Everything
from anonscope.engines import DuckDB
from anonscope.errors import ColumnNotFound, OutputError, RecipeError
from anonscope.transform.randomness.keys import derived_key, keyed_hash
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.manifest import manifest_path
from anonscope.transform.steps import Pseudonymise
from anonscope.transform.table import Table
from support.strategies import law
from support.transformed import transformed

KEY = b"0123456789abcdef-not-a-secret"
VALUES = st.lists(st.text(max_size=5) | st.none(), min_size=1, max_size=8)
PEOPLE = {"name": ["Ada", "Ben", "Ada", None, ""], "age": [39, 52, 39, 61, 40]}


@pytest.fixture
def key(tmp_path: Path) -> str:
    path = tmp_path / "study.key"
    path.write_bytes(KEY + b"\n")
    path.chmod(0o600)
    return str(path)


def expected(value: str, key: bytes = KEY, domain: str = "", length: int = 32) -> str:
    """Return the pseudonym as the documentation defines it, by Python's own HMAC."""
    own = hmac.new(key, b"anonscope/pseudonymise\0" + domain.encode(), hashlib.sha256).digest()
    return hmac.new(own, value.encode(), hashlib.sha256).hexdigest()[:length]


def test_pseudonyms_are_what_the_documentation_says(key):
    """HMAC-SHA-256, the same for the same value; an empty text is a missing value, and that stays missing."""
    made = transformed(Pseudonymise(column="name", key_file=key), PEOPLE)["name"]

    assert made == [expected("Ada"), expected("Ben"), expected("Ada"), None, None]
    assert transformed(Pseudonymise(column="name", key_file=key, domain="kin", length=64), PEOPLE)["name"][0] == expected(
        "Ada", domain="kin", length=64
    )


def test_the_key_may_be_in_the_environment(key, monkeypatch):
    """And is the same key there."""
    monkeypatch.setenv("STUDY_KEY", KEY.decode())
    assert transformed(Pseudonymise(column="name", key_variable="STUDY_KEY"), PEOPLE) == transformed(
        Pseudonymise(column="name", key_file=key), PEOPLE
    )


def test_a_number_has_the_pseudonym_of_its_text(key):
    """So a person is one person in a typed table and in a text file."""
    step = Pseudonymise(column="id", key_file=key)
    assert transformed(step, {"id": [7, 12]}) == transformed(step, {"id": ["7", "12"]}) == transformed(step, {"id": [7.0, 12.0]})


@law
@given(values=VALUES, length=st.sampled_from([16, 64]), key=st.binary(min_size=16, max_size=130), domain=st.text(max_size=3))
def test_it_agrees_with_python_for_any_text_and_key(values, length, key, domain):
    """Keys longer than a block of the hash too, and so it is injective and depends on the key."""
    step = Pseudonymise(column="v", key_variable="UNUSED", length=length)
    engine = DuckDB(threads=1)
    try:
        table = Table(engine, "arrow_source_v", ())
        engine.register("arrow_source_v", pa.table({"v": pa.array(values, pa.string())}))
        sql = keyed_hash(table, derived_key(key, step, domain), "v")
        made = [row[0] for row in engine.rows(f"SELECT SUBSTR({sql}, 1, {length}) FROM arrow_source_v")]
    finally:
        engine.close()
    assert made == [None if value is None else expected(value, key, domain, length) for value in values]
    assert len(set(made)) == len(set(values))
    assert not {expected(value, key + b"!", domain, length) for value in values if value is not None} & set(made)


def test_domains_and_keys_are_unlinkable(key, tmp_path):
    """No pseudonym of one is a pseudonym of the other."""
    other = tmp_path / "other.key"
    other.write_bytes(KEY[::-1])
    other.chmod(0o600)
    steps = [Pseudonymise(column="name", key_file=key), Pseudonymise(column="name", key_file=key, domain="b")]
    made = [set(transformed(step, PEOPLE)["name"]) - {None} for step in [*steps, Pseudonymise(column="name", key_file=str(other))]]
    assert len(set.union(*made)) == 3 * len(made[0])


def test_several_columns_in_one_recipe(key):
    """Each is hashed by itself, and the same value is the same pseudonym in both."""
    made = transformed(
        [Pseudonymise(column="a", key_file=key), Pseudonymise(column="b", key_file=key)], {"a": ["x", "y"], "b": ["y", None]}
    )
    assert made == {"a": [expected("x"), expected("y")], "b": [expected("y"), None]}


def test_pseudonyms_that_are_too_short_are_refused(key):
    """With 8 digits some of 200,000 values meet, so that different people would become one."""
    with pytest.raises(RecipeError, match=r"The 200,000 values of column 'id' have only 199,99\d different pseudonyms of 8 characters"):
        transformed(Pseudonymise(column="id", key_file=key, length=8), {"id": list(range(200_000))})


def test_the_mapping_leads_back_and_is_kept_apart(key, tmp_path):
    """It is written with the release, for its owner only, and never over a file."""
    step = Pseudonymise(column="name", key_file=key, mapping_file=str(tmp_path / "mapping.csv"))
    names = ["Ben", 'say "hi", Ada', None, "line\nbreak"]
    with an.read(pa.table({"name": names})) as data:
        release = an.apply(step, data)
        assert not (tmp_path / "mapping.csv").exists()
        release.save(tmp_path / "release.csv")
        with pytest.raises(OutputError, match="never replaced"):
            release.save(tmp_path / "again.csv")
        with pytest.raises(OutputError, match="never replaced"):
            an.apply(step, data)
    mapping = tmp_path / "mapping.csv"
    assert stat.S_IMODE(mapping.stat().st_mode) == 0o600
    with an.read(mapping) as data:
        back = an.apply(Pseudonymise(column="value", key_file=key), data).table.to_pydict()
    assert back["value"] == back["pseudonym"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("mapping.csv", "release.csv", "release.csv.archive", "release.csv.manifest.json", "study.key"),
    ]
    text = manifest_path(tmp_path / "release.csv").read_text(encoding="utf-8")
    assert json.loads(text)["columns"][0]["changed"] == 3
    assert "Ben" not in text


def test_neither_key_nor_values_are_in_what_people_see(key):
    """Statements are shown to auditors."""
    with an.read(pa.table(PEOPLE)) as data:
        an.apply(Pseudonymise(column="name", key_file=key), data)
        shown = "\n".join(statement.sql for statement in data.engine.statements)
    assert KEY.decode() not in shown and KEY.hex() not in shown.lower() and "Ada" not in shown


def test_a_release_and_its_mapping_cannot_share_a_name(key, tmp_path):
    """Nothing is written then."""
    path = tmp_path / "release.csv"
    with an.read(pa.table(PEOPLE)) as data:
        release = an.apply(Pseudonymise(column="name", key_file=key, mapping_file=str(path)), data)
        with pytest.raises(OutputError, match="must be kept apart"):
            release.save(path)
    assert not path.exists()


def test_files_stand_in_the_folder_of_the_recipe(key):
    """A recipe that is read from a file names its key as seen from there."""
    with an.read(pa.table(PEOPLE)) as data:
        recipe = Recipe((Pseudonymise(column="name", key_file="study.key"),), folder=Path(key).parent)
        assert an.apply(recipe, data).table.column("name")[0].as_py() == expected("Ada")


def test_a_pseudonym_stands_for_anything(key):
    """For whoever has no key."""
    assert Pseudonymise(column="name", key_file=key).image("name", "00") == Everything()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_key_that_others_can_read_is_refused(key, mode):
    """The error says how to mend it."""
    Path(key).chmod(mode)
    with pytest.raises(RecipeError, match=f"mode {mode:o}.*Run: chmod 600"):
        transformed(Pseudonymise(column="name", key_file=key), PEOPLE)


def test_a_key_that_is_missing_or_short_is_refused(key, monkeypatch):
    """A short key could be guessed."""
    with pytest.raises(RecipeError, match="cannot be read: No such file"):
        transformed(Pseudonymise(column="name", key_file=key + "x"), PEOPLE)
    with pytest.raises(RecipeError, match="'NO_SUCH_KEY' is not set"):
        transformed(Pseudonymise(column="name", key_variable="NO_SUCH_KEY"), PEOPLE)
    monkeypatch.setenv("SHORT_KEY", "123456789012345\n")
    with pytest.raises(RecipeError, match="has 15 bytes; it needs at least 16"):
        transformed(Pseudonymise(column="name", key_variable="SHORT_KEY"), PEOPLE)


def test_a_column_that_is_not_there(key):
    """Is named."""
    with pytest.raises(ColumnNotFound, match="Did you mean 'name'"):
        transformed(Pseudonymise(column="names", key_file=key), PEOPLE)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"key_file": "a", "key_variable": "B"}, "must say where the key is"),
        ({"key_file": "a", "seed": "0123456789abcdef0123456789abcdef"}, "must say where the key is"),
        ({"seed": "short"}, "seed must be left out"),
        ({"key_file": "a", "length": 7}, "length must be a whole number of at least 8"),
        ({"key_file": "a", "length": 65}, "length must be at most 64"),
        ({"key_file": "a", "domain": 3}, "domain must be text"),
        ({"key_file": "a", "column": ""}, "column must be the name"),
    ],
)
def test_what_means_nothing_is_said(settings, says):
    """When the step is made."""
    with pytest.raises(RecipeError, match=says):
        Pseudonymise(**({"column": "name"} | settings))


def test_without_a_key_one_is_drawn_and_kept_in_the_recipe():
    """So that a release can be made again from its archive, and by nobody else."""
    step = Pseudonymise(column="name").seeded()
    first, again = (transformed(step, PEOPLE)["name"] for _ in range(2))
    other = transformed(Pseudonymise(column="name").seeded(), PEOPLE)["name"]

    assert step.seeds
    assert first == again
    assert first != other
