"""Which scores predict what attacks find: python -m benchmarks.calibration [--rows N] [--rate SHARE].

Of a table of your own: python -m benchmarks.calibration --table FILE -q COLUMN -q COLUMN -s COLUMN [-d COLUMN] [--rate SHARE].

Every record of a few tables, and of releases with groups of 2, 5, 10 and 25, has scores (uniqueness, uniformity, correlation, one over
the size of its group) and was attacked: was it linked by its quasi-identifiers, was its sensitive value guessed? Records are put into
bands by each score, and the share that was found stands beside it, with how well the score orders the records (area under the curve, ties
by half) and the highest score up to which fewer are found than the rate that is wanted, by the upper end of the interval: a limit.
Tables: the bundled hospital, and Adult and ACS where
ANONSCOPE_DATA has them. ITPR is one figure a table, so it stands beside the success on the whole release.
"""

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import anonscope as an
from anonscope.attacks.attacker import attackers_of, fitting
from anonscope.attacks.candidates import View, distinct
from anonscope.attacks.inference import best, posterior, right, sensitive_of
from anonscope.attacks.linkability import own_among
from anonscope.attacks.success import area, wilson
from anonscope.io.samples import write_hospital
from anonscope.operations.attacking.tables import read_people
from benchmarks.printing import Lines

BANDS = (0.0, 0.05, 0.1, 0.2, 0.33, 0.5, 0.66, 0.8, 1.0)
RATE = 0.05
LEVELS = (1, 2, 5, 10, 25)


@dataclass(frozen=True)
class Table:
    """A table, what is known of people, and what is not."""

    name: str
    path: Path
    known: tuple[str, ...]
    sensitive: str
    identifiers: tuple[str, ...] = ()

    @property
    def roles(self) -> dict[str, Any]:
        """What `read` takes."""
        given = {"quasi_identifiers": self.known, "sensitive": [self.sensitive], "direct_identifiers": self.identifiers}
        return given | {"acknowledge_rest": "a benchmark", "threads": 1}


@dataclass
class Scored:
    """Records with their scores, and whether each was linked and its value guessed."""

    scores: dict[str, Any]
    linked: Any
    guessed: Any
    usual: float


def tables(folder: Path, rows: int) -> Iterator[Table]:
    """Return the tables that are at hand, their first records only."""
    yield Table("hospital", write_hospital(folder).patients, ("age", "zip", "sex", "marital_status"), "diagnosis", ("patient_id", "name"))
    data = os.environ.get("ANONSCOPE_DATA")
    if data is None:
        return
    import duckdb

    for name, file, known, sensitive in (
        ("Adult", "adult/adult_full_48842.csv", ("age", "workclass", "education", "marital-status", "race", "sex"), "occupation"),
        ("ACS", "nist_acs/national2019.csv", ("AGEP", "SEX", "RAC1P", "EDU", "MSP"), "PINCP_DECILE"),
    ):
        path = folder / f"{name}.csv"
        listed = ", ".join(f'"{column}"' for column in (*known, sensitive))
        source = f"read_csv('{Path(data) / file}', all_varchar = true)"
        duckdb.sql(f"COPY (SELECT {listed} FROM {source} USING SAMPLE {rows} ROWS (reservoir, 5)) TO '{path}' (HEADER)")
        yield Table(name, path, known, sensitive)


def scored(table: Table, level: int, folder: Path) -> Scored | None:
    """Attack a table, or its release with groups of so many, and score every record of it."""
    with an.read(
        table.path,
        quasi_identifiers=table.known,
        sensitive=[table.sensitive],
        direct_identifiers=table.identifiers,
        acknowledge_rest="a benchmark",
        threads=1,
    ) as data:
        release = table.path
        if level > 1:
            made = an.anonymise(data, limits={"k_anonymity": level})
            if not made.met:
                return None
            release = folder / f"{table.name}-{level}.csv"
            made.write(release)
        attacked = read_people(release, data)
        (attacker,) = attackers_of(data.roles)
    fit = fitting(attacker, attacked)
    view = View(attacked, fit.columns)
    kinds = distinct(attacked, attacked.original, fit.columns)
    people = attacked.original
    linked = own_among(view, kinds, people, view.nearest(kinds))
    about = sensitive_of(attacked, table.sensitive)
    guess = best(posterior(view, kinds, about, view.candidates(kinds)), about)
    guessed = right(guess, about, kinds.tuple_of, people.codes[table.sensitive])
    usual = float(about.prior.max())
    with an.read(
        release,
        quasi_identifiers=table.known,
        sensitive=[table.sensitive],
        # A release has them no more.
        direct_identifiers=table.identifiers if release == table.path else (),
        acknowledge_rest="a benchmark",
        threads=1,
    ) as data:
        found = an.audit(data)
        records = found.records(top=None)
        itpr = [m.max if m.max is not None else m.value for m in found.select("itpr")]
    order = np.argsort(records["row"].to_numpy())
    scores = {
        name: records[name].to_numpy()[order].astype(float) for name in ("uniqueness", "uniformity", f"correlation with {table.sensitive}")
    }
    scores = {name.split(" with ")[0]: values for name, values in scores.items()}
    scores["1 / k"] = 1 / records["class_size"].to_numpy()[order]
    scores["ITPR (of the table)"] = np.full(len(order), itpr[0] if itpr and itpr[0] is not None else np.nan)
    return Scored(scores, linked, guessed, usual)


