"""Hierarchies: how the values of a column coarsen, and how far apart they are by it."""

from anonscope.hierarchy.distance import measure_hierarchical
from anonscope.hierarchy.hierarchy import Hierarchy
from anonscope.hierarchy.read import read_hierarchy

__all__ = ["Hierarchy", "measure_hierarchical", "read_hierarchy"]
