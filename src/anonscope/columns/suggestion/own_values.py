"""Values of which nearly every record has its own: ids, or what is merely measured finely. Whether they tell somebody is a doubt.

What is measured is skewed or round, and what was handed out one after the other, with gaps where others have theirs, lies evenly
between the first and the last. Measurements can look so too, and then nothing but a word tells them apart. One thing proves ids of any
length: amounts of people who have nothing to do with each other coincide now and then, and the fewer amounts there are the more often,
at least as often as birthdays do if all days are alike. Numbers that never coincide though they would have to were handed out.
"""

import re
from math import exp, gcd, isfinite, sqrt

from anonscope.columns.suggestion.meaning import of_values
from anonscope.columns.suggestion.profile import Profile
from anonscope.columns.suggestion.value_kinds import ColumnType
from anonscope.engines.values import number_of

_ENOUGH_RECORDS = 20
_FEWEST_IDS, _OWN_IDS = 30, 0.95
# Shorter ones are years, ages, scores and codes of places where a name says so; where none does, only the shortest.
_LONGEST_SCORE, _SHORTEST_ID = 10_000, 100
# A tenth of what is handed out ends in a zero.
_ROUND = 0.3
# Kolmogorov's distance from evenly spread that chance exceeds one time in a hundred.
_UNEVEN = 1.63
# So many digits, all numbers the same, are those of ids whatever the spread.
_DIGITS = 7
# So seldom would amounts coincide so little, of the nine in ten numbers that lie closest to the middle: the rest may be far away.
_CHANCE, _MIDDLE = 1e-3, 0.9

# Texts that nothing explains: so large a share of the records has its own.
_OWN_TEXTS = 0.8
# Values that stand for none: at most so many, each in so many records and in such a share of them.
_MOST_FILLERS = 3
_FEWEST_FILLED = 5
_FILLED = 0.01
# So many decimals have exact places: with fewer a number may be measured, with more it was calculated.
_FINE, _FINEST = 4, 8
# So large a share of texts that are an amount with its unit, of fewer digits than ids have, in a handful of units.
_AMOUNTS, _UNITS = 0.5, 8
_MEASURED = re.compile(
    r"[<>≤≥~]?[-+]?(?:\d{1,5}|\d+[.,]\d+|\d{1,3}(?:[.,' ]\d{3})+) ?"
    r"(?P<unit>(?:[^\W\d_]{1,6}|[%°$€£])(?:/[^\W_]{1,8})*[²³]?)|(?P<before>[$€£]) ?\d[\d.,' ]*"
    # Two small numbers, such as a blood pressure.
    r"|\d{1,3}(?:[.,]\d+)? ?[/x×] ?\d{1,3}(?:[.,]\d+)?"
)


# A number with one unit, sign or word before or behind it.
_WITH_UNIT = re.compile(r"([^\d.,]*)(\d[\d.,' ]*?)([^\d]*)")
# Shifted by so many places numbers are the same ones; more places are measured. What a float is off by.
_MOST_DECIMALS, _ROUNDING = 4, 1e-9


def may_be_ids(profile: Profile, column: ColumnType, *, told: bool = True) -> bool:
    """Whether the values of a column may be plain numbers of people or of records; a few that stand for none are no numbers of anybody.

    Short numbers may be what is measured: unless they prove to be handed out they are asked about only if nothing is `told` of what that
    would be. A unit, a sign or a point that all of them have makes no other numbers of them.
    """
    values, known, fillers = _fillers(profile)
    if column.kind in ("date", "nested", "empty") or known < _ENOUGH_RECORDS or values < _OWN_IDS * known or column.step:
        return False
    texts = [v.text for v in profile.telling if v.text not in fillers]
    if not column.numeric and told:
        return False  # doses rise in steps, and a postcode has its letters
    numbers = sorted(number for text in (texts if column.numeric else _bare(texts)) if (number := number_of(text)) is not None)
    # Beyond this nothing is a number, and an infinite one is none either.
    if len(numbers) < _ENOUGH_RECORDS or not all(map(isfinite, numbers)) or (decimals := _decimals(numbers)) is None:
        return False
    if handed_out([round(number * 10**decimals) for number in numbers], known, _coincidences(profile)):
        return True
    if decimals:
        return False  # what is measured finely may lie evenly
    if numbers[-1] <= 0:
        numbers = sorted(-number for number in numbers)
    if numbers[0] < 0:
        return False
    if known < _FEWEST_IDS or len(numbers) < _FEWEST_IDS or numbers[-1] < (_LONGEST_SCORE if told else _SHORTEST_ID):
        return False
    if sum(number % 10 == 0 for number in numbers) > _ROUND * len(numbers):
        return False
    digits = {len(str(int(number))) for number in numbers}
    return _evenly(numbers) or (len(digits) == 1 and min(digits) >= _DIGITS)


