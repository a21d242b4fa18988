"""What can be asked is defined once: the command line, Python and REST have the same wishes, words, defaults and checks."""

import re
import resource
import subprocess
import sys
from dataclasses import MISSING, dataclass
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, get_args

import pyarrow as pa
import pytest
import typer
from pydantic import TypeAdapter
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.cli.flattened import flattened
from anonscope.columns.readings import UNKNOWN
from anonscope.engines.choice import ENGINES
from anonscope.errors import AnonscopeError
from anonscope.io.sources import FORMATS
from anonscope.operations.read import ReadWishes
from anonscope.operations.wishes import (
    attacks,
    columns,
    describing,
    engine,
    intruding,
    output,
    policy,
    population,
    reading,
    registering,
    roles,
    search,
    signing,
    sketching,
    suggestion,
    synthesis,
    versions,
)
from anonscope.operations.wishes.words import Wish, Words, said, taking, wishes_of
from anonscope.transform.search.losses import LOSSES
from anonscope.transform.steps.recode import METHODS
from anonscope.web import questions, releases, schemas, what_if
from anonscope.web import signing as web_signing
from anonscope.web import synthesis as web_synthesis
from anonscope.web.app import create_app
from anonscope.web.asked import asked
from support.served import API, finished, served

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
GROUPS = {command.name or command.callback.__name__: command.callback.__dict__.get("groups", ()) for command in app.registered_commands}
# Commands that are about no table that somebody names: the bundled sample, a server, and a release with its manifest.
READ_NOTHING = {"demo", "describe", "doctor", "mcp", "seal", "serve", "verify"}
MODULES = (
    *(attacks, columns, describing, engine, intruding, output, policy, population),
    *(reading, registering, roles, search, signing, suggestion, synthesis, versions),
)
ALL = {
    g
    for module in MODULES
    for g in vars(module).values()
    if isinstance(g, type) and issubclass(g, Wish) and g.__module__ == module.__name__
}
# What each function takes as keywords beside its table.
KEYWORDS = {
    an.read: (ReadWishes,),
    an.audit: (policy.Judging, policy.Measuring, policy.Excepting, policy.ZipPopulations, policy.Keeping),
    an.check: (policy.Excepting, policy.Gating),
    an.describe: (describing.Describing,),
    an.anonymise: (search.Interrupted, policy.Excepting),
    an.explore: (search.Trying,),
    an.fragment: (search.Search, columns.Fragmenting),
    an.fragmentation: (columns.Splitting, columns.Chosen),
    an.associations: (columns.Chosen,),
    an.suggest: (suggestion.Suggesting, suggestion.Dictionary),
    an.pipeline: (suggestion.Stages,),
    an.precheck: (columns.Alike,),
    an.approximate: (sketching.Sketching,),
    an.compare: (versions.Comparing, versions.Explained, policy.Judging),
    an.link: (versions.Linking, versions.Explained),
    an.link_by_likeness: (versions.Likeness,),
    an.attack: (attacks.Attacking, attacks.AttackedWith, attacks.AttackJudged),
    an.AttackWith: (attacks.AttackedFrom, attacks.Attacking),
    an.intruder_test: (intruding.Intruding,),
    an.sign_off: (signing.SigningOff, signing.SigningFiles),
    an.unicity: (versions.Pointing,),
    an.synthesise: (synthesis.Synthesising,),
    an.verify: (engine.Resources,),
}
BODIES = (
    (schemas.RolesGiven, (roles.ColumnRoles,)),
    (schemas.ReadingSent, (reading.Reading,)),
    (schemas.SuggestAsked, (suggestion.Suggesting,)),
    (schemas.AuditAsked, (policy.Judging, policy.Measuring, policy.Excepting, roles.Acknowledging, attacks.AttackedFrom)),
    (schemas.AnonymiseAsked, (search.Anonymising, policy.Excepting, roles.Acknowledging, attacks.AttackedToo)),
    (schemas.AttackerAsked, (attacks.Knowing,)),
    (schemas.AttackAsked, (attacks.Attacking, attacks.AttackedWith, attacks.AttackJudged)),
    (schemas.UnicityAsked, (versions.Pointing,)),
    (schemas.LinkAsked, (versions.Linking, versions.Explained)),
    (questions.PrecheckAsked, (columns.Alike,)),
    (questions.CheckAsked, (policy.Judging, policy.Excepting, policy.Gating, roles.Acknowledging)),
    (questions.AssociationsAsked, (columns.Chosen,)),
    (questions.FragmentationAsked, (columns.Splitting, columns.Chosen)),
    (questions.RecipeAsked, (columns.Ready, columns.Alike)),
    (releases.PipelineAsked, (suggestion.Stages, roles.Acknowledging)),
    (releases.FragmentAsked, (search.Search, columns.Fragmenting, roles.Acknowledging)),
    (releases.DescribeAsked, (describing.Describing,)),
    (releases.ApplyAsked, (roles.Acknowledging, policy.Publishing)),
    (web_signing.SignOffAsked, (signing.SigningOff,)),
    (web_synthesis.SynthesiseAsked, (synthesis.Synthesising, roles.Acknowledging)),
    (schemas.CompareAsked, (versions.Comparing, versions.Explained, attacks.AttackedToo)),
    (what_if.ExplorerAsked, (policy.Meeting,)),
    (what_if.ExploreAsked, (search.Tried,)),
)


