"""The information-theoretic metrics: readings, pairs, and their own laws."""

import json
import math
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given

import anonscope as an
from reference.information import FORMULAS
from support.strategies import Table, audited, law, tables

Run = Callable[..., an.Audit]
every_metric = pytest.mark.parametrize("metric", FORMULAS)


def values(result: an.Audit, metric: str) -> dict[tuple[tuple[str, ...] | None, str | None], float | None]:
    return {(m.attributes, m.sensitive): m.value for m in result.select(metric) if m.scenario == "default" and m.level == "record"}


def test_both_readings_are_there_and_the_record_comes_first(audit: Run) -> None:
    """About the record without, about a sensitive attribute with its name."""
    result = audit(sex=list("FFM"), ill=list("aab"), quasi_identifiers=["sex"], sensitive=["ill"])

    assert [(m.variant, m.sensitive, m.attributes) for m in result.select("itpr")] == [
        ("re-identification", None, None),
        ("inference", "ill", None),
        ("inference", "ill", ("sex",)),
        ("re-identification", None, ("sex",)),
    ]


def test_at_event_level_the_target_is_the_person(audit: Run) -> None:
    """Two people with two visits each: knowing the ward tells who it is, though not which visit."""
    result = audit(ward=list("AABB"), who=list("xxyy"), quasi_identifiers=["ward"], person="who")

    assert values(result, "discrimination_rate")[None, None] == 1
    assert values(result, "mutual_information")[None, None] == pytest.approx(1)
    assert values(audit(ward=list("AABB"), quasi_identifiers=["ward"]), "discrimination_rate")[None, None] == pytest.approx(0.5)


@pytest.mark.parametrize("metric", ["itpr", "discrimination_rate"])
def test_where_there_is_nothing_to_learn_a_share_of_it_is_not_measured(audit: Run, metric: str) -> None:
    """A constant sensitive attribute gives 0 / 0, which is neither safe nor unsafe."""
    result = audit(sex=list("FFM"), ill=list("aaa"), quasi_identifiers=["sex"], sensitive=["ill"])
    (m,) = [m for m in result.select(metric, sensitive="ill") if m.attributes is None]

    assert (m.status, m.value) == ("not measured", None)
    assert m.reason is not None
    assert "0 / 0" in m.reason


@pytest.mark.parametrize(
    ("metric", "expected"),
    [("mutual_information", 0), ("conditional_privacy", 0), ("maximum_information_leakage", 0), ("entropy_l_diversity_risk", 1)],
)
def test_where_there_is_nothing_to_learn_the_others_have_a_value(audit: Run, metric: str, expected: float) -> None:
    """Nothing is leaked, and everybody knows it all the same."""
    result = audit(sex=list("FFM"), ill=list("aaa"), quasi_identifiers=["sex"], sensitive=["ill"])

    assert values(result, metric)[None, "ill"] == expected


def test_itpr_may_fall_when_an_attacker_knows_more(audit: Run) -> None:
    """Age case 4 of the paper's table 3, alone and with zip case 1."""
    columns = {"age": [30, 30, 30, 47, 30, 47, 30, 30], "zip": [1, 1, 1, 2, 2, 2, 2, 2]}
    found = values(audit(columns=columns, quasi_identifiers=["age", "zip"]), "itpr")

    assert found[("age",), None] == pytest.approx(0.8333, abs=5e-5)
    assert found[None, None] == pytest.approx(0.75)


def test_the_maximum_is_taken_before_anything_is_clipped(audit: Run) -> None:
    """Age case 3: the class of seven has the term -0.6376, the one of one has 1."""
    assert values(audit(age=[1] * 7 + [2], quasi_identifiers=["age"]), "itpr")[None, None] == 1


@law
@given(table=tables())
def test_itpr_lies_between_the_discrimination_rate_and_one(table: Table) -> None:
    """The smallest of T terms is at most their mean."""
    rates = {(m.scenario, m.attributes, m.sensitive): m.value for m in audited(table).select("discrimination_rate")}
    for m in audited(table).select("itpr"):
        rate = rates[m.scenario, m.attributes, m.sensitive]
        assert (m.value is None) == (rate is None)
        assert m.value is None or rate is None or rate <= m.value + 1e-12


