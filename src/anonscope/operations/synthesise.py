"""Make a synthetic table, say exactly what it guarantees, attack it, and hold it: the public functions and their result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

from anonscope.attacks.success import Success
from anonscope.errors import BudgetError, DomainError, OptionError, RoleError, shown
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.operations.publishing.publish import Order, publish
from anonscope.operations.read import Data, check_opened, engine_limits, read
from anonscope.operations.registering.registration import Registration
from anonscope.operations.result import Result
from anonscope.operations.synthesising.held_out import held_out
from anonscope.operations.synthesising.membership import told_apart
from anonscope.operations.synthesising.per_person import per_person
from anonscope.operations.synthesising.unit import check_categories, check_unit
from anonscope.operations.wishes.synthesis import MethodName, Synthesising
from anonscope.risk.measuring.unmeasured import look_at_unassigned
from anonscope.risk.policy import check_answered
from anonscope.synthesis.cells import cell_table, check_columns
from anonscope.synthesis.codebook import read_codebook
from anonscope.synthesis.counts import RecordCounts, counts_of
from anonscope.synthesis.curator import Curator, Here
from anonscope.synthesis.domain import Domain
from anonscope.synthesis.domain_file import domain_text, load_domain
from anonscope.synthesis.draft import draft_domain as drafted
from anonscope.synthesis.inside import Inside, Stored, check_inside
from anonscope.synthesis.ledger import Ledger, Loss
from anonscope.synthesis.likeness import Likeness, likeness
from anonscope.synthesis.mechanisms import chance_of, mechanisms_of
from anonscope.synthesis.method import Method, PrivateMethod, RecordMethod
from anonscope.synthesis.methods import method_of
from anonscope.synthesis.promise import FIRST_ONLY, Guarantee, guarantee_of
from anonscope.synthesis.records import read_records
from anonscope.synthesis.values import from_cells, keeping_constraints, to_cells, to_table
from anonscope.transform.carry_out import Changes
from anonscope.transform.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesis(Result):
    """A synthetic table, what it guarantees, and what an attack on it found; renders itself as text, JSON, Markdown or HTML."""

    source: str
    method: Method
    domain: Domain
    guarantee: Guarantee
    records: int
    structure: tuple[tuple[str, ...], ...]  # columns that were counted together
    budget: Mapping[str, Any] | None  # the ledger as plain data
    hold_out: float
    attacks: tuple[Success, ...] = ()
    likeness: Likeness | None = None  # None: not measured, because records stay where they are
    notes: tuple[str, ...] = ()
    cpu_seconds: float = 0.0
    table: Any = field(repr=False, compare=False)  # the records, as an Arrow table
    _data: Data = field(repr=False, compare=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return self.domain.names

    def write(self, path: str | Path, *, force: bool = False, formulas: str = "refuse", registration: Registration | None = None) -> Path:
        """Write the table (.csv, .tsv, .parquet, .arrow), read it back, and put it in place with its manifest and its archive.

        With a `registration` its epsilon is held against the budget of its population first, and it is added to their register.
        """
        target = Path(path)
        with read(self.table, **engine_limits(self._data)) as made:
            publish(
                [
                    Order(
                        made_by="synthesise",
                        target=target,
                        table=Table.of(made.engine, made.relation),
                        recipe=None,
                        changes=Changes(self.records, self.records, (), ()),
                        data=self._data,
                        perturbed=self.columns,
                        synthesis=self.told(),
                        domain=domain_text(self.domain),
                    )
                ],
                force=force,
                formulas=formulas,
                registration=registration,
            )
        return target

    def told(self) -> dict[str, Any]:
        """Return what whoever receives the table may know of how it was made."""
        return {
            "method": self.method.name,
            "parameters": self.method.parameters,
            "source": self.method.source,
            "guarantee": self.guarantee.to_dict(),
            "budget": dict(self.budget) if self.budget is not None else None,
        }


def draft_domain(data: Data, columns: Sequence[str] = (), *, dictionary: str | Path | None = None) -> Domain:
    """Return a domain as a codebook (`dictionary`) declares it and, marked as such, as the data suggest it; `an.domain_text` writes it."""
    check_opened(data, "an.draft_domain(an.read(source))")
    # Labels in the file itself, and hierarchies, may have been made of the data: neither declares anything.
    known = read_codebook(dictionary) if dictionary is not None else None
    return drafted(data.engine, data.relation, data.roles, rows=data.rows, columns=columns, known=known)


@shown_in_notebooks
def synthesise(
    data: Data,
    domain: Domain | str | Path | None = None,
    *,
    method: MethodName = "tree",
    epsilon: float | None = None,
    delta: float = 1e-9,
    records: int | None = None,
    hold_out: float = 0.0,
    parameters: Mapping[str, float] | None = None,
    seed: int | None = None,
    noise_inside: bool = False,
    progress: Progress | None = None,
) -> Synthesis:
    """Return a synthetic table of what `read` returns, with its guarantee in words.

    A private method takes everything that it may know of the values from the `domain`, a file or a `Domain`; where that was drafted from
    the data, and with every other method, nothing is guaranteed. `epsilon` and `delta` are the budget. `records` is how many to draw.
    `hold_out` keeps a share of the people aside before anything is learnt: the attack on membership is measured with them.
    `parameters` are those of the method. A `seed` is for tests, and takes the guarantee away. `noise_inside` has the workers of Spark add
    the noise, so that only noisy numbers leave the cluster.
    """
    start = process_time()
    check_opened(data, "an.synthesise(an.read(source), 'domain.toml', epsilon=1)")
    asked = {"method": method, "epsilon": epsilon, "delta": delta, "records": records, "hold_out": hold_out, "seed": seed}
    Synthesising(**asked)  # type: ignore[arg-type]
    chosen = method_of(method, parameters)
    ledger = _ledger(chosen, epsilon, delta)
    declared = load_domain(domain) if domain is not None else None
    if declared is None and chosen.private:
        raise DomainError(
            f"The method {chosen.name} needs a declared domain: the values of every column, and what one person contributes. Have a "
            "draft written (--draft-domain FILE, an.draft_domain), replace what it read from the data, and give it (--domain FILE)."
        )
    tell = progress or (lambda what, done, total: None)
    if noise_inside:
        check_inside(data.engine)
        if not chosen.private or seed is not None:
            raise OptionError("--noise-inside (noise_inside) goes with tree and adaptive, and with no seed: the noise is OpenDP's.")
    whole = data
    if declared is not None and declared.summarised:
        data = per_person(data, declared)
    if declared is not None:
        _check(data, declared, chosen, looking=not noise_inside)
    tell("keeping people aside", 0, 3)
    learnt, control = held_out(data, hold_out, declared.unit if declared is not None else data.roles.person, seed)
    try:
        known = declared if declared is not None else drafted(learnt.engine, learnt.relation, learnt.roles, rows=learnt.rows)
        if declared is None:
            _check(data, known, chosen)
        mechanisms = mechanisms_of(seed) if chosen.private else None
        chance = chance_of(seed)
        tell(f"learning ({chosen.name})", 1, 3)
        structure: tuple[tuple[int, ...], ...] = ()
        learnt_from: int | None = None  # records, where a method may know how many there are
        if isinstance(chosen, PrivateMethod):
            assert ledger is not None and mechanisms is not None, "a private method has both"
            cells = cell_table(learnt.engine, learnt.relation, known, rows=learnt.rows)
            counts = counts_of(learnt.engine, cells, known)
            curator: Curator = Inside(Stored(learnt.engine, cells, known.sizes)) if noise_inside else Here(counts, mechanisms)
            model = chosen.fit(curator, known, ledger)
            structure, wanted = model.structure, records or max(1, round(model.total))
            values = keeping_constraints(lambda n: from_cells(model.draw(n, chance), known, chance), wanted, known)
        else:
            assert isinstance(chosen, RecordMethod), "there is no other kind"
            real = read_records(learnt.engine, learnt.relation, known, learnt.rows)
            if not len(real[0]):
                raise DomainError("No record of the table has a place in the domain, so there is nothing to learn from.")
            learnt_from = len(real[0])
            wanted = records or learnt_from
            counts = RecordCounts(to_cells(real, known), known.sizes)
            values = keeping_constraints(lambda n: chosen.make(real, known, n, chance), wanted, known)
        table = to_table(values, known)
        tell("attacking", 2, 3)
        like = None if learnt.engine.remote else likeness(counts, RecordCounts(to_cells(values, known), known.sizes), known)
        attacks = told_apart(table, learnt, control, seed if seed is not None else 1) if control is not None else ()
    finally:
        if learnt is not data:
            learnt.close()
    cut = (FIRST_ONLY,) if whole.rows is not None else ()
    guarantee = guarantee_of(chosen, known, ledger, guarded=mechanisms is not None and mechanisms.guarded, further=cut)
    return Synthesis(
        source=data.relation.name,
        method=chosen,
        domain=known,
        guarantee=guarantee,
        records=wanted,
        structure=tuple(tuple(known.names[i] for i in together) for together in structure),
        budget=ledger.to_dict() if ledger is not None else None,
        hold_out=hold_out,
        attacks=attacks,
        likeness=like,
        notes=tuple(_notes(whole, known, chosen, learnt_from, declared=declared is not None, attacked=bool(attacks))),
        cpu_seconds=process_time() - start,
        table=table,
        _data=whole,
    )


def loss_asked_for(asked: Synthesising, rows: int | None = None) -> tuple[Loss, str] | None:
    """Return what a table would lose, and about whom, as far as that is known before anything is read; None where nothing is guaranteed."""
    chosen = method_of(asked.method, asked.parameters)
    ledger = _ledger(chosen, asked.epsilon, asked.delta)
    domain = load_domain(asked.domain) if asked.domain is not None else None
    if ledger is None or domain is None or not guarantee_of(chosen, domain, ledger, guarded=asked.seed is None).holds or rows is not None:
        return None
    return ledger.promised, domain.protects


def _ledger(method: Method, epsilon: float | None, delta: float) -> Ledger | None:
    """Return the budget that a method may spend; raise if it has none, or is no use."""
    if not method.private:
        if epsilon is not None:
            raise OptionError(
                f"The method {method.name} guarantees nothing, so an epsilon means nothing for it. Leave it out, or use tree."
            )
        return None
    if epsilon is None:
        raise BudgetError(
            f"The method {method.name} needs an epsilon: what may be lost about anybody, for instance 1 (--epsilon 1, epsilon=1)."
        )
    return Ledger.concentrated(epsilon, delta)


def _check(data: Data, domain: Domain, method: Method, *, looking: bool = True) -> None:
    """Raise if a domain does not fit the table or the method; nothing is counted, and nothing spent, before that."""
    check_columns(data.relation, domain)
    roles = data.roles
    if found := [column for column in domain.names if column in roles.direct_identifiers]:
        raise RoleError(f"The domain has direct identifiers as columns: {', '.join(map(shown, found))}. Leave them out of it.")
    if method.private:
        check_unit(data, domain, looking=looking)
    check_categories(data, domain)
    if method.private and (alone := [column.name for column in domain.columns if column.size < 2]):
        raise DomainError(
            f"{', '.join(map(shown, alone))} can have one value only, so there is nothing to count. Leave it out of the domain, and add it "
            "to the table afterwards. Nothing was spent."
        )
    method.check(domain)
    if not method.private:
        # What is learnt from records is made of values of records: nobody's name may be among them.
        looks = look_at_unassigned(data.engine, data.relation, roles, data.acknowledged, data.rows)
        check_answered([column for column in looks if column.identifies and column.column in domain.names])


def _notes(data: Data, domain: Domain, method: Method, learnt_from: int | None, *, declared: bool, attacked: bool) -> list[str]:
    left = [name for name in data.columns if name not in domain.names and name != domain.unit]
    found = []
    if left:
        more = f" and {len(left) - 8} more" if len(left) > 8 else ""
        found.append(f"Not in the domain, so not in the table: {', '.join(map(shown, left[:8]))}{more}.")
    if domain.unit is not None and not domain.summarised:
        found.append(
            f"Records are drawn one by one and have no {shown(domain.unit)}: what belongs together over several records of one "
            f"{domain.unit_kind} is not kept. For that, let the domain make one record of each {domain.unit_kind}: take = ..."
        )
    if isinstance(method, RecordMethod) and learnt_from is not None and (doubt := method.doubt(learnt_from)) is not None:
        found.append(f"{doubt}.")
    if not declared and not method.private:
        found.append("No domain was given: values, bounds and bins were read from the data.")
    if not data.engine.remote or attacked:
        found.append(
            "How like it is, and the attack, were computed from the records: these figures are for whoever answers for the table, not for "
            "others."
        )
    if not attacked:
        found.append("Membership was not attacked, because nobody was kept aside: keep a fifth aside (--hold-out 0.2, hold_out=0.2).")
    return found
