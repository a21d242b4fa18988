"""Write the sample hospital: two tables with the roles of their columns, people who are not in it, and a roll that outsiders have."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from anonscope.errors import OptionError, OutputError, shown
from anonscope.io.samples.draws import Draws
from anonscope.io.samples.people import Person, people
from anonscope.io.samples.visits import Visit, visits

PEOPLE = 5000
SEED = 20261115

# What the hospital releases is what a study needs. With education, occupation and ethnicity as well, 5,000 people stand alone by so much
# that the default policy costs 45 % of the detail and hides half of the columns; people are drawn with them, because they go together.
_PATIENT_COLUMNS = (
    *("patient_id", "name", "sex", "age", "zip", "marital_status", "insurance", "interpreter_language"),
    *("diagnosis", "length_of_stay", "charges"),
)
_VOTER_COLUMNS = ("name", "sex", "age_at_election", "zip")
_OF_AGE = 18
_VISIT_COLUMNS = ("visit_id", "patient_id", "visit_date", "visit_month", "department", "zip", "age", "sex", "insurance", "diagnosis")


@dataclass(frozen=True, slots=True)
class HospitalSample:
    """Where the files of a sample are."""

    patients: Path
    visits: Path
    patient_roles: Path
    visit_roles: Path
    others: Path  # people of the same country who were never there
    voters: Path  # some of both, with their names: what an outsider may hold
    domain: Path  # what the columns of the patients can hold, by the form that was filled in
    queries: Path  # questions to answer with noise


def write_hospital(folder: Path, *, people: int = PEOPLE, seed: int = SEED) -> HospitalSample:
    """Write the sample into a folder, making it if need be; the same seed gives the same bytes everywhere."""
    if people < 1:
        raise OptionError(f"The number of people must be at least 1, not {people}.")
    tables, said = ("others.csv", "voters.csv"), ("patients.domain.toml", "patients.queries.toml")
    names = ("patients.csv", "visits.csv", "patients.roles.toml", "visits.roles.toml", *tables, *said)
    sample = HospitalSample(*(folder / name for name in names))
    patients, events, others = _draw(people, seed)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(sample.patients, _delimited(_PATIENT_COLUMNS, map(_patient, patients)))
        _write(sample.visits, _delimited(_VISIT_COLUMNS, map(_visit, events)))
        _write(sample.others, _delimited(_PATIENT_COLUMNS, map(_patient, others)))
        _write(sample.voters, _delimited(_VOTER_COLUMNS, map(_voter, (p for p in (*patients[::3], *others[::2]) if p.age >= _OF_AGE))))
        for path in (sample.patient_roles, sample.visit_roles, sample.domain, sample.queries):
            _write(path, resources.files(__package__).joinpath("roles", path.name).read_text(encoding="utf-8"))
    except OSError as error:
        raise OutputError(f"The sample cannot be written to {shown(folder)}: {error.strerror}.") from None
    return sample


def _draw(count: int, seed: int) -> tuple[list[Person], list[Visit], list[Person]]:
    # Streams of their own, so that a change to the visits leaves the patients as they are.
    patients = list(people(Draws(seed), count))
    others = [replace(other, patient_id=f"N{other.patient_id[1:]}") for other in people(Draws(seed + 2), (count + 1) // 2)]
    return patients, list(visits(Draws(seed + 1), patients)), others


def _patient(person: Person) -> list[object]:
    return [
        *(person.patient_id, person.name, person.sex, person.age, person.zip, person.marital_status),
        *(person.insurance, person.interpreter_language),
        *(person.diagnosis.name, person.length_of_stay, person.charges),
    ]


def _voter(person: Person) -> list[object]:
    return [person.name, person.sex, person.age, person.zip]


def _visit(visit: Visit) -> list[object]:
    day = visit.day.isoformat()
    return [
        *(visit.visit_id, visit.person.patient_id, day, day[:7], visit.department, visit.zip, visit.age),
        *(visit.person.sex, visit.person.insurance, visit.diagnosis.name if visit.diagnosis else None),
    ]


def _delimited(header: Sequence[str], rows: Iterable[list[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _write(path: Path, text: str) -> None:
    # The line end is given, or Windows would write its own and the bytes would differ.
    path.write_text(text, encoding="utf-8", newline="\n")
