"""t-closeness over a tree: worked examples, and the definition as a transport problem."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonscope as an

# Li et al. (2007), section 4.3, and leaves that do not occur in the tables below.
DISEASES = """flu;respiratory infection;respiratory;*
pneumonia;respiratory infection;respiratory;*
bronchitis;respiratory infection;respiratory;*
pulmonary edema;vascular lung;respiratory;*
pulmonary embolism;vascular lung;respiratory;*
gastric ulcer;stomach;digestive;*
stomach cancer;stomach;digestive;*
gastritis;stomach;digestive;*
colitis;colon;digestive;*
colon cancer;colon;digestive;*
"""


@pytest.fixture(scope="module")
def measure(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., dict[str | None, float | None]]:
    """Return the distances of a table with one quasi-identifier, by variant."""
    path = tmp_path_factory.mktemp("trees") / "tree.csv"

    def run(groups: list[Any], ill: list[Any], tree: str = DISEASES) -> dict[str | None, float | None]:
        path.write_text(tree, encoding="utf-8")
        table = pa.table({"zip": groups, "ill": pa.array(ill, pa.string())})
        with an.read(table, quasi_identifiers=["zip"], sensitive=["ill"], hierarchies={"ill": path}, threads=1) as data:
            return {m.variant: m.value for m in an.audit(data).select("t_closeness")}

    return run


@pytest.mark.parametrize(("other", "apart"), [("bronchitis", 1 / 3), ("pulmonary embolism", 2 / 3), ("stomach cancer", 1)])
def test_values_are_as_far_apart_as_the_lowest_node_above_both(measure: Any, other: str, apart: float) -> None:
    """Li's own distances from flu. Two groups of one value each are half the way from the table."""
    found = measure(["a", "b"], ["flu", other])

    assert found == {"hierarchical": pytest.approx(apart / 2), "equal": pytest.approx(0.5)}
    assert next(iter(found)) == "hierarchical"


def test_what_is_moved_inside_a_branch_costs_less(measure: Any) -> None:
    """North: all flu. A quarter goes to bronchitis, a third of the way, and a quarter to gastritis, all of it."""
    assert measure(list("aabb"), ["flu", "flu", "bronchitis", "gastritis"])["hierarchical"] == pytest.approx(1 / 12 + 1 / 4)


def test_a_flat_hierarchy_gives_the_equal_distance(measure: Any) -> None:
    """Nothing but a list of values."""
    found = measure(list("aabbb"), list("xyxxz"), "x\ny\nz\n")

    assert found["hierarchical"] == pytest.approx(found["equal"])


def test_a_missing_value_hangs_from_the_root_unless_it_has_a_line(measure: Any) -> None:
    """Far from all, or where an empty first field puts it."""
    tree = "x;low\ny;low\nz;high\n"

    assert measure(["a", "b"], ["x", None], tree)["hierarchical"] == pytest.approx(1 / 2)
    assert measure(["a", "b"], ["x", None], tree + ";low\n")["hierarchical"] == pytest.approx(1 / 4)


def test_nodes_of_one_child_change_nothing(measure: Any) -> None:
    """A chain above a leaf is the leaf, only higher up."""
    assert measure(["a", "b"], ["x", "y"], "x;p;s;*\ny;q;s;*\n")["hierarchical"] == pytest.approx(2 / 3 / 2)


def transport(part: list[str | None], whole: list[str | None], rows: dict[str | None, list[str]]) -> float:
    """Return the least cost of turning one distribution into the other, by linear programming."""
    from scipy.optimize import linprog

    values = sorted(set(whole), key=str)
    height = len(rows[values[0]])

    def apart(a: str | None, b: str | None) -> float:
        if a == b:
            return 0.0
        return next(level for level in range(1, height + 1) if rows[a][level - 1] == rows[b][level - 1]) / height

    cost = np.array([[apart(a, b) for b in values] for a in values]).ravel()
    p, q = ([Counter(side)[v] / len(side) for v in values] for side in (part, whole))
    n = len(values)
    equal = np.zeros((2 * n, n * n))
    for i in range(n):
        equal[i, i * n : (i + 1) * n] = 1
        equal[n + i, i::n] = 1
    return float(linprog(cost, A_eq=equal, b_eq=[*p, *q]).fun)


@settings(max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_it_is_the_least_cost_of_moving(measure: Any, data: st.DataObject) -> None:
    """Whatever tree and table, Li's sum over nodes is the earth mover's distance."""
    leaves = [f"v{i}" for i in range(data.draw(st.integers(2, 7)))]
    middle = {leaf: f"m{data.draw(st.integers(0, 3))}" for leaf in leaves}
    upper = {m: f"u{data.draw(st.integers(0, 1))}" for m in sorted(set(middle.values()))}
    rows: dict[str | None, list[str]] = {leaf: [middle[leaf], upper[middle[leaf]], "root"] for leaf in leaves}
    tree = "".join(";".join([str(leaf), *above]) + "\n" for leaf, above in rows.items())
    rows[None] = ["alone", "alone", "root"]
    n = data.draw(st.integers(2, 12))
    ill = data.draw(st.lists(st.sampled_from([*leaves, None]), min_size=n, max_size=n))
    groups = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    farthest = max(transport([v for v, g in zip(ill, groups, strict=True) if g == name], ill, rows) for name in set(groups))

    assert measure(groups, ill, tree)["hierarchical"] == pytest.approx(farthest, abs=1e-9)
