"""Limits of the search against the audit: both must measure the same and decide alike."""

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, seed, settings

import anonscope as an
from anonscope.columns.hierarchy import read_hierarchy
from anonscope.errors import PolicyError
from anonscope.risk.counting.columns import read_columns
from anonscope.risk.metrics import METRICS, AttackerMetric, Measurement, RecordRisk, Totals
from anonscope.risk.policy import Rule, from_limits, load
from anonscope.risk.policy.verdict import judge
from anonscope.transform.search.classes import Classes, whole
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.prepare import prepare
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.targets import DECIDABLE, limits_of, obstacles
from support.strategies import Table, tables


@lru_cache(maxsize=64)
def opened(table: Table) -> tuple[an.Audit, Problem]:
    """Return the audit of a table, and the table as a problem."""
    with an.read(
        table.arrow(),
        quasi_identifiers=table.quasi_identifiers,
        sensitive=table.sensitive,
        person=table.person,
        distance=dict(table.distance),
        threads=1,
    ) as data:
        columns = (*table.quasi_identifiers, *table.sensitive, *([table.person] if table.person else []))
        problem = prepare(read_columns(data.engine, data.relation, columns), data.roles, {}).problem
        return an.audit(data, policy="arx-default"), problem


def classes_for(limit: Limit, problem: Problem) -> Classes:
    return Classes.at(problem, [0] * len(problem.ladders), whole(problem), limit.attributes)


def least(metric: str) -> float:
    """Return the least limit that may be asked for: one that no table can meet is refused."""
    return max(METRICS[metric].range[0], 1e-9 if METRICS[metric].positive or METRICS[metric].strict else 0.0)


def rule_for(metric: str, value: float, **also: Any) -> Rule:
    higher = METRICS[metric].safer == "higher"
    value = max(value, least(metric))
    return Rule(metric=metric, label="", minimum=value if higher else None, maximum=None if higher else value, **also)


def questions(audit: an.Audit, problem: Problem) -> "list[tuple[Measurement, str, Rule]]":
    """Return every measurement that a limit of the search stands for, the statistic, and a rule about just that."""
    found = []
    level = "person" if problem.persons is not None else "record"
    for m in audit.measurements:
        metric = METRICS[m.metric]
        if m.metric not in DECIDABLE or m.status == "not measured" or (m.attributes is not None and len(m.attributes) > 1):
            continue
        in_persons = m.metric in ("k_anonymity", "average_class_size", "records_at_risk", "prosecutor", "marketer")
        if m.level != (level if in_persons else "record"):
            continue
        if m.variant in ("estimated", "in the population") or (m.metric == "prosecutor" and m.variant is not None):
            continue
        over_records = isinstance(metric, RecordRisk) or (isinstance(metric, AttackerMetric) and metric.over_records)
        for statistic in ("min", "mean", "max") if over_records else ("value",):
            threshold = int(m.variant.split()[1]) if m.metric == "records_at_risk" and m.variant else None
            named = None if threshold is not None or m.metric == "marketer" else m.variant
            scopes = ("each",) if m.attributes is not None else ("whole",)
            found.append((m, statistic, rule_for(m.metric, 0.0, statistic=statistic, variant=named, threshold=threshold, scopes=scopes)))
    return found


def limit_for(rule: Rule, problem: Problem, m: Measurement) -> Limit:
    """Return the limit of a rule that a measurement is about."""
    names = [ladder.name for ladder in problem.ladders]
    (found,) = (
        limit
        for limit in limits_of((rule,), problem)
        if (None if limit.attributes is None else tuple(names[a] for a in limit.attributes)) == m.attributes
        and (None if limit.sensitive is None else problem.sensitive[limit.sensitive].name) == m.sensitive
    )
    return found


@seed(2025)
@settings(max_examples=30, deadline=None, database=None)
@given(table=tables(sensitive=1))
def test_limits_measure_what_the_audit_measures(table: Table) -> None:
    """Every metric, variant, statistic and scope that the search can decide; and one that is unbounded is so in both."""
    audit, problem = opened(table)
    asked = questions(audit, problem)

    assert len(asked) > 20
    for m, statistic, rule in asked:
        limit = limit_for(rule, problem, m)
        value = limit.worst(classes_for(limit, problem))
        if m.status == "unbounded":
            assert value is None, limit.name
        else:
            assert value == pytest.approx(m.statistic(statistic), rel=1e-9, abs=1e-12), limit.name


