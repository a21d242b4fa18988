"""Entropy profiles: the few sums that every information-theoretic metric is a function of.

One SELECT gives the profiles of one scope: the whole quasi-identifier, every attribute, or every pair of attributes. Where
every record is its own person, the entropy of a class of f records is log f and nothing but class sizes is needed.
"""

from collections.abc import Iterator, Sequence
from math import log
from typing import Any, Literal

from anonscope.engines import Engine
from anonscope.risk.metrics.metric import Counted, EntropyProfile, Measurement, Reading, Scope, TableMetric

Target = Literal["record", "person", "value"]
NOTHING_TO_LEARN = "there is only one possible answer, so nothing can be learnt: 0 / 0"

# Over m classes each that have class_n records, an entropy h in nats, and a largest share `top` of one target.
OVER_CLASSES = "CAST(SUM(m) AS BIGINT), SUM(m * class_n * h) / MIN(total_n), MIN(class_n * h) / MIN(total_n), MIN(h), MAX(top)"
_OF_RECORDS = "k.n AS class_n, w.n AS total_n, LN(CAST(k.n AS DOUBLE)) AS h, 1 / CAST(k.n AS DOUBLE) AS top"
_PLACE: dict[Scope, tuple[str, ...]] = {"whole": (), "each": ("attribute",), "pair": ("attribute", "other")}
_CLASS: dict[Scope, tuple[str, ...]] = {"whole": ("q",), "each": ("a",), "pair": ("a", "b")}
_CLASSES: dict[Scope, str] = {"whole": "class", "each": "attribute_class", "pair": "couple_class"}
_PARTS: dict[tuple[Scope, Target], str] = {
    ("each", "person"): "attribute_pair",
    ("each", "value"): "attribute_cell",
    ("pair", "person"): "couple_person",
    ("pair", "value"): "couple_cell",
}


def profiles(engine: Engine, scope: Scope, target: Target, entropy: float) -> dict[tuple[int, ...], EntropyProfile]:
    """Return the profile of every attribute (or pair) by its number (or numbers); of the whole by the empty tuple."""
    place = ", ".join(_PLACE[scope])
    grouped = f" GROUP BY {place}" if place else ""
    rows = engine.rows(f"SELECT {place}{', ' if place else ''}{OVER_CLASSES} FROM ({_of_classes(scope, target)}) AS y{grouped}")
    width = len(_PLACE[scope])
    return {tuple(row[:width]): profile(row[width:], entropy) for row in rows}


def profile(row: Sequence[Any], entropy: float) -> EntropyProfile:
    """Return a row of OVER_CLASSES in bits."""
    classes, conditional, smallest_share, smallest, posterior = row
    return EntropyProfile(classes, entropy, conditional / log(2), smallest_share / log(2), smallest / log(2), posterior)


def measurements(
    metrics: Sequence[TableMetric],
    found: EntropyProfile,
    reading: Reading,
    *,
    scope: Scope,
    scenario: str,
    attributes: tuple[str, ...] | None = None,
    sensitive: str | None = None,
    level: Counted = "record",
) -> Iterator[Measurement]:
    """Yield what the metrics of a scope make of a profile."""
    for metric in metrics:
        for formula in metric.formulas:
            if formula.reading == reading and scope in metric.scopes:
                value = formula.measure(found)
                yield Measurement(
                    metric=metric.name,
                    scenario=scenario,
                    attributes=attributes,
                    sensitive=sensitive,
                    variant=formula.variant,
                    level=level,
                    value=value,
                    status="measured" if value is not None else "not measured",
                    reason=None if value is not None else NOTHING_TO_LEARN,
                )


def _of_classes(scope: Scope, target: Target) -> str:
    keys = (*_PLACE[scope], *_CLASS[scope])
    if target == "record" and scope == "whole":
        return f"SELECT k.m, {_OF_RECORDS} FROM class_size AS k CROSS JOIN total AS w"
    if target == "person" and scope == "whole":
        return (
            "SELECT x.q, MIN(x.m) AS m, MIN(x.class_n) AS class_n, MIN(w.n) AS total_n, "
            "SUM(x.n * LN(x.class_n / CAST(x.n AS DOUBLE))) / MIN(x.class_n) AS h, MAX(x.n / CAST(x.class_n AS DOUBLE)) AS top "
            "FROM kind_pair AS x CROSS JOIN total AS w GROUP BY x.q"
        )
    if target == "record":
        return f"SELECT {', '.join(f'k.{key}' for key in keys)}, 1 AS m, {_OF_RECORDS} FROM {_CLASSES[scope]} AS k CROSS JOIN total AS w"
    listed = ", ".join(f"x.{key}" for key in keys)
    same = " AND ".join(f"x.{key} = k.{key}" for key in keys)
    # LN(class / part) is exactly 0 for a class that is one part, so certainty comes out without rounding.
    return (
        f"SELECT {listed}, 1 AS m, MIN(k.n) AS class_n, MIN(w.n) AS total_n, SUM(x.n * LN(k.n / CAST(x.n AS DOUBLE))) / MIN(k.n) AS h, "
        f"MAX(x.n / CAST(k.n AS DOUBLE)) AS top FROM {_PARTS[scope, target]} AS x JOIN {_CLASSES[scope]} AS k ON {same} "
        f"CROSS JOIN total AS w GROUP BY {listed}"
    )
