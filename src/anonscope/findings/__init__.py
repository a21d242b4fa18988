"""Measure every metric over every scenario, attribute and sensitive attribute, from counts made once."""

from anonscope.findings.facts import Findings, Request, ScenarioCounts, SensitiveFacts
from anonscope.findings.measuring import Progress, look_at_unassigned, run

__all__ = ["Findings", "Progress", "Request", "ScenarioCounts", "SensitiveFacts", "look_at_unassigned", "run"]
