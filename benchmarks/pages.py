"""Every kind of page for every kind of table: what the pictures and the check of widths look at."""

import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

import anonscope as an
from anonscope.io.samples import write_hospital

LONG = ["x" * 500, "a name of " + "many words " * 45, "diagnosis_" + "y" * 490]
SIXTY = [f"q{i:02}" for i in range(60)]
VERBS = (
    "audit",
    "plan",
    "explore",
    "anonymise",
    "compare",
    "link",
    "attack",
    "synthesise",
    "answer",
    "precheck",
    "associations",
    "fragment",
    "pipeline",
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A table to make pages of: how it is read, and the limit that a release of it keeps."""

    source: Any
    roles: dict[str, Any]
    synthesised: tuple[str, ...] = ()  # columns that a table is drawn of
    queries: Path | None = None


def invented(names: list[str], values: int) -> pa.Table:
    """Return a table of 200 records with columns of these names, drawn by chance."""
    drawn = random.Random(1)
    return pa.table({name: [drawn.randrange(values) for _ in range(200)] for name in names})


def tables(folder: Path) -> dict[str, Shown]:
    """Return the tables: the sample, awkward ones, and the public ones if they are here."""
    write_hospital(folder)
    roles = {"roles": folder / "patients.roles.toml", "rows": 2000}
    found = {
        "sample": Shown(folder / "patients.csv", roles, ("sex", "age", "insurance"), folder / "patients.queries.toml"),
        "long names": Shown(invented(LONG, 9), {"quasi_identifiers": LONG[:2], "sensitive": LONG[2:]}, tuple(LONG[1:])),
        "sixty": Shown(invented([*SIXTY, "ill"], 3), {"quasi_identifiers": SIXTY, "sensitive": ["ill"]}, tuple(SIXTY[:3])),
    }
    real = Path(os.environ.get("ANONSCOPE_DATA") or "none")
    if real.is_dir():
        oulad = {"quasi_identifiers": ["gender", "region", "highest_education", "age_band"], "sensitive": ["final_result"], "rows": 3000}
        adult = {"quasi_identifiers": ["age", "sex", "race", "marital-status", "education", "native-country", "occupation"], "rows": 3000}
        adult |= {"sensitive": ["income", "capital-gain"], "direct_identifiers": ["fnlwgt"]}
        found |= {
            "Adult": Shown(real / "adult" / "adult_full_48842.csv", adult, ("sex", "race")),
            "SPARCS": Shown(real / "sparcs" / "sparcs_2016_sample1000.csv", {}, ("Gender", "Race")),
            "OULAD": Shown(real / "oulad" / "studentInfo.csv", oulad | {"person": "id_student"}, ("gender", "age_band")),
        }
    return found


def pages(table: Shown) -> Iterator[tuple[str, Any]]:
    """Yield the results that have pages, each with its verb; a refusal is yielded as what it says."""
    with an.read(table.source, acknowledge_rest="for the picture", **table.roles) as data:
        if not data.roles.attributes:
            data.accept(an.suggest(data))
        released: dict[str, Any] = {}

        def release() -> Any:
            if not released:
                released["made"] = an.anonymise(data, limits={"k_anonymity": 3}, method="mondrian")
            return released["made"]

        def audit() -> Any:
            found = an.audit(data, explain="quick")
            return replace(found, planned=found.plan(seconds=2))

        made: dict[str, Callable[[], Any]] = {
            "audit": audit,
            "plan": lambda: an.plan(data, "trusted-internal", seconds=2),
            "explore": lambda: an.explore(data, "trusted-internal", levels={data.roles.attributes[0]: 1}),
            "anonymise": release,
            "compare": lambda: an.compare(data, release().release, names=["release"], policy="trusted-internal"),
            "link": lambda: an.link(data, table.source if isinstance(table.source, pa.Table) else str(table.source)),
            "attack": lambda: an.attack(release(), data, targets=200),
            "synthesise": lambda: an.synthesise(data, an.draft_domain(data, list(table.synthesised)), epsilon=1.0, seed=1),
            "answer": lambda: an.answer(data, table.queries) if table.queries is not None else None,
            "precheck": lambda: an.precheck(data),
            "associations": lambda: an.associations(data),
            "fragment": lambda: an.fragment(data, limits={"k_anonymity": 3}, method="mondrian"),
            "pipeline": lambda: an.pipeline(data),
        }
        assert tuple(made) == VERBS
        for verb, make in made.items():
            try:
                result = make()
            except an.AnonscopeError as error:
                result = error
            if result is not None:
                yield verb, result
