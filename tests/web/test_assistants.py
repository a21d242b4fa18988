"""An assistant speaks to the server over standard input and output, protects a table, and never sees a value of it."""

import asyncio
import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError
from typer.testing import CliRunner

from anonscope.cli import app
from anonscope.errors import OptionError
from anonscope.web.assistants import TOOLS, Folder, _guarded

CANARY = "Qzxv"
ROLES = {"quasi_identifiers": ["age", "town"], "sensitive": ["ill"], "direct_identifiers": ["name"]}
# What only a person may say.
FORBIDDEN = ("acknowledge", "acknowledge_rest", "insensitive", "exceptions", "limits", "policy", "suppression", "levels", "weight")


def people(path: Path) -> None:
    chance = random.Random(3)
    rows = [f"{CANARY} Person {i},{chance.randint(20, 80)},{CANARY}town{i % 4},{CANARY}ill{i % 3}" for i in range(120)]
    path.write_text("name,age,town,ill\n" + "\n".join(rows) + "\n", encoding="utf-8")


async def session(folder: Path) -> dict:
    """Go the whole way, and return everything that came over the line."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "anonscope", "mcp", str(folder), "--policy", str(folder.parent / "three.toml")],
        env={"PYTHONPATH": str(Path(__file__).parents[2] / "src"), "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    said = {}
    async with Client(command) as client:
        said["tools"] = (await client.list_tools()).tools
        said["resources"] = (await client.list_resources()).resources
        said["page"] = (await client.read_resource("docs://commands/audit.md")).contents[0].text

        async def ask(key, tool, **arguments):
            said[key] = await client.call_tool(tool, arguments)

        await ask("tables", "tables")
        await ask("suggest", "suggest", table="people.csv")
        await ask("audit", "audit", table="people.csv", **ROLES)
        await ask("plan", "plan", table="people.csv", **ROLES)
        await ask("anonymise", "anonymise", table="people.csv", release="release.csv", **ROLES)
        await ask("again", "anonymise", table="people.csv", release="release.csv", **ROLES)
        await ask("compare", "compare", table="people.csv", releases=["release.csv"], **ROLES)
        await ask("verify", "verify", release="release.csv")
        await ask("outside", "audit", table="../three.toml", **ROLES)
        await ask("linked", "audit", table="link.csv", **ROLES)
        await ask("archive", "audit", table="release.csv.archive/recipe.toml", **ROLES)
        await ask("word", "audit", table="people.csv", **ROLES, acknowledge_rest="the assistant says so")
        await ask("led out", "audit", table="people.csv", roles="roles.toml")
        await ask("no format", "anonymise", table="people.csv", release="release.exe", **ROLES)
        await ask("damaged", "audit", table="damaged.parquet", **ROLES)
        secret = {"quasi_identifiers": ["town"], "sensitive": ["ill", "age"], "direct_identifiers": ["name"]}
        await ask("known", "anonymise", table="people.csv", release="known.csv", **secret)
        await ask("headerless", "audit", table="headerless.csv", **ROLES)
    return said


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    root = tmp_path_factory.mktemp("assistant")
    folder = root / "tables"
    folder.mkdir()
    people(folder / "people.csv")
    people(root / "outside.csv")
    (folder / "link.csv").symlink_to(root / "outside.csv")
    roles = 'quasi_identifiers = ["age"]\nsensitive = ["town"]\n[hierarchies]\ntown = "../outside.csv"\n'
    (folder / "roles.toml").write_text(roles, encoding="utf-8")
    (folder / "headerless.csv").write_text((folder / "people.csv").read_text(encoding="utf-8").partition("\n")[2], encoding="utf-8")
    (folder / "damaged.parquet").write_bytes(b"PAR1" + CANARY.encode() * 50)
    policy = 'schema = "anonscope/policy/1"\nname = "three"\ntitle = "T"\nversion = "1"\norigin = "a test"\n'
    (root / "three.toml").write_text(policy + '[[rules]]\nmetric = "k_anonymity"\nminimum = 3\nlabel = "three"\n', encoding="utf-8")
    # Tests in a browser before this one leave a loop running in their thread.
    with ThreadPoolExecutor(1) as apart:
        found = apart.submit(lambda: asyncio.run(session(folder))).result()
    found["folder"] = folder
    return found


def test_the_whole_way_is_gone_without_seeing_the_table(said):
    """Every tool answers with its document; the release is there, meets the policy and verifies."""
    for tool, schema in (
        ("audit", "audit"),
        ("plan", "plan"),
        ("anonymise", "anonymisation"),
        ("compare", "comparison"),
        ("verify", "verification"),
    ):
        assert not said[tool].is_error, said[tool]
        assert schema in said[tool].structured_content["schema"]
    assert said["anonymise"].structured_content["written"] == "release.csv" and (said["folder"] / "release.csv").is_file()
    assert said["verify"].structured_content["holds"] is True
    assert said["tables"].structured_content["files"].count("people.csv") == 1


def test_no_value_comes_over_the_line(said):
    """Whatever was asked, right or wrong: no answer and no error holds a cell, and no answer a recipe, which would."""
    told = json.dumps({key: answer.model_dump(mode="json") for key, answer in said.items() if hasattr(answer, "model_dump")})
    assert len(told) > 5000 and CANARY not in told and CANARY.lower() not in told.lower()
    assert "recipe" not in said["anonymise"].structured_content


def test_what_a_person_must_say_is_no_argument(said):
    """Of no tool; and one that is sent all the same is not heard."""
    assert {tool.name for tool in said["tools"]} == set(TOOLS)
    arguments = {name for tool in said["tools"] for name in tool.input_schema.get("properties", {})}
    assert arguments.isdisjoint(FORBIDDEN)
    heard = said["word"]
    assert heard.is_error or heard.structured_content["verdict"] == said["audit"].structured_content["verdict"]


@pytest.mark.parametrize("key", ["outside", "linked", "archive", "again", "led out", "no format", "damaged"])
def test_what_may_not_be_named_is_refused(said, key):
    """Outside by dots, by a link or by a roles file, archives, endings, and what exists; a damaged file is a sentence."""
    assert said[key].is_error and "defect" not in said[key].content[0].text
    assert str(said["folder"].parent) not in said[key].content[0].text


def test_a_roles_file_does_not_lead_out_of_the_folder(said):
    """What it names is not even opened."""
    assert "Only files in the folder" in said["led out"].content[0].text


def test_what_outsiders_know_is_not_called_a_secret(said):
    """An assistant that gives the age as sensitive gets no release, and a table without a header does not tell its first person."""
    assert said["known"].is_error and "'age'" in said["known"].content[0].text and not (said["folder"] / "known.csv").exists()
    assert said["headerless"].is_error and "seems to have no header" in said["headerless"].content[0].text


def test_no_error_says_where_the_folder_is(tmp_path):
    """The path of a file of the folder is its name in it."""

    def tool() -> dict:
        raise OptionError(f"Finish it with: anonscope verify {tmp_path / 'a.csv'}; {tmp_path} is full.")

    with pytest.raises(ToolError) as told:
        _guarded(tool, tmp_path)()
    assert str(told.value) == "Finish it with: anonscope verify a.csv; the folder is full."


def test_pages_are_resources(said):
    """All of the documentation, as it is."""
    assert {str(resource.uri) for resource in said["resources"]} >= {"docs://index.md", "docs://commands/mcp.md"}
    assert said["page"].startswith("# ")


@pytest.mark.parametrize("name", ["../x.csv", "/etc/passwd", "", ".", "a/../../x", ".hidden", "x.csv.archive/y", "nul\0l"])
def test_no_path_leaves_the_folder(tmp_path, name):
    """To read, or to write."""
    (tmp_path / "in").mkdir()
    folder = Folder(tmp_path / "in")
    for way in (folder.existing, folder.new):
        with pytest.raises(ToolError):
            way(name)


def test_no_part_of_a_table_leaves_the_folder(tmp_path):
    """A folder of parts is a table; a link among them leads nowhere, and an archive among them is not read."""
    parts = tmp_path / "in" / "parts"
    (parts / "r.csv.archive").mkdir(parents=True)
    (parts / "1.csv").write_text("a\n1\n")
    (tmp_path / "outside.csv").write_text("a\n2\n")
    folder = Folder(tmp_path / "in")
    assert folder.existing("parts") == parts
    (parts / "r.csv.archive" / "2.csv").write_text("a\n3\n")
    with pytest.raises(ToolError, match="Only files in the folder"):
        folder.existing("parts")
    (parts / "r.csv.archive" / "2.csv").unlink()
    (parts / "2.csv").symlink_to(tmp_path / "outside.csv")
    with pytest.raises(ToolError, match="Only files in the folder"):
        folder.existing("parts")


def test_a_folder_that_is_none_is_told(tmp_path):
    """In a sentence, before anything is served."""
    assert isinstance(CliRunner().invoke(app, ["mcp", str(tmp_path / "none")]).exception, OptionError)
