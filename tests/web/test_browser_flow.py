"""From file to verdict in a real browser, with every interaction counted."""

import json

from support.browsing import needs_browser

pytestmark = needs_browser


def test_the_sample_needs_at_most_three_interactions(visitor):
    """Choose the sample, confirm the roles, look: the verdict is there."""
    verdict = visitor.audits_sample()

    assert verdict.startswith("Verdict:")
    print(f"sample: {len(visitor.interactions)} interactions: {visitor.interactions}")
    assert len(visitor.interactions) <= 3
    assert visitor.complaints == []


def test_adult_needs_at_most_three_interactions(visitor, data_folder):
    """The same on a real table whose suggestion is right."""
    visitor.choose_file("#file", data_folder / "adult" / "adult_full_48842.csv")
    visitor.page.wait_for_selector("#roles:not([hidden])")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()

    print(f"Adult: {len(visitor.interactions)} interactions: {visitor.interactions}")
    assert len(visitor.interactions) <= 3
    assert visitor.complaints == []


def test_the_token_is_gone_from_the_address(visitor):
    """What let somebody in is exchanged for a cookie, so that no history keeps it."""
    assert visitor.page.url.endswith("/")
    assert "token" not in visitor.page.url
    assert visitor.page.evaluate("document.cookie") == ""


def test_a_role_is_changed_by_keyboard_alone(visitor, tmp_path):
    """Tab reaches the radio group of a column, an arrow changes the role, and the audit takes it."""
    visitor.choose_file("#file", people(tmp_path))
    visitor.page.wait_for_selector("#roles:not([hidden])")
    before = visitor.page.locator("#column-0 input:checked").get_attribute("value")
    visitor.page.locator("#column-0 input:checked").focus()
    visitor.press("ArrowRight")

    after = visitor.page.locator("#column-0 input:checked").get_attribute("value")
    assert after != before
    visitor.page.locator("text=Audit this table").focus()
    visitor.press("Enter")
    visitor.sees_verdict()
    table = visitor.page.get_attribute("#table", "data-id")
    roles = visitor.page.evaluate("id => fetch(`/api/v1/tables/${id}/audit.json`).then(r => r.json()).then(a => a.roles)", table)
    key = {"direct identifier": "direct_identifiers", "quasi-identifier": "quasi_identifiers", "sensitive": "sensitive"}.get(after)
    assert ("age" in roles.get(key, [])) if key else "age" not in json.dumps(roles)


def test_only_one_column_says_who_a_row_belongs_to(visitor, tmp_path):
    """A second person takes the role from the first, and the question about rows follows."""
    visitor.choose_file("#file", people(tmp_path))
    visitor.page.wait_for_selector("#roles:not([hidden])")
    visitor.click("#column-0 .pill:has(input[value=person])")
    visitor.click("#column-1 .pill:has(input[value=person])")

    assert visitor.page.locator("input[value=person]:checked").count() == 1
    assert visitor.page.input_value("#person") == "sex"
    assert visitor.page.is_checked("input[name=level][value=event]")
    visitor.click(".choice:has(input[name=level][value=person])")
    assert visitor.page.locator("#columns input[value=person]:checked").count() == 0


def test_answers_choose_the_policy_before_the_audit(visitor, tmp_path):
    """The three questions stand on the page with the usual answers, and another answer asks another policy."""
    visitor.choose_file("#file", people(tmp_path))
    visitor.page.wait_for_selector("#roles:not([hidden])")
    assert visitor.page.input_value("#policy") == "scorr"
    visitor.click(".choice:has(input[value=inside])")

    assert visitor.page.input_value("#policy") == "trusted-internal"
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    assert "policy trusted-internal" in visitor.page.inner_text("#report")


