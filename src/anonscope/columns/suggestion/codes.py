"""Codes by their shape and their check digits: diagnoses, drugs, laboratory tests, areas, countries, jobs, trades; and companies.

A shape alone proves little, so nearly all of at least eight different values must have it, and their beginnings must differ.
ICD-9 in digits has no shape of its own and is left to the name of the column.
"""

import re
from collections.abc import Callable, Sequence
from functools import cache

from anonscope.columns.suggestion.letters import reading
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.terms import is_substance, plain, read
from anonscope.columns.suggestion.value_kinds import ColumnType

_FEWEST = 8
_TRIED = 200
_NEARLY_ALL = 0.95
_ICD10 = re.compile(r"[A-TV-Z]\d[0-9A-B](\.?[0-9A-Z]{1,4})?[*+!†]?")
_ICD9 = re.compile(r"(\d{3}|V\d\d|E\d{3})(\.\d{1,2})")
_ATC = re.compile(r"[A-DGHJL-NPRSV]\d{2}[A-Z]{2}(\d{2})?")
_LOINC = re.compile(r"(\d{1,5})-(\d)")
_SNOMED = re.compile(r"[1-9]\d{5,17}")
_NUTS = re.compile(r"([A-Z]{2})[0-9A-Z]{1,3}")
_UK_POSTCODE = re.compile(r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}")
_NL_POSTCODE = re.compile(r"[1-9]\d{3} ?[A-Z]{2}")
_NACE = re.compile(r"[A-U]\d{2}(\.?\d{1,2})?")
_ISCO = re.compile(r"\d{4}")
_PARTS = re.compile(r"[\s,/()]+")
_LETTERS = re.compile(r"[^\W\d_]{4,}")
# So many of the values must name a substance; preparations have other names too.
_SUBSTANCES = 0.3
_PLACES = 0.6
_COMPANIES = 0.3
_MANY_WORDS = 20


@cache
def _countries() -> frozenset[str]:
    codes = read("codes")
    return frozenset(codes["alpha2"].split()) | frozenset(codes["alpha3"].split())


def _is_loinc(text: str) -> bool:
    found = _LOINC.fullmatch(text)
    if found is None:
        return False
    from stdnum import luhn

    return bool(luhn.is_valid(found.group(1) + found.group(2)))


def _is_snomed(text: str) -> bool:
    if _SNOMED.fullmatch(text) is None:
        return False
    from stdnum import verhoeff

    return bool(verhoeff.is_valid(text)) and text[-3:-1] in ("00", "01", "02", "10", "11", "12")


def _is_nuts(text: str) -> bool:
    found = _NUTS.fullmatch(text)
    return found is not None and found.group(1) in _countries() | {"EL", "UK"} and any(c.isdigit() for c in text)


def _is_nace(text: str) -> bool:
    return _NACE.fullmatch(text) is not None and text[:3] in _classified("nace")


def _is_isco(text: str) -> bool:
    return _ISCO.fullmatch(text) is not None and text[:3] in _classified("isco")


@cache
def _classified(name: str) -> frozenset[str]:
    return frozenset(read("codes")[name].split())


def is_company(text: str) -> bool:
    """Return whether a name is that of a company: it has a legal form or a word of business in it."""
    words = [plain(word) for word in _PARTS.split(text.replace(".", "").replace(" z oo", " zoo")) if word]
    if not words:
        return False
    forms = _classified("legal_forms")
    if any(word in _classified("business") for word in words) or words[-1] in forms:
        return True
    # What is written without blanks begins or ends with it.
    return words[0] in forms or (not text.isascii() and any(len(form) > 1 and form in text for form in forms if not form.isascii()))


def of_companies(texts: Sequence[str]) -> float:
    """Return the share of values that are names of companies."""
    return _share(texts, is_company) if texts else 0.0


# What codes are about, whether a value is one, and in how many of its first letters those of a classification differ.
_SHAPES: tuple[tuple[str, Callable[[str], bool], int], ...] = (
    ("treatment", lambda text: _ATC.fullmatch(text) is not None, 1),
    ("occupation", _is_nace, 1),
    ("diagnosis", lambda text: _ICD10.fullmatch(text) is not None, 1),
    ("diagnosis", lambda text: _ICD9.fullmatch(text) is not None and not text.replace(".", "").startswith("0"), 2),
    ("measurement", _is_loinc, 2),
    ("diagnosis", _is_snomed, 2),
    ("small_area", lambda text: _UK_POSTCODE.fullmatch(text) is not None or _NL_POSTCODE.fullmatch(text) is not None, 2),
    ("large_area", _is_nuts, 4),
    ("nationality", lambda text: text in _countries(), 2),
)


def of_codes(profile: Profile, column: ColumnType) -> str | None:
    """Return the concept whose codes or words the values are, or None."""
    if profile.values < _FEWEST or column.kind in ("continuous", "date", "free text"):
        return None
    texts = [v.text.strip() for v in profile.telling[:_TRIED]]
    if len(texts) < _FEWEST:
        return None
    if column.kind == "integer":
        if len(texts) >= _MANY_WORDS and _share(texts, _is_isco) >= _NEARLY_ALL:
            return "occupation"
        return "diagnosis" if _share(texts, _is_snomed) >= _NEARLY_ALL else None
    for concept, fits, letters in _SHAPES:
        if fits(texts[0]) + fits(texts[1]) + fits(texts[2]) > 1 and _share(texts, fits) >= _NEARLY_ALL and _varied(texts, letters):
            return concept
    return _of_letters(texts)


def _of_letters(texts: Sequence[str]) -> str | None:
    """Return what words tell that no list has: active substances by their stems, places by their letters."""
    if _share(texts, lambda text: any(is_substance(plain(word)) for word in _LETTERS.findall(text))) >= _SUBSTANCES:
        return "treatment"
    if of_companies(texts) >= _COMPANIES:
        return "institution"
    found = reading(texts)
    return "small_area" if found is not None and found.values >= _MANY_WORDS and found.place >= _PLACES else None


def _share(texts: Sequence[str], fits: Callable[[str], bool]) -> float:
    return sum(fits(text) for text in texts) / len(texts)


def _varied(texts: Sequence[str], letters: int) -> bool:
    """Whether codes begin in several ways, as those of a classification do and running numbers do not."""
    return len({text[:letters] for text in texts}) >= min(4, len(texts) // 2)
