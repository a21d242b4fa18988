"""An anonymisation as plain data and as a sheet: what was asked, what was found, what it cost, and what else could be had."""

from collections.abc import Iterator
from typing import Any

from anonscope.io.figures import decimals, figure, per_cent
from anonscope.io.rounding import LEFT_OVER, rounded
from anonscope.operations.anonymise import Anonymisation
from anonscope.report import words
from anonscope.report.audit.document import attack_rule
from anonscope.report.audit.pictures import hidden
from anonscope.report.audit.sections import defences_section
from anonscope.report.charts.chart import Chart
from anonscope.report.charts.ladders import Ladder, Values, ladders
from anonscope.report.charts.points import Point, Scatter
from anonscope.report.plan import plan_sections, plan_to_dict
from anonscope.report.questions import questions_section, release_title, release_tone, release_words
from anonscope.report.sheet import Cell, Section, Sheet, row
from anonscope.report.unassigned import unassigned_sections
from anonscope.risk.findings import Findings
from anonscope.risk.policy import RuleResult
from anonscope.risk.policy.exceptions import except_sentence, stated_lines
from anonscope.transform.search.told import ColumnRecoding, Spread
from anonscope.utility import UTILITIES

SCHEMA = "anonscope/anonymisation/1"
METHODS = {
    "global": "one level a column (full-domain recoding)",
    "subtree": "one label for every value of a column, at levels that differ between subtrees (subtree recoding)",
    "local": "every combination has levels of its own (local recoding)",
    "mondrian": "the table is split again and again while its parts keep the limits (Mondrian)",
}
_SHOWN_PLACES = 20
_NAMED_POINTS = 8


def anonymisation_to_dict(found: Anonymisation) -> dict[str, Any]:
    """Return an anonymisation as plain data, in the shape of the JSON contract."""
    before, after, recipe = found.before, found.after, found.printed_recipe
    return {
        "schema": SCHEMA,
        "source": found.source,
        "policy": found.policy.name,
        "met": found.met,
        "exceptions": [e.to_dict() for e in found.policy.exceptions],
        "says": except_sentence(found.policy, after.verdict) if found.release is not None and after is not None and not found.met else None,
        "method": found.method,
        "method_reason": found.method_reason,
        "loss": {"name": found.loss_name, "value": rounded(found.loss), "bound": rounded(found.bound)},
        "losses": {name: rounded(value) for name, value in found.losses.items()},
        "records": found.records,
        "suppressed": found.suppressed,
        "classes": found.classes,
        "privacy_gain": privacy_gain(before, after),
        "rules": [
            {
                "metric": old.rule.metric,
                "limit": old.rule.limit_text,
                "before": rounded(old.value),
                "after": rounded(new.value) if new is not None else None,
                "exceptions": [e.to_dict() for e in new.excepted] if new is not None else [],
                "status": new.status if new is not None else old.status if after is None else "not assessed",
            }
            for old, new in _rules(before, after)
        ],
        "outcome": after.verdict.outcome if after is not None else None,
        "attacks": dict(after.verdict.attacks) if after is not None else None,
        "attack_rules": [attack_rule(result) for result in after.verdict.attack_rules] if after is not None else [],
        "attack_results": after.attacks.to_dict() if after is not None and after.attacks is not None else None,
        "columns": [
            {
                "column": c.column,
                "automatic": c.automatic,
                "levels": [
                    {"level": i, "values": n, "share": rounded(share), "words": c.words[i - 1] if 0 < i <= len(c.words) else None}
                    for i, (n, share) in enumerate(zip(c.cardinalities, c.shares, strict=True))
                ],
                "loss": rounded(c.loss),
                "before": _spread(c.before),
                "after": _spread(c.after),
            }
            for c in found.columns
        ],
        "binding": list(found.binding),
        "unreachable": list(found.unreachable),
        "remaining": list(found.remaining),
        "search": {"evaluated": found.evaluated, "lattice": found.lattice_size, "proof": found.proof, "why": found.why},
        "methods": [
            {
                "method": r.method,
                "start": r.start,
                # Where limits were eased by an exception, whoever keeps them does not meet the policy.
                "met": r.met and found.met,
                "keeps_limits": r.met,
                "loss": rounded(r.loss),
                "suppressed": r.suppressed,
                "steps": r.steps,
                "proof": r.proof,
            }
            for r in found.reached
        ],
        "curve": [{"seconds": rounded(at.seconds), "loss": rounded(at.loss)} for at in found.curve],
        "space": [
            {
                "levels": dict(c.levels),
                "loss": rounded(c.loss),
                "suppressed": c.suppressed,
                "classes": c.classes,
                "admissible": c.admissible,
                "broken": list(c.broken),
            }
            for c in found.space
        ],
        "frontier": [
            {"class_size": p.class_size, "risk": rounded(p.risk), "loss": rounded(p.loss), "suppressed": p.suppressed, "chosen": p.chosen}
            for p in found.frontier
        ],
        "alternatives": [{"change": a.change, "loss": rounded(a.loss), "suppressed": a.suppressed} for a in found.alternatives],
        "columns_without_role": [column.to_dict() for column in before.verdict.unassigned],
        "ways_out": plan_to_dict(found.ways_out) if found.ways_out is not None else None,
        "recipe": recipe.to_toml() if recipe is not None else None,
        "notes": list(found.notes),
    }


