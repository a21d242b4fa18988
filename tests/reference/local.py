"""Releases of local methods, judged record by record and by their labels alone."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import anonscope as an
from anonscope.columns.hierarchy import read_hierarchy
from anonscope.risk.counting.columns import read_columns
from anonscope.transform.search.prepare import prepare
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import Recoding
from reference.search import Record, Row, Rule, Toy


def released(toy: Toy, recoding: Recoding) -> list[Record]:
    """Return the records of a release, without those that are dropped or no longer looked at."""
    problem = recoding.problem
    values = [ladder.labels[0] for ladder in problem.ladders]
    place = {tuple(values[a][codes[i]] for a, codes in enumerate(problem.codes)): i for i in range(problem.tuples)}
    people = toy.person or tuple(map(str, range(len(toy.known))))
    found = []
    for row, hidden, person in zip(toy.known, toy.hidden, people, strict=True):
        i = place[row]
        if recoding.suppressed[i]:
            if toy.suppressed == "keep":
                found.append(Record(("*",) * len(row), hidden, person))
            continue
        levels = [int(level) for level in recoding.levels[i]]
        found.append(
            Record(tuple(_label(toy, a, value, level) for a, (value, level) in enumerate(zip(row, levels, strict=True))), hidden, person)
        )
    return found


def broken(toy: Toy, rules: Sequence[Rule], recoding: Recoding) -> set[str]:
    """Return the metrics whose limits a release breaks."""
    records = released(toy, recoding)
    people = toy.person or tuple(map(str, range(len(toy.known))))
    table = records
    if toy.suppressed == "unchecked":
        table = [Record(row, hidden, person) for row, hidden, person in zip(toy.known, toy.hidden, people, strict=True)]
    found = set()
    for rule in rules:
        groups: dict[Any, list[Record]] = {}
        for record in records:
            groups.setdefault(record.labels if rule.attribute is None else record.labels[rule.attribute], []).append(record)
        about: list[Any] = [list(groups.values())] if rule.per_table else list(groups.values())
        if groups and not all(rule.keeps(one, table) for one in about):
            found.add(rule.metric)
    return found


def assert_as_labelled(toy: Toy, rules: Sequence[Rule], problem: Problem, found: Recoding) -> None:
    """Hold what is said of a release to its labels: the same limits are broken, and nothing leaves its bounds where none is."""
    assert {limit.metric for limit in found.broken} == {name.partition(":")[0] for name in broken(toy, rules, found)}
    stays = ~found.suppressed
    assert (found.levels[stays] >= np.array(problem.lowest)).all()
    if not found.broken:
        assert (found.levels[stays] <= np.array(problem.highest)).all()
        assert found.records_suppressed <= problem.budget


def _label(toy: Toy, a: int, value: str | None, level: int) -> str | None:
    if level == toy.hierarchies[a].height:
        return "*"
    return None if value is None else toy.hierarchies[a].label(value, level)


def rows_of(*rows: tuple[Row, int]) -> tuple[Row, ...]:
    """Return rows, each so many times."""
    return tuple(row for row, times in rows for _ in range(times))


@lru_cache(maxsize=1)
def adult_of(folder: Path) -> Problem:
    """Return Adult with ARX's hierarchies and 8 quasi-identifiers; the salary is sensitive."""
    path = folder / "arx_adult" / "adult.csv"
    names = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")
    hierarchies = {name: read_hierarchy(path.with_name(f"adult_hierarchy_{name}.csv")) for name in names}
    with an.read(path, quasi_identifiers=names, sensitive=("salary-class",)) as data:
        return prepare(read_columns(data.engine, data.relation, (*names, "salary-class")), data.roles, hierarchies).problem
