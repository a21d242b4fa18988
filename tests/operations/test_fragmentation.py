"""Vertical fragmentation: the scores by hand, proposals that are best or say that they may not be, bad input."""

from itertools import product
from typing import Any

import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import ColumnNotFound, OptionError
from anonscope.transform.fragmentation import EXHAUSTIVE, _groupings, _ways

# a, copy: one bit each and the same bit; c: another bit; label: a and c together.
# So many records that chance, which is taken off, adds nothing that would show.
TIMES = 5000
COLUMNS = {"a": [0, 0, 1, 1] * TIMES, "copy": [0, 0, 1, 1] * TIMES, "c": [0, 1, 0, 1] * TIMES, "label": [0, 1, 2, 3] * TIMES}


def split(fragments: Any = None, columns: dict[str, list[int]] | None = None, **options: Any) -> an.Fragmentation:
    with an.read(pa.table(columns or COLUMNS), threads=1) as data:
        return an.fragmentation(data, fragments, **options)


def test_equation_27_by_hand() -> None:
    """{a, c}: V = (1 + 1) / 2, W = (1 + 0 + 0 + 1) / 4; {copy}: V = 1, W = 1."""
    found = split([["a", "c"], ["copy"]], target="label")

    assert [f.relevance for f in found.fragments] == pytest.approx([1, 1], abs=0.001)
    assert [f.redundancy for f in found.fragments] == pytest.approx([0.5, 1], abs=0.001)
    assert found.score == pytest.approx(0.5, abs=0.001)
    assert (found.name, found.method, found.examined) == ("FMRMR", "given", 1)


def test_equation_32_by_hand() -> None:
    """With c in both: {a, c}: (1 + 1) / 4; {copy, c} the same; the score is minus their sum."""
    found = split([["a"], ["copy"]], common=["c"])

    assert found.score == pytest.approx(-1, abs=0.001)
    assert found.name == "uFMRMR"
    assert [f.relevance for f in found.fragments] == [None, None]


def test_what_says_the_same_is_proposed_apart() -> None:
    """a and its copy together would be redundant, so c joins one of them."""
    found = split(columns={k: v for k, v in COLUMNS.items() if k != "label"}, number=2)

    assert found.method == "exhaustive"
    assert found.examined == _ways(3, 2) == 3
    assert {"a", "copy"} not in [set(f.columns) for f in found.fragments]


def test_an_exhaustive_proposal_is_the_best() -> None:
    """No grouping of four columns into two fragments scores more."""
    found = split(number=2)
    scores = []
    for sides in product([0, 1], repeat=4):
        groups = [[name for name, side in zip(COLUMNS, sides, strict=True) if side == k] for k in (0, 1)]
        if all(groups):
            scores.append(split(groups).score)

    assert found.score == pytest.approx(max(scores))


def test_all_groupings_are_made_once() -> None:
    """As many as Stirling says, none twice, every column in one fragment."""
    made = [frozenset(map(frozenset, g)) for g in _groupings((0, 1, 2, 3, 4, 5), 3)]

    assert len(made) == len(set(made)) == _ways(6, 3) == 90
    assert all(sorted(i for fragment in g for i in fragment) == list(range(6)) for g in made)


def test_a_greedy_proposal_says_so_and_cannot_be_improved_by_one_move() -> None:
    """Above the bound the search is local, and its result is no worse than dealing columns out in turn."""
    wide = {f"c{i}": [(r >> (i % 5)) & 1 for r in range(32)] for i in range(18)}
    found = split(columns=wide, number=3)

    assert _ways(18, 3) > EXHAUSTIVE
    assert found.method == "greedy"
    assert sorted(name for f in found.fragments for name in f.columns) == sorted(wide)
    assert found.score >= split([list(wide)[k::3] for k in range(3)], columns=wide).score - 1e-9
    assert "there may be a better one" in found.render("text")


@pytest.mark.parametrize(
    ("fragments", "options", "error", "says"),
    [
        ([["a"], ["a", "c"]], {}, OptionError, "in two fragments"),
        ([["a"], []], {}, OptionError, "at least one column"),
        ([], {}, OptionError, "at least one column"),
        (["ab"], {}, OptionError, "list of lists"),
        ([["a"], ["nope"]], {}, ColumnNotFound, "nope"),
        ([["a"], ["label"]], {"target": "label"}, OptionError, "cannot be in a fragment"),
        ([["a"], ["c"]], {"target": "label", "common": ["copy"]}, OptionError, "not both"),
        (None, {"number": 9}, OptionError, "1 to 4"),
        (None, {"number": 0}, OptionError, "1 to 4"),
        (None, {"target": "nope"}, ColumnNotFound, "nope"),
    ],
)
def test_what_is_no_fragmentation_is_refused(fragments: Any, options: dict[str, Any], error: type[Exception], says: str) -> None:
    """With what is wrong and what would do."""
    with pytest.raises(error, match=says):
        split(fragments, **options)


def test_the_json_has_every_fragment() -> None:
    """Plain data with its schema."""
    document = split([["a"], ["c"]], target="label").to_dict()

    assert document["schema"] == "anonscope/fragmentation/1"
    assert [f["columns"] for f in document["fragments"]] == [["a"], ["c"]]
