"""The patients: one person after another, each trait drawn with those before it in mind."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from anonscope.io.samples.country import FAMILY_NAMES, GIVEN_NAMES, INTERPRETER, REGION, ZIP_CODES, Region
from anonscope.io.samples.diagnoses import Diagnosis, chances
from anonscope.io.samples.draws import Draws, Weighted

FIRST_DAY = date(2023, 1, 1)
LAST_DAY = date(2025, 12, 31)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who does not exist. None is a value that nobody wrote down."""

    patient_id: str
    name: str
    born: date
    sex: str
    age: int
    region: Region
    zip: str | None
    marital_status: str | None
    education: str | None
    occupation: str | None
    ethnicity: str | None
    insurance: str | None
    interpreter_language: str | None
    diagnosis: Diagnosis
    length_of_stay: int
    charges: int | None


_AGES = Weighted({(0, 0): 50, (1, 14): 80, (15, 24): 80, (25, 39): 190, (40, 64): 280, (65, 79): 210, (80, 97): 105, (98, 104): 2})
_SEXES = Weighted({"female": 538, "male": 459, "other": 3})

_MARITAL = (
    (17, Weighted({"single": 1})),
    (24, Weighted({"single": 90, "married": 8, "registered partner": 2})),
    (39, Weighted({"single": 40, "married": 48, "registered partner": 5, "divorced": 6, "widowed": 1})),
    (64, Weighted({"single": 16, "married": 58, "registered partner": 2, "divorced": 20, "widowed": 4})),
    (79, Weighted({"single": 7, "married": 60, "divorced": 13, "widowed": 20})),
    (120, Weighted({"single": 5, "married": 33, "divorced": 6, "widowed": 56})),
)
_EDUCATION = (
    (5, Weighted({"none yet": 1})),
    (10, Weighted({"primary school": 1})),
    (15, Weighted({"lower secondary": 1})),
    (18, Weighted({"lower secondary": 35, "upper secondary": 65})),
    (24, Weighted({"lower secondary": 10, "upper secondary": 55, "vocational": 23, "bachelor": 12})),
    (39, Weighted({"lower secondary": 8, "upper secondary": 22, "vocational": 32, "bachelor": 22, "master": 14, "doctorate": 2})),
    (64, Weighted({"lower secondary": 14, "upper secondary": 22, "vocational": 38, "bachelor": 14, "master": 10, "doctorate": 2})),
    (120, Weighted({"primary school": 16, "lower secondary": 32, "upper secondary": 16, "vocational": 27, "bachelor": 5, "master": 4})),
)

_BY_HAND = Weighted({"cleaner": 16, "builder": 15, "warehouse worker": 18, "driver": 14, "cook": 12, "waiter": 20, "unemployed": 22})
_TRADES = Weighted({"carer": 17, "electrician": 10, "clerk": 20, "nurse": 14, "shop assistant": 14, "mechanic": 11, "hairdresser": 6})
_DESKS = Weighted({"clerk": 20, "teacher": 16, "engineer": 15, "programmer": 13, "accountant": 12, "manager": 14, "journalist": 3})
_LEARNED = Weighted({"physician": 22, "lawyer": 15, "researcher": 20, "engineer": 16, "teacher": 14, "manager": 13})
_ON_THE_LAND = Weighted({"farmer": 55, "forester": 15, "fisher": 22, "shepherd": 8})
# Few hold one of these, so a single column is almost enough to find them.
_RARE = Weighted({"lighthouse keeper": 5, "judge": 6, "mayor": 3, "astronomer": 2, "bell founder": 1, "opera singer": 3})
_BY_EDUCATION = {"vocational": _TRADES, "bachelor": _DESKS, "upper secondary": _DESKS, "master": _LEARNED, "doctorate": _LEARNED}

