"""Pre-checks: marginals, sparsity and previews by hand, against slow definitions, and on bad input."""

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import anonscope as an
from anonscope.errors import OptionError, RoleError
from anonscope.risk.marginals import Histogram
from anonscope.transform.ready.preview import preview
from reference.metrics import is_numeric, plain
from support.strategies import Table, law, tables


def checked(columns: dict[str, list[Any]], quasi_identifiers: list[str], like: dict[str, str] | None = None, **roles: Any) -> an.PreCheck:
    with an.read(pa.table(columns), quasi_identifiers=quasi_identifiers, threads=1, **roles) as data:
        return an.precheck(data, like=like)


def test_the_marginal_of_a_skewed_column() -> None:
    """99 records with 1 and one with 101: the top per cent holds 101 of 200, and the skewness is that of a coin of 1 %."""
    (age,) = checked({"n": [1] * 99 + [101]}, ["n"]).marginals

    assert age.top_records == pytest.approx(101 / 200)
    assert age.skewness == pytest.approx((1 - 2 * 0.01) / math.sqrt(0.01 * 0.99))
    assert (age.commonest, age.values, age.missing) == (0.99, 2, 0)


def test_weights_count_people() -> None:
    """One record of weight 3 counts as three records."""
    once = checked({"age": [20, 30], "w": [3, 1]}, ["age"], weight="w")
    thrice = checked({"age": [20, 20, 20, 30]}, ["age"])

    assert once.weighted
    assert once.marginals == thrice.marginals
    assert once.previews == thrice.previews
    assert once.sparsity[0].classes_of_one == 1


def test_unusable_weights_are_left_aside_and_said() -> None:
    """A missing weight: histograms count records, and a note says so."""
    found = checked({"age": [20, 30], "w": [3, None]}, ["age"], weight="w")

    assert not found.weighted
    assert any("left aside" in note for note in found.notes)


def test_sparsity_by_hand() -> None:
    """Classes of 1, 2, 3 and 4 records."""
    (s,) = checked({"q": [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]}, ["q"]).sparsity

    assert (s.classes, s.classes_of_one, s.records_alone, s.records_rare) == (4, 1 / 4, 1 / 10, 6 / 10)
    assert s.percentiles == ((5, 1), (50, 3), (95, 4))


def test_table_5_on_ages_and_postcodes() -> None:
    """Ages 23 and 27 become 25; 10489 and 10488 share four characters, and with 10477 three."""
    found = checked({"age": [23, 27], "zip": ["10489", "10488"]}, ["age", "zip"])
    by_level = {(p.column, p.level): p for p in found.previews}

    assert by_level["age", "P1"].deviation == 0
    assert by_level["age", "P2"].deviation == pytest.approx(2 / 4)
    assert by_level["age", "P3"].deviation == pytest.approx(3 / 4)
    assert [by_level["zip", level].deviation for level in ("P1", "P2", "P3")] == [0, 0.5, 0.5]
    assert by_level["zip", "P1"].cosine == by_level["zip", "P1"].jaccard == 1


def test_spread_over_the_original_domain() -> None:
    """Three of 21 and one of 22 become four of 20, two each: cosine 8 / sqrt(10 * 8), Jaccard 3 / 5."""
    found = checked({"age": [21, 21, 21, 22]}, ["age"]).previews[1]

    assert found.cosine == pytest.approx(8 / math.sqrt(80))
    assert found.jaccard == pytest.approx(3 / 5)


def test_amounts_are_rounded_to_the_nearest() -> None:
    """Table 5: 1,000, 10,000 and 1,000,000 of millions, so 1, 10 and 1,000 of thousands; half goes up. As the recipe of a level does it."""
    columns = {"pay": [1_500, 14_000]}
    found = checked(columns, ["pay"], like={"pay": "income"}).previews

    assert [p.deviation for p in found] == pytest.approx([0, 0, 250 / 12_500])
    assert [p.rule for p in found] == ["rounded to 1", "rounded to 10", "rounded to 1,000"]
    with an.read(pa.table(columns), quasi_identifiers=["pay"], threads=1) as data:
        for preview_of, level in zip(found, ("P1", "P2", "P3"), strict=True):
            (step,) = an.level_recipe(data, level, like={"pay": "income"}).steps
            assert preview_of.rule == f"rounded to {step.to:,}"
    assert [p.rule for p in checked({"income": [3_000_000]}, ["income"]).previews][2] == "rounded to 1,000,000"
    assert any("made smaller or larger" in note for note in checked({"income": [1]}, ["income"]).notes)


def test_diagnoses_are_grouped_by_their_code() -> None:
    """I21 and I22 share a chapter; common names are grouped as in recipes, others cannot be without a hierarchy, and that is said."""
    coded = checked({"icd10": ["I219", "I210", "I229", "C509"]}, ["icd10"]).previews
    named = checked({"diagnosis": ["influenza", "asthma", "gout"]}, ["diagnosis"]).previews
    odd = checked({"diagnosis": ["qqq", "zzz"]}, ["diagnosis"]).previews

    assert [p.deviation for p in coded] == pytest.approx([0, 0.25, 0.5])
    # Influenza and asthma are of one chapter, the respiratory system, and of two blocks.
    assert [p.deviation for p in named] == pytest.approx([0, 0, 1 / 3])
    assert all(p.deviation is None and "hierarchy" in str(p.reason) for p in odd)


