"""Why a table is at risk: which attributes are to blame, which sets of them single people out, what breaks each rule, what helps."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isclose

from anonscope.engines import Engine
from anonscope.engines.values import CODE, NUMBER
from anonscope.io.figures import per_cent
from anonscope.io.rounding import LEFT_OVER
from anonscope.risk.counting.grouping import sums
from anonscope.risk.explain import LARGEST_SET
from anonscope.risk.explain.blame import EXACT_UP_TO, SEED, Blames, blame, tuples_at_risk
from anonscope.risk.explain.coarsen import Way, ways
from anonscope.risk.explain.effect import Cells, CodedScenario, EffectTable, Found, Scale
from anonscope.risk.explain.few_facts import FewFacts, few_facts
from anonscope.risk.explain.minimal_unique import MinimalUniques, UniqueSet, largest_sets, minimal_uniques
from anonscope.risk.explain.next_steps import Advice, advise, ways_to_try
from anonscope.risk.explain.tuples import ExplainedTuples, check_size, fetch, fetch_cells, layout_of
from anonscope.risk.findings import Findings, ScenarioCounts
from anonscope.risk.policy import Rule, RuleResult

TOP_SETS = 10
# Sets of attributes times tuples. Above it an explanation that nobody asked for by name samples instead of counting all sets.
QUICK_WORK = 10**8


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """What breaks a failing rule: how many classes, and how many records in them. None: it cannot be told apart by class."""

    rule: int  # number of the rule in the policy
    metric: str
    label: str
    classes: int | None
    records: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """The reasons behind an audit, for the attacker under whom most records are at risk. Column names and counts only."""

    scenario: str
    attributes: tuple[str, ...]
    counted_in: str  # "record", or "person" where several records may belong to one
    rows: int
    blame: Blames
    unique_sets: tuple[UniqueSet, ...]  # those that make most records unique
    unique_set_count: int
    unique_up_to: int  # the largest set that was looked at
    unique_by_size: tuple[int, ...]  # records by the size of their smallest set
    contributions: dict[str, float]  # share of all SUDA scores that comes from sets with the attribute
    only_because: tuple[UniqueSet, ...]  # attributes without any one of which these records would not be unique
    causes: tuple[Cause, ...]
    next_steps: tuple[Advice, ...]
    sentences: tuple[str, ...]
    facts: FewFacts | None = None  # what charts show; no part of the JSON contract


def explain(
    engine: Engine,
    findings: Findings,
    *,
    scenario: str | None = None,
    largest_set: int = LARGEST_SET,
    quick: bool = False,
    seed: int = SEED,
) -> Why:
    """Return the reasons behind an audit whose counts are still on the engine.

    Shapley values are exact up to 12 attributes and sampled above; `quick` samples as soon as counting all sets takes long.
    """
    chosen = chosen_scenario(findings, scenario)
    picture = Picture(engine, findings)
    tuples = picture.table.tuples
    known = tuples.places(chosen.quasi_identifiers)
    exact = len(known) <= EXACT_UP_TO and not (quick and 2 ** len(known) * len(tuples) > QUICK_WORK)
    blames = blame(tuples, known, findings.policy.class_size, exact=exact, seed=seed)
    uniques = minimal_uniques(tuples, known, largest_set)
    because = tuple(_only_because(tuples, known))
    found = {number: picture.found(number) for number, _ in picture.failing}
    return Why(
        scenario=chosen.name,
        attributes=chosen.quasi_identifiers,
        counted_in="person" if findings.roles.event_level else "record",
        rows=findings.rows,
        blame=blames,
        unique_sets=largest_sets(uniques.sets, TOP_SETS),
        unique_set_count=len(uniques.sets),
        unique_up_to=uniques.size,
        unique_by_size=uniques.by_size(tuples.n),
        contributions=uniques.contributions,
        only_because=because,
        causes=tuple(_cause(number, result, found[number]) for number, result in picture.failing),
        next_steps=picture.advice(),
        sentences=tuple(_sentences(findings, blames, uniques, because, picture)),
        facts=few_facts(tuples, known, uniques, blames.unique),
    )


class Picture:
    """An audited table as arrays, and the rules that fail on it."""

    def __init__(self, engine: Engine, findings: Findings) -> None:
        self._engine, self._findings = engine, findings
        layout, roles = layout_of(engine, findings.roles), findings.roles
        check_size(engine, layout)
        tuples = fetch(engine, layout)
        cells = {
            name: Cells(fetch_cells(engine, layout, j), _scale(engine, len(layout.attributes) + j, _distance(findings, name)))
            for j, name in enumerate(roles.sensitive)
        }
        attackers = tuple(CodedScenario(s.name, tuples.places(s.quasi_identifiers)) for s in roles.attackers)
        self.table = EffectTable(tuples, cells, attackers)

    @property
    def failing(self) -> list[tuple[int, RuleResult]]:
        """The rules that fail, by their number in the policy."""
        return [(i, result) for i, result in enumerate(self._findings.verdict.rules) if result.status == "fail"]

    def found(self, number: int) -> Found | None:
        """Return what a rule finds on the tuples, if that is what the audit measured."""
        result = self._findings.verdict.rules[number]
        found = self.table.apply(result.rule)
        # A rule may be about more than is recomputed here (a hierarchy, joined attributes): then nothing is claimed.
        same = found is not None and result.value is not None and isclose(found.value, result.value, rel_tol=LEFT_OVER, abs_tol=LEFT_OVER)
        return found if same else None

    def advice(self) -> tuple[Advice, ...]:
        """Return the next steps for every rule that fails."""
        rules: list[tuple[int, Rule]] = [(number, result.rule) for number, result in self.failing if self.found(number) is not None]
        told = {a.rule: a for a in advise(self.table, rules, self._coarsenings() if rules else {})}
        return tuple(told.get(number) or _untold(number, result) for number, result in self.failing)

    def _coarsenings(self) -> dict[int, list[Way]]:
        tuples, class_size = self.table.tuples, self._findings.policy.class_size
        limit = ways_to_try(len(tuples), len(tuples.attributes))
        return {
            a: ways(self._engine, a, sums(tuples.codes[a], tuples.n, tuples.radices[a]), class_size, limit)
            for a in range(len(tuples.attributes))
        }


def chosen_scenario(findings: Findings, name: str | None) -> ScenarioCounts:
    """Return the scenario that was asked for, else the one with most members in small classes; raise where its classes mean nothing."""
    from anonscope.errors import NotExplained, OptionError, shown

    named = {scenario.name: scenario for scenario in findings.scenarios}
    if name is not None and name not in named:
        raise OptionError(f"No scenario is called {shown(name)}. There are: {', '.join(map(shown, named))}.")
    chosen = findings.worst_scenario if name is None else named[name]
    if made_up := findings.made_up(chosen):
        raise NotExplained(
            f"A recipe made up values of {', '.join(map(shown, made_up))}, so neither who stands alone nor why can be told from it."
        )
    return chosen


def _distance(findings: Findings, sensitive: str) -> str | None:
    return findings.roles.distance.get(sensitive)


def _scale(engine: Engine, attribute: int, distance: str | None) -> Scale:
    import numpy as np

    values, is_number = engine.arrays(
        f"SELECT v, CASE WHEN REGEXP_MATCHES(v, '{NUMBER}') AND NOT REGEXP_MATCHES(v, '{CODE}') THEN 1 ELSE 0 END AS b "
        f"FROM dictionary WHERE attribute = {attribute} ORDER BY code"
    )
    flags = np.concatenate([[False], is_number == 1])
    number = np.zeros(len(flags))
    number[flags] = values[flags[1:]].astype(np.float64)
    return Scale(number, flags, distance)


def _only_because(tuples: ExplainedTuples, known: tuple[int, ...], top: int = 3) -> Iterator[UniqueSet]:
    """Yield the attributes, one or two together, without any one of which most unique records would not be unique."""
    import numpy as np

    unique = np.flatnonzero(tuples_at_risk(tuples, known, 2))
    if len(unique) == 0 or len(known) < 2:
        return
    needed = np.array([~tuples_at_risk(tuples, known[:i] + known[i + 1 :], 2)[unique] for i in range(len(known))])
    together = (needed * tuples.n[unique].astype(np.float64)) @ needed.T.astype(np.float64)
    pairs = sorted(
        (
            UniqueSet((tuples.attributes[known[j]], tuples.attributes[known[i]]), int(together[i, j]))
            for i in range(len(known))
            for j in range(i)
        ),
        key=lambda s: -s.records,
    )
    singles = sorted((UniqueSet((tuples.attributes[a],), int(together[i, i])) for i, a in enumerate(known)), key=lambda s: -s.records)
    # Two together say more, unless one of them alone explains far more records.
    best = pairs if pairs[0].records * 2 >= singles[0].records else singles
    yield from (s for s in best[:top] if s.records)


def _cause(number: int, result: RuleResult, found: Found | None) -> Cause:
    return Cause(
        rule=number,
        metric=result.rule.metric,
        label=result.rule.label,
        classes=None if found is None else found.classes,
        records=None if found is None else found.records,
    )


def _untold(number: int, result: RuleResult) -> Advice:
    return Advice(
        rule=number,
        metric=result.rule.metric,
        label=result.rule.label,
        value=result.value,
        records_failing=None,
        steps=(),
        reason="the effect of a change on this measure is not computed",
    )


def _sentences(
    findings: Findings, blames: Blames, uniques: MinimalUniques, because: tuple[UniqueSet, ...], picture: Picture
) -> Iterator[str]:
    rows, persons = findings.rows, findings.roles.event_level
    if blames.unique:
        alone = "belongs to a combination that one person alone has" if persons else "is unique"
        if blames.unique > 1:
            alone = "belong to combinations that one person alone has" if persons else "are unique"
        yield f"{_records(blames.unique)} of {rows:,} {alone}{_because(because, blames.unique)}."
        within = sum(uniques.by_size(picture.table.tuples.n))
        if within:
            (first, *_) = largest_sets(uniques.sets, 1)
            size = uniques.size
            few = "one attribute alone is" if size == 1 else f"at most {size} attributes are"
            yield (
                f"For {_records(within)} {few} enough to stand alone; the set that does it most often is "
                f"{_with(first.attributes)} ({_records(first.records)})."
            )
    else:
        yield f"No {'person' if persons else 'record'} stands alone."
    if blames.at_risk and blames.attributes[0].shapley > 0:
        most = blames.attributes[0]
        about = "about " if blames.orders is not None else ""
        yield (
            f"{_records(blames.at_risk)} {'is' if blames.at_risk == 1 else 'are'} in groups of fewer than {blames.limit}; "
            f"{most.attribute} is most to blame, for {about}{per_cent(most.share, 0)} of them."
        )
        if most.without:
            yield f"If nobody knew {most.attribute}, {most.without:,} fewer records would be at risk."


def _because(because: tuple[UniqueSet, ...], unique: int) -> str:
    if not because:
        return ""
    first = because[0]
    of_them = "all of them" if first.records == unique else f"{first.records:,} of them"
    if unique == 1:
        of_them = "it is so"
    return f"; {of_them} only because of {_with(first.attributes)}"


def _with(attributes: tuple[str, ...]) -> str:
    """Return names as people say them: zip with age and sex."""
    first, *others = attributes
    if not others:
        return first
    *middle, last = others
    return f"{first} with {', '.join(middle)} and {last}" if middle else f"{first} with {last}"


def _records(count: int) -> str:
    return f"{count:,} record{'' if count == 1 else 's'}"
