"""The information-theoretic risk attribute by attribute, in every format, ranked, with what makes it 1."""

import pyarrow as pa
import pytest

import anonscope as an

TABLE = pa.table({"age": [30] * 6 + [47, 51], "sex": ["f", "m"] * 4, "ill": ["a", "b", "a", "b", "a", "c", "c", "c"]})


@pytest.mark.parametrize("format", ["text", "markdown", "html"])
def test_reports_rank_both_readings_and_explain_a_one(format: str) -> None:
    """Two of eight are alone by age; sex alone leaves all open, and comes last."""
    with an.read(TABLE, threads=1, quasi_identifiers=["age", "sex"], sensitive=["ill"]) as data:
        audit = an.audit(data)
        text = audit.render(format)
    part = text[text.index("Information-theoretic risk, attribute by attribute") :]

    assert "2 of 8 records (25.0 %) are alone with their combination" in part
    assert "somebody alone makes it 1" in part
    values = sorted((m.value for m in audit.measurements if m.metric == "itpr" and m.value is not None), reverse=True)
    places = [part.index(f"{value:.3f}") for value in dict.fromkeys(values)]
    assert places == sorted(places)
