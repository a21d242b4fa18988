"""Attack a release: what somebody really finds out, measured with a control. The public function and its result."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from anonscope.attacks.attacker import Attacker, attackers_of, fitting, load_attackers
from anonscope.attacks.candidates import explained, made_up, unread_records
from anonscope.attacks.composed import average, compose_candidates, compose_values
from anonscope.attacks.downcoding import downcode
from anonscope.attacks.inference import infer, semantic_groups, sensitive_of
from anonscope.attacks.likelihood import infer_by_likelihood, link_by_likelihood
from anonscope.attacks.linkability import link_people, proof
from anonscope.attacks.linkage import link_tables
from anonscope.attacks.linkage.images import images_of
from anonscope.attacks.membership import tell_members
from anonscope.attacks.people import TARGETS, Attacked, People, check, targets
from anonscope.attacks.registry import ATTACKS
from anonscope.attacks.singling_out import single_out
from anonscope.attacks.success import Success, not_measured, wilson
from anonscope.columns.hierarchy import Hierarchy, read_hierarchy
from anonscope.columns.roles import left_of
from anonscope.engines import DuckDB
from anonscope.errors import AttackError, ColumnNotFound, OptionError, shown
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.io.sources import open_source
from anonscope.operations.attacking.attack_with import AttackWith
from anonscope.operations.attacking.class_size import asked_size
from anonscope.operations.attacking.tables import Tables
from anonscope.operations.attacking.together import told_together
from anonscope.operations.audit import Audit, audit
from anonscope.operations.comparing.versions import Compared, Opened, opened
from anonscope.operations.read import Data, engine_limits, read
from anonscope.operations.result import Result
from anonscope.risk.counting.arrays import Floats
from anonscope.risk.counting.columns import read_columns
from anonscope.risk.policy import Policy, Verdict
from anonscope.risk.policy import load as load_policy
from anonscope.risk.policy.verdict import judge_attacks
from anonscope.transform.recipe import Recipe, recipe_of


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A column of the original that no attacker used, and why."""

    column: str
    reason: str


# What is asked unless somebody says what; unicity is about events, and has a verb of its own.
USUAL = tuple(name for name in ATTACKS if name != "unicity")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attacks(Result):
    """What every attack achieved, and what a policy says of it; renders itself as text, JSON, Markdown or HTML."""

    release: str
    original: str
    control: str | None
    records: int
    people: int
    original_records: int  # of these people
    control_people: int
    seed: int
    attackers: tuple[Attacker, ...]
    results: tuple[Success, ...]
    left_out: tuple[LeftOut, ...] = ()  # columns of the original that no attacker used, and why
    grouped_by: str | None = None
    verdict: Verdict | None = None
    audit: Audit | None = None
    notes: tuple[str, ...] = ()
    together: str | None = None  # what is known of all records of a person together, which no attack looks at
    cpu_seconds: float = 0.0

    def select(self, attack: str, variant: str | None = None, **also: Any) -> tuple[Success, ...]:
        """Return the results of an attack that fit; `attacker` and `sensitive` may be given too."""
        wanted = also | ({"variant": variant} if variant is not None else {})
        return tuple(r for r in self.results if r.attack == attack and all(getattr(r, key) == value for key, value in wanted.items()))


