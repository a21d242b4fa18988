"""Keys with errors in them: Splink finds whom exact linkage misses."""

import sys

import numpy as np
import pyarrow as pa
import pytest
from linked import engines, linked

import anonscope as an
from anonscope.attacks.linkage import ProbabilisticLinkage, link_probably, pair_columns
from anonscope.errors import LinkageError, MissingExtra, OptionError
from anonscope.io.sources import open_source


def probably(release: pa.Table, external: pa.Table, **given: object) -> ProbabilisticLinkage:
    ours, theirs = engines()
    one, other = open_source(release, ours), open_source(external, theirs)
    return link_probably(ours, one, other, pair_columns(one.names, other.names), external_engine=theirs, **given)  # type: ignore[arg-type]


def dirty_tables(people: int = 800, released: int = 400) -> tuple[pa.Table, pa.Table]:
    """Return a register, and a release of half of its people where every fifth surname has a letter wrong."""
    draws = np.random.Generator(np.random.PCG64(11))
    letters = np.array(list("abcdefghijklmnopqrst"))
    names = ["".join(row) for row in letters[draws.integers(0, 20, (people, 7))]]
    register = {
        "surname": names,
        "born": [str(year) for year in draws.integers(1930, 2010, people)],
        "zip": [f"{code:05}" for code in draws.integers(0, 200, people)],
    }
    release = {name: values[:released] for name, values in register.items()}
    release["surname"] = [name[:-1] + "x" if i % 5 == 0 else name for i, name in enumerate(release["surname"])]
    return pa.table(release), pa.table(register)


def test_likeness_finds_people_that_equality_misses():
    """Exactly a fifth of the release matches nobody; by likeness nearly everybody is found, and nearly always as one person."""
    release, register = dirty_tables()
    found = probably(release, register)

    assert linked(release, register, unknown="itself").matched_share == pytest.approx(0.8)
    assert found.matched_share > 0.97
    assert found.unique_match_share > 0.95
    assert 0.9 < found.average_risk <= 1
    assert (found.threshold, found.seed, found.overlap) == (0.95, 1, 1.0)
    assert found.blocking
    assert found == probably(release, register)


def test_columns_that_agree_too_often_are_not_compared_alone():
    """With few pairs allowed, columns are taken in twos, and where that leaves too many the error says so."""
    release, register = dirty_tables()

    assert probably(release, register, most_pairs=1500).blocking == (("surname",), ("born", "zip"))
    with pytest.raises(LinkageError, match="Link them exactly"):
        probably(pa.table({"a": ["1"] * 9, "b": ["1"] * 9}), pa.table({"a": ["1"] * 9, "b": ["1"] * 9}), most_pairs=50)


def test_what_means_nothing_is_refused():
    """Thresholds and overlaps are shares above 0, and likeness needs two columns."""
    release, register = dirty_tables(8, 4)
    for option, value in (("threshold", 0), ("overlap", 1.5)):
        with an.read(release) as data, pytest.raises(OptionError, match=option):
            an.link_by_likeness(data, register, **{option: value})
    with pytest.raises(LinkageError, match="at least two"):
        probably(release.select(["zip"]), register)


def test_without_splink_the_message_says_what_to_install(monkeypatch):
    """A missing extra names its package."""
    monkeypatch.setitem(sys.modules, "splink", None)
    with pytest.raises(MissingExtra, match="pip install splink"):
        probably(*dirty_tables(8, 4))


def test_likeness_is_not_measured_over_values_that_are_written_otherwise():
    """Bands have nothing in common with ages: that is no proof that nobody is found."""
    release, register = dirty_tables()
    column = release.column_names[0]
    masked = release.set_column(0, column, pa.array([f"{str(value)[:1]}*" for value in release[column].to_pylist()]))
    found = probably(masked, register)

    assert (found.measured, found.unlike) == (False, (column,))
    assert (found.matched_records, found.matched_share, found.average_risk) == (None, None, None)
