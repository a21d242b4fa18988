"""From the rules of a policy, or from plain limits, to limits that the search can decide; and what no recoding can reach.

A rule is judged on every sensitive attribute and in every scope that it names, as the verdict does: the worst one decides.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import numpy as np

from anonscope.errors import PolicyError, joined, shown
from anonscope.io.figures import decimals
from anonscope.risk.metrics import METRICS, TableMetric, Totals
from anonscope.risk.policy import Policy, Rule, StatedException, from_limits
from anonscope.risk.policy.exceptions import eased_by
from anonscope.risk.policy.policy import check_searchable
from anonscope.transform.search import measures
from anonscope.transform.search.classes import Classes, Whole, whole
from anonscope.transform.search.distances import distance
from anonscope.transform.search.limits import Limit, from_bits, from_certainty
from anonscope.transform.search.problem import Distance, Problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Obstacle:
    """A limit that no recoding of the quasi-identifiers can keep, and why."""

    limit: Limit
    reason: str


def limits_of(
    asked: Policy | Sequence[Rule] | Mapping[str, float], problem: Problem, scenarios: Sequence[Sequence[str]] = ()
) -> tuple[Limit, ...]:
    """Return the limits that a policy, some rules, or metrics with their limits ask for.

    `scenarios` are sets of attributes that further attackers know; they too are asked about only where that is news.
    """
    if isinstance(asked, Policy):
        check_searchable(asked)
    rules = asked.rules if isinstance(asked, Policy) else from_limits(asked).rules if isinstance(asked, Mapping) else tuple(asked)
    exceptions = asked.exceptions if isinstance(asked, Policy) else ()
    # What waits for another table is judged when the release is audited against it; no recoding aims at it.
    rules = tuple(rule for rule in rules if rule.given is None)
    names = tuple(ladder.name for ladder in problem.ladders)
    found: list[Limit] = []
    for rule in rules:
        for limit in _of_rule(rule, problem, exceptions):
            if "whole" in rule.scopes:
                found.append(limit)
                found += [
                    limit.scoped(tuple(names.index(name) for name in known), tuple(known)) for known in scenarios if not limit.merging
                ]
            # What stays kept when classes are merged is kept for every attribute once it is for all of them together.
            implied = limit.merging and "whole" in rule.scopes
            if "each" in rule.scopes and not implied:
                found += [limit.scoped((a,), (name,)) for a, name in enumerate(names)]
            if "pair" in rule.scopes and not implied:
                found += [limit.scoped((a, b), (names[a], names[b])) for a in range(len(names)) for b in range(a + 1, len(names))]
    return tuple(found)


def obstacles(limits: Sequence[Limit], problem: Problem) -> tuple[Obstacle, ...]:
    """Return the limits that nothing can reach, each with the reason; known before any search.

    Merging all classes keeps what every class kept. So what one class that holds everybody breaks, no recoding keeps, as long as
    no record leaves; and where a part of a class is never better than the class, not even then.
    """
    table = whole(problem)
    everybody = Classes(problem, np.zeros(problem.tuples, dtype=np.int64), min(problem.tuples, 1), table)
    if problem.population is not None:
        top = np.array([ladder.height for ladder in problem.ladders])
        everybody = Classes(problem, np.zeros(problem.tuples, dtype=np.int64), min(problem.tuples, 1), table, top)
    all_stay = problem.suppressed == "keep" or problem.budget == 0
    found = []
    for limit in limits:
        decided = limit.shrinking or (limit.merging and all_stay)
        if decided and not np.all(limit.keeps(everybody)):
            found.append(Obstacle(limit=limit, reason=f"cannot be met by changing quasi-identifiers, because {_because(limit, table)}"))
    known = {stop.limit for stop in found}
    return (*found, *(stop for stop in _bounded(limits, problem, table) if stop.limit not in known))


def _bounded(limits: Sequence[Limit], problem: Problem, table: Whole) -> Iterator[Obstacle]:
    """Yield the limits that columns which must not become coarser than some level stand in the way of.

    The coarsest node that is allowed suppresses least: what must be suppressed there is suppressed by every recoding.
    """
    bound = [a for a, ladder in enumerate(problem.ladders) if problem.highest[a] < ladder.height]
    if not bound:
        return
    for limit in limits:
        if limit.per != "class" or not (limit.merging or limit.shrinking):
            continue
        least = float(limit.judged(Classes.at(problem, problem.highest, table, limit.attributes))[1].sum())
        if least > problem.budget:
            named = [problem.ladders[a].name for a in bound if limit.attributes is None or a in limit.attributes]
            same = "is to stay as it is" if len(named) == 1 else "are to stay as they are"
            finer = f"{'is' if len(named) == 1 else 'are'} not to become any coarser"
            kept = same if all(problem.highest[a] == 0 for a in bound) else finer
            reason = (
                f"contradicts that {joined(named)} {kept}: by that alone at least {decimals(least, 0)} of {problem.records:,} records "
                f"break it, and at most {problem.budget:,} may be suppressed"
            )
            yield Obstacle(limit=limit, reason=reason)


def _because(limit: Limit, table: Whole) -> str:
    """Return what the metric itself says stands in the way."""
    metric, counts = METRICS[limit.metric], None
    if metric.floor is None:
        return "even one group that holds everybody breaks it"
    if limit.sensitive is not None:
        counts = table.values[limit.sensitive]
    busiest = 1 / table.records if table.owners is None else float(table.owners.max()) / table.records
    totals = Totals(
        records=table.records,
        persons=table.persons,
        busiest_person=busiest,
        sensitive_values=0 if counts is None else int((counts > 0).sum()),
        commonest_value=0.0 if counts is None else float(counts.max()) / table.records,
        threshold=limit.threshold or 0,
        entropy=table.entropy(limit.sensitive),
    )
    return metric.floor(totals).because


def _of_rule(asked: Rule, problem: Problem, exceptions: Sequence[StatedException] = ()) -> Iterator[Limit]:
    """Yield a limit for everything that a rule is about, as far as no stated exception eases it."""
    rule = asked
    metric, make = METRICS[rule.metric], _MAKERS.get(rule.metric)
    if make is None:
        raise PolicyError(
            f"{metric.title} cannot be decided class by class or by adding up classes, so no search can aim at it. "
            f"It can keep limits on: {', '.join(DECIDABLE)}."
        )
    if "population" in metric.needs and problem.population is None:
        raise PolicyError(f"{metric.title} needs a population table, and none is given: name one (--population), or leave that limit out.")
    targets: list[int | None] = list(range(len(problem.sensitive)))
    if "sensitive" in metric.needs or rule.variant == "inference":
        if not targets:
            raise PolicyError(f"{metric.title} is about a sensitive attribute, and none is given.")
    elif not isinstance(metric, TableMetric) or rule.variant == "re-identification":
        targets = [None]
    else:
        targets = [None, *targets]
    for sensitive in targets:
        eased = eased_by(asked, problem.sensitive[sensitive].name if sensitive is not None else None, exceptions)
        if eased is None:
            continue
        rule = eased
        made = make(_Asked(rule, problem, sensitive))
        about = tuple(x for x in (problem.sensitive[sensitive].name if sensitive is not None else None, made.variant) if x)
        yield replace(
            made.limit,
            metric=rule.metric,
            minimum=rule.minimum,
            maximum=rule.maximum,
            strict=metric.strict,
            about=about,
            sensitive=sensitive,
            threshold=rule.threshold,
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """A rule about one sensitive attribute, or about none."""

    rule: Rule
    problem: Problem
    sensitive: int | None

    @property
    def of(self) -> int:
        assert self.sensitive is not None, "metrics that need a sensitive attribute are asked about one"
        return self.sensitive

    @property
    def events(self) -> bool:
        return self.problem.persons is not None


@dataclass(frozen=True, slots=True)
class _Made:
    limit: Limit
    variant: str | None = None


def _of_classes(measure: Callable[[Classes], Any], *, shrinking: bool = False, merging: bool = True, at_least: Any = None) -> Limit:
    return Limit(metric="", measure=measure, merging=merging, shrinking=shrinking, at_least=at_least)


def _of_table(measure: Callable[[Classes], Any], *, merging: bool) -> Limit:
    return Limit(metric="", measure=measure, per="table", merging=merging)


def _over(asked: _Asked, measure: Callable[[Classes], Any], per_class: Limit, *, people: bool) -> _Made:
    """Return a limit on a number that all records of a class share: the largest is the worst class's, the mean is the table's."""
    if asked.rule.statistic in ("max", "value"):
        return _Made(per_class)
    over = measures.over_members if people else measures.over_class_records
    merging = asked.rule.statistic == "mean" and not (people and asked.events)
    return _Made(_of_table(lambda classes: over(measure, classes, asked.rule.statistic), merging=merging), asked.rule.statistic)


def _own_share(asked: _Asked, sensitive: int | None) -> _Made:
    """Return a limit on uniformity or correlation."""
    if asked.rule.statistic == "max":
        return _Made(_largest_share(asked, sensitive))
    measure = partial(measures.own_share, sensitive=sensitive, statistic=asked.rule.statistic)
    return _Made(_of_table(measure, merging=asked.rule.statistic == "mean"), asked.rule.statistic)


def _largest_share(asked: _Asked, sensitive: int | None) -> Limit:
    alone = sensitive is None and not asked.events
    return _of_classes(partial(measures.largest_share, sensitive=sensitive), shrinking=alone, at_least=from_certainty)


def _closeness(asked: _Asked) -> _Made:
    attribute = asked.problem.sensitive[asked.of]
    kind = asked.rule.variant or attribute.distance
    if (kind == "ordered" and attribute.ranks is None) or (kind == "hierarchical" and attribute.tree is None):
        raise PolicyError(f"The {kind} distance of {shown(attribute.name)} is asked for, but the attribute has no such order or hierarchy.")
    measure = partial(distance, sensitive=asked.of, kind=cast(Distance, kind))
    return _Made(_of_classes(measure, at_least=from_certainty), kind)


def _entropy_diversity(asked: _Asked) -> _Made:
    measure = measures.whole_effective_values if asked.rule.variant == "floor" else measures.effective_values
    # Rounded down, the number is no longer concave, but what keeps it is.
    at_least = None if asked.rule.variant == "floor" else from_bits
    return _Made(_of_classes(partial(measure, sensitive=asked.of), at_least=at_least), asked.rule.variant)


def _recursive(asked: _Asked) -> _Made:
    if asked.rule.variant == "l = 2":
        return _Made(_of_classes(partial(measures.recursive, sensitive=asked.of, diversity_=2)), "l = 2")
    # With l the release's own diversity (at least 2), merging classes may ask for more.
    return _Made(_of_table(partial(measures.own_recursive, sensitive=asked.of), merging=False))


def _disclosure(asked: _Asked) -> _Made:
    strict = asked.rule.variant == "strict"
    # A class that lacks a value dilutes one that has it, and a value that is too rare counts where a missing one does not.
    return _Made(_of_classes(partial(measures.disclosure, sensitive=asked.of, strict=strict), merging=strict), asked.rule.variant)


def _profile(asked: _Asked) -> _Made:
    metric = METRICS[asked.rule.metric]
    assert isinstance(metric, TableMetric), "only these have formulas"
    reading = "re-identification" if asked.sensitive is None else "inference"
    formula = next(formula for formula in metric.formulas if formula.reading == reading)
    measure = partial(measures.profiled, formula.measure, sensitive=asked.sensitive)
    # More classes make its terms smaller, so merging may raise it.
    return _Made(_of_table(measure, merging=metric.name != "itpr"), reading)


def _read(measure: Callable[..., Any], *, at_least: Any = None, shrinking: bool = False) -> Callable[[_Asked], _Made]:
    """Return the maker of a limit about the person (or record) or about a sensitive attribute."""

    def make(asked: _Asked) -> _Made:
        reading = "re-identification" if asked.sensitive is None else "inference"
        alone = asked.sensitive is None and not asked.events
        made = _of_classes(partial(measure, sensitive=asked.sensitive), shrinking=shrinking or alone, at_least=at_least)
        return _Made(made, reading)

    return make


_MAKERS: dict[str, Callable[[_Asked], _Made]] = {
    "k_anonymity": lambda asked: _Made(_of_classes(measures.sizes, shrinking=True)),
    "l_diversity": lambda asked: _Made(_of_classes(partial(measures.diversity, sensitive=asked.of), shrinking=True)),
    "t_closeness": _closeness,
    "alpha_k_anonymity": lambda asked: _Made(_largest_share(asked, asked.of)),
    "entropy_l_diversity": _entropy_diversity,
    "recursive_c_l_diversity": _recursive,
    "basic_beta_likeness": lambda asked: _Made(_of_classes(partial(measures.gain, sensitive=asked.of))),
    "enhanced_beta_likeness": lambda asked: _Made(_of_classes(partial(measures.enhanced_gain, sensitive=asked.of))),
    "delta_disclosure": _disclosure,
    "uniqueness": lambda asked: _over(asked, measures.uniqueness, _of_classes(measures.uniqueness, shrinking=True), people=False),
    "uniformity": lambda asked: _own_share(asked, None),
    "correlation": lambda asked: _own_share(asked, asked.of),
    "itpr": _profile,
    "discrimination_rate": _profile,
    "mutual_information": _profile,
    "conditional_privacy": _profile,
    "maximum_information_leakage": _read(measures.leakage, shrinking=True),
    "entropy_l_diversity_risk": _read(measures.entropy_risk),
    "posterior": _read(measures.largest_share, at_least=from_certainty),
    "entropy_variation": _read(measures.entropy_variation),
    "average_class_size": lambda asked: _Made(_of_table(measures.average_size, merging=not asked.events)),
    "records_at_risk": lambda asked: _Made(
        _of_table(partial(measures.at_risk, threshold=asked.rule.threshold or 0), merging=not asked.events),
        f"below {asked.rule.threshold}",
    ),
    "distinction": lambda asked: _Made(_of_table(measures.distinction, merging=True)),
    "separation": lambda asked: _Made(_of_table(measures.separation, merging=True)),
    "prosecutor": lambda asked: _over(asked, measures.inverse_sizes, _of_classes(measures.inverse_sizes, shrinking=True), people=True),
    "marketer": lambda asked: _Made(
        _of_table(lambda classes: measures.over_members(measures.inverse_sizes, classes, "mean"), merging=not asked.events)
    ),
    "journalist": lambda asked: _over(
        asked, measures.inverse_population_sizes, _of_classes(measures.inverse_population_sizes, shrinking=True), people=True
    ),
    "k_map": lambda asked: _Made(_of_classes(measures.population_sizes, shrinking=True)),
}
DECIDABLE = tuple(_MAKERS)
