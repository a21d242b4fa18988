"""Rules about a stated guarantee: differential privacy of a whole table, as its manifest states it, against what a policy allows.

A guarantee is a property of how a table was made. No measurement of the table shows it, and none shows that it is absent: it is stated by
what made the table, for exactly this file, or it is not known, which never passes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from anonscope.columns.suggestion.check import Check
from anonscope.errors import AnonscopeError, shown
from anonscope.io.rounding import fraction_of
from anonscope.io.toml_file import TomlFile

CHECKLIST = "differential-privacy"
_KEYS = ("epsilon", "delta", "unit")
_UNITS = ("record", "person", "household")
_NOT_STATED = (
    "no guarantee is stated for this file: it needs the manifest beside it that `anonscope synthesise` wrote, unchanged, and the file must "
    "be as it was"
)


@dataclass(frozen=True, slots=True)
class GuaranteeLimit:
    """What may be lost at most, and about whom."""

    epsilon: Fraction
    delta: Fraction
    unit: str  # a household's guarantee is one for every person in it, and a person's one for every record

    def to_dict(self) -> dict[str, Any]:
        """Return it as a policy file has it."""
        return {"epsilon": float(self.epsilon), "delta": float(self.delta), "unit": self.unit}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedGuarantee:
    """What a manifest states of the file beside it; without an epsilon nothing is guaranteed, and `reasons` say why."""

    epsilon: Fraction | None
    delta: Fraction | None
    unit: str | None  # the column that tells apart who is protected; None: every record is taken for a person
    unit_kind: str | None
    reasons: tuple[str, ...]
    together: "StatedTogether | None" = None  # with what a register had of the same people; None: it was published without one


@dataclass(frozen=True, slots=True)
class StatedTogether:
    """What all releases of the same people lose together, this one among them: by its manifest when it was published, or by a register."""

    epsilon: Fraction
    delta: Fraction
    others: int
    unknown: int  # of the others, which state no loss
    unlike: int = 0  # of all, which protect single records where others protect people


def stated_of(content: Mapping[str, Any], composition: Mapping[str, Any] | None = None) -> StatedGuarantee:
    """Return the guarantee that a manifest has; raise ValueError, KeyError or TypeError if that means nothing."""
    holds = content["holds"] is True
    epsilon, delta = (fraction_of(str(content[key])) if holds else None for key in ("epsilon", "delta"))
    if epsilon is not None and delta is not None and (epsilon <= 0 or not 0 <= delta < 1):
        raise ValueError("an epsilon is above 0, and a delta from 0 to 1")
    unit, kind = (None if content[key] is None else str(content[key]) for key in ("unit", "unit_kind"))
    together = None
    if holds and composition is not None and composition.get("epsilon") is not None:
        lost, beyond = (Fraction(str(composition[key])) for key in ("epsilon", "delta"))
        together = StatedTogether(
            lost, beyond, int(composition["earlier_releases"]), int(composition["without_guarantee"]), int(composition.get("unlike", 0))
        )
        if epsilon is not None and delta is not None and (together.epsilon < epsilon or together.delta < delta):
            raise ValueError("with others no less is lost")
    reasons = tuple(map(str, content["reasons"]))
    return StatedGuarantee(epsilon=epsilon, delta=delta, unit=unit, unit_kind=kind, reasons=reasons, together=together)


def read_limit(document: TomlFile, content: Any) -> GuaranteeLimit:
    """Check the table [guarantee] of a policy; every message names the key and its line."""

    def fail(problem: str, key: str) -> AnonscopeError:
        return document.fail(problem, f"guarantee.{key}" if key else "guarantee")

    if not isinstance(content, dict):
        raise fail("must be a table with epsilon, delta and unit", "")
    for key in content:
        if key not in _KEYS:
            raise fail(f"no such key; known are {', '.join(_KEYS)}", key)
    for key in ("epsilon", "delta"):
        value = content.get(key, 0 if key == "delta" else None)
        if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0 or value == float("inf"):
            raise fail("must be a number", key)
    if not content["epsilon"] > 0:
        raise fail("must be above 0", "epsilon")
    if not content.get("delta", 0) < 1:
        raise fail("must be below 1", "delta")
    if content.get("unit", "person") not in _UNITS:
        raise fail(f"must be one of {', '.join(_UNITS)}", "unit")
    # As they are written: 0.1 is a tenth.
    epsilon, delta = (Fraction(repr(content.get(key, 0))) for key in ("epsilon", "delta"))
    return GuaranteeLimit(epsilon, delta, content.get("unit", "person"))


def check_guarantee(limit: GuaranteeLimit, stated: StatedGuarantee | None, person: str | None) -> tuple[Check, ...]:
    """Return one check for each: that anything is guaranteed, how much is lost, how much beyond that, and about whom."""
    titles = ("a guarantee is stated for this very file", "epsilon", "delta", f"whoever is protected is a whole {limit.unit}")
    limits = ("stated", f"≤ {_written(limit.epsilon)}", f"≤ {_written(limit.delta)}", limit.unit)
    if stated is None or stated.epsilon is None or stated.delta is None:
        # That there is none is known where the maker says so.
        reason = _NOT_STATED if stated is None else "; ".join(stated.reasons) or "none is claimed"
        known: Literal["not measured", "fail"] = "not measured" if stated is None else "fail"
        first = Check(number=1, title=titles[0], status=known, reason=reason, found="none", limit=limits[0])
        others = (
            Check(number=i + 1, title=titles[i], status="not measured", reason="nothing is guaranteed", found="none", limit=limits[i])
            for i in (1, 2, 3)
        )
        return (first, *others)
    found = ("stated", _written(stated.epsilon), _written(stated.delta))
    kept = (True, stated.epsilon <= limit.epsilon, stated.delta <= limit.delta)
    numbers = (
        Check(number=i + 1, title=titles[i], status="pass" if kept[i] else "fail", found=found[i], limit=limits[i]) for i in range(3)
    )
    return (*numbers, _unit(limit, stated, person, titles[3]), *_together(limit, stated.together))


def _together(limit: GuaranteeLimit, together: StatedTogether | None) -> tuple[Check, ...]:
    """Return whether the limits hold for all that was released about the same people, where a register knows of it."""
    if together is None:
        return ()
    several = f"{together.others:,} other release{'s' * (together.others != 1)} of the same people"
    reason = f"with {several} in the register"
    status: Literal["pass", "fail", "not measured"] = "pass"
    if together.epsilon > limit.epsilon or together.delta > limit.delta:
        status = "fail"
    elif together.unknown:
        status, reason = "not measured", f"{together.unknown:,} of {several} state no loss, and nothing bounds what they told"
    elif together.unlike:
        status, reason = "not measured", f"with {several} some protect single records, and the others people"
    found = f"{_written(together.epsilon)}, {_written(together.delta)}"
    limits = f"≤ {_written(limit.epsilon)}, {_written(limit.delta)}"
    title = "epsilon and delta of all that is registered"
    return (Check(number=5, title=title, status=status, reason=reason if together.others else None, found=found, limit=limits),)


def _unit(limit: GuaranteeLimit, stated: StatedGuarantee, person: str | None, title: str) -> Check:
    """Return whether those are protected whom the policy is about."""
    kind = (stated.unit_kind or "person") if stated.unit is not None else "record"
    reason = None
    if kind == "record" and limit.unit == "person" and person is None:
        passes, reason = True, "every record was taken for a person of its own, which nobody checked"
    else:
        passes = _UNITS.index(kind) >= _UNITS.index(limit.unit) if kind in _UNITS else False
    if not passes:
        reason = f"it protects every {kind} by itself"
        reason += f", and several records may belong to one person ({shown(person)})" if kind == "record" and person is not None else ""
    return Check(number=4, title=title, status="pass" if passes else "fail", reason=reason, found=kind, limit=limit.unit)


def _written(value: Fraction) -> str:
    return f"{float(value):.10g}"
