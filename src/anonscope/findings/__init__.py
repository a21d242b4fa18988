"""Measure every metric over every scenario, attribute and sensitive attribute, from counts made once."""

from anonscope.findings.facts import Findings, Request, ScenarioCounts, SensitiveFacts
from anonscope.findings.measuring import Progress, run

__all__ = ["Findings", "Progress", "Request", "ScenarioCounts", "SensitiveFacts", "run"]
