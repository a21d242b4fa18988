"""A generated table with every class of identifiers that Safe Harbor names. Nobody in it exists."""

import random
import string
from datetime import date, timedelta
from typing import Any

ROWS = 300
FIRST = ("James", "Maria", "Hans", "Sophie", "Carlos", "Anneke", "Fatima", "Thomas", "Lucía", "Jürgen", "Camille", "Willem")
LAST = ("Miller", "Schmidt", "Dubois", "García", "de Vries", "Kowalski", "Okafor", "Lindqvist", "Tanaka", "Brown", "Moreau")
STREETS = ("Maple Street", "Oak Avenue", "Station Road", "Church Lane", "Mill Drive")
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_VALUES = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))


def table(seed: int = 1) -> dict[str, list[Any]]:
    """Return the columns, one for each class; class 2 and 3 have an address and a postal code, a birth date and an admission date."""
    drawn = random.Random(seed)
    rows = range(ROWS)
    names = [f"{drawn.choice(FIRST)} {drawn.choice(LAST)}" for _ in rows]
    return {
        "patient_name": names,
        "home_address": [f"{drawn.randint(1, 999)} {drawn.choice(STREETS)}" for _ in rows],
        "zip_code": [f"{drawn.randint(10000, 99999)}" for _ in rows],
        "date_of_birth": [day(drawn, 1930, 2005) for _ in rows],
        "admission_date": [day(drawn, 2019, 2023) for _ in rows],
        "phone": [f"+1 202 555 {drawn.randint(0, 9999):04}" for _ in rows],
        "fax": [f"(202) 555-{drawn.randint(0, 9999):04}" for _ in rows],
        "email": [f"{name.split()[0].lower()}{i}@example.org" for i, name in enumerate(names)],
        "ssn": [f"{drawn.randint(100, 665)}-{drawn.randint(10, 99)}-{drawn.randint(1000, 9999)}" for _ in rows],
        "medical_record_number": [f"MR{drawn.randint(10**6, 10**7 - 1)}" for _ in rows],
        "health_plan_number": [f"H{drawn.randint(10**8, 10**9 - 1)}" for _ in rows],
        "account_number": [iban(drawn) for _ in rows],
        "license_number": [f"{drawn.choice(string.ascii_uppercase)}{drawn.randint(10**7, 10**8 - 1)}" for _ in rows],
        "vehicle_id": [vin(drawn) for _ in rows],
        "device_serial": [f"PM-{drawn.randint(10**7, 10**8 - 1)}" for _ in rows],
        "website": [f"https://people.example.org/~{i}" for i in rows],
        "ip_address": [f"198.51.{drawn.randint(0, 255)}.{drawn.randint(1, 254)}" for _ in rows],
        "fingerprint": [f"prints/{i:05}.wsq" for i in rows],
        "photo": [f"photos/{i:05}.jpg" for i in rows],
        "study_code": [f"{drawn.getrandbits(128):032x}" for _ in rows],
        "sex": [drawn.choice("MF") for _ in rows],
        "diagnosis": [drawn.choice(("asthma", "diabetes", "gout")) for _ in rows],
        "charge": [drawn.randint(10**8, 10**9 - 1) for _ in rows],
    }


# Which class of Safe Harbor every column of the table belongs to; None: none.
CLASSES = {
    "patient_name": 1,
    "home_address": 2,
    "zip_code": 2,
    "date_of_birth": 3,
    "admission_date": 3,
    "phone": 4,
    "fax": 5,
    "email": 6,
    "ssn": 7,
    "medical_record_number": 8,
    "health_plan_number": 9,
    "account_number": 10,
    "license_number": 11,
    "vehicle_id": 12,
    "device_serial": 13,
    "website": 14,
    "ip_address": 15,
    "fingerprint": 16,
    "photo": 17,
    "study_code": 18,
    "sex": None,
    "diagnosis": None,
    "charge": None,
}
# These narrow down who somebody is and do not say it outright.
QUASI_IDENTIFIERS = ("zip_code", "date_of_birth", "admission_date", "sex")


def day(drawn: random.Random, first: int, last: int) -> str:
    """Return a day between two years."""
    return str(date(first, 1, 1) + timedelta(days=drawn.randrange(365 * (last - first))))


def iban(drawn: random.Random) -> str:
    """Return a German IBAN with right check digits."""
    body = f"{drawn.randrange(10**18):018}"
    check = 98 - int(body + "131400") % 97
    return f"DE{check:02}{body}"


def vin(drawn: random.Random) -> str:
    """Return a vehicle identification number with a right check digit."""
    letters = [drawn.choice("ABCDEFGHJKLMNPRSTUVWXYZ0123456789") for _ in range(17)]
    letters[0] = "W"
    total = sum(w * int(_VIN_VALUES.get(c, c)) for i, (w, c) in enumerate(zip(_VIN_WEIGHTS, letters, strict=True)) if i != 8)
    letters[8] = "X" if total % 11 == 10 else str(total % 11)
    return "".join(letters)