@law
@given(table=tables())
def test_for_single_records_itpr_depends_on_three_numbers(table: Table) -> None:
    """1 - T (k / n) log k / log n."""
    bare = replace(table, person=None)
    result = audited(bare)
    for scenario in result.scenarios:
        (m,) = [m for m in result.select("itpr", scenario=scenario.name, variant="re-identification") if m.attributes is None]
        n, smallest = bare.rows, scenario.sizes.records[0][0]
        if n > 1:
            assert m.value == pytest.approx(1 - scenario.sizes.classes * smallest / n * math.log(smallest) / math.log(n), abs=1e-12)


@law
@given(table=tables(sensitive=1))
def test_the_posterior_is_the_largest_correlation_and_uniformity(table: Table) -> None:
    """Three names for the best guess in the most telling group."""
    result = audited(table)
    largest = {(m.scenario, m.attributes, m.sensitive): m.max for name in ("correlation", "uniformity") for m in result.select(name)}
    for m in result.select("posterior"):
        assert m.value == pytest.approx(largest[m.scenario, m.attributes, m.sensitive], abs=1e-12)


def with_pairs(table: Table) -> an.Audit:
    with an.read(
        table.arrow(), quasi_identifiers=table.quasi_identifiers, sensitive=table.sensitive, person=table.person, threads=1
    ) as data:
        return an.audit(data, pairs=True)


@law
@given(table=tables())
def test_a_pair_is_measured_as_if_it_were_all_that_is_known(table: Table) -> None:
    """Two attributes of several give what they give alone."""
    result = with_pairs(table)
    pairs = {m.attributes for m in result.select("itpr") if m.attributes and len(m.attributes) == 2}
    assert len(pairs) == math.comb(len(table.quasi_identifiers), 2)
    for pair in pairs:
        alone = audited(replace(table, quasi_identifiers=pair, scenarios=(), distance=()))
        for metric in FORMULAS:
            for sensitive in (None, *table.sensitive):
                found, expected = values(result, metric)[pair, sensitive], values(alone, metric)[None, sensitive]
                assert found == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_pairs_are_measured_on_request_only(audit: Run) -> None:
    """They are many, and nobody asked."""
    result = audit(age=[1, 2], sex=[1, 2], quasi_identifiers=["age", "sex"])

    assert {len(m.attributes or ()) for m in result.select("itpr")} == {0, 1}


def test_pairs_across_several_words() -> None:
    """Attributes that do not fit into one packed number are paired all the same."""
    n = 1200
    columns = tuple((f"q{i}", tuple(f"{(r * (2 * i + 1)) % 1023}" for r in range(n))) for i in range(8))
    table = Table((*columns, ("ill", tuple(f"{r % 5}" for r in range(n)))), tuple(name for name, _ in columns), ("ill",))
    result = with_pairs(table)
    for pair in (("q0", "q7"), ("q2", "q3")):
        alone = audited(replace(table, quasi_identifiers=pair))
        for metric in FORMULAS:
            for sensitive in (None, "ill"):
                assert values(result, metric)[pair, sensitive] == pytest.approx(values(alone, metric)[None, sensitive], abs=1e-9)


@every_metric
def test_a_policy_may_limit_one_reading(audit: Run, metric: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The rule picks the reading it names, and the question it answers follows."""
    path = tmp_path_factory.mktemp("policy") / "own.toml"
    header = 'schema = "anonscope/policy/1"\nname = "own"\ntitle = "t"\nversion = "1"\norigin = "o"\n'
    most = an.METRICS[metric].range[1] or 100
    path.write_text(
        header + f'[[rules]]\nmetric = "{metric}"\nvariant = "re-identification"\nscopes = ["whole", "each", "pair"]\nmaximum = {most}\n',
        encoding="utf-8",
    )
    result = audit(sex=list("FFMM"), age=list("1234"), ill=list("aabb"), quasi_identifiers=["sex", "age"], sensitive=["ill"], policy=path)
    (rule,) = result.verdict.rules

    assert (rule.status, rule.measured) == ("pass", 3)
    assert rule.measurement is not None
    assert rule.measurement.sensitive is None
    assert result.verdict.attacks["singling out"] == "meets the policy"
    json.dumps(result.to_dict(), allow_nan=False)
