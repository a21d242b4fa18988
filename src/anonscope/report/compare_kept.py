"""What every version keeps, folded into three: values, distributions, relations; all measures stand behind them."""

from collections.abc import Sequence
from typing import Any

from anonscope.io.figures import per_cent
from anonscope.io.rounding import rounded
from anonscope.operations.comparing.weighing import ComparedVersion
from anonscope.report.sheet import Section, row
from anonscope.utility import UTILITIES
from anonscope.utility.kept import FOLDS, KeptKind, kept
from anonscope.utility.unpaired import UNPAIRED


def kept_to_dict(version: ComparedVersion) -> dict[str, Any]:
    """Return the three folds of a version as plain data."""
    return {
        one.fold: {"share": rounded(one.share), "measure": one.by, "reason": one.reason}
        for one in kept(version.utilities, whole=version.whole)
    }


def kept_section(releases: Sequence[ComparedVersion]) -> Section:
    """Return a row for each of the three questions, a column for each release."""
    found = [kept(v.utilities, whole=v.whole) for v in releases]
    rows = tuple(
        row(fold.title, *(_shown(each[at]) for each in found), f"{fold.question} {_by(each[at] for each in found)}")
        for at, fold in enumerate(FOLDS)
    )
    note = "Each is one stated measure, from 0 % to 100 %; more of each kind below."
    return Section("What is kept", ("", *(v.name for v in releases), "what it says"), rows, note, matrix=False)


def _shown(one: KeptKind) -> str:
    return f"not measured: {one.reason}" if one.share is None else per_cent(one.share)


def _by(found: Any) -> str:
    names = dict.fromkeys(one.by for one in found)
    titles = [(UTILITIES.get(name) or UNPAIRED[name]).title.lower() for name in names]
    return f"By {' or '.join(titles)}."
