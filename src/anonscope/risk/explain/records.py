"""The table record by record: row number, class size, every risk, and the smallest set of attributes that singles it out.

Such a table tells an attacker where to look, so it is made on explicit request only, and it holds no cell value unless that
is asked for twice. Row numbers count records from 1 in the order of the source; a header is not a record.
"""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.errors import OptionError, OutputError, shown
from anonscope.io.sources import Relation
from anonscope.io.writing import write_bytes
from anonscope.risk.counting.encode import Layout
from anonscope.risk.explain.minimal_unique import MinimalUniques, affordable, minimal_uniques
from anonscope.risk.explain.record_scores import order_by, record_scores
from anonscope.risk.explain.tuples import layout_of
from anonscope.risk.explain.why import Picture, chosen_scenario
from anonscope.risk.findings import Findings
from anonscope.risk.metrics import METRICS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

# Beyond these a whole number has no place in an Arrow array, and beyond the last not even its nearest floating-point number.
_LARGEST_INTEGER, _LARGEST_DECIMAL, _LARGEST_FLOAT = 2**63 - 1, 10**38 - 1, 10**300
FORMATS = (".csv", ".parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which records are wanted, and how much is shown of them."""

    scenario: str | None = None
    top: int | None = None
    rule: str | None = None  # records that break a rule about this metric; where none does, those that come nearest first
    values: bool = False
    largest_set: int | None = None  # attributes of a minimal unique set; None is any number that is affordable


def records(engine: Engine, relation: Relation, findings: Findings, choice: Choice, rows: int | None = None) -> Any:
    """Return an Arrow table with a row for every record that is wanted, those at most risk first."""
    import numpy as np
    import pyarrow as pa

    check_numbered(engine)
    scenario = chosen_scenario(findings, choice.scenario)
    picture = Picture(engine, findings)
    layout = layout_of(engine, findings.roles)
    known = picture.table.tuples.places(scenario.quasi_identifiers)
    possible = affordable(len(known), len(picture.table.tuples), choice.largest_set)
    if choice.largest_set is not None and possible < min(choice.largest_set, len(known)):
        raise OptionError(
            f"Sets of up to {choice.largest_set} of {len(known)} attributes are too many to look at; sets of up to {possible} are not."
        )
    tuple_of, codes = _numbered(engine, relation, findings, layout, rows)
    columns = record_scores(picture.table, known, findings.roles.sensitive, tuple_of, codes)
    people = columns.get("persons_in_class", columns["class_size"])
    about = np.max([np.full(len(people), -1.0), *(v for k, v in columns.items() if k.startswith("correlation with"))], axis=0)
    risk = [people, -columns["uniformity"], -about]
    if choice.rule is not None:
        if choice.rule not in METRICS:
            raise OptionError(f"No metric is called {shown(choice.rule)}. There are: {', '.join(METRICS)}.")
        # A rule that no record breaks has records all the same that come nearest to it.
        breaking = _breaking(picture, choice.rule)
        risk = [-order_by(choice.rule, picture.table, known, columns, tuple_of), *risk] if breaking is None else risk
    wanted = np.lexsort((np.arange(len(tuple_of)), *risk[::-1]))
    if choice.rule is not None and breaking is not None:
        wanted = wanted[breaking[tuple_of[wanted]]]
    wanted = wanted[: choice.top]
    table = pa.table({"row": wanted + 1} | {name: column[wanted] for name, column in columns.items()})
    uniques = minimal_uniques(picture.table.tuples, known, choice.largest_set)
    table = _with_uniques(table, uniques, tuple_of[wanted])
    return _with_values(table, engine, findings, wanted) if choice.values else table


def check_numbered(engine: Engine) -> None:
    """Raise if records have no number on an engine, and must not leave it one by one."""
    if engine.remote:
        raise OptionError(
            f"Records have no order on {engine.title} and are not fetched from it, so they cannot be listed by row number. "
            "Audit an extract of the table on the engine duckdb."
        )


def check_format(path: Path) -> None:
    """Raise unless the name of a file tells how records are to be written."""
    if path.suffix.lower() not in FORMATS:
        raise OutputError(f"Records are written as {' or '.join(FORMATS)}, not as {path.suffix or 'a file without ending'}.")


def save_records(table: Any, path: Path) -> None:
    """Write records to a CSV or Parquet file, by the ending of its name."""
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    check_format(path)
    content = pa.BufferOutputStream()
    if path.suffix.lower() == ".csv":
        pa.csv.write_csv(table, content)
    else:
        pa.parquet.write_table(table, content)
    write_bytes(path, content.getvalue().to_pybytes())


def _breaking(picture: Picture, metric: str) -> "Array | None":
    """Return which tuples break a failing rule about a metric; None where none fails, or where it cannot be told tuple by tuple."""
    import numpy as np

    numbers = [number for number, result in picture.failing if result.rule.metric == metric]
    found = [picture.found(number) for number in numbers]
    if not numbers or any(f is None for f in found):
        return None
    breaking: Array = np.any([f.tuples for f in found if f is not None], axis=0)
    return breaking


def _with_uniques(table: Any, uniques: MinimalUniques, tuple_of: "Array") -> Any:
    import numpy as np
    import pyarrow as pa

    names = np.array([" + ".join(s.attributes) for s in uniques.sets] + [None], dtype=object)
    table = table.append_column("minimal_unique_set", pa.array(names[uniques.smallest[tuple_of]], type=pa.string()))
    scores = uniques.scores(tuple_of)
    largest = max(scores, default=0)
    if largest <= _LARGEST_INTEGER:
        table = table.append_column("special_uniqueness", pa.array(scores, type=pa.int64()))
    elif largest <= _LARGEST_DECIMAL:
        table = table.append_column("special_uniqueness", pa.array([Decimal(score) for score in scores], type=pa.decimal128(38)))
    elif largest <= _LARGEST_FLOAT:
        table = table.append_column("special_uniqueness", pa.array([float(score) for score in scores]))
    told = {"suda_largest_set": str(uniques.size), "suda_complete": "true" if uniques.complete else "false"}
    return table.replace_schema_metadata(told)


def _numbered(engine: Engine, relation: Relation, findings: Findings, layout: Layout, rows: int | None) -> "tuple[Array, dict[str, Array]]":
    """Return the tuple of every record in the order of the source, and the codes of what stands beside it."""
    import numpy as np

    _stage(engine, relation, findings, rows)
    names = [f"c{i}" for i in range(len(layout.attributes))] + [f"s{j}" for j in range(len(layout.sensitive))]
    others = [f"t{j}" for j in range(len(layout.sensitive))]
    if layout.event_level:
        names.append("u")
        others.append("u")
    words = [f"w{word}" for word in range(layout.words)]
    packed = [
        " + ".join(f"COALESCE(d{r.attribute}.w, 0)" for r in layout.radices if r.word == word) + f" AS w{word}"
        for word in range(layout.words)
    ]
    first = len(layout.attributes)
    packed += [f"COALESCE(d{first + i}.w, 0) AS {name}" for i, name in enumerate(others)]
    joins = " ".join(f"LEFT JOIN weight AS d{i} ON d{i}.attribute = {i} AND d{i}.v = b.{name}" for i, name in enumerate(names))
    engine.materialise("numbered_record", f"SELECT b.r, {', '.join(packed)} FROM numbered_source AS b {joins}")
    keys = ", ".join(words)
    engine.materialise(
        "numbered_tuple", f"SELECT {keys}, ROW_NUMBER() OVER (ORDER BY {keys}) - 1 AS q FROM (SELECT DISTINCT {keys} FROM record) AS d"
    )
    same = " AND ".join(f"x.{word} = k.{word}" for word in words)
    listed = ", ".join(["k.q", *(f"x.{name}" for name in others)])
    tuple_of, *codes = engine.arrays(f"SELECT {listed} FROM numbered_record AS x JOIN numbered_tuple AS k ON {same} ORDER BY x.r")
    return tuple_of.astype(np.int64), {name: code.astype(np.int64) for name, code in zip(others, codes, strict=True)}


def _stage(engine: Engine, relation: Relation, findings: Findings, rows: int | None) -> None:
    """Make `numbered_source`: the columns with a role in the order of the source. The audit had no use for the order."""
    roles = findings.roles
    columns = [*roles.attributes, *roles.sensitive, *([roles.person] if roles.person is not None else [])]
    names = (
        [f"c{i}" for i in range(len(roles.attributes))]
        + [f"s{j}" for j in range(len(roles.sensitive))]
        + ["u"] * (roles.person is not None)
    )
    selected = ", ".join(
        f"{canonical(f'c{position}', relation.columns[position].type, column)} AS {name}"
        for column, name, position in ((c, n, relation.position(c)) for c, n in zip(columns, names, strict=True))
    )
    limit = f" LIMIT {rows}" if rows is not None else ""
    select = f"SELECT ROW_NUMBER() OVER () AS r, {', '.join(names)} FROM (SELECT {selected} FROM {relation.origin}{limit}) AS s"
    engine.stage("numbered_source", select, large=False, ordered=True)


def _with_values(table: Any, engine: Engine, findings: Findings, wanted: "Array") -> Any:
    """Return the table with the quasi-identifiers and sensitive values of its records; never names, never person ids."""
    import pyarrow as pa

    roles = findings.roles
    names = [f"c{i}" for i in range(len(roles.attributes))] + [f"s{j}" for j in range(len(roles.sensitive))]
    for i, (name, column) in enumerate(zip(names, [*roles.attributes, *roles.sensitive], strict=True)):
        # An array cannot hold a missing value, so what is missing comes as a flag beside the text.
        present, values = engine.arrays(
            f"SELECT CASE WHEN {name} IS NULL THEN 0 ELSE 1 END AS present, COALESCE({name}, '') AS v FROM numbered_source ORDER BY r"
        )
        shown_values = pa.array(values[wanted], type=pa.string(), mask=present[wanted] == 0)
        table = table.append_column(column if column not in table.column_names else f"{column} (value {i + 1})", shown_values)
    return table