def _spread(spread: Spread | None) -> dict[str, Any] | None:
    if spread is None:
        return None
    return {"values": spread.values, "shares": [rounded(share) for share in spread.shares]}


def privacy_gain(before: Findings, after: Findings | None) -> float | None:
    """Return how much larger the smallest class has become, as Khan 2025 counts privacy gain; None without a release."""
    sizes = []
    for findings in (before, after):
        found = [] if findings is None else [m.value for m in findings.measurements if m.metric == "k_anonymity"]
        known = [value for value in found if value is not None]
        sizes.append(min(known) if known and len(known) == len(found) else None)
    old, new = sizes
    return None if old is None or new is None else new - old


def anonymisation_sheet(found: Anonymisation) -> Sheet:
    """Return an anonymisation as the page that a data protection officer reads."""
    after = found.after
    return Sheet(
        title=release_title(met=found.met, after=after),
        source=found.source,
        lead=_lead(found) + release_words(after),
        sections=tuple(_sections(found)),
        notes=found.notes,
        tone=release_tone(met=found.met, after=after),
        charts=(hidden(found.before) if after is None else hidden(after, found.before),),
        signed=after is not None,
        foot=f"{found.source}, SHA-256 {known}" if (known := found.before.source_hash) is not None else "",
    )


def _ladders(found: Anonymisation) -> Chart | None:
    if not found.columns:
        return None
    return ladders([_ladder(c) for c in found.columns])


def _ladder(c: ColumnRecoding) -> Ladder:
    before, after = (Values(spread.shares, spread.values) if spread is not None else None for spread in (c.before, c.after))
    return Ladder(c.column, tuple(c.shares), tuple(c.cardinalities), c.loss, tuple(c.words), before, after)


def _lead(found: Anonymisation) -> str:
    if found.release is not None and found.after is not None and not found.met:
        stated = " ".join(stated_lines(found.policy, found.after.verdict))
        return f"It is released because somebody answers for what it breaks. {stated}{_cost(found)}"
    if not found.met:
        what = "What stops it" if found.unreachable or found.after is not None else "What the best that was found breaks"
        stops = f" {what}: {'; '.join(found.remaining)}." if found.remaining else ""
        if found.after is not None:
            return f"The recoding that was found keeps its limits, but not against attacks.{stops} Nothing was written."
        below = "below is what would work" if found.ways_out is not None else "below is what comes closest"
        unmet = f"No recoding that was looked at meets {words.policy_named(found.policy)}."
        return f"{unmet}{stops} Nothing was written; {below}."
    return f"The release meets {words.policy_named(found.policy)} under the assumptions of its audit.{_cost(found)}"


