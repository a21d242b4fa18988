"""Kim 2025's three scenarios: a balanced, a skewed and a rare table of 10,000 people, and what an attacker may hold of each.

S. Kim (2025), "Quantitative Metrics for Balancing Privacy and Utility in Pseudonymized Big Data", Electronics 14(21), 4350,
tables 5 and 6. Neither the author's generator nor its seeds are published, so this one follows the words of the tables and nothing
else. What they leave open is chosen once, here: a hundred postal codes in five regions, twelve common diseases in six categories and
three departments, thirty-six rare diseases, a monthly income that no scenario changes. The external table is drawn anew from the same
scenario, after the weight of every age and postal code was changed by up to 5 %.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from anonscope.errors import OptionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

ScenarioName = Literal["S1", "S2", "S3"]
SCENARIOS: tuple[ScenarioName, ...] = get_args(ScenarioName)
TITLES: Mapping[ScenarioName, str] = {"S1": "balanced", "S2": "skewed", "S3": "rare"}
RECORDS = 10_000
SEEDS = tuple(range(1, 11))
PERTURBATION = 0.05
ATTRIBUTES = ("age", "zip", "gender", "income", "diagnosis")
# What table 7 lets the external table know, and so what an attacker links by.
KNOWN_OUTSIDE = ("age", "zip", "gender")

# Regions by their first three digits, each of four districts with five codes.
_REGIONS = (104, 131, 218, 346, 482)
ZIP_CODES = tuple(f"{region}{district}{code}" for region in _REGIONS for district in (1, 3, 6, 8) for code in (0, 2, 4, 7, 9))

# Disease, disease category, department: the three levels that table 5 names for a diagnosis.
_COMMON = (
    ("Acute myocardial infarction", "Cardiovascular disease", "Internal medicine"),
    ("High blood pressure", "Cardiovascular disease", "Internal medicine"),
    ("Pneumonia", "Respiratory disease", "Internal medicine"),
    ("Asthma", "Respiratory disease", "Internal medicine"),
    ("Appendicitis", "Disease of the abdomen", "Surgery"),
    ("Gallstones", "Disease of the abdomen", "Surgery"),
    ("Fracture of the hip", "Injury", "Surgery"),
    ("Injury of the head", "Injury", "Surgery"),
    ("Stroke", "Disease of the brain", "Neurology and psychiatry"),
    ("Epilepsy", "Disease of the brain", "Neurology and psychiatry"),
    ("Depression", "Mental disorder", "Neurology and psychiatry"),
    ("Schizophrenia", "Mental disorder", "Neurology and psychiatry"),
)
_CATEGORIES = tuple(dict.fromkeys((category, department) for _, category, department in _COMMON))
_RARE = tuple((f"Rare disease {number:02}", *_CATEGORIES[number % len(_CATEGORIES)]) for number in range(1, 37))
DIAGNOSES = (*_COMMON, *_RARE)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One drawn scenario: the original table and the attacker's, as Arrow tables."""

    name: ScenarioName
    seed: int
    original: Any
    external: Any


def draw_scenario(name: ScenarioName, seed: int, *, records: int = RECORDS) -> Scenario:
    """Return the tables of a scenario; the same seed gives the same tables."""
    import numpy as np

    if name not in SCENARIOS:
        raise OptionError(f"No scenario is called {name!r}. There are: {', '.join(SCENARIOS)}.")
    if records < 1:
        raise OptionError(f"The number of records must be at least 1, not {records}.")
    # A stream each, so that what one table draws does not shift the other.
    own, perturbed, outside = (np.random.Generator(np.random.PCG64((seed, SCENARIOS.index(name), stream))) for stream in range(3))
    ages, zips = _ages(name), _zips(name)
    original = _people(name, own, records, ages, zips)
    external = _people(name, outside, records, _changed(ages, perturbed), _changed(zips, perturbed))
    return Scenario(name, seed, original, external.select(list(KNOWN_OUTSIDE)))


