"""Limits at exact equality, one unit below and one above: the verdict and the search against fractions that know no rounding."""

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import PolicyError
from anonscope.risk.counting.columns import read_columns
from anonscope.risk.metrics import METRICS, AttackerMetric, SizeMetric, Totals
from anonscope.risk.policy import Policy, Rule, from_limits, from_rules, judge
from anonscope.transform.search.classes import Classes, whole
from anonscope.transform.search.prepare import prepare
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.targets import limits_of

# Groups by "/", sensitive digits inside: among them ties, a value alone in its group, thirds, and shares that are no binary fraction.
TABLES = (
    "1112/1122",
    "1123/1123/2231",
    "123/123/123",
    "11111112/12222222",
    "1/22/333/4444",
    "1111111112/1234567891",
    "12345/123451234512345",
    "112233445566/111111222222",
)


@cache
def opened(text: str) -> tuple[an.Audit, Problem]:
    """Return the audit of a table of groups, and the table as a problem of the search."""
    groups = text.split("/")
    columns = {"q": [f"g{i}" for i, group in enumerate(groups) for _ in group], "s": [int(digit) for group in groups for digit in group]}
    with an.read(pa.table(columns), quasi_identifiers=["q"], sensitive=["s"], threads=1) as data:
        problem = prepare(read_columns(data.engine, data.relation, ("q", "s")), data.roles, {}).problem
        return an.audit(data, policy="arx-default"), problem


def said(text: str, rule: Rule) -> tuple[bool, bool]:
    """Return whether the verdict and the search take a limit for kept."""
    audit, problem = opened(text)
    limits = limits_of((rule,), problem)
    found = all(bool(np.all(x.keeps(Classes.at(problem, [0], whole(problem), x.attributes)))) for x in limits)
    policy = Policy(name="p", title="p", version="1", origin="us", jurisdiction="", summary="", rules=(rule,))
    totals = dict.fromkeys((None, "s"), Totals(problem.records, problem.records, 1.0))
    return judge(policy, audit.roles, audit.measurements, totals).released, found


def exact(text: str) -> Iterator[tuple[str, Fraction | None]]:
    """Yield metrics with their value as a fraction, counted the slow way; None where no number is large enough."""
    groups = [Counter(group) for group in text.split("/")]
    table = sum(groups, Counter())
    n, sizes = table.total(), [group.total() for group in groups]
    values = sorted(table)
    shares = [(Fraction(group[v], group.total()), Fraction(table[v], n)) for group in groups for v in values]
    yield "k_anonymity", Fraction(min(sizes))
    yield "l_diversity", Fraction(min(map(len, groups)))
    yield "t_closeness:equal", max(sum(abs(Fraction(g[v], g.total()) - Fraction(table[v], n)) for v in values) / 2 for g in groups)
    yield (
        "t_closeness:ordered",
        max(
            sum(abs(sum(Fraction(g[v], g.total()) - Fraction(table[v], n) for v in values[: i + 1])) for i in range(len(values)))
            / (len(values) - 1)
            for g in groups
        ),
    )
    for name in ("alpha_k_anonymity", "correlation", "posterior:inference"):
        yield name, max(Fraction(max(g.values()), g.total()) for g in groups)
    for name in ("uniformity", "prosecutor", "posterior:re-identification"):
        yield name, Fraction(1, min(sizes))
    for name in ("marketer", "distinction"):
        yield name, Fraction(len(groups), n)
    yield "separation", 1 - Fraction(sum(size * (size - 1) for size in sizes), n * (n - 1))
    yield "average_class_size", Fraction(n, len(groups))
    yield "records_at_risk:5", Fraction(sum(size for size in sizes if size < 5), n)
    yield "basic_beta_likeness", max((p - q) / q for p, q in shares)
    for name, least in (("recursive_c_l_diversity", max(2, min(map(len, groups)))), ("recursive_c_l_diversity:l = 2", 2)):
        ranked = [sorted(group.values(), reverse=True) for group in groups]
        tails = [sum(counts[least - 1 :]) for counts in ranked]
        yield name, max(Fraction(counts[0], tail) for counts, tail in zip(ranked, tails, strict=True)) if all(tails) else None


STRICT = ("recursive_c_l_diversity", "delta_disclosure")


