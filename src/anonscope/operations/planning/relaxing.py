"""What would work where the policy cannot be met: changes to the data first, then what a person would have to accept. None is chosen."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor
from typing import Literal

from anonscope.columns.roles import Roles
from anonscope.errors import PolicyError, joined
from anonscope.io.figures import per_cent
from anonscope.io.rounding import LEFT_OVER
from anonscope.operations.planning.command import REASON, excepted
from anonscope.operations.planning.solving import Made, Solver, with_settings
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import Policy, StatedException, excepting, load, preset_names
from anonscope.transform.search.classes import Classes, whole
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.methods import Method
from anonscope.transform.search.problem import Problem

Kind = Literal["coarser columns", "column dropped", "more suppression", "another limit", "not judged", "another policy"]
# Changes to the data come before what has to be accepted.
DATA: tuple[Kind, ...] = ("coarser columns", "column dropped", "more suppression")
_MORE_SUPPRESSION = (0.1, 0.2)
_POLICIES = 2
# A release that loses so much of the detail is hardly one that a person would take.
NEARLY_ALL = 0.95
# What each way may take of the time of a plan; and the seconds of each further kind of way where the time was up before any was found.
_SHARE, _LAST = 0.3, 0.5
_QUICK: tuple[Method, ...] = ("global", "mondrian")
_SUREST: tuple[Method, ...] = ("global",)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Relaxed:
    """A wish that can be met: what would change, the recoding that meets it, and what its command says differently."""

    kind: Kind
    change: str
    made: Made
    options: tuple[str, ...] = ()
    roles: Roles | None = None  # where a column changes its role
    drops: tuple[str, ...] = ()  # the columns that do, because they leave
    policy: Policy | None = None  # where another one is to be met
    bounded: bool = True  # whether the bounds of columns stay


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Blocked:
    """A table whose policy cannot be met: the problem, the limits that stand in the way, and the roles."""

    problem: Problem
    policy: Policy
    limits: tuple[Limit, ...]
    roles: Roles
    bounds: Mapping[str, tuple[int, int]]
    proved: bool  # whether no recoding can keep the limits, or none was found


def relaxed(blocked: Blocked, solver: Solver) -> Iterator[Relaxed]:
    """Yield what would work, each really searched for, as far as the time goes."""
    found = False
    for ways in (_coarser, _dropped, _suppressed, _excepted, _policies):
        if solver.left <= 0:
            if found:
                return
            # Nobody is left without a way out because a machine is slow.
            solver.more(_LAST)
        for way in ways(blocked, solver):
            found = found or way.made.loss < NEARLY_ALL
            yield way
    if not found:
        solver.more(_LAST)
        yield from _nothing_secret(blocked, solver)


def ranked(found: Sequence[Relaxed]) -> tuple[Relaxed, ...]:
    """Return changes to the data first, and of each the least loss; what hides nearly all only where nothing else works, called that."""
    useful = [way for way in found if way.made.loss < NEARLY_ALL]
    useful = useful or [replace(way, change=f"{way.change}, which hides nearly everything") for way in found]
    # Of exceptions that lead to the same release the one that asks for most is enough, which was found last.
    alike = {(way.kind, way.made.loss, way.made.smallest) if way.kind == "another limit" else (way.change,): way for way in useful}
    return tuple(sorted(alike.values(), key=lambda way: (way.kind not in DATA, way.made.loss)))


def _coarser(blocked: Blocked, solver: Solver) -> Iterator[Relaxed]:
    if not blocked.bounds:
        return
    made = solver.best(with_settings(blocked.problem, bounds={}), blocked.policy, methods=_QUICK, share=_SHARE)
    if made is not None:
        columns = ", ".join(blocked.bounds)
        yield Relaxed(kind="coarser columns", change=f"let {columns} become coarser, too", made=made, bounded=False)


def _dropped(blocked: Blocked, solver: Solver) -> Iterator[Relaxed]:
    """Yield the release without a sensitive attribute that stands in the way."""
    yield from _without(blocked, solver, _columns(blocked))


def _without(blocked: Blocked, solver: Solver, columns: Sequence[str]) -> Iterator[Relaxed]:
    if not columns:
        return
    problem = replace(blocked.problem, sensitive=tuple(s for s in blocked.problem.sensitive if s.name not in columns))
    exceptions = tuple(e for e in blocked.policy.exceptions if e.sensitive not in columns)
    made = _attempt(solver, problem, replace(blocked.policy, exceptions=exceptions))
    if made is not None:
        roles = replace(
            blocked.roles,
            sensitive=tuple(c for c in blocked.roles.sensitive if c not in columns),
            direct_identifiers=(*blocked.roles.direct_identifiers, *columns),
            distance={c: d for c, d in blocked.roles.distance.items() if c not in columns},
            hierarchies={c: h for c, h in blocked.roles.hierarchies.items() if c not in columns},
        )
        change = f"drop {', '.join(columns)} from the release"
        yield Relaxed(kind="column dropped", change=change, made=made, roles=roles, drops=tuple(columns))


def _nothing_secret(blocked: Blocked, solver: Solver) -> Iterator[Relaxed]:
    """Yield what works where many sensitive attributes stand in each other's way, so that giving up some of them helps nobody."""
    columns = tuple(of.name for of in blocked.problem.sensitive)
    if len(columns) > len(_columns(blocked)):
        yield from _without(blocked, solver, columns)
        yield from _not_judged(blocked, solver, columns)


