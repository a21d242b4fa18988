"""Agreement with the reference where the packed key is large: many values, many columns, several words.

1,023 distinct values and NULL take ten bits of a key, so six such columns and one of six values fill 62.8 bits of a
word that holds 63, and one value more opens a second word.
"""

from dataclasses import replace
from random import Random

import pytest

from anonscope.risk.counting.encode import WORD, pack
from reference.metrics import reference
from support.strategies import Table, audited, numbers

TEN_BITS = 1023
SIX = tuple(f"wide{i}" for i in range(6))


def wide(rows: int, values: int, random: Random) -> tuple[str | None, ...]:
    """Return a column in which each of many values occurs, the rest are ties, and a few are missing."""
    drawn = [f"v{i}" for i in range(values)] + [f"v{random.randrange(40)}" if random.random() < 0.9 else None for _ in range(rows - values)]
    random.shuffle(drawn)
    return tuple(drawn)


def narrow(rows: int, values: int, random: Random) -> tuple[str, ...]:
    """Return a column of few values, each of which occurs."""
    drawn = [f"n{i}" for i in range(values)] + [f"n{random.randrange(values)}" for _ in range(rows - values)]
    random.shuffle(drawn)
    return tuple(drawn)


def table_of(last: int, *, more: int = 0, event_level: bool = False, rows: int = 1400, costs: int = 60) -> Table:
    """Return a table whose key is six wide columns, then one of `last` values, then `more` wide ones and one of three.

    Every record is there once or twice, so that classes are not all of one.
    """
    random = Random(7)
    wide_columns = [(name, wide(rows, TEN_BITS, random)) for name in (*SIX, *(f"more{i}" for i in range(more)))]
    columns = [
        *wide_columns[:6],
        ("narrow", narrow(rows, last, random)),
        *wide_columns[6:],
        ("tail", narrow(rows, 3, random)),
        ("cost", tuple(random.choice([None, *range(costs)]) for _ in range(rows))),
        ("ill", narrow(rows, 4, random)),
        ("who", tuple(random.choice([None, *(f"p{i}" for i in range(300))]) for _ in range(rows))),
    ]
    names = tuple(name for name, _ in columns[:-3])
    once_or_twice = [*range(rows), *random.sample(range(rows), rows // 3)]
    return Table(tuple(columns), names, ("ill", "cost"), "who" if event_level else None).picked(once_or_twice)


def without(table: Table, *names: str) -> Table:
    """Return the table without some quasi-identifiers."""
    return replace(table, quasi_identifiers=tuple(name for name in table.quasi_identifiers if name not in names))


def agrees(table: Table, *, words: int) -> None:
    """Compare every number of an audit with the reference, having made sure that the key is as large as meant."""
    distinct = [len(set(table[name]) - {None}) for name in dict.fromkeys(name for _, listed in table.attackers for name in listed)]
    assert 1 + pack(distinct)[-1].word == words

    found, expected = numbers(audited(table)), reference(table)
    assert set(found) == set(expected)
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, rel=1e-9, abs=1e-9), key


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([TEN_BITS] * 6 + [6], [0] * 7),
        ([TEN_BITS] * 6 + [7], [0] * 6 + [1]),
        ([TEN_BITS] * 6 + [6, 3], [0] * 7 + [1]),
        ([TEN_BITS] * 13, [0] * 6 + [1] * 6 + [2]),
        ([0], [0]),
        ([0] * 100, [0] * 100),
        ([WORD - 1, 0, 1], [0, 0, 1]),
    ],
    ids=["62.8 bits", "63 bits", "one more column", "three words", "all missing", "a hundred empty columns", "a full word"],
)
def test_a_word_holds_as_many_attributes_as_fit_into_63_bits(counts: list[int], words: list[int]) -> None:
    """A packed key never exceeds the largest BIGINT, and a new word is opened only when it would."""
    radices = pack(counts)

    assert [radix.word for radix in radices] == words
    assert all(radix.hi == radix.lo * (count + 1) <= WORD for radix, count in zip(radices, counts, strict=True))


@pytest.mark.parametrize("event_level", [False, True], ids=["person level", "event level"])
def test_a_thousand_values_with_many_ties(event_level: bool) -> None:
    """One quasi-identifier and one numeric sensitive attribute, each with about a thousand values."""
    table = table_of(6, event_level=event_level, rows=2000, costs=1000)

    agrees(replace(table, quasi_identifiers=("wide0",), scenarios=(("with a narrow one", ("wide1", "tail")),)), words=1)


@pytest.mark.parametrize("event_level", [False, True], ids=["person level", "event level"])
def test_a_key_that_just_fits(event_level: bool) -> None:
    """62.8 bits in one word, and attackers who know parts of it: high places, low places, both."""
    scenarios = (("lowest", ("wide0",)), ("highest", ("narrow",)), ("both ends", ("narrow", "wide0")), ("middle", ("wide3", "wide2")))
    table = without(table_of(6, event_level=event_level), "tail")

    agrees(replace(table, scenarios=scenarios), words=1)


@pytest.mark.parametrize("event_level", [False, True], ids=["person level", "event level"])
def test_a_key_that_just_does_not_fit(event_level: bool) -> None:
    """63 bits: the last two columns open a second word, and attackers know parts of the first, the second or both."""
    scenarios = (
        ("in the first", ("wide1", "wide4")),
        ("in the second", ("tail",)),
        ("all of the second", ("tail", "narrow")),
        ("in both", ("wide5", "narrow")),
        ("all of the first", SIX),
    )

    agrees(replace(table_of(7, event_level=event_level), scenarios=scenarios), words=2)


@pytest.mark.parametrize("event_level", [False, True], ids=["person level", "event level"])
def test_a_key_of_three_words(event_level: bool) -> None:
    """Fourteen columns; attackers who know something of two words that are not neighbours, and of all three."""
    scenarios = (
        ("first and last", ("wide0", "tail")),
        ("one word each", ("narrow", "more6", "tail")),
        ("middle", ("more0", "more5")),
    )
    table = table_of(6, more=7, event_level=event_level, rows=1100)

    agrees(replace(table, scenarios=scenarios), words=3)


def test_a_scenario_may_name_columns_that_no_other_knows() -> None:
    """Without a common quasi-identifier, the key is made of what all attackers know together."""
    table = table_of(7)
    apart = replace(table, quasi_identifiers=("narrow", "tail"), scenarios=(("elsewhere", SIX), ("across", ("wide0", "narrow"))))

    agrees(apart, words=2)
