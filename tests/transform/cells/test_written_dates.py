"""Dates read by our own expression are those that DuckDB reads: engines that have another reader use it."""

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonscope.transform.cells.written_dates import day_in, is_known, pattern_of

VALUES = {
    "%d": ("1", "01", "31", "29", "0", "30"),
    "%-d": ("1", "01", "31"),
    "%m": ("2", "02", "13", "12"),
    "%-m": ("2", "02", "12"),
    "%Y": ("2020", "2019", "20", "0", "9999", "12345"),
    "%y": ("69", "68", "5", "2020", "00"),
    "%b": ("Jan", "feb", "MAY", "sept", "x"),
    "%B": ("January", "MAY", "feb", "February"),
    "%%": ("%", "%%"),
}
FORMS = (
    "%d/%m/%Y",
    "%d%m%Y",
    "%Y%m%d",
    "%d %b %Y",
    "%B %d, %Y",
    "%-d.%-m.%y",
    "%m/%Y",
    "%Y",
    "(%d) %m [%Y]",
    "%d%b%Y",
    "%d%%%m %Y",
    "b%b.%y",
)
NOISE = (" ", "  ", "\n", "\x0b", "\u00a0", "0", "1", "/", "a", ")", "-")


@st.composite
def written(draw):
    """A form and a text that mostly fits it."""
    form = draw(st.sampled_from(FORMS))
    text = form
    for directive, values in VALUES.items():
        while directive in text:
            text = text.replace(directive, draw(st.sampled_from(values)), 1)
    if draw(st.booleans()):
        place = draw(st.integers(0, len(text)))
        text = text[:place] + draw(st.sampled_from(NOISE)) + text[place:]
    return form, text


@settings(max_examples=200, deadline=None)
@given(written())
def test_a_text_is_the_date_that_duckdb_reads(given):
    """Whatever the form, blanks, digits and names, and where the text is no date."""
    form, text = given
    quoted = "'" + pattern_of(form).replace("'", "''") + "'"
    both = (day_in("t", form, quoted), f"CAST(TRY_STRPTIME(t, '{form}') AS DATE)")
    ours, theirs = duckdb.execute(f"SELECT {', '.join(f'CAST({day} AS VARCHAR)' for day in both)} FROM (SELECT ? AS t)", [text]).fetchall()[
        0
    ]

    assert ours == theirs


@pytest.mark.parametrize(("form", "known"), [("%d.%m.%Y", True), ("%d %H %Y", False), ("%d.%m.%Y %y", False), ("%j %Y", False)])
def test_a_form_with_other_directives_is_not_read(form, known):
    """Nor one that has a part of the date twice."""
    assert is_known(form) is known
