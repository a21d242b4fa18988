"""Who knows the mechanism finds what closed forms say, and never less than who does not, but for chance."""

import csv
from math import comb, sqrt
from statistics import NormalDist

import numpy as np
import pytest

import anonscope as an
from attacks.attacking import only, texts

HEAD = 'schema = "anonscope/recipe/1"\n'


def step(apply: str, column: str, **options) -> str:
    lines = "".join(f"{key} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n" for key, value in options.items())
    return f'\n[[steps]]\napply = "{apply}"\ncolumn = "{column}"\n{lines}'


def attacked(tmp_path, table, recipes, **options):
    """Return attacks on releases of a table that were made by recipes."""
    with an.read(texts(table), quasi_identifiers=["id"], sensitive=["ill"]) as data:
        made = []
        for i, steps in enumerate(recipes):
            file = tmp_path / f"{i}.toml"
            file.write_text(HEAD + steps, encoding="utf-8")
            made.append(an.apply(an.load_recipe(file), data))
        return an.attack(made[0], data, also=made[1:], targets=None, paired=True, **options)


def people(rows: int, values: int = 4, seed: int = 1, shares=None):
    chance = np.random.default_rng(seed)
    ill = chance.choice(values, rows, p=shares)
    return {"id": list(range(rows)), "ill": [f"ill{x}" for x in ill]}


@pytest.mark.parametrize(("keep", "shares", "expected"), [(0.7, None, 0.7), (0.4, [0.85, 0.05, 0.05, 0.05], 0.85)])
def test_a_guess_after_post_randomisation_is_as_good_as_bayes_allows(tmp_path, keep, shares, expected):
    """Even values: as often as one is kept. Most have one value: naming it always beats what is written."""
    table = people(2000, shares=shares)
    found = attacked(tmp_path, table, [step("post_randomise", "ill", keep=keep, seed=1)], attacks=["inference"])
    result, nearest = only(found, "inference", "likelihood"), only(found, "inference", "nearest")

    assert result.success == pytest.approx(expected, abs=3 * sqrt(expected * (1 - expected) / 2000))
    assert nearest.success == pytest.approx(keep, abs=3 * sqrt(keep * (1 - keep) / 2000))
    assert result.success >= nearest.success - 0.02


def test_a_guess_after_randomised_response_is_right_as_often_as_it_is_true(tmp_path):
    """e^epsilon over e^epsilon and the other answers."""
    table = people(2000)
    values = [f"ill{i}" for i in range(4)]
    found = attacked(tmp_path, table, [step("randomised_response", "ill", epsilon=1.0, values=values)], attacks=["inference"])
    expected = np.e / (np.e + 3)

    assert only(found, "inference", "likelihood").success == pytest.approx(expected, abs=3 * sqrt(expected * (1 - expected) / 2000))


def brute(original, release, keep):
    """Return how often the likeliest record is the right one, record by record, by chances that are written down here."""
    rows = len(original["a"])
    hits = []
    values = {c: sorted(set(original[c])) for c in "ab"}
    share = {c: {v: original[c].count(v) / rows for v in values[c]} for c in "ab"}

    def chance(c, label, value):
        return keep[c] if label == value else (1 - keep[c]) / (len(values[c]) - 1)

    usual = {c: {y: sum(share[c][v] * chance(c, y, v) for v in values[c]) for y in values[c]} for c in "ab"}
    for i in range(rows):
        scores = [np.prod([chance(c, release[c][j], original[c][i]) / usual[c][release[c][j]] for c in "ab"]) for j in range(rows)]
        best = max(scores)
        likely = [j for j in range(rows) if scores[j] >= best * (1 - 1e-9)]
        hits.append((i in likely) / len(likely))
    return float(np.mean(hits))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_likeliest_record_is_that_of_a_slow_reference(tmp_path, seed):
    """Two columns, one kept more often than the other, with rare and common values."""
    chance = np.random.default_rng(seed)
    table = {
        "a": [f"a{x}" for x in chance.choice(6, 80, p=[0.4, 0.3, 0.1, 0.1, 0.05, 0.05])],
        "b": [f"b{x}" for x in chance.integers(0, 5, 80)],
    }
    file = tmp_path / "r.toml"
    file.write_text(HEAD + step("post_randomise", "a", keep=0.9, seed=seed) + step("post_randomise", "b", keep=0.5, seed=seed), "utf-8")
    with an.read(texts(table), quasi_identifiers=["a", "b"]) as data:
        made = an.apply(an.load_recipe(file), data)
        columns = an.attack(made, data, targets=None, paired=True, attacks=["linkability"])
        made.save(tmp_path / "release.csv")
    with (tmp_path / "release.csv").open(newline="", encoding="utf-8") as written:
        rows = list(csv.DictReader(written))
    release = {c: [row[c] for row in rows] for c in "ab"}

    assert only(columns, "linkability", "likelihood").success == pytest.approx(brute(table, release, {"a": 0.9, "b": 0.5}))