@seed(2025)
@settings(max_examples=30, deadline=None, database=None)
@given(table=tables(sensitive=1))
def test_limits_decide_as_the_verdict_does(table: Table) -> None:
    """A limit that is just reached is kept by both unless it is strict, one a little stricter by neither."""
    audit, problem = opened(table)
    for m, statistic, rule in questions(audit, problem):
        value = m.statistic(statistic)
        if m.status == "unbounded" or value is None:
            continue
        metric, whole_limit = METRICS[m.metric], METRICS[m.metric].whole or m.variant == "floor"
        better = (1 if metric.safer == "higher" else -1) * (1 if whole_limit else 1e-6)
        for limit_value, expected in ((value, not metric.strict), (value + better, False), (value - better, True)):
            if limit_value < least(m.metric) or limit_value > (metric.range[1] or limit_value):
                continue
            judged = rule_for(
                rule.metric, limit_value, statistic=statistic, variant=rule.variant, threshold=rule.threshold, scopes=rule.scopes
            )
            limit = limit_for(judged, problem, m)
            assert bool(np.all(limit.keeps(classes_for(limit, problem)))) == expected, limit.name


@seed(2025)
@settings(max_examples=20, deadline=None, database=None)
@given(table=tables(sensitive=1))
def test_whole_policies_are_decided_as_by_the_audit(table: Table) -> None:
    """All limits of a policy are kept just when its verdict is not to withhold."""
    audit, problem = opened(table)
    # What no change of the quasi-identifiers can reach is explained by these, and decided without them.
    totals = dict.fromkeys((None, *table.sensitive), Totals(problem.records, problem.records, 1.0))
    for name in ("pipeline", "public-medium", "research-shared", "trusted-internal", "scorr", "arx-default"):
        policy = load(name)
        kept = all(np.all(limit.keeps(classes_for(limit, problem))) for limit in limits_of(policy, problem))
        assert kept == judge(policy, audit.roles, audit.measurements, totals).released, name


@seed(2025)
@settings(max_examples=30, deadline=None, database=None)
@given(table=tables(sensitive=1))
def test_merging_and_shrinking_are_what_they_say(table: Table) -> None:
    """One group for all keeps whatever merges and every group kept; and where it breaks what shrinks, every group does."""
    audit, problem = opened(table)
    for m, statistic, rule in questions(audit, problem):
        value = m.statistic(statistic)
        if value is None:
            continue
        limit = limit_for(
            rule_for(
                rule.metric,
                value + METRICS[m.metric].strict * 1e-6,
                statistic=statistic,
                variant=rule.variant,
                threshold=rule.threshold,
                scopes=rule.scopes,
            ),
            problem,
            m,
        )
        everybody = Classes(problem, np.zeros(problem.tuples, dtype=np.int64), 1, whole(problem))
        if limit.merging:
            assert np.all(limit.keeps(everybody)), limit.name
        if limit.shrinking and not np.all(limit.keeps(everybody)):
            assert not np.any(limit.keeps(classes_for(limit, problem))), limit.name


def test_k_map_counts_the_population(audit: Any) -> None:
    """Two of the table are alone in it, but not in the population; coarser groups mean more people."""
    sample, people = {"age": ["30", "31"]}, {"age": ["30", "30", "31", "31", "31", "40"]}
    with an.read(pa.table(sample), quasi_identifiers=["age"]) as data:
        columns = read_columns(data.engine, data.relation, ("age",))
    with an.read(pa.table(people), quasi_identifiers=["age"]) as data:
        others = read_columns(data.engine, data.relation, ("age",))
    problem = prepare(columns, data.roles, {}, population=others).problem
    measured = audit(**sample, quasi_identifiers=["age"], population=pa.table(people))
    (k_map,) = limits_of({"k_map": 2}, problem)
    (journalist,) = limits_of({"journalist": 0.5}, problem)

    assert k_map.worst(classes_for(k_map, problem)) == measured["k_map"].value == 2
    assert journalist.worst(classes_for(journalist, problem)) == measured["journalist"].max == 0.5
    assert k_map.worst(Classes.at(problem, [1], whole(problem))) == 6


