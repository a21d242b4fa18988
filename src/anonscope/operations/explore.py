"""What if: every level of every quasi-identifier, tried on the distinct tuples of a table that is not read again.

What it says of some levels and of a limit on suppression is what an audit of that release would find. Where more records would
have to be suppressed than may be, nothing is suppressed, and the numbers are those of the table with its columns coarsened only.
"""

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anonscope.columns.hierarchy import Hierarchy
from anonscope.columns.hierarchy.for_columns import hierarchies_for
from anonscope.errors import ColumnNotFound, OptionError, PolicyError, shown
from anonscope.io.progress import Progress
from anonscope.operations.read import Data
from anonscope.risk.counting.arrays import Floats
from anonscope.risk.counting.columns import read_columns
from anonscope.risk.metrics import METRICS
from anonscope.risk.metrics.metric import Attack
from anonscope.risk.policy import ATTACKS, Policy, Rule, UnassignedColumn
from anonscope.risk.policy.edge import exceeds
from anonscope.risk.policy.policy import check_searchable
from anonscope.risk.rounding import rounded
from anonscope.transform.search.classes import Classes
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.losses import DEFAULT_LOSS, prepared
from anonscope.transform.search.nodes import Evaluator
from anonscope.transform.search.prepare import SearchSettings, prepare
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.recoding import everywhere
from anonscope.transform.search.release import release_classes
from anonscope.transform.search.targets import limits_of

DEFAULT_SUPPRESSION = 0.05
# The bars of the histogram of class sizes.
_BARS = ((1, 1), (2, 2), (3, 4), (5, 10), (11, 20), (21, 50), (51, 100), (101, 1000), (1001, None))


@dataclass(frozen=True, slots=True)
class _Judged:
    """A rule of the policy and the limits it means for this table; or why it cannot be decided from tuples."""

    rule: Rule
    limits: tuple[Limit, ...]
    reason: str | None = None


def explorer_of(data: Data, policy: Policy, progress: Progress, unassigned: Sequence[UnassignedColumn] = ()) -> "Explorer":
    """Return the explorer of a table: this reads it, once. Columns in no measurement, as its audit found them, count in every verdict."""
    roles = data.roles
    if policy.checklist is not None:
        raise PolicyError(f"The policy {policy.name} is a list of what columns may hold; levels do not change its verdict.")
    roles.check(data.columns)
    progress("making hierarchies", 0, 3)
    ladders = hierarchies_for(data.engine, data.relation, roles.attributes, roles.hierarchies, data.rows)
    progress("counting combinations", 1, 3)
    wanted = [*roles.attributes, *roles.sensitive, *([roles.person] if roles.person is not None else [])]
    columns = read_columns(data.engine, data.relation, wanted, data.rows)
    # As much as need be is suppressed here; whether that may be is asked afterwards, so that a limit can move without new tuples.
    problem = prepare(columns, roles, ladders, SearchSettings(suppression=1.0)).problem
    progress("judging the table as it is", 2, 3)
    scenarios = [s.quasi_identifiers for s in roles.scenarios]
    return Explorer(problem, policy, scenarios, ladders, unassigned)


