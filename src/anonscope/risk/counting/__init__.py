"""Counting: records -> integer tables -> the few aggregates that all metrics share.

`couples` and `joined` count what an audit does not look at unasked, and are imported by whoever was asked.
"""

from anonscope.risk.counting.encode import Layout, encode, missing_in_source
from anonscope.risk.counting.forms import in_other_form, in_two_forms
from anonscope.risk.counting.ordered import is_numeric, measure_ordered
from anonscope.risk.counting.population import encode_population, open_population_classes, read_population
from anonscope.risk.counting.roll_up import (
    open_attribute_cells,
    open_attribute_pairs,
    open_attributes,
    open_kinds,
    open_scenario,
    open_sensitive,
)
from anonscope.risk.counting.stored_tuples import StoredTuples
from anonscope.risk.counting.survey import faulty_weights, open_class_weights, open_members
from anonscope.risk.counting.tuples import Tuples, fetch_tuples

__all__ = [
    "Layout",
    "StoredTuples",
    "Tuples",
    "encode",
    "encode_population",
    "faulty_weights",
    "fetch_tuples",
    "in_other_form",
    "in_two_forms",
    "is_numeric",
    "measure_ordered",
    "missing_in_source",
    "open_attribute_cells",
    "open_attribute_pairs",
    "open_attributes",
    "open_class_weights",
    "open_kinds",
    "open_members",
    "open_population_classes",
    "open_scenario",
    "open_sensitive",
    "read_population",
]
