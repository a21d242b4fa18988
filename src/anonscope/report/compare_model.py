"""What models still learn from releases, as a section."""

from collections.abc import Sequence

from anonscope.io.figures import decimals
from anonscope.operations.comparing.weighing import ComparedVersion
from anonscope.report.sheet import Section, row


def models_section(versions: Sequence[ComparedVersion]) -> Section:
    """Return what models learnt from the original and from each release."""
    rows, said = [], ""
    for v in versions:
        if v.model is None:
            continue
        learnt = f"Learnt on {v.model.trained_on:,} records, tested on {v.model.tested_on:,} of the original."
        said = f"Predicted: {v.model.target} ({v.model.task}). {learnt} In brackets the 95 % interval."
        for score in v.model.scores:
            before, after = _scored(score.original, score.original_interval), _scored(score.release, score.release_interval)
            rows.append(row(v.name, score.model, score.score, before, after, _scored(score.difference, score.difference_interval)))
    header = ("version", "model", "score", "learnt from the original", "learnt from the release", "difference")
    return Section("What models still learn", header, tuple(rows), said, matrix=False)


def _scored(value: float | None, interval: tuple[float, float] | None) -> str:
    if value is None:
        return "—"
    return decimals(value, 3) if interval is None else f"{decimals(value, 3)} ({decimals(interval[0], 3)} to {decimals(interval[1], 3)})"
