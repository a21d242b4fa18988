"""Markov chain risk and personal information as their definitions read, record by record, from counts of equal things."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from support.strategies import Table

Rows = Sequence[tuple[Any, ...]]


def rows_of(table: Table, names: Sequence[str]) -> Rows:
    """Return the records cut to some columns, NaN as None."""
    plain = [[None if isinstance(v, float) and math.isnan(v) else v for v in table[name]] for name in names]
    return list(zip(*plain, strict=True))


def chain(rows: Rows, start: int, *, literal: bool = False) -> list[float]:
    """Return every record's risk when the chain begins with one attribute: a product over the attributes as printed."""
    order = [start, *(j for j in range(len(rows[0])) if j != start)]

    def outside(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return row[:start] + row[start + 1 :] if literal else row

    seen = Counter((j, row[j]) for row in rows for j in order)
    followed = Counter((j, row[j], row[k]) for row in rows for j, k in pairwise(order))
    whole = Counter((j, row[j], outside(row)) for row in rows for j in order)
    risks = []
    for record in rows:
        missed, before = 1.0, None
        for j in order:
            if before is None:
                missed *= seen[j, record[j]] / len(rows)
            else:
                missed *= followed[before, record[before], record[j]] / seen[before, record[before]]
            missed *= 1 - whole[j, record[j], outside(record)] / seen[j, record[j]]
            before = j
        risks.append(max(0.0, 1 - len(rows) * missed) if literal else 1 - missed)
    return risks


def bits(rows: Rows, attribute: int) -> list[float]:
    """Return the bits in every record's cell: the divergence of those who agree on all the rest from everybody."""
    everybody = Counter(row[attribute] for row in rows)
    alike: dict[tuple[Any, ...], Counter[Any]] = defaultdict(Counter)
    for row in rows:
        alike[row[:attribute] + row[attribute + 1 :]][row[attribute]] += 1
    told = {}
    for rest, values in alike.items():
        size = sum(values.values())
        told[rest] = sum(c / size * math.log2(c / size / (everybody[v] / len(rows))) for v, c in values.items())
    return [told[row[:attribute] + row[attribute + 1 :]] for row in rows]


def nearest_rank(values: Sequence[float], percent: int) -> float:
    """Return the smallest value that at least this percentage does not exceed."""
    return sorted(values)[math.ceil(percent * len(values) / 100) - 1]


def over_records(risks: Sequence[float]) -> tuple[float, float, float]:
    return min(risks), math.fsum(risks) / len(risks), max(risks)


def _markov_chain(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        by_start = [chain(rows_of(table, attributes), start) for start in range(len(attributes))]
        yield ("markov_chain", scenario, None, None, None, "record"), over_records([max(risks) for risks in zip(*by_start, strict=True)])
        for name, risks in zip(attributes, by_start, strict=True):
            yield ("markov_chain", scenario, (name,), None, None, "record"), over_records(risks)


def _personal_information(table: Table, threshold: int) -> Iterator[Any]:
    for scenario, attributes in table.attackers:
        names = (*attributes, *table.sensitive)
        cells = [bits(rows_of(table, attributes), j) for j in range(len(attributes))]
        cells += [bits(rows_of(table, (*attributes, name)), len(attributes)) for name in table.sensitive]
        records = [sum(of_record) for of_record in zip(*cells, strict=True)]
        yield ("personal_information", scenario, None, None, "95th percentile", "record"), (nearest_rank(records, 95),)
        yield ("personal_information", scenario, None, None, "every record", "record"), over_records(records)
        for name, found in zip(names, cells, strict=True):
            place = ((name,), None) if name in attributes else (None, name)
            yield ("personal_information", scenario, *place, "every record", "record"), over_records(found)


TUPLE_REFERENCE = {"markov_chain": _markov_chain, "personal_information": _personal_information}
