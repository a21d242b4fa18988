"""Changes of a hierarchy keep it a tree, cover the same values, and say what cannot be done."""

import pytest

from anonscope.columns.hierarchy import Hierarchy, changes
from anonscope.errors import HierarchyError

CITIES = Hierarchy(
    "city",
    ("Bonn", "Köln", "Ulm", "Bern"),
    (("west", "west", "south", "swiss"), ("de", "de", "de", "ch"), ("*",) * 4),
    ("regions", "countries", "all"),
)


def test_groups_are_merged_under_a_name():
    """Those of one parent, and what the level does is no longer what it did."""
    found = changes.merged(CITIES, 1, ["west", "south"], "german")
    assert found.labels(1) == ("german", "german", "german", "swiss") and found.labels(2) == CITIES.labels(2)
    assert found.words == ("groups of your own", "countries", "all")


def test_members_are_split_off_and_merged_back():
    """Splitting is undone by merging."""
    found = changes.split(CITIES, 1, "west", ["Bonn"], "capital")
    assert found.labels(1) == ("capital", "west", "south", "swiss")
    assert changes.merged(found, 1, ["capital", "west"], "west").levels == CITIES.levels


def test_a_group_is_renamed_and_moved():
    """Every value keeps its labels but for the name, wherever it stands."""
    found = changes.moved(changes.renamed(CITIES, 2, "ch", "CH"), 2, "CH", -1)
    assert found.leaves == ("Bern", "Bonn", "Köln", "Ulm") and found.words == CITIES.words
    assert {leaf: found.label(leaf, 2) for leaf in found.leaves} == {"Bonn": "de", "Köln": "de", "Ulm": "de", "Bern": "CH"}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda: changes.merged(CITIES, 1, ["south", "swiss"], "far"), "different groups one level up"),
        (lambda: changes.merged(CITIES, 1, ["west", "south"], "swiss"), "has that name already"),
        (lambda: changes.merged(CITIES, 1, ["west"], "x"), "at least two"),
        (lambda: changes.merged(CITIES, 3, ["*"], "x"), "Only levels 1 to 2"),
        (lambda: changes.renamed(CITIES, 0, "Bonn", "x"), "Only levels 1 to 2"),
        (lambda: changes.renamed(CITIES, 1, "north", "x"), "no such group"),
        (lambda: changes.renamed(CITIES, 1, "west", " "), "needs a name"),
        (lambda: changes.split(CITIES, 1, "west", ["Bonn", "Köln"], "x"), "nothing to split"),
        (lambda: changes.split(CITIES, 1, "west", ["Ulm"], "x"), "naming members"),
    ],
)
def test_what_cannot_be_done_is_said_without_a_value(change, told):
    """No label and no value stands in the sentence."""
    with pytest.raises(HierarchyError, match=told) as refusal:
        change()
    assert not any(word in str(refusal.value) for word in (*CITIES.leaves, "west", "south", "swiss"))