# No insurer has two of three patients in any walk of life, or the default policy could not be met by any recoding.
_INSURANCE_OF_CHILDREN = Weighted({"public": 48, "private": 22, "workers' fund": 24, "none": 6})
_INSURANCE_AT_WORK = Weighted({"public": 36, "private": 22, "workers' fund": 36, "none": 6})
_INSURANCE_OF_THE_LEARNED = Weighted({"public": 30, "private": 48, "workers' fund": 19, "none": 3})
_INSURANCE_WITHOUT_WORK = Weighted({"public": 50, "private": 6, "workers' fund": 26, "none": 18})
_INSURANCE_IN_OLD_AGE = Weighted({"public": 50, "private": 21, "workers' fund": 28, "none": 1})


def people(draws: Draws, count: int) -> Iterator[Person]:
    """Draw this many people."""
    for number in range(1, count + 1):
        yield _person(draws, f"P{number:06}")


def _person(draws: Draws, patient_id: str) -> Person:
    sex = draws.of(_SEXES)
    born = _birthday(draws, draws.whole(*draws.of(_AGES)))
    age = age_on(LAST_DAY, born)
    region = draws.of(REGION)
    ethnicity = draws.of(region.peoples)
    education = draws.of(_by_age(_EDUCATION, age))
    occupation = _occupation(draws, age, education, region)
    diagnosis = draws.of(chances(age, sex))
    days = draws.skewed(diagnosis.days * (0.8 if age < 40 else 1.0 if age < 75 else 1.3), 120)
    charges = (diagnosis.once + diagnosis.daily * days) * draws.spread()
    given = GIVEN_NAMES.get(sex, GIVEN_NAMES["female"] + GIVEN_NAMES["male"])
    return Person(
        patient_id=patient_id,
        name=f"{draws.one(given)} {draws.one(FAMILY_NAMES)}",
        born=born,
        sex=sex,
        age=age,
        region=region,
        zip=draws.known(draws.of(ZIP_CODES[region]), 0.995),
        marital_status=draws.known(draws.of(_by_age(_MARITAL, age)), 0.98),
        education=draws.known(education, 0.965),
        occupation=draws.known(occupation, 0.955),
        ethnicity=draws.known(ethnicity, 0.95),
        insurance=draws.known(_insurance(draws, age, education, occupation), 0.99),
        interpreter_language=ethnicity if draws.chance(INTERPRETER[ethnicity]) else None,
        diagnosis=diagnosis,
        length_of_stay=days,
        charges=draws.known(int(charges / 50 + 0.5) * 50, 0.985),
    )


def _birthday(draws: Draws, age: int) -> date:
    """Return a day of birth that gives this age on the last day."""
    year = LAST_DAY.year - age
    return date(year, 1, 1) + timedelta(days=draws.whole(0, 364))


def age_on(day: date, born: date) -> int:
    """Return somebody's age in whole years."""
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def _occupation(draws: Draws, age: int, education: str, region: Region) -> str:
    if age < 6:
        return "none"
    if age < 16 or (age < 25 and draws.chance(0.55)):
        return "pupil" if age < 19 else "student"
    if age >= 67 or (age >= 61 and draws.chance(0.5)):
        return "retired"
    if draws.chance(0.008):
        return draws.of(_RARE)
    if region.rural and draws.chance(0.35):
        return draws.of(_ON_THE_LAND)
    if draws.chance(0.06):
        return "homemaker"
    return draws.of(_BY_EDUCATION.get(education, _BY_HAND))


def _insurance(draws: Draws, age: int, education: str, occupation: str) -> str:
    if age < 18:
        return draws.of(_INSURANCE_OF_CHILDREN)
    if occupation == "retired":
        return draws.of(_INSURANCE_IN_OLD_AGE)
    if occupation in ("unemployed", "homemaker", "student"):
        return draws.of(_INSURANCE_WITHOUT_WORK)
    return draws.of(_INSURANCE_OF_THE_LEARNED if education in ("master", "doctorate") else _INSURANCE_AT_WORK)


def _by_age(table: tuple[tuple[int, Weighted[str]], ...], age: int) -> Weighted[str]:
    return next(weighted for last, weighted in table if age <= last)
