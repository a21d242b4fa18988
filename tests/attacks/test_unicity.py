"""Unicity of small tables, by hand and by a slow count; coarsening and attributes."""

import hashlib

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import AttackError, ColumnNotFound, OptionError


def events(seed: int = 1, rows: int = 300) -> pa.Table:
    chance = np.random.default_rng(seed)
    person = chance.integers(0, 40, rows)
    return pa.table(
        {
            "id": person,
            "day": [f"2020-0{m}-1{d}" for m, d in zip(chance.integers(1, 4, rows), chance.integers(0, 10, rows), strict=True)],
            "place": chance.integers(0, 5, rows),
            "sex": ["F" if p % 2 else "M" for p in person],
        }
    )


def slow(table: pa.Table, points: int, columns: list[str], attributes: list[str], seed: int) -> tuple[int, int]:
    """Return how many people have so many points, and how many of them are unique, drawing the same points by the same hash."""
    rows = table.to_pylist()
    held: dict[str, set[str]] = {}
    known: dict[str, tuple[object, ...]] = {}
    for row in rows:
        held.setdefault(str(row["id"]), set()).add("~|~".join(str(row[c]) for c in columns))
        known[str(row["id"])] = tuple(row[a] for a in attributes)
    people = [p for p in held if len(held[p]) >= points]
    unique = 0
    for p in people:
        mark = {x: hashlib.md5(f"{seed}~|~{p}~|~{x}".encode()).hexdigest() for x in held[p]}
        chosen = set(sorted(held[p], key=lambda x: (mark[x], x))[:points])
        unique += sum(chosen <= held[q] and known[q] == known[p] for q in held) == 1
    return len(people), unique


@pytest.mark.parametrize("attributes", [[], ["sex"]])
def test_unicity_is_that_of_comparing_everybody(attributes):
    """For one to four points of day and place."""
    table = events()
    with an.read(table, person="id") as data:
        found = an.unicity(data, ["day", "place"], attributes=["sex"], most=4, seed=3)
    curve = found.with_attributes if attributes else found.alone

    assert [(u.people, u.unique) for u in curve] == [slow(table, p, ["day", "place"], attributes, 3) for p in (1, 2, 3, 4)]
    assert all(u.interval.low < u.interval.high for u in curve)


def test_knowing_more_points_or_more_of_the_person_never_hides_anybody():
    """The curve rises, and lies higher with attributes; coarser points single out fewer."""
    with an.read(events(2), person="id") as data:
        fine = an.unicity(data, ["day", "place"], attributes=["sex"], most=3)
        months = an.unicity(data, ["day", "place"], coarsen={"day": "month"}, most=3)
        wide = an.unicity(data, ["day", "place"], coarsen={"day": "month", "place": 5}, most=3)

    assert all(a.share <= b.share for a, b in zip(fine.alone, fine.with_attributes, strict=True))
    assert months.alone[0].share <= fine.alone[0].share
    assert (wide.alone[0].unique, wide.alone[0].people) == (0, 40)


def test_the_order_of_events_does_not_matter():
    """Who is drawn and which points hangs on what they say."""
    table = events(4)
    found = []
    for one in (table, table.take(np.random.default_rng(1).permutation(len(table)))):
        with an.read(one, person="id") as data:
            found.append(an.unicity(data, ["day", "place"], people=15, most=3).alone)

    assert found[0] == found[1]


def test_one_person_cannot_be_told_from_anybody():
    """A sentence each for what cannot be asked."""
    with an.read(pa.table({"id": [1, 1], "day": ["a", "b"]}), person="id") as data:
        with pytest.raises(AttackError, match="events of 1 people"):
            an.unicity(data, ["day"])
        with pytest.raises(ColumnNotFound):
            an.unicity(data, ["hour"])
        with pytest.raises(OptionError, match="at least one column"):
            an.unicity(data, [])
        with pytest.raises(OptionError, match="by a width above 0, or to year"):
            an.unicity(data, ["day"], coarsen={"day": "decade"})
    with an.read(pa.table({"id": [1, 2]})) as data, pytest.raises(OptionError, match="whose event it is"):
        an.unicity(data, ["id"])


def test_it_renders_itself():
    """As text, JSON and a page with a picture."""
    with an.read(events(), person="id") as data:
        found = an.unicity(data, ["day"], most=2)

    assert found.to_dict()["schema"] == "anonscope/unicity/1"
    assert found.to_dict()["alone"][0]["share"] == pytest.approx(found.alone[0].share, abs=1e-6)
    assert "points known" in found.render("text")
    assert "<svg" in found.render("html")