def _suppressed(blocked: Blocked, solver: Solver) -> Iterator[Relaxed]:
    if blocked.proved and blocked.problem.suppressed == "keep" and not blocked.bounds:
        # What everybody together breaks, they break whoever of them is "*".
        return
    for share in _MORE_SUPPRESSION:
        if share <= blocked.problem.suppression:
            continue
        made = _attempt(solver, with_settings(blocked.problem, suppression=share), blocked.policy)
        if made is not None:
            options = ("--suppression", f"{share:g}")
            yield Relaxed(kind="more suppression", change=f"suppress up to {per_cent(share, 0)} of the records", made=made, options=options)
            return


def _excepted(blocked: Blocked, solver: Solver) -> Iterator[Relaxed]:
    """Yield exceptions that would do: from the best that can be reached to an attribute that is not judged at all."""
    if all(limit.sensitive is not None for limit in blocked.limits):
        yield from _not_judged(blocked, solver, _columns(blocked))
    seen: set[tuple[str, ...]] = set()
    for reach in (_far, _halfway, _reachable):
        exceptions = _stated(blocked, reach)
        words = tuple(e.what for e in exceptions)
        if not exceptions or words in seen or any(map(_nothing_left, exceptions)):
            continue
        seen.add(words)
        # The best that can be reached leaves little to choose, which is soon seen.
        made = _with_exceptions(blocked, solver, exceptions, _SUREST if reach is _reachable else _QUICK)
        if made is not None:
            best = " (the best that can be reached)" if reach is _reachable else ""
            change = f"accept {', '.join(f'{_name(e)} {_bound(e)}' for e in exceptions)}{best}"
            yield Relaxed(kind="another limit", change=change, made=made, options=tuple(excepted(exceptions)))


def _not_judged(blocked: Blocked, solver: Solver, columns: Sequence[str]) -> Iterator[Relaxed]:
    exceptions = tuple(StatedException(metric=None, sensitive=column, reason=REASON) for column in columns)
    made = _with_exceptions(blocked, solver, exceptions) if exceptions else None
    if made is not None:
        change = f"do not judge what can be concluded about {joined(columns)}"
        yield Relaxed(kind="not judged", change=change, made=made, options=tuple(excepted(exceptions)))


def _policies(blocked: Blocked, solver: Solver) -> Iterator[Relaxed]:
    found = 0
    others = [load(name) for name in preset_names() if name != blocked.policy.name]
    asking = [policy for policy in others if policy.rules and policy.checklist is None and not policy.attack_rules]
    for policy in sorted(asking, key=lambda policy: (-policy.class_size, policy.name)):
        if found == _POLICIES or solver.left <= 0:
            return
        if blocked.policy.forbid_direct_identifiers and not policy.forbid_direct_identifiers:
            continue
        made = _attempt(solver, blocked.problem, policy)
        if made is not None:
            found += 1
            yield Relaxed(kind="another policy", change=f"meet {policy.name} instead ({policy.title})", made=made, policy=policy)


