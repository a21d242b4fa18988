"""The verdict: SCORR's workflow to the letter, every preset at its edge, and limits that cannot be met."""

from collections.abc import Callable
from typing import Any

import pytest

import anonscope as an
from anonscope.risk.metrics import Totals
from anonscope.risk.policy import RuleResult, judge, load

Run = Callable[..., an.Audit]
ROLES = an.Roles(quasi_identifiers=("age",), sensitive=("ill",))
TOTALS = Totals(records=1000, persons=1000, busiest_person=0.001, sensitive_values=9, commonest_value=0.2)


def judged(*, k: float = 11, t: float = 0.5, uniqueness: float = 0.0, uniformity: float = 0.0, correlation: float = 0.0) -> an.Verdict:
    """Return SCORR's verdict on a table of which only these numbers are known."""

    def risk(metric: str, highest: float, attribute: str | None = None, sensitive: str | None = None) -> an.Measurement:
        attributes = (attribute,) if attribute else None
        return an.Measurement(
            metric=metric, scenario="default", attributes=attributes, sensitive=sensitive, min=0.0, mean=highest / 2, max=highest
        )

    measurements = (
        an.Measurement(metric="k_anonymity", scenario="default", value=k),
        an.Measurement(metric="t_closeness", scenario="default", sensitive="ill", variant="equal", value=t),
        risk("uniqueness", uniqueness),
        risk("uniformity", 0.0),
        risk("uniformity", uniformity, attribute="age"),
        risk("correlation", 1.0, sensitive="ill"),
        risk("correlation", correlation, attribute="age", sensitive="ill"),
        risk("markov", 1.0, sensitive="ill"),
    )
    return judge(load("scorr"), ROLES, measurements, {None: TOTALS, "ill": TOTALS})


def rule(verdict: an.Verdict, metric: str) -> RuleResult:
    """Return what became of the rule on one metric."""
    (found,) = [result for result in verdict.rules if result.rule.metric == metric]
    return found


@pytest.mark.parametrize(
    ("k", "t", "compliant"),
    [(10, 0.0, False), (11, 0.0, True), (11, 0.5, True), (11, 0.501, False), (10, 0.501, False), (1, 0.0, False), (4000, 0.5, True)],
)
def test_figure_3_conventional_metrics(k: int, t: float, compliant: bool) -> None:
    """Compliant means more than 10 in every class and t at most 0.5; l is not asked for."""
    verdict = judged(k=k, t=t)

    assert verdict.outcome == ("release" if compliant else "withhold")
    assert verdict.exit_code == (0 if compliant else 1)


def test_t_may_miss_its_limit_by_rounding_only() -> None:
    """One unit in the last place is not a breach; a billionth is."""
    assert judged(t=0.5000000000000001).outcome == "release"
    assert judged(t=0.500000001).outcome == "withhold"


@pytest.mark.parametrize("metric", ["uniqueness", "uniformity", "correlation"])
@pytest.mark.parametrize(
    ("value", "risk", "outcome"),
    [
        (0.0, "low", "release"),
        (0.33, "low", "release"),
        (0.330001, "medium", "release with acknowledgement"),
        (0.334, "medium", "release with acknowledgement"),
        (0.34, "medium", "release with acknowledgement"),
        (0.66, "medium", "release with acknowledgement"),
        (0.660001, "high", "withhold"),
        (0.664, "high", "withhold"),
        (0.67, "high", "withhold"),
        (1.0, "high", "withhold"),
    ],
)
def test_figures_4_and_5_extended_metrics(metric: str, value: float, risk: str, outcome: str) -> None:
    """The highest risk decides, unrounded: the gaps between the printed intervals belong to the riskier side."""
    verdict = judged(**{metric: value})

    assert rule(verdict, metric).risk == risk
    assert verdict.outcome == outcome


