"""Whoever assigns all people at once gets as far as the Hungarian method, also where values were disturbed."""

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import anonscope as an
from attacks.attacking import attack, drawn, only, texts

STEP = '\n[[steps]]\napply = "post_randomise"\ncolumn = "{}"\nkeep = 0.7\nseed = {}\n'


def hungarian(released, table, columns) -> float:
    """Return how often the cheapest assignment gives somebody their own record; of equally cheap ones one is drawn, four times."""
    cost = sum(np.array(table[c]).astype(str)[:, None] != np.array(released[c]).astype(str)[None, :] for c in columns).astype(float)
    # Nobody disturbed the first column.
    cost += 10.0 * (np.array(table[columns[0]]).astype(str)[:, None] != np.array(released[columns[0]]).astype(str)[None, :])
    found = []
    for seed in range(4):
        people, records = linear_sum_assignment(cost + np.random.default_rng(seed).random(cost.shape) * 1e-3)
        found.append((people == records).mean())
    return float(np.mean(found))


@pytest.mark.parametrize("seed", [1, 2])
def test_in_a_perturbed_release_it_finds_as_many_as_the_hungarian_method(tmp_path, seed):
    """And more than who takes the nearest record for everybody: it found fewer where whoever fitted a wrong record had no other choice."""
    columns = ("age", "a", "b", "c", "d")
    table = drawn(seed, 400, age=20, a=6, b=5, c=4, d=3)
    recipe = tmp_path / "recipe.toml"
    steps = "".join(STEP.format(column, i) for i, column in enumerate(columns[1:]))
    recipe.write_text('schema = "anonscope/recipe/1"\n' + steps, encoding="utf-8")
    with an.read(texts(table), quasi_identifiers=columns) as data:
        made = an.apply(an.load_recipe(recipe), data)
        released = made.table.to_pydict()
        found = an.attack(made, data, paired=True, targets=None, attacks=["linkability"])
    ours = only(found, "linkability", "assignment").success

    assert ours == pytest.approx(hungarian(released, table, columns), abs=0.04)
    assert ours > only(found, "linkability", "nearest").success + 0.02


def test_who_may_be_wrong_about_a_column_leaves_it_out_too():
    """Errors in what is known are looked past as those in the release are: it gets further than drawing among candidates."""
    table = drawn(3, 300, age=40, sex=2, zip=20)
    wrong = [an.Attacker(name="neighbour", columns=("age", "sex", "zip"), wrong={"zip": 0.3})]
    found = attack(table, table, attackers=wrong, paired=True, attacks=["linkability"])

    assert only(found, "linkability", "assignment").success > only(found, "linkability", "candidates").success


def test_the_order_of_records_does_not_matter():
    """Neither that of the people nor that of the release."""
    table = drawn(5, 200, a=6, b=5, c=4)
    release = {**table, "a": [x // 2 * 2 for x in table["a"]]}
    order = np.random.default_rng(1).permutation(200)
    turned = [{name: np.array(values)[order].tolist() for name, values in one.items()} for one in (release, table)]
    one, other = (
        only(attack(*pair, paired=True, attacks=["linkability"]), "linkability", "assignment") for pair in ((release, table), turned)
    )

    assert one.success == pytest.approx(other.success, abs=1e-9)
