"""What must hold for every metric, present and future, whatever the table."""

import json
import math
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonscope as an
from anonscope.errors import SourceError
from anonscope.risk.metrics import METRICS, Metric
from reference.attackers import prosecutor
from reference.information import FORMULAS, key_of, with_one_more_bit
from reference.information import scopes as information_scopes
from reference.metrics import REFERENCE, is_numeric, plain
from reference.syntactic import MODELS
from support.strategies import Numbers, Table, audited, law, numbers, tables

every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=str)
# What needs a population, weights or households is not measured here; see the tests of these metrics.
BEYOND_THE_TABLE = tuple(name for name, metric in METRICS.items() if set(metric.needs) - {"sensitive", "person"})


def measured(table: Table, metric: Metric) -> Numbers:
    """Return what an audit of the table says of one metric."""
    return numbers(audited(table), metric.name)


def same(found: Numbers, expected: Numbers) -> None:
    """Compare two sets of measurements: the same scopes, and the same numbers up to rounding."""
    assert set(found) == set(expected)
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=1e-9, abs=1e-9), key


def test_every_metric_has_a_reference() -> None:
    """A metric without an independent definition would be checked by nothing but itself."""
    assert set(REFERENCE) == set(METRICS)


@every_metric
@law
@given(table=tables())
def test_the_engine_agrees_with_the_obvious_definition(metric: Metric, table: Table) -> None:
    """Whatever the table, SQL and the slow reference give the same numbers in the same scopes."""
    same(measured(table, metric), dict(REFERENCE[metric.name](table, 11)))


@every_metric
@law
@given(table=tables(), data=st.data())
def test_the_order_of_rows_does_not_matter(metric: Metric, table: Table, data: st.DataObject) -> None:
    """A table is a set of records."""
    order = data.draw(st.permutations(range(table.rows)))

    same(measured(table.picked(order), metric), measured(table, metric))


ODD_NAMES = (
    'a "quoted" name',
    "x'; DROP TABLE record; --",
    "naïve 🏥",
    "select",
    "two\nlines",
    "q",
    "n",
    "<b>w0</b>",
    "%s {} :p",
    "é" * 500,
)


# A chain goes through the attributes as the roles list them; the order of the table's columns is no matter.
IN_ORDER = ("markov_chain",)


@every_metric
@law
@given(table=tables(), data=st.data())
def test_the_names_and_the_order_of_columns_do_not_matter(metric: Metric, table: Table, data: st.DataObject) -> None:
    """Only the roles of columns count; a name may even be a piece of SQL."""
    names = [name for name, _ in table.columns]
    odd = dict(zip(names, data.draw(st.permutations(ODD_NAMES)), strict=False))
    moved = replace(
        table,
        columns=tuple(data.draw(st.permutations(table.columns))),
        quasi_identifiers=table.quasi_identifiers
        if metric.name in IN_ORDER
        else tuple(data.draw(st.permutations(table.quasi_identifiers))),
    )

    found = measured(moved.renamed(odd), metric)
    expected = {
        (m, scenario, attributes and tuple(odd[a] for a in attributes), odd.get(str(sensitive)), variant, level): value
        for (m, scenario, attributes, sensitive, variant, level), value in measured(table, metric).items()
    }
    same(found, expected)


@every_metric
@law
@given(table=tables())
def test_other_names_for_the_same_values_do_not_matter(metric: Metric, table: Table) -> None:
    """Values are told apart, never read; only where they are ordered must the new ones keep the order."""
    same(measured(table.mapped(lambda name, values: renamed_values(table, name, values)), metric), measured(table, metric))


def renamed_values(table: Table, name: str, values: tuple[Any, ...]) -> list[Any]:
    """Return a column with every value replaced by another one; missing stays missing."""
    distinct: list[Hashable] = sorted({v for v in plain(values) if v is not None}, key=str)
    if name not in table.sensitive:
        # Backwards, so that codes do not even keep their order.
        other: dict[Any, Any] = {v: f"{len(distinct) - i} ←" for i, v in enumerate(distinct)}
    elif any(not isinstance(v, str) for v in distinct):
        other = {v: v / 4 + 7 if v < 1e9 else 2 * v for v in distinct}
    else:
        # A common beginning keeps the order of texts, and digits in front of a number keep the order of numbers.
        other = {v: ("7" if is_numeric(values) else "x") + v for v in distinct}
    return [None if v is None else other[v] for v in plain(values)]


