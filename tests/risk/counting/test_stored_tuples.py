"""On a remote engine nothing of the size of the classes is fetched, and every number is what it is on an embedded one."""

import random
from dataclasses import replace
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pytest
import sqlglot
from hypothesis import example, given, seed, settings
from hypothesis import strategies as st
from sqlglot import ErrorLevel

import anonscope as an
from anonscope.engines import DuckDB
from anonscope.risk.measuring.about import REMOTE_ATTRIBUTES
from anonscope.risk.metrics.nearest_rank import nearest_rank
from reference.tuples import nearest_rank as slow_rank
from support.explained import opened
from support.statements import CONSTRUCTS, FUNCTIONS, opens_the_source, parsed
from support.strategies import Numbers, Table, law, numbers, tables
from support.watched import Watched, watch

KNOWN = tuple(f"q{i}" for i in range(9))
# Nine attributes of some 300 values each, which no single number holds.
WIDE = Table(
    (
        *((name, tuple(None if (r + i) % 41 == 0 else (r // 2 * (i + 3)) % 293 for r in range(320))) for i, name in enumerate(KNOWN)),
        ("ill", tuple(f"d{r * r % 7}" for r in range(320))),
        ("cost", tuple(r % 11 for r in range(320))),
        ("who", tuple(r // 3 for r in range(320))),
    ),
    KNOWN,
    ("ill", "cost"),
    scenarios=(("some", ("q7", "q0", "q8", "q3")), ("two words", KNOWN[2:])),
)


NARROW = replace(WIDE, quasi_identifiers=KNOWN[:5], scenarios=())


@lru_cache
def remote(table: Table, joins: int = 10_000, **asked: Any) -> an.Audit:
    """Return the audit of a table as if its engine were remote, and joined or went over so many tables in a statement."""
    with opened(table) as data:
        watch(data).joins = joins
        return an.audit(data, literal_chain=True, **asked)


def here(table: Table, **asked: Any) -> an.Audit:
    """Return the same on an embedded engine."""
    with opened(table) as data:
        return an.audit(data, literal_chain=True, **asked)


def assert_same(found: Numbers, wanted: Numbers) -> None:
    assert found.keys() == wanted.keys()
    for key, values in wanted.items():
        assert found[key] == pytest.approx(values, rel=1e-9, abs=1e-9), key


@seed(2025)
@settings(max_examples=12, deadline=None, database=None)
@given(table=tables())
def test_a_remote_engine_gives_the_same_numbers(table: Table) -> None:
    """One row, one attribute, NULL, persons, several scenarios and sensitive attributes: all metrics agree, the literal chain too."""
    wanted = numbers(here(table))
    for joins in (0, 10_000):
        assert_same(numbers(remote(table, joins)), wanted)


@pytest.mark.parametrize("joins", [0, 10_000])
@pytest.mark.parametrize("person", [None, "who"])
def test_tuples_of_several_words_give_the_same_numbers(person: str | None, joins: int) -> None:
    """No word is left out of what two tuples have in common."""
    table = replace(WIDE, person=person)
    found = remote(table, joins, pairs=True, joined=True)

    assert_same(numbers(found), numbers(here(table, pairs=True, joined=True)))
    assert found["markov_chain"].status == found["personal_information"].status == "measured"


@pytest.mark.parametrize("person", [None, "who"])
def test_outside_a_single_attribute_all_are_alike(person: str | None) -> None:
    """Said outright instead of counted, with the same result."""
    table = replace(NARROW, quasi_identifiers=KNOWN[:1], person=person)

    for joins in (0, 10_000):
        assert_same(numbers(remote(table, joins)), numbers(here(table)))


@pytest.mark.parametrize("table", [NARROW, WIDE], ids=["one word", "several words"])
def test_every_attribute_is_opened_by_one_pass(table: Table) -> None:
    """Where a pass an attribute is dear, no statement reads a large table often."""
    large = ("class", "cell", "scenario_record", "record", "pair", "triple")

    for statement in remote(table, 0, pairs=True, joined=True).statements:
        if not opens_the_source(statement) and statement.name not in ("dictionary", "told"):
            read = [table.name for table in parsed(statement).find_all(sqlglot.exp.Table)]
            assert all(read.count(name) <= 2 for name in large), statement.sql


def test_no_window_goes_over_tuples_or_cells_as_a_whole() -> None:
    """Without a partition all rows come to one worker: that is for values, bands and different shares only."""
    unpartitioned = {
        statement.name
        for statement in remote(replace(WIDE, person="who"), 0, pairs=True, joined=True).statements
        for window in parsed(statement).find_all(sqlglot.exp.Window)
        if not window.args.get("partition_by")
    }

    # `number` is each engine's own, and there DuckDB numbers by a window.
    assert {name for name in unpartitioned if name and not name.startswith("band")} <= {
        *("ordered", "ladder", "ordered_distance"),
        *("tuple_key", "joined_key", "person_code"),
    }


def test_the_statements_are_portable() -> None:
    """They keep to the short list of constructs, and sqlglot carries each without leaving anything out."""
    run = [statement for joins in (0, 10_000) for statement in remote(WIDE, joins, pairs=True, joined=True).statements]
    core = [statement for statement in run if not opens_the_source(statement)]

    assert {"chain_tuple", "literal_tuple", "tuple_information"} <= {statement.name for statement in core}
    for statement in core:
        tree = parsed(statement)
        assert {type(node) for node in tree.walk()} <= FUNCTIONS | CONSTRUCTS, statement.sql
        for dialect in ("spark", "postgres"):
            assert sqlglot.parse_one(tree.sql(dialect, unsupported_level=ErrorLevel.RAISE), dialect=dialect)


def test_more_attributes_than_statements_can_bear_are_not_measured() -> None:
    """Twelve are, 130 are not, and the reason says so; nothing is left out."""
    assert 12 <= REMOTE_ATTRIBUTES < 130
    draw = random.Random(9)
    for count in (12, REMOTE_ATTRIBUTES + 1):
        known = tuple(f"q{i}" for i in range(count))
        table = Table(tuple((name, tuple(draw.randrange(3) for _ in range(30))) for name in known), known)
        if count == 12:
            assert_same(numbers(remote(table)), numbers(here(table)))
            continue
        for metric in ("markov_chain", "personal_information"):
            assert remote(table)[metric].status == "not measured"
            assert "at most 20 attributes, not 21" in str(remote(table)[metric].reason)


# Far apart, equal, or so close together that several cuts are needed to tell them apart.
BITS = st.floats(0, 50) | st.builds(lambda bits, more: bits + more / 2**27, st.sampled_from([0.0, 1.0, 30.0]), st.integers(0, 9))


@law
@given(
    rows=st.lists(st.tuples(BITS, st.integers(1, 30)), min_size=1, max_size=25),
    percent=st.integers(1, 100),
)
@example(rows=[(0.0, 10), (30.0, 3), (30.0 + 2**-27, 3), (50.0, 1)], percent=80)
def test_the_percentile_is_found_without_sorting(rows: list[tuple[float, int]], percent: int) -> None:
    """Bands within bands end at the value that nearest rank asks for, and so does an engine that sorts."""
    engine = DuckDB(threads=1)
    try:
        engine.register("arrow_source_x", pa.table({"bits": [b for b, _ in rows], "n": [n for _, n in rows]}))
        engine.materialise("found", "SELECT bits, n FROM arrow_source_x")
        wanted = slow_rank([b for b, times in rows for _ in range(times)], percent)
        remote = Watched(engine)
        for joins in (0, 10_000):
            remote.joins = joins
            assert nearest_rank(remote, "found", "bits", percent) == pytest.approx(wanted, abs=1e-10)
    finally:
        engine.close()
