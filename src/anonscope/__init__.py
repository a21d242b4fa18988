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
    from anonscope.metrics import METRICS, Measurement, Metric
    from anonscope.policy import Policy, Verdict, preset_names
    from anonscope.roles import Roles, Scenario
    from anonscope.suggestion.evidence import ColumnSuggestion
    from anonscope.suggestion.suggestion import Suggestion

# Where each public name lives. Names are fetched on first use, so that `anonscope --help` loads no engine.
_HOMES = {
    "METRICS": "anonscope.metrics",
    "AnonscopeError": "anonscope.errors",
    "Associations": "anonscope.exploration",
    "Audit": "anonscope.api",
    "ColumnSuggestion": "anonscope.suggestion.evidence",
    "Data": "anonscope.api",
    "Fragmentation": "anonscope.exploration",
    "Measurement": "anonscope.metrics",
    "Metric": "anonscope.metrics",
    "Policy": "anonscope.policy",
    "PreCheck": "anonscope.exploration",
    "Roles": "anonscope.roles",
    "Scenario": "anonscope.roles",
    "Suggestion": "anonscope.suggestion.suggestion",
    "Verdict": "anonscope.policy",
    "associations": "anonscope.exploration",
    "audit": "anonscope.api",
    "fragmentation": "anonscope.exploration",
    "precheck": "anonscope.exploration",
    "preset_names": "anonscope.policy",
    "read": "anonscope.api",
    "suggest": "anonscope.api",
}

__all__ = [
    "METRICS",
    "AnonscopeError",
    "Associations",
    "Audit",
    "ColumnSuggestion",
    "Data",
    "Fragmentation",
    "Measurement",
    "Metric",
    "Policy",
    "PreCheck",
    "Roles",
    "Scenario",
    "Suggestion",
    "Verdict",
    "__version__",
    "associations",
    "audit",
    "fragmentation",
    "precheck",
    "preset_names",
    "read",
    "suggest",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'anonscope' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
