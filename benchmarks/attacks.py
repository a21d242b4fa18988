"""What attacks find, and whether their intervals hold: python -m benchmarks.attacks [coverage] [speed] [releases] [downcoding] [peers].

`coverage` attacks tables whose answer is known: the table itself, its columns shuffled, and other people of the same population, over many
seeds (`--seeds`), and counts how often the 95 % interval has the exact or analytic value in it; once with people who are nearly all
different, and once with people of few kinds of whom a sample is attacked. `speed` takes CPU seconds on Adult, and on ten and a hundred
times as many drawn records. `releases` attacks releases of Adult in one table, `downcoding` releases by every method, `peers` runs
Anonymeter beside ours. Adult is read from ANONSCOPE_DATA.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa

import anonscope as an
from benchmarks.attacked_releases import adult, attack_adult, downcoded, releases
from benchmarks.peer_attacks import peers
from benchmarks.printing import Lines, at_least

LEAST = 183 / 200
Columns = dict[str, Any]


def population(chance: np.random.Generator, rows: int) -> Columns:
    """Return people whose columns do not hang together, and a sensitive value that hangs on none of them."""
    return {
        "age": chance.integers(0, 60, rows),
        "sex": chance.integers(0, 2, rows),
        "zip": chance.integers(0, 25, rows),
        "job": chance.integers(0, 8, rows),
        "ill": chance.choice(4, rows, p=[0.55, 0.25, 0.15, 0.05]),
    }


def alike(chance: np.random.Generator, rows: int) -> Columns:
    """Return people of few kinds: most have many twins."""
    return {
        "age": chance.integers(0, 6, rows),
        "sex": chance.integers(0, 2, rows),
        "zip": chance.integers(0, 3, rows),
        "ill": chance.choice(4, rows, p=[0.55, 0.25, 0.15, 0.05]),
    }


def attacked(release: Columns, original: Columns, control: Columns, seed: int, **options: Any) -> an.Attacks:
    """Attack with everything but the sensitive value known."""
    known = [name for name in original if name != "ill"]
    with (
        an.read(pa.table(original), quasi_identifiers=known, sensitive=["ill"], threads=1) as data,
        an.read(pa.table(release), threads=1) as given,
    ):
        return an.attack(given, data, control=pa.table(control), seed=seed, **options)


def coverage(seeds: int) -> None:
    """Print how often the interval of the risk has the true value in it."""
    _covered("400 people, a control of 200, all attacked", seeds, population, 400, 200, None)
    _covered("2,000 people of 36 kinds, a control of 1,000, 300 of each attacked", seeds, alike, 2000, 1000, 300)


def _covered(
    who: str, seeds: int, draw: Callable[[np.random.Generator, int], Columns], rows: int, others: int, targets: int | None
) -> None:
    title = f"Intervals that hold the true value, of {seeds} seeds; {who}"
    lines = Lines(title, ("release, attack", "held", "wanted", "narrowest"), first=48)
    kept: dict[tuple[str, str], list[bool]] = {}
    widths: dict[tuple[str, str], float] = {}
    for seed in range(seeds):
        chance = np.random.default_rng(seed)
        original, control, strangers = (draw(chance, count) for count in (rows, others, rows))
        shuffled = {name: chance.permutation(values) for name, values in original.items()}
        for title, release in (("the table itself", original), ("shuffled columns", shuffled), ("other people", strangers)):
            found = attacked(release, original, control, seed, paired=title != "other people", targets=targets)
            for result in found.results:
                truth = _truth(title, result, original, rows)
                if truth is None or result.interval is None:
                    continue
                key = (title, f"{result.attack}, {result.variant}")
                kept.setdefault(key, []).append(result.interval.low <= truth <= result.interval.high)
                widths[key] = min(widths.get(key, 1.0), result.interval.high - result.interval.low)
    for (title, name), held in kept.items():
        lines.add(f"{title}: {name}", f"{sum(held)}/{len(held)}", at_least(sum(held) / len(held), LEAST, ""), f"{widths[title, name]:.4f}")


def _truth(title: str, result: an.Success, original: Columns, rows: int) -> float | None:
    """Return the risk that an attack has on average, where it can be said exactly."""
    known = [name for name in original if name != "ill"]
    classes = len(np.unique(np.stack([original[name] for name in known]), axis=1).T)
    if result.smoke_test or result.status != "measured":
        return None
    if title == "the table itself":
        # Everybody's candidates are those with the same values: exactly one in so many is right.
        return classes / rows if result.attack == "linkability" and result.variant in ("candidates", "nearest") else None
    if result.attack == "inference":
        return 0.0
    if result.attack == "membership":
        return 0.0 if title == "other people" else None
    if result.attack == "linkability" and title == "shuffled columns" and result.variant in ("candidates", "nearest"):
        return 1 / rows
    if result.attack == "singling_out" and title == "other people" and result.variant == "several columns":
        return 0.0
    return None


def speed(folder: Path) -> None:
    """Print CPU seconds of all attacks on Adult with groups of five, and on drawn tables of more and more records."""
    lines = Lines("CPU seconds of all attacks, a control of a quarter, 2,000 targets", ("table", "records", "CPU s", "wanted"))
    train, control, release = adult(folder)
    start = process_time()
    attack_adult(release, train, control)
    taken = process_time() - start
    lines.add("Adult, groups of five", "20,000", f"{taken:.2f}", "met (<= 10 s)" if taken <= 10 else "MISSED (<= 10 s)")
    for rows, title in ((n, title) for title in ("ages by ten, no zip", "as it is") for n in (10_000, 100_000, 1_000_000)):
        chance = np.random.default_rng(1)
        original, others = population(chance, rows), population(chance, rows // 4)
        release_ = {**original, "age": [f"[{x // 10 * 10}-{x // 10 * 10 + 9}]" for x in original["age"]], "zip": ["*"] * rows}
        known = [name for name in original if name != "ill"]
        release_ = original if title == "as it is" else release_
        with (
            an.read(pa.table(original), quasi_identifiers=known, sensitive=["ill"], threads=1) as data,
            an.read(pa.table(release_), threads=1) as given,
        ):
            start = process_time()
            an.attack(given, data, control=pa.table(others), paired=True)
            lines.add(f"drawn, {title}", f"{rows:,}", f"{process_time() - start:.2f}", "")


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["coverage", "speed", "releases", "downcoding", "peers"])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--only", default="", help="of the releases those that are called so")
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        for what in given.what:
            if what == "coverage":
                coverage(given.seeds)
            elif what == "releases":
                releases(Path(folder), given.only)
            else:
                {"speed": speed, "downcoding": downcoded, "peers": peers}[what](Path(folder))


if __name__ == "__main__":
    main()
