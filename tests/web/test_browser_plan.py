"""From no to a release in hand by the plan's own buttons, in a real browser."""

import csv
import json

from support.browsing import needs_browser

pytestmark = needs_browser


def test_the_plan_of_the_sample_makes_its_release(furnished):
    """Sample, audit, make, download: the file is the one that the plan promised."""
    rows = list(csv.reader(furnished.release.splitlines()))
    promised, made = furnished.told["plan"], furnished.told["anonymisation"]
    assert len(rows) - 1 == promised["records"]
    assert made["met"] and abs(made["loss"]["value"] - promised["releases"][0]["loss"]) < 1e-9


def test_what_cannot_be_met_is_released_with_a_stated_exception(visitor, tmp_path):
    """No reason, no release; with one it is made, and says what it leaves and why."""
    path = tmp_path / "people.csv"
    lines = (f"{20 + i % 40},{'F' if i % 2 else 'M'},{'rich' if i % 13 == 0 else 'poor'}" for i in range(400))
    path.write_text("age,sex,income\n" + "\n".join(lines) + "\n")
    visitor.brings(path)
    visitor.audits()
    visitor.page.wait_for_selector("#releases .card input[type=text]")
    card = visitor.page.locator("#releases .card:has(input[type=text])").first
    card.locator("button").click()
    assert "A reason is missing" in card.inner_text()
    card.locator("input[type=text]").fill("the incomes of this village are public")
    card.locator("button").click()
    visitor.page.wait_for_selector("#made .links")

    assert "except" in visitor.page.inner_text("#made h3").lower()
    assert "the incomes of this village are public" in json.dumps(visitor.told("release.manifest.json"))
    assert visitor.complaints == []
