"""Carry a SELECT from DuckDB's dialect into another one.

sqlglot does the carrying. What it passes on unchanged though other engines read it differently is settled here: what counts as a
number in text, what is not a number, how a floating point number is written, and under which name a table of ours is known.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlglot import exp

# What counts as a number in text. A leading zero makes it a code (a zip code, a diagnosis group), not a number.
NUMBER = r"^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$"
# These cannot say where NULL goes in an order. It does not matter: where NULL is ordered, something before it tells it apart.
_UNPLACED_NULLS = ("bigquery", "tsql")
# From here on engines write floating point numbers that are whole with an exponent, each in its own way.
_PLAIN = 10**15


def carried(sql: str, dialect: str, names: Mapping[str, str] | None = None) -> str:
    """Return a SELECT of ours in another dialect; `names` says what our tables are called there."""
    used = names or {}
    return _carried(sql, dialect, tuple(sorted(used.items())))


@lru_cache(maxsize=1024)
def _carried(sql: str, dialect: str, names: tuple[tuple[str, str], ...]) -> str:
    from sqlglot import ErrorLevel, parse_one

    tree = parse_one(sql, dialect="duckdb")
    _rename(tree, dict(names))
    tree = tree.transform(lambda node: _settled(node, dialect))
    # Some names of ours, such as `top` and `key`, are words of SQL Server's own.
    return tree.sql(dialect=dialect, unsupported_level=ErrorLevel.RAISE, identify=dialect == "tsql")


def _rename(tree: "exp.Expr", names: Mapping[str, str]) -> None:
    from sqlglot import exp

    for table in tree.find_all(exp.Table):
        if not table.db and (new := names.get(table.name)) is not None:
            if not table.alias:
                # Columns may be called by the name of their table.
                table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name)))
            table.set("this", exp.to_identifier(new))


def _settled(node: "exp.Expr", dialect: str) -> "exp.Expr":
    from sqlglot import exp

    def within(part: Any) -> Any:
        # What takes the place of a node is not looked into again.
        return part.transform(lambda inner: _settled(inner, dialect))

    if dialect == "spark":
        from anonscope.engines.spark.dialect import settled

        if (found := settled(node, within)) is not None:
            return found
    if isinstance(node, exp.RegexpReplace) and isinstance(node.this, exp.Cast) and isinstance(node.this.this, exp.Add):
        return _float_text(within(node.this.this.this), dialect)
    if isinstance(node, exp.TryCast) and node.to.is_type("double"):
        return _number(within(node.this))
    if isinstance(node, exp.Anonymous) and node.name.upper() == "ISFINITE":
        # Only numbers that were read from text as above are asked: then NULL is all that is not finite.
        return exp.Not(this=exp.Is(this=within(node.expressions[0]), expression=exp.Null()))
    if isinstance(node, exp.GroupConcat) and dialect == "sqlite" and isinstance(node.this, exp.Order):
        # No version before 3.44 can be told an order of what is gathered, so that a function of ours does it.
        return exp.Anonymous(this="GATHERED", expressions=[within(node.this.this), node.args["separator"]])
    if isinstance(node, exp.RegexpLike) and dialect == "snowflake":
        return _found(node, within)
    if isinstance(node, exp.Ordered) and dialect in _UNPLACED_NULLS:
        node.set("nulls_first", not node.args.get("desc"))
    if isinstance(node, exp.IsNan):
        ask = _IS_NAN.get(dialect)
        return exp.IsNan(this=within(node.this)) if ask is None else ask(within(node.this))
    return node


def _float_text(value: "exp.Expression", dialect: str) -> "exp.Expression":
    """Return the text of a floating point number: whole ones without a point, as DuckDB has them once '.0' is cut off."""
    from sqlglot import exp

    small = exp.LT(this=exp.Abs(this=value.copy()), expression=exp.cast(exp.Literal.number(_PLAIN), "DOUBLE"))
    whole = exp.EQ(this=value.copy(), expression=exp.cast(exp.cast(value.copy(), "BIGINT"), "DOUBLE"))
    plain = exp.Case().when(whole, exp.cast(exp.cast(value.copy(), "BIGINT"), "TEXT")).else_(_digits(value, dialect))
    # The cast to a whole number overflows for large ones, so their size is asked first.
    return exp.Case().when(small, plain).else_(_digits(value, dialect))


def _digits(value: "exp.Expression", dialect: str) -> "exp.Expression":
    """Return the text of a number with all its digits: SQL Server keeps six by itself, which makes one text of many numbers."""
    from sqlglot import exp

    if dialect == "tsql":
        return exp.Convert(this=exp.DataType.build("VARCHAR(MAX)", dialect="tsql"), expression=value.copy(), style=exp.Literal.number(3))
    return exp.cast(value.copy(), "TEXT")


def _found(node: "exp.RegexpLike", within: Callable[[Any], Any]) -> "exp.Expression":
    """Return whether a pattern is found anywhere in a text; Snowflake's own REGEXP_LIKE asks whether it is all of it."""
    from sqlglot import exp

    place = exp.Anonymous(this="REGEXP_INSTR", expressions=[within(node.this), node.expression.copy()])
    return exp.GT(this=place, expression=exp.Literal.number(0))


def _number(value: "exp.Expression") -> "exp.Expression":
    """Return text as a number, by our own rule: engines differ on '1d', '0x1f' and 'inf', and some cannot try a cast."""
    from sqlglot import exp

    readable = exp.RegexpLike(this=exp.cast(value.copy(), "TEXT"), expression=exp.Literal.string(NUMBER))
    return exp.Case().when(readable, exp.cast(value.copy(), "DOUBLE")).else_(exp.Null())


def _equals_nan(value: "exp.Expression") -> "exp.Expression":
    from sqlglot import exp

    return exp.EQ(this=value.copy(), expression=exp.cast(exp.Literal.string("NaN"), "DOUBLE"))


def _never(value: "exp.Expression") -> "exp.Expression":
    from sqlglot import exp

    # These engines store no NaN: it became NULL when it was written.
    return exp.EQ(this=exp.Literal.number(1), expression=exp.Literal.number(0))


_IS_NAN: "dict[str, Callable[[exp.Expression], exp.Expression]]" = {
    "postgres": _equals_nan,
    "snowflake": _equals_nan,
    "sqlite": _never,
    "tsql": _never,
}
