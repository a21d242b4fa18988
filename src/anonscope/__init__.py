"""Whether a table about people may be released, and why.

import anonscope as an

with an.read("patients.csv", quasi_identifiers=["age", "zip", "sex"], sensitive=["diagnosis"]) as data:
    audit = an.audit(data, policy="scorr")
print(audit.verdict.outcome)
audit.save("report.html")
"""

from anonscope.api import Audit, Data, audit, read
from anonscope.errors import AnonscopeError
from anonscope.metrics import METRICS, Measurement, Metric
from anonscope.policy import Policy, Verdict, preset_names
from anonscope.roles import Roles, Scenario
from anonscope.version import VERSION as __version__

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
