"""Predictions equal a real audit of the changed table."""

import math
from dataclasses import replace

import pyarrow as pa
import pytest
from hypothesis import given

import anonscope as an
from anonscope.risk.explain.effect import MEASURES
from anonscope.risk.explain.next_steps import _changes, _suppressed
from anonscope.risk.explain.why import Picture
from anonscope.risk.policy import Rule, load
from support.explained import explained, opened
from support.strategies import Table, audited, law, tables

BOTH = ("whole", "each")
RULES = (
    Rule(metric="k_anonymity", label="k", minimum=4),
    Rule(metric="average_class_size", label="average", minimum=5),
    Rule(metric="records_at_risk", label="at risk", maximum=0.1, threshold=3),
    Rule(metric="uniqueness", label="uniqueness", maximum=0.2, statistic="max"),
    Rule(metric="uniqueness", label="mean uniqueness", maximum=0.2, statistic="mean"),
    Rule(metric="itpr", label="who somebody is", maximum=0.5, scopes=BOTH, variant="re-identification"),
    Rule(metric="itpr", label="what is secret", maximum=0.5, scopes=BOTH, variant="inference"),
    Rule(metric="uniformity", label="uniformity", maximum=0.3, statistic="max", scopes=BOTH),
    Rule(metric="correlation", label="correlation", maximum=0.4, statistic="max", scopes=BOTH),
    Rule(metric="l_diversity", label="l", minimum=3),
    Rule(metric="t_closeness", label="t", maximum=0.1),
    Rule(metric="t_closeness", label="equal t", maximum=0.1, variant="equal"),
)
POLICY = replace(load("scorr"), name="strict", rules=RULES)


def test_every_predicted_metric_is_tested() -> None:
    """A prediction that nothing checks is a guess."""
    assert {rule.metric for rule in RULES} == set(MEASURES)


def as_text(table: Table) -> Table:
    """Return the table with every value written out, so that it can be found again in the dictionary."""
    return table.mapped(lambda name, values: [None if v is None or (isinstance(v, float) and math.isnan(v)) else str(v) for v in values])


def values(table: Table) -> dict[int, float]:
    """Return what an audit measures for every rule."""
    results = audited(table, POLICY).verdict.rules
    return {i: result.value for i, result in enumerate(results) if result.value is not None}


def predicted(picture: Picture) -> dict[int, float]:
    found = {i: picture.table.apply(rule) for i, rule in enumerate(RULES)}
    return {i: f.value for i, f in found.items() if f is not None}


def same(found: dict[int, float], expected: dict[int, float]) -> None:
    # A rule about sensitive attributes says nothing where there are none.
    assert found == pytest.approx(expected, abs=1e-9)


@law
@given(drawn=tables())
def test_the_unchanged_table_gives_what_the_audit_measured(drawn: Table) -> None:
    """The arrays and the SQL agree on every metric that is predicted, NULLs and persons included."""
    with opened(drawn) as data:
        same(predicted(Picture(data.engine, an.audit(data, POLICY))), values(drawn))


@law
@given(drawn=tables(max_rows=10))
def test_coarsening_and_dropping_give_what_an_audit_of_the_changed_table_measures(drawn: Table) -> None:
    """Every change that may be proposed is made for real, and the table audited again."""
    table = as_text(drawn)
    with opened(table) as data:
        picture = Picture(data.engine, an.audit(data, POLICY))
        dictionary = {(a, v): code for a, v, code in data.engine.rows("SELECT attribute, v, code FROM dictionary")}
        coarsenings = picture._coarsenings()
        changes = list(_changes(picture.table, coarsenings))
    attributes = picture.table.tuples.attributes
    for change in changes:
        a = attributes.index(str(change.attribute))
        if change.kind == "drop":
            changed = without(table, str(change.attribute))
        else:
            (way,) = [way for way in coarsenings[a] if change.words.endswith(way.words)]
            codes = {v: f"group {way.coarser[code]}" for (attribute, v), code in dictionary.items() if attribute == a}
            changed = table.mapped(
                lambda name, cells, a=a, codes=codes: [codes.get(v) if name == attributes[a] else v for v in cells]  # type: ignore[misc]
            )
        found = {i: change.table.apply(rule) for i, rule in enumerate(RULES)}
        same({i: f.value for i, f in found.items() if f is not None}, values(changed))


