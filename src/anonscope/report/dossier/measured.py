"""Sections 7 to 9 of a dossier: the risk before and after, the three questions, and what the change cost."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from anonscope.attacks.membership import EVERYTHING
from anonscope.attacks.registry import ATTACKS
from anonscope.attacks.success import Success
from anonscope.io.figures import decimals
from anonscope.operations.audit import Audit
from anonscope.operations.sign_off import SignOff
from anonscope.operations.signing.questions import NOT_STATED
from anonscope.report import words
from anonscope.report.attack import compared_section
from anonscope.report.audit.sections import defences_section
from anonscope.report.audit.view import tiles
from anonscope.report.charts.bars import Bars
from anonscope.report.dossier.parts import facts, headed, part
from anonscope.report.intruder_test import result_section
from anonscope.report.link import ranged
from anonscope.report.sheet import Cell, Section, row
from anonscope.risk.metrics import METRICS
from anonscope.utility import UTILITIES

# What is shown of every attacker, and of every sensitive attribute where it is about one.
_SHOWN = ("k_anonymity", "records_at_risk", "prosecutor", "marketer", "l_diversity", "t_closeness")
# What is shown of the cost; the comparison has all of them.
_COST = ("ncp", "suppressed_cells", "suppressed_records", "non_uniform_entropy", "total_variation", "association_change")
# The attacks that ask what a question asks; others of the same kind ask something near to it.
_OWN = {"singling out": ("singling_out",), "linkability": ("linkability",), "inference": ("inference", "composition")}
_KNOWS_ALL = "Who knows all columns that the release has"
# What an attack of a kind answers, for the statement.
_STATEMENTS = {
    "meets the policy": "By these rules, {attack} was looked at and every rule about it is met",
    "acknowledge": "By these rules, {attack} leaves a medium risk that somebody must accept in writing",
    "fails": "By these rules, {attack} is not ruled out: a rule about it is broken",
    "not measured": "By these rules, nothing can be said of {attack}: a rule about it could not be measured",
    "not assessed": "By these rules, nothing is said of {attack}: no rule of the policy could be asked about it",
}


def measured(found: SignOff) -> Iterator[Section]:
    """Yield the sections."""
    yield headed(7, _risk(found))
    yield from _attacks(found)
    not_tried = Section("Motivated intruder test", lines=("Not stated: no such test was carried out, or nobody said so.",), matrix=False)
    yield part(7, "b", result_section(found.intruder) if found.intruder is not None else not_tried)
    yield headed(8, _questions(found))
    if (defended := defences_section(found.policy)) is not None:
        yield part(8, "a", defended)
    yield from _cost(found)


def _risk(found: SignOff) -> Section:
    rows = []
    several = len(found.before.scenarios) > 1
    for scenario in found.before.scenarios:
        of = f" ({words.scenario_title(scenario.name)})" if several else ""
        for metric in _SHOWN:
            before, after = (_values(audit, metric, scenario.name) for audit in (found.before, found.after))
            for about in dict.fromkeys((*before, *after)):
                title = METRICS[metric].title + (f" of {about}" if about else "") + of
                rows.append(row(title, before.get(about, words.NOT_MEASURED), after.get(about, words.NOT_MEASURED)))
    if found.external is not None:
        both = [v.linkage for v in (found.comparison.versions[0], found.version)]
        told = {
            f"Linked with {found.external}: a released record traced to its person, on average": [
                "not measured" if one is None else ranged(one.average_risk, one.average_risk_range) for one in both
            ],
            f"Linked with {found.external}: a released record traced to its person, highest": [
                "not measured" if one is None else ranged(one.maximum_risk, one.maximum_risk_range) for one in both
            ],
            # The rule of a policy about such a table goes this way round.
            f"Linked with {found.external}: a person of it traced to a released record, highest": [
                "not measured" if one is None or one.prosecutor.maximum is None else decimals(one.prosecutor.maximum, 4) for one in both
            ],
        }
        rows += [row(title, *values) for title, values in told.items()]
    names = tuple(words.scenario_title(s.name) for s in found.before.scenarios)
    values = tuple(tuple(_highest(audit, s.name) for s in found.before.scenarios) for audit in (found.before, found.after))
    said = "; ".join(f"{n}: {words.number(b)} before, {words.number(a)} after" for n, b, a in zip(names, *values, strict=True))
    series = (("before", values[0]), ("after", values[1]))
    chart = Bars("highest risk of a record", names, series, f"Highest risk by attacker: {said}") if any(map(any, values)) else None
    note = "Of every attacker, before and after. These are counts of the whole tables, so they have no sampling error; attacks have one."
    return Section("", ("measure", "before", "after"), tuple(rows), note, chart, matrix=False)


def _values(audit: Audit, metric: str, scenario: str) -> dict[str | None, str]:
    """Return the worst value of a metric for a scenario, by sensitive attribute."""
    found: dict[str | None, str] = {}
    for m in audit.measurements:
        if m.metric != metric or m.scenario != scenario or m.attributes is not None or m.sensitive in found:
            continue
        value = m.max if m.max is not None else m.value
        share = metric == "records_at_risk" and value is not None
        found[m.sensitive] = (
            words.NOT_MEASURED if m.status == "not measured" else words.share(value or 0, 1) if share else words.number(value)
        )
    return found


def _highest(audit: Audit, scenario: str) -> float | None:
    sizes = next((m.value for m in audit.select("k_anonymity", scenario=scenario) if m.status == "measured"), None)
    return None if not sizes else 1 / sizes


def _attacks(found: SignOff) -> Iterator[Section]:
    attacks = found.attacks
    if attacks is None:
        return
    compared = compared_section({found.release: attacks})
    lines = [
        f"{attacks.people:,} people were looked for; "
        + (
            f"{attacks.control_people:,} people who are not in it were the control."
            if attacks.control
            else "without a control, so every risk is an upper bound."
        )
    ]
    for result in attacks.results:
        if result.status != "measured":
            lines.append(f"{ATTACKS[result.attack].title}, {result.variant} ({result.attacker}): not measured, because {result.reason}.")
    known = [r for r in attacks.results if r.risk is not None and not r.smoke_test]
    # Who knows everything, as who asks for membership does, is none of the attackers that somebody named, and goes furthest.
    for attacker in dict.fromkeys((*(one.name for one in attacks.attackers), *(r.attacker for r in known))):
        theirs = [r for r in known if r.attacker == attacker]
        if theirs:
            lines.append(_largest(attacker, _furthest(theirs), found.answers.attacker(attacker).get("likelihood")))
    yield part(7, "a", replace(compared, title="Attacks carried out", lines=tuple(dict.fromkeys(lines))))


def _furthest(results: Sequence[Success]) -> Success:
    """Return the attack with the largest risk."""
    return max(results, key=lambda r: (r.risk or 0.0, r.variant))


def _largest(attacker: str, worst: Success, likelihood: object) -> str:
    """Return the largest risk of what one attacker did, by its attack, and what a stated likelihood makes of it."""
    risk, of = max(worst.risk or 0.0, 0.0), f"largest risk, {_by(worst)},"
    name = _KNOWS_ALL if attacker == EVERYTHING else words.scenario_title(attacker)
    if isinstance(likelihood, float):
        return f"{name}: their {of} times the stated likelihood is {decimals(risk * likelihood, 4)}."
    return f"{name}: the likelihood of an attempt is {NOT_STATED}, so their {of} stands as it is: {decimals(risk, 4)}."


def _by(result: Success) -> str:
    return f"{ATTACKS[result.attack].title.lower()} by {result.variant}"


def _questions(found: SignOff) -> Section:
    before, after = ({tile.attack: tile for tile in tiles(audit)} for audit in (found.before, found.after))
    rows, lines = [], []
    for attack, tile in after.items():
        tone = words.TONES.get(tile.answer)
        rows.append(row(f"{attack}: {tile.question}", before[attack].answer, Cell(tile.answer, tone=tone), tile.figure, tile.note))
        lines.append(_STATEMENTS[tile.answer].format(attack=attack) + f" ({_attacked(found, attack)}).")
    header = ("question", "before", "after", "measured", "why")
    return Section(
        "", header, tuple(rows), "WP216's three questions, answered by the audit of the release.", matrix=False, lines=tuple(lines)
    )


def _attacked(found: SignOff, attack: str) -> str:
    """Return what attacks of a kind found, in a few words."""
    results = [r for r in (found.attacks.results if found.attacks is not None else ()) if ATTACKS[r.attack].attack == attack]
    known = [r for r in results if r.risk is not None and not r.smoke_test]
    if not known:
        return "no attack of that kind was measured"
    own = [r for r in known if r.attack in _OWN[attack]]
    told = [f"the attack on it that got furthest, {_risked(_furthest(own))}" if own else "no attack on it was measured"]
    # Of the same family, and each asks something else: its figure is no answer to this question.
    for name in dict.fromkeys(r.attack for r in known if r.attack not in _OWN[attack]):
        asks = ATTACKS[name].question
        told.append(f"beside it, {_risked(_furthest([r for r in known if r.attack == name]))}, which asks: {asks[0].lower()}{asks[1:]}")
    return "; ".join(told)


def _risked(result: Success) -> str:
    interval = result.interval
    span = f", 95 % interval {decimals(interval.low, 4)} to {decimals(interval.high, 4)}" if interval is not None else ""
    return f"{_by(result)}: risk {decimals(result.risk, 4)}{span}{'' if result.controlled else ', an upper bound'}"


def _cost(found: SignOff) -> Iterator[Section]:
    records, steps = found.published.manifest["records"], found.published.manifest["steps"]
    counts = [f"{name} {number:,}" for name, number in records.items() if name != "before" or found.internal]
    lines = [
        ("records", ", ".join(counts)),
        ("columns left out", words.listed(found.published.manifest["dropped"], 20) if found.published.manifest["dropped"] else "none"),
    ]
    lines += [(f"step {i}", step) for i, step in enumerate(steps, start=1)]
    yield headed(9, facts(lines, "Cell by cell, section 4 says how many values of each column changed."))
    rows = []
    for name in dict.fromkeys((*_COST, *(m.utility for m in found.version.utilities if found.version.whole))):
        m = found.version.utility(name)
        if m is not None and name in UTILITIES:
            told = words.number(m.value) if m.value is not None else f"not measured: {m.reason}"
            rows.append(row(UTILITIES[name].title, told))
        elif m is not None and m.value is not None:
            rows.append(row(name.replace("_", " "), words.number(m.value)))
    balance = found.version.balance
    if balance is not None:
        rows.append(row("balance of risk and utility: utility", words.number(balance.utility)))
        rows.append(row("balance of risk and utility: risk", words.number(balance.risk)))
    yield part(
        9,
        "a",
        Section(
            "What it cost",
            ("measure", "value"),
            tuple(rows),
            "Losses are 0 where nothing is lost.",
            matrix=False,
            lines=found.comparison.notes,
        ),
    )
