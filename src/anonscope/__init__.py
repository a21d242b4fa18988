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
    from anonscope.anonymisation import Anonymisation, anonymise
    from anonscope.api import Audit, audit, suggest
    from anonscope.coarsening import build_hierarchies
    from anonscope.comparison import Comparison, compare
    from anonscope.data import Data, read
    from anonscope.errors import AnonscopeError
    from anonscope.exploration import Associations, Fragmentation, PreCheck, associations, fragmentation, precheck
    from anonscope.fragment_release import FragmentRelease, fragment
    from anonscope.hierarchy import Hierarchy, read_hierarchy
    from anonscope.images import Image, read_image
    from anonscope.linking import ComposedReleases, LinkedRelease, ProbablyLinkedRelease, compose, link, link_by_likeness
    from anonscope.metrics import METRICS, Measurement, Metric
    from anonscope.policy import Policy, Verdict, preset_names
    from anonscope.recipes import level_recipe, safe_harbor_recipe
    from anonscope.releasing import Release, apply
    from anonscope.roles import Roles, Scenario
    from anonscope.stages import Pipeline, pipeline
    from anonscope.suggestion.evidence import ColumnSuggestion
    from anonscope.suggestion.suggestion import Suggestion
    from anonscope.transform import TRANSFORMATIONS, Transformation
    from anonscope.transform.recipe import Recipe, load_recipe
    from anonscope.utility import UTILITIES, UtilityMeasurement
    from anonscope.verification import Verification, verify

# Where each public name lives. Names are fetched on first use, so that `anonscope --help` loads no engine.
_HOMES = {
    "METRICS": "anonscope.metrics",
    "TRANSFORMATIONS": "anonscope.transform",
    "UTILITIES": "anonscope.utility",
    "AnonscopeError": "anonscope.errors",
    "Anonymisation": "anonscope.anonymisation",
    "Associations": "anonscope.exploration",
    "Audit": "anonscope.api",
    "ColumnSuggestion": "anonscope.suggestion.evidence",
    "Comparison": "anonscope.comparison",
    "ComposedReleases": "anonscope.linking",
    "Data": "anonscope.data",
    "FragmentRelease": "anonscope.fragment_release",
    "Fragmentation": "anonscope.exploration",
    "Hierarchy": "anonscope.hierarchy",
    "Image": "anonscope.images",
    "LinkedRelease": "anonscope.linking",
    "Measurement": "anonscope.metrics",
    "Metric": "anonscope.metrics",
    "Pipeline": "anonscope.stages",
    "Policy": "anonscope.policy",
    "PreCheck": "anonscope.exploration",
    "ProbablyLinkedRelease": "anonscope.linking",
    "Recipe": "anonscope.transform.recipe",
    "Release": "anonscope.releasing",
    "Roles": "anonscope.roles",
    "Scenario": "anonscope.roles",
    "Suggestion": "anonscope.suggestion.suggestion",
    "Transformation": "anonscope.transform",
    "UtilityMeasurement": "anonscope.utility",
    "Verdict": "anonscope.policy",
    "Verification": "anonscope.verification",
    "anonymise": "anonscope.anonymisation",
    "apply": "anonscope.releasing",
    "associations": "anonscope.exploration",
    "audit": "anonscope.api",
    "build_hierarchies": "anonscope.coarsening",
    "compare": "anonscope.comparison",
    "compose": "anonscope.linking",
    "fragment": "anonscope.fragment_release",
    "fragmentation": "anonscope.exploration",
    "level_recipe": "anonscope.recipes",
    "link": "anonscope.linking",
    "link_by_likeness": "anonscope.linking",
    "load_recipe": "anonscope.transform.recipe",
    "pipeline": "anonscope.stages",
    "precheck": "anonscope.exploration",
    "preset_names": "anonscope.policy",
    "read": "anonscope.data",
    "read_hierarchy": "anonscope.hierarchy",
    "read_image": "anonscope.images",
    "safe_harbor_recipe": "anonscope.recipes",
    "suggest": "anonscope.api",
    "verify": "anonscope.verification",
}

__all__ = [
    "METRICS",
    "TRANSFORMATIONS",
    "UTILITIES",
    "AnonscopeError",
    "Anonymisation",
    "Associations",
    "Audit",
    "ColumnSuggestion",
    "Comparison",
    "ComposedReleases",
    "Data",
    "FragmentRelease",
    "Fragmentation",
    "Hierarchy",
    "Image",
    "LinkedRelease",
    "Measurement",
    "Metric",
    "Pipeline",
    "Policy",
    "PreCheck",
    "ProbablyLinkedRelease",
    "Recipe",
    "Release",
    "Roles",
    "Scenario",
    "Suggestion",
    "Transformation",
    "UtilityMeasurement",
    "Verdict",
    "Verification",
    "__version__",
    "anonymise",
    "apply",
    "associations",
    "audit",
    "build_hierarchies",
    "compare",
    "compose",
    "fragment",
    "fragmentation",
    "level_recipe",
    "link",
    "link_by_likeness",
    "load_recipe",
    "pipeline",
    "precheck",
    "preset_names",
    "read",
    "read_hierarchy",
    "read_image",
    "safe_harbor_recipe",
    "suggest",
    "verify",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'anonscope' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
