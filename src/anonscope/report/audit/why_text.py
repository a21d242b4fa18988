"""The reasons behind a verdict as sentences and rows, shared by every kind of report."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from anonscope.io.figures import decimals
from anonscope.io.rounding import plain
from anonscope.report import words
from anonscope.risk.explain.next_steps import Advice, Step
from anonscope.risk.explain.why import Why
from anonscope.risk.metrics import METRICS

_SHOWN = 3  # steps for each rule; JSON has all


@dataclass(frozen=True, slots=True)
class BlameBar:
    """One attribute's part of the records at risk."""

    attribute: str
    share: str
    width: float  # of the widest bar
    records: str
    without: str
    unique_without: str


@dataclass(frozen=True, slots=True)
class RuleAdvice:
    """What breaks one rule, and what helps."""

    label: str
    cause: str
    steps: tuple[str, ...]


def bars(why: Why) -> tuple[BlameBar, ...]:
    """Return the attributes, most to blame first."""
    widest = max((blame.share for blame in why.blame.attributes), default=0) or 1
    return tuple(
        BlameBar(
            attribute=blame.attribute,
            share=words.share(max(blame.share, 0), 1),
            width=max(blame.share, 0) / widest,
            records=_amount(blame.shapley) + ("" if blame.low is None else f" ({_amount(blame.low)} to {_amount(blame.high or 0)})"),
            without=f"{blame.without:,}",
            unique_without=f"{blame.unique_without:,}",
        )
        for blame in why.blame.attributes
    )


def _amount(records: float) -> str:
    """Return a mean number of records: a decimal where it would be missed."""
    return decimals(records, 0) if records >= 100 else decimals(max(records, 0), 1)


def method(why: Why) -> str:
    """Return how the blame was computed."""
    counted = (
        f"of the {why.blame.at_risk:,} records in groups of fewer than {why.blame.limit}{' persons' if why.counted_in == 'person' else ''}"
    )
    if why.blame.orders is None:
        return f"Share {counted} that each attribute causes (Shapley values, exact)."
    return (
        f"Share {counted} that each attribute causes (Shapley values, estimated from {why.blame.orders} random orders with seed "
        f"{why.blame.seed}; 95 % intervals in brackets)."
    )


def rows(why: Why) -> list[list[str]]:
    """Return the attributes in numbers, most to blame first."""
    return [[bar.attribute, bar.records, bar.without, bar.unique_without] for bar in bars(why)]


def unique_sets(why: Why) -> tuple[tuple[str, str], ...]:
    """Return the sets that make most records unique, and how many."""
    return tuple((", ".join(s.attributes), f"{s.records:,}") for s in why.unique_sets)


def advice(why: Why) -> tuple[RuleAdvice, ...]:
    """Return cause and next steps of every failing rule."""
    return tuple(_advice(why, a) for a in why.next_steps)


def _advice(why: Why, a: Advice) -> RuleAdvice:
    cause = ""
    if a.records_failing is not None:
        # Groups are not told: those of several scenarios and attributes overlap, and their number would pass for one of people.
        cause = f"{_count(a.records_failing, 'record')} {'is' if a.records_failing == 1 else 'are'} in groups that break it."
    steps = tuple(_step(why, a, step) for step in a.steps[:_SHOWN]) or (
        (f"{(a.reason or '')[:1].upper()}{(a.reason or '')[1:]}.",) if a.reason else ()
    )
    return RuleAdvice(f"Not kept: {a.label}", cause, steps)


def _step(why: Why, a: Advice, step: Step) -> str:
    metric = METRICS[a.metric]
    changed = words.share(step.records_changed, why.rows)
    effect = "meets the rule" if step.meets else f"{_count(step.records_failing, 'record')} would still break it"
    taken = "of the records go" if step.kind == "suppress" else "of the records change"
    return f"{step.words[:1].upper()}{step.words[1:]}: {effect} ({metric.figure} = {words.number(step.value)}; {changed} {taken})."


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def lines(why: Why) -> Iterator[tuple[str, Any]]:
    """Yield the section in reading order: ('text', sentence), ('table', (header, rows)), ('heading', words), ('list', sentences)."""
    yield "list", why.sentences
    if why.blame.at_risk:
        yield "heading", "Which attributes are to blame"
        header = ["attribute", "share", "records", "fewer at risk without it", "fewer unique without it"]
        yield "table", (header, [[b.attribute, b.share, b.records, b.without, b.unique_without] for b in bars(why)])
        yield "text", method(why)
    if why.unique_sets:
        yield "heading", f"Smallest sets that single out most records (up to {_count(why.unique_up_to, 'attribute')})"
        yield "table", (["attributes", "records"], [list(row) for row in unique_sets(why)])
    if why.next_steps:
        yield "heading", "What each change alone would do"
        for a in advice(why):
            yield "text", f"{a.label}: {a.cause}".strip()
            yield "list", a.steps


def to_dict(why: Why) -> dict[str, Any]:
    """Return the reasons as plain data."""
    found: dict[str, Any] = plain({name: value for name, value in asdict(why).items() if name != "facts"})
    return found