def in_short(found: Anonymisation) -> str:
    """Return smallest group, loss and suppression of a release in one line."""
    sizes = [m.value for m in found.after.measurements if m.metric == "k_anonymity"] if found.after is not None else []
    known = [value for value in sizes if value is not None]
    smallest = f"k = {decimals(min(known), 0)}" if known and len(known) == len(sizes) else "k not measured"
    ncp = found.losses.get("ncp")
    lost = f"{per_cent(ncp)} of the detail lost" if ncp is not None else f"loss ({found.loss_name}) {_number(found.loss)}"
    return f"{smallest}, {lost}, {found.suppressed:,} of {found.records:,} records suppressed"


def _cost(found: Anonymisation) -> str:
    share = found.suppressed / found.records if found.records else 0.0
    suppressed = f" {found.suppressed:,} of {found.records:,} records ({per_cent(share)}) are suppressed." if found.suppressed else ""
    loss = f" {_loss_words(found)}" if found.loss is not None else ""
    return f"{loss}{suppressed}"


def _loss_words(found: Anonymisation) -> str:
    ncp = found.losses.get("ncp")
    return (
        f"{per_cent(ncp)} of the detail of the quasi-identifiers is lost."
        if ncp is not None
        else f"Loss ({found.loss_name}): {figure(found.loss, 6)}."
    )


def _sections(found: Anonymisation) -> Iterator[Section]:
    before, after, recipe = found.before, found.after, found.printed_recipe
    if found.unreachable:
        yield Section("What no recoding can reach", lines=found.unreachable, note="Known before any search.")
    if found.ways_out is not None:
        yield from plan_sections(found.ways_out)
    rows = tuple(
        row(
            old.label,
            old.rule.limit_text,
            _value(old),
            _value(new),
            words.MET[(new or old).status] if new or after is None else "not assessed",
        )
        for old, new in _rules(before, after)
    )
    gain = privacy_gain(before, after)
    note = "" if gain is None else f"The smallest group has grown by {gain:+g} (privacy gain of Khan 2025: k after minus k before)."
    yield Section("Before and after", ("rule", "limit", "before", "after", "now"), rows, note, matrix=False)
    yield questions_section(after if after is not None else before, released=after is not None)
    if after is not None and after.attacks is not None:
        from anonscope.report.attack import attack_rules_section, attack_sections

        yield attack_rules_section(after.verdict)
        yield from attack_sections(after.attacks)
    yield from unassigned_sections(before.verdict.unassigned)
    header = ("column", "detail lost", "what it is now, and for how many records", "hierarchy")
    yield Section("What became of each column", header, tuple(_columns(found)), "", _ladders(found), matrix=False)
    yield Section("How it was found", lines=tuple(_how(found)))
    if len(found.reached) > 1:
        header = ("method", "detail lost", "suppressed", "")
        yield Section("What each method reached", header, tuple(_reached(found)), "The best is taken.", matrix=False)
    if found.curve:
        points = tuple(row(f"{decimals(at.seconds, 1)} s", per_cent(at.loss, 3)) for at in found.curve)
        yield Section("How the loss fell with time", ("after", "detail lost"), points, "Of local recoding, as it went on.", matrix=False)
    if found.frontier:
        yield _frontier(found)
    if found.alternatives:
        rows = tuple(row(a.change, _number(a.loss), "" if a.suppressed is None else f"{a.suppressed:,}") for a in found.alternatives)
        yield Section("What else could be had", ("if ...", f"loss ({found.loss_name})", "suppressed"), rows, matrix=False)
    if found.space:
        yield _space(found)
    models = defences_section(found.policy)
    if models is not None:
        yield models
    if recipe is not None:
        yield Section("The recipe", note=words.RECIPE, verbatim=recipe.to_toml())


def _columns(found: Anonymisation) -> Iterator[tuple[Cell, ...]]:
    for column in found.columns:
        used = [(i, share) for i, share in enumerate(column.shares) if share > 0]
        levels = "; ".join(f"{_ladder(column).level(i)}{'' if share == 1 else f' ({per_cent(share, 0)})'}" for i, share in used)
        made = "made from the data" if column.automatic else "given"
        yield row(column.column, per_cent(column.loss), levels, f"{made}, {' → '.join(f'{n:,}' for n in column.cardinalities)} values")


