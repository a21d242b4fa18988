"""The tables that are audited: what they are like, and the SELECT that draws them.

Every value is a function of the row's number and a salt, by way of a hash, so a table needs no seed and the same
version of DuckDB draws it again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Table:
    """A table to audit, and which columns play which role."""

    name: str
    select: Callable[["Size"], str]
    quasi_identifiers: tuple[str, ...]
    sensitive: str
    person: str | None = None


@dataclass(frozen=True, slots=True)
class Size:
    """How many records, from which on, and of how many persons where there are several records a person."""

    rows: int
    persons: int = 0
    first: int = 0

    @property
    def numbers(self) -> str:
        """The numbers of the records, to go behind FROM."""
        return f"range({self.first}, {self.first + self.rows})" if self.first else f"range({self.rows})"

    def __str__(self) -> str:
        return f"{self.rows}-{self.persons}" if self.persons else f"{self.rows}"


def _uniform(number: str, salt: int) -> str:
    """Return a draw between 0 and 1 that depends on a number and a salt only."""
    return f"(hash({number} * 1000003 + {salt}) % 1000000007) / 1000000007.0"


def _among(count: int, draw: str, skew: float) -> str:
    """Return a whole number below count; the larger the skew, the more of them are small."""
    return f"floor({count} * pow({draw}, {skew}))::INTEGER"


def _discharges(size: Size) -> str:
    """Hospital discharges of a state: text of few values, large counties and small ones, patients from next door."""
    return f"""
WITH base AS (
  SELECT {_among(57, _uniform("i", 1), 3.0)} AS county, {_uniform("i", 2)} AS facility, {_uniform("i", 3)} AS age,
    {_uniform("i", 4)} AS origin, {_uniform("i", 5)} AS gender, {_uniform("i", 6)} AS race, {_uniform("i", 7)} AS ethnicity,
    {_uniform("i", 8)} AS diagnosis, {_uniform("i", 9)} AS elsewhere
  FROM {size.numbers} AS r(i))
SELECT 'County ' || county AS "Hospital County",
  'Facility ' || county || '-' || floor((1 + county % 7) * pow(facility, 1.5))::INTEGER AS "Facility Name",
  ['0 to 17', '18 to 29', '30 to 49', '50 to 69', '70 or Older'][1 + {_among(5, "age", 0.8)}] AS "Age Group",
  CASE WHEN origin < 0.02 THEN NULL WHEN origin < 0.06 THEN 'OOS'
    WHEN origin < 0.874 THEN (100 + county)::VARCHAR ELSE (100 + {_among(50, "elsewhere", 2.0)})::VARCHAR END AS "Zip Code - 3 digits",
  CASE WHEN gender < 0.56 THEN 'F' WHEN gender < 0.9999 THEN 'M' ELSE 'U' END AS "Gender",
  CASE WHEN race < 0.57 THEN 'White' WHEN race < 0.76 THEN 'Black/African American'
    WHEN race < 0.99 THEN 'Other Race' ELSE 'Multi-racial' END AS "Race",
  CASE WHEN ethnicity < 0.81 THEN 'Not Span/Hispanic' WHEN ethnicity < 0.92 THEN 'Spanish/Hispanic'
    WHEN ethnicity < 0.995 THEN 'Unknown' ELSE 'Multi-ethnic' END AS "Ethnicity",
  'Diagnosis ' || {_among(262, "diagnosis", 2.5)} AS "CCS Diagnosis Description"
FROM base"""


def _admissions(size: Size) -> str:
    """The discharges with numbers beside them: age in years, days of stay, and charges that hardly repeat."""
    return f"""
SELECT d.*, n.* FROM ({_discharges(size)}) AS d POSITIONAL JOIN (
  SELECT {_among(100, _uniform("i", 20), 0.9)} AS "Age", 1 + {_among(120, _uniform("i", 21), 4.0)} AS "Length of Stay",
    round(500 + 200000 * pow({_uniform("i", 22)}, 5.0), 2)::DOUBLE AS "Total Charges"
  FROM {size.numbers} AS r(i)) AS n"""


def _visits(size: Size) -> str:
    """Visits of patients, as coarse as hospitals publish them: who they are stays, when and where they came varies, and most
    come back for the same reason."""
    return f"""
