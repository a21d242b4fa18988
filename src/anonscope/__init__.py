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
    from anonscope.api import Audit, Data, audit, read
    from anonscope.errors import AnonscopeError
    from anonscope.metrics import METRICS, Measurement, Metric
    from anonscope.policy import Policy, Verdict, preset_names
    from anonscope.roles import Roles, Scenario

# Where each public name lives. Names are fetched on first use, so that `anonscope --help` loads no engine.
_HOMES = {
    "METRICS": "anonscope.metrics",
    "AnonscopeError": "anonscope.errors",
    "Audit": "anonscope.api",
    "Data": "anonscope.api",
    "Measurement": "anonscope.metrics",
    "Metric": "anonscope.metrics",
    "Policy": "anonscope.policy",
    "Roles": "anonscope.roles",
    "Scenario": "anonscope.roles",
    "Verdict": "anonscope.policy",
    "audit": "anonscope.api",
    "preset_names": "anonscope.policy",
    "read": "anonscope.api",
}

__all__ = [
    "METRICS",
    "AnonscopeError",
    "Audit",
    "Data",
    "Measurement",
    "Metric",
    "Policy",
    "Roles",
    "Scenario",
    "Verdict",
    "__version__",
    "audit",
    "preset_names",
    "read",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'anonscope' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