def test_hierarchical_distance_is_the_audits(audit: Any, tmp_path: Any) -> None:
    """Flu and bronchitis are near each other, gastritis is not."""
    file = tmp_path / "illness.csv"
    file.write_text("flu;lung;*\nbronchitis;lung;*\ngastritis;stomach;*\n", encoding="utf-8")
    table = pa.table({"q": ["a", "a", "b", "b", "b"], "s": ["flu", "bronchitis", "gastritis", "flu", "gastritis"]})
    with an.read(table, quasi_identifiers=["q"], sensitive=["s"], hierarchies={"s": file}) as data:
        measured = next(m for m in an.audit(data).measurements if m.metric == "t_closeness" and m.variant == "hierarchical")
        problem = prepare(read_columns(data.engine, data.relation, ("q", "s")), data.roles, {"s": read_hierarchy(file)}).problem
    (limit,) = limits_of({"t_closeness:hierarchical": 0.5}, problem)

    assert limit.worst(classes_for(limit, problem)) == pytest.approx(measured.value, rel=1e-12)


def small() -> Problem:
    columns = pa.table({"q": ["a", "a", "b"], "s": ["x", "x", "y"]})
    with an.read(columns, quasi_identifiers=["q"], sensitive=["s"]) as data:
        return prepare(read_columns(data.engine, data.relation, ("q", "s")), data.roles, {}).problem


def test_what_nothing_can_reach_is_said_before_searching() -> None:
    """More than all people, more values than there are, less than the commonest value's share."""
    problem = small()
    limits = limits_of({"k_anonymity": 4, "l_diversity": 3, "correlation": 0.5, "t_closeness": 0.1}, problem)
    found = obstacles(limits, problem)

    assert [obstacle.limit.metric for obstacle in found] == ["k_anonymity", "l_diversity", "correlation"]
    assert [obstacle.reason.split("because ")[1] for obstacle in found] == [
        "the table holds only 3 people",
        "the sensitive attribute has only 2 distinct value(s)",
        "66.7 % of all records share the commonest sensitive value",
    ]


def test_metrics_that_cannot_be_decided_are_refused_with_those_that_can() -> None:
    """Markov risk looks at more than classes; so do a metric that does not exist and one without its table."""
    problem = small()

    with pytest.raises(PolicyError, match=r"Markov model risk cannot be decided.*k_anonymity"):
        limits_of((rule_for("markov", 0.5),), problem)
    with pytest.raises(PolicyError, match=r"No metric is called 'safety'.*t_closeness"):
        limits_of({"safety": 1}, problem)
    with pytest.raises(PolicyError, match="needs a population table"):
        limits_of({"k_map": 2}, problem)
    with pytest.raises(PolicyError, match="records_at_risk:5"):
        limits_of({"records_at_risk": 0.1}, problem)
    with pytest.raises(PolicyError, match="variant: must be one of equal, ordered, hierarchical"):
        limits_of({"t_closeness:round": 0.1}, problem)
    with pytest.raises(PolicyError, match="must be a number"):
        limits_of({"t_closeness": float("nan")}, problem)
    with pytest.raises(PolicyError, match="no such order or hierarchy"):
        limits_of({"t_closeness:hierarchical": 0.1}, problem)
    with pytest.raises(PolicyError, match="about a sensitive attribute"):
        limits_of({"l_diversity": 2}, Problem(problem.ladders, problem.codes, problem.n))


def test_limits_are_written_as_people_write_them() -> None:
    """Metric, what it is about, and the limit; a variant or threshold follows a colon."""
    problem = small()
    names = [limit.name for limit in limits_of({"k_anonymity": 2, "t_closeness:equal": 0.5, "records_at_risk:3": 0.1}, problem)]

    assert names == ["k-anonymity ≥ 2", "t-closeness (s, equal) ≤ 0.5", "records at risk (below 3) ≤ 0.1"]
    assert [rule.threshold for rule in from_limits({"records_at_risk:3": 0.1}).rules] == [3]
    asked = from_limits({"k_anonymity": 2, "correlation": 0.5, "prosecutor": 0.5})
    assert [rule.statistic for rule in asked.rules] == ["value", "max", "max"]


def test_other_attackers_are_asked_about_only_where_that_is_news() -> None:
    """Who knows less is no danger to k, which merges; to information-theoretic risk, which does not, they are."""
    problem = small()

    assert len(limits_of({"k_anonymity": 2}, problem, scenarios=[("q",)])) == 1
    assert len(limits_of({"itpr:inference": 0.5}, problem, scenarios=[("q",)])) == 2
    for scopes, names in ((("each",), ["uniformity (q) ≤ 0.5"]), (("whole", "each"), ["uniformity ≤ 0.5"])):
        assert [limit.name for limit in limits_of((rule_for("uniformity", 0.5, statistic="max", scopes=scopes),), problem)] == names
