"""Identifiers that are recognised by their form: each takes one value and says whether it has it.

Formats with rules and check digits are python-stdnum's and phonenumbers'. A form that random numbers often have by chance is
`weak`: it counts only where the name of the column says the same.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from anonscope.columns.suggestion.terms import plain, read

_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[A-Za-z]{2,}")
_URL = re.compile(r"(https?://|ftp://|www\.)\S+", re.IGNORECASE)
_IP = re.compile(r"[0-9a-fA-F.:]{7,45}")
_PHONE = re.compile(r"(\+|00)[\d\s().\-/]{7,20}|\(?\d{3}\)?[\s.\-]\d{3}[\s.\-]\d{4}|0\d{1,4}[\s/\-]\d[\d\s\-]{4,10}")
# Within a text: (030) 1234567, 0171/1234567, 06 12 34 56 78, 617-555-0123; and what stands behind a word for telephones.
_NATIONAL = re.compile(
    r"(?<![\w.,+/-])(?:\(0[1-9]\d{0,3}\) ?|0[1-9]\d{0,3}[ /-])\d[\d -]{4,11}\d(?![\w:-])"
    r"|(?<![\w-])\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}(?![\w-])"
)
_CALLED = re.compile(
    r"\b(?:tel|telephone|telefono|telefon|phone|call|mobile|mobil|mob|cell|handy|fax|whatsapp|sms|rufnummer)\b"
    r"[^\d\n+(]{0,12}(\+?\(?\d[\d ()./-]{5,18}\d)(?![\w:-])",
    re.IGNORECASE,
)
_NORTH_AMERICAN = re.compile(r"\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}")
# Days, and numbers of drugs, have the digits and dashes of telephone numbers.
_NO_PHONE = re.compile(r"\(?(\d{1,2}[-/. ]\d{1,2}[-/. ](19|20)\d\d|(19|20)\d\d[-/. ]?\d\d[-/. ]?\d\d)\b|\d{4,5}-\d{3,4}-\d{1,2}$")
_FEWEST_NATIONAL, _FEWEST_CALLED = 9, 7
_SSN = re.compile(r"\d{3}-\d{2}-\d{4}")
_MAC = re.compile(r"([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}")
_UUID = re.compile(r"\{?[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\}?|[0-9A-Fa-f]{32}|[0-9A-Fa-f]{40}|[0-9A-Fa-f]{64}")
_VIN = re.compile(r"[A-HJ-NPR-Z0-9]{17}")
_PICTURE = re.compile(r"\S+\.(jpe?g|png|gif|bmp|tiff?|heic|webp|dcm)|data:image/\S*|/9j/\S+|iVBOR\S+", re.IGNORECASE)
_SOUND = re.compile(r"\S+\.(wav|mp3|flac|ogg|m4a|wsq|fpt)", re.IGNORECASE)
_STREET = re.compile(
    r"\d+\w? .*\b(street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|way|place|square|terrace|close)\b.*"
    r"|\d+\w?,? .*\b(rue|chemin|impasse|quai|allee|avenue|place)\b.*"
    r"|.*(strasse|straat|laan|gasse|weg|platz|plein|gracht|allee|str\.?|kade|ring|damm)\.? \d+ ?\w?\b.*"
    r"|(calle|c/|avenida|av\.?|plaza|paseo|camino|rue|avenue|boulevard|place|via|piazza) .*\d+.*",
)
_PLATE = re.compile(
    r"[A-Z]{1,3}[- ][A-Z]{1,2}[- ]?\d{1,4}|[A-Z]{2}-\d{3}-[A-Z]{2}|[A-Z]{2}\d{2} ?[A-Z]{3}|\d{4} [A-Z]{3}|[A-Z]{1,3}-\d{2,4}-[A-Z]{1,2}"
)
# Weights and letter values of the check digit of a vehicle identification number, ISO 3779 as used in North America.
_VIN_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
_VIN_LETTERS = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", (1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 7, 9, 2, 3, 4, 5, 6, 7, 8, 9), strict=True))
# Personal numbers with a check digit, by country; a random number passes at most one time in ten.
_PERSONAL = {
    "ar": ("cuit",),
    "at": ("vnr",),
    "be": ("nn",),
    "br": ("cpf",),
    "ca": ("sin",),
    "ch": ("ssn",),
    "cl": ("rut",),
    "cn": ("ric",),
    "cz": ("rc",),
    "de": ("idnr",),
    "dk": ("cpr",),
    "ec": ("ci",),
    "ee": ("ik",),
    "es": ("dni", "nie"),
    "fi": ("hetu",),
    "fr": ("nir",),
    "gb": ("nhs",),
    "hr": ("oib",),
    "ie": ("pps",),
    "in_": ("aadhaar",),
    "it": ("codicefiscale",),
    "mx": ("curp",),
    "nl": ("bsn",),
    "no": ("fodselsnummer",),
    "pl": ("pesel",),
    "pt": ("cc",),
    "ro": ("cnp",),
    "lt": ("asmens",),
    "bg": ("egn",),
    "il": ("idnr",),
    "se": ("personnummer",),
    "tr": ("tckimlik",),
    "za": ("idnr",),
}
# Both exact to a hundred metres or better, with or without signs for degrees and directions.
_DEGREES = r"[-+]?(\d{1,3}\.\d{3,})\s?°?\s?[NSEWO]?"
_PAIR = re.compile(rf"(?:POINT\s?)?\(?\s*{_DEGREES}\s*[,; ]\s*{_DEGREES}\s*\)?", re.IGNORECASE)
_DIGITS = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class ValueFormat:
    """A form of values: which identifier it stands for, and whether chance produces it."""

    concept: str
    title: str
    fits: Callable[[str], bool]
    weak: bool = False
    # The share of distinct values that must have the form.
    share: float = 0.8
    # Whether the name of a column may say that values of this form are something else.
    explained: bool = False


def is_ip(text: str) -> bool:
    """Return whether this is an IP address; version numbers have fewer parts."""
    if not _IP.fullmatch(text) or (text.count(".") != 3 and ":" not in text):
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_phone(text: str) -> bool:
    """Return whether this reads as a telephone number: international, or with the separators of one."""
    if not _PHONE.fullmatch(text):
        return False
    import phonenumbers

    for region in (None,) if text.startswith("+") else ("US", "DE", "FR", "ES", "NL", "GB"):
        try:
            if phonenumbers.is_possible_number(phonenumbers.parse(text, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


def phones_within(text: str) -> bool:
    """Return whether a text holds a telephone number as people of one country write it, or digits behind a word for telephones."""
    if any(_NO_PHONE.match(found) is None and _digits(found) >= _FEWEST_CALLED for found in _CALLED.findall(text)):
        return True
    return any(_is_national(found.group()) for found in _NATIONAL.finditer(text))


def _digits(text: str) -> int:
    return sum(c.isdigit() for c in text)


def _is_national(text: str) -> bool:
    if _NO_PHONE.match(text) or _digits(text) < _FEWEST_NATIONAL:
        return False
    import phonenumbers

    american = _NORTH_AMERICAN.fullmatch(text) is not None
    for region in ("US",) if american else ("DE", "FR", "GB", "NL", "CH", "AT", "BE", "IT"):
        try:
            number = phonenumbers.parse(text, region)
        except phonenumbers.NumberParseException:
            continue
        # The form of North America says enough; other digits must be those of an area or a network.
        if phonenumbers.is_possible_number(number) if american else phonenumbers.is_valid_number(number):
            return True
    return False


def is_vehicle(text: str) -> bool:
    """Return whether this is a vehicle identification number with a right check digit."""
    if not _VIN.fullmatch(text) or text.isdigit():
        return False
    total = sum(weight * int(_VIN_LETTERS.get(c, c)) for weight, c in zip(_VIN_WEIGHTS, text, strict=True))
    return text[8] == ("X" if total % 11 == 10 else str(total % 11))


def is_card(text: str) -> bool:
    """Return whether this is the number of a payment card: 15 or 16 digits of a known issuer with a right check digit."""
    digits = re.sub(r"[ -]", "", text)
    return digits.isdigit() and re.fullmatch(r"(4\d|5[1-5]|2[2-7])\d{14}|3[47]\d{13}", digits) is not None and _valid("luhn", digits)


def is_name(text: str) -> bool:
    """Return whether this reads as a person's name: few words, one of them a common first name."""
    words = re.findall(r"[^\W\d_]+", text)
    return 1 <= len(words) <= 5 and not re.match(r"\d", text) and any(plain(word) in first_names() for word in words)


