"""Why a table is at risk, and what to do next."""

from anonscope.risk.explain.blame import Blame, Blames
from anonscope.risk.explain.minimal_unique import LARGEST_SET, UniqueSet
from anonscope.risk.explain.next_steps import Advice, Step
from anonscope.risk.explain.why import Cause, Why, explain

__all__ = ["LARGEST_SET", "Advice", "Blame", "Blames", "Cause", "Step", "UniqueSet", "Why", "explain"]
