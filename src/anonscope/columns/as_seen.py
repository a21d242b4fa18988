"""Values as a reader sees them, whatever signs they are written with.

A mark without width, a letter of another alphabet or of another style changes a text for a program and for nobody who reads it. So
whatever looks at values looks at them `made_plain`, and values are alike where they are one `as_seen`. Only Latin letters are told from
their look-alikes among Cyrillic and Greek ones, and only in texts that mix these: a word of one alphabet is what it is.
"""

import codecs
import re
import unicodedata
from collections.abc import Sequence
from functools import cache

# What has no width though its category is that of letters and signs: joiners, selectors of a variant, fillers of Khmer.
_NO_WIDTH = (0x034F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0000, 0xE0080), *range(0xE0100, 0xE01F0))
# What has a width and shows nothing: the empty pattern of Braille, fillers of Hangul.
_EMPTY = "\u2800\u3164\u115f\u1160\uffa0"
# So many bytes of a value are looked at.
_CUT_BYTES = 100
_LINES = "\t\n\v\f\r"
# Left as they are where values are only looked at: a unit of areas, and the sign of a millionth.
_KEPT = "²³µ"
# Only what is seen as the same letter, one alphabet after the other: Latin, and what looks like it.
_PAIRS = (
    *zip("aeopcyxijshdqwvAEOPCYXIJSHBKMTkmt", "аеорсухіјѕһԁԛѡѵАЕОРСУХІЈЅНВКМТкмт", strict=True),
    *zip("ouvpxkntiyaABEZHIKMNOPTYX", "ουνρχκητιγαΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", strict=True),
)
_TO_LATIN = {other: latin for latin, other in _PAIRS}
_TO_CYRILLIC = {latin: other for latin, other in reversed(_PAIRS) if "\u0400" <= other <= "\u052f"}
_TO_GREEK = {latin: other for latin, other in reversed(_PAIRS) if other < "\u0400"}
_OTHERS = re.compile("[\u0370-\u03ff\u0400-\u052f]")
_ROMAN = re.compile("[A-Za-z\u00c0-\u024f]")
_WORD = re.compile(r"[^\W\d_]+")
# Some sign that may be another than it looks, for engines that know classes of signs: what has no width, shows nothing or is another
# style of a letter, and letters of two alphabets side by side.
SUSPECT = (
    r"[\p{Cf}\x{00}-\x{08}\x{0E}-\x{1F}\x{7F}-\x{9F}\x{034F}\x{115F}\x{1160}\x{17B4}\x{17B5}\x{180B}-\x{180F}\x{2100}-\x{214F}"
    r"\x{2070}-\x{209C}\x{2460}-\x{24FF}\x{2800}\x{3164}\x{FB00}-\x{FB06}\x{FE00}-\x{FE0F}\x{FF01}-\x{FFA0}\x{1D2C}-\x{1D6A}"
    r"\x{1D400}-\x{1D7FF}\x{1F100}-\x{1F1FF}\x{E0000}-\x{E01EF}\x{0300}-\x{036F}\x{A0}\x{2000}-\x{200A}\x{202F}\x{205F}\x{3000}]"
    r"|\p{Latin}.*[\p{Cyrillic}\p{Greek}]|[\p{Cyrillic}\p{Greek}].*\p{Latin}"
)


def as_seen(text: str) -> str:
    """Return what a reader tells a value by: without case, blanks and what cannot be seen, every letter in one form and style."""
    if not text.isascii():
        text = _one_alphabet(unicodedata.normalize("NFKC", "".join(letter for letter in text if _seen(letter))))
        text = unicodedata.normalize("NFKC", text.casefold())
        return "".join(letter for letter in text if _seen(letter) and not letter.isspace())
    plain = text if text.isprintable() else "".join(letter for letter in text if _seen(letter))
    return "".join(plain.split()).lower()


def made_plain(text: str) -> str:
    """Return a value in the letters that it seems to have, in its own case and with its blanks, for whoever looks what it is about."""
    if text.isascii() and text.isprintable():
        return text
    # Signs without ink part words where nothing else does.
    parting = "" if any(letter.isspace() for letter in text) else " "
    letters = (" " if letter == "\x85" else parting if letter in _EMPTY else _styleless(letter) for letter in text if _seen(letter, _EMPTY))
    return _one_alphabet("".join(c for c in unicodedata.normalize("NFC", "".join(letters)) if not "\u0300" <= c <= "\u036f"))


def decoded(values: Sequence[str | None]) -> list[str | None] | None:
    """Return hexadecimal bytes as the texts that they are; None if some are none."""
    try:
        return [None if value is None else made_plain(_text(bytes.fromhex(value))) for value in values]
    except ValueError:
        return None


def _text(value: bytes) -> str:
    # A long value was cut, perhaps within a letter.
    text = codecs.getincrementaldecoder("utf-8")().decode(value, final=len(value) < _CUT_BYTES)
    if any(unicodedata.category(letter) == "Cc" and letter not in "\0\t\n\r" for letter in text):
        raise ValueError("these are no letters")
    return text


@cache
def _seen(letter: str, also: str = "") -> bool:
    """Whether a sign shows or parts anything."""
    if letter in also or letter in _LINES or letter == "\x85":
        return True
    return letter not in _EMPTY and ord(letter) not in _NO_WIDTH and unicodedata.category(letter) not in ("Cf", "Cc")


@cache
def _styleless(letter: str) -> str:
    """Return a letter, digit or mark without its style: bold, wide, raised, in a circle."""
    if letter in _KEPT:
        return letter
    plain = unicodedata.normalize("NFKC", letter)
    if unicodedata.category(letter) in ("Zs", "Zl", "Zp"):
        return " "
    # A fraction and the sign of a temperature are no letters in another style.
    return plain if (unicodedata.category(letter)[0] in "LNP" and "\u2044" not in plain) or len(plain) == 1 else letter


def _one_alphabet(text: str) -> str:
    """Return a text in which words that mix alphabets, or seem to be of the one that others are of, are of one."""
    if not _OTHERS.search(text) or not _ROMAN.search(text):
        return text
    return _WORD.sub(lambda word: _of_one(word.group()), text)


def _of_one(word: str) -> str:
    if not _OTHERS.search(word):
        return word
    roman = "".join(_TO_LATIN.get(letter, letter) for letter in word)
    if not _ROMAN.search(word):
        # One letter alone is a sign of science.
        return word if len(word) == 1 or _OTHERS.search(roman) else roman
    if not _OTHERS.search(roman):
        return roman
    for table in (_TO_CYRILLIC, _TO_GREEK):
        other = "".join(table.get(letter, letter) for letter in word)
        if not _ROMAN.search(other):
            return other
    return roman
