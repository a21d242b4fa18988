"""Whether a table about people may be released, and why.

import anonscope as an

with an.read("patients.csv", quasi_identifiers=["age", "zip", "sex"], sensitive=["diagnosis"]) as data:
    audit = an.audit(data, policy="scorr")
print(audit.verdict.outcome)
audit.save("report.html")
"""

from importlib import import_module
from typing import TYPE_CHECKING

from anonscope.version import VERSION as __version__

if TYPE_CHECKING:
    from anonscope.attacks.attacker import Attacker, load_attackers
    from anonscope.attacks.registry import ATTACKS, AttackInfo
    from anonscope.attacks.success import Success
    from anonscope.columns.hierarchy import Hierarchy, read_hierarchy
    from anonscope.columns.images import Image, read_image
    from anonscope.columns.roles import Roles, Scenario
    from anonscope.columns.suggestion.evidence import ColumnSuggestion
    from anonscope.columns.suggestion.suggestion import Suggestion
    from anonscope.errors import AnonscopeError
    from anonscope.operations.anonymise import Anonymisation, anonymise
    from anonscope.operations.answer import Answers, answer
    from anonscope.operations.apply import Release, apply
    from anonscope.operations.associations import Associations, associations
    from anonscope.operations.attack import Attacks, attack
    from anonscope.operations.attacking.attack_with import AttackWith
    from anonscope.operations.audit import Audit, audit
    from anonscope.operations.compare import Comparison, compare
    from anonscope.operations.compose import ComposedReleases, compose
    from anonscope.operations.explore import Exploration, explore
    from anonscope.operations.fragment import FragmentRelease, fragment
    from anonscope.operations.fragmentation import Fragmentation, fragmentation
    from anonscope.operations.hierarchy import build_hierarchies, edit_hierarchies
    from anonscope.operations.link import LinkedRelease, ProbablyLinkedRelease, link, link_by_likeness
    from anonscope.operations.pipeline import Pipeline, pipeline
    from anonscope.operations.plan import Plan, Relaxation, plan
    from anonscope.operations.planning.telling import PlannedRelease
    from anonscope.operations.precheck import PreCheck, precheck
    from anonscope.operations.read import Data, read
    from anonscope.operations.recipe import level_recipe, safe_harbor_recipe
    from anonscope.operations.suggest import suggest
    from anonscope.operations.synthesise import Synthesis, draft_domain, synthesise
    from anonscope.operations.unicity import Unicity, unicity
    from anonscope.operations.verify import Verification, verify
    from anonscope.risk.metrics import METRICS, Measurement, Metric
    from anonscope.risk.policy import Policy, Verdict, preset_names
    from anonscope.synthesis.domain import Domain
    from anonscope.synthesis.domain_file import domain_text, load_domain
    from anonscope.synthesis.methods import METHODS
    from anonscope.transform.recipe import Recipe, load_recipe
    from anonscope.transform.steps import TRANSFORMATIONS
    from anonscope.transform.transformation import Transformation
    from anonscope.utility import UTILITIES, UtilityMeasurement

