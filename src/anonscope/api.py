"""The public functions, and the results people hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from anonscope import findings, report
from anonscope.engines import DuckDB, Engine
from anonscope.errors import MissingExtra, OptionError, RoleError
from anonscope.findings import Findings, Progress
from anonscope.metrics import Measurement
from anonscope.output import write_text
from anonscope.policy import DEFAULT, Policy
from anonscope.policy import load as load_policy
from anonscope.roles import Roles, Scenario, merged
from anonscope.roles import load as load_roles
from anonscope.sources import ReadOptions, Relation, open_source


class Data:
    """A table on an engine, with the roles of its columns. Close it, or use it in a `with` block."""

    def __init__(self, relation: Relation, engine: Engine, roles: Roles, rows: int | None = None) -> None:
        self.relation = relation
        self.engine = engine
        self.roles = roles
        self.rows = rows

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns."""
        return self.relation.names

    def close(self) -> None:
        """Let go of the engine and of every temporary file."""
        self.engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<anonscope.Data {self.relation.name!r}: {len(self.columns)} columns>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Findings):
    """What an audit found: verdict, measurements, class sizes; renders itself as text, JSON, Markdown or HTML."""

    def __getitem__(self, metric: str) -> Measurement:
        """Return the first measurement of a metric: the whole quasi-identifier, the first scenario."""
        return self.select(metric)[0]

    def select(
        self, metric: str, *, attribute: str | None = None, sensitive: str | None = None, scenario: str | None = None, **also: str
    ) -> tuple[Measurement, ...]:
        """Return the measurements of a metric that fit; `variant` and `level` may be given too."""
        wanted = also | {k: v for k, v in (("sensitive", sensitive), ("scenario", scenario)) if v is not None}
        return tuple(
            m
            for m in self.measurements
            if m.metric == metric
            and (attribute is None or m.attributes == (attribute,))
            and all(getattr(m, key) == value for key, value in wanted.items())
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data, in the shape of the JSON contract."""
        return report.to_dict(self)

    def to_frame(self) -> Any:
        """Return the measurements as a pandas data frame, one row each."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("A data frame of the measurements", "pandas") from None
        return pd.DataFrame([report.measurement(m) for m in self.measurements])

    def render(self, format: str = "text") -> str:
        """Return the report as text, json, markdown or html."""
        return report.render(self, format)

    def save(self, path: str | Path) -> Path:
        """Write the report in the format of the file's name: .html, .json, .md or .txt."""
        target = Path(path)
        format = report.FORMATS_BY_SUFFIX.get(target.suffix.lower())
        if format is None:
            raise OptionError(
                f"A report is written as {', '.join(report.FORMATS_BY_SUFFIX)}, not as {target.suffix or 'a file without ending'}."
            )
        write_text(target, self.render(format))
        return target

    def _repr_html_(self) -> str:
        return report.render(self, "fragment")


def read(
    source: Any,
    *,
    quasi_identifiers: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    person: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    direct_identifiers: Iterable[str] = (),
    scenarios: Mapping[str, Iterable[str]] | None = None,
    distance: Mapping[str, str] | None = None,
    roles: Roles | str | Path | None = None,
    rows: int | None = None,
    format: str | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    memory_limit: str | None = None,
    threads: int | None = None,
) -> Data:
    """Open a table and say which column is what.

    `source` is a path, '-' for standard input, a pandas or polars frame, or an Arrow table. Roles come from the arguments,
    from a roles file, or from both; an argument replaces what the file says of that role. `rows` takes the first records only.
    """
    if rows is not None and rows < 1:
        raise OptionError(f"The number of rows must be at least 1, not {rows}.")
    given = Roles(
        direct_identifiers=_names(direct_identifiers, "direct_identifiers"),
        quasi_identifiers=_names(quasi_identifiers, "quasi_identifiers"),
        sensitive=_names(sensitive, "sensitive"),
        person=person,
        household=household,
        weight=weight,
        scenarios=tuple(Scenario(name, _names(columns, f"scenario {name}")) for name, columns in (scenarios or {}).items()),
        distance=dict(distance or {}),
    )
    if roles is not None:
        given = merged(roles if isinstance(roles, Roles) else load_roles(Path(roles)), given)
    engine = DuckDB(memory_limit=memory_limit, threads=threads)
    try:
        relation = open_source(source, engine, ReadOptions(format, delimiter, quote, encoding, sheet))
    except BaseException:
        engine.close()
        raise
    return Data(relation, engine, given, rows)


def audit(data: Data, policy: str | Path | Policy = DEFAULT, *, progress: Progress | None = None) -> Audit:
    """Measure every metric on a table and judge it by a policy: a preset's name, a TOML file, or a `Policy`."""
    if not isinstance(data, Data):
        raise OptionError("audit() takes what read() returns: an.audit(an.read(source, quasi_identifiers=[...]))")
    found = findings.run(data.engine, data.relation, data.roles, load_policy(policy), rows=data.rows, progress=progress)
    return Audit(**{f.name: getattr(found, f.name) for f in fields(found)})


def _names(given: Iterable[str], role: str) -> tuple[str, ...]:
    if isinstance(given, str):
        raise RoleError(f"{role} takes a list of column names; write [{given!r}], not {given!r}.")
    return tuple(given)
