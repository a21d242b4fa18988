"""What Spark calls otherwise than DuckDB, or reads otherwise under the same name, beyond what sqlglot carries over by itself.

Some of it takes a line of SQL in which the value occurs many times. These are functions of the session: Spark puts them in where
they are called, but computes what they are called with once.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anonscope.engines.dialect import NUMBER
from anonscope.engines.spark.java_pattern import java_pattern, java_replacement

if TYPE_CHECKING:
    from sqlglot import exp

_TEXT, _FLOOR = "ANONSCOPE_NUMBER_TEXT", "ANONSCOPE_FLOOR"
# Java writes 1.0E20, 1.23456789E7 and 1.0E-4 where DuckDB writes 1e+20, 12345678.9 and 0.0001.
_EXPONENT = "CAST(SUBSTRING_INDEX(t, 'E', -1) AS INT)"
_MANTISSA = r"REGEXP_REPLACE(SUBSTRING_INDEX(t, 'E', 1), '\\.0\\z', '')"
_WRITTEN_OUT = r"REGEXP_REPLACE(CAST(CAST(t AS DECIMAL(38, 21)) AS STRING), '\\.?0+\\z', '')"
_WITH_EXPONENT = (
    f"CONCAT({_MANTISSA}, 'e', CASE WHEN {_EXPONENT} < 0 THEN '-' ELSE '+' END, "
    f"LPAD(CAST(ABS({_EXPONENT}) AS STRING), GREATEST(2, LENGTH(CAST(ABS({_EXPONENT}) AS STRING))), '0'))"
)
_FUNCTIONS = {
    # The text of a floating point number, given the one that Spark has for it.
    _TEXT: f"(t STRING) RETURNS STRING RETURN CASE t WHEN 'Infinity' THEN 'inf' WHEN '-Infinity' THEN '-inf' WHEN '-0.0' THEN '0' ELSE "
    rf"CASE WHEN NOT CONTAINS(t, 'E') THEN REGEXP_REPLACE(t, '\\.0\\z', '') "
    f"WHEN {_EXPONENT} BETWEEN -4 AND 15 THEN {_WRITTEN_OUT} ELSE {_WITH_EXPONENT} END END",
    # Spark's own gives a whole number of 64 bits, and for a larger one the largest of these. From 2^53 on all are whole.
    _FLOOR: f"(x DOUBLE) RETURNS DOUBLE RETURN CASE WHEN ABS(x) < CAST({2**53} AS DOUBLE) THEN CAST(FLOOR(x) AS DOUBLE) ELSE x END",
}
_WEEK = "%G-W%V"


def definitions(statement: str) -> dict[str, str]:
    """Return, by name, what makes the functions that a statement of Spark's dialect calls."""
    return {name: f"CREATE OR REPLACE TEMPORARY FUNCTION {name}{body}" for name, body in _FUNCTIONS.items() if f"{name}(" in statement}


def settled(node: "exp.Expr", within: Callable[[Any], Any]) -> "exp.Expr | None":
    """Return what stands on Spark for a part of a statement, its own parts settled by `within`; None where nothing else does."""
    from sqlglot import exp

    if isinstance(node, exp.RegexpReplace) and isinstance(node.this, exp.Cast) and isinstance(node.this.this, exp.Add):
        return exp.func(_TEXT, exp.cast(within(node.this.this.this), "TEXT"))
    if isinstance(node, exp.RegexpLike | exp.RegexpReplace) and isinstance(node.expression, exp.Literal):
        return _pattern(node, within)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "HASH":
        # Spark's own of that name has 32 bits.
        return exp.func("XXHASH64", *(within(part) for part in node.expressions))
    if isinstance(node, exp.Floor):
        return exp.func(_FLOOR, within(node.this))
    if isinstance(node, exp.TimeToStr) and node.args["format"].name == _WEEK:
        return _week(within(node.this))
    if isinstance(node, exp.Cast) and isinstance(node.this, exp.DPipe) and node.this.this.name == "0x":
        return exp.cast(exp.func("CONV", within(node.this.expression), exp.Literal.number(16), exp.Literal.number(10)), "BIGINT")
    if isinstance(node, exp.ToDays):
        return exp.func("MAKE_DT_INTERVAL", within(node.this))
    if isinstance(node, exp.TryCast) and node.to.is_type("double"):
        return _number(within(node.this))
    return None


def _pattern(node: Any, within: Callable[[Any], Any]) -> "exp.Expr | None":
    from sqlglot import exp

    pattern = java_pattern(node.expression.name)
    if pattern is None:
        return None
    if isinstance(node, exp.RegexpLike):
        return exp.RegexpLike(this=within(node.this), expression=exp.Literal.string(pattern))
    # Spark replaces all matches, which is also what we ask for; where we do not, there can be one only.
    replacement = exp.Literal.string(java_replacement(node.args["replacement"].name))
    return exp.RegexpReplace(this=within(node.this), expression=exp.Literal.string(pattern), replacement=replacement)


def _number(value: "exp.Expr") -> "exp.Expr":
    """Return text as a number, NULL where it is none, and where it is too large to be one."""
    from sqlglot import exp

    number, endless = exp.cast(value, "DOUBLE"), exp.cast(exp.Literal.string("Infinity"), "DOUBLE")
    readable = exp.RegexpLike(this=exp.cast(value.copy(), "TEXT"), expression=exp.Literal.string(java_pattern(NUMBER)))
    finite = exp.LT(this=exp.Abs(this=number.copy()), expression=endless)
    return exp.Case().when(readable, exp.Case().when(finite, number).else_(exp.Null())).else_(exp.Null())


def _week(day: "exp.Expr") -> "exp.Expr":
    """Return the week of a day with its year, 2019-W05; Spark has no letters for these."""
    from sqlglot import exp

    def digits(part: str, count: int) -> "exp.Expr":
        number = exp.Extract(this=exp.var(part), expression=day.copy())
        return exp.func("LPAD", exp.cast(number, "TEXT"), exp.Literal.number(count), exp.Literal.string("0"))

    return exp.func("CONCAT", digits("YEAROFWEEK", 4), exp.Literal.string("-W"), digits("WEEK", 2), dialect="spark")
