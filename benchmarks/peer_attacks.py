"""Anonymeter beside our attacks, in one run on the same tables. It pins its own numpy, so it lives in an environment of its own."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

import anonscope as an
from benchmarks.attacked_releases import QUASI_IDENTIFIERS, adult, attack_adult
from benchmarks.environment import python_with
from benchmarks.job import ROOT, NotMeasured
from benchmarks.printing import Lines

PEER = "anonymeter==1.1.0"
OTHERS = ("relationship", "hours-per-week", "capital-gain", "capital-loss", "occupation", "income")
ATTACKS = 1000


def peers(folder: Path) -> None:
    """Print both, on columns as they are, each shuffled by itself, and a release with groups of five."""
    train, control, grouped = adult(folder)
    table = csv.read_csv(train, convert_options=csv.ConvertOptions(strings_can_be_null=False))
    chance = np.random.default_rng(1)
    shuffled = folder / "shuffled.csv"
    csv.write_csv(pa.table({name: table[name].take(chance.permutation(len(table))) for name in table.column_names}), shuffled)
    releases = {"original": train, "shuffled": shuffled, "k = 5": grouped}
    _theirs(releases, train, control)
    lines = Lines("Ours", ("release, attack", "success", "control", "guessing", "risk"), first=66)
    for title, release in releases.items():
        found = attack_adult(release, train, control, paired=True, attacks=["singling_out", "linkability", "inference"])
        also: list[an.Success] = []
        others = ((table.column_names, (), ["singling_out"]), (OTHERS, (), ["linkability"]), (_rest(table), ("income",), ["inference"]))
        for known, sensitive, attacks in others:
            with an.read(train, quasi_identifiers=list(known), sensitive=list(sensitive), threads=1) as data:
                also += an.attack(release, data, control=control, paired=True, attacks=attacks).results
        for r in (*found.results, *(x for x in also if x.attack == "singling_out" or x.variant == "nearest")):
            about = f" of {r.sensitive}" if r.sensitive else ""
            cells = ("—" if x is None else f"{x:.3f}" for x in (r.success, r.control, r.baseline, r.risk))
            lines.add(f"{title}: {r.attack}, {r.variant}{about} ({len(r.columns)} columns)", *cells)


def _rest(table: Any) -> list[str]:
    return [name for name in table.column_names if name != "income"]


def _theirs(releases: dict[str, Path], train: Path, control: Path) -> None:
    lines = Lines(f"{PEER}, {ATTACKS:,} attacks each", ("release, attack", "success", "control", "guessing", "risk", "CPU s"), first=66)
    try:
        python = python_with(PEER, ROOT / ".venv-anonymeter")
    except NotMeasured as reason:
        lines.note(PEER, reason)
        return
    asked = {
        "tables": {name: str(path) for name, path in {"control": control, **releases, "original": train}.items()},
        "releases": list(releases),
        "known": QUASI_IDENTIFIERS,
        "others": OTHERS,
        "attacks": ATTACKS,
    }
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), "-P", str(ROOT / "benchmarks" / "peer_attacks_worker.py"), json.dumps(asked)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment) as process:
        assert process.stdout is not None
        for line in process.stdout:
            said = json.loads(line)
            title = f"{said['release']}: {said['attack']}"
            if "failed" in said:
                lines.note(title, f"fails with {said['failed']}")
                continue
            lines.add(title, *(f"{rate:.3f}" for rate in said["rates"]), f"{said['seconds']:.1f}")
    if process.returncode:
        lines.note(PEER, f"ended with status {process.returncode}")
