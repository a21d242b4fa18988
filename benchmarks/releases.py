"""Is what was promised true of the files? python -m benchmarks.releases [--seconds 600] [--first SEED] [--jobs N]

Random typed tables are anonymised by every method, with suppressed records kept and dropped, and written in every format. Each file is
read as a stranger would and counted by definition; wherever anonscope said that the limits are met, they must be.
"""

import argparse
import os
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pyarrow as pa

import anonscope as an
from anonscope.errors import NotPublished
from benchmarks.random_tables import FORMATS, Case, case
from benchmarks.stranger import found_in, read, shared_profiles


def violations(given: Case, folder: Path, formats: Sequence[str] = FORMATS) -> tuple[bool, list[str]]:
    """Return whether anonscope said that the limits are met, and what a stranger finds otherwise in the files."""
    # Random bytes that hardly two records share look like an identifier; the word for them lets the search show what it does.
    bytes_ = {name: "random" for name in given.table.column_names if pa.types.is_binary(given.table.schema.field(name).type)}
    # In tables of so few people any column may stand in for an id that is left out or be one, and values that look alike are meant.
    others = (*given.roles["quasi_identifiers"], *given.roles["sensitive"])
    words = bytes_ | dict.fromkeys(others, "random") | _together(given)
    with an.read(given.table, **given.roles, acknowledge=words, threads=1) as data:
        asked: dict[str, Any] = {"limits": given.limits, "suppression": given.suppression, "suppressed": given.suppressed}
        try:
            # Ids of people that look alike are refused until somebody says a word, as they must be.
            data.check_ids(given.roles.get("person"))
        except NotPublished:
            return False, []
        found = an.anonymise(data, method=given.method, **asked)  # type: ignore[arg-type]
        if not found.met:
            return False, []
        wrong = []
        for form in formats:
            path = found.write(folder / f"{given.seed}.{form}", formulas="keep")
            wrong += [f"seed {given.seed}, {given.method}, {given.suppressed}, {form}: {what}" for what in _judged(given, found, path)]
    return True, wrong


def _together(given: Case) -> dict[str, str]:
    """Return the word by which records of one person stay together: for every other table; of the rest the ids may be left out."""
    return {given.roles["person"]: "tested"} if given.seed % 2 == 0 and "person" in given.roles else {}


def _judged(given: Case, found: Any, path: Path) -> list[str]:
    rows, roles = read(path), given.roles
    person = roles.get("person")
    left_out = person is not None and person not in found.release.columns
    seen = found_in(rows, roles["quasi_identifiers"], roles["sensitive"], None if left_out else person)
    wrong = list(seen.broken(given.limits))
    if left_out and any(person in row for row in rows):
        wrong.append("the id of the person is there, and was said to be left out")
    if person is not None and not left_out and not _together(given):
        fewest = shared_profiles(rows, roles["quasi_identifiers"], person)
        if fewest is not None and fewest < given.limits.get("k_anonymity", 1):
            wrong.append(f"all records of somebody together are shared by {fewest}, and nobody said that they may be")
    if seen.records != found.release.changes.records_after:
        wrong.append(f"{seen.records} records instead of {found.release.changes.records_after}")
    # Not only on the safe side: the very numbers that anonscope measured.
    (smallest,) = found.after.select("k_anonymity", level="person" if person and not left_out else "record")
    if smallest.value != seen.k:
        wrong.append(f"k is {seen.k}, and anonscope measured {smallest.value}")
    for name in roles["sensitive"]:
        measured = found.after.select("l_diversity", sensitive=name)[0].value
        if measured != seen.diversities[name]:
            wrong.append(f"l of {name} is {seen.diversities[name]}, and anonscope measured {measured}")
        distance = found.after.select("t_closeness", sensitive=name)[0].value
        if abs(distance - seen.distances[name]) > 1e-9:
            wrong.append(f"t of {name} is {seen.distances[name]}, and anonscope measured {distance}")
    return wrong


def _judged_until(seed: int, step: int, until: float) -> tuple[Counter[str], list[str]]:
    """Go through every so manieth case until time is up; return how many there were, and what was found."""
    counted: Counter[str] = Counter()
    wrong: list[str] = []
    while time.time() < until:
        with tempfile.TemporaryDirectory() as folder:
            met, found = violations(case(seed), Path(folder))
        counted.update(tables=1, met=int(met))
        wrong += found
        for line in found:
            print(line, flush=True)
        seed += step
    return counted, wrong


def main() -> None:
    """Go through cases until time is up, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.releases", description="Hold the files of releases to what was promised.")
    parser.add_argument("--seconds", type=float, default=60, help="how long to go on (default 60)")
    parser.add_argument("--first", type=int, default=0, help="the seed to begin with (default 0)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many processes (default: one a processor)")
    given = parser.parse_args()
    until = time.time() + given.seconds
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(_judged_until, range(given.first, given.first + given.jobs), repeat(given.jobs), repeat(until)))
    counted = sum((part[0] for part in parts), Counter[str]())
    wrong = [line for part in parts for line in part[1]]
    print(f"{counted['tables']:,} tables, {counted['met']:,} of them met their limits, in {counted['met'] * len(FORMATS):,} files")
    print(f"{len(wrong)} violations")


if __name__ == "__main__":
    main()
