"""Look at every column of a table, and propose a role for each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from anonscope.columns.roles import Roles
from anonscope.columns.suggestion.check import Check
from anonscope.columns.suggestion.clues import Clues, clues_of
from anonscope.columns.suggestion.combine import combine
from anonscope.columns.suggestion.context import in_table
from anonscope.columns.suggestion.evidence import ROLES, ColumnSuggestion, Role
from anonscope.columns.suggestion.profile import open_columns, profiles, sample_records, values_per_column
from anonscope.columns.suggestion.risk_rate import ALPHA, BETA, check_thresholds
from anonscope.columns.suggestion.safe_harbor import Remedy, remedies, safe_harbor
from anonscope.columns.suggestion.separation import ALMOST, BUDGET, distinction, search
from anonscope.columns.suggestion.suggestion import Suggestion
from anonscope.columns.suggestion.vocabulary import Reader
from anonscope.engines import Engine
from anonscope.errors import ColumnNotFound, OptionError, shown
from anonscope.io.progress import Progress
from anonscope.io.sources import Relation

# Kinds of evidence that can be left out: codebooks, words of other languages, beginnings and parts of words, id words, names by their
# letters, forms of identifiers, telling values, codes by shape, and what the rest of the table says.
KINDS = ("codebooks", "languages", "guesses", "ids", "letters", "formats", "values", "codes", "table")
# A column with more distinct values than this share of the records needs no other to tell them apart.
_OWN_DISTINCTION = 0.5
_NAMED = 6  # labels of codes that a reason names


def propose(
    engine: Engine,
    relation: Relation,
    *,
    rows: int | None = None,
    alpha: float = ALPHA,
    beta: float = BETA,
    force: Mapping[str, str] | None = None,
    forbid: Iterable[str] = (),
    almost: float = ALMOST,
    budget: float = BUDGET,
    codebooks: bool = True,
    labels: Mapping[str, str] | None = None,
    codes: Mapping[str, Mapping[str, str]] | None = None,
    without: Iterable[str] = (),
    progress: Progress | None = None,
) -> Suggestion:
    """Return a role for every column of a relation, with reasons.

    `labels` are what a dictionary says of columns, `codes` what it says that their codes stand for. Kinds of evidence
    named in `without` are left out, to see what each is worth.
    """
    check_thresholds(alpha, beta)
    if not 0 < almost <= 1 or budget < 0:
        raise OptionError("The share that counts as almost unique lies above 0 and up to 1, and the time budget is not negative.")
    forbidden = tuple(forbid)
    forced = _checked(relation.names, force or {}, forbidden)
    records = open_columns(engine, relation, rows)
    left_out = frozenset(without) if codebooks else frozenset([*without, "codebooks"])
    if unknown := left_out - set(KINDS):
        raise OptionError(f"Kinds of evidence are {', '.join(KINDS)}, not {', '.join(sorted(unknown))}.")
    clues = list(_all_clues(engine, relation, records, alpha, beta, progress, labels=labels, codes=codes, without=left_out))
    if "table" not in left_out:
        clues = in_table(clues)
    if engine.remote and budget:
        sample_records(engine, relation, records)
    found = search(engine, [clue.profile for clue in clues if _searched(clue)], almost=almost, budget=budget)
    return Suggestion(
        source=relation.name,
        records=records,
        values_looked_at=values_per_column(len(relation.columns)),
        alpha=alpha,
        beta=beta,
        columns=tuple(_with_codes(column, codes or {}) for column in combine(clues, found, force=forced, forbid=frozenset(forbidden))),
        search=found,
    )


def look(engine: Engine, relation: Relation, columns: Sequence[str], *, rows: int | None = None) -> Iterator[Clues]:
    """Yield what is found out about some columns; until the next is asked for, `counted(v, n)` has the values of this one."""
    places = [relation.position(column) for column in columns]
    chosen = ", ".join(f"c{place} AS c{i}" for i, place in enumerate(places))
    narrow = replace(
        relation, columns=tuple(relation.columns[place] for place in places), origin=f"(SELECT {chosen} FROM {relation.origin}) AS narrow"
    )
    reader = Reader(relation.names)
    for profile in profiles(engine, narrow, open_columns(engine, narrow, rows), stored=True):
        yield clues_of(profile, reader)


def check_safe_harbor(
    engine: Engine, relation: Relation, roles: Roles, *, rows: int | None = None, populations: Mapping[str, int] | None = None
) -> tuple[Check, ...]:
    """Return the 18 checks of HIPAA's Safe Harbor, by looking at all columns of a relation."""
    records = open_columns(engine, relation, rows)
    clues = list(_all_clues(engine, relation, records, ALPHA, BETA, None))
    return safe_harbor(engine, relation, clues, roles, populations)


def safe_harbor_remedies(engine: Engine, relation: Relation, roles: Roles, *, rows: int | None = None) -> tuple[Remedy, ...]:
    """Return what HIPAA's Safe Harbor asks of every column that falls under it."""
    records = open_columns(engine, relation, rows)
    clues = list(_all_clues(engine, relation, records, ALPHA, BETA, None))
    return remedies(clues, Reader(relation.names), roles)


def _all_clues(
    engine: Engine,
    relation: Relation,
    records: int,
    alpha: float,
    beta: float,
    progress: Progress | None,
    *,
    labels: Mapping[str, str] | None = None,
    codes: Mapping[str, Mapping[str, str]] | None = None,
    without: frozenset[str] = frozenset(),
) -> Iterable[Clues]:
    reader = Reader(
        relation.names,
        use_codebooks="codebooks" not in without,
        labels=labels,
        translate="languages" not in without,
        guess="guesses" not in without,
    )
    for done, profile in enumerate(profiles(engine, relation, records)):
        if progress is not None:
            progress("looking at columns", done, len(relation.columns))
        yield clues_of(profile, reader, alpha, beta, without, (codes or {}).get(profile.name))


def _with_codes(column: ColumnSuggestion, codes: Mapping[str, Mapping[str, str]]) -> ColumnSuggestion:
    """Return a column with what its file says that its codes stand for: words of a dictionary, also of codes that nobody has."""
    if not (known := list(codes.get(column.name, {}).values())):
        return column
    more = f" and {len(known) - _NAMED:,} more" if len(known) > _NAMED else ""
    return replace(column, reasons=(*column.reasons, f"The file says what its codes stand for: {', '.join(known[:_NAMED])}{more}."))


def _searched(clue: Clues) -> bool:
    """Whether a column takes part in the search: measured amounts and ids tell records apart alone, which says nothing about sets."""
    about = clue.meaning.concept.role if clue.meaning else ""
    if clue.identifier is not None or clue.person is not None or about in ("weight", "household"):
        return False
    return clue.type.kind not in ("free text", "continuous") and distinction(clue.profile) <= _OWN_DISTINCTION


def _checked(columns: tuple[str, ...], force: Mapping[str, str], forbid: tuple[str, ...]) -> dict[str, Role]:
    for column in (*force, *forbid):
        if column not in columns:
            raise ColumnNotFound(column, columns)
    by_name: dict[str, Role] = {role: role for role in ROLES}
    for column, role in force.items():
        if role not in by_name:
            raise OptionError(f"The role of {shown(column)} must be one of {', '.join(ROLES)}.")
        if column in forbid:
            raise OptionError(f"Column {shown(column)} is both forced into a role and forbidden to have one.")
    for single in ("person", "household", "weight"):
        if sum(role == single for role in force.values()) > 1:
            raise OptionError(f"Only one column can be the {single}.")
    return {column: by_name[role] for column, role in force.items()}
