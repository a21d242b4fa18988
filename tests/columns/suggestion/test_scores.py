"""Replicability, availability and distinguishability as numbers from 1 to 3 with their sum, wherever a proposal is shown."""

import pyarrow as pa

import anonscope as an

TABLE = pa.table({"zip": [f"{10_000 + i}" for i in range(40)], "qqx": [f"v{i % 3}" for i in range(40)]})


def test_what_is_known_of_a_column_has_three_numbers_and_a_sum() -> None:
    """A zip code stays with a person, is known outside and tells people apart; of a column that nobody knows there is no number."""
    with an.read(TABLE, threads=1) as data:
        found = an.suggest(data)
    told = {column["name"]: column["evidence"] for column in found.to_dict()["columns"]}

    assert set(told["zip"]["scores"]) == {"replicability", "availability", "distinguishability"}
    assert all(1 <= score <= 3 for score in told["zip"]["scores"].values())
    assert told["zip"]["score_sum"] == sum(told["zip"]["scores"].values())
    assert told["qqx"]["scores"] is None and told["qqx"]["score_sum"] is None
    written = f"{' + '.join(map(str, told['zip']['scores'].values()))} = {told['zip']['score_sum']}"
    assert written in found.to_text() and written in found._repr_html_()
    with an.read(TABLE, threads=1, roles=found) as data:
        audit = an.audit(data)
    for format in ("text", "markdown", "html"):
        assert written in audit.render(format).replace("\\", "")
