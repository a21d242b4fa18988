"""Measure a table and judge it by a policy: the public function and its result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from anonscope.errors import DataClosed, MissingExtra, NotExplained, OptionError
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.operations.read import Data, Link, Population, opening
from anonscope.operations.result import Result
from anonscope.operations.wishes.policy import Keeping, Measuring
from anonscope.operations.wishes.words import said
from anonscope.risk.counting.population import DEFAULT_THRESHOLD, Matched, Outside
from anonscope.risk.explain import LARGEST_SET
from anonscope.risk.findings import Findings, Request
from anonscope.risk.measuring.attack import POPULATION_METRICS
from anonscope.risk.measuring.run import run
from anonscope.risk.measuring.selection import NOT_ASKED
from anonscope.risk.metrics import Measurement
from anonscope.risk.policy import DEFAULT, Policy, excepting
from anonscope.risk.policy import load as load_policy

if TYPE_CHECKING:
    from anonscope.operations.attack import Attacks
    from anonscope.operations.attacking.attack_with import AttackWith
    from anonscope.operations.keeping.counts import Counting
    from anonscope.operations.plan import Plan
    from anonscope.risk.explain.chain import ChainRisk
    from anonscope.risk.explain.why import Why
    from anonscope.transform.recipe import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Findings, Result):
    """What an audit found: verdict, measurements, class sizes; renders itself as text, JSON, Markdown or HTML."""

    explanation: "Why | None" = None
    attacks: "Attacks | None" = None
    chains: "tuple[ChainRisk, ...]" = ()  # Markov chain risk of attackers who know several attributes first
    planned: "Plan | None" = None  # what every report leads with, if it was asked for
    _link: Link | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> list[Any]:
        # What is copied or pickled is the result; the connection stays behind.
        return [None if f.name == "_link" else getattr(self, f.name) for f in fields(self)]

    def why(self, *, scenario: str | None = None, largest_set: int = LARGEST_SET) -> "Why":
        """Return the reasons: blame of every attribute, minimal unique sets, what breaks each rule, and what to do next.

        It looks at the attacker under whom most records are at risk unless `scenario` names another. Data must be open, unless
        the audit was made with `explain=True`.
        """
        if self.explanation is not None and scenario in (None, self.explanation.scenario) and largest_set == LARGEST_SET:
            return self.explanation
        data = self._open_data("why()", "Call it before the table is closed, or audit with explain=True.")
        if largest_set < 1:
            raise OptionError(f"The largest set must have at least one attribute, not {largest_set}.")
        from anonscope.risk.explain.why import explain as reasons  # late: an audit that nobody asks for reasons loads none of it

        return reasons(data.engine, self._in_full(data), scenario=scenario, largest_set=largest_set)

    def records(
        self,
        top: int | None = 20,
        *,
        scenario: str | None = None,
        rule: str | None = None,
        save: str | Path | None = None,
        values: bool = False,
        confirm: bool = False,
        largest_set: int | None = None,
    ) -> Any:
        """Return the records at most risk as an Arrow table: row number, class size, every risk, minimal unique set, SUDA score.

        `top=None` gives all records; `rule` those that break a failing rule about this metric or, where none fails, those first that
        come nearest to it. Every score has a column, of the whole combination and of each attribute. `save` writes them to a CSV or
        Parquet file. `largest_set` bounds the attributes of a minimal unique set; without it all sizes count, as in SUDA2, unless
        there are too many: the metadata of the table say how far it went (`suda_largest_set`, `suda_complete`). The table helps an
        attacker, so keep it apart; with `values` it shows people, which must be confirmed.
        """
        from anonscope.risk.explain.records import Choice, records, save_records

        if values and not confirm:
            raise OptionError("Values of records show people. Say confirm=True as well if that is meant.")
        if top is not None and top < 1:
            raise OptionError(f"The number of records must be at least 1, not {top}.")
        data = self._open_data("records()", "Call it before the table is closed.")
        if largest_set is not None and largest_set < 1:
            raise OptionError(f"The largest set must have at least one attribute, not {largest_set}.")
        choice = Choice(scenario=scenario, top=top, rule=rule, values=values, largest_set=largest_set)
        table = records(data.engine, data.relation, self._in_full(data), choice, data.rows)
        if save is not None:
            save_records(table, Path(save))
        return table

    def plan(self, **asked: Any) -> "Plan":
        """Return how the table can be released: the best recodings found, or what would have to give; see `anonscope.plan`.

        It is worked out from the counts at first use, while the table is open. `asked` is what `plan` takes beside the policy.
        """
        if self.planned is not None and not asked:
            return self.planned
        from anonscope.operations.plan import planned

        data = self._open_data("plan()", "Call it before the table is closed.")
        assert self._link is not None, "an open table has a link"
        known: Plan | None = self._link.plan
        if not asked and known is not None:
            return known
        whole = self._in_full(data)
        if any(s.name == "record" for s in data.engine.statements[len(whole.statements) :]):
            # Something else was counted on the engine since: the counts of this table have to be there again.
            audit(data, self.policy)
        found = planned(data, whole, took=self._link.seconds, **asked)
        if not asked:
            self._link.plan = found
        return found

    @property
    def source_hash(self) -> str | None:
        """The SHA-256 of the file that was audited; None where there is no such file, or it is not the same any more."""
        stamp = self._link.file if self._link is not None else None
        if stamp is None or not stamp.unchanged:
            return None
        from anonscope.transform.release.manifest import file_hash

        return file_hash(stamp.path)

    def _open_data(self, question: str, instead: str) -> Data:
        if self._link is not None and self._link.in_parts:
            raise OptionError(f"{question} needs the records, and of a table in parts only counts are kept. Audit the whole table for it.")
        if self._link is None or self._link.data is None:
            raise DataClosed(question, instead)
        return self._link.data

    def _in_full(self, data: Data) -> "Audit":
        """Return this audit, or a whole one where only some metrics were asked for: what follows from them rests on all."""
        return self if self.only is None else audit(data, self.policy)

    def __getitem__(self, metric: str) -> Measurement:
        """Return the first measurement of a metric: the whole quasi-identifier, the first scenario."""
        return self.select(metric)[0]

    def select(
        self, metric: str, *, attribute: str | None = None, sensitive: str | None = None, scenario: str | None = None, **also: str
    ) -> tuple[Measurement, ...]:
        """Return the measurements of a metric that fit; `variant` and `level` may be given too."""
        wanted = also | {k: v for k, v in (("sensitive", sensitive), ("scenario", scenario)) if v is not None}
        return tuple(
            m
            for m in self.measurements
            if m.metric == metric
            and (attribute is None or m.attributes == (attribute,))
            and all(getattr(m, key) == value for key, value in wanted.items())
        )

    def to_frame(self) -> Any:
        """Return the measurements as a pandas data frame, one row each."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("A data frame of the measurements", "pandas") from None
        return pd.DataFrame(self.to_dict()["measurements"])


