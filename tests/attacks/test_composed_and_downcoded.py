"""What several releases tell together, and what a release tells by being no coarser than it had to be: small tables by hand."""

import pytest

import anonscope as an
from attacks.attacking import attack, only, texts

# Two hospitals release groups of two; who was in both is in one group of each.
ORIGINAL = {
    "age": [21, 22, 31, 32] * 10,
    "zip": [1, 1, 2, 2] * 10,
    "ill": ["flu", "cut", "flu", "cold"] * 10,
}
BY_DECADE = {"age": ["[20-29]", "[20-29]", "[30-39]", "[30-39]"] * 10, "zip": ["*"] * 40, "ill": ORIGINAL["ill"]}
BY_LAST_DIGIT = {"age": ["{21, 31}", "{22, 32}", "{21, 31}", "{22, 32}"] * 10, "zip": ["*"] * 40, "ill": ORIGINAL["ill"]}


def composed(*releases):
    with (
        an.read(texts(ORIGINAL), quasi_identifiers=["age", "zip"], sensitive=["ill"]) as data,
        an.read(texts(releases[0])) as first,
        an.read(texts(releases[-1])) as second,
    ):
        return an.attack(first, data, also=[second], targets=None, attacks=["composition"])


def test_two_releases_disclose_what_neither_does():
    """One leaves flu or cut, or flu or cold; the other leaves flu for one half, cut or cold for the other: together everybody is known."""
    found = composed(BY_DECADE, BY_LAST_DIGIT)
    sure, guess = only(found, "composition", "exact disclosure"), only(found, "composition", "best guess")

    # By the last digit alone half of them are known for sure.
    assert (sure.success, sure.figures["best_release_alone"]) == (1.0, 0.5)
    assert (guess.success, guess.figures["best_release_alone"], guess.figures["gained"]) == (1.0, 0.75, 0.25)
    assert guess.figures["releases"] == 2


def test_candidates_are_those_of_link_also():
    """Ten look the same in both releases, twenty in each: as `compose` counts them."""
    found = only(composed(BY_DECADE, BY_LAST_DIGIT), "composition", "candidates")
    with an.read(texts(BY_DECADE)) as first, an.read(texts(BY_LAST_DIGIT)) as second:
        both = an.compose(first, second, texts(ORIGINAL), first_columns={"age": "age"}, second_columns={"age": "age"}, only=True)

    assert found.success == pytest.approx(both.both.average_risk) == pytest.approx(1 / 10)
    assert found.figures["best_release_alone"] == pytest.approx(both.first.average_risk) == pytest.approx(1 / 20)
    assert found.figures["newly_alone"] == both.newly_alone == 0


def test_the_same_release_twice_tells_nothing_new():
    """The values that are left are the same."""
    found = composed(BY_DECADE, BY_DECADE)

    assert only(found, "composition", "exact disclosure").figures["gained"] == 0
    assert only(found, "composition", "best guess").success == pytest.approx(0.5)


def local(extra: int) -> tuple[dict[str, list[object]], dict[str, list[object]]]:
    """Return an original and a release: six French as such, and others as European, as many as the class needs and some more."""
    people = ["FR"] * 6 + ["DE"] * 3 + ["IT"] * extra
    return (
        {"land": people * 4, "sex": ["F"] * len(people) * 4},
        {"land": (["FR"] * 6 + ["{DE, FR, IT}"] * (3 + extra)) * 4, "sex": ["F"] * len(people) * 4},
    )


def test_a_finer_neighbour_rules_its_values_out():
    """Nobody among the Europeans is French, or they would be with the French: two values of three are left."""
    original, release = local(3)
    found = only(attack(release, original, attacks=["downcoding"], class_size=5), "downcoding", "finer neighbours")

    assert (found.success, found.figures["claimed"], found.figures["right_of_claimed"]) == (1.0, 1.0, 1.0)
    assert found.figures["bits_per_cell"] == pytest.approx(0.585, abs=1e-3)  # log2(3 / 2)
    assert found.baseline == pytest.approx(2 / 3)


def test_a_class_that_could_not_spare_a_record_rules_nothing_out():
    """With exactly as many as were asked for, nobody could have gone to the French."""
    original, release = local(3)
    found = only(attack(release, original, attacks=["downcoding"], class_size=24), "downcoding", "finer neighbours")

    assert found.figures["claimed"] == 0


def test_a_method_that_stops_earlier_makes_the_conclusion_wrong():
    """Two Frenchmen were left among the Europeans: the claim about them is counted, and is wrong."""
    original, release = local(3)
    original["land"][6] = "FR"
    found = only(attack(release, original, attacks=["downcoding"], class_size=5), "downcoding", "finer neighbours")

    assert found.figures["claimed"] == 1.0
    assert found.success == pytest.approx(23 / 24)


def test_one_level_for_all_rules_nothing_out():
    """A global recoding has no finer neighbours."""
    original = {"age": list(range(40))}
    release = {"age": [f"[{x // 10 * 10}-{x // 10 * 10 + 9}]" for x in range(40)]}
    found = only(attack(release, original, attacks=["downcoding"], class_size=5), "downcoding", "finer neighbours")

    assert (found.success, found.figures["joint_bits_per_class"]) == (0.0, 0.0)
