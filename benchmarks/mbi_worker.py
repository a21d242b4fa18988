"""The process that fits mbi's graphical model to noisy counts and says what it expects. Runs in mbi's own environment, so it imports
nothing of ours but the clock."""

import json
import sys
import warnings
from itertools import combinations
from pathlib import Path
from time import process_time

warnings.simplefilter("ignore")

import jax  # noqa: E402
import numpy as np  # noqa: E402

jax.config.update("jax_enable_x64", True)

from mbi import Domain, LinearMeasurement  # noqa: E402
from mbi.estimation import MirrorDescent  # noqa: E402

from benchmarks.clock import Clock  # noqa: E402


def main() -> None:
    """Read what was measured, fit, and write what is expected of all pairs."""
    folder = Path(sys.argv[1])
    asked, arrays = json.loads((folder / "asked.json").read_text(encoding="utf-8")), np.load(folder / "measured.npz")
    names = [f"c{i}" for i in range(len(asked["sizes"]))]
    domain = Domain(names, tuple(asked["sizes"]))
    measured = [
        LinearMeasurement(arrays[f"m{i}"].ravel(), tuple(names[c] for c in one["columns"]), one["deviation"])
        for i, one in enumerate(asked["measured"])
    ]
    clock, start = Clock(), process_time()
    model = MirrorDescent().estimate(domain, measured, known_total=asked["total"], iters=asked["iterations"])
    fitting = process_time() - start
    loss = 0.0
    for one in measured:
        expected = np.asarray(model.project(one.clique).datavector())
        loss += float((((expected - np.asarray(one.noisy_measurement)) / one.stddev) ** 2).sum()) / 2
    pairs = [np.asarray(model.project(pair).values) / asked["total"] for pair in combinations(names, 2)]
    np.savez(folder / "pairs.npz", **{f"p{i}": table for i, table in enumerate(pairs)})
    print(json.dumps(clock.read(loss=loss, fitting=fitting)))


if __name__ == "__main__":
    main()
