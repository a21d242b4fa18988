"""The suggestion people hold: a role for every column, why, and the file that an audit reads."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.columns.roles import SCHEMA as ROLES_SCHEMA
from anonscope.columns.roles import Roles
from anonscope.columns.suggestion.evidence import ColumnSuggestion, Role
from anonscope.errors import MissingExtra
from anonscope.io.figures import decimals
from anonscope.io.rounding import rounded

if TYPE_CHECKING:
    from anonscope.columns.suggestion.separation import Search

SCHEMA = "anonscope/suggestion/1"
_KEYS: tuple[tuple[str, Role], ...] = (
    ("direct_identifiers", "direct identifier"),
    ("quasi_identifiers", "quasi-identifier"),
    ("sensitive", "sensitive"),
    ("insensitive", "insensitive"),
)
_SINGLES: tuple[Role, ...] = ("person", "household", "weight")

SCORES = "replicability + availability + distinguishability"


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """Proposed roles with confidence and reasons. Nothing in it is a value of the table, and nothing is applied by itself."""

    source: str
    records: int
    values_looked_at: int
    alpha: float
    beta: float
    columns: tuple[ColumnSuggestion, ...]
    search: "Search"

    def __getitem__(self, name: str) -> ColumnSuggestion:
        """Return what is proposed for a column."""
        return next(column for column in self.columns if column.name == name)

    def of(self, role: Role) -> tuple[str, ...]:
        """Return the columns proposed for a role."""
        return tuple(column.name for column in self.columns if column.role == role)

    @property
    def roles(self) -> Roles:
        """The proposal as roles that an audit takes."""
        (person, *_), (household, *_), (weight, *_) = ((*self.of(role), None) for role in _SINGLES)
        return Roles(
            direct_identifiers=self.of("direct identifier"),
            quasi_identifiers=self.of("quasi-identifier"),
            sensitive=self.of("sensitive"),
            insensitive=tuple(column.name for column in self.columns if _harmless(column)),
            person=person,
            household=household,
            weight=weight,
        )

    @property
    def to_check(self) -> tuple[ColumnSuggestion, ...]:
        """The columns as people should read them: first those to look at, then what is fairly sure, then what is sure."""
        order = {"low": 0, "medium": 1, "high": 2}
        return tuple(sorted(self.columns, key=lambda column: order[column.confidence]))

    @property
    def unknown(self) -> tuple[str, ...]:
        """The columns of which nothing tells what they are about; the roles proposed for them are precautions."""
        return tuple(column.name for column in self.columns if column.unknown)

    @property
    def event_level(self) -> bool:
        """Whether several records seem to belong to one person."""
        return bool(self.of("person"))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
        from anonscope.version import VERSION

        return {
            "schema": SCHEMA,
            "anonscope": VERSION,
            "source": self.source,
            "records": self.records,
            "values_looked_at": self.values_looked_at,
            "alpha": self.alpha,
            "beta": self.beta,
            "roles": self.roles.to_dict(),
            "columns": [column.to_dict() for column in self.columns],
            "search": {
                "combinations": [
                    {"columns": list(c.columns), "distinction": rounded(c.distinction), "whole_table": c.whole_table}
                    for c in self.search.combinations
                ],
                "records": self.search.records,
                "tried_up_to": self.search.tried_up_to,
                "complete": self.search.complete,
                "almost": self.search.almost,
                "follows": dict(self.search.follows),
            },
        }

    def to_json(self) -> str:
        """Return everything as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def to_frame(self) -> Any:
        """Return one row a column as a pandas data frame."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingExtra("A data frame of the suggestion", "pandas") from None
        return pd.DataFrame(
            [
                {"name": c.name, "role": c.role, "confidence": c.confidence, "type": c.type, "reasons": " ".join(c.reasons)}
                | {"disagreements": " ".join(c.disagreements)}
                | c.evidence.to_dict()
                for c in self.columns
            ]
        )

    def to_toml(self) -> str:
        """Return the roles file, with the reasons as comments; `audit --roles` reads it."""
        lines = [
            "# Proposed roles, read by: anonscope audit SOURCE --roles THIS_FILE",
            "# Read the reasons and change what is wrong: who could know this of a person without the table?",
            f'schema = "{ROLES_SCHEMA}"',
        ]
        for key, role in _KEYS:
            members = [column for column in self.columns if column.role == role and (role != "insensitive" or _harmless(column))]
            if members:
                lines += ["", f"{key} = ["]
                for column in members:
                    lines += [*_comment(column, "  "), f"  {_quoted(column.name)},"]
                lines.append("]")
        for single in _SINGLES:
            for column in (column for column in self.columns if column.role == single):
                lines += ["", *_comment(column, ""), f"{single} = {_quoted(column.name)}"]
        known = self.roles.assigned
        rest = [column for column in self.columns if column.name not in known]
        if rest:
            lines += ["", "# Without a role; audits look at these, and a release needs a word about each:"]
            for column in rest:
                lines += [f"# {_quoted(column.name)}", *_comment(column, "", "#   ")]
        return "\n".join(lines) + "\n"

    def to_text(self) -> str:
        """Return the suggestion as a terminal shows it."""
        return "\n".join(_text(self)) + "\n"


def _harmless(column: ColumnSuggestion) -> bool:
    """Whether whoever accepts the proposal says that a column is insensitive: not where nothing tells what it is."""
    return column.role == "insensitive" and column.confidence != "low"


def search_sentence(search: "Search") -> str:
    """Return how far the search for unique combinations went, and what it found."""
    if not search.records:
        return "No column was left to search for sets that tell all records apart."
    if not search.complete and not search.tried_up_to and not search.combinations:
        return "There was no time to search for sets of columns that tell all records apart."
    if search.complete:
        reach = "every set was tried"
    else:
        reach = f"the search stopped early, every set of up to {search.tried_up_to} columns was tried, larger ones only here and there"
    count = len(search.combinations)
    found = {0: "No set of columns has", 1: "One smallest set of columns has"}.get(count, f"{count} smallest sets of columns have")
    partly = any(not combination.whole_table for combination in search.combinations)
    where = f"; in a sample of {search.records:,} records, not counted over all" if partly else ""
    return f"{found} at least {100 * search.almost:g} different combinations in 100 records ({reach}{where})."


def _text(suggestion: Suggestion) -> Sequence[str]:
    lines = [f"{_shown(suggestion.source)}: proposed roles of {len(suggestion.columns)} columns, {suggestion.records:,} records", ""]
    table = [("column", "role", "confidence", "type", "risk rate", SCORES)]
    for column in suggestion.to_check:
        rate = column.evidence.risk_rate
        printed = f"{decimals(rate, 2)} %" if rate is not None else "set aside"
        table.append((_shown(column.name), column.role, column.certainty, column.type, printed, scored(column)))
    widths = [max(len(row[i]) for row in table) for i in range(6)]
    for row, column_or_none in zip(table, (None, *suggestion.to_check), strict=True):
        lines.append(("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))).rstrip())
        if column_or_none is not None:
            lines += [f"      {_shown(reason, 300)}" for reason in column_or_none.reasons]
            lines += [f"      But: {_shown(reason, 300)}" for reason in column_or_none.disagreements]
    lines += ["", search_sentence(suggestion.search)]
    lines += [f"  {', '.join(map(_shown, combination.columns))}" for combination in suggestion.search.combinations[:5]]
    lines += [
        "",
        f"Counts are exact; what values look like was judged by up to {suggestion.values_looked_at:,} distinct values a column. "
        f"Risk rate: alpha {suggestion.alpha:g} %, beta {suggestion.beta:g} %.",
        f"{SCORES[0].upper()}{SCORES[1:]}: 1 low, 2 medium, 3 high each (Aufschläger et al. 2023, section 6.7.1).",
    ]
    return lines


def scored(column: ColumnSuggestion) -> str:
    """Return the three assessments of a column as numbers, and their sum."""
    scores = column.evidence.scores
    return "not known" if scores is None else f"{' + '.join(map(str, scores.values()))} = {sum(scores.values())}"


def _comment(column: ColumnSuggestion, indent: str, sign: str = "# ") -> list[str]:
    said = [f"{column.certainty}, {column.type}", *column.reasons, *(f"But: {text}" for text in column.disagreements)]
    return [f"{indent}{sign}{_shown(text, 1000)}" for text in said]


def _quoted(name: str) -> str:
    """Return a name as TOML text: JSON's escapes are TOML's, and characters that TOML forbids in text are escaped."""
    return json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f")


def _shown(text: str, limit: int = 60) -> str:
    """Return text fit for one line: control characters escaped, shortened."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
