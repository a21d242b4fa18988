"""Adult in discretised columns, 39,073 people: what another program says of two made-up tables, ours says too."""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from anonscope.engines import DuckDB
from anonscope.io.sources import open_source
from anonscope.utility import settled
from anonscope.utility.unpaired import UNPAIRED, follows, unpaired

# Mean total variation over 14 columns, 91 pairs and 364 triples, and the share of rows that are rows of the original: an evaluation with
# pandas that shares no code with ours, of the same two tables.
PUBLISHED = {"independent": (0.0, 0.07695, 0.17394, 0.00195), "bootstrap": (0.00554, 0.01673, 0.03813, 1.0)}


def test_variation_and_matches_are_those_of_another_program(data_folder):
    """To five digits, for independent columns and for a bootstrap sample; neither follows the original's records."""
    people = pyarrow.csv.read_csv(data_folder / "adult_discretised" / "train.csv")
    chance = np.random.default_rng(1)
    independent = pa.table({name: people.column(name).take(chance.permutation(len(people))) for name in people.column_names})
    bootstrap = people.take(chance.integers(0, len(people), len(people)))
    for name, release in (("independent", independent), ("bootstrap", bootstrap)):
        engine = DuckDB()
        try:
            before = settled(engine, open_source(people, engine))
            tables = unpaired(engine, before, open_source(release, engine), people.column_names)
        finally:
            engine.close()
        found = {m.variant: m.value for m in UNPAIRED["marginal_variation"].measure(tables) if m.column is None}
        (exact,) = UNPAIRED["exact_matches"].measure(tables)

        got = (found["columns"], found["pairs"], found["triples"], exact.value)
        assert got == pytest.approx(PUBLISHED[name], abs=6e-6)
        assert follows(tables) is False