@pytest.mark.parametrize("text", TABLES)
def test_every_limit_at_its_edge(text: str) -> None:
    """What only reaches a limit keeps it, but not a strict one; a unit more or less decides, in the verdict and in the search."""
    for name, value in exact(text):
        metric = METRICS[name.partition(":")[0]]
        if value is None:
            assert said(text, from_limits({name: 10**6}).rules[0]) == (False, False), name
            continue
        unit = Fraction(1) if metric.whole else Fraction(1, 10**8)
        for limit in (value - unit, value, value + unit):
            low, high = metric.range
            if limit < max(low, 1 if metric.whole else 0) or (high is not None and limit > high):
                continue
            expected = value >= limit if metric.safer == "higher" else value < limit if metric.name in STRICT else value <= limit
            (rule,) = from_limits({name: float(limit)}).rules
            assert said(text, rule) == (expected, expected), (name, limit, value)


@pytest.mark.parametrize("text", TABLES)
@pytest.mark.parametrize("delta", [0.5, 1, 2, 3])
def test_delta_disclosure_is_strict(text: str, delta: float) -> None:
    """A value twice as frequent in a group breaks a delta of 1; the ratio is compared with the power of two, without logarithms."""
    groups = [Counter(group) for group in text.split("/")]
    table = sum(groups, Counter())
    ratios = [Fraction(n * table.total(), group.total() * table[v]) for group in groups for v, n in group.items()]
    # Squared, so that the root of two is whole.
    power = Fraction(2) ** int(2 * delta)
    expected = all(1 / power < ratio**2 < power for ratio in ratios)
    lacking = any(len(group) < len(table) for group in groups)

    assert said(text, from_limits({"delta_disclosure": delta}).rules[0]) == (expected, expected)
    assert said(text, from_limits({"delta_disclosure:strict": delta}).rules[0]) == (expected and not lacking,) * 2


def test_a_ratio_of_two_is_not_below_a_delta_of_one() -> None:
    """In 12/11, half of the first group is a 2, which is a quarter of the table."""
    assert said("12/11", from_limits({"delta_disclosure": 1}).rules[0]) == (False, False)
    assert said("12/11", from_limits({"delta_disclosure": 1.000001}).rules[0]) == (True, True)


def test_the_golden_table_of_recursive_diversity() -> None:
    """aaaabbbb with xxxyxxyy: at l = 2 the largest ratio is exactly 3, so c = 3 fails, as in ARX; and without an l as with 2."""
    for name in ("recursive_c_l_diversity", "recursive_c_l_diversity:l = 2"):
        assert said("1112/1122", from_limits({name: 3}).rules[0]) == (False, False)
        assert said("1112/1122", from_limits({name: 3.0000001}).rules[0]) == (True, True)
        assert from_limits({name: 3}).rules[0].limit_text == "< 3"


def test_without_an_l_it_is_at_least_two() -> None:
    """In a group of one value an l of 1 would be kept by every c above 1; no c is large enough for two."""
    audit, _ = opened("1/22/333/4444")
    for m in audit.select("recursive_c_l_diversity"):
        assert (m.status, m.value) == ("unbounded", None)
    assert said("1/22/333/4444", from_limits({"recursive_c_l_diversity": 10**9}).rules[0]) == (False, False)


@pytest.mark.parametrize("size", [3, 7, 10, 100_000])
def test_entropy_rounded_down_tells_equal_from_nearly_equal(size: int) -> None:
    """Three values of equal counts are worth three; one record less of one of them, and they are worth two whole ones."""
    for counts, whole_values in (((size,) * 3, 3), ((size, size, size - 1), 2)):
        table = pa.table({"q": ["g"] * sum(counts), "s": [i for i, n in enumerate(counts) for _ in range(n)]})
        found = an.audit(table, quasi_identifiers=["q"], sensitive=["s"], policy="arx-default")

        assert [m.value for m in found.select("entropy_l_diversity", variant="floor")] == [whole_values]


@pytest.mark.parametrize(("records", "size", "limit", "kept"), [(16, 4, 0.5, True), (81, 9, 0.5, True), (17, 4, 0.5, False)])
def test_uniqueness_of_a_root(records: int, size: int, limit: float, kept: bool) -> None:
    """A group whose size is the root of the table's has uniqueness one half, whatever its logarithms are rounded to."""
    text = "/".join(["1" * size, "1" * (records - size)])

    assert (size**2 >= records) == kept
    assert said(text, from_limits({"uniqueness": limit}).rules[0]) == (kept, kept)


