"""Builders of hierarchies: worked examples of what each makes."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.hierarchy.ages import ages, survey_ages
from anonscope.columns.hierarchy.automatic import automatic
from anonscope.columns.hierarchy.categories import categories
from anonscope.columns.hierarchy.dates import dates
from anonscope.columns.hierarchy.icd10 import are_icd10, blocks, chapters, icd10
from anonscope.columns.hierarchy.judged import allowed_loss, best_of
from anonscope.columns.hierarchy.likeness import by_likeness
from anonscope.columns.hierarchy.numbers import numbers
from anonscope.columns.hierarchy.ordinals import ordinals
from anonscope.columns.hierarchy.postcodes import postcodes
from anonscope.columns.hierarchy.prefixes import prefixes
from anonscope.columns.hierarchy.scales import scale_order
from anonscope.columns.images import read_image


def road(hierarchy: Hierarchy, value: str) -> list[str]:
    """Return what a value is called from level 1 on."""
    return [hierarchy.label(value, level) for level in range(1, hierarchy.height + 1)]


def test_whole_numbers_get_closed_intervals_of_nice_widths() -> None:
    """Each width divides the next, and intervals begin at multiples of their width."""
    made = numbers("age", [str(i) for i in range(17, 91)])

    assert made.words == ("in bands of 5", "in bands of 10", "in bands of 20", "in bands of 40", "everything")
    assert road(made, "17") == ["[15-19]", "[10-19]", "[0-19]", "[0-39]", "*"]
    assert made.cardinalities == (74, 16, 9, 5, 3, 1)


def test_negative_numbers_are_in_intervals_below_zero() -> None:
    """From -10 to -1 there are ten whole numbers."""
    assert "[-10--1]" in road(numbers("x", [str(i) for i in range(-30, 30)]), "-1")


def test_other_numbers_get_half_open_intervals_with_exact_ends() -> None:
    """0.3 is in [0.3, 0.4), although 0.3 / 0.1 is less than 3 in floating point."""
    made = numbers("x", [f"{i / 50:.2f}" for i in range(50)] + ["0.3"])

    assert "in bands of 0.1" in made.words
    assert "[0.3, 0.4)" in road(made, "0.30")
    assert road(made, "0.3") == road(made, "0.30")


def test_counts_are_doubled() -> None:
    """Numbers of children."""
    assert road(numbers("children", [str(i) for i in range(13)]), "3") == ["[2-3]", "[0-3]", "[0-7]", "*"]


def test_what_lies_far_outside_is_in_one_open_band() -> None:
    """One huge number would leave everybody else in one interval."""
    made = numbers("income", [*(str(i) for i in range(100)), "1e300", "-1e300"])

    assert made.height > 3
    assert set(road(made, "1e300")) == {"120+", "*"}
    assert set(road(made, "-1e300")) == {"<0", "*"}


def test_whole_numbers_beyond_floating_point_are_told_apart() -> None:
    """Twenty-six digits; neighbours fall into the interval that really holds them."""
    made = numbers("x", [str(10**25 + i) for i in range(30)])

    assert road(made, str(10**25 + 4))[0] == f"[{10**25}-{10**25 + 4}]"
    assert road(made, str(10**25 + 5))[0] == f"[{10**25 + 5}-{10**25 + 9}]"


def test_a_word_among_numbers_keeps_its_name() -> None:
    """Unless it is called like an interval: then it is nothing but one of all."""
    made = numbers("age", [*(str(i) for i in range(50)), "unknown", "[0-4]"])

    assert set(road(made, "unknown")[:-1]) == {"unknown"}
    assert made.label("3", 1) == "[0-4]"
    assert made.under("[0-4]", 1) == ("0", "1", "2", "3", "4")


def test_separators_of_thousands_are_read() -> None:
    """As the types of columns do."""
    made = numbers("pay", ["1,000", "1,001", "1,002", "1,003", "1,004", "1,005"])

    assert made.label("1,000", 1) == made.label("1,001", 1) == "[1000-1001]"


def test_ages() -> None:
    """Five, ten and twenty years; from 90 on one band."""
    made = ages("age", [str(i) for i in range(100)])

    assert road(made, "17") == ["[15-19]", "[10-19]", "[0-19]", "*"]
    assert road(made, "95") == ["90+", "90+", "80+", "*"]


def test_ages_are_parted_where_the_people_are() -> None:
    """Most are adults of working age: below 20 and from 20 on would leave nearly all on one side."""
    years = range(16, 90)
    made = ages("age", [str(i) for i in years], [max(1, 40 - abs(i - 36)) for i in years])

    assert made.levels[-2] == tuple("<40" if i < 40 else "40+" for i in years), "as many are below 40 as from 40 on, nearly"
    assert road(made, "17")[0] == "[15-19]"
    assert all(read_image(label).contains(leaf) for level in made.levels for leaf, label in zip(made.leaves, level, strict=True))


def test_numbers_are_parted_where_the_records_are() -> None:
    """Half of the records are below 10 of 1,000: bands of one width would leave them all together."""
    values, counts = [*range(10), *range(10, 1000, 10)], [100] * 10 + [10] * 99
    texts = [str(value) for value in values]
    made, even = numbers("pay", texts, counts), numbers("pay", texts)

    assert set(made.levels[-2][:10]).isdisjoint(made.levels[-2][60:])
    assert allowed_loss(made, counts, values) < allowed_loss(even, counts, values)


def test_education_is_an_order() -> None:
    """From parts of words, in several languages; a column of anything else stays without one."""
    for steps in (
        ["Preschool", "1st-4th", "9th", "12th", "HS-grad", "Some-college", "Assoc-voc", "Bachelors", "Masters", "Doctorate"],
        ["No Formal quals", "Lower Than A Level", "A Level or Equivalent", "HE Qualification", "Post Graduate Qualification"],
        ["ohne Abschluss", "Hauptschule", "Realschule", "Abitur", "Hochschulabschluss", "Promotion"],
        ["stimme nicht zu", "neutral", "Stimme zu"],
        ["jamais", "rarement", "souvent"],
    ):
        assert scale_order(sorted(steps)) == steps
    assert scale_order(["Male", "Female", "Other"]) is None
    made = automatic("school", ["Primary", "Bachelor", "Master", "Doctorate"], [9, 5, 5, 1], "category")
    assert made.leaves == ("Primary", "Bachelor", "Master", "Doctorate")


def test_rare_categories_go_to_those_whose_records_are_like_theirs() -> None:
    """Four rare values in two sorts of records, whatever their frequency."""
    values, counts = ["a", "b", "c", "d", "e"], [500, 400, 20, 19, 18]
    beside = np.array([[500, 0], [0, 400], [20, 0], [0, 19], [18, 0]])

    joins = by_likeness(counts, beside)

    assert [set(first + second) for first, second in joins[:2]] == [{2, 4}, {1, 3}] or {2, 4} == set(joins[0][0] + joins[0][1])
    assert {frozenset(first) for first, _ in joins[-1:]} | {frozenset(second) for _, second in joins[-1:]} == {
        frozenset({0, 2, 4}),
        frozenset({1, 3}),
    }
    assert categories("x", values, counts, beside).height > 1


def test_a_ladder_is_judged_by_the_loss_that_it_allows() -> None:
    """Two halves lose less than one person by himself and the rest; what reads better stays where little is gained."""
    leaves, counts = ("a", "b", "c", "d"), [25, 25, 25, 25]
    even = Hierarchy("x", leaves, (("ab", "ab", "cd", "cd"), ("*",) * 4))
    uneven = Hierarchy("x", leaves, (("a", "bcd", "bcd", "bcd"), ("*",) * 4))

    assert allowed_loss(even, counts) < allowed_loss(uneven, counts)
    assert best_of([uneven, even], counts) is even
    assert best_of([even, uneven], counts) is even
    assert allowed_loss(Hierarchy("x", leaves, (("*",) * 4,)), counts) > allowed_loss(even, counts)


def test_ages_of_surveys_divide_at_eighteen() -> None:
    """18-24, 25-34, and so on."""
    made = survey_ages("age", [str(i) for i in range(100)])

    assert road(made, "17") == ["[12-17]", "[0-17]", "<18", "*"]
    assert road(made, "18") == ["[18-24]", "[18-34]", "18+", "*"]
    assert road(made, "90") == ["85+", "75+", "18+", "*"]


@pytest.mark.parametrize("build", [ages, survey_ages])
def test_numbers_that_are_no_ages_get_a_ladder_of_numbers(build: Callable[..., Hierarchy]) -> None:
    """Months, or days with a fraction."""
    for values in ([str(i) for i in range(0, 1200, 10)], [f"{i}.5" for i in range(80)]):
        assert build("age", values) == numbers("age", values)


DAYS = [f"{year}-{month:02}-{day:02}" for year in (2009, 2010, 2019) for month in range(1, 13) for day in (3, 14)]


def test_days_become_months_quarters_years_and_decades() -> None:
    """As ISO writes them."""
    made = dates("born", DAYS)

    assert made.words == ("month", "quarter", "year", "decade", "everything")
    assert road(made, "2019-04-03") == ["2019-04", "2019-Q2", "2019", "2010s", "*"]


@pytest.mark.parametrize(
    "written",
    ["20190403", "2019/04/03", "03.04.2019", "3 April 2019", "April 3, 2019", "3 avril 2019", "3-Apr-2019", "03.04.19", "2019-04-03T12:30"],
)
def test_dates_are_read_as_people_write_them(written: str) -> None:
    """Among other dates, so that there are months to join."""
    assert dates("born", [*DAYS, "2019-04-14", written]).label(written, 1) in ("2019-04", "2019-04-03")


def test_the_first_coarser_level_is_where_the_ladder_begins() -> None:
    """Times begin with days, months with quarters, years with five of them."""
    assert dates("t", ["2019-04-03 10:00:00", "2019-04-03 11:00:00", "2019-04-04 11:00:00", "2020-01-01 00:00:00"]).words[0] == "day"
    assert dates("m", ["2019-04", "05/2019", "2020-01"]).words[0] == "quarter"
    assert road(dates("y", [str(y) for y in range(1920, 2011)]), "1987") == ["[1985-1989]", "1980s", "[1980-1999]", "*"]


def test_other_dates_tell_whether_the_day_or_the_month_comes_first() -> None:
    """13/05 can only be in May, and 05/13 too. Where nothing tells, no month is made up."""
    days = ["03/04/2019", "04/04/2019", "13/05/2019", "01/01/2020"]
    months = ["03/04/2019", "03/05/2019", "05/13/2019", "01/01/2020"]

    assert dates("d", days).label("03/04/2019", 1) == "2019-04"
    assert dates("m", months).label("03/04/2019", 1) == "2019-03"
    assert dates("u", ["03/04/2019", "04/05/2019", "01/01/2020"]).words[0] == "year"


def test_clock_times_by_their_hour() -> None:
    """As beginnings of what is written."""
    assert road(dates("t", ["14:35", "14:36", "14:51", "09:10"]), "14:35") == ["14:3*", "14:*", "*"]


def test_codes_of_one_length_keep_it() -> None:
    """A star for every character that was cut."""
    made = prefixes("zip", [f"{i:05}" for i in range(0, 99999, 7)])

    assert road(made, "01001") == ["0100*", "010**", "01***", "0****", "*"]


def test_codes_of_several_lengths_have_one_star_for_the_rest() -> None:
    """A code that is itself the beginning of another is one of those that begin so."""
    made = prefixes("code", ["A1", "A12", "A13", "B", "B4.5"])

    assert [made.label(leaf, 1) for leaf in made.leaves] == ["A1*", "A1*", "A1*", "B", "B4*"]
    assert made.label("B", 2) == "B*"


def test_british_postcodes_have_sectors_districts_and_areas() -> None:
    """E1 is not E10, so the blank stays."""
    made = postcodes("postcode", ["SW1A 1AA", "SW1A 1AB", "SW1A 2AA", "SW1V 1AA", "E1 6AN", "E1 6AP", "E10 6AN"])

    assert road(made, "SW1A 1AA") == ["SW1A 1*", "SW1A *", "SW*", "*"]
    assert made.label("E1 6AN", 2) == "E1 *"


def test_other_postcodes_go_by_their_beginnings() -> None:
    """Whatever the country."""
    assert road(postcodes("plz", ["10115", "10117", "10243", "80331"]), "10115") == ["1011*", "10***", "*"]


def test_a_known_scale_is_in_its_own_order() -> None:
    """Alphabetically, high would come first."""
    made = ordinals("risk", ["High", "Low", "Medium", "Very high"], [1, 1, 1, 1])

    assert made.leaves == ("Low", "Medium", "High", "Very high")
    assert road(made, "Low") == ["{Low, Medium}", "*"]


def test_bands_are_in_the_order_of_their_numbers() -> None:
    """Below the first, from the last on; what is no band keeps its name."""
    made = ordinals("age", ["100+", "20-29", "<20", "30-99", "no answer"], [1] * 5)

    assert made.leaves == ("<20", "20-29", "30-99", "100+", "no answer")
    assert made.label("20-29", 1) == "{<20, 20-29}"
    assert made.label("no answer", 1) == "no answer"


def test_an_order_can_be_given() -> None:
    """Of words that nobody else would know the order of."""
    assert ordinals("grade", ["b", "a", "c"], [1, 1, 1], order=["c", "a", "b"]).label("a", 1) == "{c, a}"


def test_long_bands_are_called_by_their_ends() -> None:
    """A label that lists everything is no label."""
    made = ordinals("wave", [f"wave {i}" for i in range(1, 41)], [1] * 40)

    assert "wave 1 to wave 20" in road(made, "wave 2")


def test_values_that_could_be_read_as_several_are_quoted() -> None:
    """Two groups never have one name."""
    made = ordinals("x", ["a, b", "c", "a", "b, c"], [1] * 4, order=["a, b", "c", "a", "b, c"])

    assert made.levels[0] == ('{"a, b", c}', '{"a, b", c}', '{a, "b, c"}', '{a, "b, c"}')


def test_the_rarest_categories_are_joined_first() -> None:
    """The group is called by its values where they are few; which they are is in the hierarchy in any case."""
    made = categories("land", ["a", "b", "c", "d", "e"], [50, 3, 40, 2, 1])

    assert made.leaves == ("a", "c", "b", "d", "e")
    assert made.levels[0] == ("a", "c", "{b, d, e}", "{b, d, e}", "{b, d, e}")
    assert made.levels[1] == ("a", "{b, c, d, e}", "{b, c, d, e}", "{b, c, d, e}", "{b, c, d, e}")
    assert made.under("{b, d, e}", 1) == ("b", "d", "e")


def test_many_categories_are_counted() -> None:
    """A list of fifty names would be no label; they can still be told."""
    made = categories("land", [f"v{i:03}" for i in range(100)], list(range(100)))

    last = made.height - 1
    assert made.label("v000", last).endswith(" others")
    assert len(made.under(made.label("v000", last), last)) == int(made.label("v000", last).split()[-2]) + 1


def test_icd_10_codes_have_categories_blocks_and_chapters() -> None:
    """Diabetes and heart attacks."""
    made = icd10("diagnosis", ["E11.9", "E11.2", "E10.0", "E66.0", "I21.01", "I21.09", "I50", "unknown"])

    assert road(made, "E11.9") == ["E11.9", "E11*", "[E10-E14]", "[E00-E90]", "*"]
    assert road(made, "I21.01") == ["I21.0*", "I21*", "[I20-I25]", "[I00-I99]", "*"]
    assert road(made, "unknown")[:-1] == ["unknown"] * 4


def test_the_classification_has_all_chapters_and_blocks_of_the_who() -> None:
    """22 chapters and 263 blocks, which do not overlap, and every block in one chapter."""
    assert (len(chapters()), len(blocks())) == (22, 263)
    for ranges in (chapters(), blocks()):
        assert all(last < first for (_, last), (first, _) in pairwise(ranges))
    assert all(sum(start <= first and last <= end for start, end in chapters()) == 1 for first, last in blocks())


def test_what_has_the_form_of_icd_10_is_recognised() -> None:
    """Codes with and without their full stop, and not words or numbers."""
    assert are_icd10(["E11.9", "E119", "I21", "Z99"])
    assert not are_icd10(["250.0", "flu", "E"])
    assert not are_icd10([])


@pytest.mark.parametrize(
    ("kind", "values", "first"),
    [
        ("integer", [str(i) for i in range(40)], "in bands of 5"),
        ("continuous", [f"{i}.5" for i in range(40)], "in bands of 5"),
        ("weight", [f"{i}.5" for i in range(40)], "in bands of 5"),
        ("date", DAYS, "month"),
        ("code", ["A1", "A2", "B1"], "first character"),
        ("code", ["A", "B", "C"], "the commonest, and all others together"),
        ("ordinal", ["low", "medium", "high"], "2 neighbours together"),
        ("ordinal", ["red", "green", "blue"], "the commonest, and all others together"),
        ("category", ["red", "green", "blue"], "the commonest, and all others together"),
        ("free text", ["a b c", "d e f"], "everything"),
        ("empty", [], "everything"),
    ],
)
def test_every_kind_of_column_gets_a_hierarchy(kind: str, values: list[str], first: str) -> None:
    """The builder that fits; one step to everything where none does."""
    assert automatic("x", values, [1] * len(values), kind).words[0] == first


def test_meanings_have_builders_of_their_own() -> None:
    """Ages, postcodes and diagnoses are recognised elsewhere; here they are told."""
    years = [str(i) for i in range(100)]

    assert automatic("x", years, [1] * 100, "integer", "age") == ages("x", years, [1] * 100)
    assert automatic("x", ["E1 6AN", "E1 7AN"], [1, 1], "code", "postcode") == postcodes("x", ["E1 6AN", "E1 7AN"])
    assert automatic("x", ["E11", "E10", "I21"], [1] * 3, "code", "icd-10").words[0] == "ICD-10 block"
