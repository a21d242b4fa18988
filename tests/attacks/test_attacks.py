"""Attacks have the values that a closed form gives, and keep the laws that hold whatever the table."""

from itertools import pairwise

import numpy as np
import pytest

import anonscope as an
from attacks.attacking import attack, candidates, drawn, only, rows_of

ROWS = 120


def people(seed: int = 1, rows: int = ROWS) -> dict[str, list[int]]:
    return drawn(seed, rows, age=40, sex=2, zip=6, job=4)


def coarse(table: dict[str, list[int]], width: int) -> dict[str, list[object]]:
    """Return a release with ages in intervals."""
    return {**table, "age": [f"[{x // width * width}-{x // width * width + width - 1}]" for x in table["age"]]}


def test_a_table_linked_with_itself_has_as_many_hits_as_classes():
    """The expected success of drawing a candidate is the number of classes over that of records, exactly; in all three ways."""
    table = people()
    known = ["age", "sex", "zip"]
    classes = len({tuple(row[name] for name in known) for row in rows_of(table)})
    found = attack(table, table, know=known)

    for variant in ("candidates", "nearest", "assignment"):
        assert only(found, "linkability", variant).success == pytest.approx(classes / ROWS)


def test_in_a_constant_table_nobody_is_found():
    """Everybody is everybody: one in n is right, and no record is unique."""
    table = {"a": [1] * 50, "b": [2] * 50}
    found = attack(table, table)

    assert only(found, "linkability", "nearest").success == pytest.approx(1 / 50)
    assert only(found, "linkability", "candidates").success == only(found, "linkability", "candidates").baseline
    assert only(found, "singling_out", "several columns").success == 0


def test_one_person_repeated_is_one_target():
    """A table of one person's records and thirty others has thirty-one targets."""
    ids = ["same"] * 60 + [f"p{i}" for i in range(30)]
    table = {"id": ids, "a": [1] * 60 + list(range(2, 32))}
    found = attack(table, table, person="id", know=["a"], attacks=["linkability"])

    assert only(found, "linkability", "candidates").targets == 31
    assert only(found, "linkability", "candidates").success == pytest.approx((30 + 1 / 60) / 31)


