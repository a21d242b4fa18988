"""Direct identifiers by their values alone, whatever a column is called and whatever role somebody gave it.

What a column is called may add suspicion, and never takes away what its values show: names of people in a column `result` are names of
people. So what counts here must not be met by what people merely have: jobs, places, illnesses, drugs, employers. The thresholds are
those of docs/columns/roles.md, measured on public tables: the most name-like columns there that name nobody are months (0.54 of 1, 12
words) and towns of Massachusetts (0.45, 80 words). Full names read as names by 0.66 to 0.87, the names
of counties and firms that are called after people by 0.6 to 0.71, which single words must therefore exceed.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from anonscope.columns.suggestion.codes import of_codes, of_companies
from anonscope.columns.suggestion.formats import (
    FORMATS,
    ValueFormat,
    is_iban,
    is_phone,
    is_social_security_number,
    names_first,
    phones_within,
)
from anonscope.columns.suggestion.letters import WORD, reading
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.terms import plain
from anonscope.columns.suggestion.value_kinds import ColumnType

# So many distinct values of a column are tried, and so many characters of what they hold.
_TRIED = 200
# Full names: of so many words each, nearly all values; fewer different words than these are judged by listed first names instead.
_FULL, _FEWEST_WORDS, _MANY_WORDS = 0.6, 12, 20
_LIKE_NAMES = 0.65
# Single words: given names, family names, logins. Places and firms are called after people, so these must be plainer.
_LIKE_SINGLE_NAMES = 0.76
_FIRST_NAMES, _FEWEST_NAMES = 0.8, 3
_COMPANIES = 0.2
# Names within texts: in so large a share of the values, and at least so many different ones.
_WITHIN, _FEWEST_WITHIN = 0.2, 3
# A few names among other texts: what stands beside listed first names reads as names, all together. Streets, places and illnesses that
# are called after people read so by at most 0.52, those of public tables by 0.46; of ten full names 94 (German) to 99 (English) in 100
# draws are seen.
_LIKE_FAMILY_NAMES = 0.55
# Codes of which nearly every record has one of its own.
_LONG_NUMBER = 100_000
_OWN, _ENOUGH_RECORDS, _SHORTEST_CODE, _LONGEST_AREA = 0.97, 20, 4, 5
_MOST_MISSING = 0.5

_EMAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b")
_SOCIAL = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
_PHONE = re.compile(r"(?<![\w+])\+\d[\d ()./-]{7,18}\d(?!\w)")
_SEPARATED = re.compile(r"[,;|/{}\[\]()<>\"\n\t:]+")
_RUN = re.compile(
    r"[A-ZÀ-ÖØ-ÞŐŰŁŚŻŹČŠŽ][^\W\d_]+(?:[ .'-]+(?:(?:von|van|de|da|der|den|del|di|la|le|bin|al|el) )*[A-ZÀ-ÖØ-ÞŐŰŁŚŻŹČŠŽ][^\W\d_]+)+"
)
_AMOUNT = re.compile(r"[\d.,]+ ?[^\W\d_]{1,5}|[^\W\d_]{1,3} ?[\d.,]+%?")
# Places, schools and hospitals are called after saints.
_SAINT = re.compile(r"(san|santa|santo|sao|são|saint|sainte|st|ste|sankt|sint)\b", re.IGNORECASE)
# A letter and digits, or many digits: what numbers people rather than measures them.
_CODED = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w./-]+|\d{6,}")
# A. Schmidt, J.-P. Martin, A. Schmidt B.
_INITIALED = re.compile(r"(?:[^\W\d_]\.[ -]?){1,3}[^\W\d_][^\W\d_'’-]+(?: [^\W\d_]\.)?")
_GLUED = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-ZÀ-ÖØ-Þ])")
# 756.1234.5678.90: digits in groups, more than a date has or a number needs.
_MARKED = re.compile(r"\d+(?:[./ -]\d+){3,}|\d{3,}(?:[./ -]\d{3,}){2,}")
_BETWEEN = re.compile(r"(\d{1,15}) ?[-–] ?(\d{1,15})")
_LETTERED = 0.9
_PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"II*\x00", b"MM\x00*")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
_MOST_WORDS = 6
_DEPTH = 12


@dataclass(frozen=True, slots=True)
class IdentifierForm:
    """A form of direct identifiers that values have: the concept, and what they are, in words without any of them."""

    concept: str
    title: str


_BYTES = IdentifierForm("other_unique", "bytes, which cannot be looked into")


def form_of_values(profile: Profile, column: ColumnType) -> IdentifierForm | None:
    """Return which form of a direct identifier the values of a column have, also within texts, lists and JSON; None if none."""
    values = profile.telling[:_TRIED]
    if not values or column.kind in ("date", "continuous", "empty", "nested"):
        return None
    texts = [v.text.strip() for v in values]
    if profile.kind == "BLOB":
        found = form_of_bytes(texts)
        # Bytes that many share are a group, whatever they say; nobody knows what those of one person are.
        return None if found is _BYTES and 2 * profile.values <= profile.records - profile.missing else found
    if held := [text for text in texts if text[:1] in "{["]:
        nested = [leaf for text in held for leaf in leaves(text)]
        if nested and (found := form_of_leaves(nested)) is not None:
            return IdentifierForm(found.concept, f"{found.title} within its values")
    return _whole(texts) or form_within(texts) or _names(texts) or _own_code(profile, column, texts)


def form_of_bytes(digits: Sequence[str]) -> IdentifierForm | None:
    """Return which form bytes have that are given in hexadecimal digits; those that are no text may be anything."""
    try:
        values = [bytes.fromhex(text[: len(text) // 2 * 2]) for text in digits]
    except ValueError:
        return _BYTES
    if any(value.startswith(_PICTURES) for value in values):
        return IdentifierForm("photo", "pictures")
    texts = [value.decode("utf-8", errors="replace") for value in values]
    readable = sum("\ufffd" not in text[:-1] and not _CONTROL.search(text) for text in texts)
    return form_of_texts(texts) if readable >= _LETTERED * len(texts) else _BYTES


def form_of_texts(texts: Sequence[str]) -> IdentifierForm | None:
    """Return which form of a direct identifier texts have that are no column of their own, such as what nested values hold."""
    told = sorted({text.strip() for text in texts if text.strip()})[:_TRIED]
    return (_whole(told) or form_within(told) or _names(told)) if told else None


def tells_of_somebody(text: str) -> bool:
    """Return whether one text alone is a direct identifier, or holds one: what is told of a label, which no other has to bear out."""
    told = text.strip()
    # From one number to another: check digits are right by chance one time in ten.
    between = _BETWEEN.fullmatch(told)
    ranged = between is not None and int(between[1]) <= int(between[2])
    forms = [form for form in FORMATS if not form.weak and form.concept not in ("names", "telephone") and not (ranged and form.share > 0.9)]
    if any(form.fits(told) for form in forms):
        return True
    # Ranges of amounts have the digits and dashes of telephone numbers, but hardly their zero or plus.
    if (told[:1] in ("0", "(", "+") and is_phone(told)) or any(map(is_phone, _PHONE.findall(told))):
        return True
    if form_within([told]) is not None or any(map(is_social_security_number, _SOCIAL.findall(told))):
        return True
    return any(True for _ in _runs(told)) or (_INITIALED.fullmatch(told) is not None and told[:1].isupper())


def form_of_leaves(texts: Sequence[str]) -> IdentifierForm | None:
    """Return the form of what nested values hold: that of texts, or codes and long numbers of which hardly any comes twice."""
    if (found := form_of_texts(texts)) is not None:
        return found
    codes = [text for text in texts if len(text) >= _SHORTEST_CODE and _CODED.fullmatch(text)]
    if len(codes) >= _ENOUGH_RECORDS and len(set(codes)) >= _OWN * len(codes):
        return IdentifierForm("other_unique", "codes that hardly two records share")
    return None


def leaves(text: str) -> Iterator[str]:
    """Yield the texts that a value written as JSON, or as an engine writes nested values, holds; keys are no values."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        # Cut off, or another notation: what stands between its marks.
        yield from (part.strip(" '=") for part in _SEPARATED.split(text) if part.strip(" '="))
        return
    yield from _leaves(found, 0)