def _attempt(solver: Solver, problem: Problem, policy: Policy, methods: Sequence[Method] = _QUICK) -> Made | None:
    try:
        return solver.best(problem, policy, methods=methods, share=_SHARE)
    except PolicyError:
        # A rule that nothing is left to be asked about, or that no search can aim at.
        return None


def _with_exceptions(
    blocked: Blocked, solver: Solver, exceptions: Sequence[StatedException], methods: Sequence[Method] = _QUICK
) -> Made | None:
    try:
        return _attempt(solver, blocked.problem, excepting(blocked.policy, exceptions), methods)
    except PolicyError:
        return None


def _columns(blocked: Blocked) -> tuple[str, ...]:
    """Return the sensitive attributes that stand in the way."""
    sensitive = blocked.problem.sensitive
    return tuple(dict.fromkeys(sensitive[limit.sensitive].name for limit in blocked.limits if limit.sensitive is not None))


def _stated(blocked: Blocked, reach: Callable[[Limit, float], float]) -> tuple[StatedException, ...]:
    """Return an exception for every limit that stands in the way."""
    found: dict[tuple[str, str | None], StatedException] = {}
    for limit in blocked.limits:
        value = _best(limit, blocked.problem)
        if value is None:
            return ()
        about = blocked.problem.sensitive[limit.sensitive].name if limit.sensitive is not None else None
        eased = reach(limit, value)
        known = found.get((limit.metric, about))
        if known is not None and known.limit is not None:
            eased = min(eased, known.limit) if limit.minimum is not None else max(eased, known.limit)
        found[limit.metric, about] = StatedException(metric=limit.metric, sensitive=about, limit=eased, reason=REASON)
    return tuple(found.values())


def _best(limit: Limit, problem: Problem) -> float | None:
    """Return the best value that columns as coarse as they may become lead to."""
    return limit.worst(Classes.at(problem, problem.highest, whole(problem), limit.attributes))


def _reachable(limit: Limit, value: float) -> float:
    """Return the best value that can be reached, rounded to two digits to the side that can be kept."""
    if METRICS[limit.metric].whole:
        return float(floor(value))
    if limit.minimum is not None:
        return floor(value * 100) / 100
    rounded = ceil(value * 100 - LEFT_OVER) / 100
    high = METRICS[limit.metric].range[1]
    return rounded if high is None else min(rounded, high)


def _far(limit: Limit, value: float) -> float:
    """Return a limit two thirds of the way from the best that can be reached to none."""
    low, high = METRICS[limit.metric].range
    if METRICS[limit.metric].whole:
        return float(max(1, floor(value / 3)))
    if limit.minimum is not None:
        return floor(100 * (value + 2 * low) / 3) / 100
    return ceil(100 * (value + 2 * high) / 3) / 100 if high is not None else ceil(value * 300) / 100


def _nothing_left(e: StatedException) -> bool:
    """Return whether an exception accepts whatever there may be."""
    assert e.metric is not None and e.limit is not None, "made with a limit"
    low, high = METRICS[e.metric].range
    return e.limit <= max(low, 1) if METRICS[e.metric].safer == "higher" else high is not None and e.limit >= high


def _halfway(limit: Limit, value: float) -> float:
    """Return a limit halfway between the best that can be reached and none."""
    low, high = METRICS[limit.metric].range
    if METRICS[limit.metric].whole:
        return float(max(1, floor(value / 2)))
    if limit.minimum is not None:
        return floor(50 * (value + low)) / 100
    return ceil(50 * (value + high)) / 100 if high is not None else ceil(value * 200) / 100


def _name(e: StatedException) -> str:
    assert e.metric is not None, "made for a metric"
    return METRICS[e.metric].title.lower() + (f" about {e.sensitive}" if e.sensitive is not None else "")


def _bound(e: StatedException) -> str:
    assert e.metric is not None and e.limit is not None, "made with a limit"
    return f"{'≥' if METRICS[e.metric].safer == 'higher' else '≤'} {e.limit:g}"
