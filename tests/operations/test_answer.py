"""Noisy answers, end to end: people are bounded before they are counted, budgets before the data is touched, and all faces agree."""

import json
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError, BudgetError, ColumnNotFound, QueryError
from anonscope.synthesis.queries import parse_queries

pytest.importorskip("opendp")
HEAD = """
epsilon = {epsilon}
person = "id"
records_per_person = {most}
[columns.sex]
categories = ["f", "m"]
[columns.region]
categories = ["N", "S", "W"]
missing = true
[columns.age]
lower = 0
upper = 99
whole = true
"""
# So large that there is no noise to speak of: what is left is what was counted.
ALMOST_EXACT = 10_000


@pytest.fixture(scope="module")
def visits():
    """Four hundred people: one in ten has twenty visits in all regions, the others have one."""
    people = [(f"p{i}", "fm"[i % 2], "NSW"[j % 3] if i % 7 else None, i % 90) for i in range(400) for j in range(20 if i % 10 == 0 else 1)]
    with an.read(
        pa.table({name: list(column) for name, column in zip(("id", "sex", "region", "age"), zip(*people, strict=True), strict=True)})
    ) as data:
        yield data, people


def ask(data, queries, epsilon=ALMOST_EXACT, most=3):
    """Return the answers by their group."""
    found = an.answer(data, parse_queries(HEAD.format(epsilon=epsilon, most=most) + queries))
    return {(a.statistic, *a.group): a for a in found.answers}, found


def test_a_person_counts_once_in_one_cell(visits):
    """However many visits somebody has, they are one person in one region; and the reference picks nobody twice."""
    data, people = visits
    by_cell, _ = ask(data, '[[queries]]\nkind = "table"\nby = ["sex", "region"]\n')
    total = by_cell["number of people", "(total)", "(total)"]

    assert round(total.value) == len({person for person, *_ in people})
    for sex in "fm":
        assert by_cell["number of people", sex, "(total)"].value == len({p for p, s, *_ in people if s == sex})
        assert by_cell["number of people", sex, "(missing)"].value == len({p for p, s, r, _ in people if s == sex and r is None})


def test_stated_cells_and_records_are_the_bound(visits):
    """Two cells allowed, two cells counted; of records, no more than three of anybody."""
    data, people = visits
    own = {}
    for person, _, region, _ in people:
        own.setdefault(person, []).append(region)
    by_cell, _ = ask(data, '[[queries]]\nkind = "table"\nby = ["region"]\ncells_per_person = 2\n')
    records, _ = ask(data, '[[queries]]\nkind = "count"\nof = "records"\n')

    # Those with visits everywhere have three records in two or three regions, or in one.
    assert sum(1 for _ in own) <= by_cell["number of people", "(total)"].value <= sum(min(2, len(set(r))) for r in own.values())
    assert records["number of records",].value == sum(min(3, len(r)) for r in own.values())


