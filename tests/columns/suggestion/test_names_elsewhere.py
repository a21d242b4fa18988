"""Names in other letters than Latin ones, places on earth, companies and codes of jobs and trades, told by what values look like."""

import random
from pathlib import Path

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.suggestion.codes import is_company
from anonscope.errors import ColumnsWithoutRole

LISTS = [
    [part.strip() for part in line.split("|")]
    for line in (Path(__file__).parents[2] / "support" / "names_elsewhere.txt").read_text(encoding="utf-8").splitlines()[1:]
]
PEOPLE = {title: values.split("; ") for kind, title, values in LISTS if kind == "people"}
OTHERS = {title: values.split("; ") for kind, title, values in LISTS if kind == "others"}
DRAW = random.Random(5)


def looks_like(values: list[str], name: str = "xqz") -> str:
    table = pa.table({name: values, "age": [str(20 + i % 7) for i in range(len(values))]})
    with an.read(table, quasi_identifiers=["age"], acknowledge_rest="known to nobody") as data:
        return an.audit(data).verdict.unassigned[0].looks_like


@pytest.mark.parametrize("script", PEOPLE)
def test_names_of_people_are_direct_identifiers_in_every_script(script):
    """They passed as unknown, so that one reason for all the rest released them."""
    names = [*PEOPLE[script], *PEOPLE[script][: len(PEOPLE[script]) // 3]]
    table = pa.table({"xqz": names, "age": [20 + i % 3 for i in range(len(names))]})
    with (
        an.read(table, quasi_identifiers=["age"], acknowledge_rest="known to nobody") as data,
        pytest.raises(ColumnsWithoutRole, match="'xqz' looks like a direct identifier"),
    ):
        an.anonymise(data, limits={"k_anonymity": 2})


@pytest.mark.parametrize("thing", OTHERS)
def test_other_things_in_these_scripts_are_no_names(thing):
    assert looks_like([DRAW.choice(OTHERS[thing]) for _ in range(120)]) != "direct identifier"


@pytest.mark.parametrize("name", ["xqz", "location", "home"])
@pytest.mark.parametrize("form", ["{:.5f}, {:.5f}", "{:.4f};{:.4f}", "({:.6f}, {:.6f})", "POINT({:.5f} {:.5f})", "{:.4f}° N, {:.4f}° E"])
def test_pairs_of_degrees_are_direct_identifiers(name, form):
    assert looks_like([form.format(DRAW.uniform(47, 55), DRAW.uniform(6, 15)) for _ in range(40)], name) == "direct identifier"


@pytest.mark.parametrize("name", ["latitude", "LON", "lng", "Breitengrad", "home_lat"])
def test_exact_degrees_are_direct_identifiers_and_coarse_ones_are_not(name):
    assert looks_like([f"{DRAW.uniform(6, 15):.6f}" for _ in range(60)], name) == "direct identifier"
    assert looks_like([f"{DRAW.uniform(6, 15):.1f}" for _ in range(60)], name) != "direct identifier"
    assert looks_like([f"{6 + i % 9}.123456" for i in range(60)], name) != "direct identifier"


FIRMS = [
    "Müller GmbH",
    "Schmidt & Söhne KG",
    "Acme Inc.",
    "Johnson Ltd",
    "Rossi S.r.l.",
    "Weber AG",
    "Hoffmann Logistik",
    "Garcia S.L.",
    "Dupont SARL",
    "Jansen B.V.",
    "Andersson AB",
    "Kowalski Sp. z o.o.",
    "Peter Lang Verlag",
    "Fischer Werke",
    "Klein Consulting",
    "Wagner Holding",
    "Silva Lda",
    "Novak s.r.o.",
    "Meyer Services",
    "Thomas Brown",
    "Lopez Hermanos",
    "Anna Moda",
]


def test_companies_are_told_from_people():
    assert looks_like([DRAW.choice(FIRMS) for _ in range(100)]) == "quasi-identifier"
    assert sum(map(is_company, FIRMS)) >= 18
    assert not any(is_company(name) for names in PEOPLE.values() for name in names)


@pytest.mark.parametrize(
    "codes",
    [
        "A01.1 C10.11 G47.1 F43.2 Q86.1 M69 J62.0 H49.4 I56.1 K64.1 N81.2 S96.0",
        "2211 2221 5223 4110 7231 9112 1120 2310 3343 5120 8332 2512 2411 5312 7411 6111 3115 4321 5414 2611 9334 2166",
    ],
)
def test_codes_of_trades_and_jobs_have_a_shape(codes):
    values = codes.split()
    found = an.suggest(pa.table({"xqz": [values[i % len(values)] for i in range(300)]}), time_budget=0)["xqz"]
    assert (found.role, found.evidence.concept) == ("quasi-identifier", "occupation")
