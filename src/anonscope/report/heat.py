"""Versions by scores as one heat map: rules, then the risk of the worst record, score by score (SCORR's figures 8 to 10)."""

from collections.abc import Iterator, Sequence

from anonscope.report import words
from anonscope.report.charts.scales import fitting
from anonscope.report.charts.versions import Rows, Square, versions
from anonscope.report.sheet import Cell, Section
from anonscope.risk.findings import Findings
from anonscope.risk.metrics import METRICS, Measurement
from anonscope.risk.policy import RuleResult

# Scores from 0 to 1, in the order in which they are shown; those that stay near 1 for almost every table have no level.
_SHOWN = ("uniqueness", "uniformity", "correlation", "markov", "markov_chain", "itpr")
_UNLEVELLED = ("markov", "markov_chain", "itpr")
_MOST_SENSITIVE = 3  # with panels of their own; the table has all
_Key = tuple[str, tuple[str, ...] | None, str | None, str | None]
_Found = Sequence[dict[_Key, Measurement]]


def heat_section(shown: Sequence[tuple[str, Findings]]) -> Section:
    """Return one row a score and one column a version; what was not measured has no colour, and says so."""
    names, measured = [name for name, _ in shown], [_worst(findings) for _, findings in shown]
    keys = sorted(dict.fromkeys(key for found in measured for key in found), key=_order)
    rows = tuple((Cell(_title(key)), *(_cell(found.get(key)) for found in measured)) for key in keys)
    note = (
        "The worst record of each, of several attackers the worst: low up to 0.33, medium up to 0.66, high above. Scores without a level "
        "are near 1 for almost every table, and no verdict rests on them."
    )
    panels = [_rules(shown), *_panels(names, measured, keys)]
    sensitive = list(dict.fromkeys(key[2] for key in keys if key[2] is not None))
    left = f"Of {len(sensitive)} sensitive attributes the {_MOST_SENSITIVE} most at risk." if len(sensitive) > _MOST_SENSITIVE else ""
    return Section("Scores of every version", ("score", *names), rows, note, versions(names, panels, left), folded=True)


def _rules(shown: Sequence[tuple[str, Findings]]) -> Rows:
    """Return the rules of the policy with the value of every version: broken ones stand out, limits stand beside the names."""
    asked = list(dict.fromkeys(result.rule for _, findings in shown for result in findings.verdict.rules))
    lines = []
    for rule in asked:
        found = [next((r for r in findings.verdict.rules if r.rule == rule), None) for _, findings in shown]
        limit = next((words.limit(result) for result in found if result is not None), rule.limit_text)
        name = f"{METRICS[rule.metric].title} {limit}"
        lines.append((name, tuple(_judged(version, name, result) for (version, _), result in zip(shown, found, strict=True))))
    return Rows("The policy's rules, with their limits", tuple(lines), ordered=True)


def _judged(version: str, name: str, result: RuleResult | None) -> Square:
    if result is None or result.value is None:
        return Square(None, None, f"{version}, {name}: not measured")
    tone = {"pass": "low", "fail": "high"}.get(result.status)
    return Square(result.value, tone, f"{version}, {name}: {words.measured(result)}, {words.MET[result.status]}")


def _panels(names: Sequence[str], measured: _Found, keys: Sequence[_Key]) -> Iterator[Rows]:
    """Yield what the whole combination tells, then a panel for each score of each attribute on its own."""

    def line(key: _Key, name: str) -> tuple[str, tuple[Square, ...]]:
        return name, tuple(_square(version, key, found.get(key)) for version, found in zip(names, measured, strict=True))

    told = _most_at_risk(measured, keys)
    whole = [key for key in keys if key[1] is None and key[2] in told]
    yield Rows("All quasi-identifiers together", tuple(line(key, _short(key)) for key in whole), ordered=True)
    kinds = dict.fromkeys((key[0], key[2], key[3]) for key in keys if key[1] is not None and key[2] in told)
    for metric, sensitive, variant in kinds:
        about = f" and {sensitive}" if sensitive else ""
        title = f"{METRICS[metric].title}: each attribute{fitting(about, 60)}{f' ({variant})' if variant else ''}"
        chosen = [key for key in keys if key[1] is not None and (key[0], key[2], key[3]) == (metric, sensitive, variant)]
        yield Rows(title, tuple(line(key, key[1][0]) for key in chosen if key[1]))


def _most_at_risk(measured: _Found, keys: Sequence[_Key]) -> set[str | None]:
    """Return the sensitive attributes that have panels, and None for scores that are about none."""
    highest: dict[str, float] = {}
    for key in keys:
        if key[2] is not None and key[0] in ("correlation", "markov"):
            values = [1.0 if (value := _value(found[key])) is None else value for found in measured if key in found]
            highest[key[2]] = max(highest.get(key[2], 0.0), sum(values) / max(len(values), 1))
    return {None, *sorted(highest, key=lambda name: -highest[name])[:_MOST_SENSITIVE]}


def _square(version: str, key: _Key, m: Measurement | None) -> Square:
    value = _value(m) if m is not None else None
    if value is None:
        return Square(None, None, f"{version}, {_title(key)}: not measured")
    if key[0] in _UNLEVELLED:
        return Square(value, None, f"{version}, {_title(key)}: {words.number(value)}")
    level = words.risk_level(value)
    return Square(value, words.TONES[level], f"{version}, {_title(key)}: {words.number(value)} {level}")


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


def _short(key: _Key) -> str:
    """Return the name of a score of the whole combination, for a narrow line."""
    metric, _, sensitive, variant = key
    title = {"itpr": "Privacy risk", "markov": "Markov model", "markov_chain": "Markov chain"}.get(metric, METRICS[metric].title)
    about = {"re-identification": "identity"}.get(variant or "", variant)
    return f"{title}: {sensitive}" if sensitive else f"{title}: {about}" if about else title


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