def main() -> None:
    """Print bands, areas and thresholds over all tables and levels together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--rate", type=float, default=RATE, help="the share of records that may be found")
    parser.add_argument("--table", type=Path, help="a table of your own, instead of those that are known")
    parser.add_argument("-q", action="append", default=[], metavar="COLUMN", help="what is known of people")
    parser.add_argument("-s", metavar="COLUMN", help="what is not")
    parser.add_argument("-d", action="append", default=[], metavar="COLUMN", help="what says who somebody is")
    given = parser.parse_args()
    if not 0 < given.rate < 1:
        parser.error("a rate lies between 0 and 1")
    if given.table is not None and (not given.q or given.s is None):
        parser.error("say what is known of people (-q) and what is not (-s)")
    found: list[Scored] = []
    lines = Lines("Tables", ("table, smallest group", "records", "linked", "guessed", "commonest", "ITPR"))
    with TemporaryDirectory() as name:
        own = Table(given.table.name, given.table, tuple(given.q), given.s, tuple(given.d)) if given.table is not None else None
        for table in tables(Path(name), given.rows) if own is None else [own]:
            for level in LEVELS:
                one = scored(table, level, Path(name))
                if one is None:
                    lines.note(f"{table.name}, {level}", "no release keeps the limit")
                    continue
                found.append(one)
                itpr = one.scores["ITPR (of the table)"][0]
                lines.add(
                    f"{table.name}, {level}",
                    len(one.linked),
                    f"{one.linked.mean():.3f}",
                    f"{one.guessed.mean():.3f}",
                    f"{one.usual:.3f}",
                    f"{itpr:.3f}",
                )
    for what in ("linked", "guessed"):
        _bands(found, what, given.rate)


def suggested(score: Any, hit: Any, rate: float = RATE) -> float | None:
    """Return the highest end of a band up to which fewer records were found than the rate; None if there is none.

    By the upper end of the interval, so that a few lucky records do not pass, and only where no lower band fails: a limit is one for
    everything below it.
    """
    safe = None
    for high in BANDS[1:]:
        below = score <= high
        if not below.any():
            continue
        if wilson(float(hit[below].mean()), int(below.sum())).high >= rate:
            break
        safe = high
    return safe


def _bands(found: list[Scored], what: str, rate: float) -> None:
    names = [name for name in found[0].scores if "ITPR" not in name]
    hit = np.concatenate([getattr(one, what) for one in found])
    columns = [f"{low:g}-{high:g}" for low, high in pairwise(BANDS)]
    lines = Lines(
        f"Share of records that were {what}, by the band of each score (n below)",
        ("score", *columns, "area", f"< {rate:.0%} up to"),
        first=14,
    )
    for name in names:
        score = np.concatenate([one.scores[name] for one in found])
        cells, counts, limit = [], [], suggested(score, hit, rate)
        for low, high in pairwise(BANDS):
            inside = (score > low) & (score <= high) if low else score <= high
            cells.append(f"{hit[inside].mean():.3f}" if inside.any() else "—")
            counts.append(f"{inside.sum():,}")
        lines.add(name, *cells, f"{_order(score, hit):.3f}", "no band" if limit is None else f"{limit:g}")
        lines.add("  records", *counts)


def _order(score: Any, hit: Any) -> float:
    """Return how often of two records the one that is found more surely has the higher score."""
    above = hit > np.median(hit)
    if above.all() or not above.any():
        above = hit >= np.median(hit)
    return area(score[above], score[~above]) if above.any() and not above.all() else float("nan")


if __name__ == "__main__":
    main()
