"""Sections 1 to 6 of a dossier: the data, what it is for, by which rules, its columns, attackers and the threshold."""

from collections.abc import Iterator

from anonscope.operations.sign_off import SignOff
from anonscope.operations.signing.questions import NOT_STATED
from anonscope.report import words
from anonscope.report.dossier.parts import facts, headed, part, stated
from anonscope.report.sheet import Section, row
from anonscope.risk.policy.law import HELD
from anonscope.risk.policy.unassigned import sentences
from anonscope.risk.policy.verdict import ATTACKS

BY_WHOM = "Statuses are what whoever signs states; by these rules the tool measures, and decides none of them."
_MADE_OF = {
    True: "yes, by its SHA-256",
    False: "no: by its SHA-256 the original that was given is another table, so nothing that is measured against it counts",
    None: "not known: no hash of the source is at hand",
}


def about(found: SignOff) -> Iterator[Section]:
    """Yield the sections."""
    yield headed(1, _data(found))
    yield from _purpose(found)
    yield from _rules(found)
    yield headed(4, _columns(found))
    yield headed(5, _attackers(found))
    yield headed(6, _threshold(found))


def _data(found: SignOff) -> Section:
    told, kept, answers = found.published.manifest["release"], found.published.kept, found.answers
    lines = [
        ("release", f"{told['name']} ({told['format']}), {told['records']:,} records, {len(told['columns'])} columns"),
        ("SHA-256 of the release", told["sha256"] or "not taken where it was written"),
        ("version, as its custodian calls it", stated(answers.of("dataset_version"))),
        ("custodian", stated(answers.of("custodian"))),
        ("is it what was published?", found.verification.sentence),
        ("is it measured against the table that it was made of?", _MADE_OF[found.made_of]),
    ]
    if found.internal:
        source = kept["source"]["sha256"] if kept is not None else None
        lines.insert(2, ("made from", f"{found.source}, {found.before.rows:,} records"))
        lines.insert(3, ("SHA-256 of the source", source or "not known: the archive is not beside the release"))
    return facts(lines)


def _purpose(found: SignOff) -> Iterator[Section]:
    answers = found.answers
    keys = (("purpose", "purpose"), ("necessity", "necessity"), ("release model", "release_model"))
    yield headed(2, facts((title, stated(answers.of(key))) for title, key in keys))
    rows = tuple(row(*(stated(entry.get(key)) for key in ("name", "kind", "agreement"))) for entry in found.recipients)
    none = () if rows else (f"Recipients: {NOT_STATED}.",)
    yield part(2, "a", Section("Recipients", ("recipient", "what they are", "agreement") if rows else (), rows, matrix=False, lines=none))


def _rules(found: SignOff) -> Iterator[Section]:
    answers = found.answers
    relied = answers.of("rules")
    keys = (("cost and time of identifying somebody", "cost_and_time"), ("technology now", "technology"), ("foreseeable", "foreseeable"))
    lines = [("texts relied on", stated(relied)), *((f"recital 26: {title}", stated(answers.of(key))) for title, key in keys)]
    yield headed(3, facts(lines))
    rows = [
        row(
            "whoever holds the original or the archive",
            "the table itself",
            "personal data",
            "they can attribute the records (EDPS v SRB; both readings)",
        )
    ]
    rows += [row(*(stated(entry.get(key)) for key in ("name", "means", "status", "reason"))) for entry in found.recipients]
    none = () if found.recipients else (f"Status for recipients: {NOT_STATED}.",)
    header = ("recipient", "what they hold or can obtain", "status", "why")
    yield part(3, "a", Section("Status for each recipient", header, tuple(rows), BY_WHOM, matrix=False, lines=none))
    named = relied if isinstance(relied, tuple) else ()
    texts = [
        row(f"{law.title} ({law.dated.year})" if i == 0 else "", point.says, point.at, HELD[point.confirmed], f"section {point.section}")
        for law in found.laws
        if not named or law.name in named
        for i, point in enumerate(law.points)
    ]
    sources = tuple(law.provenance for law in found.laws if not named or law.name in named)
    note = "Those that are relied on." if named else "Nobody stated which are relied on, so these are all that the tool knows."
    titles = ("text", "says", "where", "held against it", "answered in")
    yield part(3, "b", Section("What the texts say", titles, tuple(texts), note, matrix=False, lines=sources))


def _columns(found: SignOff) -> Section:
    rows = tuple(row(c.column, c.role, c.decided_by, c.confidence, c.done) for c in found.columns)
    lines = sentences(found.after.verdict.unassigned)
    note = "The last but one column is what anonscope proposes by itself, and how sure it is; a proposal decides nothing."
    return Section("", ("column", "role", "decided by", "proposal", "what was done"), rows, note, matrix=False, lines=lines)


def _attackers(found: SignOff) -> Section:
    answers, rows = found.answers, []
    known = {scenario.name: scenario.quasi_identifiers for scenario in found.before.roles.attackers}
    for name in dict.fromkeys((*known, *(str(entry["name"]) for entry in answers.attackers))):
        said = answers.attacker(name)
        who = words.scenario_title(name) if name in known else name
        knows = words.listed(known[name], limit=12) if name in known else "no scenario of the roles: not measured"
        tried = stated(said.get("likelihood")) + (f": {said['likelihood_reason']}" if "likelihood_reason" in said else "")
        harm = stated(said.get("harm")) + (f": {said['harm_reason']}" if "harm_reason" in said else "")
        rows.append(row(who, stated(said.get("who")), knows, tried, harm))
    if found.external is not None:
        rows.append(row("the holder of another table", f"has {found.external}", "what section 7 links", NOT_STATED, NOT_STATED))
    header = ("attacker", "who", "knows", "likelihood of an attempt", "harm")
    note = "What they know is what was measured; likelihood and harm are stated by people. Not stated counts as certain (1)."
    return Section("", header, tuple(rows), note, matrix=False)


def _threshold(found: SignOff) -> Section:
    policy = found.policy
    rows = [row(rule.label, rule.limit_text, ", ".join(rule.attacks)) for rule in policy.rules]
    rows += [row(rule.label, rule.limit_text, rule.question) for rule in policy.attack_rules]
    rows += [row(check.title, check.limit, "") for check in found.after.verdict.checks]
    lines = (
        f"Policy {policy.name} {policy.version}: {policy.title}. {policy.summary}",
        f"It comes from: {policy.origin}.",
        f"Why this one: {stated(found.answers.of('threshold_reason'))}.",
        f"The questions are {', '.join(ATTACKS)}.",
    )
    return Section("", ("rule", "limit", "guards against"), tuple(rows), matrix=False, lines=lines)
