"""A census with eight secrets that no recoding can keep: from the file to the release in hand, by the plan's own ways out."""

import pytest

from support.browsing import COMPLETE, Visitor, needs_browser

pytestmark = needs_browser
RECORDS = 1_000
# Survey weights tell who somebody is, and one column at most can be the weight.
WEIGHTS = ("PWGTP", "WGTP")
LEAVES, OTHER_POLICY = ".card button:has-text('out, and plan again')", ".card button:has-text('Take this policy')"


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    """The first records of the American Community Survey as the NIST has them."""
    import os
    from pathlib import Path

    real = Path(os.environ.get("ANONSCOPE_DATA") or "none") / "nist_acs" / "national2019.csv"
    if not real.is_file():
        pytest.skip("ANONSCOPE_DATA does not name the folder of real microdata")
    path = tmp_path_factory.mktemp("census") / "national2019.csv"
    with open(real, encoding="utf-8") as file:
        path.write_text("".join(line for _, line in zip(range(RECORDS + 1), file, strict=False)), encoding="utf-8")
    return path


def somebody(chromium, served, census, width):
    """Return somebody who has measured the census, without its weights, at a screen so wide."""
    visitor = Visitor(chromium.new_context(viewport={"width": width, "height": 900}))
    visitor.page.goto(served)
    visitor.brings(census)
    visitor.page.wait_for_selector("#strip:not(:empty)")
    for at, column in enumerate(WEIGHTS, start=1):
        visitor.page.locator(f"tr:has(.name:text-is('{column}'))").focus()
        visitor.press("d")
        visitor.page.wait_for_function("async n => (await import('/static/workspace.js')).state().undoable >= n", arg=at)
    assert "do not release" in visitor.audits()
    visitor.page.wait_for_selector("#planned .lead")
    return visitor


def goes_through_all_rooms(visitor):
    """Reload every room: none is wider than the window, and the verdict stays."""
    base, verdict = visitor.page.url.rpartition("/")[0], visitor.page.inner_text("#verdict-word")
    for room in COMPLETE:
        visitor.page.goto(f"{base}/{room}")
        visitor.page.reload()
        visitor.page.wait_for_selector(COMPLETE[room])
        assert visitor.page.inner_text("#verdict-word") == verdict
        assert visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), room
    assert visitor.complaints == []


@pytest.mark.parametrize("width", [1280, 380])
def test_columns_that_stand_in_the_way_leave_by_one_click(chromium, served, census, width):
    """The columns go, the table is planned again, and the release that is made then meets the default policy; Columns can take it back."""
    visitor = somebody(chromium, served, census, width)
    asked = visitor.told("plan.json")["relaxations"][0]["drops"]
    assert asked and set(asked) <= {"DREM", "DPHY", "DEYE", "DEAR", "INDP_CAT", "PINCP", "PINCP_DECILE", "POVPIP"}
    visitor.click(f"#releases {LEAVES}")
    # The ways out that stood there go with the plan that they were of.
    visitor.page.wait_for_selector(f"#releases {LEAVES}", state="detached")
    visitor.click("#releases .card button:text-is('Make this release')")
    visitor.page.wait_for_selector("#made .links")
    release = visitor.downloads().splitlines()

    told = visitor.told("workspace")
    print(f"ACS at {width} px: {len(visitor.interactions)} interactions to the release in hand: {visitor.interactions}")
    assert len(visitor.interactions) <= 8
    assert told["policy"] == "scorr" and told["verdict"]["outcome"] in ("release", "release with acknowledgement")
    assert len(release) == RECORDS + 1 and not {*asked, *WEIGHTS} & set(release[0].split(","))
    goes_through_all_rooms(visitor)
    visitor.page.context.close()


def test_another_policy_is_taken_and_its_release_is_judged_by_it(chromium, served, census):
    """Whoever takes the card of another policy has it in the head, and no release that is called "do not release" beside it."""
    visitor = somebody(chromium, served, census, 380)
    visitor.goes_to("repair")
    visitor.page.wait_for_selector(OTHER_POLICY)
    wanted = next(way for way in visitor.told("plan.json")["relaxations"] if way["kind"] == "another policy")["release"]["asks"]["policy"]
    visitor.click(f"{OTHER_POLICY} >> nth=0")
    visitor.page.wait_for_selector("#made .links")
    told = visitor.told("workspace")
    assert told["policy"] == wanted == visitor.page.input_value("#policy")
    assert told["verdict"]["outcome"] == "release" and "may be released" in visitor.page.inner_text("#made h3")
    assert len(visitor.downloads().splitlines()) == RECORDS + 1
    assert visitor.complaints == []
    visitor.page.context.close()
