"""What-if sliders, the best release and its download, in a real browser."""

import os
import zipfile

import anonscope as an
from support.browsing import needs_browser

pytestmark = needs_browser


def test_a_slider_answers_within_300_milliseconds(visitor, data_folder):
    """On Adult, from the moved slider to the new verdict on the page."""
    visitor.choose_file("#file", data_folder / "adult" / "adult_full_48842.csv")
    visitor.page.wait_for_selector("#roles:not([hidden])")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    visitor.sees_sliders()
    took = visitor.page.evaluate(MOVES)

    print("what-if on Adult, milliseconds from slider to page:", [round(t) for t in took])
    # Others may hold the processors: the quicker moves say what a move takes, and who waits in line behind others waits longer.
    crowd = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    assert sorted(took)[len(took) // 4] < 300 * crowd


def test_sliders_work_by_keyboard_and_say_what_they_do(visitor):
    """An arrow key coarsens a column, the words and the figures follow, and the screen reader hears it once."""
    visitor.audits_sample()
    visitor.sees_sliders()
    slider = visitor.page.locator(".slider input").first
    before = slider.get_attribute("aria-valuetext")
    lost = visitor.page.inner_text(".figures div:has(dt:text('detail lost')) dd")
    slider.focus()
    visitor.press("ArrowRight")
    visitor.page.wait_for_function("lost => document.querySelector('.figures div:last-child dd').textContent !== lost", arg=lost)

    assert slider.get_attribute("aria-valuetext") != before
    visitor.page.wait_for_function("() => document.querySelector('#explorer > [role=status]').textContent.includes('Smallest group')")
    assert visitor.complaints == []


def test_everything_hidden_is_the_largest_loss(visitor):
    """With every slider at its end all is lost and nobody stands out."""
    visitor.audits_sample()
    visitor.sees_sliders()
    visitor.page.evaluate(
        "document.querySelectorAll('.slider input[id^=level-]').forEach(s => { s.value = s.max; s.dispatchEvent(new Event('input')) })"
    )
    visitor.page.wait_for_selector(".figures div:last-child dd:text-is('100 %')")
    assert visitor.page.locator(".answer .dot").count() >= 2


def test_the_best_release_is_downloaded_and_audits_as_promised(visitor, tmp_path):
    """ "Suggest the best" runs the anonymiser; the downloaded release keeps the policy when it is audited again."""
    visitor.click("#sample")
    visitor.page.wait_for_selector("#roles:not([hidden])")
    visitor.page.select_option("#policy", "research-shared")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    visitor.sees_sliders()
    table = visitor.page.get_attribute("#table", "data-id")
    roles = tmp_path / "roles.toml"
    with visitor.page.expect_download() as download:
        visitor.click("text=Roles file")
    download.value.save_as(roles)
    visitor.click("#best")
    visitor.page.wait_for_selector("#anonymised .links")

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
    visitor.choose_file("#file", path)
    visitor.page.wait_for_selector("#roles:not([hidden])")
    for at, role in enumerate(("quasi-identifier", "quasi-identifier", "sensitive")):
        visitor.click(f"#column-{at} .pill:has(input[value='{role}'])")
    visitor.page.select_option("#policy", "research-shared")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    visitor.sees_sliders()
    visitor.page.evaluate("const s = document.getElementById('level-age'); s.value = s.max; s.dispatchEvent(new Event('input'))")
    visitor.page.wait_for_selector("#what-if-verdict:text('Would be ready')")
    visitor.click("#apply")
    visitor.page.wait_for_selector("#anonymised .links")
    with visitor.page.expect_download() as download:
        visitor.click("text=Release (CSV)")
    download.value.save_as(tmp_path / "release.csv")

    header, *rows = (tmp_path / "release.csv").read_text().splitlines()
    assert header == "age,sex,diagnosis"
    assert {row.split(",")[0] for row in rows} == {"*"}
    assert {row.split(",")[1] for row in rows} == {"F", "M"}


def test_a_search_is_cancelled(visitor):
    """The button stops the work, the page says so, and everything can be tried again."""
    visitor.audits_sample()
    visitor.sees_sliders()
    visitor.click("#wide")
    visitor.click("#best")
    visitor.click("text=Cancel")
    visitor.page.wait_for_selector("text=Cancelled. Nothing was changed.")
    assert visitor.page.is_enabled("#best")
    assert visitor.page.locator("#anonymised .links").count() == 0


MOVES = """async () => {
  const sliders = [...document.querySelectorAll('.slider input[id^=level-]')];
  const answer = document.querySelector('.answer');
  const took = [];
  for (let i = 0; i < 10; i += 1) {
    const slider = sliders[i % sliders.length];
    const seen = new Promise((resolve) => {
      const watch = new MutationObserver(() => { watch.disconnect(); resolve(); });
      watch.observe(answer, { childList: true });
    });
    const start = performance.now();
    slider.value = slider.value === '0' ? '1' : '0';
    slider.dispatchEvent(new Event('input'));
    await seen;
    took.push(performance.now() - start);
  }
  return took;
}"""
