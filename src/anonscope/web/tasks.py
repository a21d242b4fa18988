"""What jobs do: the public functions on stored tables, one after the other for each table."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec

from pydantic import TypeAdapter

from anonscope.attacks.attacker import Attacker
from anonscope.columns.hierarchy import parse_hierarchy
from anonscope.columns.roles import Roles, left_of
from anonscope.columns.suggestion.dictionary import labels_in
from anonscope.errors import RequestRefused
from anonscope.io.progress import Progress
from anonscope.operations.anonymise import anonymise
from anonscope.operations.attack import Attacks, attack
from anonscope.operations.attacking.attack_with import AttackWith
from anonscope.operations.audit import audit
from anonscope.operations.compare import compare
from anonscope.operations.comparing.versions import ORIGINAL, fetched
from anonscope.operations.explore import explore
from anonscope.operations.link import link
from anonscope.operations.plan import plan
from anonscope.operations.read import Data
from anonscope.operations.suggest import suggest
from anonscope.operations.unicity import unicity
from anonscope.operations.verify import verify
from anonscope.operations.wishes.attacks import Attacking
from anonscope.operations.wishes.policy import Excepting, Measuring
from anonscope.operations.wishes.reading import Reading
from anonscope.operations.wishes.search import Anonymising, Planning
from anonscope.operations.wishes.versions import Comparing, Explained
from anonscope.operations.wishes.words import said
from anonscope.risk.policy import Policy, load, preset_names
from anonscope.transform.recipe import Recipe, parse
from anonscope.transform.release.beside import hierarchies_of
from anonscope.web.schemas import AnonymiseAsked, AttackAsked, AuditAsked, CompareAsked, LinkAsked, PlanAsked, SuggestAsked, UnicityAsked
from anonscope.web.storage import Workspace
from anonscope.web.stored import StoredTable, read_named
from anonscope.web.versions import judge, keep
from anonscope.web.what_if import ExplorerAsked
from anonscope.web.written import written

API = "/api/v1"
Work = Callable[[Progress], str]
_P = ParamSpec("_P")


def as_job(function: Callable[Concatenate[Progress, _P], str]) -> Callable[_P, Work]:
    """Make of a function what a job runs: its other arguments are given now, its progress when it runs."""

    @wraps(function)
    def prepared(*arguments: _P.args, **named: _P.kwargs) -> Work:
        return lambda progress: function(progress, *arguments, **named)

    return prepared


def sent_of(asked: object) -> dict[str, Any]:
    """Return what a request asked for, without what it left as it is."""
    # A wish keeps lists as tuples, which is as good here.
    told: dict[str, Any] = TypeAdapter(type(asked)).dump_python(asked, mode="json", exclude_defaults=True, warnings="none")
    return told


def policy_of(name: str) -> Policy:
    """Return a policy by its name; a file of the server is none of a user's business."""
    if name not in preset_names():
        raise RequestRefused(f"There is no such policy. There are: {', '.join(preset_names())}.", 422)
    return load(name)


def audited(table: StoredTable) -> Roles:
    """Return the roles of the last audit."""
    if table.audit is None or table.roles is None:
        raise RequestRefused("Audit the table first: the roles of its columns are not known yet.", 409)
    return table.roles


@as_job
def suggesting(progress: Progress, table: StoredTable, asked: SuggestAsked, memory_limit: str | None) -> str:
    """Suggest the roles of the columns."""
    with table.opened(None, memory_limit) as data:
        # The text of a dictionary, never the name of a file of this machine.
        labels = labels_in(asked.dictionary) if isinstance(asked.dictionary, str) else asked.dictionary
        table.suggestion = suggest(data, **said(asked, without=("dictionary",)), dictionary=labels, progress=progress)
        table.desk.propose(table.suggestion, anew=labels is not None)
    return f"{API}/tables/{table.id}/suggestion"


