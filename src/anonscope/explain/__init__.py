"""Why a table is at risk, and what to do next."""

from anonscope.explain.blame import Blame, Blames
from anonscope.explain.minimal_unique import LARGEST_SET, UniqueSet
from anonscope.explain.next_steps import Advice, Step
from anonscope.explain.why import Cause, Why, explain

__all__ = ["LARGEST_SET", "Advice", "Blame", "Blames", "Cause", "Step", "UniqueSet", "Why", "explain"]