class Explorer:
    """Answers what a release at some levels would be like."""

    def __init__(
        self,
        problem: Problem,
        policy: Policy,
        scenarios: Sequence[Sequence[str]] = (),
        ladders: Mapping[str, Hierarchy] | None = None,
        unassigned: Sequence[UnassignedColumn] = (),
    ) -> None:
        check_searchable(policy)
        self.problem, self.policy, self.unassigned = problem, policy, tuple(unassigned)
        self._ladders = ladders or {}
        self._judged = tuple(_judged(rule, problem, scenarios) for rule in policy.rules if rule.given is None)
        limits = [limit for judged in self._judged for limit in judged.limits]
        self._evaluator = Evaluator(problem, limits, prepared(DEFAULT_LOSS, problem))
        # Tuples at a level are kept once they are counted, which two requests must not do at the same time.
        self._lock = threading.Lock()

    @property
    def columns(self) -> list[dict[str, Any]]:
        """The quasi-identifiers with what each of their levels is, as plain data."""
        return [
            {
                "column": ladder.name,
                "levels": [
                    {"level": level, "values": ladder.nodes(level) - (level < ladder.height), "words": self._words(ladder.name, level)}
                    for level in range(ladder.height + 1)
                ],
            }
            for ladder in self.problem.ladders
        ]

    def describe(self) -> dict[str, Any]:
        """Return what can be chosen, and the table as it is, as plain data."""
        return {
            "policy": self.policy.name,
            "records": self.problem.records,
            "tuples": self.problem.tuples,
            "suppression": DEFAULT_SUPPRESSION,
            "columns": self.columns,
            "columns_without_role": [c.to_dict() | {"unanswered": c.unanswered} for c in self.unassigned],
            "start": self.explore({}, 0.0),
        }

    def explore(self, levels: Mapping[str, int], suppression: float) -> dict[str, Any]:
        """Return what a release at these levels would be like, as plain data; a column that is left out stays as it is."""
        started = time.perf_counter()
        at = self._levels(levels)
        if not 0 <= suppression <= 1:
            raise OptionError(f"A suppression limit is a share from 0 to 1, not {suppression:g}.")
        with self._lock:
            found = self._found(at, suppression)
        return found | {"milliseconds": round(1000 * (time.perf_counter() - started), 1)}

    def _levels(self, levels: Mapping[str, int]) -> tuple[int, ...]:
        names = tuple(ladder.name for ladder in self.problem.ladders)
        for column, level in levels.items():
            if column not in names:
                raise ColumnNotFound(column, names)
            height = self.problem.ladders[names.index(column)].height
            if not 0 <= level <= height:
                raise OptionError(f"Column {shown(column)} has levels from 0 to {height}, so there is no level {level}.")
        return tuple(levels.get(name, 0) for name in names)

    def _found(self, levels: tuple[int, ...], suppression: float) -> dict[str, Any]:
        problem = self.problem
        release = self._evaluator.release(levels)
        # A share of just 5 % of 100 records is 5 records, whatever its last binary digits are.
        allowed = int(suppression * problem.records + 1e-9)
        mask = release.mask if release.suppressed <= allowed else np.zeros(problem.tuples, dtype=bool)
        made = {scope: release_classes(problem, levels, mask, scope) for scope in {None, *(x.attributes for x in self._evaluator.limits)}}
        classes = made[None]
        rules = [_result(judged, made) for judged in self._judged]
        penalties = everywhere(problem, levels, mask).penalties()
        weights = np.array(problem.weights)
        loss = float(penalties @ weights / weights.sum())
        outcome = _outcome(rules, self.unassigned)
        smallest = int(classes.persons.min())
        return {
            "levels": {ladder.name: level for ladder, level in zip(problem.ladders, levels, strict=True)},
            "suppression": suppression,
            "suppressed": int(problem.n[mask].sum()),
            "needed": release.suppressed,
            "allowed": allowed,
            "met": outcome != "withhold",
            "outcome": outcome,
            "rules": rules,
            "attacks": {
                attack: _answer([found for judged in self._judged for found in _about(attack, judged, made)]) for attack in ATTACKS
            },
            "risks": _risks(classes, self.policy.class_size),
            "loss": rounded(loss),
            "losses": {ladder.name: rounded(float(lost)) for ladder, lost in zip(problem.ladders, penalties, strict=True)},
            "classes": classes.count,
            "histogram": _histogram(classes.persons),
            "point": {"class_size": smallest, "risk": rounded(1 / smallest), "loss": rounded(loss)},
        }

    def _words(self, column: str, level: int) -> str | None:
        """Return what a level does; a hierarchy has words for the levels above the values themselves."""
        words = self._ladders[column].words if column in self._ladders else ()
        if level == 0:
            return "as it is"
        return words[level - 1] if level <= len(words) else None