@shown_in_notebooks
@opening
def audit(
    data: Any,
    policy: str | Path | Policy = DEFAULT,
    *,
    only: Iterable[str] | None = None,
    for_policy: bool = False,
    pairs: bool = False,
    joined: bool = False,
    literal_chain: bool = False,
    chains: Sequence[Sequence[str]] = (),
    risk_threshold: float = DEFAULT_THRESHOLD,
    explain: bool | Literal["quick"] = False,
    zip_populations: str | Path | None = None,
    exceptions: Mapping[str, str] | None = None,
    attacks: "AttackWith | None" = None,
    keep_counts: str | Path | None = None,
    with_counts: str | Path | None = None,
    counts_key: str | Path | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Audit:
    """Measure every metric on a table and judge it by a policy: a preset's name, a TOML file, or a `Policy`.

    `data` is what `read` returns, or what `read` takes; then its keywords are taken too, and the table is closed afterwards. With `only`,
    just the metrics that it names are measured, and with `for_policy` those that the policy judges: sooner, and the others are said not
    to be measured. With `pairs`, the information-theoretic metrics take every two attributes together as well. With `joined`, each
    sensitive attribute is measured once more against an attacker who knows all the others. With `literal_chain`, Markov chain risk is
    measured to the letter of its equation as well; each of `chains` is a list of attributes that an attacker knows first. Records whose
    risk is above `risk_threshold` are counted for every attacker. With
    `explain`, the reasons are worked out at once and become part of every report; "quick" estimates blame where counting it exactly would
    take long. `zip_populations` is a CSV file of the first three digits of ZIP codes and the people who live there, which the policy
    hipaa-safe-harbor needs for such codes. `exceptions` says which limits may be left, how far, and why: {"correlation:income<=0.78":
    "reason"}; a table that needs one is never said to meet the policy. `attacks` says with what the table is attacked as a release of its
    original (`AttackWith`): then rules about attacks are judged too, and every report shows them. `keep_counts` is a private folder for the
    counts of a table that comes in parts: all parts counted there are audited together with this one, whose counts are added; with
    `with_counts` the folder stays as it is. `counts_key` is the file of its key, drawn the first time.
    """
    if reading:
        raise TypeError(f"audit() got an unexpected keyword argument {min(reading)!r}")
    asked = Measuring(
        only=only,
        for_policy=for_policy,
        pairs=pairs,
        joined=joined,
        literal_chain=literal_chain,
        chains=chains,
        risk_threshold=risk_threshold,
    )
    judged_by = excepting(load_policy(policy), exceptions)
    counts = _counting(data, Keeping(keep_counts=keep_counts, with_counts=with_counts, counts_key=counts_key), judged_by, explain, attacks)
    request = Request(
        **said(asked, without=("only", "for_policy", "chains")),
        only=_named(asked, judged_by),
        outside=_linked(data),
        perturbed=data.perturbed,
        privacy_loss=data.privacy_loss,
        guarantee=data.guarantee,
        acknowledged=data.acknowledged,
        named=data.named,
        notices=data.notices,
        kept=counts.kept if counts is not None else None,
    )
    if zip_populations is not None:
        from anonscope.columns.suggestion.safe_harbor import read_zip_populations

        request = replace(request, zip_populations=read_zip_populations(Path(zip_populations)))
    if explain and request.only is not None:
        raise OptionError("Reasons rest on everything that is measured. Ask for them in an audit without only and for_policy.")
    began = monotonic()
    found = run(data.engine, data.relation, data.roles, judged_by, rows=data.rows, request=request, progress=progress)
    if (outside := _linked_by_notation(data, request.outside, found)) is not None:
        request = replace(request, outside=outside)
        found = run(data.engine, data.relation, data.roles, judged_by, rows=data.rows, request=request, progress=progress)
    result = Audit.of(found, _link=Link(data, monotonic() - began, in_parts=counts is not None))
    if counts is not None:
        result = replace(result, warnings=(*counts.finish(data, [found.column for found in result.verdict.repeated]), *result.warnings))
    result = replace(result, suggestion=data.suggestion)
    if asked.chains:
        from anonscope.risk.explain.chain import chain_risks_of  # late: who does not ask loads none of it

        result = replace(result, chains=chain_risks_of(data.engine, result, asked.chains))
    if attacks is not None:
        from anonscope.operations.attack import attacked_too  # late: who does not attack loads none of it

        result = attacked_too(result, data, attacks, progress=progress)
    if not explain:
        return result
    from anonscope.risk.explain.why import explain as reasons

    try:
        why = reasons(data.engine, result, quick=explain == "quick")
    except NotExplained as problem:
        # What was measured stands; that there are no reasons is said where a reader looks for what is amiss.
        return replace(result, warnings=(*result.warnings, f"Why, and what to do next, was not worked out. {problem}"))
    return replace(result, explanation=why, statements=data.engine.statements)


def _counting(
    data: Data, asked: Keeping, policy: Policy, explain: bool | Literal["quick"], attacks: "AttackWith | None"
) -> "Counting | None":
    if asked == Keeping():
        return None
    from anonscope.operations.keeping.counts import counting  # late: most tables are audited as a whole

    return counting(data, asked, policy, explain=explain, attacks=attacks)


def _named(asked: Measuring, policy: Policy) -> frozenset[str] | None:
    """Return the metrics that are to be measured; None is all of them."""
    if asked.only is None and not asked.for_policy:
        return None
    return frozenset(asked.only or ()) | (frozenset(rule.metric for rule in policy.rules) if asked.for_policy else frozenset())


def _linked(data: Data) -> Outside:
    """Return what is known of the world outside: of a release whose recipe is known, whom of the population its labels may be."""
    if data.population is None or data.engine.remote or data.outside.matched:
        return data.outside
    from anonscope.transform.release.beside import recipe_beside

    recipe = data.recipe or recipe_beside(data.path)
    if recipe is None or not {column for step in recipe.steps for column in step.columns} & set(data.roles.attributes):
        return data.outside
    return replace(data.outside, matched=(_match(data, data.population, recipe),))


def _linked_by_notation(data: Data, outside: Outside, found: Findings) -> Outside | None:
    """Return the world outside once more where equal values say nothing of a population, and what labels stand for does."""
    metrics = ("k_map",) if found.only is None or "k_map" in found.only else POPULATION_METRICS
    counted = [m for m in found.measurements if m.metric in metrics and m.variant is None and m.reason != NOT_ASKED]
    if data.population is None or data.engine.remote or outside.matched or all(m.status == "measured" for m in counted):
        return None
    matched = _match(data, data.population, None)
    return None if matched.undecided or matched.short or matched.lacking else replace(outside, matched=(matched,))


def _match(data: Data, population: Population, recipe: "Recipe | None") -> Matched:
    from anonscope.attacks.linkage.images import images_of  # late: most tables come without a population
    from anonscope.columns.hierarchy import read_hierarchy
    from anonscope.operations.link import matched_population

    files = {column: Path(path) for column, path in data.roles.hierarchies.items() if column in data.roles.attributes}
    given = {column: read_hierarchy(path, column) for column, path in files.items()}
    return matched_population(data, population, images_of(data.columns, recipe, given, data.perturbed))
