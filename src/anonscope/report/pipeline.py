"""Khan 2025's stages as plain data and as a sheet: what every column is, its de-identified form, every dimension, and the choice."""

from collections.abc import Iterator
from re import split
from typing import Any

from anonscope.columns.suggestion.identification import NEITHER
from anonscope.columns.suggestion.risk_rate import PUBLISHED, label_of
from anonscope.io.figures import decimals
from anonscope.io.rounding import rounded
from anonscope.operations.pipeline import Pipeline
from anonscope.report import words
from anonscope.report.charts.points import Point, Scatter
from anonscope.report.plan import plan_lead, plan_sections, plan_title, plan_to_dict
from anonscope.report.questions import questions_section, release_title, release_tone, release_words
from anonscope.report.sheet import Section, Sheet, row
from anonscope.report.unassigned import rows as unassigned_rows
from anonscope.report.unassigned import unassigned_sections
from anonscope.transform.search.forms import Dimension

SCHEMA = "anonscope/pipeline/1"
_BACKWARDS = (
    "Loss is non-uniform entropy in per cent of the most that can be lost. The paper takes this number for usefulness and wants it "
    "large; it is what is lost, and what is kept is 100 less it."
)
_WITHHELD = "The limits can be kept, but nobody said why records may be tied together: nothing is released"
_LEFT_OUT = (
    "They are not in the release. Each can be given a role (-q, -s), be called insensitive (-i), or be kept for a reason (--acknowledge)."
)


def pipeline_to_dict(found: Pipeline) -> dict[str, Any]:
    """Return the stages as plain data, in the shape of the JSON contract."""
    after, recipe = found.after, found.printed_recipe
    return {
        "schema": SCHEMA,
        "source": found.source,
        "records": found.records,
        "policy": found.policy.name,
        "met": found.met,
        "withheld": found.withheld is not None,
        "ways_out": plan_to_dict(found.ways_out) if found.ways_out is not None else None,
        "alpha": found.alpha,
        "beta": found.beta,
        "columns": [
            {"column": c.column, "risk_rate": rounded(c.risk_rate), "role": c.role, "dropped": c.dropped, "reason": c.reason}
            for c in found.columns
        ],
        "forms": [
            {"column": f.column, "role": f.role, "level": f.level, "words": f.words, "values": f.values, "values_left": f.values_left}
            | {"automatic": f.automatic}
            for f in found.forms
        ],
        "dimensions": [dimension.to_dict() for dimension in found.dimensions],
        "chosen": found.chosen.to_dict() if found.chosen is not None else None,
        "closest": found.closest.to_dict(),
        "privacy_gain": found.privacy_gain,
        "search": {"searched": found.searched, "evaluated": found.evaluated},
        "unreachable": list(found.unreachable),
        "columns_without_role": [column.to_dict() for column in found.unassigned],
        "left_out": [column.to_dict() for column in found.left_out],
        "release": after.verdict.outcome if after is not None else None,
        "attacks": dict(after.verdict.attacks) if after is not None else None,
        "recipe": recipe.to_toml() if recipe is not None else None,
        "notes": [_BACKWARDS, *found.notes],
    }


def pipeline_sheet(found: Pipeline) -> Sheet:
    """Return the stages as a page, in their order."""
    after = found.after
    return Sheet(
        title=release_title(met=found.met, after=after) if found.withheld is None or not found.met else _WITHHELD,
        source=found.source,
        lead=_lead(found) + _left_out(found) + release_words(after),
        sections=tuple(_sections(found)),
        notes=(_BACKWARDS, *found.notes),
        tone=release_tone(met=found.met, after=after),
    )


