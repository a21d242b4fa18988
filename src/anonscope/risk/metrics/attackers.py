"""Three attackers: one who knows that the target is in the table, one who does not, and one who wants as many as possible.

K. El Emam (2013), "Guide to the De-Identification of Personal Health Information". The prosecutor searches the table itself, so
a record hides among the f records of its class. The journalist has a register of the population and must find the one among F
people whom the record belongs to. The marketer does not care who is found and counts how many are.
"""

from anonscope.risk.metrics.metric import AttackerMetric, Floor, Totals


def _floor(totals: Totals) -> Floor:
    return Floor(1 / totals.persons, f"the table holds only {totals.persons:,} people")


PROSECUTOR = AttackerMetric(
    name="prosecutor",
    title="Prosecutor risk",
    symbol="1 / f",
    question="How likely is somebody known to be in the table to be picked out of it?",
    reading="The chance of guessing the right record of the group; 1 means that there is nothing to guess.",
    formula="1 / f for every record; mean G / n; largest 1 / k; sum G",
    attack="singling out",
    family="attacker",
    source="El Emam 2013",
    safer="lower",
    range=(0, 1),
    positive=True,
    floor=_floor,
    over_records=True,
)

JOURNALIST = AttackerMetric(
    name="journalist",
    title="Journalist risk",
    symbol="1 / F",
    question="How likely is the right person to be found in a register of the population?",
    reading="The chance of guessing the right person among all who look alike in the population; 1 means that only one person does.",
    formula="1 / F for every record, with F the size of its class in the population; estimated: E[1 / F | f]",
    attack="linkability",
    family="attacker",
    source="El Emam 2013; estimated as in Benedetti & Franconi 1998",
    safer="lower",
    range=(0, 1),
    positive=True,
    needs=("population",),
    over_records=True,
)

MARKETER = AttackerMetric(
    name="marketer",
    title="Marketer risk",
    symbol="marketer",
    question="What share of all records would an attacker who tries them all get right?",
    reading="0.1 means that one guess in ten is right on average; the worst-off record may be much worse off.",
    formula="mean over records of 1 / f, and of 1 / F where the population is known or estimated",
    attack="singling out",
    family="attacker",
    source="El Emam 2013; Dankar & El Emam 2010",
    safer="lower",
    range=(0, 1),
    positive=True,
    floor=_floor,
)
