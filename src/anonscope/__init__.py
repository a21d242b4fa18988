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
    from anonscope.api import Audit, Data, audit, read, suggest
    from anonscope.errors import AnonscopeError
    from anonscope.exploration import Associations, Fragmentation, PreCheck, associations, fragmentation, precheck
    from anonscope.images import Image, read_image
    from anonscope.metrics import METRICS, Measurement, Metric
    from anonscope.policy import Policy, Verdict, preset_names
    from anonscope.releasing import Release, apply
    from anonscope.roles import Roles, Scenario
    from anonscope.suggestion.evidence import ColumnSuggestion
    from anonscope.suggestion.suggestion import Suggestion
    from anonscope.transform import TRANSFORMATIONS, Transformation
    from anonscope.transform.recipe import Recipe, load_recipe

# Where each public name lives. Names are fetched on first use, so that `anonscope --help` loads no engine.
_HOMES = {
    "METRICS": "anonscope.metrics",
    "TRANSFORMATIONS": "anonscope.transform",
    "AnonscopeError": "anonscope.errors",
    "Associations": "anonscope.exploration",
    "Audit": "anonscope.api",
    "ColumnSuggestion": "anonscope.suggestion.evidence",
    "Data": "anonscope.api",
    "Fragmentation": "anonscope.exploration",
    "Image": "anonscope.images",
    "Measurement": "anonscope.metrics",
    "Metric": "anonscope.metrics",
    "Policy": "anonscope.policy",
    "PreCheck": "anonscope.exploration",
    "Recipe": "anonscope.transform.recipe",
    "Release": "anonscope.releasing",
    "Roles": "anonscope.roles",
    "Scenario": "anonscope.roles",
    "Suggestion": "anonscope.suggestion.suggestion",
    "Transformation": "anonscope.transform",
    "Verdict": "anonscope.policy",
    "apply": "anonscope.releasing",
    "associations": "anonscope.exploration",
    "audit": "anonscope.api",
    "fragmentation": "anonscope.exploration",
    "load_recipe": "anonscope.transform.recipe",
    "precheck": "anonscope.exploration",
    "preset_names": "anonscope.policy",
    "read": "anonscope.api",
    "read_image": "anonscope.images",
    "suggest": "anonscope.api",
}

__all__ = [
    "METRICS",
    "TRANSFORMATIONS",
    "AnonscopeError",
    "Associations",
    "Audit",
    "ColumnSuggestion",
    "Data",
    "Fragmentation",
    "Image",
    "Measurement",
    "Metric",
    "Policy",
    "PreCheck",
    "Recipe",
    "Release",
    "Roles",
    "Scenario",
    "Suggestion",
    "Transformation",
    "Verdict",
    "__version__",
    "apply",
    "associations",
    "audit",
    "fragmentation",
    "load_recipe",
    "precheck",
    "preset_names",
    "read",
    "read_image",
    "suggest",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'anonscope' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