def _lead(found: Pipeline) -> str:
    at, quasi_identifiers = found.closest, sum(form.role == "quasi-identifier" for form in found.forms)
    facts = f"k = {at.k:,}{_diversity_words(at)}, loss {decimals(at.loss, 2)} %, kept {decimals(at.kept, 2)} %"
    if found.met:
        which = ", ".join(at.deidentified) or "none"
        return (
            f"De-identifying {len(at.deidentified)} of {quasi_identifiers} quasi-identifiers ({which}) meets "
            f"{words.policy_named(found.policy)}: {facts}."
        )
    return (
        f"No set of de-identified quasi-identifiers meets {words.policy_named(found.policy)}. Nothing was written. "
        f"The closest has {facts}; what stops it: {_metrics(at)}."
    )


def _left_out(found: Pipeline) -> str:
    """Say which columns a release is without, because nobody said what they are."""
    named = [c.column for c in found.left_out]
    if not named or not found.met:
        return ""
    one = len(named) == 1
    return f" {words.listed(named)} {'is' if one else 'are'} left out: nobody said what {'it is' if one else 'they are'}."


def _diversity_words(at: Dimension) -> str:
    if at.t is None:
        return ""
    return f", l = {', '.join(map(str, at.diversity.values()))}, t = {decimals(at.t, 4)}"


def _metrics(at: Dimension) -> str:
    """Return what is broken in few words: every metric once, whichever attributes break it."""
    return ", ".join(dict.fromkeys(split(r" \(| [≥≤<]", name)[0] for name in at.broken))


def _by_published(found: Pipeline) -> Iterator[str]:
    """Say which columns would have another role by the two pairs of thresholds that the paper chose for its tables."""
    for alpha, beta in PUBLISHED:
        others = []
        for c in found.columns:
            if c.risk_rate is None or not c.reason.startswith("Its risk rate"):
                continue
            label = label_of(c.risk_rate, alpha, beta)
            role = NEITHER if label == "non-sensitive" else label
            if role != c.role:
                others.append(f"{c.column} {role}")
        told = "the same roles" if not others else f"other roles: {', '.join(others)}"
        yield f"By the paper's thresholds {alpha:g} % and {beta:g} %: {told}."


def _sections(found: Pipeline) -> Iterator[Section]:
    after, recipe = found.after, found.printed_recipe
    if found.unreachable:
        yield Section("What no de-identification can reach", lines=found.unreachable, note="Known before any set was tried.")
    if found.ways_out is not None:
        lead = f"{plan_title(found.ways_out)}, if columns may have any level. {plan_lead(found.ways_out)}"
        yield Section("What would work", note=lead)
        yield from plan_sections(found.ways_out)
    yield Section(
        "1. Identify",
        ("column", "risk rate", "role", "why"),
        tuple(
            row(
                c.column,
                "—" if c.risk_rate is None else f"{decimals(c.risk_rate, 2)} %",
                f"{c.role}, dropped" if c.dropped else c.role,
                c.reason,
            )
            for c in found.columns
        ),
        f"Above {found.alpha:g} % sensitive, from {found.beta:g} % on a quasi-identifier, below neither; roles that were given stay.",
        matrix=False,
        lines=tuple(_by_published(found)),
    )
    yield Section(
        "2. De-identify",
        ("column", "role", "level", "what it does", "values", "left", "hierarchy"),
        tuple(
            row(
                f.column,
                f.role,
                str(f.level),
                f.words,
                f"{f.values:,}",
                f"{f.values_left:,}",
                "made from the data" if f.automatic else "given",
            )
            for f in found.forms
        ),
        "The one de-identified form of every column. Sensitive attributes always have it, quasi-identifiers where they are chosen.",
        matrix=False,
    )
    yield _dimensions(found)
    yield Section("4. Choose", lines=tuple(_choice(found)))
    yield from unassigned_sections(found.unassigned)
    if found.left_out:
        rows = tuple(row(*line[:3]) for line in unassigned_rows(found.left_out))
        yield Section("Columns left out", ("column", "looks like", "why"), rows, _LEFT_OUT, matrix=False)
    if after is not None:
        rows = tuple(row(r.label, r.rule.limit_text, words.measured(r), r.status) for r in after.verdict.rules)
        note = "Measured anew on the table that is released."
        yield Section("Audit of the release", ("rule", "limit", "value", "status"), rows, note, matrix=False)
        yield questions_section(after, released=True)
    if recipe is not None:
        yield Section("The recipe", note=words.RECIPE, verbatim=recipe.to_toml())


