"""Versions of a table and an outside table, in a real browser."""

from support.browsing import needs_browser

pytestmark = needs_browser


def test_a_second_version_stands_beside_the_first(visitor, tmp_path):
    """A coarser version is added, and the comparison shows risk, utility and figures of both."""
    original, coarser = tables(tmp_path)
    visitor.brings(original)
    for at, role in enumerate(("quasi-identifier", "quasi-identifier", "sensitive")):
        visitor.click(f"#column-{at} .pill:has(input[value='{role}'])")
    visitor.audits()
    visitor.goes_to("compare")
    assert visitor.page.is_disabled("#run-compare")
    visitor.choose_file("#add-version", coarser)
    visitor.page.wait_for_selector("#versions li")
    visitor.choose_file("#compare-control", strangers(tmp_path))
    visitor.page.wait_for_selector("#attacked-with:not(:empty)")
    visitor.click("#run-compare")
    visitor.page.wait_for_selector("#compared table")

    shown = visitor.page.inner_text("#compared")
    # With people who are in no version as a control, every version is attacked on the same page.
    assert "Membership: coarser" in (visitor.page.text_content("#compared") or "")
    assert "Every version is attacked, with strangers.csv" in visitor.page.inner_text("#attacked-with")
    assert "coarser" in shown and "original" in shown
    assert visitor.page.locator("#compared svg").count() >= 1
    assert visitor.page.locator("#compared a[href$='.html']").count() == 1
    assert visitor.complaints == []


def test_an_outside_table_shows_who_could_be_matched(visitor, tmp_path):
    """With an outside table of the same people it is said, and drawn, who could be matched."""
    original, _ = tables(tmp_path)
    outside = tmp_path / "outside.csv"
    outside.write_text("age,sex,name\n" + "".join(f"{20 + i % 40},{'F' if i % 2 else 'M'},n{i}\n" for i in range(50)))
    visitor.brings(original)
    for at, role in enumerate(("quasi-identifier", "quasi-identifier", "sensitive")):
        visitor.click(f"#column-{at} .pill:has(input[value='{role}'])")
    visitor.audits()
    visitor.goes_to("compare")
    visitor.choose_file("#add-external", outside)
    visitor.page.wait_for_selector("#run-link:enabled")
    visitor.click("#run-link")
    visitor.page.wait_for_selector("#matched section")

    assert "outside.csv" in visitor.page.inner_text("#matched")
    assert visitor.page.locator("#matched svg").count() >= 1
    assert visitor.complaints == []


def tables(folder):
    """Write a table of invented people and a version of it in which ages are decades."""
    original, coarser = folder / "original.csv", folder / "coarser.csv"
    people = [(20 + i % 40, "F" if i % 2 else "M", "gout" if i % 3 else "flu") for i in range(400)]
    original.write_text("age,sex,diagnosis\n" + "".join(f"{age},{sex},{what}\n" for age, sex, what in people))
    coarser.write_text("age,sex,diagnosis\n" + "".join(f"{age // 10 * 10},{sex},{what}\n" for age, sex, what in people))
    return original, coarser


def strangers(folder):
    """Write people of the same kind who are in no version."""
    others = folder / "strangers.csv"
    people = [(20 + 7 * i % 40, "F" if i % 3 else "M", "gout" if i % 5 else "flu") for i in range(120)]
    others.write_text("age,sex,diagnosis\n" + "".join(f"{age},{sex},{what}\n" for age, sex, what in people))
    return others
