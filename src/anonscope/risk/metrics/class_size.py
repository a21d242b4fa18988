"""Metrics that need nothing but the sizes of the classes: the average, and the share of records at risk.

K. El Emam (2013), "Guide to the De-Identification of Personal Health Information": an average class size of 3 is an average
re-identification risk of 0.33; a record is at risk when its class is smaller than the release asks for.
"""

from anonscope.risk.metrics.metric import ClassSizes, Floor, Level, SizeMetric, Totals


def _average(sizes: ClassSizes, level: Level, threshold: int) -> float:
    return sizes.members(level) / sizes.classes


def _average_floor(totals: Totals) -> Floor:
    return Floor(totals.persons, f"the table holds only {totals.persons:,} people")


def _at_risk(sizes: ClassSizes, level: Level, threshold: int) -> float:
    return sizes.below(threshold, level) / sizes.members(level)


def _at_risk_floor(totals: Totals) -> Floor:
    everybody_fits = totals.persons >= totals.threshold
    return Floor(0.0 if everybody_fits else 1.0, f"the table holds only {totals.persons:,} people")


AVERAGE_CLASS_SIZE = SizeMetric(
    name="average_class_size",
    title="Average class size",
    symbol="n / G",
    question="How many look-alikes does a group have on average?",
    reading="Its inverse is the average risk: the share of records that an attacker who tries all would get right.",
    formula="number of records / number of classes",
    attack="singling out",
    family="class size",
    source="El Emam 2013; Kikuchi 2016 (k-anonymean)",
    safer="higher",
    range=(1, None),
    floor=_average_floor,
    measure=_average,
)

RECORDS_AT_RISK = SizeMetric(
    name="records_at_risk",
    title="Records at risk",
    symbol="at risk",
    question="What share of the records is in a group smaller than asked for?",
    reading="0 means that every record hides in a group that is large enough.",
    formula="(records in classes smaller than the threshold) / n",
    attack="singling out",
    family="class size",
    source="El Emam 2013",
    safer="lower",
    range=(0, 1),
    floor=_at_risk_floor,
    measure=_at_risk,
    parameter="smallest class that is not at risk",
)
