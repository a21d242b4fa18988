"""Where records stay elsewhere, combinations with counts lead to the same release; and where these are too many, parts do."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import anonscope as an
from anonscope.columns.hierarchy import for_columns
from anonscope.columns.hierarchy.for_columns import hierarchies_for
from anonscope.columns.roles import Roles
from anonscope.errors import AnonscopeError, EngineError, OptionError, RecipeError
from anonscope.risk.counting import combinations
from anonscope.risk.counting.columns import read_columns
from anonscope.transform.search.prepare import SearchSettings, prepare
from anonscope.transform.search.problem import Problem
from anonscope.transform.steps.recode import Recode
from support.said import all_said
from support.watched import Watched, watch

KNOWN = ["age", "zip", "sex"]


def people(rows: int, seed: int = 1) -> pa.Table:
    """Return people with missing values, empty texts, and several records of some."""
    draw = np.random.default_rng(seed)
    age = [None if x < 0.03 else int(a) for x, a in zip(draw.random(rows), draw.integers(18, 95, rows), strict=True)]
    return pa.table(
        {
            "age": pa.array(age, pa.int64()),
            "zip": [f"{10_000 + z % 300:05}" for z in draw.zipf(1.4, rows).tolist()],
            "sex": [("F", "M", None, "")[i] for i in draw.choice(4, rows, p=[0.47, 0.47, 0.03, 0.03]).tolist()],
            "ill": [None if i == 7 else f"d{i}" for i in draw.integers(0, 9, rows).tolist()],
            "cost": draw.integers(0, 5, rows),
            "who": [None if i == 3 else f"p{i}" for i in draw.integers(0, rows // 2, rows).tolist()],
        }
    )


def elsewhere(table: pa.Table, **roles: Any) -> tuple[an.Data, Watched]:
    """Return a table on an engine that is taken for Spark, and that engine."""
    data = all_said(an.read(table, **roles))
    engine = watch(data)
    engine.title = "Spark"
    return data, engine


def records_of(release: an.Release) -> Counter[tuple[Any, ...]]:
    """Return how often every record is there; the ids of persons are drawn anew in each release, so only who is alike counts."""
    table = release.table
    person = release.roles.person
    columns = {name: table.column(name).to_pylist() for name in table.column_names if name != person}
    records = list(zip(*columns.values(), strict=True))
    if person is None:
        return Counter(records)
    of_each: dict[Any, list[tuple[Any, ...]]] = {}
    for who, record in zip(table.column(person).to_pylist(), records, strict=True):
        of_each.setdefault(who, []).append(record)
    nobody = of_each.pop(None, [])
    return Counter(("together", *sorted(map(repr, mine))) for mine in of_each.values()) + Counter(("alone", repr(r)) for r in nobody)


def arrays_of(problem: Problem) -> list[np.ndarray[Any, Any]]:
    """Return everything that a problem is made of."""
    found = [*problem.codes, problem.n]
    for of in problem.sensitive:
        assert of.ranks is not None
        found += [of.tuples, of.values, of.n, of.ranks]
    if problem.persons is not None:
        found += [problem.persons.tuples, problem.persons.persons, problem.persons.n]
    return found + [x for ladder in problem.ladders for x in (*ladder.levels, *ladder.penalties)]


@pytest.mark.parametrize("seed", range(4))
def test_combinations_pose_the_same_problem_as_records(seed: int) -> None:
    """Tuples, counts, sensitive values, persons and ladders are the same numbers in the same order, and fewer rows are fetched."""
    roles = Roles(quasi_identifiers=("sex", "cost"), sensitive=("ill",), person="who" if seed % 2 else None)
    table = people(400, seed)
    with an.read(table) as data:
        ladders = hierarchies_for(data.engine, data.relation, roles.attributes)
        wanted = [*roles.attributes, *roles.sensitive, *([roles.person] if roles.person else [])]
        here = prepare(read_columns(data.engine, data.relation, wanted), roles, ladders, SearchSettings())
        found = combinations.count_combinations(data.engine, data.relation, roles)
        columns, counts = combinations.read_combinations(found)
        there = prepare(columns, roles, ladders, SearchSettings(), counts=counts)

    assert found.count < found.records == 400 or roles.person
    assert there.tuple_of is None
    for a, b in zip(arrays_of(here.problem), arrays_of(there.problem), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("method, suppressed", [("local", "drop"), ("global", "keep"), ("mondrian", "keep")])
def test_the_release_has_the_same_records(method: Any, suppressed: Any) -> None:
    """Labels that are joined by value, missing and empty ones too, make the records that labels by position do."""
    roles: dict[str, Any] = {"quasi_identifiers": KNOWN, "sensitive": ["ill", "cost"], "person": "who"}
    asked: dict[str, Any] = {"limits": {"k_anonymity": 5, "l_diversity": 2}, "method": method, "suppressed": suppressed}
    table = people(1_000)
    with an.read(table, **roles) as data:
        here = an.anonymise(data, **asked)
        data, engine = elsewhere(table, **roles)
        with data:
            there = an.anonymise(data, **asked)
            assert here.release is not None and there.release is not None
            assert there.recipe is not None and engine.most.rows <= 1_000

            assert records_of(there.release) == records_of(here.release)
            assert there.release.changes == here.release.changes
            assert there.loss == here.loss and there.columns == here.columns
            # The recipe step finds the same again.
            assert records_of(an.apply(there.recipe, data)) == records_of(here.release)


@pytest.mark.parametrize(
    "roles, limits, further",
    [
        ({"sensitive": ["ill"]}, {"k_anonymity": 5, "l_diversity": 2, "t_closeness": 0.5}, {}),
        ({"person": "who", "sensitive": ["ill"]}, {"k_anonymity": 4, "l_diversity": 2}, {}),
        ({}, {"k_anonymity": 3, "uniqueness": 0.8}, {"levels": {"sex": 0, "age": (0, 2)}, "suppressed": "drop"}),
    ],
)
def test_too_many_combinations_are_recoded_part_by_part(
    roles: dict[str, Any], limits: dict[str, float], further: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With room for 200, no more are fetched at a time; the audit of the release finds all limits kept, and hardly more is lost."""
    monkeypatch.setattr(combinations, "MOST_COMBINATIONS", 200)
    table = people(2_000, 3)
    with all_said(an.read(table, quasi_identifiers=KNOWN, **roles)) as data:
        here = an.anonymise(data, limits=limits, method="mondrian", **further)
    data, engine = elsewhere(table, quasi_identifiers=KNOWN, **roles)
    with data:
        there = an.anonymise(data, limits=limits, **further)
        assert there.release is not None and there.after is not None and here.loss is not None and there.loss is not None
        fetched = max(handed.rows for handed in engine.handed if "parted_wanted" in handed.sql)

        assert there.after.verdict.outcome == "release" and there.method == "mondrian"
        assert 50 < fetched <= 200
        assert there.loss <= 1.05 * here.loss
        assert there.release.table.num_rows == there.release.changes.records_after == 2_000 - there.suppressed
        for column in there.columns:
            assert sum(column.shares) == pytest.approx(1 if there.suppressed == 0 else 1 - there.suppressed / 2_000)