def test_sums_means_and_quantiles_are_right_without_noise(visits):
    """With next to no noise, they are the true numbers, grouped and not."""
    data, people = visits
    found, _ = ask(
        data,
        '[[queries]]\nname = "s"\nkind = "sum"\ncolumn = "age"\nby = ["sex"]\n'
        '[[queries]]\nname = "m"\nkind = "mean"\ncolumn = "age"\nby = ["sex"]\n'
        '[[queries]]\nname = "q"\nkind = "quantile"\ncolumn = "age"\nat = [0.25, 0.5]\n',
        most=1,
        epsilon=1_000_000,
    )
    ages = {person: age for person, _, _, age in people}
    women = [age for person, age in ages.items() if int(person[1:]) % 2 == 0]
    everybody = sorted(ages.values())

    assert found["sum of age", "f"].value == sum(women)
    assert found["mean of age", "f"].value == pytest.approx(sum(women) / len(women), abs=0.01)
    for at, name in ((0.25, "quantile 0.25 of age"), (0.5, "quantile 0.5 of age")):
        answer = found[name,]
        true = everybody[int(at * len(everybody))]
        assert answer.lower <= true <= answer.upper and abs(answer.value - true) <= 1 and answer.upper - answer.lower <= 2


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_intervals_hold_the_truth_about_as_often_as_stated(visits, noise):
    """Of many answers, at least nine in ten are within their interval, each kind of them."""
    data, people = visits
    text = HEAD.format(epsilon=4, most=1) + '[[queries]]\nname = "h"\nkind = "histogram"\nby = ["age"]\nweight = 3\n'
    text += (
        '[[queries]]\nname = "q"\nkind = "quantile"\ncolumn = "age"\nby = ["sex"]\n[[queries]]\nname = "m"\nkind = "mean"\ncolumn = "age"\n'
    )
    text = ('noise = "gaussian"\ndelta = 1e-6\n' if noise == "gaussian" else "") + text
    found = an.answer(data, parse_queries(text)).answers
    ages = [age for _, age in {(p, a) for p, _, _, a in people}]
    histogram = [a for a in found if a.query == "h"]

    assert sum(a.lower <= ages.count(int(a.group[0])) <= a.upper for a in histogram) >= 0.88 * len(histogram)
    (mean,) = [a for a in found if a.query == "m"]
    assert mean.lower - 10 < sum(ages) / len(ages) < mean.upper + 10


def test_what_cannot_be_is_nought_and_totals_add_up(visits):
    """Structural zeros have no noise, nothing is negative where that was asked, and all totals are sums of what is shown."""
    data, _ = visits
    query = '[[queries]]\nkind = "table"\nby = ["sex", "region"]\nnonnegative = true\nzeros = [{sex = "m", region = "W"}]\n'
    by_cell, _ = ask(data, query, epsilon=0.02)
    cells = {group[1:]: a.value for group, a in by_cell.items()}

    assert (cells["m", "W"], by_cell["number of people", "m", "W"].upper) == (0, 0)
    assert all(value >= 0 for value in cells.values())
    for sex in "fm":
        assert cells[sex, "(total)"] == sum(cells[sex, region] for region in ("N", "S", "W", "(missing)"))
    assert cells["(total)", "(total)"] == sum(cells[sex, "(total)"] for sex in "fm")


def test_the_whole_budget_is_spent_exactly(visits):
    """Thirds are thirds; a stated epsilon comes first, and the rest is shared by weight."""
    data, _ = visits
    _, found = ask(
        data,
        '[[queries]]\nkind = "count"\nepsilon = 0.1\n[[queries]]\nkind = "count"\nname = "b"\n[[queries]]\nkind = "count"\nweight = 2\n',
        epsilon=1,
    )

    assert [Fraction(c["epsilon"]) for c in found.ledger["charges"]] == [Fraction(1, 10), Fraction(3, 10), Fraction(6, 10)]
    assert found.ledger["left"]["epsilon"] == "0"
    assert "at most a factor 2.72 (epsilon 1); a person is one id with at most 3 records; the domain was declared." in found.guarantee


def test_over_budget_is_refused_before_the_data_is_touched(tmp_path, monkeypatch):
    """The table is not even opened: the file that is named does not exist, and nobody notices."""
    queries = tmp_path / "queries.toml"
    queries.write_text(
        HEAD.format(epsilon=1, most=1)
        + '[[queries]]\nkind = "count"\nepsilon = 0.6\n[[queries]]\nkind = "count"\nname = "b"\nepsilon = 0.5\n'
    )
    refused = CliRunner().invoke(app, ["answer", str(tmp_path / "nowhere.csv"), str(queries)])

    assert isinstance(refused.exception, BudgetError)
    assert "2 questions together would lose epsilon 1.1, and epsilon 1 of epsilon 1 is left. Nothing was spent" in str(refused.exception)


