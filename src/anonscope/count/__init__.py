"""Counting: records -> integer tables -> the few aggregates that all metrics share."""

from anonscope.count.encode import Layout, encode
from anonscope.count.ordered import is_numeric, measure_ordered
from anonscope.count.roll_up import open_attribute_pairs, open_attributes, open_scenario, open_sensitive

__all__ = [
    "Layout",
    "encode",
    "is_numeric",
    "measure_ordered",
    "open_attribute_pairs",
    "open_attributes",
    "open_scenario",
    "open_sensitive",
]
