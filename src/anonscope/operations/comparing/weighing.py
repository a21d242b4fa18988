"""What a version of a table still tells, and how that balances what it risks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from anonscope.attacks.linkage import Linkage
from anonscope.columns.readings import ReadAs
from anonscope.columns.weights import attribute_weights
from anonscope.operations.audit import Audit
from anonscope.operations.comparing.versions import ORIGINAL
from anonscope.risk.findings import Findings
from anonscope.utility import UTILITIES, Aligned, UtilityMeasurement, measure_all
from anonscope.utility.balance import (
    TABLE_7,
    Balance,
    BalanceForm,
    Usefulness,
    attribute_utilities,
    internal_risk,
    measure_balance,
    measure_usefulness,
    weighted_internal_risk,
)
from anonscope.utility.balance.numbers import total_of
from anonscope.utility.balance.usefulness import LOSSES, SIMILARITIES
from anonscope.utility.unpaired import NOT_PAIRED, Unpaired, measure_unpaired
from anonscope.utility.unpaired.marginals import of_sets

if TYPE_CHECKING:
    from anonscope.utility.model.model import ModelUtility

# What the balance is made of, column by column.
_BALANCED = sorted({name for components in TABLE_7.values() for name in (*components.losses, *components.similarities)})


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedVersion:
    """One version: what its audit found, what it still tells, and how the two balance (None where nothing is left to weigh)."""

    name: str
    findings: Findings = field(repr=False)
    utilities: tuple[UtilityMeasurement, ...] = field(repr=False)
    balance: Balance | None
    linkage: Linkage | None
    model: "ModelUtility | None" = None
    readings: tuple[ReadAs, ...] = ()  # how its labels were read; none for the original
    whole: bool = False  # its records do not correspond to those of the original, so it was compared as a whole
    balance_at_most: Balance | None = None  # if labels that were not read stand for no more than the values that they replaced

    @property
    def unread_share(self) -> float:
        """The share of compared cells whose label was not read."""
        cells = sum(line.cells for line in self.readings)
        return sum(line.cells for line in self.readings if not line.read) / cells if cells else 0.0

    def utility(self, name: str, column: str | None = None) -> UtilityMeasurement | None:
        """Return the first variant of a utility that has a value, for the whole table or for a column; else the first."""
        found = [m for m in self.utilities if m.utility == name and m.column == column]
        return next((m for m in found if m.value is not None), found[0] if found else None)


@dataclass(frozen=True, slots=True)
class Weighing:
    """Measures versions, and weighs each as somebody asked for."""

    kinds: Mapping[str, str]  # of the columns that the balance looks at
    class_size: int | None  # that the policy asks for
    form: BalanceForm
    condensation: bool = False

    def version(self, name: str, found: Audit, aligned: Sequence[Aligned], linkage: Linkage | None) -> ComparedVersion:
        """Return a version that was put beside the original: first the columns compared, then those that only the balance looks at."""
        measured = measure_all(aligned[0], k=self.class_size, condensation=self.condensation, bins=self.form.bins)
        further = [m for part in aligned[1:] for m in self._parts(part)]
        balance = self._balance(name, found, aligned, [*measured, *further], linkage)
        readings = () if name == ORIGINAL else tuple(line for part in aligned for line in part.readings)
        return ComparedVersion(name=name, findings=found, utilities=measured, balance=balance, linkage=linkage, readings=readings)

    def whole(self, name: str, found: Audit, tables: Unpaired, linkage: Linkage | None) -> ComparedVersion:
        """Return a version that was compared as a whole; what looks at it record by record is not measured."""
        measured = measure_unpaired(tables)
        apart = tuple(UtilityMeasurement(utility=utility, status="not measured", reason=NOT_PAIRED) for utility in UTILITIES)
        balance = self._balance_of_whole(name, tables, measured, linkage)
        return ComparedVersion(name=name, findings=found, utilities=(*measured, *apart), balance=balance, linkage=linkage, whole=True)

    def _balance_of_whole(
        self, name: str, tables: Unpaired, measured: Sequence[UtilityMeasurement], linkage: Linkage | None
    ) -> Balance | None:
        """Return the balance from what can be known without records.

        Similarity of a column is 1 less its variation, its loss the mean variation of its pairs. The risk is the largest of the shares of
        people whose secret is told, or who stand in the release as they are and as nobody else is.
        """
        if tables.recoded:
            return None  # labels are no values of the original, so nobody would seem to stand there
        risks = [m.value for m in measured if m.utility in ("disco", "unique_matches") and m.value is not None]
        if not risks or (linkage is not None and linkage.average_risk is None):
            return None
        alone = {place: float(value) for (place,), value in zip(*of_sets(tables, 1), strict=True)}
        pairs = list(zip(*of_sets(tables, 2), strict=True)) if len(tables.names) > 1 else []
        lost = [[float(value) for both, value in pairs if place in both] or [alone[place]] for place in alone]
        weights = attribute_weights(tables.names, self.form.weights)
        loss = total_of([sum(values) / len(values) for values in lost], weights, self.form.total)
        similarity = total_of([1 - alone[place] for place in alone], weights, self.form.total)
        if loss is None or similarity is None:
            return None
        share = self.form.similarity_weight
        useful = Usefulness(loss, similarity, share * similarity + (1 - share) * (1 - loss), "weighted", share, ())
        return self._balanced(name, max(risks), linkage, useful)

    def at_most(self, version: ComparedVersion, found: Audit, observed: Sequence[Aligned]) -> Balance | None:
        """Return the balance that a version has if labels that were not read stand for what is `observed` in the original."""
        measured = [m for part in observed for m in self._parts(part)]
        return self._balance(version.name, found, observed, measured, version.linkage)

    def _balance(
        self, name: str, found: Audit, aligned: Sequence[Aligned], measured: Sequence[UtilityMeasurement], linkage: Linkage | None
    ) -> Balance | None:
        attributes = attribute_utilities(
            [column for part in aligned for column in part.columns],
            self.kinds,
            measured,
            distance=self.form.distance,
            normalisation=self.form.normalisation,
        )
        if all(a.loss is None for a in attributes) or all(a.similarity is None for a in attributes):
            return None
        if linkage is not None and linkage.average_risk is None:
            return None  # the risk is not known, so there is nothing to weigh
        useful = measure_usefulness(
            attributes,
            weights=self.form.weights,
            loss_total=self.form.total,
            similarity_total=self.form.total,
            similarity_weight=self.form.similarity_weight,
        )
        if found.made_up(found.scenarios[0]):
            # Classes of made-up values are no risk that could be weighed.
            return None
        internal = self._internal(found)
        return None if internal is None else self._balanced(name, internal, linkage, useful)

    def _parts(self, part: Aligned) -> tuple[UtilityMeasurement, ...]:
        """Return what the balance is made of, column by column."""
        return measure_all(part, LOSSES + SIMILARITIES if self.form.normalisation == "min-max" else _BALANCED, bins=self.form.bins)

    def _internal(self, found: Audit) -> float | None:
        """Return the internal risk: by classes, or by what every attribute tells alone; None where one of them was not measured."""
        if not self.form.sensitivities:
            return internal_risk(found.scenarios[0].sizes.of(found.counted_in))
        known = found.scenarios[0].quasi_identifiers
        alone = {
            m.attributes[0]: m.mean
            for m in found.measurements
            if m.metric == "uniformity" and m.scenario == found.scenarios[0].name and m.attributes is not None and len(m.attributes) == 1
        }
        risks = {column: alone.get(column) for column in known}
        if any(risk is None for risk in risks.values()):
            return None
        given = {column: weight for column, weight in self.form.sensitivities.items() if column in known}
        return weighted_internal_risk({column: risk for column, risk in risks.items() if risk is not None}, given)

    def _external(self, linkage: Linkage) -> float | None:
        """Return the external risk as it was asked for; None where a score was not measured."""
        how, scores = self.form.external_score, linkage.scores
        if how == "matches":
            return linkage.average_risk
        if scores is None:
            return None
        three = {"probability": scores.probability, "correlation": scores.correlation, "unique": scores.unique_combination}
        if how != "mean":
            return three[how]
        known = [score for score in three.values() if score is not None]
        return sum(known) / 3 if len(known) == 3 else None

    def _balanced(self, name: str, internal: float, linkage: Linkage | None, useful: Usefulness) -> Balance | None:
        external = self._external(linkage) if linkage is not None else None
        if linkage is not None and external is None:
            return None  # the risk is not known, so there is nothing to weigh
        form = self.form
        return measure_balance(name, internal, external, useful, combination=form.combination, internal_weight=form.internal_weight)