def test_a_domain_from_the_data_states_no_guarantee(visits):
    """The answers come, and no promise with them."""
    data, _ = visits
    text = 'drafted_from_data = ["sex"]\n' + HEAD.format(epsilon=1, most=1) + '[[queries]]\nkind = "histogram"\nby = ["sex"]\n'
    found = an.answer(data, parse_queries(text))

    assert found.guarantee is None and found.not_guaranteed[0].startswith("No guarantee: read from the data instead of declared: sex.")


def test_small_cells_are_withheld_and_rounded_without_a_guarantee(visits):
    """Nothing is spent; every number below ten is withheld, in company; the rounded table adds up."""
    data, _ = visits
    both = '[[queries]]\nname = "{0}"\nkind = "table"\nby = ["age", "region"]\nprotect = "{0}"\n'
    text = (
        HEAD.format(epsilon=1, most=1).replace("whole = true", "bins = 4")
        + both.format("suppress")
        + 'preset = "output-10"\n'
        + both.format("round")
    )
    found = an.answer(data, parse_queries(text))
    shown = [a for a in found.answers if a.query == "suppress"]

    assert found.ledger is None and found.guarantee is None
    assert all(a.value == 0 or a.value >= 10 for a in shown if a.value is not None)
    assert any(a.value is None and a.note == "withheld" and a.lower < a.upper for a in shown)
    assert all(a.value % 5 == 0 for a in found.answers if a.query == "round")


def test_answers_are_written_as_tables_and_reports(visits, tmp_path):
    """CSV, Parquet, JSON and HTML have the same numbers, each with its interval."""
    data, _ = visits
    _, found = ask(data, '[[queries]]\nname = "h"\nkind = "histogram"\nby = ["sex"]\n', epsilon=1)
    written = {ending: found.save(tmp_path / f"answers.{ending}") for ending in ("csv", "parquet", "json", "html", "md")}
    table = pq.read_table(written["parquet"])
    lines = written["csv"].read_text().splitlines()
    answers = json.loads(written["json"].read_text())["queries"][0]["answers"]

    assert lines[0] == "query,statistic,sex,value,lower,upper,confidence,note" and len(lines) == 3
    assert table.column("value").to_pylist() == [a["value"] for a in answers] == [float(line.split(",")[3]) for line in lines[1:]]
    assert all(low <= high for low, high in zip(table.column("lower").to_pylist(), table.column("upper").to_pylist(), strict=True))
    assert "at most a factor 2.72" in written["html"].read_text()


WRONG = {
    "nothing is asked": "",
    "no such key": '[[queries]]\nkind = "count"\nsize = 3\n',
    "kind is one of": '[[queries]]\nkind = "median"\n',
    "epsilon must be above 0": '[[queries]]\nkind = "count"\nepsilon = 0\n',
    "declares no column": '[[queries]]\nkind = "histogram"\nby = ["ward"]\n',
    "needs columns to count by": '[[queries]]\nkind = "table"\n',
    "must be declared with lower and upper": '[[queries]]\nkind = "sum"\ncolumn = "sex"\n',
    "can have one value only": '[columns.one]\nlower = 5\nupper = 5\n[[queries]]\nkind = "mean"\ncolumn = "one"\n',
    "a quantile is between 0 and 1": '[[queries]]\nkind = "quantile"\ncolumn = "age"\nat = [50]\n',
    "must be one of its declared values": '[[queries]]\nkind = "table"\nby = ["sex"]\nzeros = [{sex = "x"}]\n',
    "in a table by two columns": '[[queries]]\nkind = "table"\nby = ["sex"]\nprotect = "round"\n',
    "say which cells are small": '[[queries]]\nkind = "table"\nby = ["sex", "region"]\nprotect = "suppress"\n',
    "spends nothing": '[[queries]]\nkind = "table"\nby = ["sex", "region"]\nprotect = "round"\nepsilon = 1\n',
    "two questions have one name": '[[queries]]\nname = "a"\nkind = "count"\n[[queries]]\nname = "a"\nkind = "count"\n',
    "nothing of the budget is left": '[[queries]]\nkind = "count"\nepsilon = 1\n[[queries]]\nkind = "count"\nname = "b"\n',
}


