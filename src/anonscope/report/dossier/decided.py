"""Sections 10 to 13 of a dossier: what is left, other releases, the verdict, and how to make it again."""

from collections.abc import Iterator
from datetime import date

from anonscope.attacks.registry import ATTACKS
from anonscope.attacks.success import Success
from anonscope.io.figures import decimals
from anonscope.operations.sign_off import SignOff
from anonscope.report import words
from anonscope.report.dossier.parts import facts, headed, part, stated
from anonscope.report.sheet import Cell, Section, row
from anonscope.risk.policy.exceptions import stated_lines

NEVER = "It says what was measured and what the named rules ask. It is no opinion on the law, and it never says that nobody can be found."


def not_signed(found: SignOff) -> str:
    """Return why nobody should sign, whatever was measured."""
    return "not what was published" if not found.verification.holds else "measured against another table than it was made of"


def decided(found: SignOff) -> Iterator[Section]:
    """Yield the sections."""
    yield headed(10, _left(found))
    yield headed(11, _others(found))
    yield from _verdict(found)
    yield headed(13, _again(found))


def _left(found: SignOff) -> Section:
    answers, verdict = found.answers, found.after.verdict
    missing = [r.rule.label for r in verdict.rules if r.status == "not measured"]
    missing += [rule.label for rule in verdict.set_aside]
    lines = [
        ("what the audit of the release says", words.sentence(found.after)),
        ("what the policy asked and nobody could measure", "; ".join(missing) or "nothing"),
        ("what attacks found that no rule of the policy limits", _unlimited(found)),
        ("organisational measures", stated(answers.of("measures"))),
        ("who accepts what is left, and why", stated(answers.of("residual_risk"))),
    ]
    return facts(lines)


def _unlimited(found: SignOff) -> str:
    """Return the attacks that got further than chance and that the policy does not limit, in words: they are for a person to judge."""
    limited = {rule.attack for rule in found.policy.attack_rules}
    worst: dict[str, Success] = {}
    for result in found.attacks.results if found.attacks is not None else ():
        beyond_chance = result.risk is not None and result.interval is not None and result.interval.low > 0
        if beyond_chance and not result.smoke_test and result.attack not in limited:
            known = worst.get(result.attack)
            if known is None or (result.risk or 0.0) > (known.risk or 0.0):
                worst[result.attack] = result
    told = [f"{ATTACKS[name].title.lower()} by {r.variant}, risk {decimals(r.risk, 4)}" for name, r in worst.items()]
    return "; ".join(told) or "nothing beyond chance"


def _others(found: SignOff) -> Section:
    composed = found.published.manifest.get("composition")
    if composed is None:
        measured = "not measured: the release was not checked against a register of releases when it was published"
    else:
        measured = str(composed["sentence"])
    return facts([("known to whoever signs", stated(found.answers.of("other_releases"))), ("checked against earlier releases", measured)])


def _verdict(found: SignOff) -> Iterator[Section]:
    verdict, answers = found.after.verdict, found.answers
    outcome = verdict.outcome if found.holds else "withhold"
    lines: list[tuple[str, str | Cell]] = [
        ("by the policy", words.policy_named(found.policy)),
        ("verdict", Cell(words.headline(found.after) if found.holds else not_signed(found), tone=words.TONES[outcome])),
        ("rules", words.rules_sentence(found.after)),
        ("conditions", stated(answers.of("conditions"))),
        ("review by", _review(found)),
    ]
    lines += [("exception", line) for line in stated_lines(found.policy, verdict)]
    yield headed(12, facts(lines, further=(NEVER,)))
    rows = tuple(row(stated(e.get("name")), stated(e.get("function")), "", "") for e in answers.signatories) or (
        row(stated(None), stated(None), "", ""),
    )
    yield part(12, "a", Section("Signatures", ("name", "function", "place and date", "signature"), rows, matrix=False, to_sign=True))


def _review(found: SignOff) -> str:
    """Return when it is looked at again; a day that was over when the dossier was made is said to be."""
    day = found.answers.of("review_date")
    return f"{stated(day)}, which was over when this was made" if isinstance(day, date) and day < found.made else stated(day)


def _again(found: SignOff) -> Section:
    told, kept = found.published.manifest, found.published.kept
    software = told.get("software") or {"anonscope": told["anonscope"], **told["versions"]}
    lines = [
        ("software", ", ".join(f"{name} {version}" for name, version in software.items())),
        ("policy", f"{found.policy.name} {found.policy.version}"),
        ("to check the release", f"anonscope verify {told['release']['name']}"),
    ]
    lost = told.get("epsilon")
    lines.append(("epsilon of a person", "no guarantee is stated" if lost is None else lost))
    if not found.internal:
        return facts(lines, "Recipe, seeds and hierarchies stay with whoever answers for the table.")
    if kept is None:
        return facts([*lines, ("recipe, seeds, hierarchies", "not known: the archive is not beside the release")])
    lines += [
        ("SHA-256 of the recipe", kept["recipe"]["sha256"] or "none: the table was drawn"),
        ("seeds", ", ".join(map(str, kept["seeds"])) or "none"),
        ("hierarchies", ", ".join(kept["hierarchies"].values()) or "those that the recipe names"),
    ]
    lines += [(f"SHA-256 of {name}", known) for name, known in kept["files"].items()]
    return facts(lines, "This section makes the edition an internal one: whoever has a seed can undo what it made.")
