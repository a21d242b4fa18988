"""Tables that write the same people otherwise: nobody who is there is counted as nobody, and sound tables raise no alarm.

The truth is known from the undamaged table: record i of the release is person i. A record whose label holds no value must be unread.
"""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pytest
from linked import matched

import anonscope as an
from anonscope.attacks.linkage import Matches
from anonscope.attacks.linkage.images import images_of
from anonscope.columns.readings import OTHERWISE, ToldLabels
from anonscope.transform.steps import GeneraliseDate, GeneraliseInterval, GeneraliseMapping, GeneralisePrefix, Round, TopCode
from anonscope.transform.transformation import Transformation

CHANCE = np.random.default_rng(11)
PEOPLE = 240
JOBS = ["nurse", "carer", "midwife", "clerk", "mayor", "driver", "cook", "baker"]
GROUPS = {job: ("care", "office", "hands")[min(i // 3, 2)] for i, job in enumerate(JOBS)}
CITIES = ["München", "Köln", "Dresden", "Leipzig", "Nürnberg", "Ulm", "Gießen", "Bad Homburg", "Frankfurt am Main", "Jena"]
CODES = ["E11.9", "E10.1", "F32.0", "I10.0", "J45.0", "M54.5"]
ORIGINAL: dict[str, list[str]] = {
    "age": [str(x) for x in CHANCE.integers(18, 97, PEOPLE)],
    "zip": [f"{x:05d}" for x in CHANCE.choice(np.r_[1067:1080, 4100:4110, 10115:10140, 80331:80340], PEOPLE)],
    "state": [f"{x:02d}" for x in CHANCE.integers(1, 17, PEOPLE)],
    "born": [(date(1930, 1, 1) + timedelta(int(x))).isoformat() for x in CHANCE.integers(0, 25000, PEOPLE)],
    "income": [str(int(x)) for x in CHANCE.lognormal(8, 0.8, PEOPLE)],
    "weight": [f"{x:.1f}" for x in CHANCE.normal(75, 12, PEOPLE)],
    "sex": [str(x) for x in CHANCE.choice(["male", "female", "diverse"], PEOPLE, p=[0.48, 0.48, 0.04])],
    "job": [str(x) for x in CHANCE.choice(JOBS, PEOPLE)],
    "city": [str(x) for x in CHANCE.choice(CITIES, PEOPLE)],
    "code": [str(x) for x in CHANCE.choice(CODES, PEOPLE)],
}
# None leaves the column as it is; the recipe says so.
RELEASES: dict[str, tuple[Transformation | None, ...]] = {
    "age": (GeneraliseInterval(column="age", width=10), TopCode(column="age", ceiling=80, label=True), None),
    "zip": (
        GeneralisePrefix(column="zip", characters=1),
        GeneralisePrefix(column="zip", characters=3, stars="one"),
        GeneralisePrefix(column="zip", characters=4, stars="one"),
        None,
    ),
    "state": (None, GeneralisePrefix(column="state", characters=1)),
    "born": (GeneraliseDate(column="born", part="month"), GeneraliseDate(column="born", part="year"), None),
    "income": (GeneraliseInterval(column="income", width=1000), Round(column="income", to=500), None),
    "weight": (GeneraliseInterval(column="weight", width=10, whole=False), None),
    "sex": (None,),
    "job": (GeneraliseMapping(column="job", mapping=GROUPS), None, GeneralisePrefix(column="job", characters=2)),
    "city": (GeneralisePrefix(column="city", characters=3, stars="one"), None),
    "code": (GeneralisePrefix(column="code", characters=3), GeneralisePrefix(column="code", characters=1, stars="one")),
}
Damage = Callable[[str], str]


def _day(form: str) -> Damage:
    return lambda value: date.fromisoformat(value).strftime(form)


def _swapped(words: dict[str, str]) -> Damage:
    return lambda value: words.get(value, value)


DAMAGES: dict[str, dict[str, Damage]] = {
    "age": {
        "in months": lambda v: str(12 * int(v)),
        "with a fraction": lambda v: f"{v}.0",
        "with a comma": lambda v: f"{v},0",
        "with a unit": lambda v: f"{v} years",
        "padded": lambda v: v.zfill(3),
        "with a blank": lambda v: f"{v} ",
        "top-coded": lambda v: "80+" if int(v) >= 80 else v,
        "rounded": lambda v: str(int(v) // 10 * 10),
        "the old in bands": lambda v: f"{int(v) // 10 * 10}-{int(v) // 10 * 10 + 9}" if int(v) > 59 else v,
    },
    "zip": {
        "zeros lost": lambda v: str(int(v)),
        "as numbers": lambda v: f"{int(v)}.0",
        "with a country": lambda v: f"D-{v}",
        "grouped": lambda v: f"{int(v):,}",
        "cut": lambda v: v[:3],
        "a zero more": lambda v: f"0{v}",
    },
    "state": {"zeros lost": lambda v: str(int(v)), "named": lambda v: f"state {int(v)}", "padded": lambda v: v.zfill(3)},
    "born": {
        "31.12.2019": _day("%d.%m.%Y"),
        "12/31/2019": _day("%m/%d/%Y"),
        "days and months swapped": _day("%Y-%d-%m"),
        "months only": _day("%Y-%m"),
        "first of the month": _day("%Y-%m-01"),
        "with a time": lambda v: f"{v} 00:00:00",
        "some otherwise": lambda v: _day("%d.%m.%Y")(v) if v > "1960" else v,
    },
    "income": {
        "in thousands": lambda v: f"{int(v) / 1000:.2f}",
        "a year": lambda v: str(12 * int(v)),
        "1,234": lambda v: f"{int(v):,}",
        "1.234": lambda v: f"{int(v):,}".replace(",", "."),
        "rounded": lambda v: str(int(v) // 1000 * 1000),
    },
    "weight": {"with a comma": lambda v: v.replace(".", ","), "in pounds": lambda v: f"{2.2046 * float(v):.1f}"},
    "sex": {
        "in capitals": str.upper,
        "short": lambda v: v[0],
        "one short": _swapped({"female": "f"}),
        "one by another word": _swapped({"female": "woman"}),
        "codes": _swapped({"male": "1", "female": "2", "diverse": "3"}),
    },
    "job": {
        "with capitals": str.title,
        "some as codes": _swapped({"nurse": "1", "carer": "2", "midwife": "3"}),
        "some by other words": _swapped({"nurse": "sister", "carer": "aide", "midwife": "helper"}),
    },
    "city": {
        "spelt out": lambda v: v.replace("ü", "ue").replace("ö", "oe").replace("ß", "ss"),
        "without accents": lambda v: "".join(c for c in unicodedata.normalize("NFD", v) if not unicodedata.combining(c)),
        "short": lambda v: v.split()[0],
        "in English": _swapped({"München": "Munich", "Köln": "Cologne", "Nürnberg": "Nuremberg"}),
        "in small letters": str.lower,
    },
    "code": {"in small letters": str.lower, "with a blank": lambda v: f" {v}", "by name": lambda v: "diabetes" if v[0] == "E" else v},
}


@cache
def _released(column: str, place: int) -> tuple[pa.Table, dict[str, ToldLabels]]:
    table, step = pa.table({column: ORIGINAL[column]}), RELEASES[column][place]
    if step is None:
        elsewhere = an.Recipe((GeneralisePrefix(column="another", characters=1),))
        return table, images_of([column], elsewhere, {})
    with an.read(table) as data:
        made = an.apply(step, data)
        return made.table, images_of([column], made.recipe, {})


def _linked(column: str, place: int, external: Sequence[str]) -> Matches:
    table, told = _released(column, place)
    return matched(table, pa.table({column: external}), images=told, doubt_others=True)


@pytest.mark.parametrize("column", RELEASES)
def test_nobody_who_is_there_is_counted_as_nobody(column: str) -> None:
    """Whatever the damage: a record whose person is there has candidates, or a label that was not read."""
    for name, damage in DAMAGES[column].items():
        for place, step in enumerate(RELEASES[column]):
            for part in (1, 4):
                there = np.arange(0, PEOPLE, part)
                found = _linked(column, place, [damage(ORIGINAL[column][i]) for i in there])
                nobody = (found.external_records[found.class_of] == 0) & ~found.unread[found.class_of]
                assert not nobody[there].any(), (name, step, part)


@pytest.mark.parametrize("column", RELEASES)
def test_nobody_is_lost_where_only_some_records_are_written_otherwise(column: str) -> None:
    """Three of ten external records are damaged: whoever is there has candidates, or a label that was not read."""
    damaged = np.random.default_rng(3).random(PEOPLE) < 0.3
    for name, damage in DAMAGES[column].items():
        external = [damage(value) if other else value for value, other in zip(ORIGINAL[column], damaged, strict=True)]
        for place, step in enumerate(RELEASES[column]):
            found = _linked(column, place, external)
            nobody = (found.external_records[found.class_of] == 0) & ~found.doubtful[found.class_of]
            assert not nobody.any(), (name, step, int(nobody.sum()))


@pytest.mark.parametrize("column", RELEASES)
def test_a_part_of_the_people_is_no_damage(column: str) -> None:
    """Against every second of the people all labels are read: those whose people are not there match nobody."""
    for place, step in enumerate(RELEASES[column]):
        found = _linked(column, place, ORIGINAL[column][::2])
        assert all(line.read for line in found.readings) and not found.strays, step


def test_zeros_lost_beside_codes_that_fit() -> None:
    """The release's labels 0106* and 1011* against codes without their zeros: the first may be anything, and the reading says why."""
    found = _linked("zip", 2, [str(int(code)) for code in ORIGINAL["zip"]])
    zeros = sum(code.startswith("0") for code in ORIGINAL["zip"])
    assert sum(line.cells for line in found.readings if line.how == OTHERWISE) == zeros
    assert found.external_records[found.class_of].min() > 0
