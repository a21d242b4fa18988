"""The whole journey on the sample by keyboard only: no pointer, no script that moves the focus."""

import pytest

from support.browsing import needs_browser

pytestmark = needs_browser
_STOPS = 160  # more than any room has before what is wanted


def reaches(page, selector):
    """Press Tab until what is wanted has the focus, and see that the focus is seen."""
    for _ in range(_STOPS):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => document.activeElement?.matches(wanted)", selector):
            shown = page.evaluate(
                "(() => { const a = document.activeElement; const s = getComputedStyle(a); "
                "const label = a.labels?.[0] ? getComputedStyle(a.labels[0]) : s; "
                "return s.outlineStyle !== 'none' || label.outlineStyle !== 'none'; })()"
            )
            assert shown, f"nobody sees that {selector} has the focus"
            return
    pytest.fail(f"{selector} is not reached by the keyboard")


def test_the_sample_is_released_by_keyboard_only(visitor):
    """From the first page to the release in hand, through four rooms; every stop that is used shows its focus."""
    page = visitor.page
    reaches(page, "#sample")
    page.keyboard.press("Enter")
    page.wait_for_selector("#row-person:enabled")
    reaches(page, "#row-person")
    page.keyboard.press("Enter")
    page.wait_for_selector("#roles:not([hidden])")
    page.wait_for_selector("#strip:not(:empty)")
    reaches(page, "button[type=submit]")
    page.keyboard.press("Enter")
    page.wait_for_selector("#report .verdict h1")
    page.wait_for_selector("#releases .card button")
    reaches(page, "#releases .card button")
    page.keyboard.press("Enter")
    page.wait_for_selector("#made .links")
    reaches(page, "#made .links a")
    with page.expect_download() as found:
        page.keyboard.press("Enter")
    assert len(found.value.path().read_text(encoding="utf-8").splitlines()) > 4_000
    assert visitor.interactions == [] and visitor.complaints == []
