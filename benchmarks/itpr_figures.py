"""The ITPR paper's figures 3 to 5 by generators that are stated: python -m benchmarks.itpr_figures prints the tables of the page.

A. Bkakria et al. (2021) say how many records and values there are, and what lambda, theta and epsilon mean, but not how tables with such
values are drawn. Here counts are laid down, and nothing is drawn: every number is exact and comes out again.
"""

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

import anonscope as an

RECORDS = 10_000
METRICS = {
    "ITPR": "itpr",
    "DR": "discrimination_rate",
    "MI": "mutual_information",
    "CP": "conditional_privacy",
    "ELD": "entropy_l_diversity_risk",
}
LAMBDAS = (0, 200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800)
SHARES = (0.5, 0.45, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1)
EPSILONS = (0, 200, 400, 600, 800, 1000, 1200)
TELLING = (0.05, 0.2, 0.3, 0.43)


def figure_3(difference: int) -> list[list[int]]:
    """Return how often each of ten diseases occurs in each of five ages of 2,000: another in each age so much oftener than the rest."""
    rest = (2000 - difference) // 10
    return [[rest + (2000 - 10 * rest if value == age else 0) for value in range(10)] for age in range(5)]


def figure_4(share: float) -> list[list[int]]:
    """Return the same where in one age a disease has half of the records, and in all others a share that falls to an even one.

    So theta grows while the group that tells most stays as it is: by the paper, ELD is constant then.
    """
    first = round(2000 * share)
    return [[1000, *_even(1000, 9)], *([first, *_even(2000 - first, 9)] for _ in range(4))]


def figure_5(difference: int, share: float) -> list[list[int]]:
    """Return how often each of twenty diseases occurs in each of ten ages: half are larger, one disease is common in the first."""
    sizes = [1000 - difference // 2] * 5 + [1000 + difference // 2] * 5
    first = round(sizes[0] * share)
    return [[first, *_even(sizes[0] - first, 19)], *(_even(size, 20) for size in sizes[1:])]


def _even(total: int, parts: int) -> list[int]:
    return [total // parts + (i < total % parts) for i in range(parts)]


def table_of(counts: Sequence[Sequence[int]]) -> pa.Table:
    """Return the records of a table of counts."""
    ages, diseases = np.indices((len(counts), len(counts[0]))).reshape(2, -1)
    times = np.array(counts).ravel()
    return pa.table({"age": np.repeat(ages, times).astype(str), "disease": np.repeat(diseases, times).astype(str)})


def measured(counts: Sequence[Sequence[int]], metrics: Sequence[str]) -> dict[str, float]:
    """Return what an audit says of the inference of the disease from the age."""
    with an.read(table_of(counts), threads=1, quasi_identifiers=["age"], sensitive=["disease"]) as data:
        found = an.audit(data, only=metrics)
    chosen = {
        m.metric: m.value for m in found.measurements if m.sensitive == "disease" and m.variant in (None, "inference") and not m.attributes
    }
    return {name: float(chosen[name]) for name in metrics if chosen.get(name) is not None}


def theta(counts: Sequence[Sequence[int]]) -> float:
    """Return the paper's variation: the most by which the entropy of the disease is larger over all than in a group."""
    whole = _entropy([sum(column) for column in zip(*counts, strict=True)])
    return max(whole - _entropy(row) for row in counts)


def _entropy(counts: Sequence[int]) -> float:
    total = sum(counts)
    return -sum(c / total * math.log2(c / total) for c in counts if c)


def _print(title: str, header: Sequence[object], rows: dict[str, Sequence[float]]) -> None:
    print(f"{title}\n\n| | {' | '.join(map(str, header))} |\n| --- |{' --- |' * len(header)}")
    for name, values in rows.items():
        print(f"| {name} | {' | '.join(f'{value:.4f}' for value in values)} |", flush=True)
    print()


def main() -> None:
    """Measure and print."""
    names = [*METRICS.values(), "maximum_information_leakage"]
    found = [measured(figure_3(difference), names) for difference in LAMBDAS]
    _print("## Figure 3", LAMBDAS, {title: [one[name] for one in found] for title, name in METRICS.items()})
    _print("### Maximum information leakage over lambda", LAMBDAS, {"MIL": [one["maximum_information_leakage"] for one in found]})
    names.remove("maximum_information_leakage")
    found = [measured(figure_4(share), names) for share in SHARES]
    _print("## Figure 4", [f"{theta(figure_4(share)):.3f}" for share in SHARES], {t: [one[n] for one in found] for t, n in METRICS.items()})
    lines = {
        f"theta {theta(figure_5(0, share)):.2f}": [measured(figure_5(e, share), ["itpr"])["itpr"] for e in EPSILONS] for share in TELLING
    }
    _print("## Figure 5", EPSILONS, lines)


if __name__ == "__main__":
    main()