def _dimensions(found: Pipeline) -> Section:
    rows, points = [], []
    for number, at in enumerate(_shown(found)):
        own = found.chosen is not None and at.deidentified == found.chosen.deidentified
        name = f"{len(at.deidentified)}{' (chosen)' if own else ''}"
        # Every dimension adds one attribute to the one before; a choice that is not among them is shown with all of its own.
        added = at.deidentified[-1:] if number < len(found.dimensions) else at.deidentified
        rows.append(
            row(
                name,
                ("+ " if added and number < len(found.dimensions) else "") + (", ".join(added) or "—"),
                f"{at.k:,}",
                ", ".join(map(str, at.diversity.values())) or "—",
                "—" if at.t is None else decimals(at.t, 4),
                decimals(at.loss, 4),
                decimals(at.loss_gionis_tassa, 4),
                decimals(at.kept, 4),
                "kept" if at.met else f"breaks {_metrics(at)}",
            )
        )
        points.append(Point(at.loss, 1 / at.k, f"{name}: k {at.k:,}, loss {decimals(at.loss, 2)} %", "chosen" if own else "plain"))
    sensitive = ", ".join(found.dimensions[0].diversity)
    note = "The riskiest quasi-identifier first, then one more at a time." + (f" l in the order {sensitive}." if sensitive else "")
    said = f"Highest risk (1 / k) against loss for {len(points)} sets of de-identified quasi-identifiers."
    chart = Scatter("loss, %", "highest risk (1 / smallest group)", tuple(points), said)
    header = (
        "dimension",
        "de-identified",
        "smallest group (k)",
        "diversity (l)",
        "closeness (t)",
        "loss, %",
        "loss, % (Gionis-Tassa)",
        "kept, %",
        "limits",
    )
    return Section("3. Evaluate every dimension", header, tuple(rows), note, chart, matrix=False)


def _shown(found: Pipeline) -> tuple[Dimension, ...]:
    if found.chosen is None or any(at.deidentified == found.chosen.deidentified for at in found.dimensions):
        return found.dimensions
    return (*found.dimensions, found.chosen)


def _choice(found: Pipeline) -> Iterator[str]:
    at = found.closest
    if found.searched == "all sets":
        yield (
            f"All {2 ** (len(found.dimensions) - 1):,} sets of quasi-identifiers were decided, {found.evaluated:,} of them by measuring: "
            "the smallest that meets the policy is taken, and of those of its size the one that loses least."
        )
    else:
        yield (
            f"There are too many sets of {len(found.dimensions) - 1} quasi-identifiers to decide them all; only the riskiest, the two "
            f"riskiest and so on were, and the first that meets the policy is taken. A smaller set may exist."
        )
    if found.chosen is not None:
        yield f"Chosen: {', '.join(at.deidentified) or 'no quasi-identifier needs to be de-identified'}."
        yield f"Privacy gain (k now less k with no quasi-identifier de-identified): {found.privacy_gain:+,}."
        if len(at.deidentified) < len(found.dimensions) - 1:
            last = found.dimensions[-1]
            yield f"The last dimension, which the authors' program returns, has k = {last.k:,} and loses {decimals(last.loss, 2)} %."
    else:
        yield f"None meets the policy. The closest de-identifies {', '.join(at.deidentified) or 'nothing'}."
        yield f"What it breaks: {'; '.join(at.broken)}."
        yield "What may give: a coarser form of a column (--level), fewer quasi-identifiers (--beta, --forbid), or the limits (--policy)."
