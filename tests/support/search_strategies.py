"""Small tables, limits and all that a problem may have, as Hypothesis draws them for the methods of the search."""

from hypothesis import strategies as st

from anonscope.columns.hierarchy import Hierarchy
from anonscope.transform.search.limits import Limit
from anonscope.transform.search.problem import Problem
from anonscope.transform.search.targets import limits_of
from reference.search import OF_CLASSES, OF_TABLES, Rule, Toy


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Return a hierarchy over three to five values, some of which no table may have; a label may be written early as "*"."""
    values = [chr(97 + i) for i in range(draw(st.integers(2, 5)))]
    nodes = [{value} for value in values]
    levels: list[tuple[str, ...]] = []
    for _ in range(draw(st.integers(0, 2))):
        keys = draw(st.lists(st.integers(0, 1), min_size=len(nodes), max_size=len(nodes)))
        merged = [set().union(*(n for n, k in zip(nodes, keys, strict=True) if k == key)) for key in sorted(set(keys))]
        nodes = [node for node in merged if node]
        level = len(levels) + 1
        levels.append(tuple(next(f"{level}{min(node)}{max(node)}" for node in nodes if value in node) for value in values))
    return Hierarchy("h", tuple(values), (*levels, ("*",) * len(values)))


@st.composite
def toys(draw: st.DrawFn) -> Toy:
    """Return a table of up to twelve records, with all that a problem may have."""
    trees = tuple(draw(st.lists(hierarchies(), min_size=1, max_size=3)))
    rows = draw(st.integers(1, 12))
    known = tuple(tuple(draw(st.sampled_from([*tree.leaves, *tree.leaves, None])) for tree in trees) for _ in range(rows))
    hidden = tuple(draw(st.lists(st.sampled_from(["1", "2", "10"]), min_size=rows, max_size=rows)))
    person = tuple(draw(st.lists(st.sampled_from(["p", "q", "r", "s"]), min_size=rows, max_size=rows))) if draw(st.booleans()) else None
    bounds = [sorted((draw(st.integers(0, t.height)), draw(st.integers(0, t.height)))) for t in trees] if draw(st.booleans()) else []
    return Toy(
        trees,
        known,
        hidden,
        person,
        draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])),
        draw(st.sampled_from(["keep", "drop", "unchecked"])),
        tuple(draw(st.sampled_from([1.0, 3.0])) for _ in trees),
        tuple(low for low, _ in bounds),
        tuple(high for _, high in bounds),
    )


VALUES = {"k_anonymity": (1, 2, 3), "prosecutor": (0.5, 0.34), "l_diversity": (2, 3), "entropy_l_diversity": (1.5, 2, 2.5)}
ABOVE = {"basic_beta_likeness", "enhanced_beta_likeness", "delta_disclosure", "delta_disclosure:strict", "recursive_c_l_diversity:l = 2"}


@st.composite
def rule_sets(draw: st.DrawFn, attributes: int) -> tuple[list[Rule], list[tuple[str, float, int | None]]]:
    """Return one to three limits, as the reference has them and by name, limit and attribute."""
    rules, asked = [], []
    for name in draw(st.lists(st.sampled_from([*OF_CLASSES, *OF_TABLES]), min_size=1, max_size=3, unique=True)):
        higher, measure = (OF_CLASSES | OF_TABLES)[name]
        usual = (0.5, 1.0, 2.0) if name in ABOVE else (2.0, 3.0) if name == "average_class_size" else (0.2, 0.5, 0.67, 0.8)
        limit = draw(st.sampled_from(VALUES.get(name, usual)))
        alone = draw(st.integers(0, attributes - 1)) if name in ("correlation", "uniformity") and draw(st.booleans()) else None
        rules.append(Rule(name, limit, higher, measure, name in OF_TABLES, alone))
        asked.append((name, limit, alone))
    return rules, asked


def limits_for(asked: list[tuple[str, float, int | None]], problem: Problem) -> list[Limit]:
    found = []
    for name, limit, alone in asked:
        (made,) = limits_of({name: limit}, problem)
        found.append(made if alone is None else made.scoped((alone,), (f"q{alone}",)))
    return found