# Where each public name lives. Names are fetched on first use, so that `anonscope --help` loads no engine.
_HOMES = {
    "ATTACKS": "anonscope.attacks.registry",
    "METRICS": "anonscope.risk.metrics",
    "TRANSFORMATIONS": "anonscope.transform.steps",
    "UTILITIES": "anonscope.utility",
    "AnonscopeError": "anonscope.errors",
    "Anonymisation": "anonscope.operations.anonymise",
    "Answers": "anonscope.operations.answer",
    "Associations": "anonscope.operations.associations",
    "AttackInfo": "anonscope.attacks.registry",
    "Attacker": "anonscope.attacks.attacker",
    "AttackWith": "anonscope.operations.attacking.attack_with",
    "Attacks": "anonscope.operations.attack",
    "Audit": "anonscope.operations.audit",
    "ColumnSuggestion": "anonscope.columns.suggestion.evidence",
    "Comparison": "anonscope.operations.compare",
    "ComposedReleases": "anonscope.operations.compose",
    "Data": "anonscope.operations.read",
    "Exploration": "anonscope.operations.explore",
    "FragmentRelease": "anonscope.operations.fragment",
    "Fragmentation": "anonscope.operations.fragmentation",
    "Hierarchy": "anonscope.columns.hierarchy",
    "Image": "anonscope.columns.images",
    "LinkedRelease": "anonscope.operations.link",
    "Measurement": "anonscope.risk.metrics",
    "Metric": "anonscope.risk.metrics",
    "Pipeline": "anonscope.operations.pipeline",
    "Plan": "anonscope.operations.plan",
    "PlannedRelease": "anonscope.operations.planning.telling",
    "Relaxation": "anonscope.operations.plan",
    "Policy": "anonscope.risk.policy",
    "PreCheck": "anonscope.operations.precheck",
    "ProbablyLinkedRelease": "anonscope.operations.link",
    "Recipe": "anonscope.transform.recipe",
    "Release": "anonscope.operations.apply",
    "Roles": "anonscope.columns.roles",
    "Scenario": "anonscope.columns.roles",
    "Suggestion": "anonscope.columns.suggestion.suggestion",
    "Success": "anonscope.attacks.success",
    "Transformation": "anonscope.transform.transformation",
    "Unicity": "anonscope.operations.unicity",
    "UtilityMeasurement": "anonscope.utility",
    "Verdict": "anonscope.risk.policy",
    "Verification": "anonscope.operations.verify",
    "anonymise": "anonscope.operations.anonymise",
    "answer": "anonscope.operations.answer",
    "apply": "anonscope.operations.apply",
    "associations": "anonscope.operations.associations",
    "attack": "anonscope.operations.attack",
    "audit": "anonscope.operations.audit",
    "build_hierarchies": "anonscope.operations.hierarchy",
    "edit_hierarchies": "anonscope.operations.hierarchy",
    "compare": "anonscope.operations.compare",
    "compose": "anonscope.operations.compose",
    "explore": "anonscope.operations.explore",
    "fragment": "anonscope.operations.fragment",
    "fragmentation": "anonscope.operations.fragmentation",
    "level_recipe": "anonscope.operations.recipe",
    "link": "anonscope.operations.link",
    "link_by_likeness": "anonscope.operations.link",
    "load_attackers": "anonscope.attacks.attacker",
    "load_recipe": "anonscope.transform.recipe",
    "pipeline": "anonscope.operations.pipeline",
    "plan": "anonscope.operations.plan",
    "precheck": "anonscope.operations.precheck",
    "preset_names": "anonscope.risk.policy",
    "read": "anonscope.operations.read",
    "read_hierarchy": "anonscope.columns.hierarchy",
    "read_image": "anonscope.columns.images",
    "safe_harbor_recipe": "anonscope.operations.recipe",
    "suggest": "anonscope.operations.suggest",
    "verify": "anonscope.operations.verify",
    "METHODS": "anonscope.synthesis.methods",
    "Domain": "anonscope.synthesis.domain",
    "Synthesis": "anonscope.operations.synthesise",
    "domain_text": "anonscope.synthesis.domain_file",
    "draft_domain": "anonscope.operations.synthesise",
    "load_domain": "anonscope.synthesis.domain_file",
    "synthesise": "anonscope.operations.synthesise",
    "unicity": "anonscope.operations.unicity",
}

__all__ = [
    "ATTACKS",
    "METHODS",
    "METRICS",
    "TRANSFORMATIONS",
    "UTILITIES",
    "AnonscopeError",
    "Anonymisation",
    "Answers",
    "Associations",
    "AttackInfo",
    "AttackWith",
    "Attacker",
    "Attacks",
    "Audit",
    "ColumnSuggestion",
    "Comparison",
    "ComposedReleases",
    "Data",
    "Domain",
    "Exploration",
    "FragmentRelease",
    "Fragmentation",
    "Hierarchy",
    "Image",
    "LinkedRelease",
    "Measurement",
    "Metric",
    "Pipeline",
    "Plan",
    "PlannedRelease",
    "Policy",
    "PreCheck",
    "ProbablyLinkedRelease",
    "Recipe",
    "Relaxation",
    "Release",
    "Roles",
    "Scenario",
    "Success",
    "Suggestion",
    "Synthesis",
    "Transformation",
    "Unicity",
    "UtilityMeasurement",
    "Verdict",
    "Verification",
    "__version__",
    "anonymise",
    "answer",
    "apply",
    "associations",
    "attack",
    "audit",
    "build_hierarchies",
    "compare",
    "compose",
    "domain_text",
    "draft_domain",
    "edit_hierarchies",
    "explore",
    "fragment",
    "fragmentation",
    "level_recipe",
    "link",
    "link_by_likeness",
    "load_attackers",
    "load_domain",
    "load_recipe",
    "pipeline",
    "plan",
    "precheck",
    "preset_names",
    "read",
    "read_hierarchy",
    "read_image",
    "safe_harbor_recipe",
    "suggest",
    "synthesise",
    "unicity",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'anonscope' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
