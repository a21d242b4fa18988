"""From file to verdict in a real browser, with every interaction counted."""

import json

from support.browsing import needs_browser

pytestmark = needs_browser


def test_the_token_is_gone_from_the_address(visitor):
    """What let somebody in is exchanged for a cookie, so that no history keeps it."""
    assert visitor.page.url.endswith("/")
    assert "token" not in visitor.page.url
    assert visitor.page.evaluate("document.cookie") == ""


def test_a_role_is_changed_by_keyboard_alone(visitor, tmp_path):
    """Tab reaches the radio group of a column, an arrow changes the role, and the audit takes it."""
    visitor.brings(people(tmp_path))
    before = visitor.page.locator("#column-0 input:checked").get_attribute("value")
    visitor.page.locator("#column-0 input:checked").focus()
    visitor.press("ArrowRight")

    after = visitor.page.locator("#column-0 input:checked").get_attribute("value")
    assert after != before
    visitor.page.locator("text=Audit this table").focus()
    visitor.press("Enter")
    visitor.sees_verdict()
    table = visitor.table
    roles = visitor.page.evaluate("id => fetch(`/api/v1/tables/${id}/audit.json`).then(r => r.json()).then(a => a.roles)", table)
    key = {"direct identifier": "direct_identifiers", "quasi-identifier": "quasi_identifiers", "sensitive": "sensitive"}.get(after)
    assert ("age" in roles.get(key, [])) if key else "age" not in json.dumps(roles)


def test_only_one_column_says_who_a_row_belongs_to(visitor, tmp_path):
    """A second person takes the role from the first, and whoever says that a row is a person takes it away."""
    visitor.brings(people(tmp_path))
    visitor.page.select_option("#column-0 select", "person")
    visitor.page.wait_for_function("() => document.querySelector('#column-0 select').value === 'person'")
    visitor.page.select_option("#column-1 select", "person")
    visitor.page.wait_for_function("() => document.querySelector('#column-0 select').value !== 'person'")
    assert visitor.told("workspace")["roles"]["person"] == "sex"
    visitor.goes_to("data")
    visitor.says_rows_are_people()
    assert "person" not in visitor.told("workspace")["roles"]


def test_several_rows_of_one_person_ask_for_a_column(visitor, tmp_path):
    """Whoever says so names it, and it is the person from then on."""
    visitor.choose_file("#file", people(tmp_path))
    visitor.page.wait_for_selector("#row-event:enabled")
    visitor.click("#row-event")
    visitor.page.select_option("#person", "zip")
    visitor.page.wait_for_selector("#roles:not([hidden])")
    told = visitor.told("workspace")
    assert (told["row"], told["roles"]["person"]) == ("event", "zip")


def test_answers_choose_the_policy_before_the_audit(visitor, tmp_path):
    """The three questions stand on the page with the usual answers, and another answer asks another policy."""
    visitor.brings(people(tmp_path))
    assert visitor.page.input_value("#policy") == "scorr"
    visitor.click(".choice:has(input[value=inside])")
    visitor.page.wait_for_function("() => document.querySelector('#policy').value === 'trusted-internal'")
    visitor.click(".choice:has(input[value=little])")
    visitor.page.wait_for_function('() => fetch(location.href).then(r => r.text()).then(t => t.includes(\'"harm": "little"\'))')
    visitor.page.reload()
    visitor.page.wait_for_selector("#roles:not([hidden])")
    assert visitor.page.is_checked("input[value=little]") and visitor.page.is_checked("input[value=inside]")
    visitor.audits()
    assert "policy trusted-internal" in visitor.page.inner_text("#report")


def test_names_from_a_table_never_become_markup(visitor, tmp_path):
    """A column called like a script is shown as it is written, and nothing runs."""
    name = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    path = tmp_path / "hostile.csv"
    quoted = '"' + name.replace('"', '""') + '"'
    path.write_text(f"{quoted},age,diagnosis\n" + "".join(f"a{i % 3},{20 + i},{'flu' if i % 2 else 'cold'}\n" for i in range(40)))
    visitor.brings(path)
    assert visitor.page.locator("#columns .name").first.inner_text() == name
    visitor.click("#column-0 .pill:has(input[value=quasi-identifier])")
    visitor.audits()
    visitor.sees_sliders()

    assert visitor.page.locator("main img, main script:not([type='application/json'])").count() == 0
    assert visitor.page.title().startswith("anonscope")
    assert visitor.complaints == []


def test_a_table_is_forgotten(visitor, tmp_path):
    """After "forget" its pages and its list entry are gone."""
    visitor.brings(people(tmp_path))
    visitor.goes_to("data")
    address = visitor.page.url
    visitor.click("#forget")
    visitor.click("text=Yes, delete it")
    visitor.page.wait_for_url(lambda url: "/w/" not in url)

    assert visitor.page.goto(address).status == 404


def test_values_of_records_need_a_deliberate_switch(visitor, tmp_path):
    """Row numbers come first; values appear only after the switch."""
    visitor.brings(people(tmp_path))
    visitor.audits()
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
    visitor.says_rows_are_people()
    assert visitor.page.inner_text("#file-name") == "dropped.csv"
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
    visitor.brings(survey)
    with visitor.page.expect_navigation():
        visitor.page.locator("#dictionary").set_input_files(codebook)
    visitor.page.wait_for_selector("#roles:not([hidden])")

    visitor.click("#column-0 .why")
    assert "marital status" in visitor.page.locator("#columns").inner_text().lower()
    assert visitor.complaints == []
