"""A file of queries: what is asked, over which declared domain, and what may be lost on it. Read without touching any data."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Literal

from anonscope.errors import AnonscopeError, QueryError, shown
from anonscope.io.toml_file import TomlFile, read_toml
from anonscope.synthesis.domain import Domain, Numbers
from anonscope.synthesis.domain_file import domain_in, load_domain
from anonscope.synthesis.ledger import Ledger, Loss, exact, exact_delta, exact_epsilon

SCHEMA = "anonscope/queries/1"
KINDS = ("count", "histogram", "table", "sum", "mean", "quantile")
MOST_CELLS = 100_000
# M. Brandt and others, 2010, "Guidelines for the checking of output based on microdata research": at least ten units in every cell, the
# largest contributor at most half of a total, no cell with nine tenths of its row or column.
PRESETS: dict[str, dict[str, Any]] = {"output-10": {"threshold": 10, "dominance": (1, 50.0), "concentration": 0.9}}
Protection = Literal["noise", "suppress", "round"]
_DOMAIN = (
    "person",
    "household",
    "record_is_person",
    "records_per_person",
    "records_per_household",
    "columns",
    "constraints",
    "drafted_from_data",
)
_TOP = ("schema", "domain", "epsilon", "delta", "noise", "confidence", "already_spent", "queries", *_DOMAIN)
_QUERY = ("name", "kind", "by", "column", "at", "of", "cells_per_person", "epsilon", "weight", "zeros", "protect", "nonnegative")
_OFFICIAL = ("preset", "threshold", "dominance", "p_percent", "base")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One question: its kind, the columns it is grouped by, the number it is about, and how its answer is protected."""

    name: str
    kind: str
    by: tuple[str, ...] = ()
    column: str | None = None
    at: tuple[Fraction, ...] = ()  # of quantiles
    of: Literal["people", "records"] = "records"
    cells_per_person: int = 1
    epsilon: Fraction | None = None
    weight: Fraction = Fraction(1)
    zeros: frozenset[tuple[int, ...]] = frozenset()  # cells that cannot be, by their numbers
    protect: Protection = "noise"
    nonnegative: bool = False
    threshold: int = 0
    dominance: tuple[int, float] | None = None
    p_percent: float | None = None
    concentration: float | None = None
    base: int = 5

    @property
    def noisy(self) -> bool:
        """Whether it is answered with noise, and spends."""
        return self.protect == "noise"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Everything that a file of queries asks."""

    name: str
    domain: Domain
    queries: tuple[Query, ...]
    epsilon: Fraction | None
    delta: Fraction
    noise: Literal["laplace", "gaussian"]
    confidence: float
    already_spent: Fraction = Fraction()
    losses: Mapping[str, Loss] = field(default_factory=dict)  # of every noisy query
    ledger: Ledger | None = None


def load_queries(given: "Asked | str | Path") -> Asked:
    """Return what a file asks, with the budget split and charged; refuse what is over it."""
    if isinstance(given, Asked):
        return given
    path = Path(given)
    return queries_in(read_toml(path, QueryError), path.parent)


def parse_queries(text: str, name: str = "the queries") -> Asked:
    """Return what a text asks; it names no files."""
    return queries_in(TomlFile(text, name, QueryError), None)


def queries_in(document: TomlFile, folder: Path | None) -> Asked:
    """Return what a parsed file asks, or say what is wrong with it."""
    content = document.of_keys(_TOP, SCHEMA)
    domain = _domain(document, folder)
    noise = content.get("noise", "laplace")
    if noise not in ("laplace", "gaussian"):
        raise document.fail("noise is laplace or gaussian", "noise")
    confidence = content.get("confidence", 0.95)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0.5 <= confidence <= 0.9999:
        raise document.fail("confidence is from 0.5 to 0.9999", "confidence")
    listed = content.get("queries")
    if not isinstance(listed, list) or not listed or not all(isinstance(one, dict) for one in listed):
        raise document.fail("nothing is asked; write [[queries]] for each question, with its kind", "queries")
    queries = tuple(_query(document, i, one, domain) for i, one in enumerate(listed))
    names = [query.name for query in queries]
    if len(set(names)) < len(names):
        raise document.fail("two questions have one name; give each its own", "queries")
    asked = Asked(
        name=document.name,
        domain=domain,
        queries=queries,
        epsilon=_of(document, "epsilon", exact_epsilon),
        delta=_of(document, "delta", exact_delta) or Fraction(),
        noise=noise,
        confidence=float(confidence),
        already_spent=_of(document, "already_spent", lambda value: exact(value, "already_spent")) or Fraction(),
    )
    return _charged(document, asked)


def _of(document: TomlFile, key: str, read: Any, table: Mapping[str, Any] | None = None, entry: int | None = None) -> Fraction | None:
    value = (document.content if table is None else table).get(key)
    if value is None:
        return None
    try:
        found: Fraction = read(value)
        return found
    except AnonscopeError as error:
        raise document.fail(str(error), key if entry is None else f"queries.{key}", entry) from None


def _domain(document: TomlFile, folder: Path | None) -> Domain:
    named = document.content.get("domain")
    here = {key: value for key, value in document.content.items() if key in _DOMAIN}
    if named is not None:
        if folder is None:
            raise document.fail("queries that are sent name no files; write the columns of the domain into them", "domain")
        if here:
            raise document.fail("the domain is in its own file, so nothing of it is said here", next(iter(here)))
        if not isinstance(named, str):
            raise document.fail("must be the name of a file, in quotes", "domain")
        return load_domain(folder / named)
    part = copy(document)
    part.content = here
    return domain_in(part)


def _charged(document: TomlFile, asked: Asked) -> Asked:
    """Return the same with what every question may lose; raise if that is more than there is."""
    noisy = [query for query in asked.queries if query.noisy]
    if not noisy:
        return asked
    if asked.epsilon is None:
        raise document.fail("no budget is stated; say epsilon, such as epsilon = 1")
    if asked.already_spent < 0:
        raise document.fail("what was spent before cannot be below 0", "already_spent")
    gaussian = asked.noise == "gaussian"
    if gaussian and asked.already_spent:
        raise document.fail("with Gaussian noise, take off what was spent before from epsilon and delta themselves", "already_spent")
    ledger = Ledger.concentrated(asked.epsilon, asked.delta) if gaussian else Ledger.approximate(asked.epsilon, asked.delta)
    if asked.already_spent:
        ledger.charge("earlier answers", Loss(asked.already_spent))
    stated = {query.name: Loss(query.epsilon) for query in noisy if query.epsilon is not None}
    ledger.charge_all(stated.items())
    losses = {name: ledger.in_its_measure(loss) for name, loss in stated.items()}
    rest = {query.name: query.weight for query in noisy if query.epsilon is None}
    if rest:
        if not (ledger.left.epsilon or ledger.left.rho):
            raise document.fail(f"nothing of the budget is left for {len(rest)} of the questions; nothing was spent", "epsilon")
        parts = {name: Loss(loss.epsilon, Fraction(), loss.rho) for name, loss in ledger.shares(rest).items()}
        ledger.charge_all(parts.items())
        losses |= parts
    return replace(asked, losses=losses, ledger=ledger)


def _query(document: TomlFile, i: int, table: Mapping[str, Any], domain: Domain) -> Query:
    def fail(problem: str, key: str) -> AnonscopeError:
        return document.fail(problem, f"queries.{key}", i)

    for key in table:
        if key not in (*_QUERY, *_OFFICIAL):
            raise fail(f"no such key; known are {', '.join((*_QUERY, *_OFFICIAL))}", key)
    kind = table.get("kind")
    if kind not in KINDS:
        raise fail(f"kind is one of {', '.join(KINDS)}", "kind")
    by = _names(table.get("by", []))
    if by is None or len(set(by)) < len(by):
        raise fail("by is a list of different columns", "by")
    for name in by:
        if name not in domain.names:
            raise fail(f"the domain declares no column {shown(name)}", "by")
    if kind in ("histogram", "table") and not by:
        raise fail(f"a {kind} needs columns to count by", "by")
    if prod(domain.column(name).size for name in by) > MOST_CELLS:
        raise fail(f"so many cells are more than {MOST_CELLS:,}; count by fewer columns, or declare fewer values", "by")
    column = table.get("column")
    protect = table.get("protect", "noise")
    if protect not in ("noise", "suppress", "round"):
        raise fail("protect is noise, suppress or round", "protect")
    if kind in ("sum", "mean", "quantile") or column is not None:
        if kind in ("count", "histogram") or (kind == "table" and protect == "noise"):
            raise fail(f"a {kind} counts, and is about no column of its own", "column")
        if not isinstance(column, str) or column not in domain.names:
            raise fail("column must be one that the domain declares", "column")
        if not isinstance(about := domain.column(column), Numbers):
            raise fail("column must be declared with lower and upper", "column")
        if about.lower == about.upper:
            raise fail("the column can have one value only, so there is nothing to ask; nothing was spent", "column")
        if column in by:
            raise fail("the column cannot be one that is grouped by as well", "column")
    if protect != "noise" and (kind != "table" or len(by) != 2):
        raise fail("small cells are suppressed or rounded in a table by two columns", "protect")
    of = table.get("of", "people" if domain.unit is not None and kind in ("count", "histogram", "table") else "records")
    if of not in ("people", "records"):
        raise fail("of is people or records", "of")
    if of == "people" and domain.unit is None:
        raise fail("people can be counted only where the domain says person (or household)", "of")
    if of == "people" and kind in ("sum", "mean", "quantile"):
        raise fail(f"a {kind} is of records", "of")
    cells = table.get("cells_per_person", 1)
    if isinstance(cells, bool) or not isinstance(cells, int) or cells < 1:
        raise fail("cells_per_person is a whole number from 1 on", "cells_per_person")
    weighed = _of(document, "weight", lambda value: exact(value, "weight"), table, i)
    weight = weighed if weighed is not None else Fraction(1)
    if weight <= 0:
        raise fail("a weight is above 0", "weight")
    name = table.get("name", f"query {i + 1}")
    if not isinstance(name, str) or not name.strip():
        raise fail("a name is a text", "name")
    nonnegative = table.get("nonnegative", False)
    if not isinstance(nonnegative, bool):
        raise fail("nonnegative is true or false", "nonnegative")
    return Query(
        name=name,
        kind=kind,
        by=by,
        column=column,
        at=_quantiles(table.get("at"), kind, fail),
        of=of,
        cells_per_person=min(cells, domain.records_per_unit),
        epsilon=_of(document, "epsilon", exact_epsilon, table, i),
        weight=weight,
        zeros=_zeros(table.get("zeros", []), by, domain, fail),
        protect=protect,
        nonnegative=nonnegative,
        **_official(table, protect, column, domain, fail),
    )


def _names(given: Any) -> tuple[str, ...] | None:
    given = [given] if isinstance(given, str) else given
    return tuple(given) if isinstance(given, list) and all(isinstance(name, str) for name in given) else None


def _quantiles(given: Any, kind: str, fail: Any) -> tuple[Fraction, ...]:
    if kind != "quantile":
        if given is not None:
            raise fail("at is for quantiles", "at")
        return ()
    listed = [0.5] if given is None else given if isinstance(given, list) else [given]
    found = []
    for one in listed:
        value = exact(one, "at") if isinstance(one, int | float) and not isinstance(one, bool) else Fraction(-1)
        if not 0 < value < 1 or value.denominator > 10_000:
            raise fail("a quantile is between 0 and 1, with at most four decimals, such as 0.5", "at")
        found.append(value)
    if not found:
        raise fail("say which quantiles, such as at = [0.25, 0.5, 0.75]", "at")
    return tuple(dict.fromkeys(found))


def _zeros(given: Any, by: Sequence[str], domain: Domain, fail: Any) -> frozenset[tuple[int, ...]]:
    """Return the cells that cannot be: each entry names columns and values, and stands for all cells that have them."""
    if not isinstance(given, list) or not all(isinstance(one, dict) and one for one in given):
        raise fail('zeros is a list of what cannot be together, such as { sex = "m", ward = "maternity" }', "zeros")
    found: set[tuple[int, ...]] = set()
    for one in given:
        places = []
        for name in by:
            labels = domain.column(name).labels
            if name in one and one[name] not in labels:
                raise fail(f"{shown(name)} must be one of its declared values", "zeros")
            places.append([labels.index(one[name])] if name in one else range(len(labels)))
        if not set(one) <= set(by):
            raise fail("zeros are about columns that are counted by", "zeros")
        found.update(product(*places))
    return frozenset(found)


def _official(table: Mapping[str, Any], protect: str, column: str | None, domain: Domain, fail: Any) -> dict[str, Any]:
    """Return the rules of official statistics that a table is protected by."""
    if protect == "noise":
        if stray := next((key for key in _OFFICIAL if key in table), None):
            raise fail("this is for tables with protect = suppress or round", stray)
        return {}
    if "epsilon" in table or "weight" in table:
        raise fail("a table without noise spends nothing", "epsilon" if "epsilon" in table else "weight")
    preset = table.get("preset")
    if preset is not None and preset not in PRESETS:
        raise fail(f"no preset is called so; there are {', '.join(PRESETS)}", "preset")
    rules = dict(PRESETS[preset]) if preset is not None else {}
    for key in ("threshold", "base"):
        if key in table:
            if isinstance(table[key], bool) or not isinstance(table[key], int) or table[key] < 1:
                raise fail("must be a whole number from 1 on", key)
            rules[key] = table[key]
    if "p_percent" in table:
        if isinstance(table["p_percent"], bool) or not isinstance(table["p_percent"], int | float) or not 0 < table["p_percent"] <= 100:
            raise fail("must be above 0 and at most 100", "p_percent")
        rules["p_percent"] = float(table["p_percent"])
    if "dominance" in table:
        pair = table["dominance"]
        good = isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], int) and isinstance(pair[1], int | float)
        if not good or pair[0] < 1 or not 0 < pair[1] <= 100:
            raise fail("must be [n, k]: the n largest contributors must not have more than k percent, such as [2, 85]", "dominance")
        rules["dominance"] = (int(pair[0]), float(pair[1]))
    if protect == "suppress" and not rules:
        raise fail(f"say which cells are small: a threshold, dominance, p_percent, or preset = {next(iter(PRESETS))!r}", "protect")
    if column is None:
        if "dominance" in table or "p_percent" in table:
            raise fail("these rules are about sums; say column", "dominance" if "dominance" in table else "p_percent")
        rules.pop("dominance", None)
    else:
        declared = domain.column(column)
        assert isinstance(declared, Numbers), "that was checked"
        if declared.lower < 0:
            raise fail("sums of numbers that may be negative cannot be protected so; declare lower = 0", "column")
        if protect == "round":
            raise fail("controlled rounding is for counts", "column")
    return rules
