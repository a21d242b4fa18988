"""The public functions, and the results people hold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from anonscope import findings, report
from anonscope.data import Data, Link, names, read
from anonscope.errors import DataClosed, MissingExtra, NotExplained, OptionError
from anonscope.explain import LARGEST_SET, Why
from anonscope.explain import explain as reasons
from anonscope.findings import Findings, Progress
from anonscope.metrics import Measurement
from anonscope.metrics.attack import DEFAULT_THRESHOLD
from anonscope.output import write_text
from anonscope.policy import DEFAULT, Policy
from anonscope.policy import load as load_policy
from anonscope.roles import Roles
from anonscope.suggestion.risk_rate import ALPHA, BETA
from anonscope.suggestion.separation import BUDGET
from anonscope.suggestion.suggestion import Suggestion

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit(Findings):
    """What an audit found: verdict, measurements, class sizes; renders itself as text, JSON, Markdown or HTML."""

    explanation: Why | None = None
    _link: Link | None = field(default=None, repr=False, compare=False)

    def __getstate__(self) -> list[Any]:
        # What is copied or pickled is the result; the connection stays behind.
        return [None if f.name == "_link" else getattr(self, f.name) for f in fields(self)]

    def why(self, *, scenario: str | None = None, largest_set: int = LARGEST_SET) -> Why:
        """Return the reasons: blame of every attribute, minimal unique sets, what breaks each rule, and what to do next.

        It looks at the attacker under whom most records are at risk unless `scenario` names another. Data must be open, unless
        the audit was made with `explain=True`.
        """
        if self.explanation is not None and scenario in (None, self.explanation.scenario) and largest_set == LARGEST_SET:
            return self.explanation
        data = self._open_data("why()", "Call it before the table is closed, or audit with explain=True.")
        if largest_set < 1:
            raise OptionError(f"The largest set must have at least one attribute, not {largest_set}.")
        return reasons(data.engine, self, scenario=scenario, largest_set=largest_set)

    def records(
        self,
        top: int | None = 20,
        *,
        scenario: str | None = None,
        rule: str | None = None,
        save: str | Path | None = None,
        values: bool = False,
        confirm: bool = False,
        largest_set: int | None = None,
    ) -> Any:
        """Return the records at most risk as an Arrow table: row number, class size, every risk, minimal unique set, SUDA score.

        `top=None` gives all records, `rule` only those that break a failing rule about this metric, `save` writes them to a CSV or
        Parquet file. `largest_set` bounds the attributes of a minimal unique set; without it all sizes count, as in SUDA2, unless
        there are too many: the metadata of the table say how far it went (`suda_largest_set`, `suda_complete`). The table helps an
        attacker, so keep it apart; with `values` it shows people, which must be confirmed.
        """
        from anonscope.explain.records import Choice, records, save_records

        if values and not confirm:
            raise OptionError("Values of records show people. Say confirm=True as well if that is meant.")
        if top is not None and top < 1:
            raise OptionError(f"The number of records must be at least 1, not {top}.")
        data = self._open_data("records()", "Call it before the table is closed.")
        if largest_set is not None and largest_set < 1:
            raise OptionError(f"The largest set must have at least one attribute, not {largest_set}.")
        choice = Choice(scenario=scenario, top=top, rule=rule, values=values, largest_set=largest_set)
        table = records(data.engine, data.relation, self, choice, data.rows)
        if save is not None:
            save_records(table, Path(save))
        return table

    def _open_data(self, question: str, instead: str) -> Data:
        if self._link is None or self._link.data is None:
            raise DataClosed(question, instead)
        return self._link.data

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
        return report.to_dict(self, self.explanation)

    def to_frame(self) -> Any:
        """Return the measurements as a pandas data frame, one row each."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("A data frame of the measurements", "pandas") from None
        return pd.DataFrame([report.measurement(m) for m in self.measurements])

    def render(self, format: str = "text") -> str:
        """Return the report as text, json, markdown or html."""
        return report.render(self, format, self.explanation)

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


