"""Policies as data, and the verdict they give."""

from anonscope.risk.policy.exceptions import StatedException, excepting
from anonscope.risk.policy.limits import as_rules, from_limits, from_rules, policy_or_limits
from anonscope.risk.policy.linked import LinkedRecords, check_linked
from anonscope.risk.policy.look_alikes import LookAlike, check_look_alikes
from anonscope.risk.policy.policy import DEFAULT, Policy, Rule, load, preset_names
from anonscope.risk.policy.repeated import RepeatedIdentifier, check_people_counted
from anonscope.risk.policy.telling import TellingColumn, check_given
from anonscope.risk.policy.unassigned import UnassignedColumn, check_answered
from anonscope.risk.policy.verdict import ATTACKS, RuleResult, Verdict, judge

__all__ = [
    "ATTACKS",
    "DEFAULT",
    "LinkedRecords",
    "LookAlike",
    "Policy",
    "RepeatedIdentifier",
    "Rule",
    "RuleResult",
    "StatedException",
    "TellingColumn",
    "UnassignedColumn",
    "Verdict",
    "as_rules",
    "check_answered",
    "check_given",
    "check_linked",
    "check_look_alikes",
    "check_people_counted",
    "excepting",
    "from_limits",
    "from_rules",
    "judge",
    "load",
    "policy_or_limits",
    "preset_names",
]