@every_metric
@law
@given(table=tables())
def test_null_is_a_value(metric: Metric, table: Table) -> None:
    """Missing values count like any value that ranks lowest: filling them all with a new one changes nothing."""
    filled = table.mapped(lambda name, values: fill(renamed_values(table, name, values)))

    same(measured(filled, metric), measured(table, metric))


def fill(values: list[Any]) -> list[Any]:
    """Return a column with one new value, below all others, in the place of NULL."""
    present = [v for v in values if v is not None]
    if all(isinstance(v, str) for v in present):
        new: Any = "0" if is_numeric(values) else ""
    else:
        new = min(present) - 1
    return [new if v is None else v for v in values]


@every_metric
@law
@given(table=tables())
def test_every_number_lies_in_the_metrics_range(metric: Metric, table: Table) -> None:
    """A report may draw a scale from `range`; min, mean and max come in this order."""
    low, high = metric.range
    found = measured(table, metric)
    for key, value in found.items():
        assert all(low <= x and (high is None or x <= high) for x in value), key
    for entry in audited(table).to_dict()["measurements"]:
        if entry["metric"] == metric.name and "mean" in entry:
            assert entry["min"] <= entry["mean"] <= entry["max"]


@law
@given(table=tables())
def test_no_output_holds_nan_or_infinity(table: Table) -> None:
    """JSON has neither, and neither is a risk."""
    json.dumps(audited(table).to_dict(), allow_nan=False)


@every_metric
@law
@given(table=tables())
def test_a_person_for_every_record_is_the_same_as_no_person_ids(metric: Metric, table: Table) -> None:
    """Person-level data is event-level data in which nobody occurs twice."""
    bare = replace(table, person=None)
    own = replace(bare, columns=(*bare.columns, ("own id", tuple(range(bare.rows)))), person="own id")
    expected = measured(bare, metric)
    by_person = {(*key[:5], "person"): value for key, value in expected.items() if (*key[:5], "person") in measured(own, metric)}

    same(measured(own, metric), {**expected, **by_person})


def stays(before: Numbers, table: Table) -> Numbers:
    """A ratio of counts: both double."""
    return before


def records_double(before: Numbers, table: Table) -> Numbers:
    """A number of records doubles; the persons behind them are the same."""
    return {key: (value[0] * 2,) if key[5] == "record" else value for key, value in before.items()}


def uniqueness_shrinks(before: Numbers, table: Table) -> Numbers:
    """1 - log 2f / log 2n = (1 - log f / log n) * log n / log 2n, so every record's risk shrinks by the same factor."""
    factor = math.log(table.rows) / math.log(2 * table.rows)
    return {key: tuple(x * factor for x in value) for key, value in before.items()}


def uniformity_halves_without_persons(before: Numbers, table: Table) -> Numbers:
    """With person ids a ratio of counts; without, the copies are other people and 1 / f becomes 1 / 2f."""
    return before if table.person else {key: tuple(x / 2 for x in value) for key, value in before.items()}


def fewer_at_risk(before: Numbers, table: Table) -> Numbers:
    """A class of f is below 11 after doubling when f was below 6; persons stay where they were."""
    at_six = dict(REFERENCE["records_at_risk"](table, 6))
    return {key: at_six[(*key[:4], "below 6", key[5])] if key[5] == "record" else value for key, value in before.items()}


def markov_falls_without_persons(before: Numbers, table: Table) -> Numbers | None:
    """With person ids a product of ratios; without, see the test of its own below."""
    return before if table.person else None


