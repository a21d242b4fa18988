"""Synthetic tables: what is guaranteed is said exactly, what is not is said too, and nothing is spent on what is wrong."""

import json
import math

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import BudgetError, ColumnNotFound, ColumnsWithoutRole, DomainError, OptionError, OutputError, RoleError
from anonscope.synthesis.domain_file import parse_domain
from anonscope.synthesis.queries import parse_queries

DOMAIN = """
[columns.sex]
categories = ["F", "M"]
[columns.age]
lower = 0
upper = 99
whole = true
edges = [0, 18, 65]
[columns.married]
categories = ["no", "yes"]
missing = true
[[constraints]]
when = { married = ["yes"] }
then = { age = { at_least = 18 } }
"""


@pytest.fixture(scope="module")
def people():
    chance = np.random.default_rng(5)
    age = chance.integers(0, 100, 600)
    married = np.where(age < 25, "no", np.where(chance.random(600) < 0.7, "yes", "no"))
    return pa.table({"sex": np.where(chance.random(600) < 0.5, "F", "M"), "age": age, "married": [None, *married[1:]]})


def test_the_guarantee_is_said_in_words(people):
    """As the issue of every release: factor, delta, who a person is, and that the domain was declared."""
    with an.read(people) as data:
        found = an.synthesise(data, parse_domain(DOMAIN), epsilon=1)

    assert found.guarantee.holds
    assert found.guarantee.sentence == (
        "Whether somebody is in the table changes the probability of any result by at most a factor 2.72, plus 0.000000001 "
        "(epsilon 1, delta 0.000000001); every record is taken for a person of its own, which is assumed; the domain was declared"
    )
    assert found.budget["spent"] == found.budget["budget"] and found.budget["left"]["rho"] == "0"
    assert found.table.column_names == ["sex", "age", "married"] and found.table.num_rows == found.records
    assert "not_proven" in json.loads(found.render("json"))["guarantee"]


def test_constraints_bounds_and_whole_numbers_hold_in_every_record(people):
    """However noisy the counts are."""
    with an.read(people) as data:
        table = an.synthesise(data, parse_domain(DOMAIN), epsilon=0.05, records=500, seed=1).table

    age, married = table.column("age").to_pylist(), table.column("married").to_pylist()
    assert table.num_rows == 500 and all(isinstance(a, int) and 0 <= a <= 99 for a in age)
    assert all(a >= 18 for a, m in zip(age, married, strict=True) if m == "yes")
    assert set(married) <= {"yes", "no", None}


def test_people_are_the_unit_where_they_are_declared():
    """A person is what the domain says, with at most so many records; the report says what is not kept."""
    events = pa.table({"id": [i // 4 for i in range(200)], "ward": ["east", "west"] * 100})
    domain = parse_domain('person = "id"\nrecords_per_person = 2\n[columns.ward]\ncategories = ["east", "west"]\n')
    with an.read(events, person="id") as data:
        found = an.synthesise(data, domain, epsilon=20)

    assert "a person is one id with at most 2 records" in found.guarantee.sentence
    assert 80 <= found.records <= 120  # of 200 records, 100 count
    assert any("drawn one by one" in note for note in found.notes)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 1}, "for tests"),
        ({"domain": 'drafted_from_data = ["sex"]\n' + DOMAIN}, "the values of 'sex' came from the data"),
    ],
)
def test_nothing_is_guaranteed_where_nothing_can_be(people, change, said):
    """A seed or a draft takes it away, and the page says why."""
    wishes = {"epsilon": 1} | {k: v for k, v in change.items() if k != "domain"}
    with an.read(people) as data:
        found = an.synthesise(data, parse_domain(change.get("domain", DOMAIN)), **wishes)

    assert not found.guarantee.holds and said in found.guarantee.sentence
    assert "without a guarantee" in found.render("text") and found.guarantee.to_dict()["epsilon"] is None