@pytest.mark.parametrize(
    ("risks", "outcome"),
    [
        ({"uniqueness": 0.33, "uniformity": 0.33, "correlation": 0.33}, "release"),
        ({"uniqueness": 0.33, "uniformity": 0.33, "correlation": 0.5}, "release with acknowledgement"),
        ({"uniqueness": 0.5, "uniformity": 0.9, "correlation": 0.1}, "withhold"),
        ({"uniqueness": 0.1, "uniformity": 0.1, "correlation": 0.1, "k": 10}, "withhold"),
        ({"uniqueness": 0.5, "uniformity": 0.1, "correlation": 0.1, "t": 0.51}, "withhold"),
    ],
)
def test_figure_5_the_worst_decides(risks: dict[str, float], outcome: str) -> None:
    """Not compliant or any high: do not release. Any medium: acknowledge. All low: release."""
    assert judged(**risks).outcome == outcome


def test_scorr_asks_for_nothing_else() -> None:
    """l and the Markov risk are reported and never decide; correlation is asked of single attributes."""
    assert [result.rule.metric for result in judged().rules] == ["k_anonymity", "t_closeness", "uniqueness", "uniformity", "correlation"]
    assert rule(judged(), "correlation").rule.scopes == ("each",)


@pytest.mark.parametrize(("k", "risk"), [(11, "high"), (18, "high"), (19, "medium"), (300, "medium"), (301, "low")])
def test_what_scorr_means_for_5000_records(audit: Run, k: int, risk: str) -> None:
    """Compliant data is mostly high risk: medium takes classes of 19, low takes classes of 301."""
    result = audit(zip=["1"] * k + ["2"] * (5000 - k), ill=[f"v{i % 7}" for i in range(5000)], quasi_identifiers=["zip"], sensitive=["ill"])
    expected = {"high": "withhold", "medium": "release with acknowledgement", "low": "release"}

    assert rule(result.verdict, "uniqueness").risk == risk
    assert result.verdict.outcome == expected[risk]


@pytest.mark.parametrize(("records", "risk"), [(33, "low"), (34, "medium"), (66, "medium"), (67, "high")])
def test_uniformity_just_at_its_limits(audit: Run, records: int, risk: str) -> None:
    """One person with 33, 34, 66 or 67 of a hundred records."""
    who = ["busy"] * records + [f"p{i}" for i in range(100 - records)]
    result = audit(
        zip=["1"] * 100, who=who, ill=[str(i % 5) + "x" for i in range(100)], quasi_identifiers=["zip"], sensitive=["ill"], person="who"
    )

    assert rule(result.verdict, "uniformity").risk == risk


def test_t_of_exactly_a_half_passes(audit: Run) -> None:
    """Two classes of 13 that share no value: t is 1/2, though the sum of its parts may be a little more."""
    first = [f"a{i}" for i, times in enumerate((4, 3, 2, 1, 3)) for _ in range(times)]
    second = [f"b{i}" for i, times in enumerate((3, 4, 3, 2, 1)) for _ in range(times)]
    result = audit(zip=["1"] * 13 + ["2"] * 13, ill=first + second, quasi_identifiers=["zip"], sensitive=["ill"])

    assert result["t_closeness"].value == pytest.approx(0.5, abs=1e-15)
    assert rule(result.verdict, "t_closeness").status == "pass"
    assert result.verdict.outcome == "release"


def classes(*sizes: int, values: int = 11, **roles: Any) -> dict[str, Any]:
    """Return a table with classes of these sizes, in each of which the sensitive values take turns."""
    return {
        "zip": [str(i) for i, size in enumerate(sizes) for _ in range(size)],
        "ill": [f"v{i % values}" for size in sizes for i in range(size)],
        "quasi_identifiers": ["zip"],
        "sensitive": ["ill"],
        **roles,
    }


def pairs(count: int) -> dict[str, Any]:
    """Return classes of two whose values occur nowhere else, so that t is 1 - 1 / count."""
    return classes(*[2] * count) | {"ill": [f"v{i}" for i in range(2 * count)]}