def _leaves(value: Any, depth: int) -> Iterator[str]:
    if depth > _DEPTH or value is None or isinstance(value, bool):
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            # The keys of a map may be people.
            yield str(key)
            yield from _leaves(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner, depth + 1)
    else:
        yield str(value)


def _whole(texts: Sequence[str]) -> IdentifierForm | None:
    """Return the form that whole values have, but for what chance produces and for names, which are judged together."""
    for form in FORMATS:
        if form.weak or form.concept == "names" or _too_few(form, texts):
            continue
        if not any(form.fits(text) for text in texts[:5]) and len(texts) > 10:
            continue
        if sum(form.fits(text) for text in texts) >= form.share * len(texts):
            return IdentifierForm(form.concept, form.title)
    return None


def _too_few(form: ValueFormat, texts: Sequence[str]) -> bool:
    """Whether so few values may have the form by chance: check digits are right one time in ten, and one street is a place."""
    return len(texts) < (10 if form.share > 0.9 else _FEWEST_NAMES)


def names_among(texts: Sequence[str]) -> IdentifierForm | None:
    """Return that some texts that stand among codes and numbers are names of people: a first and a family name."""
    return IdentifierForm("names", "names of people") if any(_named_first(WORD.findall(text)) for text in texts) else None


def names_beside(texts: Sequence[str]) -> IdentifierForm | None:
    """Return that a few texts among others are names of people, or hold some: first names, each with a word that reads as a name."""
    found = {pair for text in texts for pair in _called(text)}
    families = {family for _, family in found if len(family) > 1}
    if min(len(families), len({first for first, _ in found})) < _FEWEST_WITHIN or of_companies([" ".join(p) for p in found]) >= _COMPANIES:
        return None
    read = reading(families)
    return IdentifierForm("names", "names of people, or hold some") if read is not None and read.name >= _LIKE_FAMILY_NAMES else None