@pytest.mark.parametrize("releases", [2, 4])
def test_noise_wears_off_where_it_is_drawn_again(tmp_path, releases):
    """The mean of m draws of normal noise is within reach as often as the normal distribution says."""
    table = {"id": list(range(1500)), "ill": list(range(1500))}
    noise = [step("add_noise", "ill", scale=150.0, distribution="normal", seed=i + 1) for i in range(releases)]
    found = attacked(tmp_path, table, noise, attacks=["composition"])
    result = only(found, "composition", "averaging")
    reach = 0.05 * (np.quantile(np.arange(1500), 0.99) - np.quantile(np.arange(1500), 0.01))

    def within(m):
        return 2 * NormalDist(0, 150 / sqrt(m)).cdf(reach) - 1

    assert result.success == pytest.approx(within(releases), abs=0.04)
    assert result.figures["best_release_alone"] == pytest.approx(within(1), abs=0.04)


def test_answers_at_random_are_outvoted(tmp_path):
    """Of three answers of two values the true one is given at least twice."""
    table = people(1500, values=2)
    found = attacked(tmp_path, table, [step("post_randomise", "ill", keep=0.7, seed=i) for i in (1, 2, 3)], attacks=["composition"])
    result = only(found, "composition", "averaging")
    expected = sum(comb(3, k) * 0.7**k * 0.3 ** (3 - k) for k in (2, 3))

    assert result.success == pytest.approx(expected, abs=0.035)
    assert result.figures["gained"] > 0.04


def test_without_a_stated_mechanism_there_is_no_likelihood(tmp_path):
    """Swapping has no chances that could be written down; the other attackers stay."""
    table = {"id": list(range(100)), "ill": list(range(100))}
    found = attacked(tmp_path, table, [step("swap_ranks", "ill", percent=5, seed=1)], attacks=["inference", "linkability"])

    assert "likelihood" not in {r.variant for r in found.results}


def test_releases_in_another_order_are_put_together_by_a_key(tmp_path):
    """The second release was sorted; the key says whose records are whose, so that the mean is of the same people's numbers."""
    table = {"id": list(range(400)), "ill": list(range(400))}
    noise = [step("add_noise", "ill", scale=40.0, distribution="normal", seed=i + 1) for i in range(2)]
    with an.read(texts(table), sensitive=["ill"], acknowledge={"ill": "noise is added to it"}) as data:
        made = []
        for i, steps in enumerate(noise):
            (tmp_path / f"{i}.toml").write_text(HEAD + steps, encoding="utf-8")
            made.append(an.apply(an.load_recipe(tmp_path / f"{i}.toml"), data).save(tmp_path / f"{i}.csv"))
        lines = (tmp_path / "1.csv").read_text(encoding="utf-8").splitlines()
        other = tmp_path / "other.csv"
        other.write_text("\n".join([lines[0], *lines[:0:-1]]) + "\n", encoding="utf-8")
        attacker = [an.Attacker(name="who knows the value", columns=("ill",))]
        options = {"targets": None, "attacks": ["composition"], "key": "id", "attackers": attacker}
        with an.read(other, recipe=tmp_path / "1.toml") as second:
            found = an.attack(tmp_path / "0.csv", data, also=[second], recipe=tmp_path / "0.toml", **options)
            same = an.attack(tmp_path / "0.csv", data, also=[tmp_path / "1.csv"], recipe=tmp_path / "0.toml", **options)

    assert only(found, "composition", "averaging").success == only(same, "composition", "averaging").success > 0.4


def test_made_up_values_hide_nobody_from_singling_out_and_composition(tmp_path):
    """A recipe that disturbs hardly anything is as bad as the table itself; taken for anything, its values would have hidden everybody."""
    chance = np.random.default_rng(1)
    known = {"a": [f"a{x}" for x in chance.integers(0, 40, 400)], "b": [f"b{x}" for x in chance.integers(0, 40, 400)]}
    table = {**known, "ill": [f"ill{x}" for x in chance.integers(0, 4, 400)]}
    steps = [step("post_randomise", "a", keep=0.98, seed=s) + step("post_randomise", "b", keep=0.98, seed=s) for s in (1, 2)]
    with an.read(texts(table), quasi_identifiers=["a", "b"], sensitive=["ill"]) as data:
        made = []
        for i, text in enumerate(steps):
            (tmp_path / f"{i}.toml").write_text(HEAD + text, encoding="utf-8")
            made.append(an.apply(an.load_recipe(tmp_path / f"{i}.toml"), data))
        found = an.attack(made[0], data, also=made[1:], targets=None, paired=True)

    assert only(found, "singling_out", "several columns").success > 0.8
    assert only(found, "composition", "best guess").success > 0.8
    assert only(found, "composition", "candidates").status == "not measured"