@pytest.mark.parametrize("problem", WRONG)
def test_what_cannot_be_answered_is_a_sentence(problem):
    """With file, line and key, before anything is spent."""
    with pytest.raises(AnonscopeError, match=problem):
        parse_queries(HEAD.format(epsilon=1, most=1) + WRONG[problem])


def test_no_budget_no_domain_and_no_column_are_sentences(visits):
    """Nor without an epsilon, without a domain, with a file where none can be, or about a column that is not there."""
    data, _ = visits
    with pytest.raises(QueryError, match="no budget is stated"):
        parse_queries(HEAD.format(epsilon=1, most=1).replace("epsilon = 1", "") + '[[queries]]\nkind = "count"\n')
    with pytest.raises(QueryError, match="no column is declared"):
        parse_queries('epsilon = 1\n[[queries]]\nkind = "count"\n')
    with pytest.raises(QueryError, match="name no files"):
        parse_queries('epsilon = 1\ndomain = "d.toml"\n[[queries]]\nkind = "count"\n')
    with pytest.raises(AnonscopeError, match="needs a delta above 0"):
        parse_queries('noise = "gaussian"\n' + HEAD.format(epsilon=1, most=1) + '[[queries]]\nkind = "count"\n')
    with pytest.raises(ColumnNotFound):
        an.answer(data, parse_queries('epsilon = 1\n[columns.ward]\ncategories = ["a"]\n[[queries]]\nkind = "histogram"\nby = ["ward"]\n'))


@pytest.mark.parametrize("kind", ["sum", "mean"])
@pytest.mark.parametrize(("upper", "more"), [("1e15", "whole = true"), ("1e15", "decimals = 9"), ("9e18", "whole = true"), ("1e300", "")])
def test_bounds_that_no_whole_number_holds_are_counted_coarser(kind, upper, more):
    """However large a bound is and whatever values there are, the same noise is added; no sum overflows, which would tell of somebody."""
    value = float(upper)
    head = f"epsilon = 1000\nrecord_is_person = true\n[columns.x]\nlower = 0\nupper = {upper}\n{more}\n"
    asked = parse_queries(f'{head}[[queries]]\nkind = "{kind}"\ncolumn = "x"\n')
    with an.read(pa.table({"x": [value / 2] * 20_000})) as data:
        (found,) = an.answer(data, asked).answers
    true = value / 2 * (20_000 if kind == "sum" else 1)
    # That an interval holds in 95 of 100 cases is held elsewhere; here it must be there, and narrow.
    assert found.value == pytest.approx(true, rel=1e-3)
    assert found.lower <= found.value <= found.upper and found.upper - found.lower < 1e-2 * true


def test_sums_without_noise_stay_exact_whatever_their_bounds():
    """Coarser steps are for what noise hides: a table that is suppressed has its sums to the last unit."""
    head = 'record_is_person = true\n[columns.x]\nlower = 0\nupper = 1e12\nwhole = true\n[columns.a]\ncategories = ["p", "q"]\n'
    head += '[columns.b]\ncategories = ["r", "s"]\n'
    asked = parse_queries(f'{head}[[queries]]\nkind = "table"\nby = ["a", "b"]\ncolumn = "x"\nprotect = "suppress"\nthreshold = 1\n')
    with an.read(pa.table({"x": [123_456_789_011, 7], "a": ["p", "p"], "b": ["r", "r"]})) as data:
        found = {a.group: a.value for a in an.answer(data, asked).answers}
    assert found["p", "r"] == 123_456_789_018


def test_more_records_of_a_person_than_noise_can_hide_are_a_sentence():
    with pytest.raises(AnonscopeError, match="at most 1,000,000"):
        parse_queries(HEAD.format(epsilon=1, most=10**19) + '[[queries]]\nkind = "count"\n')