EDGES = {
    "scorr": (classes(11, 11), classes(11, 10), "k_anonymity"),
    "pipeline": (pairs(5), pairs(6), "t_closeness"),
    "public-strict": (classes(20, 20, values=2), classes(20, 19, values=2), "k_anonymity"),
    "public-medium": (classes(15, 15, values=2), classes(15, 15, values=1), "l_diversity"),
    "ema-0070": (classes(11, 12), classes(10, 12), "k_anonymity"),
    "output-10": (classes(10, 12), classes(9, 12), "k_anonymity"),
    "research-shared": (classes(5, 12), classes(4, 12), "k_anonymity"),
    "trusted-internal": (classes(1, 5), classes(1, 4), "average_class_size"),
    "arx-default": (classes(5, 35), classes(5, 34), "average_class_size"),
}


@pytest.mark.parametrize("name", [name for name in an.preset_names() if load(name).rules and not load(name).attack_rules])
def test_every_preset_at_its_edge(audit: Run, name: str) -> None:
    """A table that just meets it is released, and one that misses it by one record or value is not."""
    meets, misses, failing = EDGES[name]
    missed = audit(**misses, policy=name).verdict

    assert audit(**meets, policy=name).verdict.outcome == "release"
    assert missed.outcome == "withhold"
    assert [result.rule.metric for result in missed.rules if result.status == "fail"] == [failing]


def test_arx_counts_the_share_of_records_at_risk(audit: Run) -> None:
    """4 of 80 records are 5 % and pass that rule, 4 of 79 are more; the highest risk fails on both."""
    just, over = (audit(**classes(4, rest), policy="arx-default").verdict for rest in (76, 75))

    assert (rule(just, "records_at_risk").status, rule(over, "records_at_risk").status) == ("pass", "fail")
    assert (rule(just, "k_anonymity").status, rule(over, "k_anonymity").status) == ("fail", "fail")


@pytest.mark.parametrize(("policy", "outcome"), [("public-strict", "withhold"), ("public-medium", "release")])
def test_a_direct_identifier_must_go(audit: Run, policy: str, outcome: str) -> None:
    """It is always named; only a policy that forbids it withholds the table for it."""
    names = [f"person {i}" for i in range(40)]
    verdict = audit(**classes(20, 20, values=2), name=names, direct_identifiers=["name"], policy=policy).verdict

    assert verdict.must_be_removed == ("name",)
    assert verdict.outcome == outcome


def unattainable(result: an.Audit, metric: str) -> str | None:
    assert rule(result.verdict, metric).status == "fail"
    return rule(result.verdict, metric).unattainable


def test_a_common_value_makes_the_correlation_limit_unattainable(audit: Run) -> None:
    """As on Adult: where 76.1 % have the commonest value, no attribute can have a lower correlation."""
    result = audit(sex=["F", "M"] * 500, income=["<=50K"] * 761 + [">50K"] * 239, quasi_identifiers=["sex"], sensitive=["income"])

    assert unattainable(result, "correlation") == (
        "cannot be met by changing quasi-identifiers, because 76.1 % of all records share the commonest sensitive value (income)"
    )


def test_a_limit_that_coarser_data_would_meet_is_attainable(audit: Run) -> None:
    """A class that gives its value away fails, but one class of all would pass."""
    result = audit(zip=["1"] * 20 + ["2"] * 20, ill=["a"] * 20 + ["b"] * 20, quasi_identifiers=["zip"], sensitive=["ill"])

    assert unattainable(result, "correlation") is None


def test_a_constant_sensitive_attribute_can_never_be_diverse(audit: Run) -> None:
    """l >= 2 of one value."""
    reason = unattainable(audit(**classes(20, 20, values=1), policy="pipeline"), "l_diversity")

    assert reason is not None
    assert "only 1 distinct value" in reason


def test_too_few_people_for_the_class_size(audit: Run) -> None:
    """Ten people can never be a class of eleven, nor twenty on average."""
    for policy, metric in (("scorr", "k_anonymity"), ("arx-default", "average_class_size")):
        reason = unattainable(audit(**classes(4, 6), policy=policy), metric)
        assert reason is not None
        assert "only 10 people" in reason


