"""Releases of Adult that were made in different ways, attacked: 20,000 people, and 5,000 others as control."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as csv

import anonscope as an
from anonscope.synthesis.domain import Categories, Domain, Numbers
from benchmarks.printing import Lines

QUASI_IDENTIFIERS = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
SENSITIVE = ("occupation", "income")
METHODS = ("global", "subtree", "local", "mondrian")
# Bounds and steps that anybody could state who never saw the table.
NUMBERS = {"age": (17, 90, 1), "education-num": (1, 16, 1), "capital-gain": (0, 99_999, 1000), "capital-loss": (0, 4356, 100)}
NUMBERS |= {"hours-per-week": (1, 99, 1)}
SHOWN = (
    *(("singling_out", "several columns", None), ("linkability", "candidates", None), ("linkability", "nearest", None)),
    *(("linkability", "assignment", None), ("linkability", "likelihood", None), ("inference", "candidates", "occupation")),
    *(("inference", "nearest", "occupation"), ("inference", "likelihood", "occupation"), ("inference", "nearest", "income")),
    *(("membership", "calibrated distance", None), ("membership", "density ratio", None), ("membership", "candidate presence", None)),
    ("downcoding", "finer neighbours", None),
)


def releases(folder: Path, only: str = "") -> None:
    """Print what attacks find in releases of Adult that were made in different ways."""
    train, control, grouped = adult(folder)
    made: dict[str, Callable[[], Path]] = {
        "as it is": lambda: train,
        "k = 5": lambda: grouped,
        "k = 5, t = 0.3": lambda: _anonymised(folder, train, {"k_anonymity": 5, "t_closeness": 0.3}),
        "PRAM, kept 0.8": lambda: post_randomised(folder, train),
        "noise on age, PRAM": lambda: post_randomised(folder, train, noise=5.0),
        "DP tree, epsilon 1": lambda: _drawn(folder, train, "tree", epsilon=1.0),
        "CART, leaves of 5": lambda: _drawn(folder, train, "cart", parameters={"leaf": 5}),
        "CART, leaves of 200": lambda: _drawn(folder, train, "cart"),
    }
    for title, make in made.items():
        if only not in title:
            continue
        lines = Lines(f"{title}: 20,000 people of Adult, 5,000 others", ("attack", "success", "control", "risk", "interval"), first=44)
        synthetic = title.startswith(("DP", "CART"))
        found = attack_adult(make(), train, control, paired=not synthetic)
        for name, variant, sensitive in SHOWN:
            for r in (r for r in found.select(name, variant) if sensitive is None or r.sensitive == sensitive):
                what = f"{name}, {variant}" + (f" of {sensitive}" if sensitive else "")
                if r.success is None or r.risk is None or r.interval is None:
                    lines.note(what, str(r.reason))
                    continue
                shares = (f"{r.success:.3f}", "—" if r.control is None else f"{r.control:.3f}", f"{r.risk:+.3f}")
                lines.add(what, *shares, f"{r.interval.low:+.3f} to {r.interval.high:+.3f}")
        print(f"{found.cpu_seconds:.1f} CPU s")


def downcoded(folder: Path) -> None:
    """Print what it tells that a release is no coarser than it had to be, for every method of the search."""
    train, control, _ = adult(folder)
    lines = Lines("Downcoding of k = 5 by method", ("method", "cells shrunk", "rightly", "bits a cell", "joint bits a class"))
    for method in METHODS:
        release = _anonymised(folder, train, {"k_anonymity": 5}, folder / f"{method}.csv", method=method)
        (found,) = attack_adult(release, train, control, paired=True, attacks=["downcoding"]).results
        if found.status != "measured":
            lines.note(method, str(found.reason))
            continue
        f = found.figures
        lines.add(method, *(f"{f[name]:.3f}" for name in ("claimed", "right_of_claimed", "bits_per_cell", "joint_bits_per_class")))


def attack_adult(release: Path, train: Path, control: Path, **options: Any) -> an.Attacks:
    """Attack a release of Adult by its seven quasi-identifiers."""
    with an.read(train, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=SENSITIVE, threads=1) as data:
        return an.attack(release, data, control=control, class_size=5, **options)


def adult(folder: Path) -> tuple[Path, Path, Path]:
    """Return 20,000 people, 5,000 others, and a release of the first with groups of five."""
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


def _anonymised(folder: Path, train: Path, limits: dict[str, float], release: Path | None = None, **how: Any) -> Path:
    release = release or folder / f"limits-{len(limits)}.csv"
    with an.read(train, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=SENSITIVE, acknowledge_rest="a benchmark") as data:
        an.anonymise(data, limits=limits, **how).write(release)
    return release


def post_randomised(folder: Path, train: Path, noise: float = 0.0) -> Path:
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


def _drawn(folder: Path, train: Path, method: Any, **how: Any) -> Path:
    """Return a synthetic table: the private tree of noisy marginals (the class of MST), or trees of decisions (CART)."""
    table = csv.read_csv(train, convert_options=csv.ConvertOptions(strings_can_be_null=False))
    declared = (
        Numbers(name=name, lower=NUMBERS[name][0], upper=NUMBERS[name][1], starts=_starts(*NUMBERS[name]), decimals=0)
        if name in NUMBERS
        else Categories(name=name, categories=tuple(sorted(map(str, table[name].unique().to_pylist()))))
        for name in table.column_names
    )
    release = folder / f"{method}-{len(list(folder.iterdir()))}.csv"
    with an.read(train, threads=1) as data:
        csv.write_csv(an.synthesise(data, Domain(columns=tuple(declared)), method=method, **how).table, release)
    return release


def _starts(lower: int, upper: int, width: int) -> tuple[float, ...]:
    """Return where bins begin; the lowest number, mostly none at all, has one of its own."""
    return (float(lower), *map(float, range(lower + 1, upper + 1, width)))
