"""What stands beside a verdict: columns that nobody counted, what a checklist leaves open, people and not records, and how to go on."""

import random
from pathlib import Path

import pytest

import anonscope as an
from anonscope.cli.again import with_words
from anonscope.errors import ColumnsWithoutRole, OptionError


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Visits of 60 people, three each."""
    draw = random.Random(3)
    rows = ["patient_id,age,sex,zip,diagnosis"]
    rows += [
        f"P{10000 + i // 3},{20 + i // 3 % 40},{'male' if i // 3 % 2 else 'female'},0{1000 + i // 3 % 7},{draw.choice(['flu', 'gout'])}"
        for i in range(180)
    ]
    file = tmp_path_factory.mktemp("visits") / "visits.csv"
    file.write_text("\n".join([*rows, ""]))
    return file


def test_the_headline_names_what_was_not_counted(visits: Path) -> None:
    """Whoever reads no further knows that the figures are about some of what an outsider may know."""
    with an.read(visits, quasi_identifiers=["sex"], sensitive=["diagnosis"], person="patient_id") as data:
        said = an.audit(data).render("text")
    line = said[said.index("VERDICT") :].splitlines()[1]
    assert "Not counted, because nobody said what they are: 'age', 'zip' look like quasi-identifiers." in line


def test_how_to_go_on_offers_roles_first_and_a_reason_second(visits: Path) -> None:
    """Except beside a roles file, whose lists an option would take the place of."""
    roles = {"quasi_identifiers": ["sex"], "sensitive": ["diagnosis"]}
    with an.read(visits, **roles, person="patient_id") as data, pytest.raises(ColumnsWithoutRole) as raised:  # type: ignore[arg-type]
        an.anonymise(data, limits={"k_anonymity": 2})
    typed = ["anonymise", "visits.csv", "-q", "sex"]
    lines = [line.strip() for line in with_words(typed, raised.value).splitlines() if line.startswith("  ")]
    assert lines == [
        "anonscope anonymise visits.csv -q sex -q age -q zip",
        "anonscope anonymise visits.csv -q sex --acknowledge-rest REASON",
    ]
    assert " -q age" not in with_words(["anonymise", "visits.csv", "--roles", "roles.toml"], raised.value)


def test_safe_harbor_says_what_no_list_can_tell(tmp_path: Path) -> None:
    """Beside a verdict that releases, and only there."""
    file = tmp_path / "few.csv"
    file.write_text("sex,ill\n" + "".join(f"{'mf'[i % 2]},{'abc'[i % 3]}\n" for i in range(12)) + "x,a\n")
    with an.read(file, quasi_identifiers=["sex"], sensitive=["ill"]) as data:
        released = an.audit(data, "hipaa-safe-harbor")
        other = an.audit(data, "scorr")
    assert released.verdict.released
    said = released.render("text")
    assert "no actual knowledge" in said and "164.514(b)(2)(ii)" in said
    assert said.index("actual knowledge") < said.index("alone")
    assert "actual knowledge" not in other.render("text")


def test_a_column_that_is_no_quasi_identifier_is_not_missing(visits: Path) -> None:
    """It is there, and has no levels."""
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["diagnosis"], "insensitive": ["zip"]}
    said = "'diagnosis' is no quasi-identifier"
    with an.read(visits, **roles, person="patient_id") as data, pytest.raises(OptionError, match=said):  # type: ignore[arg-type]
        an.explore(data, "scorr", levels={"diagnosis": 1})


def test_attacks_count_people_and_not_their_records(visits: Path) -> None:
    """60 people have 180 records."""
    with an.read(visits, quasi_identifiers=["age", "sex"], sensitive=["diagnosis"], person="patient_id", insensitive=["zip"]) as data:
        found = an.attack(visits, original=data)
    assert (found.people, found.original_records) == (60, 180)
    assert "60 people of visits.csv, who have 180 records, were looked for" in " ".join(found.render("text").split())