@shown_in_notebooks
def attack(
    release: Compared,
    original: Data,
    *,
    control: Any = None,
    external: Any = None,
    external_columns: Mapping[str, str] | None = None,
    external_only: bool = False,
    also: Iterable[Compared] = (),
    attackers: Sequence[Attacker] | str | Path | None = None,
    attacks: Iterable[str] | None = None,
    policy: str | Path | Policy | None = None,
    key: str | None = None,
    paired: bool | None = None,
    hierarchies: Mapping[str, str | Path | Hierarchy] | None = None,
    recipe: Recipe | str | Path | None = None,
    targets: int | None = TARGETS,
    group: str | None = None,
    class_size: int | None = None,
    model: bool = False,
    seed: int = 1,
    progress: Progress | None = None,
) -> Attacks:
    """Attack a release with the people of its original, and with those of a control who are not in it.

    `original` is what `read` returns, with roles: attackers know its quasi-identifiers, scenario by scenario, and guess its sensitive
    columns, unless `attackers` says otherwise (a file, or `Attacker` objects). `control` is a table of people from the same population
    who are not in the original; without it a risk is an upper bound. `external` is a table that an attacker really holds,
    linked by every column that both have, or with `external_only` by those that `external_columns` pairs and no other.
    What released labels stand for is said by their notation, by the `recipe` that made the release (the one beside a file is read by
    itself) and by `hierarchies`. `also` are further releases of the same people. Records are paired by the `key`, or by their order
    where both tables have as many and agree (`paired` decides). `targets` limits who is attacked; None takes everybody. `group` is a
    column to tell apart who is hit, by its values. `class_size` is the smallest group that the release had to have, for downcoding.
    `model` also learns sensitive values from the release (extra ml). With a `policy` there is a verdict.
    """
    start = process_time()
    if not isinstance(original, Data):
        raise OptionError("This takes what read() returns first: an.attack(release, an.read(original, quasi_identifiers=[...]))")
    chosen = tuple(dict.fromkeys(attacks)) if attacks is not None else USUAL
    for name in chosen:
        if name not in USUAL:
            raise OptionError(f"No attack is called {shown(name)} here. There are: {', '.join(USUAL)}; for events there is unicity.")
    if targets is not None and targets < 1:
        raise OptionError(f"The number of targets must be at least 1, not {targets}.")
    if original.engine.remote:
        raise OptionError(
            f"Attacks look at records one by one, and on {original.engine.title} they stay where they are. Use the engine DuckDB for it."
        )
    for column in original.roles.assigned:
        if column not in original.columns:
            raise ColumnNotFound(column, original.columns)
    ladders = {c: h if isinstance(h, Hierarchy) else read_hierarchy(Path(h), c) for c, h in (hierarchies or {}).items()}
    judged = load_policy(policy) if policy is not None else None
    tell = progress or (lambda what, done, total: None)
    found: list[Success] = []
    made_by = recipe_of(recipe) if recipe is not None else None
    versions = [opened(release, made_by), *(opened(one) for one in also)]
    with Tables(original, control, key) as tables:
        read_all = [tables.attacked(version, ladders, key=key, paired=paired, seed=seed, group=group) for version in versions]
        (main, name, notes) = read_all[0]
        known = _attackers(attackers, original, main)
        people, others = _crowds(main, targets)
        for i, one in enumerate(known):
            fit = fitting(one, main)
            check(main, fit.columns, people, "The original")
            explained(main, fit.columns)
            tell("attacking", i, len(known))
            found += _by(main, fit, people, others, chosen, original, ladders, model=model, targets=targets)
            if "downcoding" in chosen:
                found.append(downcode(main, fit, people, *asked_size(class_size, judged, release)))
            if "composition" in chosen and len(versions) > 1:
                found.append(compose_candidates([attacked for attacked, _, _ in read_all], fit, people, others))
                for column in original.roles.sensitive:
                    found += compose_values([attacked for attacked, _, _ in read_all], fit, people, others, column)
        if "composition" in chosen and len(versions) > 1:
            for column in original.roles.sensitive:
                found += average([attacked for attacked, _, _ in read_all], people, others, column)
        if "membership" in chosen:
            columns = tuple(c for c in main.columns if c not in original.roles.direct_identifiers)
            found += tell_members(main, people, others, columns)
        if external is not None and "linkability" in chosen:
            found.append(_external(versions[0], external, external_columns, original, ladders, only=external_only))
        checked = None
        if judged is not None and original.roles.attributes:
            checked = _audited(versions[0], original, judged)
        return Attacks(
            release=name,
            original=original.relation.name,
            control=tables.control_name,
            records=main.released,
            people=main.original.people,
            original_records=main.original.records,
            control_people=main.control.people if main.control is not None else 0,
            seed=seed,
            attackers=known,
            results=tuple(found),
            left_out=_left_out(original, tables, main, known),
            grouped_by=group,
            verdict=judge_attacks(judged, found, checked.verdict if checked is not None else None) if judged is not None else None,
            audit=checked,
            notes=(*tables.notes, *notes, *_riddles(main, known)),
            together=told_together(main.original.people, main.original.records, checked),
            cpu_seconds=process_time() - start,
        )