def suggest(
    source: Any,
    *,
    alpha: float = ALPHA,
    beta: float = BETA,
    force: Mapping[str, str] | None = None,
    forbid: Iterable[str] = (),
    time_budget: float = BUDGET,
    progress: Progress | None = None,
) -> Suggestion:
    """Return a role for every column of a table, with confidence and reasons; nothing is applied.

    `source` is what `read` returns or what `read` takes. Roles that `read` was given are kept. `force` gives columns a role and
    `forbid` gives them none, whatever is found. `alpha` and `beta` are the thresholds of the risk rate, in percent; `time_budget` is
    how many seconds may go into the search for sets of columns that tell all records apart.
    """
    if not isinstance(source, Data):
        with read(source) as data:
            return suggest(data, alpha=alpha, beta=beta, force=force, forbid=forbid, time_budget=time_budget, progress=progress)
    given = _given_roles(source.roles) | dict(force or {})
    from anonscope.suggestion.propose import propose  # late: an audit with roles needs no proposal

    return propose(
        source.engine,
        source.relation,
        rows=source.rows,
        alpha=alpha,
        beta=beta,
        force=given,
        forbid=names(forbid, "forbid"),
        budget=time_budget,
        progress=progress,
    )


def audit(
    data: Any,
    policy: str | Path | Policy = DEFAULT,
    *,
    pairs: bool = False,
    joined: bool = False,
    literal_chain: bool = False,
    risk_threshold: float = DEFAULT_THRESHOLD,
    explain: bool | Literal["quick"] = False,
    zip_populations: str | Path | None = None,
    progress: Progress | None = None,
    **reading: Any,
) -> Audit:
    """Measure every metric on a table and judge it by a policy: a preset's name, a TOML file, or a `Policy`.

    `data` is what `read` returns, or what `read` takes; then its keywords are taken too, and the table is closed afterwards.
    With `pairs`, the information-theoretic metrics take every two attributes together as well. With `joined`, each sensitive
    attribute is measured once more against an attacker who knows all the others. With `literal_chain`, Markov chain risk is measured
    to the letter of its equation as well. Records whose risk is above `risk_threshold`
    are counted for every attacker. With `explain`, the reasons are worked out at once and become part of every report;
    "quick" estimates blame where counting it exactly would take long. `zip_populations` is a CSV file of the first three digits of
    ZIP codes and the people who live there, which the policy hipaa-safe-harbor needs for such codes.
    """
    if not isinstance(data, Data):
        with read(data, **reading) as opened:
            return audit(
                opened,
                policy,
                pairs=pairs,
                joined=joined,
                literal_chain=literal_chain,
                risk_threshold=risk_threshold,
                explain=explain,
                zip_populations=zip_populations,
                progress=progress,
            )
    if reading:
        raise OptionError(f"The table is open already; {', '.join(sorted(reading))} must be said when it is read.")
    request = findings.Request(
        pairs=pairs,
        joined=joined,
        literal_chain=literal_chain,
        outside=data.outside,
        risk_threshold=risk_threshold,
        perturbed=data.perturbed,
        privacy_loss=data.privacy_loss,
        acknowledged=data.acknowledged,
        notices=data.notices,
    )
    if zip_populations is not None:
        from anonscope.suggestion.safe_harbor import read_zip_populations

        request = replace(request, zip_populations=read_zip_populations(Path(zip_populations)))
    found = findings.run(data.engine, data.relation, data.roles, load_policy(policy), rows=data.rows, request=request, progress=progress)
    result = Audit(**{f.name: getattr(found, f.name) for f in fields(found)}, _link=Link(data))
    result = replace(result, suggestion=data.suggestion)
    if not explain:
        return result
    try:
        why = reasons(data.engine, result, quick=explain == "quick")
    except NotExplained as problem:
        # What was measured stands; that there are no reasons is said where a reader looks for what is amiss.
        return replace(result, warnings=(*result.warnings, f"Why, and what to do next, was not worked out. {problem}"))
    return replace(result, explanation=why, statements=data.engine.statements)


def _given_roles(roles: Roles) -> dict[str, str]:
    """Return the roles of columns that were given, as a suggestion calls them."""
    lists: tuple[tuple[str, tuple[str, ...]], ...] = (
        ("direct identifier", roles.direct_identifiers),
        ("quasi-identifier", roles.attributes),
        ("sensitive", roles.sensitive),
        ("insensitive", roles.insensitive),
        ("person", (roles.person,) if roles.person else ()),
        ("household", (roles.household,) if roles.household else ()),
        ("weight", (roles.weight,) if roles.weight else ()),
    )
    return {column: role for role, columns in lists for column in columns}
