"""The process that asks pyCANON and prints what it took. Runs in pyCANON's environment, so it imports nothing of ours but the clock."""

import json
import sys

import pandas as pd
from pycanon import anonymity, report

from benchmarks.clock import Clock

asked = json.loads(sys.argv[1])
columns, sensitive = asked["quasi_identifiers"], [asked["sensitive"]]
frame = pd.read_csv(asked["path"])
clock = Clock()
if asked["what"] == "report":
    values = report.get_report_values(frame, columns, sensitive)
    k, l_value, t = values[0], values[2], values[8]
else:
    k = anonymity.k_anonymity(frame, columns)
    l_value = anonymity.l_diversity(frame, columns, sensitive)
    t = anonymity.t_closeness(frame, columns, sensitive)
print(json.dumps(clock.read(k=int(k), l=int(l_value), t=float(t))))