def _attackers(given: Sequence[Attacker] | str | Path | None, original: Data, attacked: Attacked) -> tuple[Attacker, ...]:
    given = load_attackers(given) if isinstance(given, str | Path) else given
    found = tuple(given) if given is not None else attackers_of(original.roles)
    if not found:
        raise AttackError(
            "Nobody says what an attacker knows. Name the columns an outsider may know, for instance: -q age -q sex -q zip; or give "
            "attackers."
        )
    for one in found:
        for column in one.columns:
            if column not in original.columns:
                raise ColumnNotFound(column, original.columns)
        if not any(column in attacked.columns for column in one.columns):
            raise AttackError(
                f"Attacker {shown(one.name)} knows {len(one.columns)} columns, and release, original and control have none of them in "
                "common."
            )
    return found


def _left_out(original: Data, tables: Tables, main: Attacked, attackers: Sequence[Attacker]) -> tuple[LeftOut, ...]:
    """Return the columns of the original that no attacker used, each with the reason."""
    roles, used = original.roles, {column for one in attackers for column in one.columns}
    found = []
    for column in original.columns:
        if column in roles.direct_identifiers:
            reason = "a direct identifier, which no release may have"
        elif column in tables.aside:
            reason = "it tells records or people apart, or counts them"
        elif column in tables.lacking:
            reason = "the control lacks it"
        elif column not in main.columns:
            reason = "the release lacks it"
        elif column in roles.sensitive or column in used:
            continue
        else:
            reason = "no attacker knows it; only membership looks at it"
        found.append(LeftOut(column, reason))
    return tuple(found)


def _riddles(main: Attacked, attackers: Sequence[Attacker]) -> tuple[str, ...]:
    """Return a sentence for every known column with labels that nothing explains."""
    found = []
    for name in dict.fromkeys(column for one in attackers for column in one.columns if column in main.columns):
        records = unread_records(main, name) if not made_up(main, name) else 0
        if records:
            seen = main.original.released is not None
            taken = "attackers are taken to know which values they replaced" if seen else "they may be anything"
            found.append(f"Labels of {shown(name)} in {records:,} of {main.released:,} released records are explained by nothing; {taken}.")
    return tuple(found)


def _crowds(attacked: Attacked, wanted: int | None) -> tuple[People, People | None]:
    people = targets(attacked, attacked.original, wanted, 1)
    others = targets(attacked, attacked.control, wanted, 2) if attacked.control is not None else None
    if others is not None:
        check(attacked, attacked.columns, others, "The control")
    return people, others


def attacked_too(
    found: Audit,
    release: Compared,
    wish: AttackWith,
    original: Data | None = None,
    progress: Progress | None = None,
    recipe: Recipe | None = None,
) -> Audit:
    """Return an audit whose release was attacked as well: its verdict keeps the rules about attacks, and its reports show them."""
    known = original if original is not None else wish.original
    if known is None:
        raise OptionError("Attacks need the table that the release was made of (--original FILE, AttackWith.original).")
    if not isinstance(known, Data):
        limits = engine_limits(release) if isinstance(release, Data) else {}
        with read(known, **limits) as data:
            return attacked_too(found, release, wish, data, progress, recipe)
    if not known.roles.attributes:
        lacking = [name for name in (*found.roles.attributes, *found.roles.sensitive) if name not in known.columns]
        if lacking:
            raise AttackError(f"The original lacks {_listed(lacking)}, which the release has a role for. Columns must have the same names.")
        known.roles = found.roles
    size = wish.class_size or found.policy.class_size
    made = attack(release, known, **{**wish.options(), "class_size": size}, recipe=recipe, progress=progress)
    return replace(found, attacks=made, verdict=judge_attacks(found.policy, made.results, found.verdict))


