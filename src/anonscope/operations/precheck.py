"""The pre-checks of S. Kim (2025), Electronics 14, 4350, section 4, in one go.

Class sizes and marginals are exact whatever the size of the table, as they come from counts. Only the preview of a column with
more than a million distinct values is taken from a sample of these values, which it states.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from anonscope.columns.roles import Roles
from anonscope.engines import Engine
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.io.sources import Relation
from anonscope.operations.associations import _check
from anonscope.operations.read import Data
from anonscope.operations.result import Result
from anonscope.risk.counting import encode, open_scenario
from anonscope.risk.counting.survey import faulty_weights
from anonscope.risk.marginals import Marginal, describe, fetch_histogram
from anonscope.risk.metrics import ClassSizes, evaluate
from anonscope.transform.ready.levels import PREFIXES, kinds_of
from anonscope.transform.ready.preview import Preview, preview

RARE = 3
PERCENTS = (5, 50, 95)
SEED = 20_240_401


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparsity:
    """How small the groups of look-alikes are that one attacker tells apart."""

    scenario: str
    quasi_identifiers: tuple[str, ...]
    classes: int
    classes_of_one: float  # share of the classes
    records_alone: float  # share of the records
    records_rare: float  # share of the records in classes of at most RARE
    percentiles: tuple[tuple[int, int], ...]  # class size that so many per cent of the records do not exceed


@dataclass(frozen=True, slots=True, kw_only=True)
class PreCheck(Result):
    """How columns are spread, how small classes are, and what pseudonymisation levels would cost."""

    source: str
    rows: int
    weighted: bool
    marginals: tuple[Marginal, ...]
    sparsity: tuple[Sparsity, ...]
    previews: tuple[Preview, ...]
    notes: tuple[str, ...]


@shown_in_notebooks
def precheck(data: Data, *, like: Mapping[str, str] | None = None, seed: int = SEED, progress: Progress | None = None) -> PreCheck:
    """Return the pre-checks of a table; `like` says which column is treated like an age, zip, income or diagnosis."""
    _check(data)
    return _run(data.engine, data.relation, data.roles, like=like, seed=seed, rows=data.rows, progress=progress)


def _run(
    engine: Engine,
    relation: Relation,
    roles: Roles,
    *,
    like: Mapping[str, str] | None = None,
    seed: int = SEED,
    rows: int | None = None,
    progress: Progress | None = None,
) -> PreCheck:
    """Return the pre-checks of every quasi-identifier and sensitive attribute, and of every scenario."""
    roles.check(relation.names)
    columns = (*roles.attributes, *roles.sensitive)
    kinds = kinds_of(columns, like or {})
    if progress is not None:
        progress("reading and counting records", 0, len(columns))
    layout = encode(engine, relation, roles, rows)
    fault = faulty_weights(engine) if roles.weight is not None else None
    weighted = roles.weight is not None and fault is None
    sparsity = []
    for scenario in roles.attackers:
        open_scenario(engine, layout, scenario.quasi_identifiers)
        sizes = evaluate.class_sizes(engine, event_level=roles.event_level)
        sparsity.append(_sparsity(scenario.name, scenario.quasi_identifiers, sizes))
    names = [f"c{i}" for i in range(len(roles.attributes))] + [f"s{j}" for j in range(len(roles.sensitive))]
    marginals: list[Marginal] = []
    previews: list[Preview] = []
    for attribute, (column, name) in enumerate(zip(columns, names, strict=True)):
        if progress is not None:
            progress("looking at columns", attribute, len(columns))
        as_text = kinds.get(column) in PREFIXES
        histogram = fetch_histogram(engine, column, name, attribute, weighted=weighted, as_text=as_text)
        marginals.append(describe(histogram))
        if column in kinds:
            previews += preview(histogram, kinds[column], seed=seed, hierarchy=roles.hierarchies.get(column))
    return PreCheck(
        source=relation.name,
        rows=sum(size * count for size, count in sizes.records),
        weighted=weighted,
        marginals=tuple(marginals),
        sparsity=tuple(sparsity),
        previews=tuple(previews),
        notes=tuple(_notes(roles, previews, weighted, fault, rows)),
    )


def _sparsity(name: str, known: tuple[str, ...], sizes: ClassSizes) -> Sparsity:
    records = sizes.members()
    alone = sizes.below(2)
    return Sparsity(
        scenario=name,
        quasi_identifiers=known,
        classes=sizes.classes,
        classes_of_one=alone / sizes.classes,
        records_alone=alone / records,
        records_rare=sizes.below(RARE + 1) / records,
        percentiles=tuple((percent, _percentile(sizes, percent)) for percent in PERCENTS),
    )


def _percentile(sizes: ClassSizes, percent: int) -> int:
    """Return the smallest class size that at least this percentage of the records does not exceed."""
    rank, reached = percent * sizes.members(), 0
    for size, count in sizes.records:
        reached += size * count
        if 100 * reached >= rank:
            return size
    raise AssertionError("the last class reaches every rank")


def _notes(roles: Roles, previews: list[Preview], weighted: bool, fault: str | None, rows: int | None) -> Iterator[str]:
    if weighted:
        yield f"Histograms and previews count people by the survey weight {roles.weight!r}; class sizes count records."
    if fault is not None:
        yield f"The survey weight {roles.weight!r} is left aside: {fault}."
    if roles.event_level:
        yield "Class sizes count records here; several may belong to one person, which an audit counts apart."
    if not previews:
        yield "No column is like an age, a postcode, an income or a diagnosis by its name, so no level is previewed."
    if any(p.kind == "income" for p in previews):
        yield "Amounts are rounded by the steps of the study that the levels come from, made smaller or larger as the column's amounts are."
    if any(p.sample is not None for p in previews):
        yield "Previews of columns with very many values rest on a sample of the values, as stated."
    if rows is not None:
        yield "Only the first records were looked at, as asked for; the rest of the table is not assessed."