def test_names_from_a_table_never_become_markup(visitor, tmp_path):
    """A column called like a script is shown as it is written, and nothing runs."""
    name = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    path = tmp_path / "hostile.csv"
    quoted = '"' + name.replace('"', '""') + '"'
    path.write_text(f"{quoted},age,diagnosis\n" + "".join(f"a{i % 3},{20 + i},{'flu' if i % 2 else 'cold'}\n" for i in range(40)))
    visitor.choose_file("#file", path)
    visitor.page.wait_for_selector("#roles:not([hidden])")
    assert visitor.page.locator("#columns .name").first.inner_text() == name
    visitor.click("#column-0 .pill:has(input[value=quasi-identifier])")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    visitor.sees_sliders()

    assert visitor.page.locator("main img, main script:not([type='application/json'])").count() == 0
    assert visitor.page.title().startswith("anonscope")
    assert visitor.complaints == []


def test_a_table_is_forgotten(visitor, tmp_path):
    """After "forget" its pages and its list entry are gone."""
    visitor.choose_file("#file", people(tmp_path))
    visitor.page.wait_for_selector("#roles:not([hidden])")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    address = visitor.page.url
    visitor.click("#forget")
    visitor.click("text=Yes, delete it")
    visitor.page.wait_for_url(lambda url: "/table/" not in url)

    assert visitor.page.goto(address).status == 404


def test_values_of_records_need_a_deliberate_switch(visitor, tmp_path):
    """Row numbers come first; values appear only after the switch."""
    visitor.choose_file("#file", people(tmp_path))
    visitor.page.wait_for_selector("#roles:not([hidden])")
    visitor.click("text=Audit this table")
    visitor.sees_verdict()
    visitor.click("#show-records")
    visitor.page.wait_for_selector("#record-list table")
    assert "consumption" not in visitor.page.inner_text("main")
    visitor.page.check("#record-list input[role=switch]")
    visitor.page.wait_for_selector("#record-list td:has-text('consumption')")


def test_what_cannot_be_read_is_said_in_a_sentence(visitor, tmp_path):
    """A file that is no table leaves the visitor on the first page with a reason, not with a trace."""
    path = tmp_path / "broken.parquet"
    path.write_bytes(b"PAR1 no table at all")
    visitor.choose_file("#file", path)
    visitor.page.wait_for_selector("#problem:not([hidden])")

    said = visitor.page.inner_text("#problem")
    assert said.endswith((".", "?")) and "Traceback" not in said
    assert visitor.page.is_enabled("#sample")


def people(folder):
    """Write a small table of invented people."""
    path = folder / "people.csv"
    rows = [f"{20 + i % 30},{'F' if i % 2 else 'M'},{10000 + i % 7},{'consumption' if i % 5 else 'gout'}" for i in range(120)]
    path.write_text("age,sex,zip,diagnosis\n" + "\n".join(rows) + "\n")
    return path


def test_a_file_is_dropped_anywhere_on_the_page(visitor):
    """Dropping is as good as choosing."""
    visitor.page.evaluate(DROP)
    visitor.page.wait_for_selector("#roles:not([hidden])")
    assert "dropped.csv" in visitor.page.inner_text("main")
    assert visitor.complaints == []


DROP = """() => {
  const carried = new DataTransfer();
  carried.items.add(new File(["age,sex,diagnosis\\n31,F,flu\\n45,M,gout\\n45,M,flu\\n"], "dropped.csv", { type: "text/csv" }));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
}"""


def test_a_dictionary_changes_what_is_proposed(visitor, tmp_path):
    """Whoever has a codebook gives it on the page of roles, which then begins anew."""
    survey, codebook = tmp_path / "survey.csv", tmp_path / "codebook.csv"
    survey.write_text("q17a,vvx\n" + "".join(f"{i % 4},{1000 + 37 * i}\n" for i in range(60)))
    codebook.write_text("name,label\nq17a,Marital status\nvvx,Net monthly income\n")
    visitor.choose_file("#file", survey)
    visitor.page.wait_for_selector("#roles:not([hidden])")
    with visitor.page.expect_navigation():
        visitor.page.locator("#dictionary").set_input_files(codebook)
    visitor.page.wait_for_selector("#roles:not([hidden])")

    assert "marital status" in visitor.page.locator("#columns").inner_text().lower()
    assert visitor.complaints == []