def diagnosis_hierarchy() -> str:
    """Return the levels of a diagnosis as a hierarchy file: disease, disease category, department, anything."""
    return "".join(";".join((*levels, "*")) + "\n" for levels in DIAGNOSES)


def _people(name: ScenarioName, draws: Any, records: int, ages: "NDArray[Any]", zips: "NDArray[Any]") -> Any:
    import numpy as np
    import pyarrow as pa

    # Only random() is used: its stream is the one that numpy promises to keep.
    codes = np.array(ZIP_CODES)[_drawn(zips, draws.random(records))]
    diagnoses = _drawn(_diagnoses(name), draws.random(records))
    if name == "S3":
        # A rare disease is met in any postal code, whatever the others have: that makes the pair of both rare.
        anywhere = (draws.random(records) * len(ZIP_CODES)).astype(np.int64)
        codes = np.where(diagnoses >= len(_COMMON), np.array(ZIP_CODES)[anywhere], codes)
    # Three uniform draws make a hump: most earn about three million won a month, nobody below 1.2 or above 4.8.
    income = 1_200_000 + 1_200_000 * (draws.random(records) + draws.random(records) + draws.random(records))
    return pa.table(
        {
            "age": _drawn(ages, draws.random(records)),
            "zip": codes.tolist(),
            "gender": np.where(draws.random(records) < 0.5, "F", "M").tolist(),
            "income": income.astype(np.int64),
            "diagnosis": np.array([disease for disease, _, _ in DIAGNOSES])[diagnoses].tolist(),
        }
    )


def _ages(name: ScenarioName) -> "NDArray[Any]":
    """Return the weight of every age from 0 to 99."""
    import numpy as np

    years, weights = np.arange(100), np.zeros(100)
    adult = (years >= 20) & (years <= 60)
    if name == "S1":
        weights[adult] = 1
    elif name == "S2":
        thirties = (years >= 30) & (years <= 39)
        weights[thirties] = 0.6 / thirties.sum()
        weights[adult & ~thirties] = 0.4 / (adult & ~thirties).sum()
    else:
        young, old = years <= 18, years >= 80
        weights[young], weights[old] = 0.15 / young.sum(), 0.15 / old.sum()
        weights[~young & ~old] = 0.7 / (~young & ~old).sum()
    return weights


def _zips(name: ScenarioName) -> "NDArray[Any]":
    """Return the weight of every postal code."""
    import numpy as np

    weights = np.ones(len(ZIP_CODES))
    if name == "S2":
        # Three codes, each in a region of its own, hold two thirds of the people.
        weights[:] = (1 - 0.66) / (len(ZIP_CODES) - 3)
        weights[[0, 40, 80]] = 0.66 / 3
    return weights


def _diagnoses(name: ScenarioName) -> "NDArray[Any]":
    """Return the weight of every disease."""
    import numpy as np

    weights = np.zeros(len(DIAGNOSES))
    weights[: len(_COMMON)] = 1 / len(_COMMON)
    if name == "S2":
        weights[: len(_COMMON)] = (1 - 0.56) / (len(_COMMON) - 2)
        weights[[1, 10]] = 0.56 / 2
    elif name == "S3":
        weights *= 0.7
        weights[len(_COMMON) :] = 0.3 / len(_RARE)
    return weights


def _changed(weights: "NDArray[Any]", draws: Any) -> "NDArray[Any]":
    changed: NDArray[Any] = weights * (1 + PERTURBATION * (2 * draws.random(len(weights)) - 1))
    return changed


def _drawn(weights: "NDArray[Any]", uniform: "NDArray[Any]") -> "NDArray[Any]":
    """Return the place of a value for every uniform draw, by weight."""
    import numpy as np

    cumulative = np.cumsum(weights)
    places: NDArray[Any] = np.searchsorted(cumulative, uniform * cumulative[-1], side="right")
    return places
