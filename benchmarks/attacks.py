"""What attacks find, and whether their intervals hold: python -m benchmarks.attacks [coverage] [speed] [releases] [--seeds N].

`coverage` attacks tables whose answer is known: the table itself, its columns shuffled, and other people of the same population, over many
seeds, and counts how often the 95 % interval has the exact or analytic value in it. `speed` takes CPU seconds on Adult, and on ten and a
hundred times as many drawn records. `releases` attacks five releases of Adult in one table. Adult is read from ANONSCOPE_DATA.
"""

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as csv

import anonscope as an
from benchmarks.printing import Lines, at_least

QUASI_IDENTIFIERS = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
SENSITIVE = ("occupation", "income")
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


def attacked(release: Columns, original: Columns, control: Columns, seed: int, **options: Any) -> an.Attacks:
    """Attack with everything but the sensitive value known."""
    known = [name for name in original if name != "ill"]
    with (
        an.read(pa.table(original), quasi_identifiers=known, sensitive=["ill"], threads=1) as data,
        an.read(pa.table(release), threads=1) as given,
    ):
        return an.attack(given, data, control=pa.table(control), seed=seed, targets=None, **options)


def coverage(seeds: int, rows: int = 400, others: int = 200) -> None:
    """Print how often the interval of the risk has the true value in it."""
    title = f"Intervals that hold the true value, of {seeds} seeds; {rows} people, a control of {others}"
    lines = Lines(title, ("release, attack", "held", "wanted", "narrowest"), first=48)
    kept: dict[tuple[str, str], list[bool]] = {}
    widths: dict[tuple[str, str], float] = {}
    for seed in range(seeds):
        chance = np.random.default_rng(seed)
        original, control, strangers = (population(chance, count) for count in (rows, others, rows))
        shuffled = {name: chance.permutation(values) for name, values in original.items()}
        for title, release in (("the table itself", original), ("shuffled columns", shuffled), ("other people", strangers)):
            found = attacked(release, original, control, seed, paired=title != "other people")
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
    train, control, release = _adult(folder)
    start = process_time()
    _attack_adult(release, train, control)
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


def releases(folder: Path, only: str = "") -> None:
    """Print what attacks find in releases of Adult that were made in different ways."""
    train, control, grouped = _adult(folder)
    made: dict[str, Callable[[], Path]] = {
        "as it is": lambda: train,
        "k = 5": lambda: grouped,
        "k = 5, t = 0.3": lambda: _anonymised(folder, train, {"k_anonymity": 5, "t_closeness": 0.3}),
        "PRAM, kept 0.8": lambda: _post_randomised(folder, train),
        "noise on age, PRAM": lambda: _post_randomised(folder, train, noise=5.0),
        "CART, leaves of 5": lambda: _trees(folder, train, 5),
        "CART, leaves of 100": lambda: _trees(folder, train, 100),
    }
    shown = (
        *(("singling_out", "several columns", None), ("linkability", "candidates", None), ("linkability", "nearest", None)),
        *(("linkability", "assignment", None), ("linkability", "likelihood", None), ("inference", "candidates", "occupation")),
        *(("inference", "nearest", "occupation"), ("inference", "likelihood", "occupation"), ("inference", "nearest", "income")),
        *(("membership", "calibrated distance", None), ("membership", "density ratio", None), ("downcoding", "finer neighbours", None)),
    )
    lines = Lines("Adult, 20,000 people, 5,000 others: success / control, risk with its interval", ("release", "attack"), first=20)
    for title, make in made.items():
        if only not in title:
            continue
        release = make()
        found = _attack_adult(release, train, control, paired=not title.startswith("CART"))
        for name, variant, sensitive in shown:
            results = [r for r in found.select(name, variant) if sensitive is None or r.sensitive == sensitive]
            for r in results:
                what = f"{name}, {variant}" + (f" of {sensitive}" if sensitive else "")
                if r.status != "measured":
                    lines.note(title, f"{what}: {r.reason}")
                    continue
                control_ = "—" if r.control is None else f"{r.control:.3f}"
                lines.add(title, f"{what}: {r.success:.3f} / {control_}, {r.risk:+.3f} [{r.interval.low:+.3f}, {r.interval.high:+.3f}]")
        print(f"{title}: {found.cpu_seconds:.1f} CPU s")


