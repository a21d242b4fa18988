"""A register of releases: what went out of a population, what it tells together, what is spent, and what is due."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from anonscope.columns.roles import Acknowledgements, Roles
from anonscope.errors import OptionError, RegisterError, shown
from anonscope.operations.read import Data, check_opened, engine_limits
from anonscope.operations.registering.chain import Entry, append, check_whole, locked, read_chain
from anonscope.operations.registering.composing import NewRelease
from anonscope.operations.registering.losses import UNLIKE, budget_of, same_population, together
from anonscope.operations.registering.registration import Registration, seen_from
from anonscope.operations.result import Result
from anonscope.operations.signing.published import published
from anonscope.operations.verify import verify
from anonscope.operations.wishes.registering import Registered
from anonscope.risk.privacy_loss import epsilon_of
from anonscope.synthesis.ledger import Loss
from anonscope.transform.release.beside import recipe_beside
from anonscope.transform.release.manifest import delta_in, epsilon_in, unit_in


@dataclass(frozen=True, slots=True)
class PopulationSpent:
    """What the releases of a population lose together about a person."""

    population: str
    releases: int
    without_guarantee: int  # releases that state no epsilon, which no sum counts
    spent: Fraction
    delta: Fraction | None  # what is lost beyond that; None: it is not known of all of them
    budget: Fraction | None
    delta_budget: Fraction | None = None
    private: int = 0  # releases that state an epsilon
    unlike: int = 0  # of these, those that protect single records where others protect people

    @property
    def left(self) -> Fraction | None:
        """What is left of the budget; None where there is none."""
        return None if self.budget is None else self.budget - self.spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Register(Result):
    """All lines of a register, and what is wrong or due today."""

    folder: str
    entries: tuple[Entry, ...]
    head: str  # the hash of the last line, to be noted elsewhere
    populations: tuple[PopulationSpent, ...]
    problems: tuple[str, ...]
    today: date

    @property
    def fine(self) -> bool:
        """Whether nothing is broken, spent or overdue, and nothing went out unmeasured that nobody accepted so."""
        return not self.problems

    @property
    def unmeasured(self) -> tuple[str, ...]:
        """The releases of which nobody knows what they tell together with the others, also where a person accepted that."""
        return tuple(str(entry.release) for entry in self.entries if entry.kind == "release" and entry.unmeasured)


def register(folder: str | Path, *, today: date | None = None) -> Register:
    """Return a register with what is wrong or due: a broken chain, a budget that is spent, a review or an expiry that is past."""
    path = Path(folder)
    if not path.is_dir():
        raise RegisterError(f"The folder of the register, {shown(path)}, does not exist. Make it first.")
    chain, day = read_chain(path), today or date.today()
    # By the name that came first; others that differ in case or blanks only are of the same people.
    of_one: dict[str, list[Entry]] = {}
    for entry in chain.entries:
        of_one.setdefault(same_population(entry.population), []).append(entry)
    spent = tuple(_spent(entries[0].population, entries) for entries in of_one.values())
    return Register(
        folder=path.name,
        entries=chain.entries,
        head=chain.head,
        populations=spent,
        problems=tuple(_problems(chain.entries, chain.broken, spent, day)),
        today=day,
    )


def register_release(
    folder: str | Path,
    release: str | Path,
    original: Data | None = None,
    *,
    acknowledge: Mapping[str, str] | None = None,
    **asked: str | None,
) -> Entry:
    """Add a release that was published without a register; return its line.

    It is held against the earlier ones of its population as if it were published now, and not added where that is refused.
    `original` is what `read` returns for the table that it was made of. `acknowledge` maps columns that an earlier release counted as known
    to outsiders, and this one does not, to the reason; what its manifest has of them counts too. `asked` is
    `population_name`, which must be said, and `recipient`, `review`, `expires` and `accept_unmeasured`.
    """
    path = Path(release)
    registration = registration_of(Registered(register=Path(folder), **asked))
    assert registration is not None, "the folder is given"
    if original is not None:
        check_opened(original, "an.register_release(folder, 'release.csv', an.read('original.csv'))")
    limits = engine_limits(original) if original is not None else {}
    if not (checked := verify(path, **limits)).holds:
        raise RegisterError(f"{checked.sentence} What is not what was published is not registered.")
    papers = published(path)
    epsilon, unit, drawn = epsilon_in(papers.manifest), unit_in(papers.manifest), papers.manifest.get("synthesis") is not None
    lost = Loss(epsilon, Fraction(delta_in(papers.manifest) or 0)) if epsilon is not None else None
    new = NewRelease(
        path=path,
        roles=papers.roles or (original.roles if original is not None else Roles()),
        recipe=recipe_beside(path),
        k=papers.policy.class_size if papers.policy is not None else None,
        of_these=papers.made_of(original.path) if original is not None else None,
        drawn=drawn,
        guaranteed=drawn and lost is not None,
        lost=lost,
        unit=unit,
        columns=tuple(papers.manifest["release"]["columns"]),
        policy=papers.policy,
        said={**_said_in(papers.manifest), **Acknowledgements(acknowledge or {}).columns},
    )
    with registration.under_way() as registering:
        if any(e.sha256 == papers.manifest["release"]["sha256"] and e.recipient == registration.recipient for e in registering.earlier):
            raise RegisterError(f"{shown(path.name)} is in the register already, for the same recipient.")
        registering.check_budget(lost, unit)
        found = registering.check(new, original, path.name)
        kept, verdicts = papers.kept, papers.manifest["verdicts"]
        return registering.add(
            release=path.name,
            path=seen_from(registration.folder, path),
            sha256=papers.manifest["release"]["sha256"],
            made_by="synthesise" if drawn else "register add",
            records=papers.manifest["release"]["records"],
            policy=papers.policy.name if papers.policy is not None else None,
            outcome=verdicts[0]["outcome"] if verdicts else None,
            recipe=kept["recipe"]["sha256"] if kept is not None else None,
            source=kept["source"]["sha256"] if kept is not None else None,
            k=new.k,
            epsilon=str(epsilon) if epsilon is not None else None,
            delta=delta_in(papers.manifest),
            unit=unit,
            composition=found.to_dict(),
            quasi_identifiers=list(new.roles.attributes),
        )


def _said_in(manifest: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the words about columns by which a release was published."""
    return {column: reason for verdict in manifest["verdicts"] for column, reason in (verdict.get("acknowledged") or {}).items()}


