"""Two releases about the same people: what is left of a crowd when both are known."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linked import matched

import anonscope as an
from anonscope.attacks.composition import compose
from anonscope.errors import LinkageError
from support.strategies import law

PEOPLE = pa.table({"age": ["31", "34", "38", "35"], "sex": ["F", "M", "F", "M"]})


def test_two_harmless_releases_can_single_out_everybody():
    """By sex there are two and two, by half a decade there are two and two; by both each of the four is alone."""
    by_sex = matched(pa.table({"age": ["[30-39]"] * 4, "sex": ["F", "M", "F", "M"]}), PEOPLE)
    by_age = matched(pa.table({"age": ["[30-34]", "[30-34]", "[35-39]", "[35-39]"]}), PEOPLE)
    found = compose(by_sex, by_age)

    assert (found.first.fewest, found.first.average_risk, found.first.alone) == (2, 0.5, 0)
    assert (found.second.fewest, found.second.average_risk) == (2, 0.5)
    assert (found.both.people, found.both.fewest, found.both.average_risk, found.both.alone) == (4, 1, 1, 4)
    assert found.newly_alone == 4


def test_only_people_in_both_releases_are_candidates():
    """The second release covers women only; the men are no candidates there, and none together."""
    everybody = matched(pa.table({"age": ["[30-39]"] * 4}), PEOPLE)
    women = matched(pa.table({"sex": ["F", "F"]}), PEOPLE)
    found = compose(everybody, women)

    assert (found.first.people, found.second.people, found.both.people) == (4, 2, 2)
    assert (found.both.fewest, found.newly_alone) == (2, 0)


def test_the_same_release_twice_tells_nothing_new():
    """Knowing a release twice leaves the candidates of knowing it once."""
    once = matched(pa.table({"age": ["[30-34]", "[35-39]"]}), PEOPLE)
    found = compose(once, once)

    assert found.first == found.second == found.both


def test_overlapping_values_tell_people_apart():
    """31 fits both intervals, 35 only the wider one: whoever sees which classes fit tells them apart, so the risk is an upper bound."""
    release = matched(pa.table({"age": ["[30-34]", "[30-39]"]}), PEOPLE)

    assert compose(release, release).first.fewest == 2
    assert compose(release, release).first.average_risk == 2 / 4


@law
@given(
    people=st.lists(st.tuples(st.integers(0, 39), st.sampled_from("FMX")), min_size=1, max_size=20),
    widths=st.tuples(st.sampled_from([1, 3, 8, 40]), st.sampled_from([2, 5, 11])),
)
def test_both_never_leave_more_than_either(people, widths):
    """The intersection is what counting equal pairs of labels gives, and it is never the larger one."""
    known = pa.table({"age": [str(age) for age, _ in people], "sex": [sex for _, sex in people]})
    bands = [[f"[{age - age % width}-{age - age % width + width - 1}]" for age, _ in people] for width in widths]
    first = matched(pa.table({"age": bands[0], "sex": [sex for _, sex in people]}), known)
    second = matched(pa.table({"age": bands[1]}), known)
    found = compose(first, second)
    together = list(zip(bands[0], bands[1], [sex for _, sex in people], strict=True))

    assert found.both.fewest == min(together.count(pair) for pair in together)
    assert found.both.average_risk == pytest.approx(len(set(together)) / len(people))
    assert found.both.fewest <= min(found.first.fewest, found.second.fewest)


def test_tables_of_people_that_differ_are_refused():
    """Releases are composed over one table of people, and somebody must fit both."""
    one, other = matched(PEOPLE, PEOPLE), matched(PEOPLE, PEOPLE.slice(1))
    with pytest.raises(LinkageError, match="tables of 4 and of 3 people"):
        compose(one, other)
    with pytest.raises(LinkageError, match="Nobody"):
        compose(one, matched(pa.table({"age": ["99"]}), PEOPLE, unknown="itself"))


def test_people_who_are_written_otherwise_are_not_nobody() -> None:
    """Postcodes without their country in the table of people took them out of the second release, and `--also` said nobody is alone."""
    people = pa.table({"zip": ["1067", "1069", "20095", "20097"] * 5, "age": [30, 40, 50, 60] * 5})
    with (
        an.read(pa.table({"age": [30, 40, 50, 60] * 5})) as ages,
        an.read(pa.table({"zip": ["D-01067", "D-01069", "20095", "20097"] * 5})) as places,
    ):
        found = an.compose(ages, places, people)
        said = an.compose(ages, places, people, unknown={"zip": "itself"})
    assert not found.measured and found.newly_alone is None and found.both.alone is None
    assert [line.column for line in found.second_strays] == ["zip"] and found.first_strays == ()
    assert "fits no released value and may be written otherwise" in found.render()
    # A person may say that the release merely lacks them.
    assert said.measured and said.second.people == 10