def peers(folder: Path) -> None:
    """Print our attacks in the settings in which Anonymeter was measured: columns as they are, or each shuffled by itself."""
    train, control, _ = _adult(folder)
    table = csv.read_csv(train, convert_options=csv.ConvertOptions(strings_can_be_null=False))
    chance = np.random.default_rng(1)
    shuffled = folder / "shuffled.csv"
    csv.write_csv(pa.table({name: table[name].take(chance.permutation(len(table))) for name in table.column_names}), shuffled)
    six = ("relationship", "hours-per-week", "capital-gain", "capital-loss", "occupation", "income")
    lines = Lines("Adult in the settings of another tool", ("release, attack", "success", "control", "guessing", "risk"), first=60)
    for title, release in (("original", train), ("shuffled", shuffled)):
        found = _attack_adult(release, train, control, paired=True, attacks=["singling_out", "linkability", "inference"])
        with an.read(train, quasi_identifiers=list(six), threads=1) as data:
            also = an.attack(release, data, control=control, paired=True, attacks=["linkability"])
        for r in (*found.results, *(x for x in also.results if x.variant == "nearest")):
            about = f" of {r.sensitive}" if r.sensitive else ""
            cells = ("—" if x is None else f"{x:.3f}" for x in (r.success, r.control, r.baseline, r.risk))
            lines.add(f"{title}: {r.attack}, {r.variant}{about} ({len(r.columns)} columns)", *cells)


def _attack_adult(release: Path, train: Path, control: Path, **options: Any) -> an.Attacks:
    with an.read(train, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=SENSITIVE, threads=1) as data:
        return an.attack(release, data, control=control, class_size=5, **options)


def _adult(folder: Path) -> tuple[Path, Path, Path]:
    source = Path(os.environ["ANONSCOPE_DATA"]) / "adult/adult_full_48842.csv"
    table = csv.read_csv(source, convert_options=csv.ConvertOptions(strings_can_be_null=False))
    # What nobody knows and no analysis needs would tell everybody apart.
    table = table.drop_columns(["fnlwgt"])
    order = np.random.default_rng(3).permutation(len(table))
    train, control, release = folder / "train.csv", folder / "control.csv", folder / "grouped.csv"
    if not train.exists():
        csv.write_csv(table.take(order[:20_000]), train)
        csv.write_csv(table.take(order[20_000:25_000]), control)
    return train, control, release if release.exists() else _anonymised(folder, train, {"k_anonymity": 5}, release)


def _anonymised(folder: Path, train: Path, limits: dict[str, float], release: Path | None = None) -> Path:
    release = release or folder / f"limits-{len(limits)}.csv"
    with an.read(train, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=SENSITIVE, acknowledge_rest="a benchmark") as data:
        an.anonymise(data, limits=limits).write(release)
    return release


def _post_randomised(folder: Path, train: Path, noise: float = 0.0) -> Path:
    """Return a release whose known columns were post-randomised, all but the age, which may be off by normal noise."""
    step = '\n[[steps]]\napply = "post_randomise"\ncolumn = "{}"\nkeep = 0.8\nseed = {}\n'
    steps = "".join(step.format(name, i) for i, name in enumerate(QUASI_IDENTIFIERS[1:]))
    if noise:
        steps += f'\n[[steps]]\napply = "add_noise"\ncolumn = "age"\nscale = {noise}\ndistribution = "normal"\nwhole = true\nseed = 99\n'
    recipe, release = folder / f"pram-{noise:g}.toml", folder / f"pram-{noise:g}.csv"
    recipe.write_text('schema = "anonscope/recipe/1"\n' + steps, encoding="utf-8")
    with an.read(train) as data:
        an.apply(an.load_recipe(recipe), data).save(release)
    return release


def _trees(folder: Path, train: Path, leaf: int) -> Path:
    """Return a table made column by column: each value is drawn from the leaf of a tree that is grown on the columns before it."""
    from sklearn.tree import DecisionTreeClassifier

    table = csv.read_csv(train, convert_options=csv.ConvertOptions(strings_can_be_null=False))
    chance = np.random.default_rng(leaf)
    codes = {name: np.unique(table[name].to_numpy(), return_inverse=True) for name in table.column_names}
    made: dict[str, Any] = {}
    for i, name in enumerate(table.column_names):
        code = codes[name][1]
        if i == 0:
            made[name] = chance.choice(code, len(code))
            continue
        before = table.column_names[:i]
        tree = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=1).fit(np.stack([codes[c][1] for c in before], axis=1), code)
        real = tree.apply(np.stack([codes[c][1] for c in before], axis=1))
        drawn = tree.apply(np.stack([made[c] for c in before], axis=1))
        order = np.argsort(real, kind="stable")
        first, beyond = np.searchsorted(real[order], drawn, side="left"), np.searchsorted(real[order], drawn, side="right")
        made[name] = code[order[first + (chance.random(len(drawn)) * (beyond - first)).astype(np.int64)]]
    release = folder / f"cart-{leaf}.csv"
    csv.write_csv(pa.table({name: codes[name][0][made[name]] for name in table.column_names}), release)
    return release


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", default=["coverage", "speed", "releases", "peers"])
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
                {"speed": speed, "peers": peers}[what](Path(folder))


if __name__ == "__main__":
    main()