def names_first(word: str) -> bool:
    """Return whether a word is a common first name."""
    return plain(word) in first_names()


def is_iban(text: str) -> bool:
    """Return whether this is the number of a bank account with a right check digit."""
    return len(text) >= 15 and text[:2].isalpha() and _valid("iban", text)


def is_social_security_number(text: str) -> bool:
    """Return whether this is a social security number of the United States, written with its dashes."""
    return _SSN.fullmatch(text) is not None and _valid("us.ssn", text)


@cache
def first_names() -> frozenset[str]:
    """Return the common first names, in small letters without accents."""
    return frozenset(read("first_names")["names"])


def is_place_on_earth(text: str) -> bool:
    """Return whether this is a latitude with a longitude, in whatever order, exact to a hundred metres or better."""
    found = _PAIR.fullmatch(text)
    if found is None:
        return False
    one, other = float(found.group(1)), float(found.group(2))
    return min(one, other) <= 90 and max(one, other) <= 180


def is_address(text: str) -> bool:
    """Return whether this reads as a street with a house number."""
    return _STREET.fullmatch(plain(text)) is not None


def _checked(country: str, module: str) -> Callable[[str], bool]:
    """Return the check of one personal number; short numbers pass it by chance and are no personal numbers."""
    return lambda text: 8 <= len(_DIGITS.findall(text)) <= 18 and _valid(f"{country}.{module}", text)


