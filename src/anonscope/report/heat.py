"""Versions by scores as one heat map: the risk of the worst record in words and colour, score by score (SCORR's figures 8 to 10)."""

from collections.abc import Sequence

from anonscope.report import words
from anonscope.report.sheet import Cell, Section
from anonscope.risk.findings import Findings
from anonscope.risk.metrics import METRICS, Measurement

# Scores from 0 to 1, in the order in which they are shown; those that stay near 1 for almost every table have no level.
_SHOWN = ("uniqueness", "uniformity", "correlation", "markov", "markov_chain", "itpr")
_UNLEVELLED = ("markov", "markov_chain", "itpr")
_Key = tuple[str, tuple[str, ...] | None, str | None, str | None]


def heat_section(versions: Sequence[tuple[str, Findings]]) -> Section:
    """Return one row a score and one column a version; what was not measured has no colour, and says so."""
    measured = [_worst(findings) for _, findings in versions]
    keys = sorted(dict.fromkeys(key for found in measured for key in found), key=_order)
    rows = tuple((Cell(_title(key)), *(_cell(found.get(key)) for found in measured)) for key in keys)
    note = (
        "The worst record of each, of several attackers the worst: low up to 0.33, medium up to 0.66, high above. Scores without a level "
        "are near 1 for almost every table, and no verdict rests on them."
    )
    return Section("Scores of every version", ("score", *(name for name, _ in versions)), rows, note)


def _worst(findings: Findings) -> dict[_Key, Measurement]:
    """Return the worst measurement of every score over all attackers; one that was not measured is the worst."""
    worst: dict[_Key, Measurement] = {}
    for m in findings.measurements:
        if m.metric not in _SHOWN or m.level == "joined" or (m.attributes is not None and len(m.attributes) > 1):
            continue
        key = (m.metric, m.attributes, m.sensitive, m.variant)
        known = worst.get(key)
        if known is None or _value(m) is None or (_value(known) is not None and (_value(m) or 0) > (_value(known) or 0)):
            worst[key] = m
    return worst


def _order(key: _Key) -> tuple[int, bool]:
    return _SHOWN.index(key[0]), key[1] is not None


def _title(key: _Key) -> str:
    metric, attributes, sensitive, variant = key
    title = METRICS[metric].title
    title += f" of {attributes[0]}" if attributes else ""
    title += f" with {sensitive}" if sensitive else ""
    return f"{title} ({variant})" if variant else title


def _value(m: Measurement) -> float | None:
    return None if m.status != "measured" else m.max if m.max is not None else m.value


def _cell(m: Measurement | None) -> Cell:
    if m is None:
        return Cell("—")
    value = _value(m)
    if value is None:
        return Cell(m.status)
    if m.metric in _UNLEVELLED:
        return Cell(words.number(value))
    level = words.risk_level(value)
    return Cell(f"{words.number(value)} {level}", tone=words.TONES[level])
