"""Columns that no measurement is about: what they look like, and whether one of them tells that a person has several records."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from anonscope.columns.roles import Acknowledgements, Roles
from anonscope.columns.suggestion.evidence import ColumnLook, GivenLook
from anonscope.engines import Engine
from anonscope.engines.values import canonical
from anonscope.io.sources import Relation
from anonscope.risk.policy import RepeatedIdentifier, TellingColumn, UnassignedColumn, Verdict
from anonscope.risk.policy.repeated import with_reasons
from anonscope.risk.policy.telling import GivenRole
from anonscope.risk.policy.unassigned import looked_at, with_words

if TYPE_CHECKING:
    from anonscope.columns.suggestion.sampled import Sample
    from anonscope.risk.counting.kept import KeptCounts

# What no name of an id of persons lacks, in whatever language: whether it is one is then read properly.
_ID_WORD = re.compile(
    r"(^|[_\W])(id|nr|no|num|nbr|key|code|pid)([_\W\d]|$)|^id[A-Z]|(id|nr|no|nbr|num|key|code|hash)$|numm?er|kenn|pseudo|matric|legajo|folio|mrn",
    re.IGNORECASE,
)

# The same of columns of the sex.
_SEX_WORD = re.compile(r"sex|gender|gend|geschl|genre|genero|género|sess[oi]|male|man|wom[ae]n|boy|girl|kön|ple[cć]", re.IGNORECASE)

# Weights that more than this share of the people have for themselves find these people; rounded ones are shared.
_MOST_OWN_WEIGHTS = 0.1


def sample_of(engine: Engine, relation: Relation, rows: int | None = None) -> "Sample":
    """Return a sample of a table that every look at its columns in one run can share."""
    from anonscope.columns.suggestion.sampled import Sample  # late: the lexicon takes a moment to read

    return Sample(engine, relation, rows)


def look_at_columns(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    acknowledged: Acknowledgements,
    rows: int | None = None,
    kept: "KeptCounts | None" = None,
    sample: "Sample | None" = None,
) -> tuple[tuple[UnassignedColumn, ...], tuple[TellingColumn, ...]]:
    """Return what the columns look like that are in no measurement, and which of the others tell who somebody is.

    Each with what was said of it. The second are quasi-identifiers, sensitive attributes and the weight, and what is insensitive and
    surely known to outsiders. What earlier parts of the table showed, whose counts are `kept`, stands.
    """
    columns = looked_at(relation.names, roles)
    looks: tuple[ColumnLook, ...] = ()
    given: tuple[GivenLook, ...] = ()
    measured = tuple(dict.fromkeys((*roles.attributes, *roles.sensitive)))
    if columns or measured or roles.weight is not None:
        from anonscope.columns.suggestion.unassigned import look_at  # late: the lexicon takes a moment to read

        sample = sample or sample_of(engine, relation, rows)
        looks, given = look_at(
            sample,
            columns,
            given=measured,
            secret=roles.sensitive,
            harmless=roles.insensitive,
            weight=roles.weight,
        )
        if roles.person is None and not engine.remote and any(clue.untold_codes for clue in sample.clues(measured)):
            from anonscope.columns.suggestion.perhaps_people import perhaps_people

            settled = {look.column for look in given}
            given += perhaps_people(sample, [column for column in measured if column not in settled])
    if kept is not None:
        looks, given = _worst_looks(kept.seen.looks, looks), _worst_given(kept.seen.given, given)
        kept.seen = replace(kept.seen, looks=looks, given=given)
    found = {look.column: look for look in given}
    if roles.weight is not None and roles.weight not in found and (own := own_weights(engine, relation, roles, rows)).many:
        found[roles.weight] = GivenLook(roles.weight, own.sentence)
    telling = tuple(
        TellingColumn(
            column=column,
            role=_role(column, roles),
            reason=look.reason,
            # A doubt is settled by a word about all the rest too.
            said=acknowledged.of(column) if look.doubtful else acknowledged.columns.get(column),
            doubtful=look.doubtful,
            known=look.known,
        )
        for column, look in found.items()
    )
    return with_words(looks, roles, acknowledged, relation.names), telling


def _worst_looks(earlier: Sequence[ColumnLook], now: Sequence[ColumnLook]) -> tuple[ColumnLook, ...]:
    """Return what columns look like that were looked at part by part: what needs a word most."""
    before = {look.column: look for look in earlier}

    def needs(look: ColumnLook) -> int:
        return 2 if look.looks_like == "direct identifier" else 0 if look.looks_like == "insensitive" else 1

    return tuple(max((look, before.get(look.column, look)), key=needs) for look in now)


def _worst_given(earlier: Sequence[GivenLook], now: Sequence[GivenLook]) -> tuple[GivenLook, ...]:
    """Return which columns with a role look like another in some part; what is certain goes before a doubt."""
    found = {look.column: look for look in earlier}
    for look in now:
        if look.column not in found or (found[look.column].doubtful and not look.doubtful):
            found[look.column] = look
    return tuple(found.values())


def _role(column: str, roles: Roles) -> GivenRole:
    if column == roles.weight:
        return "weight"
    return "sensitive" if column in roles.sensitive else "insensitive" if column in roles.insensitive else "quasi-identifier"


def look_at_unassigned(
    engine: Engine, relation: Relation, roles: Roles, acknowledged: Acknowledgements, rows: int | None = None
) -> tuple[UnassignedColumn, ...]:
    """Return what the columns look like that are in no measurement, and what was said of them."""
    return look_at_columns(engine, relation, roles, acknowledged, rows)[0]


@dataclass(frozen=True, slots=True)
class OwnWeights:
    """How many have a weight that nobody else has: records, people or households."""

    alone: int
    all: int
    kind: str

    @property
    def many(self) -> bool:
        """Whether they are so many that the weight is an identifier."""
        return self.alone > _MOST_OWN_WEIGHTS * self.all

    @property
    def sentence(self) -> str:
        """How many they are, in words."""
        return f"{self.alone:,} of {self.all:,} {self.kind} have a weight of their own, and whoever knows it finds them"


def own_weights(engine: Engine, relation: Relation, roles: Roles, rows: int | None = None) -> OwnWeights:
    """Return how many have a weight that nobody else has.

    Those of one household have one weight, and those of one person, so these are counted where they are named.
    """
    kind = "households" if roles.household is not None else "people" if roles.person is not None else "records"
    origin = relation.origin if rows is None else f"(SELECT * FROM {relation.origin} LIMIT {rows}) AS limited"
    weights, unit = _text(relation, str(roles.weight)), roles.household or roles.person
    if unit is None:
        counted = f"SELECT v, COUNT(*) AS n FROM (SELECT {weights} AS v FROM {origin}) AS weights WHERE v IS NOT NULL GROUP BY v"
    else:
        cells = f"SELECT {weights} AS v, {_text(relation, unit)} AS u FROM {origin}"
        counted = f"SELECT v, COUNT(DISTINCT u) AS n FROM ({cells}) AS weights WHERE v IS NOT NULL AND u IS NOT NULL GROUP BY v"
    ((alone, everybody),) = engine.rows(
        f"SELECT COALESCE(SUM(CASE WHEN n = 1 THEN 1 ELSE 0 END), 0) AS a, COALESCE(SUM(n), 0) AS n FROM ({counted}) AS counted"
    )
    return OwnWeights(int(alone), int(everybody), kind)


def _text(relation: Relation, column: str) -> str:
    position = relation.position(column)
    return canonical(f"c{position}", relation.columns[position].type, column)


def find_repeated(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    acknowledged: Acknowledgements,
    rows: int | None = None,
    *,
    named: Sequence[str] | None = None,
    sample: "Sample | None" = None,
) -> tuple[RepeatedIdentifier, ...]:
    """Return the ids that tell that one person has several records, where nobody named the person.

    These are direct identifiers, and what is called an id of persons though somebody gave it another role. Whoever `named` a direct
    identifier, by default each of them, has said that it tells people apart; what only looks like one has to look like an id of persons.
    """
    if roles.person is not None:
        return ()
    given = tuple(dict.fromkeys((*roles.attributes, *roles.sensitive)))
    measured = tuple(column for column in given if _ID_WORD.search(column))
    if engine.remote and not measured and not roles.direct_identifiers:
        return ()
    # Late: the lexicon takes a moment to read.
    from anonscope.columns.suggestion.repeated import called_ids, ids_by_look, ids_by_sex, repeated_ids

    measured = called_ids(relation.names, measured)
    told = roles.direct_identifiers if named is None else named
    looking = sample or sample_of(engine, relation, rows)
    found = repeated_ids(looking, (*roles.direct_identifiers, *measured), named=told)
    others = [column for column in given if column not in measured]
    found += ids_by_look(looking, others, beside=roles.direct_identifiers)
    apart = {*roles.direct_identifiers, *roles.insensitive, *measured, roles.household, roles.weight, *(id_.column for id_ in found)}
    if any(_SEX_WORD.search(name) for name in relation.names):
        found += ids_by_sex(looking, [column for column in relation.names if column not in apart], given=given)
    return with_reasons(found, acknowledged)


def with_written_ids(table: tuple[Engine, Relation, Roles, Acknowledgements, int | None], verdict: Verdict) -> Verdict:
    """Return a verdict that also states where people were counted by how their ids are written."""
    engine, relation, roles, acknowledged, rows = table
    if roles.person is None:
        return verdict
    # Late: most tables have one record a person.
    from anonscope.columns.written_ids import written_ids
    from anonscope.risk.policy.look_alikes import of_people
    from anonscope.risk.policy.verdict import with_look_alikes

    if (found := written_ids(engine, relation, roles.person, rows)) is None:
        return verdict
    # A word about all the rest is none about whom everything is said of.
    return with_look_alikes(verdict, (*verdict.look_alikes, of_people(found, acknowledged.columns.get(roles.person))))
