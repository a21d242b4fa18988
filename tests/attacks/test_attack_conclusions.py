"""The last sentence of an attack: what it comes to, and what to do about it."""

from attacks.attacking import attack, drawn

SIZES = {"age": 30, "zip": 20, "job": 15, "ill": 3}


def concluded(found):
    (line,) = [line for line in found.render("text").splitlines() if line.startswith("In short: ")]
    return line


def test_an_attack_that_succeeds_is_told_in_cases_with_what_to_do():
    """The table itself: everybody is singled out, against the few of the control."""
    table, others = drawn(1, 200, **SIZES), drawn(2, 200, **SIZES)
    said = concluded(attack(table, table, others, sensitive=["ill"], attacks=["linkability"]))
    assert "of 100 cases with people in the release, and in 0.0 with people who are not" in said
    assert "Coarsen or leave out some of age, zip, job" in said


def test_what_may_be_chance_is_no_success():
    """Of strangers nothing is found out, whatever sign the best figure has."""
    tables = [drawn(seed, 200, **SIZES) for seed in (1, 2, 3)]
    said = concluded(attack(*tables, sensitive=["ill"], attacks=["inference", "membership"], paired=False))
    assert "than chance explains" in said and "is not ruled out" in said
    assert "Coarsen" not in said


def test_without_a_control_it_asks_for_one():
    """What everybody's neighbours would tell as well is in the figure."""
    table = drawn(1, 200, **SIZES)
    said = concluded(attack(table, table, sensitive=["ill"], attacks=["inference"]))
    assert "cases at most" in said and "who are not in it as a control" in said and "t-closeness or l-diversity of ill" in said


def test_a_link_that_nobody_can_check_is_an_upper_bound():
    """Other people's records fit some of these as well: nobody's own is among them, and no sentence says that it was found."""
    tables = [drawn(seed, 200, **SIZES) for seed in (1, 2, 3)]
    found = attack(*tables, sensitive=["ill"], attacks=["linkability", "membership"], paired=False)
    (linked,) = found.select("linkability", "candidates")
    assert linked.risk > 0.01 and linked.figures["right_record_assumed"] == 1.0
    assert "candidates" not in concluded(found) and "than chance explains" in concluded(found)
    (row,) = [line for line in found.render("text").splitlines() if line.strip().startswith("candidates ")]
    assert "(upper bound)" in row
    alone = concluded(attack(*tables[:2], sensitive=["ill"], attacks=["linkability"], paired=False))
    assert "cases at most, for nobody knows which released record is whose" in alone
