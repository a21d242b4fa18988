"""A table drawn instead of recoded, in a real browser: with its guarantee, what it tells and the attack; and answers with noise."""

import random

from support.browsing import needs_browser

pytestmark = needs_browser
DOMAIN = """
record_is_person = true
[columns.age]
lower = 0
upper = 99
whole = true
bins = 10
[columns.sex]
categories = ["F", "M"]
[columns.income]
categories = ["poor", "rich"]
"""


def people(path):
    draw = random.Random(3)
    rows = [(draw.randrange(100), draw.choice("FM")) for _ in range(600)]
    path.write_text("age,sex,income\n" + "".join(f"{age},{sex},{'rich' if age > 60 else 'poor'}\n" for age, sex in rows))
    return path


def test_a_private_table_is_drawn_and_becomes_a_version(visitor, tmp_path):
    """Its budget and how like the table it is stand in the list; its guarantee and the attack in its box; then one without a guarantee."""
    visitor.brings(people(tmp_path / "people.csv"))
    visitor.audits()
    visitor.goes_to("repair")
    page = visitor.page
    visitor.click("#draw-panel summary")
    page.wait_for_selector("#draw-method option", state="attached")
    assert page.input_value("#draw-method") == "tree" and "epsilon and delta" in page.inner_text("#draw-method option >> nth=0")
    page.fill("#draw-domain", DOMAIN)
    visitor.click("#draw")
    page.wait_for_selector("#made-version")
    assert "at most a factor 2.72" in page.inner_text("#made-version") and "every record is taken for a person" in page.inner_text(
        "#made-version"
    )
    listed = page.inner_text("#versions")
    assert "epsilon 1, delta 1/1000000000" in listed and "pairs of columns are" in listed
    page.click("#made details summary")
    assert "Attack on membership" in page.inner_text("#made")

    page.select_option("#draw-method", "copula")
    assert not page.is_visible("#draw-epsilon")
    with page.expect_response("**/domain.toml"):
        visitor.click("#draft-domain")
    page.wait_for_selector("#draft-domain:not([disabled])")
    assert "drafted_from_data" in page.input_value("#draw-domain")
    visitor.click("#draw")
    page.wait_for_selector("#versions >> text=no guarantee")
    versions = visitor.told("versions")
    assert [version["promise"] for version in versions] == ["epsilon 1, delta 1/1000000000", "no guarantee"]
    assert visitor.complaints == []


def test_a_plan_that_meets_nothing_offers_what_could_be_drawn(visitor, tmp_path):
    """With what is guaranteed, what is not, and what a trial draw was like; its button goes to the panel with the method chosen."""
    path = tmp_path / "people.csv"
    lines = (f"{20 + i % 40},{'F' if i % 2 else 'M'},{'rich' if i % 13 == 0 else 'poor'}" for i in range(400))
    path.write_text("age,sex,income\n" + "\n".join(lines) + "\n")
    visitor.brings(path)
    visitor.audits()
    visitor.goes_to("repair")
    page = visitor.page
    page.wait_for_selector("#offered .card")
    told = page.inner_text("#offered")
    assert "As drafted, nothing is guaranteed" in told and "in a trial draw from 400 records, which was thrown away" in told
    page.wait_for_selector("#draw-method option", state="attached")
    page.locator("#offered .card", has_text="Guaranteed: nothing").locator("button").click()
    assert page.input_value("#draw-method") == "cart" and page.is_visible("#draw") and not page.is_visible("#draw-epsilon")
    assert visitor.complaints == []


def test_what_is_wrong_is_said_beside_the_button_and_answers_come_with_intervals(visitor, tmp_path):
    """No domain, no table; a file of questions is answered with its guarantee, and one over budget refused."""
    visitor.brings(people(tmp_path / "people.csv"))
    visitor.audits()
    visitor.goes_to("repair")
    page = visitor.page
    visitor.click("#draw-panel summary")
    visitor.click("#draw")
    page.wait_for_selector("#drawn .problem:not([hidden])")
    assert "needs a declared domain" in page.inner_text("#drawn .problem")

    visitor.click("#answer-panel summary")
    asked = "epsilon = 1\n" + DOMAIN + '[[queries]]\nkind = "histogram"\nby = ["income"]\n'
    page.fill("#queries", asked + "epsilon = 2\n")
    visitor.click("#answer")
    page.wait_for_selector("#answers .problem:not([hidden])")
    assert "Over budget" in page.inner_text("#answers .problem")
    page.fill("#queries", asked)
    visitor.click("#answer")
    page.wait_for_selector("#answered table")
    told = page.inner_text("#answered")
    assert "at most a factor 2.72" in told and "interval" in told.lower() and "rich" in told