def test_postcodes_of_digits_are_text() -> None:
    """A number column that is a postcode keeps its digits as they are written, and has no skewness."""
    found = checked({"zip": [10489, 10488, 99999]}, ["zip"])

    assert found.marginals[0].skewness is None
    assert found.previews[1].deviation == pytest.approx((0.5 + 0.5 + 0) / 3)


@pytest.mark.parametrize(
    ("like", "says"), [({"sex": "height"}, "can be like"), ({"nope": "age"}, "not among")], ids=["unknown kind", "no such column"]
)
def test_what_cannot_be_previewed_is_refused(like: dict[str, str], says: str) -> None:
    """With the kinds there are."""
    with pytest.raises(OptionError, match=says):
        checked({"sex": ["F"]}, ["sex"], like=like)


def test_without_quasi_identifiers_there_is_nothing_to_check() -> None:
    """The same error as an audit's."""
    with pytest.raises(RoleError, match="No quasi-identifier"):
        checked({"sex": ["F"]}, [])


def test_columns_that_hold_nothing_are_said() -> None:
    """All missing, constant, negative: each with its reason and never NaN."""
    columns: dict[str, list[Any]] = {"age": [None, None], "income": [-5, 5], "n": [7, 7], "word": ["a", "b"]}
    table = pa.table({**columns, "age": pa.array([None, None], pa.int64())})
    with an.read(table, quasi_identifiers=list(columns), threads=1) as data:
        found = an.precheck(data)
    by_name = {m.column: m for m in found.marginals}

    assert by_name["age"].missing == 1
    assert "negative" in by_name["income"].reasons[0]
    assert "constant" in by_name["n"].reasons[0]
    assert "not numeric" in by_name["word"].reasons[0]
    assert "no values" in str(found.previews[0].reason)
    json.dumps(found.to_dict(), allow_nan=False)


def test_very_many_values_are_sampled_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample states its size and its seed, and the same seed gives the same numbers."""
    monkeypatch.setattr("anonscope.transform.ready.preview.MOST_VALUES", 50)
    histogram = Histogram("age", True, np.arange(500.0), np.ones(500), 0.0)
    one, other = preview(histogram, "age", seed=1), preview(histogram, "age", seed=1)

    assert one == other
    assert one[1].sample is not None
    assert (one[1].sample.values, one[1].sample.of, one[1].sample.seed) == (50, 500, 1)
    assert preview(histogram, "age", seed=2) != one


@law
@given(table=tables())
def test_every_share_agrees_with_its_definition(table: Table) -> None:
    """Counted record by record, with missing values as values; nothing is NaN."""
    with an.read(
        table.arrow(), quasi_identifiers=table.quasi_identifiers, sensitive=table.sensitive, scenarios=dict(table.scenarios), threads=1
    ) as data:
        found = an.precheck(data)
    for m in found.marginals:
        values = plain(table[m.column])
        assert m.missing == pytest.approx(values.count(None) / table.rows)
        assert m.commonest == pytest.approx(max(Counter(values).values()) / table.rows)
        assert m.numeric == is_numeric(values)
    for s, (name, attributes) in zip(found.sparsity, table.attackers, strict=True):
        classes = list(zip(*(plain(table[a]) for a in attributes), strict=True))
        sizes = Counter(classes)
        assert s.scenario == name
        assert s.records_rare == pytest.approx(sum(sizes[c] <= 3 for c in classes) / table.rows)
        assert s.classes_of_one == pytest.approx(sum(n == 1 for n in sizes.values()) / len(sizes))
    json.dumps(found.to_dict(), allow_nan=False)


@law
@given(table=tables())
def test_every_level_costs_something_between_nothing_and_all(table: Table) -> None:
    """Deviation, cosine and Jaccard lie between 0 and 1 whatever the column holds."""
    like = dict.fromkeys(table.quasi_identifiers, "age") | dict.fromkeys(table.sensitive, "zip")
    with an.read(table.arrow(), quasi_identifiers=table.quasi_identifiers, sensitive=table.sensitive, threads=1) as data:
        found = an.precheck(data, like=like)
    for p in found.previews:
        assert (p.deviation is None) == (p.reason is not None)
        assert all(0 <= x <= 1 + 1e-12 for x in (p.deviation, p.cosine, p.jaccard) if x is not None)


def test_acs_with_its_weights(data_folder: Path) -> None:
    """27,253 people of the American Community Survey: P3 costs more than P2, P1 costs nothing for ages."""
    roles = {"quasi_identifiers": ["AGEP", "SEX", "PUMA"], "weight": "PWGTP"}
    with an.read(data_folder / "nist_acs" / "national2019.csv", **roles) as data:
        first, second, third = an.precheck(data).previews

    assert first.deviation == 0
    assert second.deviation < third.deviation
    assert second.jaccard > third.jaccard


def test_every_format_is_written(tmp_path: Path) -> None:
    """Text, JSON, Markdown and a page."""
    found = checked({"age": [20, 30, 30]}, ["age"])
    for name in ("r.html", "r.json", "r.md", "r.txt"):
        assert found.save(tmp_path / name).stat().st_size > 100
    assert "Before pseudonymisation" in found._repr_html_()