@as_job
def auditing(progress: Progress, workspace: Workspace, table: StoredTable, asked: AuditAsked, roles: Roles | None) -> str:
    """Audit the table, attack it where that is asked for, and keep it open for questions about what was found."""
    policy, memory_limit = policy_of(asked.policy), workspace.settings.memory_limit
    with table.lock, ExitStack() as stack:
        if table.forgotten:
            raise RequestRefused("The table was forgotten.", 404)
        data = read_named(table.path, table.name, roles, memory_limit, table.reading, table.beside)
        data.acknowledged = asked.acknowledged()
        try:
            if roles is None and table.suggestion is None:
                table.suggestion = suggest(data, progress=progress)
            if table.suggestion is not None and (roles is None or roles == table.suggestion.roles):
                # Whoever reads the report must know that the roles were proposed.
                data.accept(table.suggestion)
            wishes = said(asked, only=(Measuring, Excepting))
            attacks = _attacks_from(stack, workspace, asked)
            # Neither reasons nor a plan, which rest on all metrics, where only some are asked for.
            whole = asked.only is None and not asked.for_policy
            found = audit(data, policy, **wishes, explain=asked.explain if whole else False, attacks=attacks, progress=progress)
            if found.attacks is not None:
                found = replace(found, attacks=_known_as(workspace, found.attacks, table.name, asked.control))
            if asked.plan and whole and not found.verdict.met:
                progress("planning", 0, 1)
                found = replace(
                    found, planned=found.plan(hierarchies=dict(table.desk.hierarchies)) if table.desk.hierarchies else found.plan()
                )
        except BaseException:
            data.close()
            raise
        table.keep(data)
        if (table.roles, table.policy) != (data.roles, policy.name):
            table.desk.results.clear()
        table.roles, table.policy, table.audit, table.acknowledged = data.roles, policy.name, found, data.acknowledged
        beside = ("roles", "policy")
        table.audited_as = {name: value for name, value in sent_of(asked).items() if name not in beside}
        # What was worked out with other roles or another policy is not about this audit any more; versions are judged anew by it.
        table.exploration = table.anonymisation = None
        table.ladders = {}
        table.desk.policy, table.desk.stale = policy.name, False
        table.desk.say(data.roles)
        for version in table.desk.kept:
            progress("judging versions", 0, 1)
            judge(table, version, policy.name, memory_limit)
        table.desk.changed()
        table.plan = found.planned
        table.fragments = ()
        if table.forgotten:
            table.forget_results()
            table.keep(None)
    return f"{API}/tables/{table.id}/audit.json"


@as_job
def preparing(progress: Progress, table: StoredTable, asked: ExplorerAsked, memory_limit: str | None) -> str:
    """Count the tuples that what-if questions are answered from."""
    roles = audited(table)
    policy = None if asked.limits is not None and asked.policy is None else policy_of(asked.policy or table.policy)
    with table.opened(roles, memory_limit) as data:
        data.acknowledged = table.acknowledged
        found = explore(data, policy, limits=asked.limits, hierarchies=dict(table.desk.hierarchies), progress=progress)
    if not table.forgotten:
        table.exploration = found
    return f"{API}/tables/{table.id}/explorer"


@as_job
def planning(progress: Progress, table: StoredTable, asked: PlanAsked, like: Path | None, memory_limit: str | None) -> str:
    """Say how the table can be released."""
    roles = audited(table)
    unsaid = asked.policy is None and (asked.limits is not None or like is not None)
    policy = None if unsaid else policy_of(asked.policy or table.policy)
    with table.opened(roles, memory_limit) as data:
        data.acknowledged = table.acknowledged
        progress("planning", 0, 1)
        wishes = said(asked, only=(Planning, Excepting), without=("policy",))
        found = plan(data, policy, like=like, hierarchies=dict(table.desk.hierarchies), **wishes)
    if not table.forgotten:
        table.plan = found
    return f"{API}/tables/{table.id}/plan.json"


@as_job
def anonymising(progress: Progress, workspace: Workspace, table: StoredTable, asked: AnonymiseAsked) -> str:
    """Search the release that meets a policy, and write it beside the table."""
    roles = audited(table)
    policy = None if asked.limits is not None and asked.policy is None else policy_of(asked.policy or table.policy)
    with table.opened(roles, workspace.settings.memory_limit) as data:
        data.acknowledged = asked.acknowledged() or table.acknowledged
        wishes = said(asked, only=(Anonymising, Excepting), without=("policy",))
        found = anonymise(
            data,
            policy,
            **wishes,
            hierarchies=dict(table.desk.hierarchies),
            explain=asked.alternatives,
            attacks=_attacks(workspace, asked),
            progress=progress,
        )
        if found.release is not None:
            release = written(table, lambda path: found.write(path, formulas="mark"))
            keep(
                table,
                release,
                how="anonymise",
                asked=sent_of(asked),
                policy=policy.name if policy is not None else found.policy.name,
                memory_limit=workspace.settings.memory_limit,
                acknowledged=data.acknowledged,
                result=found,
            )
    if not table.forgotten:
        # What came of it is kept in any case; a search that found nothing leaves the versions that there are.
        table.anonymisation = found
    return f"{API}/tables/{table.id}/anonymisation.json"