def test_the_loss_of_parts_is_that_of_their_release(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What is added up part by part is what comparing the release with the original measures."""
    monkeypatch.setattr(combinations, "MOST_COMBINATIONS", 100)
    table = people(800, 5)
    data, _ = elsewhere(table, quasi_identifiers=KNOWN)
    with data, an.read(table.append_column("key", pa.array(range(800))), quasi_identifiers=KNOWN) as original:
        keyed, _ = elsewhere(table.append_column("key", pa.array(range(800))), quasi_identifiers=KNOWN)
        with keyed:
            found = an.anonymise(keyed, limits={"k_anonymity": 5})
            assert found.release is not None
            pq.write_table(found.release.table, tmp_path / "release.parquet")
            told = an.compare(original, tmp_path / "release.parquet", key="key", hierarchies=dict(found.hierarchies))

    (ncp,) = [m for m in told.versions[1].utilities if m.utility == "ncp" and m.column is None]
    assert ncp.value == pytest.approx(found.losses["ncp"])


def test_parts_that_cannot_be_split_are_released_without_being_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes of 60 have more combinations than fit: their labels are joined where they are, and no row of them comes here."""
    monkeypatch.setattr(combinations, "MOST_COMBINATIONS", 8)
    data, engine = elsewhere(people(1_000, 4), quasi_identifiers=["age", "zip"])
    with data:
        few, found = (an.anonymise(data, limits={"k_anonymity": 60}, suppression=share) for share in (0.05, 0.9))
        # Parts know nothing of each other: where together they star more records than may be suppressed, that is said.
        assert not few.met and any("suppression ≤ 0.05" in line for line in few.remaining)
        assert found.release is not None and found.after is not None

        # Values that stay there are not looked at, so it is at best released with acknowledgement.
        assert found.met and found.after.verdict.outcome == "release with acknowledgement"
        assert sum(found.losses.values()) > 0 and found.classes == found.after.scenarios[0].sizes.classes
        known = zip(*(found.release.table.column(name).to_pylist() for name in ("age", "zip")), strict=True)
        assert 50 < found.suppressed == sum(record == ("*", "*") for record in known)
        assert found.release.table.num_rows == 1_000
        assert all(handed.rows <= 8 for handed in engine.handed if "parted_wanted" in handed.sql)


@pytest.mark.parametrize(
    "asked, said",
    [
        ({"method": "local"}, "local recoding takes at most 50.*mondrian"),
        ({"method": "global"}, "global recoding takes at most 50.*mondrian"),
        ({"explain": True}, "searching again for an explanation takes at most 50.*Leave --alternatives"),
    ],
)
def test_what_needs_all_combinations_at_once_says_so(asked: dict[str, Any], said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error has the counts and the way out."""
    monkeypatch.setattr(combinations, "MOST_COMBINATIONS", 50)
    data, _ = elsewhere(people(300), quasi_identifiers=KNOWN)
    with data, pytest.raises(EngineError, match=f"different combinations, and {said}"):
        an.anonymise(data, limits={"k_anonymity": 2}, **asked)


def test_a_step_in_parts_takes_only_limits_that_parts_prove(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody audits the release of a recipe, so a mean over the table is refused where only parts are looked at; k is not."""
    monkeypatch.setattr(combinations, "MOST_COMBINATIONS", 100)
    rules = ({"metric": "k_anonymity", "minimum": 3}, {"metric": "uniqueness", "maximum": 0.99, "statistic": "mean"})
    steps = [Recode(quasi_identifiers=tuple(KNOWN), rules=rules[:n], method="mondrian", suppression=0.2) for n in (1, 2)]
    data, _ = elsewhere(people(400))
    with data:
        released = an.apply(steps[0], data)
        with released.read(quasi_identifiers=KNOWN) as left:
            assert (an.audit(left)["k_anonymity"].value or 0) >= 3
        with pytest.raises(RecipeError, match=r"part by part.*uniqueness \(mean\).*audit"):
            an.apply(steps[1], data)


def test_a_column_with_too_many_values_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its values are counted, and not fetched; of a small table no more at once than one column has."""
    monkeypatch.setattr(for_columns, "MOST_VALUES", 50)
    data, engine = elsewhere(people(300), quasi_identifiers=KNOWN)
    with data, pytest.raises(EngineError, match=r"Column 'age' has 7[0-9] different values.*Coarsen"):
        an.anonymise(data, limits={"k_anonymity": 2})

    assert engine.most.rows < 78


def test_a_database_does_not_anonymise() -> None:
    """It only counts; what to do instead is said before any work."""
    data = an.read(people(30), quasi_identifiers=KNOWN)
    watch(data)
    with data, pytest.raises(OptionError, match="only counts"):
        an.anonymise(data, limits={"k_anonymity": 2})


def test_records_are_not_read_one_by_one() -> None:
    """Whatever needs them all says so instead of fetching them."""
    data, engine = elsewhere(people(30), quasi_identifiers=KNOWN)
    with data, pytest.raises(AnonscopeError, match=r"records one by one.*DuckDB"):
        read_columns(data.engine, data.relation, KNOWN)

    assert not engine.handed
