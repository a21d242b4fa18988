"""One workspace a table, in a real browser: rooms with addresses, a head that is always there, versions, and state that stays."""

import time

import pytest

from support.browsing import COMPLETE, Visitor, needs_browser

pytestmark = needs_browser
FRANK = "document.querySelector('#verdict-word').textContent"


def people(folder, records=240):
    """Write a small table of invented people."""
    path = folder / "people.csv"
    rows = (f"{20 + i % 30},{'F' if i % 2 else 'M'},{10000 + i % 7},{'gout' if i % 3 else 'flu'}" for i in range(records))
    path.write_text("age,sex,zip,diagnosis\n" + "\n".join(rows) + "\n")
    return path


def head(visitor):
    """Return what the head says."""
    page = visitor.page
    return (page.inner_text("#file-name"), page.input_value("#policy"), page.input_value("#shown"), page.inner_text("#verdict-word"))


@pytest.fixture
def audited(visitor, tmp_path):
    """Somebody who has measured a small table by a mild policy."""
    visitor.brings(people(tmp_path))
    visitor.page.select_option("#policy", "research-shared")
    visitor.page.wait_for_function("() => document.querySelector('#policy-summary').textContent")
    visitor.audits()
    return visitor


def makes_the_best(audited):
    """Search the best release with one click; where none comes, tell what the page says."""
    from playwright.sync_api import Error

    audited.click("#best")
    try:
        audited.page.wait_for_selector("#made .links")
    except Error as error:
        said = [audited.page.inner_text(place) for place in ("#explorer .problem", "#desk-problem", "#under-way")]
        raise AssertionError(f"no release; the page says {said}, the workspace {audited.told('workspace')['jobs']}") from error


def test_reload_and_back_change_nothing_in_any_room(furnished, chromium):
    """Six rooms, each its own address; the head is the same in all of them, after a reload and on the way back."""
    context = chromium.new_context(storage_state=furnished.cookies)
    visitor = Visitor(context)
    seen = {}
    for room, complete in COMPLETE.items():
        visitor.page.goto(f"{furnished.address}/{room}")
        visitor.page.wait_for_selector(complete)
        seen[room] = head(visitor)
        visitor.page.reload()
        visitor.page.wait_for_selector(complete)
        assert head(visitor) == seen[room], room
    for room in reversed(list(COMPLETE)[:-1]):
        visitor.page.go_back()
        visitor.page.wait_for_url(f"**/{room}")
        visitor.page.wait_for_selector(COMPLETE[room])
        assert head(visitor) == seen[room], room
    assert len(set(seen.values())) == 1 and visitor.complaints == []
    context.close()


def test_a_role_stays_what_somebody_said(visitor, tmp_path):
    """Whoever comes back to the columns, or reloads them, finds the roles as they were said; and they can be taken back."""
    visitor.brings(people(tmp_path))
    was = visitor.page.locator("#column-2 input:checked").get_attribute("value")
    visitor.click("#column-2 .pill:has(input[value='sensitive'])")
    visitor.page.wait_for_selector("#undo:enabled")
    visitor.goes_to("data")
    visitor.goes_to("columns")
    visitor.page.wait_for_selector("#roles:not([hidden])")
    assert visitor.page.locator("#column-2 input:checked").get_attribute("value") == "sensitive"
    visitor.click("#undo")
    visitor.page.wait_for_selector(f"#column-2 input[value='{was}']:checked")


def test_an_answer_that_was_overtaken_takes_nothing_back(visitor, tmp_path):
    """What the server said before a change, and what arrives after it, does not show the workspace as it was."""
    visitor.brings(people(tmp_path))
    page, held = visitor.page, []
    page.route("**/workspace", lambda route: held.append((route, route.fetch())) if route.request.method == "GET" else route.continue_())
    page.evaluate("() => { import('/static/workspace.js').then((workspace) => { window.late = workspace.refresh(); }); }")
    while not held:
        page.wait_for_timeout(20)
    visitor.click("#column-2 .pill:has(input[value='insensitive'])")
    page.wait_for_selector("#undo:enabled")
    route, answer = held[0]
    route.fulfill(response=answer)
    page.evaluate("() => window.late")
    assert page.is_enabled("#undo") and page.is_checked("#column-2 input[value='insensitive']")


def test_two_tabs_agree(audited):
    """What is changed in one tab is seen in the other, without a reload."""
    other = audited.page.context.new_page()
    other.goto(audited.page.url.replace("risk", "columns"))
    other.wait_for_selector("#roles:not([hidden])")
    other.click("#column-0 .pill:has(input[value='insensitive'])")
    audited.page.wait_for_selector("#stale:not([hidden])")
    assert audited.page.is_visible("#measure")
    audited.click("#measure")
    # Either may be told of the new verdict first, so what one says is no measure for the other until both have it.
    for page in (audited.page, other):
        page.wait_for_selector("#measure", state="hidden")
    deadline = time.monotonic() + 60
    while (told := audited.told("workspace"))["jobs"] or not told["measured"]:
        assert time.monotonic() < deadline
    for page in (audited.page, other):
        page.wait_for_function(f"words => {FRANK}.endsWith(words)", arg=told["verdict"]["words"])