def attackers_find_half(before: Numbers, table: Table) -> Numbers:
    """1 / f halves for records, and is above 0.2 after doubling when it was above 0.4; the persons are the same."""
    at_two_fifths = dict(prosecutor(table, 11, 0.4))
    return {
        key: value if key[5] == "person" else at_two_fifths[key] if key[4] == "above 0.2" else tuple(x / 2 for x in value)
        for key, value in before.items()
    }


def separation_falls(before: Numbers, table: Table) -> Numbers:
    """The copies make n pairs alike, and every pair that was apart is so four times."""
    n = table.rows
    return {key: (2 * x * (n - 1) / (2 * n - 1) if n > 1 else 0.0,) for key, (x,) in before.items()}


def a_bit_more_is_open_without_persons(metric: str) -> Callable[[Numbers, Table], Numbers]:
    """A share of values stays; without person ids every record has a double, and one more bit is needed to tell them apart."""

    def after(before: Numbers, table: Table) -> Numbers:
        expected = {key: value for key, value in before.items() if key[3] or table.person}
        for scenario, known, sensitive, found in information_scopes(table):
            if sensitive is None and table.person is None:
                value = FORMULAS[metric](with_one_more_bit(found))
                assert value is not None
                expected[key_of(metric, scenario, known, None)] = (value,)
        return expected

    return after


# What every number must be when each record is there twice.
DOUBLED: dict[str, Callable[[Numbers, Table], Numbers | None]] = {
    "k_anonymity": records_double,
    "l_diversity": stays,
    "t_closeness": stays,
    "uniqueness": uniqueness_shrinks,
    "uniformity": uniformity_halves_without_persons,
    "correlation": stays,
    "markov": markov_falls_without_persons,
    **{metric: a_bit_more_is_open_without_persons(metric) for metric in FORMULAS},
    **dict.fromkeys(MODELS, stays),
    "markov_chain": stays,
    "personal_information": stays,
    "average_class_size": records_double,
    "records_at_risk": fewer_at_risk,
    "distinction": lambda before, table: {key: (x / 2,) for key, (x,) in before.items()},
    "separation": separation_falls,
    "prosecutor": attackers_find_half,
    "marketer": attackers_find_half,
    **dict.fromkeys(BEYOND_THE_TABLE, stays),
}


@every_metric
@law
@given(table=tables())
def test_doubling_all_rows_does_what_the_definition_says(metric: Metric, table: Table) -> None:
    """When every record is there twice, each number changes in a way that is known beforehand."""
    twice = table.picked([*range(table.rows)] * 2)
    expected = DOUBLED[metric.name](measured(table, metric), table)
    if expected is not None:
        same(measured(twice, metric), expected)


@law
@given(table=tables(sensitive=1))
def test_doubling_all_rows_never_raises_markov_risk(table: Table) -> None:
    """Without person ids the copies are other people: R_mm falls, except in homogeneous classes, where it stays 1."""
    bare = replace(table, person=None)
    before, after = measured(bare, METRICS["markov"]), measured(bare.picked([*range(bare.rows)] * 2), METRICS["markov"])

    for key, (low, mean, high) in after.items():
        assert low <= before[key][0] + 1e-12
        assert mean <= before[key][1] + 1e-12
        assert high <= before[key][2] + 1e-12
        if min(value[0] for (_, scenario, *_), value in numbers(audited(bare), "l_diversity").items() if scenario == key[1]) > 1:
            assert high < 1


ONE_ROW: dict[str, float] = dict.fromkeys(METRICS, 1.0) | {"t_closeness": 0.0, "personal_information": 0.0}
ONE_ROW |= dict.fromkeys(("mutual_information", "conditional_privacy", "maximum_information_leakage", "entropy_variation"), 0.0)
ONE_ROW |= dict.fromkeys(("basic_beta_likeness", "enhanced_beta_likeness", "delta_disclosure"), 0.0)
# Shares of what can be learnt, where there is nothing to learn.
UNDEFINED_FOR_ONE_ROW = ("itpr", "discrimination_rate")


