"""The documentation covers everything public, its links lead somewhere, and its examples give what they say."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, fields
from inspect import signature
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import typer
import yaml
from markdown.extensions.toc import slugify
from typer.testing import CliRunner

import anonscope as an
from anonscope import errors
from anonscope.cli import app
from anonscope.columns.roles import load as load_roles
from anonscope.io.sources import FORMATS
from anonscope.report import FORMATS_BY_SUFFIX
from anonscope.risk.policy import Rule, RuleResult, load
from support.documentation import DOCS, FENCE, ROOT, blocks, documented, fits, prose, text_of

PAGES = sorted(DOCS.rglob("*.md"))
LINK = re.compile(r"\]\(([^)\s]+)\)")
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands


@dataclass(frozen=True)
class Example:
    """A command on a page, the tables and recipes the page has shown so far, and one block of what comes out."""

    page: str
    tables: dict[str, str]
    command: str
    kind: str
    expected: str

    def __str__(self) -> str:
        return f"{self.page}: {self.command} -> {self.kind}"


def examples() -> Iterator[Example]:
    for page in PAGES:
        tables: dict[str, str] = {}
        command = ""
        for language, title, content in blocks(page):
            if language in ("csv", "toml") and title:
                tables[title] = content
            elif language == "shell":
                command = content.strip().splitlines()[-1]
            elif title in ("measurements", "rules", "verdict", "output"):
                yield Example(str(page.relative_to(DOCS)), dict(tables), command, title, content)


EXAMPLES = list(examples())


def run(example: Example, *extra: str) -> str:
    """Run the command as a reader would, and return what it prints."""
    for name, content in example.tables.items():
        Path(name).write_text(content, encoding="utf-8")
    result = CliRunner().invoke(app, [*shlex.split(example.command)[1:], "--quiet", *extra])
    assert result.exit_code in (0, 1), result.output or result.exception
    return result.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_every_example_gives_what_its_page_says(example, tmp_path, monkeypatch):
    """The tables, commands and numbers on the pages are run, so they cannot rot."""
    monkeypatch.chdir(tmp_path)
    if example.kind == "output":
        printed = [line.split() for line in run(example).splitlines()]
        assert [line for line in example.expected.splitlines() if line.split() not in printed] == []
        return
    document = json.loads(run(example, "--format", "json"))
    verdict = document["verdict"]
    found = {"measurements": document["measurements"], "rules": verdict["rules"], "verdict": [verdict]}[example.kind]
    for line in example.expected.splitlines():
        expected = json.loads(line)
        assert any(fits(expected, entry) for entry in found), f"{example.page} says {line}"


@pytest.mark.parametrize("name", an.METRICS)
def test_every_metric_has_a_worked_example(name):
    """A page of a metric shows at least one measurement of it."""
    shown = [e for e in EXAMPLES if e.page == f"risk/metrics/{name}.md" and e.kind == "measurements" and f'"{name}"' in e.expected]
    assert shown


@pytest.mark.parametrize("metric", an.METRICS.values(), ids=str)
def test_every_metric_has_a_page_that_agrees_with_the_registry(metric):
    """Title, question, reading, symbol, formula and source stand on the page as reports show them."""
    page = f"risk/metrics/{metric.name}.md"
    assert text_of(page).startswith(f"# {metric.title}\n\n**{metric.question}**\n")
    for fact in (metric.reading, f"Source: {metric.source}."):
        assert fact in prose(page)
    assert re.search(rf"The symbol (in reports )?is \"?{re.escape(metric.symbol)}\"?\.", prose(page))
    assert ("text", "", metric.formula + "\n") in blocks(DOCS / page)
    for heading in ("How to read it", "Try it", "What it misses", "Definition and source", "Edge cases"):
        assert f"\n## {heading}\n" in text_of(page)


@pytest.mark.parametrize("metric", an.METRICS.values(), ids=str)
def test_the_list_of_metrics_is_complete(metric):
    """The overview has a row for every metric, with what the registry says of it."""
    (row,) = [line for line in text_of("risk/metrics/index.md").splitlines() if line.startswith(f"| [{metric.title}]({metric.name}.md)")]
    values = f"{metric.range[0]} and up" if metric.range[1] is None else "0 to 1"
    assert row.endswith(f"| {metric.question} | {metric.attack} | {metric.safer} | {values} | {', '.join(metric.scopes)} |")
    assert metric.title.lower() in text_of("risk/verdict.md").lower()


@pytest.mark.parametrize("name", an.preset_names())
def test_every_preset_has_a_page_with_its_rules(name):
    """Every rule stands on the page with its words and its limit; so do version and jurisdiction."""
    policy, page = load(name), prose(f"risk/policies/{name}.md")
    for fact in (f"**{policy.title}.**", f"Jurisdiction: {policy.jurisdiction}.", f"Version {policy.version}."):
        assert fact in page
    assert ("forbid_direct_identifiers" in page) == policy.forbid_direct_identifiers
    for rule in policy.rules:
        (row,) = [line for line in text_of(f"risk/policies/{name}.md").splitlines() if line.startswith(f"| {rule.label} |")]
        assert f"| {rule.limit_text} |" in row
        assert f"(../metrics/{rule.metric}.md)" in row
        if rule.acknowledge_above is not None:
            assert f"above {rule.acknowledge_above:g}" in row
        if rule.threshold is not None:
            assert f"threshold {rule.threshold}" in row
    assert f"]({name}.md)" in text_of("risk/policies/index.md")


@pytest.mark.parametrize("name", an.__all__)
def test_every_public_name_is_documented(name):
    """What `import anonscope` offers is on the Python page."""
    assert documented(name, "reference/python.md")


RESULTS = [an.Audit, an.Measurement, an.Verdict, an.Policy, an.Roles, an.Scenario, an.Metric, RuleResult]
RESULTS += [
    an.Exploration,
    an.Hierarchy,
    an.Suggestion,
    an.ColumnSuggestion,
    an.Recipe,
    an.Release,
    an.Anonymisation,
    an.Comparison,
    an.Transformation,
]


@pytest.mark.parametrize("thing", [*RESULTS, an.Pipeline, an.FragmentRelease, an.PreCheck, an.Associations, an.Fragmentation], ids=str)
def test_every_field_of_a_result_is_documented(thing):
    """So are the fields and the public members of everything people hold."""
    members = {f.name for f in fields(thing) if not f.name.startswith("_")} | {m for m in vars(thing) if not m.startswith("_")}
    assert [m for m in sorted(members) if not documented(m, "reference/python.md")] == []


def test_every_argument_of_read_and_audit_is_documented():
    """No keyword is left to be found in the source."""
    functions = (an.read, an.audit, an.apply, an.explore, an.anonymise, an.compare, an.link, an.link_by_likeness, an.compose)
    arguments = [name for function in functions for name in signature(function).parameters]
    assert [a for a in arguments if not documented(a, "reference/python.md")] == []


def test_every_error_is_documented():
    """The tree of errors is on the Python page."""
    kinds = [k for k, v in vars(errors).items() if isinstance(v, type) and issubclass(v, an.AnonscopeError)]
    assert [k for k in kinds if not documented(k, "reference/python.md")] == []


def test_every_key_of_a_roles_file_is_documented():
    """The fields of Roles are the keys of the file."""
    keys = ["schema", *(f.name for f in fields(an.Roles))]
    assert [k for k in keys if not re.search(rf"^\| `{k}` \|", text_of("columns/roles.md"), re.MULTILINE)] == []


def test_every_key_of_a_policy_file_is_documented():
    """So are those of Policy and Rule."""
    keys = ["schema", *(f.name for f in fields(an.Policy)), *(f.name for f in fields(Rule))]
    assert [k for k in keys if not re.search(rf"^\| `{k}` \|", text_of("risk/policies/your-own.md"), re.MULTILINE)] == []


def test_the_files_on_the_pages_can_be_read(tmp_path):
    """The roles file and the policy file that readers will copy are valid, and the roles file shows every key."""
    (roles,) = [(title, content) for _, title, content in blocks(DOCS / "columns/roles.md") if title.endswith(".toml")]
    (policy,) = [(title, content) for _, title, content in blocks(DOCS / "risk/policies/your-own.md") if title.endswith(".toml")]
    for title, content in (roles, policy):
        (tmp_path / title).write_text(content, encoding="utf-8")
    read = load_roles(tmp_path / roles[0])
    assert [f.name for f in fields(an.Roles) if not getattr(read, f.name)] == []
    assert load(tmp_path / policy[0]).class_size == 8


def spellings(command: Any) -> list[str]:
    """Return every way to write every option of a command; an argument has none."""
    return [s for p in command.params for s in [*p.opts, *p.secondary_opts] if s.startswith("-")]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_the_command_line_is_documented(name):
    """Every command has a section, and every spelling of every option a place in it, or in what it says it shares with others."""
    parts = re.split(r"^## ", text_of("reference/cli.md"), flags=re.MULTILINE)
    (section,) = [part for part in parts if part.startswith(f"anonscope {name}\n")]
    (shared,) = [part for part in parts if part.startswith("Options that commands share\n")]
    groups = {part.partition("\n")[0].lower().replace(" ", "-"): part for part in re.split(r"^### ", shared, flags=re.MULTILINE)[1:]}
    said = section + "".join(groups[anchor] for anchor in re.findall(r"\]\(#([a-z-]+)\)", section))
    assert spellings(COMMANDS[name])
    assert [s for s in spellings(COMMANDS[name]) if s != "--help" and not re.search(rf"`{s}[` ]", said)] == []


def test_the_command_line_page_names_no_option_that_is_not_there():
    """What a reader types from the page is understood."""
    known = {s for command in COMMANDS.values() for s in spellings(command)} | {"-h", "--help", "--version"}
    assert set(re.findall(r"`(--?[a-z][a-z-]*)", text_of("reference/cli.md"))) - known == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_every_command_on_a_page_is_understood(page):
    """Options in examples exist and have values that fit; files need not."""
    for language, _, content in blocks(page):
        lines = content.splitlines() if language == "shell" else []
        for part in (part for line in lines for part in re.split(r"&&|\|", line)):
            words = shlex.split(part, comments=True)
            if words[:1] == ["anonscope"] and words[1] in COMMANDS:
                COMMANDS[words[1]].make_context(words[1], words[2:])


@pytest.mark.parametrize(
    "page", ["index.md", "columns/inverse-images.md", "reference/python.md", "transform/recipes.md", "io/sources.md", "risk/why.md"]
)
def test_the_python_on_a_page_runs(page, tmp_path, monkeypatch):
    """All blocks of a page are one program, beside the tables that the page shows."""
    monkeypatch.chdir(tmp_path)
    found = blocks(DOCS / page)
    for language, title, content in found:
        if language == "csv":
            Path(title).write_text(content, encoding="utf-8")
    exec("\n".join(content for language, _, content in found if language == "python"), {})


def test_every_field_of_the_json_is_documented(tmp_path):
    """Keys of an audit in which everything is set; those that are column or scenario names are the user's."""
    table = tmp_path / "events.csv"
    table.write_text("id,who,home,w,age,sex,ill,grade\n1,a,x,1,30,F,flu,1\n2,a,x,1,30,F,flu,2\n3,b,y,1,40,,asthma,3\n", encoding="utf-8")
    roles = {"direct_identifiers": ["id"], "person": "who", "household": "home", "weight": "w", "sensitive": ["ill", "grade"]}
    with an.read(table, quasi_identifiers=["age", "sex"], scenarios={"near": ["sex"]}, distance={"grade": "equal"}, **roles) as data:
        document = an.audit(data, explain=True).to_dict()
    roles_given, reasons = document["roles"], document["why"]
    for named_by_user in (document["data"]["missing"], roles_given["scenarios"], roles_given["distance"], reasons["contributions"]):
        named_by_user.clear()
    assert [key for key in sorted(set(keys_of(document))) if not documented(key, "reference/json.md")] == []


