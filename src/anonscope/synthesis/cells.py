"""From records to cells of the declared domain, on the engine where the data is, with no more records of a unit than are allowed.

`cell_table` stores one row a record that counts: k0, k1, ... are the cells of the domain's columns in their order, v0, v1, ... the
numbers of those that were asked for, moved into their bounds. A record with a value that has no place in the domain, or without the id
of its person, is left out: whatever other people's records are, so that one person changes no more than their own rows.
"""

from collections.abc import Sequence

from anonscope.engines import Engine
from anonscope.engines.duckdb import UnreadableLine
from anonscope.engines.statements import few_pairs
from anonscope.engines.values import canonical, number
from anonscope.errors import ColumnNotFound, DomainError, shown
from anonscope.io.sources import Relation
from anonscope.io.sources.unreadable import unreadable
from anonscope.synthesis.domain import Categories, Dates, DeclaredColumn, Domain, Numbers

CELLS = "domain_cells"  # the name under which they are stored


def cell_table(
    engine: Engine, relation: Relation, domain: Domain, *, values: Sequence[str] = (), rows: int | None = None, name: str = CELLS
) -> str:
    """Store the cells of all records that count, and return the name of the table: k0.. by column, v0.. by `values`."""
    check_columns(relation, domain)
    staged = f"{name}_text"
    columns = [*domain.names, *([domain.unit] if domain.unit is not None else [])]
    places = [relation.position(column) for column in columns]
    typed = [(f"c{i}", relation.columns[i].type, relation.columns[i].name) for i in places]
    taken = {
        **{f"t{j}": canonical(*typed[j]) for j, column in enumerate(domain.columns) if not isinstance(column, Numbers)},
        **{f"x{j}": number(*typed[j]) for j, column in enumerate(domain.columns) if isinstance(column, Numbers)},
        **({"u": canonical(*typed[-1])} if domain.unit is not None else {}),
    }
    if relation.delimited:
        # A column that is read as a number only is converted by the reader itself, which stops at the first text that is none.
        taken |= {f"r{j}": typed[j][0] for j, column in enumerate(domain.columns) if isinstance(column, Numbers)}
    limit = f" LIMIT {rows}" if rows is not None else ""
    select = f"SELECT {', '.join(f'{sql} AS {alias}' for alias, sql in taken.items())} FROM {relation.origin}{limit}"
    if relation.stage or rows is not None:
        try:
            engine.stage(staged, select, large=relation.large and rows is None, ordered=rows is not None)
        except UnreadableLine as error:
            raise unreadable(relation, error) from None
    else:
        engine.define(staged, select)
    cells = [f"{_cell(engine, column, j, name)} AS k{j}" for j, column in enumerate(domain.columns)]
    cells += [f"{_clamped(domain, column)} AS v{i}" for i, column in enumerate(values)]
    cells += ["u"] if domain.unit is not None else []
    wanted = [f"NOT k{j} IS NULL" for j, column in enumerate(domain.columns) if _may_have_no_place(column)]
    wanted += ["NOT u IS NULL"] if domain.unit is not None else []
    where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
    placed = f"SELECT * FROM (SELECT {', '.join(cells)} FROM {staged}) AS p{where}"
    kept = ", ".join([*(f"k{j}" for j in range(len(domain.columns))), *(f"v{i}" for i in range(len(values)))])
    if domain.unit is None:
        engine.materialise(name, f"SELECT {kept} FROM ({placed}) AS q")
        return name
    # Which records of a unit count depends on its own records alone; a digest, so that no kind of record is favoured.
    # Numbers in their canonical text, which is the same on every engine, so that all of them choose the same records.
    texts = [f"CAST(k{j} AS VARCHAR)" for j in range(len(domain.columns))]
    texts += [canonical(f"v{i}", "DOUBLE", column) for i, column in enumerate(values)]
    told = " || '|' || ".join(["u", *(f"COALESCE({text}, '')" for text in texts)])
    ranked = f"SELECT {kept}, u, ROW_NUMBER() OVER (PARTITION BY u ORDER BY MD5({told})) AS r FROM ({placed}) AS q"
    engine.materialise(name, f"SELECT {kept}, u FROM ({ranked}) AS s WHERE r <= {domain.records_per_unit}")
    return name


def check_columns(relation: Relation, domain: Domain) -> None:
    """Raise unless the table has every column of the domain."""
    for column in [*domain.names, *([domain.unit] if domain.unit is not None else [])]:
        if column not in relation.names:
            raise ColumnNotFound(column, relation.names)


def _may_have_no_place(column: DeclaredColumn) -> bool:
    return not column.missing


def _cell(engine: Engine, column: DeclaredColumn, j: int, name: str) -> str:
    """Return the SQL for the cell of a column; NULL where a value has no place."""
    missing = str(column.present) if column.missing else "NULL"
    if isinstance(column, Categories):
        pairs = {label: str(code) for code, label in enumerate(column.categories)}
        text = f"t{j}"
        found = f"CAST({_looked_up(engine, f'{name}_{j}', text, pairs)} AS INTEGER)"
        if column.other is not None:
            return f"CASE WHEN {text} IS NULL THEN {missing} ELSE COALESCE({found}, {len(column.categories)}) END"
        return f"COALESCE({found}, {missing})" if column.missing else found
    if isinstance(column, Numbers):
        bins = _between([repr(start) for start in column.starts], f"x{j}", lambda edge: f"CAST({edge} AS DOUBLE)")
        return f"CASE WHEN x{j} IS NULL THEN {missing} ELSE {bins} END"
    assert isinstance(column, Dates), "there is no other kind"
    # Dates of the same form are in the order of their texts, on every engine; what does not look like one has no place. It is not cast:
    # an engine that stops at a bad date would tell of one.
    day = f"SUBSTRING(t{j}, 1, 10)"
    bins = _between([start.isoformat() for start in column.starts], day, engine.text)
    return f"CASE WHEN {looks_like_a_date(f't{j}')} THEN {bins} ELSE {missing} END"


def looks_like_a_date(text: str) -> str:
    """Return the SQL that tells whether a text begins like 2020-01-31."""
    return f"({text} LIKE '____-__-__%' AND {text} >= '0' AND {text} < ':')"


def _looked_up(engine: Engine, name: str, text: str, pairs: dict[str, str]) -> str:
    return few_pairs(text, pairs, engine.text) if engine.remote else engine.lookup(name, text, pairs)


def _between(starts: Sequence[str], value: str, quoted: object, first: int = 0) -> str:
    """Return the SQL for the number of the last start that is not above a value, by halves; 0 below all of them."""
    assert callable(quoted), "it makes a literal"
    if len(starts) == 1:
        return str(first)
    middle = len(starts) // 2
    lower = _between(starts[:middle], value, quoted, first)
    upper = _between(starts[middle:], value, quoted, first + middle)
    return f"CASE WHEN {value} < {quoted(starts[middle])} THEN {lower} ELSE {upper} END"


def _clamped(domain: Domain, name: str) -> str:
    """Return the SQL for a number moved into its bounds; NULL where there is none."""
    column = domain.column(name)
    if not isinstance(column, Numbers):
        raise DomainError(f"Column {shown(name)} has {column.kind} in the domain; this needs numbers with lower and upper.")
    x = f"x{domain.names.index(name)}"
    return f"CASE WHEN {x} IS NULL THEN NULL ELSE LEAST(GREATEST({x}, {column.lower!r}), {column.upper!r}) END"
