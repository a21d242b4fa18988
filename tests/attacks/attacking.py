"""How tests attack: small tables given column by column, and the slow, obvious versions of what is counted."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

import anonscope as an
from anonscope.attacks.people import Attacked, People, together
from anonscope.columns.images import Everything, read_image
from anonscope.columns.readings import ToldLabels
from anonscope.risk.counting.columns import coded

Table = Mapping[str, Sequence[Any]]


def texts(table: Table) -> pa.Table:
    """Return a table of texts."""
    return pa.table({name: pa.array([None if v is None else str(v) for v in values], type=pa.string()) for name, values in table.items()})


def attack(
    release: Table,
    original: Table,
    control: Table | None = None,
    *,
    know: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    person: str | None = None,
    **options: Any,
) -> an.Attacks:
    """Attack small tables; by default every column that is not sensitive is known, and everybody is a target."""
    known = know or [name for name in original if name not in sensitive and name not in (person, options.get("key"))]
    options = {"targets": None} | options
    with (
        an.read(texts(original), quasi_identifiers=known, sensitive=sensitive, person=person) as data,
        an.read(texts(release)) as released,
    ):
        return an.attack(released, data, control=texts(control) if control is not None else None, **options)


def only(found: an.Attacks, name: str, variant: str, **also: Any) -> an.Success:
    """Return the one result of an attack and variant."""
    (result,) = found.select(name, variant, **also)
    return result


def attacked(release: Table, original: Table, control: Table | None = None, **options: Any) -> Attacked:
    """Return tables in codes, records paired by their order."""
    columns = {name: coded(column) for name, column in zip(texts(release).column_names, texts(release).columns, strict=True)}
    sides = [{name: coded(c) for name, c in zip(texts(t).column_names, texts(t).columns, strict=True)} for t in (original, control) if t]
    values, codes = together(sides[0], sides[1] if len(sides) > 1 else None)
    people = [People(part, len(next(iter(part.values())))) for part in codes]
    rows = np.arange(people[0].records) if people[0].records == len(next(iter(release.values()))) else None
    first = People(people[0].codes, people[0].records, rows)
    # Notation is all there is to know, and it is known: no label is a riddle.
    told = {name: ToldLabels(read_image) for name in release}
    return Attacked(columns, values, first, people[1] if len(people) > 1 else None, told, **options)


def fits(label: Any, value: Any) -> bool:
    """Whether a released label may stand for a value, by its notation."""
    image = read_image(None if label is None else str(label))
    return isinstance(image, Everything) or image.contains(None if value is None else str(value))


def candidates(release: Table, person: Mapping[str, Any], known: Sequence[str]) -> list[int]:
    """Return the released records that a person may be, one by one."""
    count = len(release[known[0]])
    return [i for i in range(count) if all(fits(release[name][i], person[name]) for name in known)]


def rows_of(table: Table) -> list[dict[str, Any]]:
    """Return a table record by record."""
    count = len(next(iter(table.values())))
    return [{name: values[i] for name, values in table.items()} for i in range(count)]


def drawn(seed: int, rows: int, **sizes: int) -> dict[str, list[int]]:
    """Return columns of independent whole numbers."""
    chance = np.random.default_rng(seed)
    return {name: chance.integers(0, size, rows).tolist() for name, size in sizes.items()}