def _by(
    main: Attacked,
    fit: Attacker,
    people: People,
    others: People | None,
    chosen: Sequence[str],
    original: Data,
    ladders: Mapping[str, Hierarchy],
    *,
    model: bool,
    targets: int | None,
) -> list[Success]:
    found: list[Success] = []
    if "singling_out" in chosen:
        found += single_out(main, fit, targets)
    if "linkability" in chosen:
        found += link_people(main, fit, people, others)
        found += link_by_likelihood(main, fit, people, others)
        if others is not None:
            found.append(proof(main, fit, people, others))
    if "inference" in chosen:
        if not original.roles.sensitive:
            found.append(not_measured("inference", "candidates", fit, "no column is named as sensitive, so there is nothing to guess"))
        for column in original.roles.sensitive:
            if column not in main.columns:
                reason = "release, original and control do not all have the column"
                found.append(not_measured("inference", "candidates", fit, reason, column))
                continue
            records = unread_records(main, column) if not made_up(main, column) else 0
            if 2 * records > main.released:
                reason = f"what {shown(column)} says is explained by nothing in {records:,} of {main.released:,} released records"
                found.append(not_measured("inference", "candidates", fit, reason, column))
                continue
            prior = _prior(fit, main, column, original)
            about = sensitive_of(main, column, prior)
            groups = semantic_groups(main.values[column], _groups(ladders[column])) if column in ladders else None
            found += infer(main, fit, people, others, about, model=model, groups=groups)
            found += infer_by_likelihood(main, fit, people, others, about, prior)
    return found


def _groups(ladder: Hierarchy) -> dict[str, str]:
    """Return the group of every value: one level above the value itself."""
    return dict(zip(ladder.leaves, ladder.levels[0], strict=True))


def _prior(fit: Attacker, attacked: Attacked, column: str, original: Data) -> Floats | None:
    """Return how often every value occurs in the table that the attacker's expectations come from, if there is one."""
    if fit.prior is None:
        return None
    with read(fit.prior, **engine_limits(original)) as data:
        if column not in data.columns:
            return None
        found = read_columns(data.engine, data.relation, [column])[column]
    counts = dict(zip(found.values, np.bincount(found.codes, minlength=len(found.values)), strict=True))
    return np.array([float(counts.get(value, 0)) for value in attacked.values[column]])


def _external(
    version: Opened, external: Any, columns: Mapping[str, str] | None, original: Data, ladders: Mapping[str, Hierarchy], *, only: bool
) -> Success:
    """Return what linking with a table that somebody really holds gives, in the same terms."""
    start = process_time()
    with read(version.source, recipe=version.recipe, **engine_limits(original)) as data:
        engine = DuckDB.like(data.engine)
        try:
            found = link_tables(
                data.engine,
                data.relation,
                open_source(external, engine),
                columns,
                only=only,
                among=[name for name in original.roles.attributes if name in data.columns] or None,
                images=images_of(data.columns, version.recipe, {c: h for c, h in ladders.items() if c in data.columns}, data.perturbed),
                external_engine=engine,
            )
        finally:
            engine.close()
    shared: dict[str, Any] = {
        "attack": "linkability",
        "variant": "external table",
        "attacker": found.external,
        "columns": tuple(pair.release for pair in found.columns),
    }
    if found.average_risk is None:
        return Success(**shared, status="not measured", reason="it hangs on labels that nothing explains")
    further = {"matched": found.matched_share, "one_candidate": found.unique_match_share, "maximum": found.maximum_risk}
    return Success(
        **shared,
        targets=found.records,
        success=found.average_risk,
        baseline=1 / found.external_records,
        risk=found.average_risk,
        interval=wilson(found.average_risk, found.records),
        figures={name: figure for name, figure in further.items() if figure is not None},
        notes=(
            "The person of a record is taken to be in the external table where somebody there fits: an upper bound.",
            *((f"Not linked, though the names fit: {', '.join(pair.release for pair in found.left_out)}.",) if found.left_out else ()),
        ),
        cpu_seconds=process_time() - start,
    )


def _audited(version: Opened, original: Data, policy: Policy) -> Audit:
    """Return the release judged by the rules about metrics that a policy has beside those about attacks."""
    with read(version.source, recipe=version.recipe, **engine_limits(original)) as data:
        data.roles, data.acknowledged = left_of(original.roles, data.columns), original.acknowledged
        return audit(data, policy)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return ", ".join(map(shown, names[:6])) + more