@pytest.mark.parametrize(
    ("wishes", "error", "said"),
    [
        ({"epsilon": 1}, DomainError, "needs a declared domain"),
        ({"domain": DOMAIN}, BudgetError, "needs an epsilon"),
        ({"domain": DOMAIN, "epsilon": 0.0}, OptionError, "epsilon must be above 0"),
        ({"domain": DOMAIN, "epsilon": -1.0}, OptionError, "epsilon must be above 0"),
        ({"domain": DOMAIN, "epsilon": math.nan}, OptionError, "epsilon must be above 0"),
        ({"domain": DOMAIN, "epsilon": 1, "delta": 0.5}, OptionError, "delta must be above 0"),
        ({"domain": "[columns.sex]\ncategories = ['F']", "epsilon": 1}, DomainError, "one value only"),
        ({"domain": "[columns.height]\ncategories = ['F', 'M']", "epsilon": 1}, ColumnNotFound, "height"),
        ({"method": "cart", "epsilon": 1}, OptionError, "guarantees nothing"),
        ({"method": "magic"}, OptionError, "No method is called 'magic'"),
        ({"method": "cart", "parameters": {"leaves": 3}}, OptionError, "It has: leaf, smoothing"),
        ({"method": "cart", "parameters": {"leaf": 0}}, OptionError, "leaf is a whole number"),
        ({"method": "cart", "hold_out": 0.9}, OptionError, "from 0 to 0.5"),
        ({"method": "cart", "hold_out": 0.001}, OptionError, "too few"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_spent(people, wishes, error, said):
    """A sentence each."""
    given = dict(wishes)
    domain = parse_domain(given.pop("domain")) if "domain" in given else None
    with an.read(people) as data, pytest.raises(error, match=said):
        an.synthesise(data, domain, **given)


def test_events_need_a_unit(people):
    """Whom the domain protects must be said where several records may be one person's."""
    events = people.append_column("id", pa.array([i // 2 for i in range(600)]))
    with an.read(events, person="id") as data, pytest.raises(DomainError, match="does not say whom it protects"):
        an.synthesise(data, parse_domain(DOMAIN), epsilon=1)


def test_direct_identifiers_are_never_drawn(people):
    """Neither named ones, nor what looks like one where records are learnt from."""
    named = people.append_column("mail", pa.array([f"person{i}@example.org" for i in range(600)]))
    domain = parse_domain(DOMAIN + "[columns.mail]\ncategories = ['a', 'b']\nother = 'c'\n")
    with an.read(named, direct_identifiers=["mail"]) as data, pytest.raises(RoleError, match="direct identifiers"):
        an.synthesise(data, domain, epsilon=1)
    with an.read(named) as data, pytest.raises(ColumnsWithoutRole):
        an.synthesise(data, domain, method="cart")


def test_cart_is_close_to_the_data_and_says_that_it_guarantees_nothing(people):
    """Columns and pairs are kept; the domain comes from the data, and the notes say so."""
    with an.read(people) as data:
        found = an.synthesise(data, method="cart", parameters={"leaf": 5}, seed=1, records=600)

    made, real = found.table.to_pandas(), people.to_pandas()
    assert not found.guarantee.holds and found.budget is None
    assert abs((made["married"] == "yes").mean() - (real["married"] == "yes").mean()) < 0.06
    assert ((made["married"] == "yes") & (made["age"] < 25)).sum() == 0
    assert any("read from the data" in note for note in found.notes)


def test_membership_is_attacked_with_people_kept_aside(people):
    """They are in no count, and the report has the figures."""
    with an.read(people) as data:
        found = an.synthesise(data, parse_domain(DOMAIN), epsilon=1, hold_out=0.3, seed=2)

    assert {result.variant for result in found.attacks} >= {"calibrated distance", "density ratio"}
    assert all(result.status == "measured" and 0.35 < result.success < 0.65 for result in found.attacks)
    assert abs(found.records - 420) < 120  # of 600, 180 were kept aside
    assert "Attack on membership" in found.render("html")


def test_a_table_is_published_with_its_guarantee_and_verified(people, tmp_path):
    """The manifest says how it was made and never how many people were learnt from; the archive has the domain."""
    target = tmp_path / "synthetic.parquet"
    with an.read(people) as data:
        found = an.synthesise(data, parse_domain(DOMAIN), epsilon=1)
        found.write(target)
        with pytest.raises(OutputError):
            found.write(target)

    manifest = json.loads((tmp_path / "synthetic.parquet.manifest.json").read_text(encoding="utf-8"))
    assert manifest["synthesis"]["guarantee"]["sentence"] == found.guarantee.sentence
    assert manifest["records"] == {"after": found.records}
    assert (tmp_path / "synthetic.parquet.archive" / "domain.toml").is_file()
    assert an.verify(target).holds
    with an.read(target) as again:
        assert set(again.perturbed) == {"sex", "age", "married"}


def test_the_command_drafts_a_domain_and_draws_with_it(people, tmp_path, monkeypatch):
    """A draft works, and says in the report that nothing is guaranteed with it."""
    monkeypatch.chdir(tmp_path)
    people.to_pandas().to_csv("people.csv", index=False)
    run = CliRunner().invoke
    drafted = run(app, ["synthesise", "people.csv", "--draft-domain", "domain.toml"])
    assert drafted.exit_code == 0 and "READ FROM THE DATA" in (tmp_path / "domain.toml").read_text(encoding="utf-8")
    made = run(app, ["synthesise", "people.csv", "--domain", "domain.toml", "--epsilon", "2", "-o", "made.csv"], catch_exceptions=False)
    assert made.exit_code == 0 and "No guarantee: the values of 'sex', 'age', 'married' came from the data" in made.output
    assert (tmp_path / "made.csv").is_file()
    assert isinstance(run(app, ["synthesise", "people.csv"]).exception, OptionError)


def test_nobody_is_pushed_aside_by_one_more_person(people):
    """Everybody is kept aside by a draw of their own: one person more or less changes nobody else's place, or two would change for one."""
    from anonscope.operations.synthesising.held_out import held_out

    asides = []
    for rows in (people.num_rows, people.num_rows - 1):
        with an.read(people.slice(0, rows).append_column("n", pa.array(range(rows)))) as data:
            learnt, aside = held_out(data, 0.25, None, 3)
            learnt.close()
            asides.append({n for n in aside.column("n").to_pylist() if n < people.num_rows - 1})

    assert asides[0] == asides[1] and len(asides[0]) != round(0.25 * people.num_rows)


def test_the_first_records_alone_carry_no_guarantee(people):
    """Without somebody among them another record moves up, so one person would change two."""
    queries = 'epsilon = 1\n[columns.sex]\ncategories = ["F", "M"]\n[[queries]]\nkind = "histogram"\nby = ["sex"]\n'
    with an.read(people, rows=300) as data:
        made, answers = an.synthesise(data, parse_domain(DOMAIN), epsilon=1), an.answer(data, parse_queries(queries))

    assert not made.guarantee.holds and "only the first records were read" in made.guarantee.sentence
    assert answers.guarantee is None and "only the first records were read" in answers.not_guaranteed[0]


def test_likeness_is_the_total_variation_of_columns_and_pairs(people):
    """Worked out again from the table that was drawn; without a record the report says nothing."""
    with an.read(people) as data:
        found = an.synthesise(data, parse_domain(DOMAIN), epsilon=3, records=400)

    def shares(table, *names):
        rows = table.to_pandas().assign(age=lambda t: np.searchsorted([18, 65], t["age"], side="right")).fillna("none")
        return rows.value_counts([*names], normalize=True)

    def off(*names):
        one, other = shares(people, *names).align(shares(found.table, *names), fill_value=0.0)
        return 0.5 * float((one - other).abs().sum())

    pairs = {names: off(*names) for names in (("sex", "age"), ("sex", "married"), ("age", "married"))}
    assert found.likeness.pairs == pytest.approx(sum(pairs.values()) / 3)
    assert found.likeness.columns == pytest.approx((off("sex") + off("age") + off("married")) / 3)
    assert found.likeness.worst_value == pytest.approx(max(pairs.values()))
    assert "What it still tells" in found.render("html") and json.loads(found.render("json"))["likeness"]["pairs"] > 0
