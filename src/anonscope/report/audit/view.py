"""What a report shows, in reading order, before it becomes text, Markdown or HTML."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from anonscope.columns.suggestion.check import Check
from anonscope.report import words
from anonscope.risk.findings import Findings, ScenarioCounts
from anonscope.risk.metrics import METRICS, Measurement, Metric
from anonscope.risk.policy.exceptions import stated_lines

if TYPE_CHECKING:
    from anonscope.report.sheet import Section, Sheet
    from anonscope.risk.explain.why import Why

_EDGES = (1, 2, 3, 5, 11, 20)
# Families that are shown below the scores that most policies judge by.
_FURTHER = ("syntactic", "information")
# They stay near 1 for almost every table, so that a level would mislead.
_NEVER_SCORED = ("markov", "markov_chain")


@dataclass(frozen=True, slots=True)
class RuleLine:
    """One rule of the policy."""

    status: str
    label: str
    measured: str
    limit: str
    note: str
    title: str = ""  # of the metric, where it is about one


@dataclass(frozen=True, slots=True)
class Tile:
    """One of the three questions every release must answer."""

    attack: str
    question: str
    answer: str
    figure: str
    note: str


@dataclass(frozen=True, slots=True)
class Score:
    """One metric over the whole quasi-identifier or, if only that is measured, its worst attribute."""

    metric: Metric
    about: str
    mean: float | None
    worst: float | None
    level: words.RiskLevel | None
    note: str
    of_table: bool = False  # one number of the whole table; else that of the worst record
    variant: str | None = None
    sensitive: str | None = None

    @property
    def figure(self) -> str:
        """The worst value, or why there is none."""
        if self.worst is None:
            return "unbounded" if self.note.startswith("unbounded") else words.NOT_MEASURED
        return words.share(self.worst, 1) if self.metric.name == "records_at_risk" else words.number(self.worst)

    @property
    def kind(self) -> tuple[str, str | None]:
        """What it measures, about whichever sensitive attribute."""
        return self.metric.name, self.variant


@dataclass(frozen=True, slots=True)
class Told:
    """Scores of a kind: of several sensitive attributes the one most at risk, and the others."""

    worst: tuple[Score, ...]
    others: tuple[Score, ...]

    @property
    def grid(self) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
        """Header and rows of all sensitive attributes, a row each; a column a score, with its worst value."""
        found = {(s.sensitive, s.kind): s for s in (*self.worst, *self.others) if s.sensitive is not None}
        kinds = dict.fromkeys(s.kind for s in (*self.worst, *self.others) if s.sensitive is not None)
        alone = {name for name, _ in kinds if sum(name == other for other, _ in kinds) == 1}
        titles = (
            METRICS[name].title + ("" if name in alone or not variant else f", {variant.removesuffix('record').strip()}").rstrip(", ")
            for name, variant in kinds
        )
        names = dict.fromkeys(name for name, _ in found)
        rows = ((str(name), *(score.figure if (score := found.get((name, kind))) is not None else "" for kind in kinds)) for name in names)
        return ("sensitive attribute", *titles), tuple(rows)


@dataclass(frozen=True, slots=True)
class HeatCell:
    """The worst record's score of one attribute; None where it was not measured, which has no colour."""

    value: float | None
    level: words.RiskLevel | None

    @property
    def text(self) -> str:
        """The score and its level, or that there is none."""
        return words.NOT_MEASURED if self.value is None else f"{words.number(self.value)} {self.level}"


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One attribute on its own."""

    attribute: str
    missing: float
    cells: tuple[HeatCell, ...]


@dataclass(frozen=True, slots=True)
class GroupBar:
    """Records in groups of a range of sizes."""

    label: str
    members: int
    too_small: bool
    height: float


@dataclass(frozen=True, slots=True)
class ScenarioView:
    """Everything about one attacker."""

    name: str
    known: tuple[str, ...]
    classes: str
    conventional: tuple[Score, ...]
    extended: tuple[Score, ...]
    further: tuple[Score, ...]
    unmeasured: tuple[str, ...]
    heat_columns: tuple[str, ...]
    heat_rows: tuple[HeatRow, ...]
    bars: tuple[GroupBar, ...]
    members: str
    made_up: str  # why groups of look-alikes say nothing, where a recipe made values up; else empty

    def told(self, kind: Literal["conventional", "extended", "further"]) -> Told:
        """Return the scores of a kind, the sensitive attribute most at risk apart from the others."""
        scores: tuple[Score, ...] = getattr(self, kind)
        worst: dict[tuple[str, str | None], Score] = {}
        for s in scores:
            known = worst.get(s.kind)
            if known is None or _worse(s, known):
                worst[s.kind] = s
        kept = set(map(id, worst.values()))
        return Told(tuple(s for s in scores if id(s) in kept), tuple(s for s in scores if id(s) not in kept))

    @property
    def strip(self) -> tuple[Score, ...]:
        """The scores with a level, one of each kind, for a strip of small scales."""
        return tuple(s for s in self.told("extended").worst if s.level is not None)


@dataclass(frozen=True, slots=True)
class View:
    """The whole report."""

    findings: Findings
    headline: str
    sentence: str
    rules_sentence: str
    size: str
    rules: tuple[RuleLine, ...]
    tiles: tuple[Tile, ...]
    scenarios: tuple[ScenarioView, ...]
    metrics: tuple[Metric, ...]
    unassigned: tuple[str, ...]
    exceptions: tuple[str, ...] = ()  # what somebody stated to accept, with the reasons
    why: "Why | None" = None
    attacked: "tuple[Section, ...]" = ()  # what attacks found, where they were part of the audit
    shows_values: bool = False
    plan: "Sheet | None" = None  # how the table can be released, if that was asked for
    unseen: tuple[str, ...] = ()  # what nobody looked at
    information: "Section | None" = None  # the information-theoretic risk, attribute by attribute
    chains: "Section | None" = None  # Markov chain risk of who knows several attributes first
    defences: "Section | None" = None  # what the models behind the policy defend against by themselves
    hash: str = ""  # of the file, as a footer says it

    @property
    def tally(self) -> str:
        """How many rules there are of each status, in words."""
        counts = [(said, sum(rule.status == status for rule in self.rules)) for status, said in words.MET.items()]
        return ", ".join(f"{number} {said}" for said, number in reversed(counts) if number) or "the policy has no rule that could be asked"


def view(findings: Findings) -> View:
    """Arrange the findings; the worst scenario comes first."""
    several = len(findings.scenarios) > 1
    rules = tuple(
        RuleLine(
            r.status,
            r.label,
            words.measured(r),
            words.limit(r),
            words.explanation(r, several_scenarios=several),
            METRICS[r.rule.metric].title,
        )
        for r in findings.verdict.rules
    )
    rules += tuple(RuleLine(c.status, c.label, c.found or _columns(c), c.limit, c.reason or "") for c in findings.verdict.checks)
    rules += tuple(
        RuleLine(r.status, r.rule.label, "not measured" if r.value is None else words.number(r.value), r.rule.limit_text, r.reason or "")
        for r in findings.verdict.attack_rules
    )
    worst = findings.worst_scenario
    ordered = [worst, *(s for s in findings.scenarios if s is not worst)]
    size = f"{findings.rows:,} {'person' if findings.rows == 1 else 'people'}"
    if findings.persons is not None:
        size = f"{findings.rows:,} records of {findings.persons:,} people"
    return View(
        findings=findings,
        headline=words.headline(findings),
        sentence=words.sentence(findings),
        rules_sentence=words.rules_sentence(findings),
        size=size,
        rules=rules,
        tiles=tuple(tiles(findings)),
        scenarios=tuple(_scenario(findings, scenario) for scenario in ordered),
        metrics=tuple(METRICS[name] for name in dict.fromkeys(m.metric for m in findings.measurements)),
        unassigned=words.beside(findings.verdict),
        exceptions=tuple(stated_lines(findings.policy, findings.verdict)),
        unseen=tuple(_unseen(findings)),
    )


def _unseen(findings: Findings) -> Iterator[str]:
    """Say what the verdict does not rest on, so that nobody takes it for looked at: columns, questions, scores."""
    verdict = findings.verdict
    apart = [c for c in verdict.unassigned if c.word != "insensitive"]
    said = [c for c in verdict.unassigned if c.word == "insensitive"]
    if apart:
        one = len(apart) == 1
        yield f"{words.listed([c.column for c in apart])}: {'a column' if one else f'{len(apart)} columns'} that nobody gave a role."
    if said:
        yield f"{words.listed([c.column for c in said])}: called insensitive by whoever gave the roles."
    if words.not_assessed(verdict):
        yield words.not_assessed(verdict).strip()
    missing = [m for m in findings.measurements if m.status == "not measured"]
    titles = tuple(dict.fromkeys(METRICS[m.metric].title for m in missing))
    if titles:
        yield f"Not measured, with reasons among the scores: {words.listed(titles)}."
    if not findings.roles.sensitive:
        yield "No sensitive attribute was named, so that what could be concluded about somebody was not measured."
    yield "What an outsider knows beyond the quasi-identifiers, and other releases about the same people."


def _columns(check: Check) -> str:
    if check.status == "not measured":
        return "not measured"
    return f"{len(check.columns)} {'column' if len(check.columns) == 1 else 'columns'}"


def tiles(findings: Findings) -> Iterator[Tile]:
    """Yield the three questions with their answers, what decided each, and why one was not assessed."""
    for attack, answer in findings.verdict.attacks.items():
        results = findings.verdict.about[attack]
        question = words.ATTACK_QUESTIONS[attack]
        attacked = [r for r in findings.verdict.attack_rules if r.rule.question == attack]
        if attacked and (not results or all(r.status == "pass" for r in results)):
            said = next((r for r in attacked if r.status != "pass"), attacked[0])
            value = "—" if said.value is None else words.number(said.value)
            yield Tile(attack, question, answer, value, said.reason or f"the policy asks for {said.rule.limit_text}: {said.rule.label}")
            continue
        if not results:
            yield Tile(attack, question, answer, "—", f"{words.why_not_assessed(findings.verdict, attack)}; unmeasured is not passed")
            continue
        # The first rule that decided the answer speaks for the tile.
        decisive = {"fails": "fail", "not measured": "not measured"}.get(answer)
        shown = next((r for r in results if r.status == decisive or (answer == "acknowledge" and r.risk == "medium")), results[0])
        note = shown.reason or f"the policy asks for {words.limit(shown)}: {shown.label}"
        yield Tile(attack, question, answer, words.measured(shown).split(" (")[0], note)


def _scenario(findings: Findings, scenario: ScenarioCounts) -> ScenarioView:
    measurements = [m for m in findings.measurements if m.scenario == scenario.name]
    scores = list(_scores(findings, [m for m in measurements if m.status != "not measured"]))
    columns, rows = _heat(findings, scenario, measurements)
    level, made_up = findings.counted_in, findings.made_up(scenario)
    return ScenarioView(
        name=scenario.name,
        known=scenario.quasi_identifiers,
        classes="groups of look-alikes not measured" if made_up else f"{scenario.sizes.classes:,} groups of look-alikes",
        conventional=tuple(s for s in scores if s.metric.family not in ("extended", *_FURTHER)),
        extended=tuple(s for s in scores if s.metric.family == "extended"),
        further=tuple(s for s in scores if s.metric.family in _FURTHER),
        unmeasured=tuple(_unmeasured(measurements)),
        heat_columns=columns,
        heat_rows=rows,
        bars=() if made_up else tuple(_bars(scenario.sizes.of(level), findings.policy.class_size)),
        members="People" if level == "record" else "People, once per group,",
        made_up=words.groups_mean_nothing(made_up) if made_up else "",
    )


def _unmeasured(measurements: list[Measurement]) -> Iterator[str]:
    """Say what could not be measured in a line for each reason, so that nobody takes it for measured and safe."""
    missing = [m for m in measurements if m.status == "not measured"]
    for reason in dict.fromkeys(m.reason for m in missing):
        titles = dict.fromkeys(METRICS[m.metric].title for m in missing if m.reason == reason)
        yield f"{words.listed(tuple(titles), limit=12)}: {reason}"


def _scores(findings: Findings, measurements: list[Measurement]) -> Iterator[Score]:
    for m in measurements:
        if m.attributes is not None:
            continue
        metric = METRICS[m.metric]
        worst = m.max if m.max is not None else m.value
        scored = metric.family == "extended" and metric.name not in _NEVER_SCORED and worst is not None
        yield Score(
            metric=metric,
            about=words.place(m, several_scenarios=False),
            mean=m.mean,
            worst=worst,
            level=words.risk_level(worst) if scored and worst is not None else None,
            note=_note(findings, m, measurements),
            of_table=m.max is None,
            variant=" ".join(part for part in (m.variant, m.level) if part),
            sensitive=m.sensitive,
        )


def _worse(one: Score, other: Score) -> bool:
    """Whether a score is nearer to a breach than another; what is not known is nearest."""
    if one.worst is None or other.worst is None:
        return one.worst is None and other.worst is not None
    return one.worst < other.worst if one.metric.safer == "higher" else one.worst > other.worst


def _note(findings: Findings, m: Measurement, measurements: list[Measurement]) -> str:
    if m.status != "measured":
        return f"{m.status}: {m.reason}"
    # Where k was not measured, nothing is said of it.
    k = next((x.value for x in measurements if x.metric == "k_anonymity" and x.level == "record" and x.status == "measured"), None)
    if m.metric == "l_diversity" and k is not None:
        values = next(s.values for s in findings.sensitive if s.name == m.sensitive)
        return f"at most {min(int(k), values):,} is possible: the smaller of k and {values:,} distinct values"
    if m.metric == "alpha_k_anonymity":
        return "k is not measured" if k is None else f"beside k = {int(k):,}"
    if m.metric in _NEVER_SCORED:
        return f"{m.variant} reading; reported, never used for a verdict" if m.variant else "reported, never used for a verdict"
    if m.metric == "records_at_risk" and m.variant:
        return f"in groups {m.variant}"
    if m.sum is not None:
        return f"{words.number(m.sum)} expected to be found"
    if m.count is not None:
        one, several = ("record", "records") if m.level == "record" and METRICS[m.metric].family != "population" else ("person", "people")
        return f"{m.count:,} {one if m.count == 1 else several}"
    return ""


def _heat(findings: Findings, scenario: ScenarioCounts, measurements: list[Measurement]) -> tuple[tuple[str, ...], tuple[HeatRow, ...]]:
    # Colours stand for scores from 0 to 1 that every record has; what has no upper end, is always near it or was not measured has none.
    singles = [
        m
        for m in measurements
        if m.attributes is not None and m.max is not None and METRICS[m.metric].range == (0, 1) and m.metric not in _NEVER_SCORED
    ]
    columns = list(dict.fromkeys((m.metric, m.sensitive) for m in singles))
    # A score of one attribute may be missing where others have it: among made-up values it would mean nothing.
    values = {(m.metric, m.sensitive, m.attributes[0]): m.max for m in singles if m.attributes}
    rows = tuple(
        HeatRow(
            attribute,
            findings.missing.get(attribute, 0.0),
            tuple(_heat_cell(values.get((metric, sensitive, attribute))) for metric, sensitive in columns),
        )
        for attribute in scenario.quasi_identifiers
    )
    titles = tuple(METRICS[metric].title + (f" with {sensitive}" if sensitive else "") for metric, sensitive in columns)
    return titles, rows


def _heat_cell(value: float | None) -> HeatCell:
    return HeatCell(value, None if value is None else words.risk_level(value))


def _bars(sizes: tuple[tuple[int, int], ...], class_size: int) -> Iterator[GroupBar]:
    """Members by the size of their group, with the policy's limit as one of the edges."""
    edges = sorted({*_EDGES, class_size})
    counts = []
    for low, high in zip(edges, [*edges[1:], None], strict=True):
        members = sum(n * count for n, count in sizes if n >= low and (high is None or n < high))
        label = f"{low}+" if high is None else f"{low}" if high == low + 1 else f"{low}–{high - 1}"
        counts.append((label, members, low < class_size))
    largest = max(members for _, members, _ in counts) or 1
    for label, members, too_small in counts:
        yield GroupBar(label, members, too_small, members / largest)
