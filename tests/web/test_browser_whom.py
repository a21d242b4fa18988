"""Whom it concerns, what words mean, what is kept, and what an attacker finds out, in a real browser."""

import pytest

from support.browsing import Visitor, needs_browser

pytestmark = needs_browser


@pytest.fixture
def looking(furnished, chromium):
    """Somebody who looks at a workspace in which everything has been done once."""
    context = chromium.new_context(storage_state=furnished.cookies)
    somebody = Visitor(context)
    somebody.address = furnished.address
    yield somebody
    context.close()


def test_a_rule_shows_its_groups(looking):
    """Choosing one shows how many records break it, by the size of their group; the list of records follows."""
    page = looking.page
    page.goto(f"{looking.address}/risk")
    page.wait_for_selector("#concerned li")
    everybody = page.inner_text("#concerned")
    page.select_option("#rule", "k_anonymity")
    page.wait_for_function("before => document.querySelector('#concerned').innerText !== before", arg=everybody)
    assert "break the rule" in page.inner_text("#concerned") and "alone" in page.inner_text("#concerned")
    page.click("#show-records")
    page.wait_for_selector("#record-list table")
    assert looking.complaints == []


def test_the_risk_is_that_of_the_version_shown(looking):
    """The verdict in the room is the one in the head; the table as it is is one click away, and the downloads are of what is shown."""
    page = looking.page
    page.goto(f"{looking.address}/risk")
    page.wait_for_selector("#made .links")
    head = "document.querySelector('#verdict-word').textContent.slice(2)"
    word = f"() => document.querySelector('#report .verdict h1').textContent.includes({head})"
    assert page.evaluate(word) and "Version 1" in page.inner_text("#about")
    assert page.get_attribute("#downloads a", "href").endswith("/versions/1/audit.html")
    page.click("#about button")
    page.wait_for_selector("#about", state="hidden")
    page.wait_for_function(word)
    assert "do not release" in page.inner_text("#report .verdict h1") and page.get_attribute("#downloads a", "href").endswith("/audit.html")
    page.select_option("#shown", "1")
    page.wait_for_selector("#about:not([hidden])")
    page.wait_for_function(word)
    assert looking.complaints == []


def test_words_are_explained_where_they_stand(looking):
    """The first time that a part of a room uses a term it leads to its meaning, which it also shows; once each, also after changes."""
    page = looking.page
    page.goto(f"{looking.address}/risk")
    page.wait_for_selector("#concerned li")
    page.wait_for_selector("a.term:visible")
    page.wait_for_timeout(300)
    of_part = (
        "links => links.map(a => [[...document.querySelectorAll('section, details')].indexOf(a.closest('section, details')), a.title])"
    )
    found = page.eval_on_selector_all("a.term", of_part)
    assert len({(part, title) for part, title in found}) == len(found) > 3 and all(title for _, title in found)
    page.click("a.term:visible >> nth=0")
    page.wait_for_url("**/glossary#*")
    assert page.locator("dt:target").count() == 1


def test_what_is_kept_is_folded_in_three_and_weighed(looking):
    """Three bars a version and a slider; its ends say what counts, and the best follows it."""
    page = looking.page
    page.goto(f"{looking.address}/compare")
    page.wait_for_selector("#run-compare:enabled")
    looking.click("#run-compare")
    page.wait_for_selector("#weighed #ranked li")
    assert page.locator("#weighed .fold").count() == 3
    page.fill("#alpha", "100")
    page.wait_for_function("document.querySelector('#alpha-said').textContent === 'utility 1, safety 0'")
    assert "best" in page.inner_text("#best-version") and looking.complaints == []


def test_an_attack_is_run_on_the_version_that_is_shown(looking):
    """Without a control it says so; the result stands in the room, and nothing breaks."""
    page = looking.page
    page.goto(f"{looking.address}/risk")
    page.wait_for_selector("#run-attack:enabled")
    looking.click("#run-attack")
    page.wait_for_selector("#attacked section, #attack .problem:not([hidden])")
    assert page.is_hidden("#attack .problem"), page.inner_text("#attack .problem")
    assert page.locator("#attacked h3").count() >= 1 and "control" in page.inner_text("#attacked")
    assert looking.complaints == []