def _called(text: str) -> Iterator[tuple[str, str]]:
    """Yield first and family names: those that are all of a text, in letters of any case, and those within it that begin with capitals."""
    words = WORD.findall(text)
    if 2 <= len(words) <= 3 and not _SAINT.match(text) and not any(c.isdigit() for c in text):
        if names_first(words[0]):
            yield plain(words[0]), plain(words[-1])
        elif "," in text and names_first(words[-1]):
            yield plain(words[-1]), plain(words[0])
    for run in _runs(text):
        first, _, family = plain(run).partition(" ")
        yield first, family


def form_within(texts: Sequence[str]) -> IdentifierForm | None:
    """Return the identifiers that stand somewhere within values. One address that reaches somebody is enough; numbers must be two."""
    if any(_EMAIL.search(text) for text in texts):
        return IdentifierForm("email", "e-mail addresses, or hold some")
    if any(is_iban(found.replace(" ", "")) for text in texts for found in _IBAN.findall(text)):
        return IdentifierForm("account", "IBANs, or hold some")
    if sum(any(map(is_social_security_number, _SOCIAL.findall(text))) for text in texts) > 1:
        return IdentifierForm("social_security", "social security numbers, or hold some")
    if sum(any(map(is_phone, _PHONE.findall(text))) or phones_within(text) for text in texts) > 1:
        return IdentifierForm("telephone", "telephone numbers, or hold some")
    return None


