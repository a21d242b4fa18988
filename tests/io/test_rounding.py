"""Numbers exactly as they are written, if they can be written out."""

from fractions import Fraction

import pytest

import anonscope as an
from anonscope.errors import QueryError
from anonscope.io.rounding import fraction_of


@pytest.mark.parametrize(("text", "number"), [("0.1", Fraction(1, 10)), ("1/3", Fraction(1, 3)), ("2e-3", Fraction(1, 500))])
def test_a_number_is_what_is_written(text, number):
    """Nothing is rounded."""
    assert fraction_of(text) == number


@pytest.mark.parametrize("text", ["1e999999999", "1E-999999999", "9" * 5000, "nan", ""])
def test_what_cannot_be_written_out_is_refused_at_once(text):
    """A power of ten of twelve characters would take hours, and all memory there is."""
    with pytest.raises(ValueError):
        fraction_of(text)


def test_a_file_of_queries_cannot_ask_for_such_a_number(tmp_path):
    """It is a mistake in the file, by its key."""
    text = 'schema = "anonscope/queries/1"\nepsilon = "1e999999999"\nrecord_is_person = true\n[columns.a]\ncategories = ["x"]\n'
    (tmp_path / "queries.toml").write_text(text + '[[queries]]\nname = "n"\nkind = "count"\n')
    (tmp_path / "people.csv").write_text("a\nx\n")
    with an.read(tmp_path / "people.csv") as data, pytest.raises(QueryError, match="epsilon"):
        an.answer(data, tmp_path / "queries.toml")
