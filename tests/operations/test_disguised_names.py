"""Names, addresses and ids in letters that only seem to be others: whoever reads them reads names, so whatever looks at values does."""

from random import Random

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.as_seen import as_seen, made_plain
from anonscope.errors import IdentifierGiven
from anonscope.risk.policy import from_limits

_LIMITS = from_limits({"k_anonymity": 2})
_FIRST = ("Anna", "Peter", "Maria", "Thomas", "Laura", "Martin", "Julia", "Stefan", "Sarah", "Michael", "Emma", "Paul")
_FAMILY = ("Schmidt", "Weber", "Fischer", "Wagner", "Becker", "Hoffmann", "Schneider", "Richter", "Klein", "Neumann", "Krause")
_LOOKALIKE = str.maketrans("aeopcxyisAEOPCXHKMT", "аеорсхуіѕАЕОРСХНКМТ")


def _bold(text: str) -> str:
    return "".join(chr(0x1D400 + ord(c) - 65) if c.isupper() else chr(0x1D41A + ord(c) - 97) if c.islower() else c for c in text)


_DISGUISES = {
    "zero width": lambda name: " ".join(word[:2] + "\u200b" + word[2:] for word in name.split()),
    "soft hyphen": lambda name: " ".join(word[:3] + "\u00ad" + word[3:] for word in name.split()),
    "selectors": lambda name: "\ufe0f".join(name),
    "bold": _bold,
    "wide": lambda name: "".join(chr(ord(c) + 0xFEE0) if c.isalpha() else c for c in name),
    "circles": lambda name: "".join(chr(0x24D0 + ord(c) - 97) if c.islower() else c for c in name),
    "Cyrillic": lambda name: name.translate(_LOOKALIKE),
    "struck": lambda name: "".join(c + "\u0336" if c.isalpha() else c for c in name),
    "Braille blank": lambda name: name.replace(" ", "\u2800"),
}


def _table(notes: list[str]) -> pa.Table:
    drawn = Random(4)
    return pa.table({"age": [drawn.choice([30, 40]) for _ in notes], "result": notes})


@pytest.mark.parametrize("kind", _DISGUISES)
def test_names_in_disguise_are_names(kind: str) -> None:
    """One sign that nobody sees within each word, and a column of names left as a secret with "The policy is met"."""
    drawn = Random(1)
    names = [f"{drawn.choice(_FIRST)} {drawn.choice(_FAMILY)}" for _ in range(60)]
    disguised = [_DISGUISES[kind](name) for name in names]
    with an.read(_table(disguised), quasi_identifiers=["age"], sensitive=["result"]) as data, pytest.raises(IdentifierGiven):
        an.anonymise(data, _LIMITS)


@pytest.mark.parametrize("kind", ["zero width", "bold", "Cyrillic", "wide"])
def test_a_few_names_in_disguise_among_many_texts_are_found(kind: str) -> None:
    """Beyond the sample all records of a small table are looked at, by the letters that values seem to have as well."""
    drawn = Random(1)
    texts = [drawn.choice(["no finding", "mild cough", "fever for two days", "to be seen again"]) for _ in range(6_000)]
    names = ("Anna Schmidt", "Peter Meyer", "Maria Fischer", "David Miller")
    texts[4_700:4_704] = [_DISGUISES[kind](name) for name in names]
    with an.read(_table(texts), quasi_identifiers=["age"], sensitive=["result"]) as data:
        assert [c.column for c in an.audit(data, _LIMITS).verdict.telling] == ["result"]


def test_what_is_of_one_alphabet_stays_what_it_is() -> None:
    for text in ("Müller", "Анна Иванова", "25 m²", "½", "α-Synuclein", "5 µg", "김 민수", "20 °C", "a\tb\nc"):
        assert made_plain(text) == text
    assert made_plain("Иванo\u0432") == "Иванов", "a Latin letter in a Cyrillic word"
    assert as_seen("Straße") == as_seen("STRASSE") and as_seen("flü") != as_seen("flu")