def test_the_policy_is_changed_in_place(audited):
    """The verdict on the table, and on every version of it, is measured again by the other policy."""
    audited.sees_sliders()
    makes_the_best(audited)
    before = audited.told("workspace")
    audited.page.select_option("#policy", "public-strict")
    # Not by the word's waiting look: the verdict can be there before anybody sees that it was gone.
    deadline = time.monotonic() + 60
    while ((after := audited.told("workspace"))["policy"], after["measured"]) != ("public-strict", True) or after["jobs"]:
        assert time.monotonic() < deadline
    audited.page.wait_for_function(
        "words => document.querySelector('#verdict-word').textContent.endsWith(words)", arg=after["verdict"]["words"]
    )

    assert (before["policy"], after["policy"]) == ("research-shared", "public-strict")
    assert after["measured"] and after["versions"][0]["policy"] == "research-shared"
    assert after["versions"][0]["verdict"]["outcome"] is not None
    # A verdict by one policy beside papers of another is said to be that.
    assert "dossier are by research-shared" in after["verdict"]["reason"] and before["verdict"]["reason"] is None
    assert "dossier are by research-shared" in audited.page.inner_text("#verdict-why")


def test_a_click_that_fails_takes_nothing_away(audited):
    """A version stays when a later attempt meets nothing; versions are removed and brought back."""
    audited.sees_sliders()
    makes_the_best(audited)
    audited.page.evaluate(
        "document.querySelectorAll('.slider input[id^=level-]').forEach(s => { s.value = 0; s.dispatchEvent(new Event('input')) })"
    )
    audited.page.evaluate("const s = document.getElementById('suppression'); s.value = 0; s.dispatchEvent(new Event('input'))")
    audited.click("#apply")
    audited.page.wait_for_selector("#explorer .problem:not([hidden])")
    assert "below is" not in audited.page.inner_text("#explorer .problem")
    assert audited.page.is_visible("#explorer .problem a[href$='/anonymisation.html']")
    assert [version["number"] for version in audited.told("versions")] == [1]
    assert audited.page.is_visible("#made .links")

    audited.page.click("[aria-label='Remove Version 1']")
    audited.page.wait_for_selector("#made .links", state="detached")
    audited.page.click("[aria-label='Bring back Version 1']")
    audited.page.wait_for_selector("#made .links")
    assert audited.complaints == []


def test_old_addresses_lead_to_the_rooms(furnished, chromium):
    """Bookmarks of before stay good."""
    context = chromium.new_context(storage_state=furnished.cookies)
    base, _, table = furnished.address.partition("/w/")
    for before, room in ((f"table/{table}/results", "risk"), (f"table/{table}", "columns"), (f"w/{table}", "risk")):
        assert context.request.get(f"{base}/{before}").url == f"{furnished.address}/{room}"
    context.close()


def test_what_is_not_there_is_said_on_a_page(visitor):
    """People get a page and programs get JSON."""
    base = visitor.page.url
    assert visitor.page.goto(f"{base}w/nothing/risk").status == 404
    assert "no such table" in visitor.page.inner_text("main")
    assert visitor.page.goto(f"{base}nothing").status == 404
    assert visitor.page.inner_text("h1") == "This cannot be shown"


def test_a_ladder_is_changed_and_its_effect_is_shown(audited):
    """Groups are merged on the page, after the switch that shows them; the sliders count with the new ladder at once."""
    audited.sees_sliders()
    audited.page.wait_for_selector(".rungs li")
    assert audited.page.locator("#ladder-groups").count() == 0
    audited.page.check("#ladder-values")
    audited.page.wait_for_selector("#ladder-groups li")
    boxes = audited.page.locator("#ladder-groups > li > label input")
    before = boxes.count()
    boxes.nth(0).check()
    boxes.nth(1).check()
    audited.page.fill("#ladder-name", "the first two")
    audited.page.click("#ladder-merge")
    audited.page.wait_for_selector("#ladder-effect:not(:empty), #ladder .problem:not([hidden])")
    if audited.page.is_visible("#ladder .problem"):
        assert "one level up" in audited.page.inner_text("#ladder .problem")
    else:
        assert audited.page.locator("#ladder-groups > li").count() == before - 1
        assert audited.told("workspace")["hierarchies"] == ["age"]
    assert audited.complaints == [] or "422" in str(audited.complaints)


def test_a_file_is_read_again_on_the_page(visitor, tmp_path):
    """Another delimiter is chosen, the file is read at once, and the values wait for a switch."""
    visitor.choose_file("#file", people(tmp_path))
    visitor.page.wait_for_selector("#preview table")
    assert "gout" not in visitor.page.inner_text("#preview")
    visitor.page.check("#show-values")
    visitor.page.wait_for_selector("#preview td:has-text('flu')")
    visitor.page.click("summary:has-text('It was read wrongly')")
    visitor.page.select_option("#delimiter", ";")
    with visitor.page.expect_navigation():
        visitor.click("#read-again")
    visitor.page.wait_for_selector("#read dd:text-is('1 column')")


def test_what_leaves_is_verified_and_has_a_dossier(furnished, chromium):
    """In the last room the version that is shown is read anew, and what whoever signs wants to know is written."""
    context = chromium.new_context(storage_state=furnished.cookies)
    visitor = Visitor(context)
    visitor.page.goto(f"{furnished.address}/sign-off")
    visitor.page.wait_for_selector("#report section")
    visitor.click("#run-verify")
    visitor.page.wait_for_selector("#verified h3")
    visitor.click("#run-sign-off")
    visitor.page.wait_for_selector("#signed h3")
    assert visitor.page.locator("#signed a[href$='.json']").count() == 1
    assert visitor.complaints == []
    context.close()
