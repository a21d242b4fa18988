"""Measure where the counts lie, by one worker of the engine's.

A remote engine is asked for some fifty results, each by a statement that it plans anew; what they are made of is `record`, which
mostly is small. So one worker takes that table, as numbers without any value of a quasi-identifier, and the values of sensitive
attributes, whose order a distance may need. It measures with the statements of an embedded engine, and only measurements leave it.
"""

import pickle
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Any

from anonscope import errors
from anonscope.engines.engine import Statement
from anonscope.errors import AnonscopeError, EngineError
from anonscope.risk.counting.encode import Layout, other_columns
from anonscope.risk.findings import Measured, ScenarioCounts, SensitiveFacts
from anonscope.risk.metrics import ClassSizes, Measurement, Totals
from anonscope.risk.policy.linked import LinkedRecords

if TYPE_CHECKING:
    from anonscope.engines import Engine
    from anonscope.risk.measuring.run import Run

# Rows of `record` that one worker takes; beyond it the work is worth the statements.
LIMIT = 5_000_000


class _Results(pickle.Unpickler):
    """Reads results and errors of ours, and nothing else that bytes may ask for: workers are other machines."""

    def find_class(self, module: str, name: str) -> Any:
        if (known := _KNOWN.get(name)) is not None and known.__module__ == module:
            return known
        if module == errors.__name__ and isinstance(error := getattr(errors, name, None), type) and issubclass(error, AnonscopeError):
            return error
        raise pickle.UnpicklingError(f"a worker has no business with {name}")


_KNOWN = {
    kind.__name__: kind for kind in (Measured, Measurement, ScenarioCounts, ClassSizes, Totals, SensitiveFacts, LinkedRecords, Statement)
}


def measured_near(run: "Run", layout: Layout) -> Measured | None:
    """Return what one worker of the engine measured; None where there is no such worker, or too much for one."""
    engine, roles = run.engine, run.roles
    # These are counted from more than `record`.
    beside = roles.weight is not None or roles.household is not None or run.outside.population is not None
    if beside or run.kept is not None or not run.chosen.attributes:
        return None
    found = engine.near(_selected(layout), LIMIT, __name__, measure.__name__, pickle.dumps((run.apart(), layout)))
    if found is None:
        return None
    try:
        measured = _Results(BytesIO(found)).load()
    except pickle.UnpicklingError:
        raise EngineError(f"A worker of {engine.title} answered with something else than measurements.") from None
    if isinstance(measured, AnonscopeError):
        raise measured
    assert isinstance(measured, Measured)
    return measured


def measure(table: Any, processors: int, given: bytes) -> bytes:
    """Return what is measured of counts that a worker was handed, as bytes; it is called there."""
    from anonscope.engines.duckdb import DuckDB

    run, layout = pickle.loads(given)  # noqa: S301 - it comes from whoever runs the work
    engine = DuckDB(threads=processors)
    try:
        _open(engine, table, layout)
        run.engine = engine
        found: Measured | AnonscopeError = replace(run.measured(layout), statements=engine.statements)
    except AnonscopeError as error:
        found = error
    finally:
        engine.close()
    return pickle.dumps(found)


def _keys(layout: Layout) -> list[str]:
    return [*(f"w{word}" for word in range(layout.words)), *other_columns(layout), "n"]


def _selected(layout: Layout) -> str:
    """Return one SELECT of two tables: `record`, and what `dictionary` knows of sensitive attributes."""
    keys, first = _keys(layout), len(layout.attributes)
    known = ["CAST(attribute AS BIGINT)", "CAST(code AS BIGINT)", *("CAST(0 AS BIGINT)" for _ in keys[2:]), "v"]
    named = ", ".join(f"{column} AS {key}" for column, key in zip(known, [*keys, "v"], strict=True))
    counted = ", ".join(f"CAST({key} AS BIGINT) AS {key}" for key in keys)
    return (
        f"SELECT 0 AS part, {counted}, CAST(NULL AS VARCHAR) AS v FROM record UNION ALL "
        f"SELECT 1 AS part, {named} FROM dictionary WHERE attribute >= {first} AND attribute < {first + len(layout.sensitive)}"
    )


def _open(engine: "Engine", table: Any, layout: Layout) -> None:
    """Make both tables of what was handed over."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = _keys(layout)
    told, counted = (table.filter(pc.equal(table.column("part"), part)) for part in (1, 0))
    engine.register("dictionary", pa.table({"attribute": told.column(keys[0]), "code": told.column(keys[1]), "v": told.column("v")}))
    engine.keep("record", f"SELECT {', '.join(keys)} FROM record", {key: counted.column(key).to_numpy() for key in keys})