WITH event AS (
  SELECT i, floor({size.persons} * pow({_uniform("i", 1)}, 1.5))::BIGINT AS p, {_uniform("i", 2)} AS year, {_uniform("i", 3)} AS same,
    {_uniform("i", 4)} AS which, {_uniform("i", 5)} AS usual, {_uniform("i", 6)} AS other, {_uniform("i", 7)} AS ward
  FROM {size.numbers} AS r(i)),
person AS (
  SELECT *, {_uniform("p", 11)} AS sex, {_uniform("p", 12)} AS born, {_uniform("p", 13)} AS home,
    {_uniform("p", 14)} AS people, {_uniform("p", 16)} AS payer,
    {_uniform("(p * 4 + floor(3 * which * which)::BIGINT)", 15)} AS own
  FROM event),
reason AS (SELECT *, CASE WHEN same < 0.75 THEN {_among(300, "own", 2.2)} ELSE {_among(300, "other", 2.2)} END AS diagnosis FROM person)
SELECT 'P' || p AS person,
  CASE WHEN sex < 0.52 THEN 'F' WHEN sex < 0.999 THEN 'M' ELSE 'X' END AS sex,
  1930 + {_among(90, "born", 1.0)} AS birth_year,
  5 * {_among(18, "born", 1.0)} AS age_group,
  lpad({_among(800, "home", 2.5)}::VARCHAR, 5, '0') AS zip,
  lpad({_among(80, "home", 2.5)}::VARCHAR, 3, '0') AS zip3,
  CASE WHEN people < 0.6 THEN 'White' WHEN people < 0.78 THEN 'Black' WHEN people < 0.95 THEN 'Asian' ELSE 'Other' END AS ethnicity,
  'Insurance ' || {_among(5, "payer", 2.0)} AS insurance,
  2020 + {_among(5, "year", 1.0)} AS visit_year,
  'Department ' || CASE WHEN usual < 0.75 THEN diagnosis % 12 ELSE {_among(12, "ward", 1.7)} END AS department,
  'Diagnosis ' || diagnosis AS diagnosis
FROM reason"""


# Name, number of values, skew; the first six are those of the Adult table that other tools were measured on.
_CENSUS = (
    ("age", 73, 1.8),
    ("education", 16, 3.0),
    ("marital_status", 7, 2.5),
    ("occupation", 14, 1.6),
    ("sex", 2, 1.7),
    ("native_country", 41, 30.0),
    ("workclass", 8, 3.0),
    ("race", 5, 4.0),
    ("relationship", 6, 1.5),
    ("hours_per_week", 12, 2.0),
    ("region", 9, 1.2),
    ("dwelling", 4, 1.5),
)
_KINDS_OF_PEOPLE = 20_000
_WIDEST = 130
_OWN_WAY = 0.048


def _census(size: Size) -> str:
    """People of a census: variations on a fixed number of kinds of people, as classes of real people grow slower than records."""
    draws = ", ".join(
        f"CASE WHEN {_uniform('i', 100 + j)} < {_OWN_WAY} THEN {_uniform('i', 200 + j)} ELSE {_uniform('p', 300 + j)} END AS x{j}"
        for j in range(len(_CENSUS))
    )
    columns = ", ".join(
        f"{_among(count, f'x{j}', skew)} + 17 AS age" if name == "age" else f"'{name} ' || {_among(count, f'x{j}', skew)} AS {name}"
        for j, (name, count, skew) in enumerate(_CENSUS)
    )
    return f"""
WITH kind AS (
  SELECT i, floor({_KINDS_OF_PEOPLE} * {_uniform("i", 1)})::BIGINT AS p, {_uniform("i", 2)} AS luck FROM {size.numbers} AS r(i)),
