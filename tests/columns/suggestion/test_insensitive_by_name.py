"""A name alone makes no column insensitive: where its values may be of people, somebody must look."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import ColumnsWithoutRole
from anonscope.operations.anonymise import anonymise

RECORDS = 60
NAMES = ("Patel", "García", "Smith", "Jones", "Okafor")
KNOWN = {
    "age_band": [("20-29", "30-39")[i % 2] for i in range(RECORDS)],
    "sex": [("F", "M")[i // 2 % 2] for i in range(RECORDS)],
}
HEALTH = {"diagnosis": [("asthma", "flu", "gout")[i % 3] for i in range(RECORDS)]}
PHONES = [6_000_000_000 + i * 48_271 * 16_807 % 999_999_937 for i in range(RECORDS)]
# Columns by whose names all was decided, with what they held.
OWN = {
    **dict.fromkeys(("contacts", "calls", "messages", "item", "batch", "consent", "position rank"), PHONES),
    "proxy": [f"{chr(65 + i % 26)}. {NAMES[i // 12]}" for i in range(RECORDS)],
    "supplier": [f"{i + 3} {NAMES[i % 5]} Street" for i in range(RECORDS)],
    # Repeated here and there, but told in words.
    "remark": [f"{i * 2 // 3} {NAMES[i * 2 // 3 % 5]} Street" for i in range(RECORDS)],
    "x": [f"MRN{i * 7_919 % 1_000_003:07d}" for i in range(RECORDS)],
    # Half of them say nothing.
    "model": [f"K{i * 7_919 % 100_003:06d}" if i % 2 else "unknown" for i in range(RECORDS)],
}
OTHERS = {
    "contacts": [i % 7 for i in range(RECORDS)],
    "brand": [("Acme", "Blue Sky Goods", "Zenith")[i % 3] for i in range(RECORDS)],
    "duration": [1.5 + i * 0.37 for i in range(RECORDS)],
}


@pytest.mark.parametrize("beside", [KNOWN, KNOWN | HEALTH], ids=["plain", "health"])
@pytest.mark.parametrize("name", OWN)
def test_values_of_their_own_are_unknown_whatever_the_name_says(name, beside):
    found = an.suggest(pa.table({**beside, name: OWN[name]}))
    if found[name].role != "direct identifier":
        assert found[name].unknown and found[name].certainty == "please look" and found[name].reasons[0].startswith("Unknown: ")
        assert name not in found.roles.assigned


@pytest.mark.parametrize("name", OTHERS)
def test_counts_kinds_and_measurements_are_what_their_names_say(name):
    found = an.suggest(pa.table({**KNOWN, name: OTHERS[name]}))
    assert (found[name].role, found[name].confidence, found[name].unknown) == ("insensitive", "medium", False)


@pytest.mark.parametrize("name", ["remark", "x", "proxy"])
def test_a_release_by_suggestions_has_no_codes_of_which_every_record_has_its_own(name):
    with an.read(pa.table({**KNOWN, **HEALTH, name: OWN[name]})) as data:
        data.accept(an.suggest(data))
        assert name in data.roles.direct_identifiers


@pytest.mark.parametrize("name", ["contacts"])
def test_a_release_by_suggestions_asks_for_a_word(name):
    """All telephone numbers went out as meeting a policy, and nobody was asked."""
    with an.read(pa.table({**KNOWN, **HEALTH, name: OWN[name]})) as data:
        data.accept(an.suggest(data))
        with pytest.raises(ColumnsWithoutRole, match=name):
            anonymise(data, "ema-0070")


def test_what_somebody_says_goes_before():
    table = pa.table({**KNOWN, "contacts": PHONES})
    assert "contacts" in an.suggest(table, force={"contacts": "insensitive"}).roles.insensitive
    assert an.suggest(table, forbid=["contacts"])["contacts"].confidence == "high"