@every_metric
@pytest.mark.parametrize("person", [None, "who"])
def test_one_row_is_as_unique_as_can_be(metric: Metric, person: str | None) -> None:
    """A table of one record is measured, not refused: every risk is at its worst, and t is 0 as the class is the table."""
    table = Table((("zip", ("0123",)), ("age", (44,)), ("ill", (1,)), ("who", (None,))), ("zip", "age"), ("ill",), person)
    found = measured(table, metric)

    if metric.name in UNDEFINED_FOR_ONE_ROW:
        assert {m.status for m in audited(table).select(metric.name)} == {"not measured"}
        return
    if metric.name == "recursive_c_l_diversity":
        # A single value has no second one to hide behind.
        assert {m.status for m in audited(table).select(metric.name)} == {"unbounded"}
        return
    assert found or metric.name in BEYOND_THE_TABLE
    assert all(x == ONE_ROW[metric.name] for value in found.values() for x in value)


ONE_CLASS: dict[str, tuple[float, ...]] = {
    "k_anonymity": (12,),
    "l_diversity": (2,),
    "t_closeness": (0,),
    "uniqueness": (0, 0, 0),
    "uniformity": (1 / 12, 1 / 12, 1 / 12),
    "correlation": (1 / 4, (9 * 3 / 4 + 3 * 1 / 4) / 12, 3 / 4),
    "markov": (1 - 11 / 12 * 3 / 4 * 2 / 3, 1 - (9 * 1 / 4 * 8 / 9 + 3 * 3 / 4 * 2 / 3) / 12 * 11 / 12, 1 - 11 / 12 * 1 / 4 * 8 / 9),
    "alpha_k_anonymity": (3 / 4,),
    "entropy_l_diversity": (4 / 3**0.75,),
    "entropy_l_diversity, floor": (1,),
    "recursive_c_l_diversity": (3,),
    **dict.fromkeys(("basic_beta_likeness", "enhanced_beta_likeness", "delta_disclosure"), (0,)),
    **dict.fromkeys(FORMULAS, (0,)),
    "entropy_l_diversity_risk, re-identification": (1 / 12,),
    "entropy_l_diversity_risk, inference": (3**0.75 / 4,),
    "posterior, re-identification": (1 / 12,),
    "posterior, inference": (3 / 4,),
    "markov_chain": (1, 1, 1),
    "personal_information": (0, 0, 0),
    "average_class_size": (12,),
    "records_at_risk": (0,),
    "distinction": (1 / 12,),
    "separation": (0,),
    "prosecutor": (1 / 12, 1 / 12, 1 / 12),
    "marketer": (1 / 12,),
}


@every_metric
@pytest.mark.parametrize("values", [("flu",) * 9 + ("HIV",) * 3, (10,) * 9 + (2,) * 3], ids=["text", "number"])
def test_in_one_class_everybody_hides_among_all(metric: Metric, values: tuple[Any, ...]) -> None:
    """Twelve people who look alike, nine with one disease and three with another."""
    found = measured(Table((("sex", ("F",) * 12), ("ill", values)), ("sex",), ("ill",)), metric)

    assert found or metric.name in BEYOND_THE_TABLE
    for key, value in found.items():
        expected = ONE_CLASS.get(f"{metric.name}, {key[4]}", ONE_CLASS[metric.name])
        nobody = key[4] is not None and key[4].startswith("above ")
        assert value == pytest.approx((0,) if nobody else expected[: len(value)], abs=1e-12)


def test_no_records_is_an_error() -> None:
    """Nothing can be said of nobody, least of all that they are safe."""
    with pytest.raises(SourceError, match="no records"):
        an.read(pa.table({"sex": pa.array([], pa.string())}), quasi_identifiers=["sex"])


@every_metric
def test_without_a_sensitive_attribute_a_metric_says_so(metric: Metric) -> None:
    """What cannot be measured is there with its reason, not missing and not zero."""
    audit = audited(Table((("sex", ("F", "M")),), ("sex",)))

    for m in audit.select(metric.name):
        assert (m.status == "not measured") == ("sensitive" in metric.needs or metric.name in BEYOND_THE_TABLE)
        assert (m.reason is not None) == (m.status == "not measured")
    assert audit.select(metric.name)