def without(table: Table, name: str) -> Table:
    """Return the table whose owner dropped a column."""

    def rest(listed: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(column for column in listed if column != name)

    return replace(
        table, quasi_identifiers=rest(table.quasi_identifiers), scenarios=tuple((title, rest(listed)) for title, listed in table.scenarios)
    )


@law
@given(table=tables(max_rows=10))
def test_suppressing_gives_what_an_audit_of_the_rest_measures(table: Table) -> None:
    """The rows that `records` names for a rule are those that the step counts and takes away."""
    with opened(table) as data:
        audit = an.audit(data, POLICY)
        picture = Picture(data.engine, audit)
        for i, result in picture.failing:
            found = picture.found(i)
            assert found is not None
            change = _suppressed(picture.table, found)
            if change is None or [r.metric for r in RULES].count(result.rule.metric) > 1:
                continue
            rows = {row - 1 for row in audit.records(None, rule=result.rule.metric)["row"].to_pylist()}
            assert len(rows) == found.records
            after = change.table.apply(result.rule)
            assert after is not None
            assert after.value == pytest.approx(values(table.picked(r for r in range(table.rows) if r not in rows))[i], abs=1e-9)


def test_steps_are_ranked_and_counted() -> None:
    """Twenty ages, three people each: bands of 5 help most, for they leave nothing to mend and take the least away."""
    with an.read(pa.table({"age": [20 + r // 3 for r in range(60)], "sex": ["F", "M"] * 30}), quasi_identifiers=["age", "sex"]) as data:
        why = an.audit(data, policy="research-shared").why()
    (advice,) = why.next_steps

    assert advice.metric == "k_anonymity" and advice.records_failing == 60
    best = advice.steps[0]
    assert (best.kind, best.attribute, best.words, best.meets) == ("coarsen", "age", "coarsen age in bands of 5", True)
    assert best.share_changed == 1 and best.share_suppressed == 0


def test_zip_codes_are_cut_and_rare_words_are_joined() -> None:
    """Text of one length is cut; other text has its rare values put together; no value is named."""
    zips = Table((("zip", tuple(f"0{1000 + r}" for r in range(40))), ("sex", ("F", "M") * 20)), ("zip", "sex"))
    jobs = Table((("job", ("clerk",) * 30 + tuple(f"rare trade {r}" for r in range(10))), ("sex", ("F", "M") * 20)), ("job", "sex"))
    words = {step.words for t in (zips, jobs) for advice in explained(t, "research-shared").next_steps for step in advice.steps}

    assert "coarsen zip to the first 4 characters" in words
    assert "coarsen job by putting its 10 values with fewer than 5 records into one group" in words
    assert not any("rare trade" in w or "0100" in w for w in words)


def test_a_metric_without_a_prediction_says_so() -> None:
    """Not computed is not helpless, and never a guess."""
    rule = Rule(metric="markov", label="markov", maximum=0.5, statistic="max")
    table = Table((("q", (1, 1, 2)), ("s", ("a", "b", "a"))), ("q",), ("s",))
    with opened(table) as data:
        why = an.audit(data, replace(POLICY, rules=(rule,))).why()

    assert why.next_steps[0].steps == () and "not computed" in str(why.next_steps[0].reason)
    assert why.causes[0].classes is None


def test_dates_are_coarsened_by_the_calendar() -> None:
    """The first two characters of a date of birth would be its century."""
    born = [f"{1950 + r % 40}-{1 + r % 12:02}-{1 + r % 28:02}" for r in range(80)]
    with an.read(pa.table({"birth_date": born, "sex": ["F", "M"] * 40}), quasi_identifiers=["birth_date", "sex"]) as data:
        why = an.audit(data, policy="research-shared").why()
    words = [step.words for advice in why.next_steps for step in advice.steps if step.attribute == "birth_date" and step.kind == "coarsen"]

    assert words and not any("character" in said for said in words)
    assert any(said.startswith("coarsen birth_date to its ") for said in words)
