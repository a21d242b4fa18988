"""A plan as plain data and as a sheet: can the policy be met, by which release, at what cost, with which command."""

from collections.abc import Iterator
from typing import Any

from anonscope.io.figures import decimals, per_cent
from anonscope.io.rounding import rounded
from anonscope.operations.plan import Plan, Relaxation
from anonscope.operations.planning.relaxing import NEARLY_ALL
from anonscope.operations.planning.telling import PlannedRelease
from anonscope.report import words
from anonscope.report.charts.chart import Chart
from anonscope.report.charts.points import Point, Scatter, scatter
from anonscope.report.sheet import Section, Sheet, row

SCHEMA = "anonscope/plan/1"


def plan_to_dict(found: Plan) -> dict[str, Any]:
    """Return a plan as plain data, in the shape of the JSON contract."""
    return {
        "schema": SCHEMA,
        "source": found.source,
        "policy": found.policy.name,
        "records": found.records,
        "tuples": found.tuples,
        "met": found.met,
        "feasible": found.feasible,
        "says": plan_title(found),
        "last_time": (
            {"holds": found.last_time.holds, "says": found.last_time.says, "change": found.last_time.change}
            if found.last_time is not None
            else None
        ),
        "reasons": list(found.reasons),
        "first": list(found.first),
        "releases": [_release(release) for release in found.releases],
        "relaxations": [
            {
                "kind": way.kind,
                "change": way.change,
                "changes_data": way.changes_data,
                "drops": list(way.drops),
                "release": _release(way.release),
            }
            for way in found.relaxations
        ],
        "drawn": [
            {
                "method": way.method,
                "guaranteed": way.guaranteed,
                "not_guaranteed": way.not_guaranteed,
                "utility": way.utility,
                "commands": list(way.commands),
            }
            for way in found.drawn
        ],
        "complete": found.complete,
        "notes": list(found.notes),
    }


def _release(release: PlannedRelease) -> dict[str, Any]:
    return {
        "name": release.name,
        "words": release.words,
        "method": release.method,
        "outcome": release.verdict.outcome,
        "met": release.verdict.met,
        "says": release.says,
        "smallest_class": release.smallest_class,
        "risk": rounded(release.risk),
        "loss": rounded(release.loss),
        "cut": release.cut,
        "records": release.records,
        "suppressed": release.suppressed,
        "rules": [
            {"metric": r.rule.metric, "limit": r.rule.limit_text, "value": rounded(r.value), "status": r.status}
            for r in release.verdict.rules
        ],
        "columns": [{"column": c.column, "role": c.role, "becomes": c.becomes} for c in release.columns],
        "command": release.command,
        "asks": release.asks,
    }


def plan_title(found: Plan) -> str:
    """Return whether the policy can be met, in a sentence."""
    if found.met:
        return "Nothing has to change: the policy is met as the table is"
    if found.best is not None and found.best.says is not None:
        return f"Recoded, the table {found.best.says}"
    if found.best is not None:
        return "The policy can be met by recoding"
    if found.feasible is False:
        return "No recoding can meet the policy"
    return "No recoding that meets the policy was found" if found.tuples is not None else "There is no plan"


def plan_lead(found: Plan) -> str:
    """Return the best release found, in words; or why there is none, and what would work."""
    if found.best is not None:
        return f"The best release found: {found.best.words}.{_hides(found)}"
    if found.met:
        return "The table may be released as it is, so there is no command to carry out."
    why = " ".join(found.reasons)
    if not found.relaxations:
        return why
    return f"{why} Below is what would work; nothing of it is chosen for you."


def _hides(found: Plan) -> str:
    """Return a warning where the best release tells next to nothing."""
    if found.best is None or found.best.loss < NEARLY_ALL:
        return ""
    ended = "" if found.complete else " The search ended early: with more time (--seconds 30) a plan looks further."
    return f" That hides nearly everything{'; below is what would work instead' if found.relaxations else ''}.{ended}"


def plan_sheet(found: Plan, now: int | None = None) -> Sheet:
    """Return a plan as one page; `now` is the smallest group of the table as it is, where that is known."""
    tone: words.Tone = "low" if found.met else "mid" if found.best is not None else "high"
    return Sheet(
        title=plan_title(found),
        source=found.source,
        lead=plan_lead(found),
        sections=tuple(plan_sections(found)),
        notes=found.notes,
        tone=tone,
        charts=(plan_chart(found, now),) if found.releases or found.relaxations else (),
    )