@as_job
def verifying(progress: Progress, table: StoredTable, memory_limit: str | None) -> str:
    """Compare a release that was sent with the manifest that was sent with it."""
    with table.lock:
        if table.forgotten:
            raise RequestRefused("The table was forgotten.", 404)
        progress("reading the release anew", 0, 1)
        found = verify(table.path, memory_limit=memory_limit, isolate=True)
    if not table.forgotten:
        table.verification = replace(found, release=table.name)
    return f"{API}/tables/{table.id}/verification.json"


@as_job
def comparing(progress: Progress, workspace: Workspace, asked: CompareAsked) -> str:
    """Put versions of a table side by side."""
    original = workspace.table(asked.original)
    roles = audited(original)
    versions: list[tuple[str, Path | StoredTable]] = []
    recipes: list[Recipe | None] = []
    if asked.own_release:
        versions.append(("anonymised", own_release(original)))
        recipes.append(None)
    for number in asked.versions:
        versions.append((f"version {number}", own_release(original, number)))
        recipes.append(None)
    for id in asked.releases:
        table = workspace.table(id)
        versions.append((table.name, table))
        recipes.append(recipe_sent(asked.recipes[id]) if id in asked.recipes else None)
    if strangers := [id for id in asked.recipes if id not in asked.releases]:
        raise RequestRefused(f"{len(strangers)} of the recipes sent belong to none of the releases.", 422)
    limit = workspace.settings.memory_limit
    with original.opened(roles, limit) as data, ExitStack() as stack:
        data.acknowledged = original.acknowledged
        found = compare(
            data,
            *(_version(stack, version, limit) for _, version in versions),
            **said(asked, only=(Comparing, Explained), without=("names", "external")),
            names=asked.names or _different([name for name, _ in versions]),
            policy=load(original.policy),
            hierarchies={column: parse_hierarchy(text, column) for column, text in asked.hierarchies.items()},
            recipe=recipes,
            external=source_of(workspace, asked.external),
            attacks=_attacks(workspace, asked),
            progress=progress,
        )
    return f"{API}/comparisons/{workspace.keep(found)}.json"


def own_release(table: StoredTable, number: int | None = None) -> Path:
    """Return a release that was made of a table here: the version with this number, or the newest."""
    if number is not None:
        return table.desk.version(number).file
    if table.release is None:
        raise RequestRefused("The table has no release of its own yet. Anonymise it first.", 409)
    return table.release


def _attacks(workspace: Workspace, asked: AnonymiseAsked | CompareAsked) -> AttackWith | None:
    """Return what releases are attacked with, if that is asked for."""
    if asked.control is not None:
        return AttackWith(control=source_of(workspace, asked.control))
    return AttackWith() if asked.attack else None


def _attacks_from(stack: ExitStack, workspace: Workspace, asked: AuditAsked) -> AttackWith | None:
    """Return what a table is attacked with as a release of its original, if that is asked for; it is open until the stack is left."""
    if asked.original is None:
        return None
    original = workspace.table(asked.original)
    # Its columns have the roles that those of the release have.
    data = read_named(original.path, original.name, None, workspace.settings.memory_limit, original.reading)
    return AttackWith(original=stack.enter_context(data), control=source_of(workspace, asked.control))


def _known_as(workspace: Workspace, found: Attacks, release: str, control: str | None) -> Attacks:
    """Return what attacks achieved under the names that the owner of the tables knows."""
    return replace(found, release=release, control=workspace.table(control).name if control is not None else None)


