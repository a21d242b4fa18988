"""Our inference beside that of mbi on the same noisy counts: python -m benchmarks.synthesis_peer [--mbi PYTHON] [--iterations N].

mbi (private-PGM) needs jax and some gigabytes, so it lives in an environment of its own, which is made the first time; `--mbi` names the
Python of one that is there already. Both get the same measurements of Adult, made once by `adaptive` at epsilon 1: every noisy count with
its deviation, over the same cells. Told are the weighted sum of squares that each ends with (the smaller fits better), how far their
expectations of all pairs of columns are from each other and from the truth, and CPU seconds. It shares no line with ours.
"""

import argparse
import json
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np

import anonscope as an
from anonscope.synthesis.adaptive import Adaptive, JunctionModel
from anonscope.synthesis.cells import cell_table
from anonscope.synthesis.counts import GroupedCounts, RecordCounts, counts_of
from anonscope.synthesis.curator import Here
from anonscope.synthesis.drawing import draw_records
from anonscope.synthesis.junction import Junction, NoisyMarginal
from anonscope.synthesis.ledger import Ledger
from anonscope.synthesis.mechanisms import OpenDP
from benchmarks.environment import python_with
from benchmarks.job import ROOT, NotMeasured, run_in_fresh_process
from benchmarks.printing import Lines, megabytes
from benchmarks.synthesis import Adult

PEER = "mbi==2.0.0"
ENVIRONMENT = ROOT / ".venv-mbi"
_TIME_LIMIT = 1800.0
_ROWS = 200_000  # drawn of our model, to know what it expects of pairs that are in no clique


def measured(epsilon: float) -> tuple[JunctionModel, list[Any]]:
    """Return what `adaptive` learnt of Adult, and the true counts of all pairs over the same cells."""
    adult = Adult()
    with an.read(adult.train, threads=1) as data:
        counts = counts_of(data.engine, cell_table(data.engine, data.relation, adult.domain), adult.domain)
        ledger = Ledger.concentrated(epsilon, 1e-9)
        model = Adaptive().fit(Here(counts, OpenDP()), adult.domain, ledger)
        pairs = GroupedCounts(counts, model.columns.groups).several([*combinations(range(len(counts.sizes)), 2)])
    return model, [table / table.sum() for table in pairs]


def ours_again(model: JunctionModel, steps: int) -> tuple[Junction, float]:
    """Return our model fitted from the beginning to all measurements at once, and the CPU seconds that took."""
    start = process_time()
    fresh = [NoisyMarginal(one.columns, one.counts, one.deviation) for one in model.junction.measured]
    junction = Junction(fresh, model.junction.sizes, model.junction.total)
    junction.fit(steps)
    return junction, process_time() - start


def loss_of(junction: Junction) -> float:
    """Return half the sum of squares of what is expected less what was measured, each by its deviation."""
    expected = junction.expected(junction.marginals())
    return sum(float((((e - m.counts) / m.deviation) ** 2).sum()) / 2 for e, m in zip(expected, junction.measured, strict=True))


def distance(some: list[Any], others: list[Any]) -> float:
    """Return the mean total variation over all pairs."""
    return float(np.mean([0.5 * np.abs(a - b).sum() for a, b in zip(some, others, strict=True)]))


def main() -> None:
    """Measure both, and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mbi", type=Path, default=None)
    parser.add_argument("--iterations", type=int, default=1000)
    given = parser.parse_args()
    model, true = measured(1.0)
    junction, seconds = ours_again(model, given.iterations)
    drawn = RecordCounts(draw_records(junction.conditionals(), _ROWS, np.random.default_rng(1)), junction.sizes)
    ours = [table / _ROWS for table in drawn.several([*combinations(range(len(junction.sizes)), 2)])]
    lines = Lines(
        f"The same {len(junction.measured)} noisy counts of Adult",
        ("inference", "loss", "TV to truth", "TV to ours", "CPU s", "MB"),
        first=30,
    )
    lines.add("ours, numpy", f"{loss_of(junction):.1f}", f"{distance(ours, true):.4f}", "0", f"{seconds:.1f}", "-")
    try:
        python = given.mbi or python_with(PEER, ENVIRONMENT)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "measured.npz"
            arrays = {f"m{i}": one.counts for i, one in enumerate(junction.measured)}
            told = [{"columns": one.columns, "deviation": one.deviation} for one in junction.measured]
            asked = {"sizes": junction.sizes, "total": junction.total, "measured": told, "iterations": given.iterations}
            np.savez(path, **arrays)
            Path(folder, "asked.json").write_text(json.dumps(asked), encoding="utf-8")
            run = run_in_fresh_process([str(python), "-m", "benchmarks.mbi_worker", folder], time_limit=_TIME_LIMIT)
            found = np.load(Path(folder) / "pairs.npz")
            theirs = [found[f"p{i}"] for i in range(len(ours))]
    except NotMeasured as reason:
        lines.note("mbi", reason)
        return
    told_loss, fitting = run.facts["loss"], run.facts["fitting"]
    far = f"{distance(theirs, true):.4f}", f"{distance(theirs, ours):.4f}"
    lines.add(f"mbi, {given.iterations:,} iterations", f"{told_loss:.1f}", *far, f"{fitting:.1f}", megabytes(run.peak))


if __name__ == "__main__":
    main()