def _how(found: Anonymisation) -> Iterator[str]:
    yield f"Method: {METHODS[found.method]}. {found.method_reason}"
    if found.evaluated is not None and found.proof:
        of = f"of {found.lattice_size:,} combinations of levels" if found.method == "global" else "cuts through the hierarchies"
        yield f"{found.evaluated:,} {of} were evaluated. Proof: {found.proof}; {found.why}."
    if found.bound is not None and found.loss is not None and found.bound < found.loss - LEFT_OVER:
        yield f"Nothing can lose less than {figure(found.bound, 6)}; what was found loses {figure(found.loss, 6)}."
    if found.binding:
        yield f"What stands in the way of losing less: {'; '.join(found.binding)}."
    for name, value in found.losses.items():
        yield f"{UTILITIES[name].title}: {_number(value)}"


def _reached(found: Anonymisation) -> Iterator[tuple[Cell, ...]]:
    for one in found.reached:
        begun = f", from what {one.start} found" if one.start is not None else ""
        proof = {"pruned": "the optimum of its kind", "exhaustive": "the optimum of its kind", "budget spent": "best so far"}.get(
            one.proof, ""
        )
        lost = per_cent(one.loss, 2) if one.met and one.loss is not None else "—"
        yield row(f"{one.method}{begun}", lost, f"{one.suppressed:,}", proof if one.met else "does not keep all limits")


def _frontier(found: Anonymisation) -> Section:
    best = [p for p in found.frontier if not any(q.loss <= p.loss and q.risk < p.risk for q in found.frontier)]
    points = tuple(
        Point(
            p.loss,
            p.risk,
            f"groups of at least {p.class_size}: loss {decimals(p.loss, 3)}",
            "chosen" if p.chosen else "edge" if p in best else "plain",
            named=len(found.frontier) <= _NAMED_POINTS,
        )
        for p in found.frontier
    )
    rows = tuple(
        row(f"{p.class_size}{' (chosen)' if p.chosen else ''}", decimals(p.risk, 3), _number(p.loss), f"{p.suppressed:,}")
        for p in found.frontier
    )
    risk = next((p.risk for p in found.frontier if p.chosen), 0.0)
    said = f"Highest risk against loss for {len(points)} class sizes; the chosen one has risk {decimals(risk, 3)}."
    size = found.policy.smallest_group
    upwards = "highest risk (1 / smallest group)"
    limit, limit_words = (1 / size, f"policy: 1/{size:,}") if size else (None, "")
    chart = Scatter(f"loss ({found.loss_name})", upwards, points, said, limit=limit, limit_words=limit_words, log=True)
    header = ("smallest group", "highest risk", f"loss ({found.loss_name})", "suppressed")
    return Section(
        "Risk against loss", header, rows, "The same method, with other class sizes; all other limits stay.", chart, matrix=False
    )


def _space(found: Anonymisation) -> Section:
    shown = sorted(found.space, key=lambda c: (not c.admissible, c.loss if c.loss is not None else float("inf"), c.suppressed))
    names = tuple(shown[0].levels)
    rows = tuple(
        row(
            " ".join(str(c.levels[name]) for name in names),
            _number(c.loss),
            f"{c.suppressed:,}",
            f"{c.classes:,}",
            "keeps all limits" if c.admissible else f"breaks {', '.join(c.broken)}",
        )
        for c in shown[:_SHOWN_PLACES]
    )
    note = f"The best {len(rows)} of {len(found.space):,} that were looked at. Levels of: {', '.join(names)}."
    return Section(
        "Other combinations of levels", ("levels", f"loss ({found.loss_name})", "suppressed", "groups", ""), rows, note, matrix=False
    )


def _rules(before: Findings, after: Findings | None) -> list[tuple[RuleResult, RuleResult | None]]:
    # A rule that waits for another table may have been asked of one of the two only.
    new = {result.rule: result for result in after.verdict.rules} if after is not None else {}
    return [(result, new.get(result.rule)) for result in before.verdict.rules]


def _value(result: RuleResult | None) -> str:
    if result is None:
        return "—"
    return _number(result.value) if result.value is not None else result.reason or "not measured"


def _number(value: float | None) -> str:
    return words.figure(value)