def test_everybody_alone_is_singled_out_and_the_rest_is_not():
    """Predicates of unique records of the table itself single out, all of them; what fits others as well is no predicate."""
    table = {"a": [*range(40), *[99] * 10]}
    found = only(attack(table, table), "singling_out", "several columns")

    assert (found.targets, found.success) == (40, 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_candidates_are_counted_as_by_hand(seed):
    """On a coarse release: one over the records that a person may be, everybody in turn."""
    table = people(seed, 60)
    release = coarse(table, 7)
    known = ["age", "sex", "zip"]
    expected = np.mean([1 / len(candidates(release, person, known)) for person in rows_of(table)])

    assert only(attack(release, table, know=known), "linkability", "candidates").success == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_guess_is_the_commonest_value_among_the_candidates(seed):
    """Everybody in turn, equally common values by expectation; records weigh the same where all images are as wide."""
    table = {**people(seed, 60), "ill": drawn(seed + 9, 60, ill=3)["ill"]}
    release = coarse(table, 8)
    known = ["age", "sex"]
    hits = []
    for person in rows_of(table):
        values = [release["ill"][i] for i in candidates(release, person, known)]
        most = max(values.count(v) for v in values)
        best = {v for v in values if values.count(v) == most}
        hits.append((person["ill"] in best) / len(best))
    found = attack(release, table, know=known, sensitive=["ill"], attacks=["inference"])

    assert only(found, "inference", "candidates").success == pytest.approx(np.mean(hits))


def test_guessing_is_as_good_as_the_commonest_value_says():
    """The baseline is the share of the commonest value, whatever the order of the records."""
    table = {"a": list(range(50)), "ill": ["no"] * 35 + ["yes"] * 15}
    turned = {name: values[::-1] for name, values in table.items()}

    for one in (table, turned):
        assert only(attack(one, one, sensitive=["ill"]), "inference", "candidates").baseline == pytest.approx(0.7)


def test_more_knowledge_never_lowers_what_is_expected():
    """For linking and for guessing, column after column."""
    table = {**people(), "ill": drawn(3, ROWS, ill=3)["ill"]}
    release = coarse(table, 5)
    found = [
        attack(release, table, know=["age", "sex", "zip", "job"][:count], sensitive=["ill"], attacks=["linkability", "inference"])
        for count in (1, 2, 3, 4)
    ]
    for name in ("linkability", "inference"):
        rates = [only(result, name, "candidates").success for result in found]
        assert all(after >= before - 1e-12 for before, after in pairwise(rates))


def test_coarser_releases_never_link_better():
    """Intervals that hold one another leave more and more candidates."""
    table = people()
    rates = [
        only(attack(coarse(table, width), table, attacks=["linkability"]), "linkability", "candidates").success
        for width in (1, 2, 4, 8, 40)
    ]

    assert all(after <= before + 1e-12 for before, after in pairwise(rates))


def figures(found: an.Attacks) -> list[tuple[object, ...]]:
    rest = ("success", "control", "baseline", "risk", "targets")
    return [
        (r.attack, r.variant, r.status, *(round(x, 9) if isinstance(x := getattr(r, name), float) else x for name in rest))
        for r in found.results
    ]


def test_neither_the_order_of_records_nor_the_names_of_columns_matter():
    """The same people in another order, also where some of them are drawn as targets, and with errors in what is known."""
    table = {**people(), "ill": drawn(3, ROWS, ill=3)["ill"]}
    others = {**people(7), "ill": drawn(8, ROWS, ill=3)["ill"]}
    order = np.random.default_rng(2).permutation(ROWS)
    mixed = {name: [values[i] for i in order] for name, values in table.items()}
    known = an.Attacker(name="default", columns=("age", "sex", "zip"), within={"age": 1}, wrong={"zip": 0.2})
    results = [attack(coarse(one, 5), one, others, sensitive=["ill"], targets=50, attackers=[known]) for one in (table, mixed)]

    assert figures(results[0]) == figures(results[1])


@pytest.mark.parametrize("released", ["as it is", "coarse"])
def test_what_columns_are_called_does_not_matter(released):
    """Other names, in another order by the alphabet: the same targets, errors and halves of the control, so the same figures."""
    table = {**people(), "ill": drawn(3, ROWS, ill=3)["ill"]}
    others = {**people(7), "ill": drawn(8, ROWS, ill=3)["ill"]}
    release = coarse(table, 5) if released == "coarse" else table
    found = []
    for names in ({}, {"age": "years", "sex": "at birth", "zip": "place"}):
        called = [{names.get(name, name): values for name, values in one.items()} for one in (release, table, others)]
        age, sex, place = (names.get(name, name) for name in ("age", "sex", "zip"))
        known = an.Attacker(name="default", columns=(age, sex, place), within={age: 1}, wrong={place: 0.2})
        found.append(attack(*called, sensitive=["ill"], targets=50, attackers=[known], paired=True))
    assert figures(found[0]) == figures(found[1])
    assert {r.attack for r in found[0].results if r.status == "measured"} >= {"membership", "inference", "linkability", "singling_out"}


def test_what_is_true_of_everybody_is_no_risk():
    """Where a value follows from what is known, it is guessed of the control just as well."""
    table, others = people(1, 400), people(2, 400)
    for one in (table, others):
        one["ill"] = [age // 10 for age in one["age"]]
    found = only(attack(table, table, others, know=["age"], sensitive=["ill"], attacks=["inference"]), "inference", "candidates")

    assert found.success == 1.0
    assert found.control == pytest.approx(1.0, abs=0.02)
    assert found.interval.low <= 0 <= found.interval.high


def test_without_a_control_a_risk_is_an_upper_bound():
    """It is the success itself, and says that it is not controlled."""
    table = {**people(), "ill": drawn(3, ROWS, ill=3)["ill"]}
    found = attack(table, table, sensitive=["ill"])
    result = only(found, "inference", "candidates")

    assert (result.controlled, result.risk) == (False, result.success)
    assert all(r.status == "not measured" for r in found.select("membership"))
    assert "upper bound" in found.render("text")


def test_followed_into_a_perturbed_release():
    """Who is known in five columns is found again where one column was changed for one in five."""
    table = drawn(4, 200, a=12, b=9, c=8, d=7, e=6)
    chance = np.random.default_rng(1)
    release = {**table, "a": [x if chance.random() > 0.2 else int(chance.integers(12)) for x in table["a"]]}
    found = attack(release, table, paired=True, attacks=["linkability"])

    assert only(found, "linkability", "nearest").success > 0.9
    assert only(found, "linkability", "candidates").success < 0.9


def test_errors_in_what_is_known_lower_the_success():
    """Half the ages wrong leaves about half of the links; two years more or less leave few."""
    table = drawn(4, 300, age=60, sex=2, zip=30)
    exact = only(attack(table, table, attacks=["linkability"]), "linkability", "candidates").success
    wrong = an.Attacker(name="w", columns=("age", "sex", "zip"), wrong={"age": 0.5})
    within = an.Attacker(name="v", columns=("age", "sex", "zip"), within={"age": 2})

    assert only(attack(table, table, attackers=[wrong], attacks=["linkability"]), "linkability", "candidates").success < 0.65 * exact
    near = only(attack(table, table, attackers=[within], attacks=["linkability"]), "linkability", "candidates")
    assert near.figures["no_candidate"] == 0
    assert 0.5 * exact < near.success < exact


def test_similarity_and_skewness():
    """All of a group have a cancer, each another one: that it is a cancer is known; and a rare value is told by its rise."""
    table = {"zip": [1] * 20 + [2] * 20, "ill": [f"cancer {i % 4}" for i in range(20)] + ["flu", "cold", "cough", "cut"] * 5}
    ladder = an.Hierarchy(
        name="ill",
        leaves=tuple(sorted(set(table["ill"]))),
        levels=(tuple("cancer" if v.startswith("cancer") else "other" for v in sorted(set(table["ill"]))), ("*",) * 8),
    )
    found = attack(table, table, sensitive=["ill"], attacks=["inference"], hierarchies={"ill": ladder})

    assert only(found, "inference", "candidates").success == pytest.approx(1 / 4)
    assert only(found, "inference", "similarity").success == 1.0
    skewed = {"zip": [1] * 95 + [2] * 5, "ill": ["no"] * 95 + ["no"] * 3 + ["yes"] * 2}
    found = attack(skewed, skewed, sensitive=["ill"], attacks=["inference"])
    # In the second group "yes" has risen from one in fifty to two in five.
    assert only(found, "inference", "skewness").success == pytest.approx((95 + 2) / 100)
    assert only(found, "inference", "candidates").success == pytest.approx(98 / 100)


def test_numbers_are_guessed_within_a_reach():
    """A sensitive number that follows from what is known is guessed near enough; one that does not is not."""
    table = drawn(4, 300, age=40, noise=1000)
    table["income"] = [1000 * age + noise for age, noise in zip(table["age"], table["noise"], strict=True)]
    found = attack(table, table, know=["age"], sensitive=["income", "noise"], attacks=["inference"])

    assert only(found, "inference", "candidates", sensitive="income").success == 1.0
    assert only(found, "inference", "candidates", sensitive="noise").success < 0.5


def test_a_model_learns_what_candidates_cannot():
    """With a column of noise among what is known hardly anybody has a candidate; a forest sees through it."""
    pytest.importorskip("sklearn")
    table = drawn(4, 600, age=40, noise=500)
    others = drawn(5, 600, age=40, noise=500)
    for one in (table, others):
        one["ill"] = [age // 14 for age in one["age"]]
    # Others, so that nobody is told by a record of their own.
    found = attack(table, table, others, sensitive=["ill"], attacks=["inference"], model=True)

    assert only(found, "inference", "model").control > 0.9
    assert only(found, "inference", "candidates").control < 0.6


def test_expectations_may_come_from_a_population(tmp_path):
    """Who guesses by a census takes its commonest value, and the baseline with it."""
    (tmp_path / "census.csv").write_text("ill\n" + "yes\n" * 9 + "no\n", encoding="utf-8")
    table = {"a": list(range(50)), "ill": ["no"] * 35 + ["yes"] * 15}
    one = an.Attacker(name="census", columns=("a",), prior=str(tmp_path / "census.csv"))
    found = only(attack(table, table, sensitive=["ill"], attackers=[one]), "inference", "candidates")

    assert found.baseline == pytest.approx(0.3)


def test_how_likely_it_is_tried_scales_the_risk():
    """Known of half of the people, tried on one in five: a tenth of the risk in context, and the risk itself beside it."""
    table = people()
    one = an.Attacker(name="rare", columns=("age", "sex"), known=0.5, attempt=0.2)
    found = only(attack(table, table, attackers=[one], attacks=["linkability"]), "linkability", "candidates")

    assert found.context_risk == pytest.approx(found.risk / 10)


def test_an_external_table_is_linked_as_link_does(tmp_path):
    """The figures are those of `link`."""
    table = people()
    release = coarse(table, 5)
    (tmp_path / "external.csv").write_text(
        "age,sex\n" + "".join(f"{a},{s}\n" for a, s in zip(table["age"][:30], table["sex"], strict=False))
    )
    found = only(attack(release, table, know=["age", "sex"], external=tmp_path / "external.csv"), "linkability", "external table")
    from attacks.attacking import texts

    with an.read(texts(release), quasi_identifiers=["age", "sex"]) as data:
        linked = an.link(data, tmp_path / "external.csv")
    assert found.success == linked.average_risk


def test_groups_by_a_column_are_named_only_when_asked_for():
    """By default groups say how many are alike; with a column its values are shown, and the page says so."""
    table = people(1, 400)
    plain = attack(table, table, attacks=["linkability"])
    named = attack(table, table, attacks=["linkability"], group="sex")

    assert {g.name for g in only(plain, "linkability", "candidates").groups} <= {
        "alone",
        "2 to 4 alike",
        "5 to 10 alike",
        "11 or more alike",
    }
    assert {g.name for g in only(named, "linkability", "candidates").groups} == {"0", "1"}
    assert "Nothing on this page shows a value" in plain.render("html")
    assert "Nothing on this page shows a value" not in named.render("html")
