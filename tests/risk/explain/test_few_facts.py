"""How few facts single somebody out, against counting by hand."""

from itertools import combinations

import pyarrow as pa

import anonscope as an

ROWS = [("a", 1, "x"), ("a", 1, "y"), ("a", 2, "x"), ("b", 2, "x"), ("b", 2, "x"), ("c", 3, "y"), ("c", 4, "y")]
NAMES = ("place", "age", "job")


def _unique(chosen):
    seen = [tuple(row[i] for i in chosen) for row in ROWS]
    return sum(seen.count(one) == 1 for one in seen)


def test_the_worst_sets_and_every_pair_are_counted():
    """Of every size the set on which most records are unique, whatever its parts do; and every pair."""
    table = pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)})
    found = an.audit(table, quasi_identifiers=NAMES, explain=True)
    told = found.explanation.facts

    assert told.records == len(ROWS)
    assert told.alone == {name: _unique((i,)) for i, name in enumerate(NAMES)}
    assert told.pairs == {(NAMES[i], NAMES[j]): _unique((i, j)) for i, j in combinations(range(3), 2)}
    for worst in told.worst:
        size = len(worst.attributes)
        assert worst.records == max(_unique(chosen) for chosen in combinations(range(3), size))
        assert worst.records == _unique(tuple(NAMES.index(name) for name in worst.attributes))


def test_the_contract_stays_as_it_is():
    """What is there for charts is no part of the JSON."""
    table = pa.table({name: [row[i] for row in ROWS] for i, name in enumerate(NAMES)})

    assert "facts" not in an.audit(table, quasi_identifiers=NAMES, explain=True).to_dict()["why"]


def test_more_attributes_never_single_out_fewer():
    """Beyond the sets that are counted one attribute is added at a time, up to all of them."""
    columns = {f"a{i}": [(row * 7 + i * row * row) % 5 for row in range(60)] for i in range(6)}
    told = an.audit(pa.table(columns), quasi_identifiers=list(columns), explain=True).explanation.facts

    shares = [worst.records for worst in told.worst]
    assert shares == sorted(shares)
    assert [len(worst.attributes) for worst in told.worst][: told.exhaustive_up_to] == list(range(1, told.exhaustive_up_to + 1))
