"""What an audit says beside its numbers: what to look at before believing them, and what they rest on."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from anonscope.columns.roles import Roles
from anonscope.io.figures import per_cent
from anonscope.io.sources import Relation
from anonscope.risk.findings import SensitiveFacts
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import RepeatedIdentifier, TellingColumn
from anonscope.risk.privacy_loss import PrivacyLoss

if TYPE_CHECKING:
    from anonscope.columns.hierarchy import Hierarchy

_MISSING_LIMIT = 0.85


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarks:
    """What there is to say of a table that was measured."""

    relation: Relation
    roles: Roles
    records: int
    rows: int | None
    remote: bool
    notices: tuple[str, ...]
    perturbed: tuple[str, ...]
    two_forms: tuple[str, ...]
    repeated: tuple[RepeatedIdentifier, ...]
    telling: tuple[TellingColumn, ...]
    privacy_loss: PrivacyLoss | None
    missing: Mapping[str, float]
    facts: Mapping[str, SensitiveFacts]
    records_without_person: int
    hierarchies: "Mapping[str, Hierarchy]"
    joined: bool
    only: Collection[str] | None

    def warnings(self) -> Iterator[str]:
        """Yield what somebody should look at before believing the numbers."""
        yield from self.relation.notes
        yield from self.notices
        if self.only is not None:
            named = ", ".join(METRICS[name].title for name in METRICS if name in self.only) or "no metric"
            yield f"Only what was asked for was measured: {named}. Nothing is said of the rest, and no rule about it is met."
        if self.perturbed:
            listed = ", ".join(repr(column) for column in self.perturbed)
            yield f"A recipe perturbed {listed}: what rests on groups of equal values there is not measured, and no rule about it is met."
        if self.two_forms:
            listed = ", ".join(repr(column) for column in self.two_forms)
            yield (
                f"One value stands in two forms in {listed}: empty text or NaN beside missing values, or minus zero beside zero. They "
                "count as one, but who reads this very table tells them apart, so it is withheld. Every release of anonscope has one form."
            )
        yield from (identifier.sentence for identifier in self.repeated)
        yield from (column.sentence for column in self.telling)
        if self.privacy_loss is not None:
            yield from self.privacy_loss.sentences()
        if self.records == 1:
            yield "The table has one record, which is unique whatever its values are."
        for column, share in self.missing.items():
            if share == 1:
                yield f"Column {column!r} has no value at all; it says nothing about anybody."
            elif share > _MISSING_LIMIT:
                yield (
                    f"Column {column!r} is missing in {per_cent(share, 0)} of the records; the few that have it stand out. "
                    "Consider dropping it."
                )
        for facts in self.facts.values():
            if facts.values == 1:
                yield (
                    f"Sensitive attribute {facts.name!r} has one value only: everybody's is known without any attack, "
                    "so l-diversity is 1 and correlation is 1 whatever the quasi-identifiers are."
                )
        if self.records_without_person:
            yield (
                f"{self.records_without_person:,} records have no person id. They count as one unknown person; "
                "the risk is overstated if they are many people, and understated if they belong to people who have an id."
            )

    def assumptions(self) -> Iterator[str]:
        """Yield what the numbers rest on."""
        yield "An attacker knows the quasi-identifiers of their target exactly, and that the target is in the table."
        yield "A missing value is a value of its own: two records that both lack it look alike. No record is left out."
        yield "Values are compared as they are written; zip codes keep their leading zeros."
        if self.rows is not None:
            measured = f"{self.records:,} records"
            some = f"{measured}, in no order," if self.remote else f"the first {measured}"
            yield f"Only {some} were measured (--rows); the rest of the table is not assessed."
        if self.roles.event_level:
            yield f"Several records may belong to one person, told apart by {self.roles.person!r}; groups are counted in persons as well."
        else:
            yield "Every record belongs to a different person."
        for facts in self.facts.values():
            if self.roles.distance.get(facts.name) == "ordered" and not facts.numeric:
                yield f"{facts.name!r} is not numeric; its ordered distance uses the alphabetical order of its values."
        if numeric := [repr(facts.name) for facts in self.facts.values() if facts.numeric]:
            one = len(numeric) == 1
            which = numeric[0] if one else f"{', '.join(numeric[:-1])} and {numeric[-1]}"
            yield f"{which} {'is' if one else 'are'} numeric: ordered distances compare ranks, a missing value ranks lowest."
        for column, hierarchy in self.hierarchies.items():
            yield f"{column!r} has a hierarchy of height {hierarchy.height}: values are as far apart as the lowest node above both."
        if self.joined:
            yield 'Each sensitive attribute was measured once more against an attacker who knows all the others (level "joined").'
