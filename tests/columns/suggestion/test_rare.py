"""Identifiers that few records have: found whether or not all values are known beforehand, and not searched for in vain."""

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.columns.suggestion.rare import rarely_held
from anonscope.columns.suggestion.sampled import Sample
from anonscope.columns.suggestion.unassigned import look_at

HARMLESS = ["ward north", "ward south", "bed by the window", "quiet"]
TELLING = {
    "address": ["ask anna.smith@example.org"],
    "account": ["DE89370400440532013000"],
    "security number": ["see 536-22-8145", "see 412-61-7203"],
    "international number": ["call +49 30 901820", "call +49 30 901821"],
    "national number": ["tel. 030 9018200", "Telefon 030 9018211"],
    "names": ["Anna Schmidt", "david miller", "Meyer, Peter"],
    "accents": ["MARÍA GARCÍA", "Zoë Wójcik", "José Fernández"],
    "names beside digits": ["²Anna Schmidt", "(Peter Meyer)", "1 David Miller"],
}


@pytest.mark.parametrize("kind", [*TELLING, "nothing"])
def test_what_is_known_beforehand_changes_nothing_of_what_is_found(kind):
    """Leaving out searches by values that are known finds what all searches find."""
    values, found = [*HARMLESS * 10, *TELLING.get(kind, ())], False
    with an.read(pa.table({"q": list(range(len(values))), "x": values}), quasi_identifiers=["q"], threads=1) as data:
        for form in ("category", "code", "free text"):
            asked = (Sample(data.engine, data.relation), ["x"], {"x": form})
            searched = rarely_held(*asked, known={})
            assert rarely_held(*asked, known={"x": sorted(set(values))}) == searched
            found = found or bool(searched)
    assert found == (kind != "nothing")


def test_the_list_of_names_is_not_searched_for_where_no_value_has_one():
    """An engine takes a tenth of a second to get ready for it, which every audit of a small table paid."""
    for values, searched in ((HARMLESS, False), ([*HARMLESS, "ask Peter Meyer"], True)):
        with an.read(pa.table({"q": list(range(40)), "x": (values * 10)[:40]}), quasi_identifiers=["q"], threads=1) as data:
            look_at(Sample(data.engine, data.relation), ["x"], given=["q"])
            assert any("Alexander" in str(statement) for statement in data.engine.statements) == searched
