"""Kim 2025's scenarios: what its table 6 says of each is true of ours, whatever the seed."""

from collections import Counter

import pytest

from anonscope.columns.hierarchy import read_hierarchy
from anonscope.errors import OptionError
from benchmarks.scenarios import ATTRIBUTES, KNOWN_OUTSIDE, RECORDS, SCENARIOS, SEEDS, diagnosis_hierarchy, draw_scenario


def shares(values) -> list[float]:
    """Return how common each value is, the commonest first."""
    return [count / len(values) for _, count in Counter(values).most_common()]


def rare_pairs(table, most: int = 3) -> float:
    """Return the share of records whose pair of zip and diagnosis at most three have."""
    pairs = list(zip(table["zip"].to_pylist(), table["diagnosis"].to_pylist(), strict=True))
    counts = Counter(pairs)
    return sum(counts[pair] <= most for pair in pairs) / len(pairs)


@pytest.mark.parametrize("seed", SEEDS)
def test_s1_is_balanced(seed):
    """Ages 20 to 60, zips and diagnoses about equally often, few rare combinations."""
    table = draw_scenario("S1", seed).original
    ages = table["age"].to_pylist()

    assert (min(ages), max(ages), len(set(ages))) == (20, 60, 41)
    for column, most in (("age", 0.035), ("zip", 0.016), ("diagnosis", 0.1)):
        assert max(shares(table[column].to_pylist())) < most
    assert rare_pairs(table) < 0.05


@pytest.mark.parametrize("seed", SEEDS)
def test_s2_is_skewed(seed):
    """Three zips hold more than 60 %, two diagnoses more than 50 %, and most people are in their thirties."""
    table = draw_scenario("S2", seed).original

    assert sum(shares(table["zip"].to_pylist())[:3]) > 0.6
    assert sum(shares(table["diagnosis"].to_pylist())[:2]) > 0.5
    assert sum(30 <= age <= 39 for age in table["age"].to_pylist()) / table.num_rows > 0.5


@pytest.mark.parametrize("seed", SEEDS)
def test_s3_is_rare(seed):
    """At least a fifth has a rare pair of zip and diagnosis; the very young and the very old are there; many diseases are rare."""
    table = draw_scenario("S3", seed).original
    ages = table["age"].to_pylist()

    assert rare_pairs(table) >= 0.2
    assert sum(age <= 18 for age in ages) > 0.1 * len(ages) and sum(age >= 80 for age in ages) > 0.1 * len(ages)
    assert sum(share < 0.02 for share in shares(table["diagnosis"].to_pylist())) >= 30


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_external_table_is_another_draw_of_nearly_the_same(name):
    """As many people, only what an outsider knows, shares within a few percent, and not the same people in the same order."""
    scenario = draw_scenario(name, 1)

    assert scenario.original.column_names == list(ATTRIBUTES)
    assert scenario.external.column_names == list(KNOWN_OUTSIDE)
    assert scenario.original.num_rows == scenario.external.num_rows == RECORDS
    ours, theirs = (Counter(age // 10 for age in table["age"].to_pylist()) for table in (scenario.original, scenario.external))
    assert all(abs(ours[decade] - theirs[decade]) < 0.2 * max(ours[decade], 500) for decade in ours | theirs)
    assert scenario.original.select(list(KNOWN_OUTSIDE)) != scenario.external


def test_a_seed_gives_the_same_tables_and_another_gives_others():
    """Scenarios can be drawn again."""
    assert draw_scenario("S3", 4).original == draw_scenario("S3", 4).original
    assert draw_scenario("S3", 4).original != draw_scenario("S3", 5).original


def test_every_diagnosis_has_its_levels(tmp_path):
    """Disease, category, department, anything: a hierarchy that reads back and covers the scenarios."""
    path = tmp_path / "diagnosis.csv"
    path.write_text(diagnosis_hierarchy(), encoding="utf-8")
    hierarchy = read_hierarchy(path)

    assert hierarchy.cardinalities == (48, 6, 3, 1)
    assert hierarchy.uncovered(draw_scenario("S3", 1).original["diagnosis"].to_pylist()) == 0


def test_what_means_nothing_is_refused():
    """There are three scenarios, and a table has records."""
    with pytest.raises(OptionError, match="S1, S2, S3"):
        draw_scenario("S4", 1)
    with pytest.raises(OptionError, match="at least 1"):
        draw_scenario("S1", 1, records=0)
