"""What is to be said of a release beside its counts: values that took another form, and what the order of its records tells."""

from collections.abc import Iterator, Sequence

from anonscope.engines import Engine
from anonscope.errors import shown
from anonscope.io.sources import Relation
from anonscope.transform.carry_out import Changes
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps.sort_records import SortRecords

# Fewer values may rise by chance.
_ENOUGH = 20
# Nearly every column is told to be in no order by so many records.
_FIRST = 1_000
_NESTED = ("STRUCT", "MAP", "UNION", "[]", "BLOB", "BOOLEAN")


def forms_note(changes: Changes) -> list[str]:
    """Return what to say of values that took another form, if there are any."""
    if not changes.one_form:
        return []
    listed = ", ".join(repr(column) for column in changes.one_form)
    return [f"In {listed} empty text and NaN became missing values, and minus zero became 0: not every file could tell them apart."]


def order_note(
    recipe: Recipe, engine: Engine, relation: Relation, rows: int | None, columns: Sequence[str], known: dict[str, bool]
) -> tuple[str, ...]:
    """Return what to say where the records stand in the order of columns that a release does not have, or not as they were.

    What was found is `known` to whoever asks again.
    """
    if any(isinstance(step, SortRecords) for step in recipe.steps):
        return ()
    for column in columns:
        if column not in known:
            known[column] = in_order(engine, relation, column, rows)
    if not (told := [column for column in columns if known[column]]):
        return ()
    named = ", ".join(map(shown, told))
    return (
        f"The records stand in the order of {named}, which the release does not have as it was: whoever knows that order knows whose "
        "line is whose. Before it goes out, add the step sort_records to its recipe (recipe.toml in its archive), and apply that to the "
        "table.",
    )


def in_order(engine: Engine, relation: Relation, column: str, rows: int | None = None) -> bool:
    """Whether the values of a column rise or fall strictly with the records: as they are or, of texts, by their digits."""
    # Where records stay elsewhere they have no order.
    return not engine.remote and any(
        _strict(engine, relation, key, min(_FIRST, rows or _FIRST)) and _strict(engine, relation, key, rows)
        for key in _keys(relation, column)
    )


def _keys(relation: Relation, column: str) -> Iterator[str]:
    position = relation.position(column)
    kind = relation.columns[position].type
    if any(word in kind for word in _NESTED):
        return
    yield f"c{position}"
    if kind == "VARCHAR":
        # P9 comes before P10, though not as a text.
        yield f"TRY_CAST(REGEXP_REPLACE(c{position}, '[^0-9]', '', 'g') AS DOUBLE)"


def _strict(engine: Engine, relation: Relation, key: str, rows: int | None) -> bool:
    import pyarrow.compute as pc

    limit = f" LIMIT {rows}" if rows is not None else ""
    values = engine.batches(f"SELECT {key} AS x FROM {relation.origin}{limit}").read_all().column(0).combine_chunks().drop_null()
    if len(values) < _ENOUGH:
        return False
    before, after = values[:-1], values[1:]
    return bool(pc.all(pc.less(before, after)).as_py() or pc.all(pc.greater(before, after)).as_py())
