"""Which column of a release is which in an external table: as told, by name, or by what the names mean."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from anonscope.columns.suggestion.terms import plain
from anonscope.columns.suggestion.vocabulary import Reader
from anonscope.errors import ColumnNotFound, LinkageError, nearest, shown

_PUNCTUATION = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class LinkedColumn:
    """A column of the release, the column of the external table that holds the same attribute, and how that is known."""

    release: str
    external: str
    reason: str = "given"


@dataclass(frozen=True, slots=True)
class Unpaired:
    """The columns of both tables that are in no pair, and those of them among which more than one pair has the same meaning."""

    release: tuple[str, ...]
    external: tuple[str, ...]
    competing: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # columns of the release, and those of the external table


def pair_columns(
    release: Sequence[str],
    external: Sequence[str],
    given: Mapping[str, str] | None = None,
    among: Sequence[str] | None = None,
    *,
    only: bool = False,
) -> tuple[LinkedColumn, ...]:
    """Return the columns to link by: first those that were given, then what the names suggest `among` some columns of the release.

    An attacker uses every column that both tables have, so naming one leaves no other out; `only` takes what was given alone.
    """
    told = _given(release, external, given or {})
    if only:
        if not told:
            raise LinkageError("Only the columns that are named were to be linked, and none is. Name them (--column age=age_at_census).")
        return told
    for name in among or ():
        if name not in release:
            raise ColumnNotFound(name, release)
    found = (*told, *(pair for pair in left_out(release, external, told) if among is None or pair.release in among))
    if not found:
        raise LinkageError(
            f"The release ({len(release)} columns) and the external table ({len(external)} columns) have no column in common, by name or "
            "by what the names mean. Say which column is which (--column age=age_at_census)."
        )
    return found


def left_out(release: Sequence[str], external: Sequence[str], linked: Sequence[LinkedColumn]) -> tuple[LinkedColumn, ...]:
    """Return the pairs that names suggest among the columns that are in none of the linked pairs."""
    ours, theirs = {pair.release for pair in linked}, {pair.external for pair in linked}
    return suggest_pairs([name for name in release if name not in ours], [name for name in external if name not in theirs])


def unpaired(release: Sequence[str], external: Sequence[str], paired: Sequence[LinkedColumn]) -> Unpaired:
    """Return the columns that are in none of the pairs."""
    ours, theirs = {pair.release for pair in paired}, {pair.external for pair in paired}
    left, free = [name for name in release if name not in ours], [name for name in external if name not in theirs]
    by_concept = _concepts(free, external)
    return Unpaired(
        tuple(left),
        tuple(free),
        tuple(
            (tuple(names), tuple(by_concept[concept][1]))
            for concept, (_, names) in _concepts(left, release).items()
            if concept in by_concept
        ),
    )


def suggest_pairs(release: Sequence[str], external: Sequence[str]) -> tuple[LinkedColumn, ...]:
    """Return pairs of columns that seem to hold the same attribute: the same name, or the only two names with the same meaning.

    Names are compared without regard to case, accents and punctuation. No column is in two pairs.
    """
    pairs: dict[str, LinkedColumn] = {}
    free = list(external)
    for same, reason in ((_as_written, "same name"), (_bare, "same name but for case and punctuation")):
        theirs = {same(name): name for name in reversed(free)}
        for name in release:
            if name not in pairs and (twin := theirs.pop(same(name), None)) is not None:
                pairs[name] = LinkedColumn(name, twin, reason)
                free.remove(twin)
    left = [name for name in release if name not in pairs]
    ours_by_concept, theirs_by_concept = _concepts(left, release), _concepts(free, external)
    for concept, (title, ours) in ours_by_concept.items():
        _, theirs_alike = theirs_by_concept.get(concept, ("", []))
        # Two candidates on one side, and the meaning does not tell which of them is meant.
        if len(ours) == len(theirs_alike) == 1:
            pairs[ours[0]] = LinkedColumn(ours[0], theirs_alike[0], f"both names are about {title}")
    return tuple(pairs[name] for name in release if name in pairs)


def _given(release: Sequence[str], external: Sequence[str], given: Mapping[str, str]) -> tuple[LinkedColumn, ...]:
    for ours, theirs in given.items():
        if ours not in release:
            raise LinkageError(f"The release has no column {shown(ours)}. {nearest(ours, release, 'It has')}")
        if theirs not in external:
            raise LinkageError(f"The external table has no column {shown(theirs)}. {nearest(theirs, external, 'It has')}")
    return tuple(LinkedColumn(ours, theirs) for ours, theirs in given.items())


def _concepts(names: Sequence[str], table: Sequence[str]) -> dict[str, tuple[str, list[str]]]:
    reader = Reader(table)
    found: dict[str, tuple[str, list[str]]] = {}
    for name in names:
        # What says little of a person is too broad to pair columns by, and a guess is no pair.
        if (match := reader.match(name)) is not None and match.sure and match.concept.role != "insensitive":
            found.setdefault(match.concept.name, (match.concept.title, []))[1].append(name)
    return found


def _as_written(name: str) -> str:
    return name


def _bare(name: str) -> str:
    return _PUNCTUATION.sub("", plain(name))