def options_of(command):
    """Return the options of a command by their first spelling: all spellings, help, default and what stands for the value."""
    found = [p for p in command.params if p.opts[0].startswith("-")]
    return {p.opts[0]: (tuple(p.opts), tuple(p.secondary_opts), p.help, p.default, p.metavar) for p in found}


def options_of_group(group):
    """Return the options of a command that has this group only."""

    def alone(*, wishes: group) -> None:
        pass

    alone.__annotations__["wishes"] = group
    one = typer.Typer(add_completion=False, rich_markup_mode=None)
    one.command()(flattened(alone))
    return options_of(typer.main.get_command(one))


def test_every_command_that_reads_a_table_has_every_reading_option():
    """Whoever knows how one command reads a file knows how all do."""
    assert {name for name, groups in GROUPS.items() if reading.Reading in groups} == set(COMMANDS) - READ_NOTHING
    assert {name for name, groups in GROUPS.items() if engine.Resources in groups} == set(COMMANDS) - READ_NOTHING | {"verify"}


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_an_option_is_the_same_in_every_command(name):
    """Spellings, help, default and placeholder are those of the group, whichever command has it."""
    has = options_of(COMMANDS[name])
    for group in GROUPS[name]:
        expected = options_of_group(group)
        assert expected
        assert {flag: has.get(flag) for flag in expected} == expected, group


def test_no_command_spells_a_wish_by_itself():
    """An option that a group has is written nowhere else in the command line."""
    shared = {
        flag
        for group in (roles.RoleWishes, reading.Reading, engine.Resources, engine.Elsewhere, population.Drawn)
        for flag in options_of_group(group)
    }
    folder = Path(an.__file__).parent / "cli"
    spelled = {flag for path in folder.glob("*.py") for flag in re.findall(r'Option\(\s*"(--[a-z-]+)"', path.read_text(encoding="utf-8"))}
    assert shared & spelled == set()


def test_every_group_is_asked_for_by_some_command():
    """What nobody can ask for is not defined."""
    used = {base for groups in GROUPS.values() for group in groups for base in group.__mro__}
    assert {group.__name__ for group in ALL - used} == set()


def test_every_wish_says_what_is_wrong_where_something_can_be():
    """Choices and bounds come with a sentence, and entries with how one is written."""
    for group in ALL:
        for wish in wishes_of(group):
            words = wish.words
            bounded = any(bound is not None for bound in (words.least, words.above, words.most)) or wish.choices
            assert ("{}" in words.wrong) == bool(bounded), (group, wish.name)
            assert bool(words.entry) == (wish.named and not words.each), (group, wish.name)
            assert words.help and "--" not in words.help.replace("--records-with-values", ""), (group, wish.name)


@pytest.mark.parametrize(("function", "groups"), KEYWORDS.items(), ids=lambda v: getattr(v, "__name__", ""))
def test_python_takes_the_same_wishes(function, groups):
    """Every wish is a keyword of the function, with the same default."""
    keywords = signature(function).parameters
    for group in groups:
        for wish in wishes_of(group):
            default = keywords[wish.name].default
            default = MISSING if default is Parameter.empty else default
            assert (default or None) == (wish.default or None), (function, wish.name)
    if function is an.read:
        assert set(keywords) == {"source", *(wish.name for wish in wishes_of(ReadWishes))}


def test_read_still_takes_its_table_by_name_and_refuses_what_it_does_not_know():
    """The signature that comes from the groups binds as one that is written out."""
    table = pa.table({"a": [1, 2]})
    with an.read(source=table, rows=1) as data:
        assert data.rows == 1
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        an.read(table, colour="red")
    with pytest.raises(TypeError):
        an.read()


@pytest.mark.parametrize(("body", "groups"), BODIES, ids=lambda v: getattr(v, "__name__", ""))
def test_rest_has_the_same_words(body, groups):
    """A property of the document says what the help of the option says, with its choices and bounds."""
    document = TypeAdapter(body).json_schema()
    assert document["additionalProperties"] is False
    for group in groups:
        for wish in wishes_of(group):
            told = document["properties"][wish.name]
            assert told["description"].rstrip(".") == wish.words.help.rstrip(".")
            assert [c for c in told.get("enum", ()) if c is not None] == list(wish.choices)
            assert told.get("minimum") == wish.words.least
            assert wish.name in document.get("required", ()) or (told.get("default") or None) == (wish.default or None)


