"""What the balance of every version is made of: the risks, the utility of every column, and what was left out of it."""

from collections.abc import Iterator, Sequence
from typing import Any

from anonscope.io.figures import decimals
from anonscope.io.rounding import rounded
from anonscope.operations.comparing.comparison import Comparison
from anonscope.operations.comparing.weighing import ComparedVersion
from anonscope.report.sheet import Section, row
from anonscope.utility import UTILITIES
from anonscope.utility.balance import Balance, BalanceWeights


def balance_to_dict(balance: Balance | None, weightings: dict[str, BalanceWeights]) -> dict[str, Any] | None:
    """Return a balance and its parts as plain data."""
    if balance is None:
        return None
    useful = balance.usefulness
    return {
        "internal_risk": rounded(balance.internal_risk),
        "external_risk": rounded(balance.external_risk),
        "risk": rounded(balance.risk),
        "safety": rounded(balance.safety),
        "loss": rounded(useful.loss),
        "similarity": rounded(useful.similarity),
        "similarity_weight": rounded(useful.similarity_weight),
        "utility": rounded(balance.utility),
        "attributes": [
            {
                "column": one.column,
                "kind": one.kind,
                "weight": rounded(weight),
                "loss": rounded(one.loss),
                "similarity": rounded(one.similarity),
                "utility": rounded(one.utility(useful.similarity_weight)),
                "parts": [{"utility": name, "value": rounded(value)} for name, value in one.parts],
            }
            for one, weight in zip(useful.attributes, useful.weights, strict=True)
        ],
        "rut": {name: rounded(balance.rut(weights)) for name, weights in weightings.items()},
        "difference": {name: rounded(balance.difference(weights)) for name, weights in weightings.items()},
        "ratio": rounded(balance.ratio),
    }


def balance_sections(found: Comparison) -> Iterator[Section]:
    """Yield the risks, the utility and the balance of every version, and the utility of every column."""
    known = [(v, v.balance) for v in found.versions if v.balance is not None]
    if not known:
        return
    weights = found.weightings[found.usual]
    rows = tuple(
        row(
            v.name,
            decimals(balance.internal_risk, 4),
            "no external table" if balance.external_risk is None else decimals(balance.external_risk, 4),
            decimals(balance.safety, 4),
            decimals(balance.utility, 4),
            decimals(balance.rut(weights), 4),
        )
        for v, balance in known
    )
    yield Section(
        "Safety, utility and their balance",
        ("version", "R internal", "R external", "safety 1 - R", "U", "RUT"),
        rows,
        f"Laid out as by Kim 2025 (table 9). {risk_words(found)} RUT = {weights.alpha:g} U + {weights.beta:g} (1 - R).",
        matrix=False,
        lines=tuple(_rests_on(found)),
    )
    for v, balance in known:
        if v is not found.versions[0] and balance.usefulness.attributes:
            yield _attributes(v, balance)


def risk_words(found: Comparison) -> str:
    """Say of what the risk R and its two parts are made."""
    form = found.form
    internal = (
        "R internal is the mean of what each quasi-identifier tells alone, weighted by the sensitivities given"
        if form.sensitivities
        else "R internal is the mean of 1 / size of a record's group"
    )
    external = {
        "matches": "R external the mean of 1 / people of the external table whom it may be",
        "probability": "R external the score by probability",
        "correlation": "R external the score by correlation",
        "unique": "R external the score by unique combinations",
        "mean": "R external the mean of the scores by probability, correlation and unique combinations",
    }[form.external_score]
    both = {
        "maximum": "R the larger of the two",
        "mean": f"R their mean, the internal one counting {form.internal_weight:g}",
        "sum": "R their sum, at most 1",
    }[form.combination]
    return f"{internal}, {external}, {both}."


def _rests_on(found: Comparison) -> Iterator[str]:
    """Say which columns U rests on, and which it does not see."""
    seen = next((v.balance.usefulness.attributes for v in found.versions if v.balance and v.balance.usefulness.attributes), ())
    if seen:
        yield f"U rests on {', '.join(one.column for one in seen)}."
    if found.unweighed:
        changed = [column for column, differs in found.unweighed.items() if differs]
        what = "What is it?" if len(found.unweighed) == 1 else "What are they?"
        them = _them(list(found.unweighed))
        yield f"U does not see {', '.join(found.unweighed)}: nobody gave {them} a role. {what} -q, -s or -i says it."
        if changed:
            yield f"Of these, releases changed {', '.join(changed)}, so U is too high for whoever needs {_them(changed)}."


def _them(columns: Sequence[str]) -> str:
    return "it" if len(columns) == 1 else "them"


def _attributes(version: ComparedVersion, balance: Balance) -> Section:
    """Return what every column of a version lost and kept, with what that was made of."""
    useful = balance.usefulness
    rows = []
    for one, weight in zip(useful.attributes, useful.weights, strict=True):
        made = "; ".join(
            f"{UTILITIES[name].title.lower()} {'not measured' if value is None else f'{decimals(value, 4)}'}" for name, value in one.parts
        )
        utility = one.utility(useful.similarity_weight)
        numbers = (_shown(value) for value in (one.loss, one.similarity, utility))
        rows.append(row(one.column, one.kind or "", f"{weight:g}", *numbers, made))
    rows.append(row("all of them", "", "", *(_shown(value) for value in (useful.loss, useful.similarity, balance.utility)), ""))
    share = useful.similarity_weight
    return Section(
        f"What the utility of {version.name} is made of",
        ("column", "like", "weight", "loss L", "similarity S", "U", "made of"),
        tuple(rows),
        f"U = {share:g} S + {1 - share:g} (1 - L) of every column; which loss and which similarity speak for it: Kim 2025, table 7.",
        matrix=False,
    )


def _shown(value: float | None) -> str:
    return "not measured" if value is None else decimals(value, 4)
