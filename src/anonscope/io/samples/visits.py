"""The visits: several records a person, most of whose traits stay the same from one to the next."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from anonscope.io.samples.country import REGION, ZIP_CODES
from anonscope.io.samples.diagnoses import Diagnosis, chances
from anonscope.io.samples.draws import Draws
from anonscope.io.samples.people import FIRST_DAY, LAST_DAY, Person, age_on

MOST_VISITS = 20
_OUTPATIENTS = ("Emergency", "Internal medicine", "Radiology")


@dataclass(frozen=True, slots=True)
class Visit:
    """One visit of one person."""

    visit_id: str
    person: Person
    day: date
    department: str
    zip: str | None
    age: int
    diagnosis: Diagnosis | None


def visits(draws: Draws, people: list[Person]) -> Iterator[Visit]:
    """Draw every person's visits, in the order in which they happened."""
    number = 0
    for person in people:
        zip_code = person.zip
        for day in _days(draws, person):
            number += 1
            if draws.chance(0.015):
                zip_code = _moved(draws, person)
            age = age_on(day, person.born)
            # Most people come back for the same reason; some for another one that fits their age.
            diagnosis = person.diagnosis if draws.chance(0.8) else draws.of(chances(age, person.sex))
            department = diagnosis.department if draws.chance(0.85) else draws.one(_OUTPATIENTS)
            known = draws.chance(0.98)
            yield Visit(f"V{number:07}", person, day, department, zip_code, age, diagnosis if known else None)


def _days(draws: Draws, person: Person) -> list[date]:
    first = max(FIRST_DAY, person.born)
    span = (LAST_DAY - first).days
    count = draws.skewed(person.diagnosis.returns, MOST_VISITS)
    return sorted(first + timedelta(days=draws.whole(0, span)) for _ in range(count))


def _moved(draws: Draws, person: Person) -> str:
    """Return where somebody moved to: more often within the region than across the country."""
    region = person.region if draws.chance(0.7) else draws.of(REGION)
    return draws.of(ZIP_CODES[region])