WHOLE = ("k_anonymity", "l_diversity", "k_map", "entropy_l_diversity:floor")


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("value", [0, -3, 2.5, 0.999999, 1 + 1e-9])
def test_counts_have_whole_limits_from_one_on(name: str, value: float) -> None:
    """At least 2.5 people, none or fewer is a slip of somebody's pen, and says so in a sentence."""
    with pytest.raises(PolicyError, match=r"counts, so its limit is a whole number from 1 on, not"):
        from_limits({name: value})
    metric, _, variant = name.partition(":")
    with pytest.raises(PolicyError, match="whole number from 1 on"):
        Rule(metric=metric, label="", minimum=value, variant=variant or None)


@pytest.mark.parametrize(
    ("name", "value"),
    [("t_closeness", -0.1), ("records_at_risk:5", 5), ("uniqueness", 1.01), ("average_class_size", 0.5), ("entropy_l_diversity", 0)],
)
def test_a_limit_that_nothing_can_break_or_keep_is_refused(name: str, value: float) -> None:
    """5 per cent is 0.05: a share of at most 5 would be kept by every table."""
    with pytest.raises(PolicyError, match=r"lies from .* so its limit does too"):
        from_limits({name: value})


STRICT = ("recursive_c_l_diversity", "delta_disclosure")


@pytest.mark.parametrize("name", METRICS)
def test_a_limit_that_no_table_can_meet_is_refused_in_every_face(name: str) -> None:
    """Where a metric begins: refused if a value must stay below it or is above it everywhere; NaN, infinite, negative ones always."""
    metric = METRICS[name]
    if isinstance(metric, AttackerMetric) and not metric.judged:
        pytest.skip("no rule may decide by it")
    key = f"{name}:5" if isinstance(metric, SizeMetric) and metric.parameter else name
    end = "minimum" if metric.safer == "higher" else "maximum"
    rule: dict[str, Any] = {"metric": name} | ({"threshold": 5} if ":" in key else {})
    for value in (math.nan, math.inf, -math.inf, -1, "5", None, True, [1]):
        with pytest.raises(PolicyError):
            from_limits({key: value})  # type: ignore[dict-item]
        with pytest.raises(PolicyError):
            Rule(label="", **{"metric": name, end: value} if value is not None else {"metric": name, end: math.nan})
        if value is not None:
            with pytest.raises(PolicyError):
                from_rules([rule | {end: value}])
    low = metric.range[0]
    if metric.strict or metric.positive:
        assert low == 0
        with pytest.raises(PolicyError, match="so its limit is above 0"):
            from_limits({key: low})
        assert from_limits({key: 1e-9}).rules
    else:
        assert from_limits({key: low}).rules
    assert metric.strict == (name in STRICT)


@pytest.mark.parametrize("name", [name for name, metric in METRICS.items() if metric.positive])
def test_what_is_called_positive_is_so_in_the_safest_table(name: str) -> None:
    """One group of everybody, values spread evenly: the risk is small, and not 0."""
    table = pa.table({"q": ["g"] * 400, "s": [str(i) for i in range(400)], "w": [50.0] * 400, "h": [str(i) for i in range(400)]})
    found = an.audit(table, quasi_identifiers=["q"], sensitive=["s"], weight="w", household="h", sampling_fraction=0.5)
    judged = [m for m in found.select(name) if "above" not in (m.variant or "")]
    values = [m.max if m.value is None else m.value for m in judged]
    assert values and all(value is not None and value > 0 for value in values)


def test_limits_of_a_float_that_is_whole_are_taken() -> None:
    """The command line reads numbers as floats."""
    assert from_limits({"k_anonymity": 5.0}).rules[0].limit_text == "≥ 5"


@pytest.mark.parametrize("name", ["k_anonymity", "l_diversity"])
def test_rounding_is_relative_to_the_limit(name: str) -> None:
    """A count is never taken for the next one, however large."""
    rule: Any = from_limits({name: 10**9}).rules[0]

    assert rule.keeps(10**9) and not rule.keeps(10**9 - 1)
    assert from_limits({"basic_beta_likeness": 1e5}).rules[0].keeps(math.nextafter(1e5, math.inf))