draw AS (SELECT luck, {draws} FROM kind)
SELECT {columns}, CASE WHEN luck < 0.1 + 0.25 * x0 + 0.2 * x1 THEN '>50K' ELSE '<=50K' END AS salary_class
FROM draw"""


def wide(columns: int = _WIDEST) -> Table:
    """Return a table of some quasi-identifiers and nothing else but what is sensitive: columns without a role would be looked at too.

    There may be more than a key of 63 bits can hold, of two to eight values each and independent of each other.
    """

    def select(size: Size) -> str:
        drawn = ", ".join(f"(hash(i * 1000003 + {j}) % {2 + j % 7})::UTINYINT AS q{j}" for j in range(columns))
        return f"SELECT {drawn}, (hash(i * 1000003 + 991) % 10)::UTINYINT AS secret FROM {size.numbers} AS r(i)"

    return Table(name=f"wide:{columns}", select=select, quasi_identifiers=tuple(f"q{j}" for j in range(columns)), sensitive="secret")


# Values and skew of the quasi-identifiers of a raw table, and last those of its sensitive attribute; 2 % of the codes are missing.
# "3!" are three values of which the last is rare.
RAW_SHAPE = "57^2,220^3,5,50^2,3!,4^2,4^3,260^3"
_RAW_NAMES = ("county", "facility", "age_group", "zip3", "gender", "race", "ethnicity")
_RAW_MISSING, _COMMON = "zip3", 0.9999


def raw(seed: int = 0, shape: str = RAW_SHAPE) -> Table:
    """Return a table as nobody has coarsened it yet: independent columns of text, so that most records are alone.

    A shape is how many values every column has and how skewed they are, the sensitive attribute last, as in "57^2,220^3,260^3".
    """
    columns = shape.split(",")
    names = [*(_RAW_NAMES[j] if j < len(_RAW_NAMES) else f"column_{j}" for j in range(len(columns) - 1)), "diagnosis"]

    def select(size: Size) -> str:
        drawn = []
        for j, (name, column) in enumerate(zip(names, columns, strict=True)):
            draw = _uniform("i", 1000 * seed + j + 1)
            count, _, skew = column.partition("^")
            place = _among(int(count.rstrip("!")), draw, float(skew or 1))
            if count.endswith("!"):
                most = int(count.rstrip("!")) - 1
                place = f"CASE WHEN {draw} < {_COMMON} THEN {_among(most, f'({draw}) / {_COMMON}', 1)} ELSE {most} END"
            value = f"'{name} ' || {place}"
            if name == _RAW_MISSING:
                value = f"CASE WHEN {_uniform('i', 1000 * seed + 500 + j)} < 0.02 THEN NULL ELSE {value} END"
            drawn.append(f"{value} AS {name}")
        return f"SELECT {', '.join(drawn)} FROM {size.numbers} AS r(i)"

    return Table(name=f"raw:{seed}:{shape}", select=select, quasi_identifiers=tuple(names[:-1]), sensitive=names[-1])


def table_named(name: str) -> Table:
    """Return a table by its name."""
    kind, _, rest = name.partition(":")
    if kind == "wide":
        return wide(int(rest))
    if kind != "raw":
        return TABLES[name]
    seed, _, shape = rest.partition(":")
    return raw(int(seed), shape)


DISCHARGES = Table(
    name="discharges",
    select=_discharges,
    quasi_identifiers=("Hospital County", "Facility Name", "Age Group", "Zip Code - 3 digits", "Gender", "Race", "Ethnicity"),
    sensitive="CCS Diagnosis Description",
)
ADMISSIONS = replace(DISCHARGES, name="admissions", select=_admissions)
VISITS = Table(
    name="visits",
    select=_visits,
    quasi_identifiers=("sex", "age_group", "zip3", "ethnicity", "insurance", "visit_year"),
    sensitive="diagnosis",
    person="person",
)
# The same visits with all the detail a hospital has: hardly two of them look alike.
DETAILED_VISITS = replace(VISITS, quasi_identifiers=("sex", "birth_year", "zip", "ethnicity", "visit_year", "department"))
CENSUS = Table(
    name="census",
    select=_census,
    quasi_identifiers=tuple(name for name, _, _ in _CENSUS),
    sensitive="salary_class",
)
TABLES = {table.name: table for table in (DISCHARGES, ADMISSIONS, VISITS, CENSUS)}