def _valid(module: str, text: str) -> bool:
    return bool(import_module(f"stdnum.{module}").is_valid(text))


FORMATS: tuple[ValueFormat, ...] = (
    ValueFormat("email", "e-mail addresses", lambda text: _EMAIL.fullmatch(text) is not None),
    ValueFormat("url", "web addresses", lambda text: _URL.fullmatch(text) is not None and _PICTURE.fullmatch(text) is None),
    ValueFormat("ip", "IP addresses", is_ip),
    ValueFormat("photo", "pictures", lambda text: _PICTURE.fullmatch(text) is not None),
    ValueFormat("biometric", "recordings or prints", lambda text: _SOUND.fullmatch(text) is not None),
    ValueFormat("device", "MAC addresses", lambda text: _MAC.fullmatch(text) is not None),
    ValueFormat("vehicle", "vehicle identification numbers", is_vehicle),
    ValueFormat("social_security", "social security numbers", is_social_security_number),
    ValueFormat("account", "IBANs", is_iban),
    ValueFormat("account", "payment card numbers", is_card, share=0.95),
    ValueFormat("device", "IMEIs", lambda text: re.fullmatch(r"\d{15}", text) is not None and _valid("imei", text), share=0.95),
    # Each country on its own: that one number in two fits some country is chance, that all fit one country is not.
    *(
        ValueFormat("social_security", f"{country}.{module} numbers with a right check digit", _checked(country, module), share=0.95)
        for country, modules in _PERSONAL.items()
        for module in modules
    ),
    ValueFormat("addresses", "pairs of latitude and longitude", is_place_on_earth),
    ValueFormat("telephone", "telephone numbers", is_phone),
    ValueFormat("addresses", "street addresses", is_address, share=0.7, explained=True),
    ValueFormat("names", "names of people", is_name, share=0.5, explained=True),
    ValueFormat("other_unique", "universally unique ids", lambda text: _UUID.fullmatch(text) is not None),
    ValueFormat("social_security", "nine digits", lambda text: re.fullmatch(r"\d{9}", text) is not None, weak=True),
    ValueFormat("vehicle", "licence plates", lambda text: _PLATE.fullmatch(text) is not None, weak=True),
)
