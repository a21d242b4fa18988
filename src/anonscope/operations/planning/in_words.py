"""What a recoding does to columns, as people say it."""

from collections.abc import Mapping, Sequence

from anonscope.columns.hierarchy import Hierarchy
from anonscope.io.figures import different, per_cent
from anonscope.io.rounding import LEFT_OVER
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import Verdict

# A level that this share of the records is at stands for the column.
_ALL = 0.999
_IN, _RECORDS = " in ", " % of the records"
_LETTERS = ("k", "l", "t")  # what everybody calls them; other rules are named in words
_SHOWN = ("k_anonymity", "l_diversity", "t_closeness", "correlation")


def level_words(column: str, level: int, ladder: Hierarchy | None, height: int) -> str:
    """Return what a column becomes at a level: "age in bands of 20 years", "zip to its first 3 characters"."""
    if level == 0:
        return f"{column} as it is"
    if level >= height:
        return f"{column} hidden"
    words = ladder.words[level - 1] if ladder is not None and level <= len(ladder.words) else ""
    if not words:
        return f"{column} at level {level} of {height}"
    if words.startswith("in "):
        what, comma, how = words.partition(", ")
        return f"{column} {what} ({how})" if comma else f"{column} {words}"
    if words.startswith("first "):
        return f"{column} to its {words}"
    return f"{column} to {words.replace(', and all others', ' and all others')}" if words.startswith("the ") else f"{column}: {words}"


def main_level(shares: Sequence[float]) -> int:
    """Return the level that most records are at."""
    return max(range(len(shares)), key=lambda level: shares[level])


def becomes(column: str, shares: Sequence[float], ladder: Hierarchy | None) -> str:
    """Return what becomes of a column whose records are at these levels: "zip to its first 3 digits in 80 % of the records"."""
    most = main_level(shares)
    told = level_words(column, most, ladder, len(shares) - 1)
    if shares[most] >= _ALL or not any(shares):
        return told
    # Never all of them, when some are elsewhere.
    return f"{told}{_IN}{min(round(100 * shares[most]), 99)}{_RECORDS}"


def in_detail(column: str, shares: Sequence[float], ladder: Hierarchy | None) -> str:
    """Return which share of the records is at which level of a column: "in bands of 5 years (41 %), in bands of 10 years (59 %)"."""
    used = [level for level, share in enumerate(shares) if share > 0]
    told = [(level_words(column, level, ladder, len(shares) - 1).removeprefix(column).lstrip(": "), shares[level]) for level in used]
    if len(told) == 1:
        return told[0][0]
    return "; ".join(f"{words} ({per_cent(share)})" for words, share in told)


def without_suppressed(shares: Sequence[float], suppressed: float) -> list[float]:
    """Return the shares of the records that are not suppressed: those that are stand at the last level of every column."""
    left = [*shares[:-1], max(0.0, shares[-1] - suppressed)]
    return [share / (1 - suppressed) for share in left] if suppressed < 1 else list(shares)


def measured_words(verdict: Verdict) -> str:
    """Return what an audit of the release would show for the rules: "k = 11, t = 0.41, correlation 0.62"."""
    said: dict[str, str] = {}
    for result in verdict.rules:
        metric = METRICS[result.rule.metric]
        if result.value is not None and (metric.name in _SHOWN or not said):
            named = f"{metric.symbol} =" if metric.symbol in _LETTERS else metric.title[:1].lower() + metric.title[1:]
            said.setdefault(named, _number(result.value, result.rule.limit))
    return ", ".join(f"{named} {value}" for named, value in said.items())


def _number(value: float, limit: float) -> str:
    # What is left of nothing, added up.
    value = 0.0 if abs(value) < LEFT_OVER else value
    if value == int(value) and abs(value) < 1e15 and (abs(value) >= 2 or value == limit):
        return f"{int(value):,}"
    return f"{value:g}" if value == limit else different(value, limit)


def said_of(changes: Mapping[str, str], *, suppressed: float, verdict: Verdict, loss: float) -> str:
    """Return a release in one sentence."""
    partly = [words for words in changes.values() if f" as it is{_IN}" in words]
    changed = [words for words in changes.values() if words not in partly and not words.endswith(" as it is")]
    several = "the rest as it is in most records" if changed else "columns as they are in most records"
    rest = [several if len(partly) > 1 else partly[0]] if partly else []
    what = ", ".join(_shortened([*changed, *rest])) if changed or rest else "every column as it is"
    gone = f", {per_cent(suppressed)} of the records suppressed" if suppressed else ""
    return f"{what}{gone}: {measured_words(verdict)}, {per_cent(loss)} of the detail lost"


def _shortened(told: Sequence[str]) -> list[str]:
    """Return what becomes of columns, in which "of the records" is said once."""
    first = next((i for i, words in enumerate(told) if words.endswith(_RECORDS)), len(told))
    return [words.removesuffix(_RECORDS.removeprefix(" %")) if i > first else words for i, words in enumerate(told)]