def _names(texts: Sequence[str]) -> IdentifierForm | None:
    """Return that values are names of people, or hold some: by the letters of all their words together, or by listed first names."""
    told = IdentifierForm("names", "names of people")
    parts = [_GLUED.sub(" ", part) for text in texts for part in _parts(text)]
    initialed = {part for part in parts if _INITIALED.fullmatch(part) and part[:1].isupper()}
    if len(initialed) >= _FEWEST_NAMES and len(initialed) >= _FIRST_NAMES * len(set(parts)):
        return told
    lettered = [part for part in parts if any(c.isalpha() for c in part) and not _SAINT.match(part)]
    if len(lettered) >= _LETTERED * len(parts) and lettered and of_companies(lettered) < _COMPANIES:
        words = [[w for w in WORD.findall(part) if len(w) > 1] for part in lettered]
        full = sum(len(w) > 1 for w in words) >= _FULL * len(words)
        found = reading(lettered)
        fewest, least = (_FEWEST_WORDS, _LIKE_NAMES) if full else (_MANY_WORDS, _LIKE_SINGLE_NAMES)
        if found is not None and found.values >= fewest and found.name >= least:
            return told
        if len(set(lettered)) >= _FEWEST_NAMES and full and sum(map(_named_first, words)) >= _FIRST_NAMES * len(words):
            return told
    within = {run for text in texts for run in _runs(text)}
    holding = sum(any(True for _ in _runs(text)) for text in texts)
    if len(within) >= _FEWEST_WITHIN and holding >= max(_FEWEST_WITHIN, _WITHIN * len(texts)) and of_companies(sorted(within)) < _COMPANIES:
        return IdentifierForm("names", "names of people, or hold some")
    return names_beside(texts)


def _parts(text: str) -> list[str]:
    """Return a value as it is if it is short enough for a name, else what its marks separate."""
    if len(WORD.findall(text)) <= _MOST_WORDS:
        return [text]
    return [part.strip() for part in _SEPARATED.split(text) if part.strip()]


def _named_first(words: Sequence[str]) -> bool:
    """Whether two to four words are a name: the first is a common first name, or the last where the family name comes first."""
    return 2 <= len(words) <= 4 and (names_first(words[0]) or names_first(words[-1]))


def _runs(text: str) -> Iterator[str]:
    """Yield what stands within a text as a first name with a family name: capital letters, the first a common first name."""
    for run in _RUN.findall(text):
        words = WORD.findall(run)
        for first, then in pairwise(words):
            if names_first(first) and then[:1].isupper() and not then.isupper():
                yield f"{first} {then}"


def _own_code(profile: Profile, column: ColumnType, texts: Sequence[str]) -> IdentifierForm | None:
    """Return that nearly every record has a code or a number of its own that measures nothing."""
    known = profile.records - profile.missing
    if known < _ENOUGH_RECORDS or profile.values < _OWN * known or profile.missing_share > _MOST_MISSING:
        return None
    if column.kind == "integer":
        return _own_number(profile, column)
    if column.kind != "code" or of_codes(profile, column) is not None:
        return None
    short = all(len(text) < _SHORTEST_CODE or (text.isdigit() and len(text) <= _LONGEST_AREA) for text in texts)
    letters = sum(any(c.isalpha() for c in text) for text in texts) >= _FIRST_NAMES * len(texts)
    zeros = all(text.isdigit() or _MARKED.fullmatch(text) for text in texts)
    measured = sum(_AMOUNT.fullmatch(text) is not None and text[0].isdigit() for text in texts) > len(texts) / 2
    if short or measured or not (letters or zeros):
        return None
    return IdentifierForm("other_unique", "codes that no two records share")


def _own_number(profile: Profile, column: ColumnType) -> IdentifierForm | None:
    """Return that long whole numbers count the records: none shared, hardly any left out. Short ones may be ages or years."""
    known = profile.records - profile.missing
    if column.kind != "integer" or column.low is None or column.high is None or column.low < _LONG_NUMBER:
        return None
    if known < 2 * _ENOUGH_RECORDS or not profile.unique or column.high - column.low >= 1.1 * known:
        return None
    return IdentifierForm("other_unique", "numbers that count the records")
