"""How right `suggest` is on tables with known roles: `python -m benchmarks.roles [FOLDER]`.

FOLDER holds `truth.json` and `tables/NAME.csv`; by default `roles_unseen` under ANONSCOPE_DATA. A truth code is REQUIRED or
REQUIRED/ACCEPTED: D direct identifier, Q quasi-identifier, S sensitive, P person id, H household, W weight, N none.

    recall     columns that must have a role and got it or an accepted one, of those that must have it
    strict     got the very role
    by meaning those recalled whose meaning was recognised
    precision  of quasi-identifiers: proposed ones that must be, of these and those where it is not accepted
    right      got the required or an accepted role

Prints that by role, by language, what every kind of evidence is worth (left out one at a time), how far each confidence can be trusted,
what is left when the columns are called c1, c2, ..., and every miss by name.
"""

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import anonscope as an
from anonscope.columns.suggestion.propose import KINDS, propose
from anonscope.io.sources.relation import Column

CODES = {
    "direct identifier": "D",
    "quasi-identifier": "Q",
    "sensitive": "S",
    "person": "P",
    "household": "H",
    "weight": "W",
    "insensitive": "N",
}
NAMES = {code: role for role, code in CODES.items()}


@dataclass
class Score:
    """Counts over columns; add tables to it."""

    counts: Counter[str] = field(default_factory=Counter)
    misses: list[str] = field(default_factory=list)

    def add(self, table: str, truth: Mapping[str, str], columns: Iterable[Any]) -> None:
        """Count the columns of one suggestion against the truth, in the order of the table."""
        for (name, code), column in zip(truth.items(), columns, strict=True):
            need, _, more = code.partition("/")
            got, known = CODES[column.role], column.evidence.concept is not None
            right = got in need + more
            found = self.counts
            found.update(["columns", f"all {need}", f"sure {column.confidence}"])
            found["known"] += known
            found["right"] += right
            found[f"right {column.confidence}"] += right
            found[f"hit {need}"] += right
            found[f"strict {need}"] += got == need
            found[f"meant {need}"] += right and known
            found["true Q"] += got == need == "Q"
            if not right:
                found[f"false {got}"] += 1
                self.misses.append(f"{table}.{name}: {NAMES[need]}, proposed {column.role} ({column.confidence})")

    def share(self, part: str, whole: str) -> float:
        """Return a share of two counts; none of nothing is 1."""
        return self.counts[part] / self.counts[whole] if self.counts[whole] else 1.0

    @property
    def precision(self) -> float:
        """Of quasi-identifiers."""
        proposed = self.counts["true Q"] + self.counts["false Q"]
        return self.counts["true Q"] / proposed if proposed else 1.0


def scores(folder: Path, *, named: bool = True, without: Iterable[str] = (), tables: Iterable[str] | None = None) -> dict[str, Score]:
    """Return the score of every language, and of all tables together under "all"."""
    truths = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    found: dict[str, Score] = {"all": Score()}
    for name in tables if tables is not None else truths:
        truth = truths[name]
        with an.read(folder / "tables" / f"{name}.csv") as data:
            relation = data.relation
            if not named:
                relation = replace(relation, columns=tuple(Column(f"c{i}", c.type) for i, c in enumerate(relation.columns, start=1)))
            columns = propose(data.engine, relation, budget=0, without=without).columns
        for pool in ("all", truth["language"]):
            found.setdefault(pool, Score()).add(name, truth["columns"], columns)
    return found


def line(title: str, score: Score) -> str:
    """Return the figures of one pool as a row of a Markdown table."""
    parts = [f"{score.share(f'hit {role}', f'all {role}'):.2f}" if score.counts[f"all {role}"] else "-" for role in "DPQS"]
    strict = f"{score.share('strict S', 'all S'):.2f}" if score.counts["all S"] else "-"
    known = f"{score.share('known', 'columns'):.2f}"
    right = f"{score.share('right', 'columns'):.2f}"
    return (
        f"| {title} | {score.counts['columns']} | "
        + " | ".join([*parts[:3], f"{score.precision:.2f}", parts[3], strict, known, right])
        + " |"
    )


HEAD = (
    "| | Columns | Direct | Person | Quasi: recall | precision | Sensitive | strictly | Meaning | Right |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
)


def main() -> None:
    """Print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("ANONSCOPE_DATA", "../shared/data")) / "roles_unseen"
    parser.add_argument("folder", nargs="?", type=Path, default=default)
    folder = parser.parse_args().folder
    pools = scores(folder)
    everything = pools["all"]
    print(HEAD)
    for pool, score in pools.items():
        print(line(pool, score))
    print("\nBy role: recall, strictly, by recognised meaning")
    for role in "DPQSHW":
        if everything.counts[f"all {role}"]:
            shares = (everything.share(f"{part} {role}", f"all {role}") for part in ("hit", "strict", "meant"))
            print(f"| {NAMES[role]} | {everything.counts[f'all {role}']} | " + " | ".join(f"{share:.2f}" for share in shares) + " |")
    print("\nConfidence: columns, and the share of them that is right")
    for confidence in ("high", "medium", "low"):
        share = everything.share(f"right {confidence}", f"sure {confidence}")
        print(f"| {confidence} | {everything.counts[f'sure {confidence}']} | {share:.3f} |")
    print("\nWithout one kind of evidence\n" + HEAD)
    for kind in KINDS:
        print(line(f"without {kind}", scores(folder, without=[kind])["all"]))
    print("\nColumns called c1, c2, ...\n" + HEAD)
    print(line("all evidence but names", scores(folder, named=False)["all"]))
    for kind in KINDS[KINDS.index("letters") :]:
        print(line(f"also without {kind}", scores(folder, named=False, without=[kind])["all"]))
    print(f"\nMisses ({len(everything.misses)})")
    print("\n".join(everything.misses))


if __name__ == "__main__":
    main()