def test_every_property_that_a_request_can_have_is_explained():
    """Whoever reads the document alone knows what to send."""
    server = create_app()
    try:
        document = server.openapi()
    finally:
        server.state.jobs.close()
        server.state.storage.close()
    bodies = [
        content["schema"]
        for methods in document["paths"].values()
        for operation in methods.values()
        for content in operation.get("requestBody", {}).get("content", {}).values()
    ]
    named = {part["$ref"].rpartition("/")[2] for body in bodies for part in (body, *body.get("anyOf", ())) if "$ref" in part}
    assert len(named) > 15
    silent = [
        (name, key)
        for name in sorted(named | {"RolesGiven", "AttackerAsked"})
        for key, told in document["components"]["schemas"][name]["properties"].items()
        if not told.get("description")
    ]
    assert silent == []


def test_rest_takes_every_reading_option_with_a_file():
    """The form of an upload has them all, and they are kept for whatever is done with the table later."""
    with served() as server:
        client = server.browser()
        form = client.get(f"{API}/openapi.json").json()["paths"][f"{API}/tables"]["post"]["requestBody"]["content"]["multipart/form-data"]
        properties = form["schema"]["properties"]
        assert {wish.name: wish.words.help for wish in wishes_of(reading.Reading)}.items() <= {
            name: told.get("description", "") for name, told in properties.items()
        }.items()
        files = {
            "file": ("people.csv", b"age;sex\n30;'F;x'\n31;M\n32;M\n"),
            "delimiter": (None, ";"),
            "quote": (None, "'"),
            "rows": (None, "2"),
        }
        info = client.post(f"{API}/tables", files=files).json()
        assert ([c["name"] for c in info["columns"]], info["records"]) == (["age", "sex"], 2)
        address = f"{API}/tables/{info['id']}"
        wish = {"roles": {"quasi_identifiers": ["age", "sex"]}}
        assert finished(client, client.post(f"{address}/audit", json=wish))["state"] == "done"
        assert client.get(f"{address}/audit.json").json()["data"]["rows"] == 2
        refused = client.post(f"{API}/tables", files=files | {"rows": (None, "many")})
        assert (refused.status_code, refused.json()["error"]) == (422, "The field rows of the form is not understood.")


def test_one_more_wish_is_one_more_option_keyword_and_property():
    """A new option of reading is one entry in its group: every face has it then."""

    @dataclass(frozen=True, kw_only=True)
    class LongerReading(reading.Reading):
        skip: Annotated[int, Words(help="Lines before the header.", metavar="N", least=0, wrong="Lines to skip are 0 or more, not {}.")] = 0

    taken = []

    def command(source: str, *, how: LongerReading) -> None:
        taken.append(said(how))

    command.__annotations__["how"] = LongerReading
    one = typer.Typer(add_completion=False, rich_markup_mode=None)
    one.command()(flattened(command))
    shown = CliRunner().invoke(one, ["--help"])
    assert "--skip N" in shown.output and "Lines before the header." in shown.output and "--delimiter CHAR" in shown.output
    assert CliRunner().invoke(one, ["people.csv", "--skip", "3", "--delimiter", "tab"]).exit_code == 0
    assert taken == [
        {"rows": None, "format": None, "delimiter": "\t", "quote": None, "encoding": None, "sheet": None, "header": None, "skip": 3}
    ]

    def read(source, how: LongerReading) -> int:
        """Read."""
        return how.skip

    read.__annotations__ |= {"how": LongerReading}
    function = taking(LongerReading)(read)
    assert signature(function).parameters["skip"].default == 0
    assert function("people.csv", skip=2) == 2

    class Sent(LongerReading):
        pass

    document = TypeAdapter(asked(Sent)).json_schema()["properties"]["skip"]
    assert document == {"default": 0, "description": "Lines before the header.", "minimum": 0, "title": "Skip", "type": "integer"}
    refused = CliRunner().invoke(one, ["people.csv", "--skip", "-1"]).exception
    with pytest.raises(AnonscopeError) as raised:
        function("people.csv", skip=-1)
    assert str(refused) == str(raised.value) == "Lines to skip are 0 or more, not -1."


def test_choices_are_those_of_the_registries():
    """They are written out, so that help loads no engine, and held to what they mirror."""
    assert {wish.name: wish.choices for wish in wishes_of(reading.Reading)}["format"] == FORMATS
    assert set(get_args(engine.EngineName)) == set(ENGINES)
    assert get_args(search.Loss) == LOSSES
    assert get_args(search.Method) == ("auto", *METHODS)
    assert get_args(versions.Unknown) == tuple(UNKNOWN)
    assert get_args(synthesis.MethodName) == tuple(an.METHODS)
    assert policy.POLICIES.split(", ") == sorted(an.preset_names())


def test_help_is_quick():
    """Listing all commands takes less than 0.3 seconds of one processor; the best of three, because others may use it too."""
    taken = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "anonscope", "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(taken) < 0.3