def _judged(rule: Rule, problem: Problem, scenarios: Sequence[Sequence[str]]) -> _Judged:
    try:
        return _Judged(rule, limits_of([rule], problem, scenarios))
    except PolicyError as error:
        return _Judged(rule, (), str(error))


def _result(judged: _Judged, made: Mapping[tuple[int, ...] | None, Classes]) -> dict[str, Any]:
    rule = judged.rule
    values = [limit.worst(made[limit.attributes]) for limit in judged.limits]
    known = [value for value in values if value is not None]
    value = (min(known) if rule.minimum is not None else max(known)) if known and len(known) == len(values) else None
    status, reason = "not measured", judged.reason
    if judged.limits:
        kept = all(bool(np.all(limit.keeps(made[limit.attributes]))) for limit in judged.limits)
        status = "pass" if kept else "fail"
        reason = "worse than any number" if value is None else None
    risk = None
    if rule.acknowledge_above is not None and value is not None:
        risk = "high" if status == "fail" else "medium" if exceeds(value, rule.acknowledge_above) else "low"
    return {
        "metric": rule.metric,
        "title": METRICS[rule.metric].title,
        "label": rule.label,
        "limit": rule.limit_text,
        "value": rounded(value),
        "status": status,
        "risk": risk,
        "attacks": list(rule.attacks),
        "reason": reason,
    }


def _about(attack: Attack, judged: _Judged, made: Mapping[tuple[int, ...] | None, Classes]) -> list[dict[str, Any]]:
    """Return what a rule says about one question: of a rule about both readings of a metric, the reading that asks it."""
    if attack not in judged.rule.attacks:
        return []
    limits = judged.limits
    if len(judged.rule.attacks) > 1:
        limits = tuple(limit for limit in limits if (limit.sensitive is not None) == (attack == "inference"))
    return [_result(replace(judged, limits=limits), made)] if limits or judged.reason else []


def _outcome(rules: Sequence[Mapping[str, Any]], unassigned: Sequence[UnassignedColumn]) -> str:
    """Return the verdict; direct identifiers do not count, because they are in no release."""
    if not rules or any(rule["status"] != "pass" for rule in rules) or any(column.identifies for column in unassigned):
        return "withhold"
    uncertain = any(rule["risk"] == "medium" for rule in rules) or any(column.uncertain for column in unassigned)
    return "release with acknowledgement" if uncertain else "release"


def _answer(rules: Sequence[Mapping[str, Any]]) -> str:
    if not rules:
        return "not assessed"
    if any(rule["status"] == "fail" for rule in rules):
        return "fails"
    if any(rule["status"] == "not measured" for rule in rules):
        return "not measured"
    return "acknowledge" if any(rule["risk"] == "medium" for rule in rules) else "meets the policy"


def _risks(classes: Classes, threshold: int) -> dict[str, Any]:
    """Return the chances of an attacker who knows that somebody is in the table; people are counted where records share one."""
    sizes = classes.persons
    people = float(sizes.sum())
    return {
        "smallest_class": int(sizes.min()),
        "highest": rounded(float(1 / sizes.min())),
        "average": rounded(len(sizes) / people),
        "records_at_risk": rounded(float(sizes[sizes < threshold].sum() / people)),
        "unique": rounded(float(sizes[sizes == 1].sum() / people)),
        "threshold": threshold,
    }


def _histogram(sizes: Floats) -> list[dict[str, Any]]:
    bars = []
    for low, high in _BARS:
        chosen = sizes[(sizes >= low) & (sizes <= (high if high is not None else np.inf))]
        bars.append({"from": low, "to": high, "classes": len(chosen), "records": int(chosen.sum())})
    return bars
