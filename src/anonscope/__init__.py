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
    from anonscope.operations.approximate import Approximation, approximate
    from anonscope.operations.associations import Associations, associations
    from anonscope.operations.attack import Attacks, attack
    from anonscope.operations.attacking.attack_with import AttackWith
    from anonscope.operations.audit import Audit, audit
    from anonscope.operations.check import Checks, check
    from anonscope.operations.compare import compare
    from anonscope.operations.comparing.comparison import Comparison
    from anonscope.operations.compose import ComposedReleases, compose
    from anonscope.operations.describe import describe
    from anonscope.operations.explore import Exploration, explore
    from anonscope.operations.fragment import FragmentRelease, fragment
    from anonscope.operations.fragmentation import Fragmentation, fragmentation
    from anonscope.operations.hierarchy import build_hierarchies, edit_hierarchies
    from anonscope.operations.intruder_test import IntruderTest, intruder_test, judge_intruder_test
    from anonscope.operations.link import LinkedRelease, ProbablyLinkedRelease, link, link_by_likeness
    from anonscope.operations.pipeline import Pipeline, pipeline
    from anonscope.operations.plan import Plan, Relaxation, plan
    from anonscope.operations.planning.telling import PlannedRelease
    from anonscope.operations.precheck import PreCheck, precheck
    from anonscope.operations.read import Data, read
    from anonscope.operations.recipe import level_recipe, safe_harbor_recipe
    from anonscope.operations.register import Register, register, register_budget, register_release
    from anonscope.operations.registering.registration import Registration
    from anonscope.operations.seal import seal, seal_key
    from anonscope.operations.sign_off import SignOff, sign_off
    from anonscope.operations.signing.questions import SignOffAnswers, load_answers, questions_text
    from anonscope.operations.suggest import suggest
    from anonscope.operations.synthesise import Synthesis, draft_domain, synthesise
    from anonscope.operations.unicity import Unicity, unicity
    from anonscope.operations.verify import Verification, verify
    from anonscope.risk.metrics import METRICS, Measurement, Metric
    from anonscope.risk.policy import Policy, Verdict, preset_names
    from anonscope.synthesis.domain import Domain
    from anonscope.synthesis.domain_file import domain_text, load_domain
    from anonscope.synthesis.methods import METHODS
    from anonscope.transform.clusters import ResponseClusters, response_clusters
    from anonscope.transform.estimates import estimated_distribution
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
    "Approximation": "anonscope.operations.approximate",
    "Associations": "anonscope.operations.associations",
    "AttackInfo": "anonscope.attacks.registry",
    "Attacker": "anonscope.attacks.attacker",
    "AttackWith": "anonscope.operations.attacking.attack_with",
    "Attacks": "anonscope.operations.attack",
    "Audit": "anonscope.operations.audit",
    "Checks": "anonscope.operations.check",
    "ColumnSuggestion": "anonscope.columns.suggestion.evidence",
    "Comparison": "anonscope.operations.comparing.comparison",
    "ComposedReleases": "anonscope.operations.compose",
    "Data": "anonscope.operations.read",
    "Exploration": "anonscope.operations.explore",
    "FragmentRelease": "anonscope.operations.fragment",
    "Fragmentation": "anonscope.operations.fragmentation",
    "Hierarchy": "anonscope.columns.hierarchy",
    "Image": "anonscope.columns.images",
    "IntruderTest": "anonscope.operations.intruder_test",
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
    "Register": "anonscope.operations.register",
    "Registration": "anonscope.operations.registering.registration",
    "Release": "anonscope.operations.apply",
    "ResponseClusters": "anonscope.transform.clusters",
    "Roles": "anonscope.columns.roles",
    "Scenario": "anonscope.columns.roles",
    "SignOff": "anonscope.operations.sign_off",
    "SignOffAnswers": "anonscope.operations.signing.questions",
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
    "approximate": "anonscope.operations.approximate",
    "associations": "anonscope.operations.associations",
    "attack": "anonscope.operations.attack",
    "audit": "anonscope.operations.audit",
    "build_hierarchies": "anonscope.operations.hierarchy",
    "edit_hierarchies": "anonscope.operations.hierarchy",
    "check": "anonscope.operations.check",
    "compare": "anonscope.operations.compare",
    "compose": "anonscope.operations.compose",
    "describe": "anonscope.operations.describe",
    "estimated_distribution": "anonscope.transform.estimates",
    "explore": "anonscope.operations.explore",
    "fragment": "anonscope.operations.fragment",
    "fragmentation": "anonscope.operations.fragmentation",
    "intruder_test": "anonscope.operations.intruder_test",
    "judge_intruder_test": "anonscope.operations.intruder_test",
    "level_recipe": "anonscope.operations.recipe",
    "link": "anonscope.operations.link",
    "link_by_likeness": "anonscope.operations.link",
    "load_answers": "anonscope.operations.signing.questions",
    "load_attackers": "anonscope.attacks.attacker",
    "load_recipe": "anonscope.transform.recipe",
    "pipeline": "anonscope.operations.pipeline",
    "plan": "anonscope.operations.plan",
    "precheck": "anonscope.operations.precheck",
    "preset_names": "anonscope.risk.policy",
    "questions_text": "anonscope.operations.signing.questions",
    "read": "anonscope.operations.read",
    "read_hierarchy": "anonscope.columns.hierarchy",
    "read_image": "anonscope.columns.images",
    "register": "anonscope.operations.register",
    "register_budget": "anonscope.operations.register",
    "register_release": "anonscope.operations.register",
    "response_clusters": "anonscope.transform.clusters",
    "safe_harbor_recipe": "anonscope.operations.recipe",
    "seal": "anonscope.operations.seal",
    "seal_key": "anonscope.operations.seal",
    "sign_off": "anonscope.operations.sign_off",
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
    "Approximation",
    "Associations",
    "AttackInfo",
    "AttackWith",
    "Attacker",
    "Attacks",
    "Audit",
    "Checks",
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
    "IntruderTest",
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
    "Register",
    "Registration",
    "Relaxation",
    "Release",
    "ResponseClusters",
    "Roles",
    "Scenario",
    "SignOff",
    "SignOffAnswers",
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
    "approximate",
    "associations",
    "attack",
    "audit",
    "build_hierarchies",
    "check",
    "compare",
    "compose",
    "describe",
    "domain_text",
    "draft_domain",
    "edit_hierarchies",
    "estimated_distribution",
    "explore",
    "fragment",
    "fragmentation",
    "intruder_test",
    "judge_intruder_test",
    "level_recipe",
    "link",
    "link_by_likeness",
    "load_answers",
    "load_attackers",
    "load_domain",
    "load_recipe",
    "pipeline",
    "plan",
    "precheck",
    "preset_names",
    "questions_text",
    "read",
    "read_hierarchy",
    "read_image",
    "register",
    "register_budget",
    "register_release",
    "response_clusters",
    "safe_harbor_recipe",
    "seal",
    "seal_key",
    "sign_off",
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
