"""Versions of a table and an outside table, in a real browser."""

from support.browsing import needs_browser

pytestmark = needs_browser


def test_a_second_version_stands_beside_the_first(visitor, tmp_path):
    """A coarser version is added, and the comparison shows risk, utility and figures of both."""
    original, coarser = tables(tmp_path)
    visitor.choose_file("#file", original)
    visitor.page.wait_for_selector("#roles:not([hidden])")
    for at, role in enumerate(("quasi-identifier", "quasi-identifier", "sensitive")):
        visitor.click(f"#column-{at} .pill:has(input[value='{role}'])")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    assert visitor.page.is_disabled("#run-compare")
    visitor.choose_file("#add-version", coarser)
    visitor.page.wait_for_selector("#versions li")
    visitor.click("#run-compare")
    visitor.page.wait_for_selector("#compared table")

    shown = visitor.page.inner_text("#compared")
    assert "coarser" in shown and "original" in shown
    assert visitor.page.locator("#compared svg").count() >= 1
    assert visitor.page.locator("#compared a[href$='.html']").count() == 1
    assert visitor.complaints == []


def test_an_outside_table_shows_who_could_be_matched(visitor, tmp_path):
    """With an outside table of the same people the comparison measures linkage."""
    original, coarser = tables(tmp_path)
    outside = tmp_path / "outside.csv"
    outside.write_text("age,sex,name\n" + "".join(f"{20 + i % 40},{'F' if i % 2 else 'M'},n{i}\n" for i in range(50)))
    visitor.choose_file("#file", original)
    visitor.page.wait_for_selector("#roles:not([hidden])")
    for at, role in enumerate(("quasi-identifier", "quasi-identifier", "sensitive")):
        visitor.click(f"#column-{at} .pill:has(input[value='{role}'])")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    visitor.choose_file("#add-version", coarser)
    visitor.page.wait_for_selector("#versions li")
    visitor.choose_file("#add-external", outside)
    visitor.page.wait_for_selector("#versions li:has-text('outside table')")
    visitor.click("#run-compare")
    visitor.page.wait_for_selector("#compared table")

    assert "Against the external table" in visitor.page.inner_text("#compared")
    assert visitor.complaints == []


def tables(folder):
    """Write a table of invented people and a version of it in which ages are decades."""
    original, coarser = folder / "original.csv", folder / "coarser.csv"
    people = [(20 + i % 40, "F" if i % 2 else "M", "gout" if i % 3 else "flu") for i in range(400)]
    original.write_text("age,sex,diagnosis\n" + "".join(f"{age},{sex},{what}\n" for age, sex, what in people))
    coarser.write_text("age,sex,diagnosis\n" + "".join(f"{age // 10 * 10},{sex},{what}\n" for age, sex, what in people))
    return original, coarser
