"""What the rooms of a project showed is there again after a restart: comparisons, linkages, and the tables that stood beside."""

import pytest
from test_project import PEOPLE, ROLES, settled

from support.browsing import Visitor, needs_browser
from support.served import API, result, sent, served

OUTSIDE = b"age,sex,job\n" + b"".join(b"%d,%s,%s\n" % (20 + i % 30, b"FM"[i % 2 : i % 2 + 1], b"zymurgist") for i in range(40))
BESIDE = ("added", "left_out", "control")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A project in which a version was compared with a release from elsewhere and linked, and what its rooms showed."""
    folder = tmp_path_factory.mktemp("kept") / "compared"
    with served(project=folder) as server:
        client = server.browser()
        id, release, outside = (
            sent(client, content, name).json()["id"]
            for content, name in ((PEOPLE, "people.csv"), (PEOPLE, "theirs.csv"), (OUTSIDE, "outside.csv"))
        )
        at = f"{API}/tables/{id}"
        result(client, client.post(f"{at}/audit", json={"roles": ROLES, "policy": "trusted-internal", "plan": False}))
        assert result(client, client.post(f"{at}/anonymise", json={"policy": "trusted-internal"}))["met"]
        beside = {"added": [release], "left_out": [2], "control": outside}
        assert client.patch(f"{at}/workspace", json=beside).status_code == 200
        result(client, client.post(f"{API}/compare", json={"original": id, "versions": [1], "releases": [release]}))
        result(client, client.post(f"{API}/link", json={"release": id, "version": 1, "external": outside}))
        told = settled(client, id)
        documents = {kind: client.get(one["location"]).json() for kind, one in told["results"].items()}
        assert set(documents) == {"compare", "link"}
    return folder, {id: PEOPLE, release: PEOPLE, outside: OUTSIDE}, told, documents


def reopened(client, tables):
    """Give every table its file, and return what the first of them tells."""
    first, *others = tables
    for id in (*others, first):
        assert client.post(f"{API}/project/tables/{id}/file", files={"file": ("x.csv", tables[id])}).status_code == 201
    return settled(client, first)


def test_what_was_found_and_added_is_there_again(kept, tmp_path):
    """To the last figure, as JSON, as a page and as text, twice in a row; what was added and left out is, too."""
    import shutil

    folder, tables, told, documents = kept
    copy = shutil.copytree(folder, tmp_path / "copy")
    for _ in range(2):
        with served(project=copy) as server:
            client = server.browser()
            now = reopened(client, tables)
            assert {name: now[name] for name in BESIDE} == {name: told[name] for name in BESIDE}
            assert {kind: one["version"] for kind, one in now["results"].items()} == {"compare": "Version 1", "link": "Version 1"}
            for kind, document in documents.items():
                location = now["results"][kind]["location"]
                assert client.get(location).json() == document
                assert "<html" in client.get(location.replace(".json", ".html")).text
            # What is not kept is said, not guessed: a document cannot be weighed anew.
            answer = client.get(now["results"]["compare"]["location"].replace(".json", "/balance"))
            assert answer.status_code == 409 and "Compare again" in answer.json()["error"]


def test_results_about_another_file_or_other_roles_are_gone(kept, tmp_path):
    """Nobody is shown what was found about something else."""
    import shutil

    folder, tables, _, _ = kept
    copy, id = shutil.copytree(folder, tmp_path / "copy"), next(iter(tables))
    with served(project=copy) as server:
        client = server.browser()
        other = PEOPLE.replace(b"P000X", b"P999X")
        answer = client.post(f"{API}/project/tables/{id}/file", files={"file": ("x.csv", other)}, data={"changed": "true"})
        assert answer.status_code == 201
        assert settled(client, id)["results"] == {}
    assert not list((copy / "tables" / id).glob("results/*"))


def test_an_export_has_none_of_them(kept):
    """A comparison has the hash of the data."""
    from anonscope.web.project.export import exported

    assert not [name for name in exported(kept[0]) if "results" in name]


@needs_browser
def test_a_kept_comparison_is_shown_in_its_room(kept, chromium, tmp_path):
    """With what it says; the slider, which would have to weigh anew, says why it cannot."""
    import shutil

    folder, tables, _, _ = kept
    copy, id = shutil.copytree(folder, tmp_path / "copy"), next(iter(tables))
    with served(project=copy) as server:
        reopened(server.browser(), tables)
        context = chromium.new_context()
        visitor = Visitor(context)
        visitor.page.goto(f"{server.base}/enter?token={server.settings.token}")
        visitor.page.goto(f"{server.base}/w/{id}/compare")
        visitor.page.wait_for_selector("#best-version:has-text('Compare again')")
        assert visitor.page.is_disabled("#alpha")
        assert all("409" in complaint for complaint in visitor.complaints)
        context.close()