def _bare(texts: list[str]) -> list[str]:
    """Return what is left of texts without the unit or the sign that all of them begin or end with; nothing where some differ in it."""
    found = [match.groups() for text in texts if (match := _WITH_UNIT.fullmatch(text.strip())) is not None]
    alike = len(found) >= _OWN_IDS * len(texts) and len({(before, after) for before, _, after in found}) == 1
    return [number for _, number, _ in found] if alike else []


def _decimals(numbers: list[float]) -> int | None:
    """Return by which power of ten all numbers become whole; None if they are finer than anything that was handed out."""
    for decimals in range(_MOST_DECIMALS + 1):
        if all(abs(number * 10**decimals - round(number * 10**decimals)) <= _ROUNDING * max(1.0, abs(number)) for number in numbers):
            return decimals
    return None


def handed_out(numbers: list[int], records: int, coincidences: int) -> bool:
    """Whether so few pairs of records coincide in numbers that lie like these, in their order, that chance did not draw them.

    Of independent draws from whatever distribution over a number of places, pairs coincide at least as often as in an even one.
    """
    places = _places(numbers)
    expected = (_MIDDLE * records) ** 2 / (2 * places)
    if coincidences >= expected:
        return False
    term = total = exp(-expected)
    for pairs in range(1, coincidences + 1):
        term *= expected / pairs
        total += term
    return total < _CHANCE


def places_of(profile: Profile) -> int | None:
    """Return how many steps of a scale there are among the numbers of a column, in their middle; None if the numbers are too few.

    A scale goes by ones, tens or dozens, and not by thirteens.
    """
    numbers = sorted({int(number) for v in profile.telling if (number := number_of(v.text)) is not None and number.is_integer()})
    if len(numbers) < _ENOUGH_RECORDS:
        return None
    step = rest = gcd(*(number - numbers[0] for number in numbers))
    for factor in (2, 3, 5):
        while rest % factor == 0:
            rest //= factor
    return _places(numbers, step // rest)


def _places(numbers: list[int], step: int | None = None) -> int:
    cut = int(len(numbers) * (1 - _MIDDLE) / 2)
    middle = numbers[cut : len(numbers) - cut]
    return (middle[-1] - middle[0]) // (step or max(1, gcd(*(number - middle[0] for number in middle)))) + 1


def _coincidences(profile: Profile) -> int:
    """Return how many pairs of records share a value that does not stand for none."""
    least = max(_FEWEST_FILLED, _FILLED * profile.records)
    pairs = sum(values * size * (size - 1) // 2 for size, values in profile.sizes if size < least)
    # Missing values are among the sizes as one value.
    return pairs - (profile.missing * (profile.missing - 1) // 2 if profile.missing < least else 0)


def own_texts(profile: Profile, column: ColumnType) -> bool:
    """Whether nearly every record has a text of its own that is no amount, no date and no code of anything that is known."""
    values, known, fillers = _fillers(profile)
    if column.kind not in ("code", "category", "free text") or known < _ENOUGH_RECORDS or values < _OWN_TEXTS * known:
        return False
    texts = [v.text.strip() for v in profile.telling if v.text not in fillers]
    amounts = [found for text in texts if (found := _MEASURED.fullmatch(text)) is not None]
    if len(amounts) > _AMOUNTS * len(texts) and len({found["unit"] or found["before"] for found in amounts}) <= _UNITS:
        return False
    return of_values(profile, column) is None


def own_points(profile: Profile, column: ColumnType) -> bool:
    """Whether nearly every record has a number of its own, written as finely as places are and hardly anything that is measured."""
    values, known, fillers = _fillers(profile)
    if column.kind != "continuous" or known < _ENOUGH_RECORDS or values < _OWN_TEXTS * known:
        return False
    written = [v.text.strip().partition(".")[2] for v in profile.telling if v.text not in fillers]
    return sum(_FINE <= len(decimals) <= _FINEST and decimals.isdigit() for decimals in written) > _OWN_TEXTS * len(written)


def _fillers(profile: Profile) -> tuple[int, int, frozenset[str]]:
    """Return how many values and records there are beside missing ones and beside the few values that stand for none, and which these are.

    Where nearly everybody has a value of their own, "none", 0 and 9999 are what many share.
    """
    least = max(_FEWEST_FILLED, _FILLED * profile.records)
    sizes = [size for size, values in profile.sizes if size >= least for _ in range(min(values, _MOST_FILLERS + 1))]
    if profile.missing in sizes:
        sizes.remove(profile.missing)
    filled = sorted(sizes, reverse=True)[:_MOST_FILLERS]
    known = profile.records - profile.missing - sum(filled)
    return profile.values - len(filled), known, frozenset(v.text for v in profile.looked if v.count >= least)


def _evenly(numbers: list[float]) -> bool:
    """Whether numbers in their order lie evenly between the first and the last."""
    low, wide, n = numbers[0], numbers[-1] - numbers[0], len(numbers)
    if not wide:
        return False
    places = [(number - low) / wide for number in numbers]
    return max(max((i + 1) / n - x, x - i / n) for i, x in enumerate(places)) < _UNEVEN / sqrt(n)
