"""Noisy answers to a file of queries: the public function, its result, and how it is written as a table."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonscope.errors import OptionError, shown
from anonscope.io.progress import Progress, shown_in_notebooks
from anonscope.io.writing import replacing, write_text
from anonscope.operations.read import Data, check_opened
from anonscope.operations.result import Result
from anonscope.operations.synthesising.per_person import per_person
from anonscope.operations.synthesising.unit import check_unit
from anonscope.synthesis.answering import Answer, answered
from anonscope.synthesis.cells import cell_table, check_columns
from anonscope.synthesis.counting import Counted
from anonscope.synthesis.domain import Domain
from anonscope.synthesis.guarantee import in_words, unproven
from anonscope.synthesis.inside import check_inside
from anonscope.synthesis.queries import Asked, Query, load_queries
from anonscope.synthesis.small_cells import protected

TABLES = (".csv", ".parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers(Result):
    """The answers to queries, what was lost for them, and what that guarantees; writes itself as a report or as a table."""

    source: str
    queries: tuple[Query, ...]
    answers: tuple[Answer, ...]
    confidence: float
    noise: str
    ledger: dict[str, Any] | None  # None: nothing was asked with noise
    guarantee: str | None  # None: there is none
    not_guaranteed: tuple[str, ...]
    domain: Domain

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that any query is grouped by."""
        return tuple(dict.fromkeys(name for query in self.queries for name in query.by))

    def table(self) -> Any:
        """Return the answers as an Arrow table, one row a number."""
        import pyarrow as pa

        by = {query.name: query.by for query in self.queries}
        found: dict[str, Any] = {"query": [a.query for a in self.answers], "statistic": [a.statistic for a in self.answers]}
        own = {"query", "statistic", "value", "lower", "upper", "confidence", "note"}
        for column in self.columns:
            labels = [a.group[by[a.query].index(column)] if column in by[a.query] else None for a in self.answers]
            found[f"{column} (group)" if column in own else column] = pa.array(labels, pa.string())
        for name in ("value", "lower", "upper"):
            found[name] = pa.array([getattr(a, name) for a in self.answers], pa.float64())
        noisy = {query.name: query.noisy for query in self.queries}
        found["confidence"] = pa.array([self.confidence if noisy[a.query] else 1.0 for a in self.answers], pa.float64())
        found["note"] = [a.note for a in self.answers]
        return pa.table(found)

    def save(self, path: str | Path) -> Path:
        """Write the answers: .csv or .parquet as a table, .html, .json, .md or .txt as a report."""
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix == ".csv":
            write_text(target, self._csv())
        elif suffix == ".parquet":
            import pyarrow.parquet

            with replacing(target) as temporary:
                pyarrow.parquet.write_table(self.table(), temporary)
        else:
            return Result.save(self, target)
        return target

    def _csv(self) -> str:
        import csv
        import io

        text = io.StringIO()
        table = self.table()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(table.column_names)
        columns = [column.to_pylist() for column in table.columns]
        writer.writerows(["" if cell is None else _written(cell) for cell in line] for line in zip(*columns, strict=True))
        return text.getvalue()


@shown_in_notebooks
def answer(data: Data, queries: Asked | str | Path, *, noise_inside: bool = False, progress: Progress | None = None) -> Answers:
    """Return noisy answers to a file of queries, with intervals and with what was lost for them.

    The file declares the domain and the budget; what is over budget, or cannot be understood, is refused before the data is touched.
    `noise_inside` has the workers of Spark add the noise, so that only noisy numbers leave the cluster.
    """
    check_opened(data, "an.answer(an.read(source), 'queries.toml')")
    asked = load_queries(queries)
    used = [name for name in asked.domain.names if any(name in query.by or name == query.column for query in asked.queries)]
    domain = asked.domain.only(used) if used else asked.domain
    cut = data.rows is not None
    if domain.summarised:
        data = per_person(data, domain)
    check_columns(data.relation, domain)
    if noise_inside:
        check_inside(data.engine)
        if plain := [query.name for query in asked.queries if not query.noisy]:
            raise OptionError(
                f"{shown(plain[0])} is a table without noise, and with --noise-inside (noise_inside) only noisy numbers leave the cluster."
            )
    if any(query.noisy for query in asked.queries):
        from anonscope.synthesis.mechanisms import open_dp

        open_dp()
        check_unit(data, asked.domain, looking=not noise_inside)
    values = tuple(dict.fromkeys(query.column for query in asked.queries if query.column is not None))
    if progress is not None:
        progress("counting", 0, len(asked.queries))
    cells = cell_table(data.engine, data.relation, domain, values=values, rows=data.rows)
    counted = Counted(data.engine, cells, domain, values, noise_inside)
    found: list[Answer] = []
    for i, query in enumerate(asked.queries):
        if progress is not None:
            progress("answering", i, len(asked.queries))
        if query.noisy:
            found += answered(counted, query, asked.losses[query.name], asked.confidence)
        else:
            found += protected(counted, query)
    spent, exact = asked.ledger, sum(not query.noisy for query in asked.queries)
    return Answers(
        source=data.relation.name,
        queries=asked.queries,
        answers=tuple(found),
        confidence=asked.confidence,
        noise=asked.noise,
        ledger=spent.to_dict() if spent is not None else None,
        guarantee=in_words(spent, domain, exact) if spent is not None and domain.declared and not cut else None,
        not_guaranteed=unproven(domain, noisy=spent is not None, exact=bool(exact), cut=cut),
        domain=domain,
    )


def _written(cell: Any) -> Any:
    # Whole numbers as such; a text that an office program would take for a formula is marked.
    if isinstance(cell, float):
        return int(cell) if cell.is_integer() else cell
    return f"'{cell}" if str(cell).startswith(("=", "+", "-", "@", "\t", "\r")) else cell