def test_every_field_of_other_documents_is_documented():
    """Anonymisations, comparisons, linkages and compositions; keys that are columns, metrics or purposes are not ours to name."""
    people = pa.table({"age": [30, 31, 52, 57], "sex": ["F", "F", "M", "M"], "ill": ["flu", "gout", "flu", "gout"]})
    with an.read(people, quasi_identifiers=["age", "sex"], sensitive=["ill"]) as data:
        made = an.anonymise(data, limits={"k_anonymity": 2}, method="global", explain=True)
        compared = an.compare(data, made, external=people, most_risk=0.9)
        told = an.explore(data, limits={"k_anonymity": 2})
        documents = [made.to_dict(), compared.to_dict(), an.link(data, people).to_dict(), an.compose(data, data, people).to_dict()]
    what_if = told.to_dict()
    for named_by_user in (what_if["levels"], what_if["losses"]):
        named_by_user.clear()
    documents.append(what_if)
    for version in documents[1]["versions"]:
        version["risks"].clear()
    for candidate in documents[0]["space"]:
        candidate["levels"].clear()
    assert [key for key in sorted(set(keys_of(documents))) if not documented(key, "reference/json.md")] == []


def keys_of(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        for entry in value.values():
            yield from keys_of(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from keys_of(entry)


def test_every_format_is_documented():
    """Formats of sources and endings of reports."""
    assert [f for f in FORMATS if not documented(f, "io/sources.md")] == []
    assert [s for s in FORMATS_BY_SUFFIX if f"`{s}`" not in text_of("report/report.md")] == []


def test_every_page_is_in_the_navigation():
    """A page that no menu leads to is not found; a menu entry without a page is a dead end."""
    listed = list(leaves(configuration()["nav"]))
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in PAGES)


def test_the_site_loads_nothing_from_elsewhere():
    """No web font, and no plugin that fetches."""
    assert configuration()["theme"]["font"] is False
    assert configuration()["plugins"] == ["search"]


def configuration() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        for entry in nav.values():
            yield from leaves(entry)
    else:
        for entry in nav:
            yield from leaves(entry)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"], ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    """The file exists, and so does the heading behind the #."""
    for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        goal = (page.parent / path).resolve() if path else page
        assert goal.is_file(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(goal), f"{page.name} links to {target}"


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {slugify(heading.replace("`", ""), "-") for heading in headings}
