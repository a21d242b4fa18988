"""Prosecutor, journalist and marketer, distinction and separation: worked examples, then their own laws."""

from collections.abc import Callable

import pytest
from hypothesis import given

import anonscope as an
from anonscope.errors import OptionError
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]
YEARS = [1991] * 3 + [1993] * 6 + [1999]


def test_the_prosecutor_guesses_within_the_class(audit: Run) -> None:
    """Classes of one, three and six: one record is found for certain, three records are expected to be found."""
    risk = audit(year=YEARS, quasi_identifiers=["year"])["prosecutor"]

    assert (risk.min, risk.mean, risk.max) == pytest.approx((1 / 6, 3 / 10, 1))
    assert risk.sum == pytest.approx(3)


@pytest.mark.parametrize(("threshold", "count"), [(0.1, 10), (0.2, 4), (1 / 3, 1), (0.5, 1), (1, 0)])
def test_records_above_a_threshold_are_counted(threshold: float, count: int) -> None:
    """A risk of just the threshold is not above it, whatever its binary digits are."""
    with an.read(Table((("year", tuple(YEARS)),), ("year",)).arrow(), quasi_identifiers=["year"]) as data:
        (_, above) = an.audit(data, risk_threshold=threshold).select("prosecutor")

    assert above.variant == f"above {threshold:g}"
    assert (above.count, above.value) == (count, count / 10)


@pytest.mark.parametrize("threshold", [0, -1, 1.5])
def test_a_threshold_is_a_chance(threshold: float) -> None:
    """Anything else is a slip."""
    with (
        an.read(Table((("year", (1,)),), ("year",)).arrow(), quasi_identifiers=["year"]) as data,
        pytest.raises(OptionError, match="risk threshold"),
    ):
        an.audit(data, risk_threshold=threshold)


def test_at_event_level_persons_are_counted_as_well(audit: Run) -> None:
    """Ten visits of one patient: 1 in 10 by records, certain by persons."""
    found = audit(zip=["1"] * 10, who=["a"] * 10, quasi_identifiers=["zip"], person="who").select("prosecutor")

    assert {(m.level, m.max) for m in found if m.max is not None} == {("record", 0.1), ("person", 1)}


def test_a_policy_may_limit_an_attacker(tmp_path, audit: Run) -> None:
    """A rule about the mean of the prosecutor's risk, counted in persons at event level."""
    policy = tmp_path / "mean.toml"
    policy.write_text(
        'schema = "anonscope/policy/1"\nname = "mean"\ntitle = "Mean"\nversion = "1"\norigin = "here"\n'
        '[[rules]]\nmetric = "prosecutor"\nstatistic = "mean"\nmaximum = 0.3\n',
        encoding="utf-8",
    )
    (rule,) = audit(year=YEARS, quasi_identifiers=["year"], policy=policy).verdict.rules
    (by_person,) = audit(year=YEARS, who=["a"] * 10, quasi_identifiers=["year"], person="who", policy=policy).verdict.rules

    assert (rule.status, rule.value) == ("pass", pytest.approx(0.3))
    assert (by_person.status, by_person.value) == ("fail", 1)


def test_the_marketer_gets_the_mean(audit: Run) -> None:
    """One guess a record; three of ten are right."""
    risk = audit(year=YEARS, quasi_identifiers=["year"])["marketer"]

    assert (risk.variant, risk.value, risk.sum) == ("in the table", pytest.approx(0.3), pytest.approx(3))


def test_the_journalist_counts_the_population(audit: Run) -> None:
    """The only one born in 1999 is one of two in the register; nobody outside the sample's years matters."""
    everybody = {"year": [*YEARS, 1999, 1991, 1850]}
    found = audit(year=YEARS, quasi_identifiers=["year"], population=Table(tuple(everybody.items()), ("year",)).arrow())
    risk, above = found.select("journalist")

    assert (risk.variant, above.variant) == (None, "above 0.2")
    assert (risk.min, risk.mean, risk.max) == pytest.approx((1 / 6, (1 / 2 + 3 / 4 + 1) / 10, 1 / 2))
    assert risk.sum == pytest.approx(2.25)
    assert above.count == 4
    assert [m.value for m in found.select("marketer", variant="in the population")] == pytest.approx([0.225])


