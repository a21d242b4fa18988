"""What-if sliders, the best release and its download, in a real browser."""

import zipfile

import pytest

import anonscope as an
from anonscope.io.figures import per_cent
from support.browsing import Visitor, needs_browser

pytestmark = needs_browser


@pytest.fixture(scope="module")
def exploring(served, chromium):
    """Somebody at the sliders of the sample, of which no release was made."""
    context = chromium.new_context()
    somebody = Visitor(context)
    somebody.page.goto(served)
    somebody.audits_sample()
    somebody.sees_sliders()
    yield somebody
    context.close()


def test_sliders_work_by_keyboard_and_say_what_they_do(exploring):
    """An arrow key coarsens a column, the words and the figures follow, and the screen reader hears it once."""
    visitor = exploring
    slider = visitor.page.locator(".slider input").first
    before = slider.get_attribute("aria-valuetext")
    lost = visitor.page.inner_text(".figures div:has(dt:text('detail lost')) dd")
    slider.focus()
    visitor.press("ArrowRight")
    visitor.page.wait_for_function("lost => document.querySelector('.figures div:last-child dd').textContent !== lost", arg=lost)

    assert slider.get_attribute("aria-valuetext") != before
    visitor.page.wait_for_function("() => document.querySelector('#explorer > [role=status]').textContent.includes('Smallest group')")
    assert visitor.complaints == []


def test_everything_hidden_is_the_largest_loss(exploring):
    """With every slider at its end all is lost and nobody stands out."""
    visitor = exploring
    visitor.page.evaluate(
        "document.querySelectorAll('.slider input[id^=level-]').forEach(s => { s.value = s.max; s.dispatchEvent(new Event('input')) })"
    )
    visitor.page.wait_for_selector(".figures div:last-child dd:text-is('100 %')")
    assert visitor.page.locator(".answer .dot").count() >= 2


def test_a_share_reads_on_a_page_as_in_a_report(exploring):
    """With however many decimals; a few are not none there either, and most are not all."""
    shares = [0, 0.0004, 0.354, 0.5, 0.9996, 1]
    written = exploring.page.evaluate(
        """async (shares) => {
            const { percent } = await import("/static/page.js");
            return [0, 1, 2].map((digits) => shares.map((share) => percent(share, digits)));
        }""",
        shares,
    )
    assert written == [[per_cent(share, digits) for share in shares] for digits in (0, 1, 2)]


def test_the_plan_stands_on_the_chart(exploring):
    """By the letters of its cards; those that would lie on each other share a mark."""
    page = exploring.page
    letters = page.locator("#planned .letter").all_inner_texts()
    marks = "+".join(page.locator(".answer .lettered").all_text_contents()).split("+")
    assert letters and sorted(marks) == letters == sorted(letters)
    assert all(title in page.get_attribute(".answer svg", "aria-label") for title in ("most useful", "Now the highest risk"))


def test_limits_of_ones_own_count_and_a_wrong_one_is_said(exploring):
    """Any share can be a limit; what is no limit is passed over with a word, and those of before stay."""
    page = exploring.page
    page.click("#limits summary")
    page.fill("#limit-t_closeness", "0.123")
    page.press("#limit-t_closeness", "Tab")
    page.wait_for_selector(".rules li:has-text('0.123')")
    page.fill("#limit-k_anonymity", "1")
    page.press("#limit-k_anonymity", "Tab")
    page.wait_for_selector("#limits .problem:not([hidden])")
    assert exploring.told("workspace")["wished"]["limits"] == {"t_closeness": 0.123}
    for name in ("k_anonymity", "t_closeness"):
        page.fill(f"#limit-{name}", "")
        page.press(f"#limit-{name}", "Tab")
    page.wait_for_selector("#limits .problem", state="hidden")
    page.wait_for_selector(".rules li:has-text('0.123')", state="detached")


def test_the_best_release_is_downloaded_and_audits_as_promised(visitor, tmp_path):
    """ "Suggest the best" runs the anonymiser; the downloaded release keeps the policy when it is audited again."""
    visitor.takes_sample()
    visitor.page.select_option("#policy", "research-shared")
    visitor.audits()
    table = visitor.table
    roles = tmp_path / "roles.toml"
    with visitor.page.expect_download() as download:
        visitor.click("text=Roles file")
    download.value.save_as(roles)
    visitor.sees_sliders()
    visitor.click("#best")
    visitor.page.wait_for_selector("#made .links")

    release = tmp_path / "release.csv"
    with visitor.page.expect_download() as download:
        visitor.click("text=Release (CSV)")
    download.value.save_as(release)
    with visitor.page.expect_download() as download:
        visitor.click("text=For your archive only")
    download.value.save_as(tmp_path / "all.zip")
    names = zipfile.ZipFile(tmp_path / "all.zip").namelist()
    assert any(name.endswith("archive/recipe.toml") for name in names) and any("manifest" in name for name in names)
    asked = visitor.page.evaluate("id => fetch(`/api/v1/tables/${id}/audit.json`).then(r => r.json()).then(a => a.roles)", table)
    with an.read(release, quasi_identifiers=asked["quasi_identifiers"], sensitive=asked.get("sensitive", [])) as data:
        assert an.audit(data, policy="research-shared").verdict.outcome == "release"
    assert visitor.complaints == []


def test_the_levels_of_the_sliders_are_applied(visitor, tmp_path):
    """ "Apply these levels" gives a release with exactly the columns coarsened that were moved."""
    path = tmp_path / "people.csv"
    path.write_text(
        "age,sex,diagnosis\n" + "".join(f"{20 + i % 40},{'F' if i % 2 else 'M'},{'gout' if i % 3 else 'flu'}\n" for i in range(400))
    )
    visitor.brings(path)
    for at, role in enumerate(("quasi-identifier", "quasi-identifier", "sensitive")):
        visitor.click(f"#column-{at} .pill:has(input[value='{role}'])")
    visitor.page.select_option("#policy", "research-shared")
    visitor.audits()
    visitor.sees_sliders()
    visitor.page.evaluate("const s = document.getElementById('level-age'); s.value = s.max; s.dispatchEvent(new Event('input'))")
    visitor.page.wait_for_selector("#what-if-verdict:text('Would be ready')")
    visitor.click("#apply")
    visitor.page.wait_for_selector("#made .links")
    with visitor.page.expect_download() as download:
        visitor.click("text=Release (CSV)")
    download.value.save_as(tmp_path / "release.csv")

    header, *rows = (tmp_path / "release.csv").read_text().splitlines()
    assert header == "age,sex,diagnosis"
    assert {row.split(",")[0] for row in rows} == {"*"}
    assert {row.split(",")[1] for row in rows} == {"F", "M"}


def test_a_search_is_cancelled(exploring):
    """The button stops the work, the page says so, and everything can be tried again."""
    visitor = exploring
    visitor.click("#wide")
    visitor.click("#best")
    visitor.click("text=Cancel")
    visitor.page.wait_for_selector("text=Cancelled. Nothing was changed.")
    assert visitor.page.is_enabled("#best")
    assert visitor.page.locator("#made .links").count() == 0
