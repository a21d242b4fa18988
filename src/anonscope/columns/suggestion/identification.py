"""The role of every column by its risk rate alone, as a published pipeline identifies them.

H. Khan, L. Menten, L. M. Peeters, "An Algorithmic Pipeline for GDPR-Compliant Healthcare Data Anonymisation: Moving Toward
Standardisation", identification stage: direct identifiers and columns with more than 85 % missing values are dropped; a rate above
alpha makes a column sensitive, one from beta on a quasi-identifier, and one below neither. Roles that somebody gave come first.

The rate says nothing of what outsiders know. Weighed by knowledge, the g-distinct of every value counts by how easily others get the
column (availability; R. Aufschläger et al. 2023, section 6.7.1): in full, by two thirds, by a third. What nobody recognises counts in full.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from anonscope.columns.roles import Roles
from anonscope.columns.suggestion.clues import Clues
from anonscope.columns.suggestion.propose import look
from anonscope.columns.suggestion.risk_rate import (
    ALPHA,
    BETA,
    MISSING_LIMIT,
    RiskRate,
    check_thresholds,
    label_of,
    risk_rate,
    thresholds_of,
)
from anonscope.engines import Engine
from anonscope.io.figures import per_cent
from anonscope.io.sources import Relation

NEITHER = "neither"
# Asked with it, a column is judged by everything but its rate.
_RATE = RiskRate(0.0, "non-sensitive")
KNOWN = {"high": 1.0, "medium": 2 / 3, "low": 1 / 3}  # by how easily others get a column


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifiedColumn:
    """What a column was identified as: its risk rate in per cent (None: not measured), its role, and why."""

    column: str
    risk_rate: float | None
    role: str
    dropped: bool
    reason: str
    known_outside: bool  # whether its name or its values say that others can know it


def identify(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    *,
    alpha: float | None,
    beta: float | None,
    forbid: Sequence[str] = (),
    rows: int | None = None,
    by_knowledge: bool = False,
) -> tuple[tuple[IdentifiedColumn, ...], float, float]:
    """Return the role of every column of a relation, and the thresholds, which the rates suggest where none are given.

    Columns in `forbid` have no role. `by_knowledge` weighs rates by what others can know.
    """
    clues = list(look(engine, relation, relation.names, rows=rows))
    if alpha is None or beta is None:
        open_ = [clue for clue in clues if clue.profile.name not in (*roles.assigned, *forbid) and not _judged(clue, _RATE, 0, 0)[1]]
        rates = [rate.percent for rate in (_rate(clue, by_knowledge=by_knowledge) for clue in open_) if rate.percent is not None]
        alpha, beta = thresholds_of(rates, alpha, beta)
    check_thresholds(alpha, beta)
    return tuple(_identified(iter(clues), roles, alpha, beta, tuple(forbid), by_knowledge=by_knowledge)), alpha, beta


def _rate(clue: Clues, alpha: float = ALPHA, beta: float = BETA, *, by_knowledge: bool) -> RiskRate:
    """Return the rate of a column, weighed by what others can know of it if that is asked for."""
    found = risk_rate(clue.profile, alpha, beta)
    if not by_knowledge or clue.meaning is None or found.percent is None:
        return found
    percent = found.percent * KNOWN[clue.meaning.availability]
    return RiskRate(percent, label_of(percent, alpha, beta))


def _identified(
    clues: Iterator[Clues], roles: Roles, alpha: float, beta: float, forbid: tuple[str, ...], *, by_knowledge: bool
) -> Iterator[IdentifiedColumn]:
    person = roles.person
    given = dict(_given(roles))
    for clue in clues:
        name, rate = clue.profile.name, _rate(clue, alpha, beta, by_knowledge=by_knowledge)
        if name in given:
            role, dropped, reason = given[name], name in roles.direct_identifiers, "You said so."
        elif name in forbid:
            role, dropped, reason = NEITHER, False, "You said it must not have a role."
        else:
            role, dropped, reason = _judged(clue, rate, alpha, beta)
        if role == "person" and person is None:
            person = name
        elif role == "person" and person != name:
            role = "direct identifier"
        meant = clue.meaning.concept.role if clue.meaning is not None else ""
        yield IdentifiedColumn(
            column=name,
            risk_rate=rate.percent,
            role=role,
            dropped=dropped,
            reason=reason,
            known_outside=meant == "quasi-identifier",
        )


def _judged(clue: Clues, rate: RiskRate, alpha: float, beta: float) -> tuple[str, bool, str]:
    """Return the role of a column that nobody gave one, whether it is dropped, and why."""
    if clue.profile.nested:
        return NEITHER, True, "It holds nested values, which cannot be counted."
    if clue.person is not None:
        return "person", True, clue.person[0].upper() + clue.person[1:]
    if clue.identifier is not None:
        return "direct identifier", True, clue.identifier.reason
    if clue.type.kind == "free text":
        return "direct identifier", True, "Free text may name anybody."
    if rate.percent is None:
        return NEITHER, True, f"More than {per_cent(MISSING_LIMIT, 0)} of its values are missing."
    if rate.label == "sensitive":
        return "sensitive", False, f"Its risk rate is above {alpha:g} %."
    if rate.label == "quasi-identifier":
        return "quasi-identifier", False, f"Its risk rate lies from {beta:g} % to {alpha:g} %."
    return NEITHER, False, f"Its risk rate is below {beta:g} %."


def _given(roles: Roles) -> Iterator[tuple[str, str]]:
    lists = (("direct identifier", roles.direct_identifiers), ("quasi-identifier", roles.attributes), ("sensitive", roles.sensitive))
    for role, columns in (*lists, (NEITHER, roles.insensitive)):
        yield from ((column, role) for column in columns)
    singles = (("person", roles.person), ("household", roles.household), ("weight", roles.weight))
    yield from ((column, role) for role, column in singles if column is not None)