def register_budget(folder: str | Path, population_name: str, epsilon: float, delta: float | None = None) -> Entry:
    """Set what all releases of a population together may lose about a person; return its line. Without a `delta`, that has no limit."""
    if not population_name.strip():
        raise OptionError("A budget is that of a population. Name it (--population-name NAME).")
    if isinstance(epsilon, bool) or not 0 < epsilon < float("inf"):
        raise OptionError(f"A budget is an epsilon above 0, not {epsilon}.")
    if delta is not None and (isinstance(delta, bool) or not 0 <= delta < 1):
        raise OptionError(f"A budget has a delta from 0 to below 1, not {delta}.")
    beyond = str(Fraction(repr(delta))) if delta is not None else None
    entry = Entry(kind="budget", population=population_name, added=_now(), epsilon=str(epsilon_of(epsilon)), delta=beyond)
    with locked(Path(folder)):
        check_whole(read_chain(Path(folder)), Path(folder))
        append(Path(folder), entry)
    return entry


def registration_of(asked: Registered) -> Registration | None:
    """Return what was asked for of a register; None where nobody asked."""
    if asked.register is None:
        if asked.population_name is not None or asked.recipient is not None:
            raise OptionError("The population and the recipient of a release are for its register, and none is named (--register FOLDER).")
        return None
    if asked.population_name is None:
        raise OptionError("A register needs the name of the population that a release is of (--population-name NAME).")
    return Registration(
        folder=asked.register,
        population=asked.population_name,
        recipient=asked.recipient,
        review=asked.review,
        expires=asked.expires,
        accepted=asked.accept_unmeasured,
    )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _spent(name: str, entries: Sequence[Entry]) -> PopulationSpent:
    releases = [entry for entry in entries if entry.kind == "release"]
    found, budget = together(releases), budget_of(entries)
    return PopulationSpent(
        population=name,
        releases=len(releases),
        without_guarantee=len(releases) - found.private,
        spent=found.lost.epsilon,
        delta=found.lost.delta if found.delta_known else None,
        budget=budget.epsilon if budget is not None else None,
        delta_budget=budget.delta if budget is not None else None,
        private=found.private,
        unlike=found.unlike,
    )


def _problems(entries: Sequence[Entry], broken: str | None, spent: Sequence[PopulationSpent], today: date) -> Iterator[str]:
    if broken is not None:
        yield f"The chain is broken: {broken}. What follows is about the lines before it."
    for one in spent:
        if one.budget is not None and one.spent >= one.budget:
            yield f"The budget of {shown(one.population)} is spent."
        if one.delta_budget and one.delta is not None and one.delta >= one.delta_budget:
            yield f"The budget of delta of {shown(one.population)} is spent."
        if one.unlike:
            yield f"{UNLIKE.format(one.unlike, one.private, shown(one.population))}."
    names: dict[str, dict[str, str]] = {}
    for entry in entries:
        if entry.source is not None:
            names.setdefault(entry.source, {}).setdefault(same_population(entry.population), entry.population)
    for called in names.values():
        if len(called) > 1:
            named = " and ".join(map(shown, called.values()))
            yield f"Releases of one table are registered as of {named}, and were not held against each other: give them one name."
    for entry in entries:
        name = f"{shown(str(entry.release))} to {shown(entry.recipient) if entry.recipient else 'nobody named'}"
        if entry.review is not None and date.fromisoformat(entry.review) < today:
            yield f"The review of {name} was due on {entry.review}."
        if entry.expires is not None and date.fromisoformat(entry.expires) < today:
            yield f"{name} expired on {entry.expires}: see that it is deleted."
        if entry.composition is not None and not entry.composition["measured"] and not entry.composition["accepted"]:
            yield f"{name} was not measured together with the earlier releases."