def _version(stack: ExitStack, version: Path | StoredTable, memory_limit: str | None) -> Path | Data:
    """Return a release that is compared or attacked; one that came with words on how to read it is read so, until the stack is left."""
    if isinstance(version, Path):
        return version
    if version.reads_itself:
        return version.path
    return stack.enter_context(read_named(version.path, version.name, None, memory_limit, version.reading))


def source_of(workspace: Workspace, id: str | None) -> Any:
    """Return a table of people from outside as functions take it; one that came with words on how to read it is read so."""
    if id is None:
        return None
    table = workspace.table(id)
    if table.reads_itself:
        return table.path
    with read_named(table.path, table.name, None, workspace.settings.memory_limit, table.reading) as data:
        return fetched(data, data.columns)


def recipe_sent(text: str) -> Recipe:
    """Return a recipe that came with a request; files that it names would be files of this server, so it must name none."""
    recipe = parse(text)
    if any(hierarchies_of(step) or getattr(step, "population", None) for step in recipe.steps):
        raise RequestRefused("The recipe names files, which are not here. Send its hierarchies, by column, and leave such steps out.", 422)
    return recipe


@as_job
def linking(progress: Progress, workspace: Workspace, asked: LinkAsked) -> str:
    """Hold a release against a table that an attacker may have."""
    table, external = workspace.table(asked.release), workspace.table(asked.external)
    if asked.only and not asked.columns:
        raise RequestRefused("Only columns that are named are to be linked, and none is named.", 422)
    recipe = recipe_sent(asked.recipe) if asked.recipe is not None else None
    path, limit = table.path, workspace.settings.memory_limit
    if asked.own_release or asked.version is not None:
        path = own_release(table, asked.version)
    progress("linking", 0, 1)
    name, how = (table.name, table.reading) if path == table.path else ("release.csv", Reading())
    with read_named(path, name, None, limit, how) as data:
        if table.roles is not None:
            data.roles = left_of(table.roles, data.columns)
        found = link(
            data,
            source_of(workspace, asked.external),
            **said(asked),
            recipe=recipe,
            hierarchies={column: parse_hierarchy(text, column) for column, text in asked.hierarchies.items()},
        )
    return f"{API}/results/{workspace.keep_result(replace(found, external=external.name))}.json"


@as_job
def attacking(progress: Progress, workspace: Workspace, asked: AttackAsked) -> str:
    """Attack a release with the people of its original and of a control."""
    original = workspace.table(asked.original)
    roles = audited(original)
    if asked.own_release or asked.version is not None:
        release: Path | StoredTable = own_release(original, asked.version)
    elif asked.release is not None:
        release = workspace.table(asked.release)
    else:
        raise RequestRefused("There is nothing to attack. Name a release, or the table's own.", 422)
    known = [Attacker(name=one.name, **{**said(one), "columns": tuple(one.columns or roles.attributes)}) for one in asked.attackers or ()]
    limit = workspace.settings.memory_limit
    with original.opened(roles, limit) as data, ExitStack() as stack:
        data.acknowledged = original.acknowledged
        found = attack(
            _version(stack, release, limit),
            data,
            **{**said(asked, only=(Attacking,), without=("external",)), "targets": asked.targets or None},
            control=source_of(workspace, asked.control),
            external=source_of(workspace, asked.external),
            also=[_version(stack, workspace.table(id), limit) for id in asked.also],
            attackers=known or None,
            policy=policy_of(asked.policy) if asked.policy is not None else None,
            progress=progress,
        )
    name = "release.csv" if isinstance(release, Path) else release.name
    return f"{API}/attacks/{workspace.keep_attacks(_known_as(workspace, found, name, asked.control))}.json"


@as_job
def counting_points(progress: Progress, workspace: Workspace, table: StoredTable, asked: UnicityAsked) -> str:
    """Say how many points of somebody's events single them out."""
    with table.opened(Roles(person=asked.person), workspace.settings.memory_limit) as data:
        found = unicity(data, **said(asked))
    return f"{API}/attacks/{workspace.keep_attacks(found)}.json"


def _different(names: Sequence[str]) -> list[str]:
    """Return names that tell versions apart, whatever their files are called."""
    found: list[str] = []
    for i, name in enumerate(names, start=1):
        found.append(name if name not in (ORIGINAL, *found) else f"{name} ({i})")
    return found
