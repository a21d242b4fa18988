"""A project in a real browser: a table that waits for its file is given it on the first page, and another file is said to be one."""

from support.browsing import Visitor, needs_browser
from support.served import API, sent, served

pytestmark = needs_browser
LINES = "age,sex,diagnosis\n" + "".join(f"{20 + i % 30},{'F' if i % 2 else 'M'},{'gout' if i % 3 else 'flu'}\n" for i in range(90))


def test_a_table_of_a_project_is_given_its_file(chromium, tmp_path):
    """Another file is refused with the reason; the right one leads to the workspace as it was left, under its old address."""
    folder = tmp_path / "project"
    with served(project=folder) as server:
        client = server.browser()
        id = sent(client, LINES.encode()).json()["id"]
        client.patch(f"{API}/tables/{id}/workspace", json={"notes": "ask the registry"})
    right, other = tmp_path / "people.csv", tmp_path / "other.csv"
    right.write_text(LINES)
    other.write_text(LINES.replace("20,", "21,"))
    with served(project=folder) as server:
        context = chromium.new_context()
        visitor = Visitor(context)
        page = visitor.page
        page.goto(f"{server.base}/enter?token={server.settings.token}")
        page.wait_for_selector("#waiting li")
        assert page.inner_text("#project-name") == "Project project" and page.goto(f"{server.base}/w/{id}").status == 409
        assert "waits for its file" in page.inner_text("main")
        page.goto(server.base)
        visitor.choose_file(f"#file-{id}", other)
        page.wait_for_selector("text=use it")
        assert "SHA-256" in page.inner_text("#waiting li")
        visitor.choose_file(f"#file-{id}", right)
        page.wait_for_url(f"**/w/{id}/data")
        assert visitor.told("workspace")["notes"] == "ask the registry"
        while visitor.told("workspace")["jobs"]:
            page.wait_for_timeout(50)
        assert all("409" in complaint for complaint in visitor.complaints)
        context.close()
