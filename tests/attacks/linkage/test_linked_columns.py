"""Which columns hold the same attribute: by name, by meaning, as told."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.attacks.linkage import LinkedColumn, left_out, pair_columns, suggest_pairs, unpaired
from anonscope.errors import LinkageError


def test_the_same_name_comes_first():
    """A column is paired with its namesake, however well another one fits."""
    assert suggest_pairs(["age"], ["Age", "age"]) == (LinkedColumn("age", "age", "same name"),)


def test_case_and_punctuation_do_not_matter():
    """Marital-Status, marital_status and MARITALSTATUS are one name."""
    found = suggest_pairs(["Marital-Status", "ZIP code"], ["zip_code", "MARITALSTATUS"])

    assert [(pair.release, pair.external) for pair in found] == [("Marital-Status", "MARITALSTATUS"), ("ZIP code", "zip_code")]


def test_names_with_the_same_meaning_are_paired():
    """A postcode and a zip, a sex and a Geschlecht mean the same."""
    found = suggest_pairs(["postcode", "sex", "score"], ["zip", "Geschlecht", "amount_of_x"])

    assert [(pair.release, pair.external) for pair in found] == [("postcode", "zip"), ("sex", "Geschlecht")]
    assert "both names are about" in found[0].reason


def test_a_meaning_that_fits_two_columns_pairs_none():
    """With two zips outside, the meaning does not tell which one is meant."""
    assert suggest_pairs(["postcode"], ["zip_home", "zip_work"]) == ()


def test_told_pairs_come_first_and_leave_no_namesake_out():
    """What is given is taken as given, one external column may serve two released ones, and the others are paired by name."""
    told = (LinkedColumn("a", "x", "given"), LinkedColumn("b", "x", "given"))
    tables = (["age", "a", "b", "ill"], ["x", "age", "ill"])

    assert pair_columns(*tables, {"a": "x", "b": "x"}, ["a", "b", "age"]) == (*told, LinkedColumn("age", "age", "same name"))
    assert pair_columns(*tables, {"a": "x", "b": "x"}, only=True) == told
    assert [pair.release for pair in left_out(*tables, told)] == ["age", "ill"]
    with pytest.raises(LinkageError, match="Name them"):
        pair_columns(*tables, only=True)


def test_a_told_column_is_not_paired_again():
    """Neither a released nor an external column that was told is free for a namesake."""
    assert pair_columns(["age", "years"], ["age", "years"], {"age": "years"}) == (LinkedColumn("age", "years", "given"),)


def test_only_wanted_columns_are_suggested():
    """Suggestions may be limited to the quasi-identifiers of a release; none left is an error that says what to do."""
    assert [pair.release for pair in pair_columns(["age", "sex"], ["age", "sex"], among=["sex"])] == ["sex"]
    with pytest.raises(LinkageError, match="Say which column is which"):
        pair_columns(["age", "sex"], ["age"], among=["sex"])


def test_columns_without_a_pair_are_named_and_so_are_those_that_compete() -> None:
    """Two external columns are about small areas, so that neither is paired with zip by itself; nobody passes over that in silence."""
    release, external = ["zip", "sex", "ill"], ["postcode", "ward", "sex", "voted"]
    found = unpaired(release, external, pair_columns(release, external))

    assert (found.release, found.external) == (("zip", "ill"), ("postcode", "ward", "voted"))
    assert found.competing == ((("zip",), ("postcode", "ward")),)


def test_reports_name_columns_without_a_pair() -> None:
    """The text says how to pair them, and JSON has them as well."""
    external = pa.table({"postcode": ["10115", "10117"], "ward": ["1", "2"], "sex": ["F", "M"]})
    with an.read(pa.table({"zip": ["101*", "101*"], "sex": ["F", "M"], "ill": ["a", "b"]})) as release:
        found = an.link(release, external)

    text = " ".join(found.render().split())
    assert "zip of the release and postcode, ward of the external table. Say which is which (--column zip=postcode)." in text
    assert "Columns of the release that were not paired: zip, ill." in text
    assert "Columns of the external table that were not paired: postcode, ward." in text
    assert found.to_dict()["unpaired"]["competing"] == [[["zip"], ["postcode", "ward"]]]
