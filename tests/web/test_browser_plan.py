"""From no to a release in hand by the plan's own buttons, in a real browser."""

import csv
import json

from support.browsing import needs_browser

pytestmark = needs_browser


def told(visitor, document):
    """Return a document about the table, as a program gets it."""
    table = visitor.page.get_attribute("#table", "data-id")
    return visitor.page.evaluate("([id, name]) => fetch(`/api/v1/tables/${id}/${name}`).then(r => r.json())", [table, document])


def test_the_plan_of_the_sample_makes_its_release(visitor, tmp_path):
    """Sample, audit, make, download: four clicks, and the file is the one that the plan promised."""
    visitor.audits_sample()
    visitor.page.wait_for_selector("#releases .card")
    promised = told(visitor, "plan.json")
    visitor.click("#releases .card button")
    visitor.page.wait_for_selector("#anonymised .links")
    with visitor.page.expect_download() as download:
        visitor.click("text=Release (CSV)")
    download.value.save_as(tmp_path / "release.csv")
    with open(tmp_path / "release.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))

    assert len(rows) - 1 == promised["records"]
    best, made = promised["releases"][0], told(visitor, "anonymisation.json")
    lost = made["loss"]["value"]
    assert made["met"] and abs(lost - best["loss"]) < 1e-9
    assert visitor.complaints == []


def test_what_cannot_be_met_is_released_with_a_stated_exception(visitor, tmp_path):
    """No reason, no release; with one it is made, and says what it leaves and why."""
    path = tmp_path / "people.csv"
    lines = (f"{20 + i % 40},{'F' if i % 2 else 'M'},{'rich' if i % 13 == 0 else 'poor'}" for i in range(400))
    path.write_text("age,sex,income\n" + "\n".join(lines) + "\n")
    visitor.choose_file("#file", path)
    visitor.page.wait_for_selector("#roles:not([hidden])")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    visitor.page.wait_for_selector("#releases .card input[type=text]")
    card = visitor.page.locator("#releases .card:has(input[type=text])").first
    card.locator("button").click()
    assert "A reason is missing" in card.inner_text()
    card.locator("input[type=text]").fill("the incomes of this village are public")
    card.locator("button").click()
    visitor.page.wait_for_selector("#anonymised .links")

    assert "except" in visitor.page.inner_text("#anonymised h3").lower()
    assert "the incomes of this village are public" in json.dumps(told(visitor, "release.manifest.json"))
    assert visitor.complaints == []
