"""Hierarchies: how the values of a column coarsen, and how far apart they are by it."""

from anonscope.columns.hierarchy.distance import measure_hierarchical
from anonscope.columns.hierarchy.hierarchy import Hierarchy
from anonscope.columns.hierarchy.read import parse_hierarchy, read_hierarchy

__all__ = ["Hierarchy", "measure_hierarchical", "parse_hierarchy", "read_hierarchy"]