def plan_chart(found: Plan, now: int | None = None) -> Chart:
    """Return risk against loss of the table as it is, of every release that was found, and of what would work instead."""
    points = [Point(0.0, 1 / now, f"the table as it is: smallest group {now:,}", "now", named=True)] if now else []
    best = found.best
    for release in found.releases:
        points.append(
            Point(release.loss, release.risk, _on_paper(release, release.name), "chosen" if release is best else "edge", named=True)
        )
    for way in found.relaxations:
        points.append(Point(way.release.loss, way.release.risk, _on_paper(way.release, way.change), "refused", named=True))
    told = (
        f"The best release found has groups of at least {best.smallest_class:,} and loses {_lost(best)} of the detail."
        if best
        else ("No release that was found meets the policy; shown is what would work instead.")
    )
    # What is asked of averages or shares of groups is no line between points of the smallest.
    size = found.policy.smallest_group
    return scatter(
        Scatter(
            "detail lost",
            "highest risk (1 / smallest group)",
            tuple(points),
            told,
            limit=1 / size if size else None,
            limit_words=f"policy: 1/{size:,}" if size else "",
            log=True,
            shares=True,
            header=("version", "smallest group", "detail lost"),
            rows=tuple((p.label.partition(":")[0], decimals(1 / p.y, 0), per_cent(p.x)) for p in points),
        )
    )


def _on_paper(release: PlannedRelease, name: str) -> str:
    return f"{name}: smallest group {release.smallest_class:,}, {_lost(release)} lost"


def plan_sections(found: Plan) -> Iterator[Section]:
    """Yield what stands below the lead: commands first."""
    if found.last_time is not None:
        change = f"The smallest change that was found: {found.last_time.change}." if found.last_time.change is not None else ""
        yield Section("The recipe of last time", lines=tuple(line for line in (found.last_time.says, change) if line))
    if found.first:
        yield Section("What must be said first", lines=found.first)
    if found.best is not None:
        note = f"Nothing was changed. {_makes(found.best)}, and what it writes is audited from scratch."
        asked = words.reason_asked(found.best.command)
        yield Section("The command", note=note, lines=asked, verbatim=found.best.command, must=(*asked, found.best.command))
        if len(found.releases) > 1:
            yield _alternatives(found)
        yield _columns(found.best)
    if found.relaxations:
        yield _relaxations(found)
    if found.drawn:
        yield _drawn(found)


def _drawn(found: Plan) -> Section:
    why = (
        f"The best recoding found loses {_lost(found.best)} of the detail"
        if found.best is not None
        else "No recoding found meets the policy"
    )
    rows = tuple(row(way.method, way.guaranteed, way.not_guaranteed, way.utility) for way in found.drawn)
    header = ("method", "guaranteed", "not guaranteed", "what it still tells")
    note = f"{why}. A new table can be drawn instead, which nobody is in; it does not meet this policy, and is judged by others."
    commands = "\n".join("\n".join([f"# {way.method}", *way.commands]) for way in found.drawn)
    return Section("Instead of recoding: a drawn table", header, rows, note, matrix=False, verbatim=commands)


def _makes(release: PlannedRelease) -> str:
    if not release.cut:
        return "This command makes it"
    planned = "as_planned" in release.asks
    word, ended = ("--as-planned", "A plan searches so far and no further") if planned else ("--steps", "Its time was up")
    return f"This command makes what is said here. {ended}; a command that is not held to it ({word}) searches on, and mostly loses less"


def _lost(release: PlannedRelease) -> str:
    return per_cent(release.loss)


def _alternatives(found: Plan) -> Section:
    rows = tuple(row(r.name, f"{r.smallest_class:,}", _lost(r), words.share(r.suppressed, r.records), r.words) for r in found.releases)
    header = ("release", "smallest group", "detail lost", "suppressed", "what becomes of the table")
    excepted = any(r.says is not None for r in found.releases)
    kept = "keeps the policy up to what was excepted" if excepted else "meets the policy"
    note = f"Each {kept}, and none of them is beaten in both risk and loss."
    commands = "\n".join(f"# {r.name}\n{r.command}" for r in found.releases[1:])
    return Section("Alternatives: more protection for more loss", header, rows, note, matrix=False, verbatim=commands)


def _columns(release: PlannedRelease) -> Section:
    rows = tuple(row(c.column, c.role, c.becomes) for c in release.columns)
    return Section("What becomes of every column", ("column", "role", "in the release"), rows, matrix=False, every_column=True)


def _relaxations(found: Plan) -> Section:
    rows = tuple(
        row(way.change, "the data" if way.changes_data else "what is asked", _says(way, found), way.release.words)
        for way in found.relaxations
    )
    header = ("what would work", "it changes", "then the release", "what becomes of the table")
    note = (
        "Each was searched for, and the figures are what its release would have. Changes to the data come first, then what "
        "somebody would have to accept, the least loss first."
    )
    asked = words.reason_asked(*(way.command for way in found.relaxations))
    commands = "\n".join(f"# {way.change}\n{way.command}" for way in found.relaxations)
    must = tuple(said for way in found.relaxations for said in (f"- {way.change}: {_lost(way.release)} of the detail lost", way.command))
    return Section("What would work instead", header, rows, note, matrix=False, lines=asked, verbatim=commands, must=(*asked, *must))


def _says(way: Relaxation, found: Plan) -> str:
    if way.release.says is not None:
        return way.release.says
    return f"meets {way.change.split()[1]}" if way.kind == "another policy" else f"meets {found.policy.name}"
