"""ARX 3.9.2 on Adult: the risks of the sample, distinction and separation, and the estimates of Zayatz and Pitman.

ARX's figures are read from a file beside the real microdata. Its SNB estimator gives up on every one of them and is left out.
"""

import json
import math
from pathlib import Path
from typing import Any

import pytest

import anonscope as an
from anonscope.risk.measuring.population_estimates import fit_pitman, sample_of


@pytest.fixture(scope="module")
def oracle(data_folder: Path) -> dict[str, Any]:
    """Return the one table ARX was asked about."""
    file = data_folder.parent / "oracle" / "arx.json"
    if not file.is_file():
        pytest.skip("ARX's figures are not beside the folder of real microdata")
    return next(entry for entry in json.loads(file.read_text(encoding="utf-8"))["risk"] if entry["dataset"] == "arx_adult/adult.csv")


def audited(data_folder: Path, oracle: dict[str, Any], *, risk_threshold: float = 0.2, **also: Any) -> an.Audit:
    known = oracle["qis"]
    with an.read(data_folder / oracle["dataset"], quasi_identifiers=known, **also) as data:
        return an.audit(data, risk_threshold=risk_threshold)


@pytest.mark.parametrize("name", ["USA_317238626", "sampling_fraction_0.01", "sampling_fraction_0.1", "sampling_fraction_0.5"])
def test_estimates_of_population_uniqueness(data_folder: Path, oracle: dict[str, Any], name: str) -> None:
    """To 1e-6 of the value, from the population of the United States down to twice the sample.

    ARX has Pitman's uniques in their form for large populations; ours are exact, so of Pitman the fit is compared through that form.
    """
    theirs = oracle["risk"]["population_uniqueness"][name]
    found = audited(data_folder, oracle, population_size=theirs["population_size"])

    (m,) = found.select("population_uniqueness", variant="zayatz")
    assert m.value == pytest.approx(theirs["ZAYATZ"]["fraction"], rel=1e-6)
    assert m.count == pytest.approx(theirs["ZAYATZ"]["num_unique"], rel=1e-6, abs=0.5)
    population = theirs["population_size"]
    theta, alpha = fit_pitman(sample_of(found.scenarios[0].sizes.records, population))
    large = math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + (alpha - 1) * math.log(population))
    assert large == pytest.approx(theirs["PITMAN"]["fraction"], rel=1e-6)
    (m,) = found.select("population_uniqueness", variant="pitman")
    assert m.value == pytest.approx(large, rel=0.1)
    assert m.value is not None and m.value < large


@pytest.mark.parametrize("threshold", [0.2, 0.1, 0.05])
def test_risks_of_the_sample(data_folder: Path, oracle: dict[str, Any], threshold: float) -> None:
    """Highest, average and share above a threshold; ARX's journalist has no population and is the prosecutor here."""
    theirs = oracle["risk"]["summary"][f"threshold_{threshold}"]
    found = audited(data_folder, oracle, risk_threshold=threshold)
    risk, above = found.select("prosecutor")

    assert above.value == pytest.approx(theirs["prosecutor"]["records_at_risk"], rel=1e-12)
    assert risk.max == theirs["prosecutor"]["highest"]
    assert risk.mean == pytest.approx(theirs["prosecutor"]["success_rate"], rel=1e-12)
    assert found["marketer"].value == pytest.approx(theirs["marketer"]["success_rate"], rel=1e-12)
    assert risk.min == pytest.approx(oracle["risk"]["lowest_risk"], rel=1e-12)


def test_distinction_and_separation_of_every_attribute_and_every_pair(data_folder: Path, oracle: dict[str, Any]) -> None:
    """Nine attributes alone, and 36 pairs as scenarios."""
    entries = oracle["attribute_risks"]
    pairs = {" ".join(entry["qi"]): entry["qi"] for entry in entries if len(entry["qi"]) == 2}
    found = audited(data_folder, oracle, scenarios=pairs)

    assert len(entries) == 45
    for entry in entries:
        for metric in ("distinction", "separation"):
            alone = len(entry["qi"]) == 1
            (m, *_) = (
                found.select(metric, attribute=entry["qi"][0], scenario="default")
                if alone
                else found.select(metric, scenario=" ".join(entry["qi"]))
            )
            assert m.value == pytest.approx(entry[metric], rel=1e-9)
