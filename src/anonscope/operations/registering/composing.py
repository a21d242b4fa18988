"""What a new release tells together with the earlier ones about the same people: how few candidates are left to somebody who has all."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anonscope.attacks.composition import fewest_together
from anonscope.attacks.linkage import match_tables, pair_columns
from anonscope.attacks.linkage.images import images_of
from anonscope.columns.roles import Roles
from anonscope.engines import DuckDB
from anonscope.errors import AnonscopeError, IdentifierGiven, shown
from anonscope.io.sources import open_source
from anonscope.operations.read import Data, engine_limits, read
from anonscope.operations.registering.chain import Entry
from anonscope.operations.registering.disclosing import Described, Disclosed, disclosed
from anonscope.operations.signing.published import published
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import Policy
from anonscope.risk.policy.limits import NAME as LIMITS_NAMED
from anonscope.risk.policy.limits import untightened
from anonscope.synthesis.ledger import Loss
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.beside import recipe_beside
from anonscope.transform.release.manifest import file_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRelease:
    """A release before it is registered: the file, whoever's columns it has, what made it, and the k that its policy asks for."""

    path: Path
    roles: Roles
    recipe: Recipe | None
    k: int | None
    name: str = ""  # as it will be called
    of_these: bool | None = None  # whether it was made of the table of the people that is given; None: nobody can know
    drawn: bool = False  # a synthetic table, whose records are nobody's
    guaranteed: bool = False  # it states an epsilon: what it tells adds up by that
    lost: Loss | None = None  # which one, and its delta
    unit: str | None = None  # whom that protects
    columns: tuple[str, ...] = ()  # that it has
    said: Mapping[str, str] = field(default_factory=dict)  # why columns may leave as they are, by their names
    policy: Policy | None = None  # that it was judged by

    @property
    def asks(self) -> str:
        """Who wants its groups to be that large: a policy by its name, or limits that somebody stated."""
        if self.policy is None:
            return "the policy asks"
        if self.policy.name == LIMITS_NAMED:
            return "the limit that was stated asks"
        base = untightened(self.policy.name)
        return f"the policy {base}{' with the limits that were stated' * (base != self.policy.name)} asks"

    @property
    def hides_values(self) -> bool:
        """Whether its policy asks for anything of sensitive values."""
        return self.policy is not None and any("sensitive" in METRICS[rule.metric].needs for rule in self.policy.rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """What came of holding a release against the earlier ones."""

    against: tuple[str, ...]
    k: int | None
    measured: bool
    candidates: int | None = None  # the fewest that are left to anybody; None: not measured, or nobody is in two of them
    alone: int | None = None
    reasons: tuple[str, ...] = ()  # why it was not measured
    bounded: str | None = None  # whose epsilon bounds what this one and the earlier ones tell together, in words; {several} are those
    values: tuple[Disclosed, ...] = ()  # what is told of sensitive values
    values_unmeasured: str | None = None  # why that was not measured
    hides_values: bool = False  # whether the policy asks for anything of them
    asks: str = "the policy asks"  # who wants that many candidates
    accepted: str | None = None  # the reason that a person gave for going on without a measurement
    uncounted: Mapping[str, str] = field(default_factory=dict)  # what an earlier release counted and this one does not, and why not
    lost: Loss | None = None  # about a person, with all earlier ones; None: it states no epsilon
    without_guarantee: int = 0  # of the earlier ones, whose loss is not known, so that no sum counts it
    unlike: int = 0  # of all, that protect single records where others protect people

    @property
    def holds(self) -> bool:
        """Whether everybody keeps as many candidates as the policy asks for, and a value that it hides; not measured never holds."""
        candidates = self.candidates is None or (self.k is not None and self.candidates >= self.k)
        return self.measured and candidates and not (self.hides_values and any(value.more for value in self.values))

    @property
    def sentence(self) -> str:
        """The result in words."""
        left = (
            f"{shown(c)}, by which an earlier release made its groups, makes none of this one: {why.rstrip('.')}."
            for c, why in self.uncounted.items()
        )
        values = [value.sentence for value in self.values]
        if self.hides_values and any(value.more for value in self.values):
            values.append("The policy asks that sensitive values stay hidden.")
        if self.values_unmeasured is not None:
            values.append(f"What they tell of sensitive values was not measured: {self.values_unmeasured}.")
        return " ".join((self._candidates, *values, *left))

    @property
    def _candidates(self) -> str:
        """What was found of those who are left."""
        if not self.against:
            return "No earlier release of this population is in the register."
        several = f"{len(self.against)} earlier release{'s' * (len(self.against) > 1)}"
        if self.bounded is not None:
            return f"{self.bounded.format(several=several)}; there are no candidates to intersect."
        if not self.measured:
            gone = f" A person accepted that: {self.accepted}" if self.accepted else ""
            return f"Not measured together with {several}, which is never fine: {'; '.join(self.reasons)}.{gone}"
        if self.candidates is None:
            return f"Nobody is both in this release and in one of the {several}."
        left = f"{self.candidates:,} candidate{'s' * (self.candidates > 1)}"
        return f"Together with {several}, somebody is left with {left}, and nobody with fewer; {self.asks} for {self.k:,}."

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data; a manifest gets it, so it names no earlier release."""
        return {
            "earlier_releases": len(self.against),
            "k": self.k,
            "measured": self.measured,
            "candidates": self.candidates,
            "alone": self.alone,
            "values": [value.to_dict() for value in self.values],
            "holds": self.holds,
            "accepted": self.accepted,
            "uncounted": dict(self.uncounted),
            "epsilon": str(self.lost.epsilon) if self.lost is not None else None,
            "delta": str(self.lost.delta) if self.lost is not None else None,
            "without_guarantee": self.without_guarantee,
            "unlike": self.unlike,
            "sentence": self.sentence,
        }


def check_counted(new: NewRelease, earlier: Sequence[Entry], folder: Path, name: str) -> dict[str, str]:
    """Return why columns make no groups by which an earlier release made its own; raise where nobody said it of each.

    Whoever has the earlier release knows them, and so does whoever it was made safe against: no group of the new one is made by them.
    """
    if new.drawn:
        return {}
    before = {_plain(column) for entry in earlier if entry.kind == "release" for column in _counted(entry, folder)}
    now = {_plain(column) for column in new.roles.attributes}
    left = [column for column in new.columns if _plain(column) in before - now]
    if unsaid := [column for column in left if column not in new.said]:
        named = ", ".join(map(shown, unsaid))
        were, them = ("was", "it") if len(unsaid) == 1 else ("were", "them")
        raise IdentifierGiven(
            f"{shown(name)} is not published, and nothing was written: {named} {were} counted as what outsiders know in an earlier release "
            f"of this population, and no group of this one is made by {them}. Count {them} again (-q COLUMN), or say why not "
            "(--acknowledge COLUMN=REASON).",
            unsaid,
        )
    return {column: new.said[column] for column in left}


def _counted(entry: Entry, folder: Path) -> Sequence[str]:
    """Return the quasi-identifiers of an earlier release, from its line or, of older lines, from its manifest; of noisy answers none."""
    if entry.quasi_identifiers is not None or entry.by_epsilon or entry.path is None:
        return entry.quasi_identifiers or ()
    try:
        roles = published(folder / entry.path).roles
    except (AnonscopeError, OSError):
        return ()
    return roles.attributes if roles is not None else ()


def _plain(column: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", column).casefold().split())


def composed(
    new: NewRelease,
    earlier: Sequence[Entry],
    folder: Path,
    people: Data | None,
    accepted: str | None = None,
    beside: Sequence[NewRelease] = (),
) -> Composed:
    """Return what a new release tells together with earlier ones; `people` is the table of those whom records may belong to.

    Those `beside` it are published in one go with it, such as fragments: whoever has one may have the other.
    """
    counted = [entry for entry in earlier if entry.kind == "release"]
    names = (*(str(entry.release) for entry in counted), *(one.name for one in beside))
    # Drawn with a guarantee, or noisy answers: what they tell adds up by epsilon, and there are no candidates to intersect.
    tables = [entry for entry in counted if not entry.by_epsilon]
    if new.guaranteed or not (tables or beside):
        # What a drawn table adds is bounded by its own; what drawn tables and noisy answers add to a recoded one, by theirs.
        if not new.guaranteed:
            bounded = "What it tells by itself is bounded by nothing; what {several} can add is bounded by their epsilon"
        else:
            whose = "its own epsilon beyond what they tell" if tables else "the sum of the epsilons"
            bounded = f"What it tells together with {{several}} is bounded by {whose}"
        return Composed(against=names, k=new.k, measured=True, bounded=bounded if counted else None)
    reasons = [f"{shown(str(entry.release))} {gone}" for entry in tables if (gone := _missing(entry, folder)) is not None]
    if people is None:
        reasons.append("the table of the people was not given (--original)")
    if new.of_these is False:
        reasons.append("by its SHA-256 the table that was given as the original is not the one that it was made of")
    if new.drawn:
        reasons.append("a drawn table has no candidates, and guarantees nothing")
    if reasons or people is None:
        return Composed(against=names, k=new.k, measured=False, reasons=tuple(reasons), accepted=accepted)
    if new.k is None:
        return Composed(
            against=names, k=None, measured=False, reasons=("it was published by no policy, so no k is asked for",), accepted=accepted
        )
    try:
        releases = _described([*(folder / str(entry.path) for entry in tables), *beside, new])
        found = _fewest(releases, people)
    except AnonscopeError as error:
        return Composed(against=names, k=new.k, measured=False, reasons=(str(error).rstrip("."),), accepted=accepted)
    if found.alone is None:
        told = "labels of a release were not read, or people are written otherwise"
        return Composed(against=names, k=new.k, measured=False, reasons=(told,), accepted=accepted)
    lacking = None
    try:
        values = disclosed(releases, people) if found.fewest is not None else ()
    except AnonscopeError as error:
        values, lacking = (), str(error).rstrip(".")
    if lacking is not None and new.hides_values:
        return Composed(against=names, k=new.k, measured=False, reasons=(lacking,), accepted=accepted)
    return Composed(
        against=names,
        k=new.k,
        measured=True,
        candidates=found.fewest,
        alone=found.alone,
        values=values,
        values_unmeasured=lacking,
        hides_values=new.hides_values,
        asks=new.asks,
    )


def _missing(entry: Entry, folder: Path) -> str | None:
    """Return why an earlier release cannot be looked at; None where it is where it was, and what it was, with its manifest."""
    path = folder / entry.path if entry.path is not None else None
    try:
        if path is None or not path.exists() or file_hash(path) != entry.sha256:
            return "is not at hand"
        return None if published(path).roles is not None else "was judged by no policy, so nobody said what outsiders know of it"
    except (AnonscopeError, OSError):
        return "is not at hand"


def _described(releases: Sequence[Path | NewRelease]) -> list[Described]:
    """Return every release with whoever's columns it has, and what made it."""
    return [
        (one.path, one.roles, one.recipe) if isinstance(one, NewRelease) else (one, published(one).roles or Roles(), recipe_beside(one))
        for one in releases
    ]


def _fewest(releases: Sequence[Described], people: Data) -> Any:
    from anonscope.operations.comparing.versions import fetched  # late: it knows releases, which are published by what is registered here

    engine = DuckDB(**engine_limits(people))
    try:
        table = fetched(people, people.columns)
        other = open_source(table, engine)
        matches = []
        for path, roles, recipe in releases:
            with read(path, **engine_limits(people)) as release:
                known = [column for column in roles.attributes if column in release.columns]
                images = images_of(release.columns, recipe, {}, release.perturbed)
                pairs = pair_columns(release.columns, other.names, None, known or None)
                matches.append(
                    match_tables(release.engine, release.relation, other, pairs, images=images, external_engine=engine, doubt_others=True)
                )
        person = people.roles.person
        return fewest_together(
            matches, None if person is None else table[person].combine_chunks().dictionary_encode().indices.to_numpy(False)
        )
    finally:
        engine.close()
