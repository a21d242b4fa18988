"""Sensitive values that differ only by blanks, case or forms of letters are no diversity: the verdict says what becomes of it without."""

import json
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import NotPublished
from anonscope.risk.policy import from_limits

_ALIKE = {
    "blanks": ("flu", "flu ", " flu", "flu\u00a0"),
    "case": ("flu", "Flu", "FLU", "fLu"),
    "letters": ("gr\u00fcn", "gru\u0308n", "Gr\u00fcn", "GR\u00dcN"),
    "unseen": ("flu", "flu\u200b", "\ufeffflu", "flu\u00ad"),
    "within": ("flu", "f\u200blu", "fl\x07u", "flu\x00"),
    "lines": ("flu", "flu\n", "flu\u0085", "flu\x7f"),
    "selectors": ("flu", "flu\ufe0f", "f\u034flu", "flu\U000e0041"),
    "fillers": ("flu", "flu\u3164", "\u2800flu", "\u202eflu"),
    "styles": ("flu", "\ufb02u", "\uff46\uff4c\uff55", "\U0001d41f\U0001d425\U0001d42e"),
    "capitals": ("stra\u00dfe", "STRASSE", "strasse", "Stra\u00dfe"),
    "final sigma": ("\u03bf\u03c2", "\u039f\u03a3", "\u03bf\u03c3", "\u039f\u03c3"),
    "alphabets": ("ca", "\u0441a", "c\u0430", "Ca"),
}


def _table(values: tuple[str, ...]) -> pa.Table:
    # Two groups: one of values that only look different, one with two illnesses as well.
    ill = [*values, *values, *values, "gout", "asthma"]
    return pa.table({"age": [30] * 8 + [40] * 6, "ill": ill})


def _read(values: tuple[str, ...], **words: Any) -> Any:
    return an.read(_table(values), quasi_identifiers=["age"], sensitive=["ill"], **words)


@pytest.mark.parametrize("kind", _ALIKE)
def test_values_that_look_alike_are_told(kind):
    """Signs without width inside a word, line ends and styles of letters made illnesses of their own."""
    with _read(_ALIKE[kind]) as data:
        verdict = an.audit(data, from_limits({"l_diversity": 2})).verdict
    assert [(found.made_one, found.kinds) for found in verdict.look_alikes] == [(1, 3)] and verdict.exit_code == 1


@pytest.mark.parametrize("kind", ["blanks", "letters", "within"])
def test_diversity_by_writing_alone_needs_a_word(kind, tmp_path):
    """Four ways to write one illness were four illnesses, and l = 2 was met."""
    policy = from_limits({"l_diversity": 2})
    with _read(_ALIKE[kind]) as data:
        audit = an.audit(data, policy)
        (found,) = audit.verdict.look_alikes
        assert audit.verdict.rules[0].status == "pass" and audit.verdict.outcome == "release with acknowledgement"
        assert audit.verdict.exit_code == 1 and audit.verdict.unanswered == ("ill",)
        assert (found.made_one, found.kinds) == (1, 3) and found.as_written >= 2 and found.values > found.kinds
        assert audit["l_diversity"].value == found.as_written, "what is stated first is the table as it is"
        for form in ("text", "html", "markdown"):
            assert "l-diversity is 1 then" in audit.render(form).replace("\n", " ")
        assert json.loads(audit.render("json"))["verdict"]["values_that_look_alike"][0]["l_diversity_made_one"] == 1
        assert audit.why().scenario == "default", "reasons rest on the table as it is"
        made = an.anonymise(data, limits={"l_diversity": 2})
        with pytest.raises(NotPublished, match="l-diversity is 1 then"):
            made.write(tmp_path / "release.csv")
        assert not list(tmp_path.iterdir())


def test_a_word_is_recorded_and_verified(tmp_path):
    with _read(_ALIKE["case"], acknowledge={"ill": "Grades of one illness."}) as data:
        audit = an.audit(data, from_limits({"l_diversity": 2}))
        assert audit.verdict.exit_code == 0 and audit.verdict.outcome == "release with acknowledgement"
        assert "Grades of one illness." in audit.render("text")
        made = an.anonymise(data, limits={"l_diversity": 2})
        made.write(tmp_path / "release.csv")
    assert an.verify(tmp_path / "release.csv").holds
    manifest = json.loads((tmp_path / "release.csv.manifest.json").read_text())
    assert "Grades of one illness." in json.dumps(manifest)


def test_where_limits_are_kept_either_way_it_is_said_and_no_more():
    with _read(("flu", "Flu", "gout", "asthma")) as data:
        verdict = an.audit(data, from_limits({"l_diversity": 2})).verdict
    assert verdict.outcome == "release" and verdict.exit_code == 0
    assert "All limits are kept either way" in verdict.look_alikes[0].sentence


def test_what_differs_in_more_is_different():
    """Accents, digits and punctuation make other values, and so do numbers."""
    with _read(("flu", "flu2", "fl\u00fc", "flu-")) as data:
        assert an.audit(data, from_limits({"l_diversity": 2})).verdict.look_alikes == ()
    table = pa.table({"age": [30] * 4, "ill": [1, 2, 3, 4]})
    with an.read(table, quasi_identifiers=["age"], sensitive=["ill"]) as data:
        assert an.audit(data, from_limits({"l_diversity": 2})).verdict.look_alikes == ()


def test_several_attributes_each_need_their_word():
    table = _table(_ALIKE["case"]).append_column("also", _table(_ALIKE["blanks"])["ill"])
    roles: dict[str, Any] = {"quasi_identifiers": ["age"], "sensitive": ["ill", "also"]}
    with an.read(table, **roles, acknowledge={"ill": "known"}) as data:
        assert an.audit(data, from_limits({"l_diversity": 2})).verdict.unanswered == ("also",)


def test_no_statement_that_somebody_may_print_holds_a_value():
    """They are looked up in a table, however few they are."""
    with _read(("Canaria fever", "canaria fever", "Canaria fever", "canaria fever")) as data:
        audit = an.audit(data, from_limits({"l_diversity": 2}))
    assert audit.verdict.look_alikes and not any("anaria" in statement.sql for statement in audit.statements)