def test_without_a_register_the_journalist_is_estimated_and_says_so(audit: Run) -> None:
    """A tenth of the population: the lone record's E[1/F] is (1/9) ln 10."""
    risk = audit(year=YEARS, quasi_identifiers=["year"], sampling_fraction=0.1)["journalist"]

    assert risk.variant == "estimated"
    assert risk.max == pytest.approx(0.2558427881)


def test_the_estimate_of_a_complete_sample_is_the_prosecutors(audit: Run) -> None:
    """Where everybody is in the table, F is f."""
    found = audit(year=YEARS, quasi_identifiers=["year"], population_size=10)

    for name in ("min", "mean", "max", "sum"):
        assert found["journalist"].statistic(name) == pytest.approx(found["prosecutor"].statistic(name))


@pytest.mark.parametrize(
    ("given_", "about"),
    [
        ({"sampling_fraction": 0}, "more than 0"),
        ({"sampling_fraction": 1.2}, "at most 1"),
        ({"population_size": 0}, "at least 1"),
        ({"sampling_fraction": 0.5, "population_size": 20}, "not both"),
        ({"population_columns": {"year": "y"}}, "no population is given"),
    ],
)
def test_what_is_said_of_the_population_must_make_sense(audit: Run, given_: dict[str, object], about: str) -> None:
    """Nonsense is refused before anything is read."""
    with pytest.raises(OptionError, match=about):
        audit(year=YEARS, quasi_identifiers=["year"], **given_)


def test_a_population_smaller_than_the_sample_is_not_measured(audit: Run) -> None:
    """Nine people cannot hold a sample of ten."""
    found = audit(year=YEARS, quasi_identifiers=["year"], population_size=9)

    for metric in ("journalist", "population_uniqueness"):
        assert found[metric].status == "not measured"
        assert "smaller than the sample: 9 against 10" in str(found[metric].reason)


def test_one_record_is_told_apart_from_everybody(audit: Run) -> None:
    """There is no pair, and the formula would be 0 / 0; as documented beside it, the separation is 1."""
    assert audit(zip=["1"], quasi_identifiers=["zip"])["separation"].value == 1


def test_distinction_and_separation_by_hand(audit: Run) -> None:
    """Three birth years among ten people; 27 of 45 pairs are apart."""
    found = audit(year=YEARS, quasi_identifiers=["year"])

    assert found["distinction"].value == pytest.approx(0.3)
    assert found["separation"].value == pytest.approx(27 / 45)


@law
@given(table=tables())
def test_a_single_attribute_tells_no_more_apart_than_all_together(table: Table) -> None:
    """The whole quasi-identifier refines each of its attributes."""
    for metric in ("distinction", "separation"):
        for scenario, attributes in table.attackers:
            (whole,) = (m for m in audited(table).select(metric, scenario=scenario) if m.attributes is None)
            for name in attributes:
                (alone,) = audited(table).select(metric, scenario=scenario, attribute=name)
                assert alone.value <= whole.value + 1e-12


@law
@given(table=tables())
def test_the_prosecutor_and_other_metrics_agree(table: Table) -> None:
    """The largest risk is 1 / k, the mean is the marketer's and one over the average class size, the sum is the number of classes."""
    found = audited(table)
    for m in found.select("prosecutor"):
        if m.max is None:
            continue
        where = {"scenario": m.scenario, "level": m.level}
        assert m.max == pytest.approx(1 / found.select("k_anonymity", **where)[0].value)
        assert m.mean == pytest.approx(found.select("marketer", **where)[0].value)
        assert m.mean == pytest.approx(1 / found.select("average_class_size", **where)[0].value)