def test_too_few_people_to_be_out_of_risk(audit: Run) -> None:
    """Four people are always in a class below five, so no share below all of them can be reached."""
    assert unattainable(audit(**classes(2, 2), policy="arx-default"), "records_at_risk") is not None


def test_too_few_people_behind_many_records(audit: Run) -> None:
    """At event level people are counted: forty records of ten persons."""
    result = audit(**classes(20, 20), who=[f"p{i % 10}" for i in range(40)], person="who")

    assert "only 10 people" in str(unattainable(result, "k_anonymity"))


def test_one_person_with_most_of_the_records(audit: Run) -> None:
    """Some class always belongs to the busiest person at least as much as the table does."""
    who = ["busy"] * 70 + [f"p{i}" for i in range(30)]
    result = audit(zip=["1"] * 100, who=who, ill=["a", "b"] * 50, quasi_identifiers=["zip"], sensitive=["ill"], person="who")

    assert "70.0 %" in str(unattainable(result, "uniformity"))


def test_without_a_sensitive_attribute_the_table_is_withheld(audit: Run) -> None:
    """A rule that was not measured is not met, and no question is answered that was not asked."""
    verdict = audit(zip=["1"] * 50, quasi_identifiers=["zip"]).verdict

    assert {result.rule.metric for result in verdict.rules if result.status == "not measured"} == {"t_closeness", "correlation"}
    assert all(result.reason for result in verdict.rules if result.status == "not measured")
    assert (verdict.outcome, verdict.exit_code) == ("withhold", 1)
    assert verdict.attacks == {"singling out": "meets the policy", "linkability": "not assessed", "inference": "not measured"}


def test_a_policy_without_sensitive_rules_needs_no_sensitive_attribute(audit: Run) -> None:
    """Class sizes can be judged alone, but inference is then not assessed."""
    verdict = audit(zip=["1"] * 50, quasi_identifiers=["zip"], policy="ema-0070").verdict

    assert verdict.outcome == "release"
    assert verdict.attacks["inference"] == "not assessed"


@pytest.mark.parametrize(("persons", "outcome"), [(2, "withhold"), (10, "withhold"), (11, "release")])
def test_class_size_rules_count_persons_at_event_level(audit: Run, persons: int, outcome: str) -> None:
    """Eleven records and more are not eleven people."""
    who = [f"p{i % persons}" for i in range(22)]
    result = audit(**classes(22), who=who, person="who", policy="ema-0070")

    assert result["k_anonymity"].value == 22
    assert rule(result.verdict, "k_anonymity").value == persons
    assert result.verdict.outcome == outcome


def test_the_worst_scenario_decides(audit: Run) -> None:
    """One attacker sees large classes, another sees somebody alone."""
    table = classes(20, 20) | {"age": [1, *[2] * 39]}
    verdict = audit(**table, scenarios={"neighbour": ["age"]}).verdict
    found = rule(verdict, "k_anonymity")

    assert verdict.outcome == "withhold"
    assert (found.value, found.measurement.scenario, found.failing, found.measured) == (1, "neighbour", 1, 2)
    assert audit(**classes(20, 20)).verdict.outcome == "release"


def test_the_worst_sensitive_attribute_decides(audit: Run) -> None:
    """One is varied, the other is known to all."""
    table = classes(20, 20) | {"paid": ["yes"] * 40, "sensitive": ["ill", "paid"]}
    found = rule(audit(**table).verdict, "correlation")

    assert (found.status, found.measurement.sensitive, found.failing, found.measured) == ("fail", "paid", 1, 2)


def test_the_worst_attribute_is_named(audit: Run) -> None:
    """A rare value in one column is to blame, the others are not."""
    table = classes(20, 20) | {"job": ["king", *["other"] * 39], "quasi_identifiers": ["zip", "job"]}
    found = [r for r in audit(**table).verdict.rules if r.rule.metric == "correlation"]

    assert [r.measurement.attributes for r in found] == [("job",)]
