"""What `link` says beside its numbers: by which columns, what was left out, and what settles what it does not know."""

from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import OptionError
from anonscope.report.words import legible

RELEASE = pa.table({"age": ["30", "30", "41", "41"], "zip": ["1", "2", "1", "2"], "sex": ["F", "F", "M", "F"], "ill": ["a", "b", "a", "b"]})
VOTERS = RELEASE.rename_columns(["age_at_election", "zip", "sex", "ill"])
QUASI_IDENTIFIERS = ["age", "zip", "sex"]


def test_naming_one_column_links_by_the_others_too():
    """The risk is that of all three columns; what is no quasi-identifier is left out, and said to be."""
    with an.read(RELEASE, quasi_identifiers=QUASI_IDENTIFIERS) as data:
        found = an.link(data, VOTERS, columns={"age": "age_at_election"})
        alone = an.link(data, VOTERS, columns={"age": "age_at_election"}, only=True)

    assert [pair.release for pair in found.columns] == QUASI_IDENTIFIERS
    assert (found.average_risk, alone.average_risk) == (1.0, 0.5)
    assert "Linked by age (there age_at_election, given), zip, sex. Left out although in both tables: ill." in found.render()
    assert [pair["release"] for pair in alone.to_dict()["left_out"]] == ["zip", "sex", "ill"]
    for form in ("text", "markdown", "html"):
        assert "Left out although in both tables: zip, sex, ill." in alone.render(form)


def test_compositions_say_what_they_left_out():
    """Two releases may have been linked by different columns."""
    with an.read(RELEASE, quasi_identifiers=QUASI_IDENTIFIERS) as data:
        found = an.compose(data, data, VOTERS, first_columns={"age": "age_at_election"}, only=True)

    assert [pair.release for pair in found.first_columns] == ["age"]
    assert [pair["release"] for pair in found.to_dict()["first_left_out"]] == ["zip", "sex", "ill"]
    assert "Left out although in both tables: zip, sex, ill." in found.render()


def test_a_comparison_says_by_which_columns_it_linked():
    """Under the table of external risks."""
    with an.read(RELEASE, quasi_identifiers=QUASI_IDENTIFIERS, insensitive=["ill"]) as data:
        found = an.compare(data, data, external=VOTERS, external_columns={"age": "age_at_election"})

    assert "Linked by age (there age_at_election, given), zip, sex. Left out although in both tables: ill." in found.render()
    assert all(len(version["linkage"]["columns"]) == 3 for version in found.to_dict()["versions"])


@pytest.mark.parametrize(("options", "linked"), [((), "zip, sex."), (("--only-columns",), "Left out although in both tables: zip, sex")])
def test_the_command_line_links_by_all_or_by_what_is_named(tmp_path: Path, options: tuple[str, ...], linked: str):
    """The example of the README."""
    paths = [tmp_path / "release.csv", tmp_path / "voters.csv"]
    for path, table in zip(paths, (RELEASE, VOTERS), strict=True):
        lines = [",".join(table.column_names), *(",".join(record.values()) for record in table.to_pylist())]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = ["link", *map(str, paths), *(word for column in QUASI_IDENTIFIERS for word in ("-q", column))]
    result = CliRunner().invoke(app, [*command, "--column", "age=age_at_election", *options])

    assert result.exit_code == 0
    assert linked in result.output
    assert isinstance(CliRunner().invoke(app, [*command, "--only-columns"]).exception, OptionError)


def test_nobody_is_named_more_often_than_there_are_people():
    """Unread labels of more records than there are people, and several records that may be one person."""
    with an.read(pa.table({"job": ["alpha", "beta", "gamma", "delta"]}), quasi_identifiers=["job"]) as data:
        unread = an.link(data, pa.table({"job": ["cook", "nurse", "smith"]}))
    with an.read(pa.table({"job": ["cook"] * 4}), quasi_identifiers=["job"]) as data:
        twice = an.link(data, pa.table({"job": ["cook"]}))

    assert unread.undecided_records == 4
    assert unread.expected_matches_range.most == 3
    assert twice.expected_matches == 1


def test_blanks_name_what_settles_them():
    """Where only the release has blanks, no sentence says that they are values, and the way out that is named works."""
    with an.read(pa.table({"age": ["30", None, "41", None], "sex": ["F", "F", "M", "M"]}), quasi_identifiers=["age", "sex"]) as data:
        people = pa.table({"age": ["30", "35", "41", "47"], "sex": ["F", "F", "M", "M"]})
        found, settled, itself = (an.link(data, people, **given) for given in ({}, {"missing": "anything"}, {"unknown": {"age": "itself"}}))
    text = found.render()

    assert not found.measured
    assert "A missing value counts as a value of its own, except in age" in text
    assert "stand for what was suppressed, say so (--missing anything); if they are missing values as they stand, say that" in text
    assert "(--unknown age=itself)." in text
    assert "--recipe" not in text
    assert settled.measured
    assert itself.measured
    assert "except" not in settled.render() + itself.render()


def test_sentences_stay_whole_and_control_characters_out():
    """Only a word that never ends is shortened."""
    sentence = "It is said at length. " * 100

    assert legible(sentence) == sentence
    assert legible("a\x1b[0m " + "x" * 300) == "a\\x1b[0m " + "x" * 199 + "…"
