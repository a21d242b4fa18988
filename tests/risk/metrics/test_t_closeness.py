"""t-closeness: worked examples, then its own laws."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given

import anonscope as an
from reference.metrics import equal_distance, view
from support.strategies import Table, audited, law, numbers, tables

Run = Callable[..., an.Audit]
# Li et al. (2007), table 3: nine salaries in three classes of three, in thousands.
SALARIES = [3, 4, 5, 6, 11, 8, 7, 9, 10]
CLASSES = ["476**"] * 3 + ["4790*"] * 3 + ["476*"] * 3


def distances(result: an.Audit) -> dict[str | None, float | None]:
    return {m.variant: m.value for m in result.select("t_closeness")}


def test_salaries_of_the_original_paper(audit: Run) -> None:
    """Li's own example: the class with 3k, 4k and 5k is 0.375 away from all nine salaries."""
    result = audit(zip=CLASSES, salary=SALARIES, quasi_identifiers=["zip"], sensitive=["salary"])

    assert distances(result) == pytest.approx({"ordered": 0.375, "equal": 2 / 3})


def test_numbers_take_the_ordered_distance_by_default(audit: Run) -> None:
    """The default comes first, and both are there."""
    result = audit(zip=CLASSES, salary=SALARIES, quasi_identifiers=["zip"], sensitive=["salary"])

    assert [m.variant for m in result.select("t_closeness")] == ["ordered", "equal"]


def test_anything_else_takes_the_equal_distance(audit: Run) -> None:
    """Text has no order unless somebody says so."""
    words = [f"w{salary}" for salary in SALARIES]

    assert distances(audit(zip=CLASSES, word=words, quasi_identifiers=["zip"], sensitive=["word"])) == {"equal": pytest.approx(2 / 3)}


@pytest.mark.parametrize(("wanted", "order"), [("equal", ["equal", "ordered"]), ("ordered", ["ordered", "equal"])])
def test_the_wanted_distance_comes_first(audit: Run, wanted: str, order: list[str]) -> None:
    """A user may ask for the other distance; the verdict takes the first."""
    result = audit(zip=CLASSES, salary=SALARIES, quasi_identifiers=["zip"], sensitive=["salary"], distance={"salary": wanted})
    (rule,) = [r for r in result.verdict.rules if r.rule.metric == "t_closeness"]

    assert [m.variant for m in result.select("t_closeness")] == order
    assert rule.measurement == result["t_closeness"]


def test_text_is_ordered_alphabetically_when_asked_for(audit: Run) -> None:
    """Grades A to D in pairs: the class of A and B is a third of the way from the whole."""
    result = audit(zip=list("112233"), grade=list("ABCDAD"), quasi_identifiers=["zip"], sensitive=["grade"], distance={"grade": "ordered"})

    # {A, B} against A 1/3, B 1/6, C 1/6, D 1/3: the curves differ by 1/6, 1/2 and 1/3.
    assert distances(result)["ordered"] == pytest.approx((1 / 6 + 1 / 2 + 1 / 3) / 3)


def test_numbers_are_ranked_as_numbers(audit: Run) -> None:
    """9 comes before 10, though not as text."""
    as_text = audit(zip=list("1122"), dose=["8", "9", "10", "11"], quasi_identifiers=["zip"], sensitive=["dose"])

    assert distances(as_text)["ordered"] == pytest.approx((1 / 4 + 1 / 2 + 1 / 4) / 3)


def test_two_spellings_of_a_number_share_a_rank(audit: Run) -> None:
    """'1' and '1.0' are at distance nothing when ordered, and two values when not."""
    result = audit(zip=["1", "2"], dose=["1", "1.0"], quasi_identifiers=["zip"], sensitive=["dose"])

    assert distances(result) == {"ordered": 0, "equal": 0.5}


def test_a_leading_zero_makes_it_a_code(audit: Run) -> None:
    """Codes have no order of size."""
    result = audit(zip=["1", "2"], code=["01", "2"], quasi_identifiers=["zip"], sensitive=["code"])

    assert not result.sensitive[0].numeric
    assert list(distances(result)) == ["equal"]


def test_a_missing_value_ranks_lowest(audit: Run) -> None:
    """NULL, 1, 2: who lacks the value is nearer to 1 than to 2."""
    low = audit(zip=list("1122"), dose=[None, 1, 2, 2], quasi_identifiers=["zip"], sensitive=["dose"])

    # {NULL, 1} against NULL 1/4, 1 1/4, 2 1/2: the curves differ by 1/4 and 1/2.
    assert distances(low)["ordered"] == pytest.approx((1 / 4 + 1 / 2) / 2)


def test_a_constant_sensitive_attribute_is_everywhere_the_same(audit: Run) -> None:
    """Distance 0 exactly, ordered or not, and no minus sign by rounding."""
    result = audit(zip=list("1112233"), dose=[7] * 7, quasi_identifiers=["zip"], sensitive=["dose"])

    assert distances(result) == {"ordered": 0, "equal": 0}
    assert not str(result["t_closeness"].value).startswith("-")


@law
@given(table=tables(sensitive=1))
def test_the_equal_distance_is_half_the_absolute_differences(table: Table) -> None:
    """The engine adds the positive differences only; both sum to the same."""
    for m in audited(table).select("t_closeness", variant="equal"):
        seen = view(table, dict(table.attackers)[m.scenario], m.sensitive)
        halves = [equal_distance([seen.values[r] for r in records], seen.values) for records in seen.members.values()]
        assert m.value == pytest.approx(max(halves), abs=1e-12)


@law
@given(table=tables(sensitive=1))
def test_the_ordered_distance_never_exceeds_the_equal_one(table: Table) -> None:
    """Moving by ranks costs at most what moving anywhere costs."""
    found = numbers(audited(table), "t_closeness")
    for (_, scenario, _, sensitive, variant, _), (value,) in found.items():
        if variant == "ordered":
            assert value <= found["t_closeness", scenario, None, sensitive, "equal", "record"][0] + 1e-12


@law
@given(table=tables(sensitive=1))
def test_t_is_below_one_minus_the_rarest_value(table: Table) -> None:
    """A class is at most as far away as one that holds nothing but the rarest value."""
    for m in audited(table).select("t_closeness", variant="equal"):
        values = view(table, table.quasi_identifiers, m.sensitive).values
        assert m.value <= 1 - min(values.count(v) for v in values) / len(values) + 1e-12


def test_moving_further_costs_more(audit: Run) -> None:
    """A class with one value of a ladder is farther from the table the nearer to its end."""
    ladder = list(range(9))
    worst = [
        audit(zip=["alone" if v == rung else "rest" for v in ladder], v=ladder, quasi_identifiers=["zip"], sensitive=["v"])[
            "t_closeness"
        ].value
        for rung in (4, 5, 6, 7, 8)
    ]

    assert all(nearer < farther for nearer, farther in pairwise(worst))
