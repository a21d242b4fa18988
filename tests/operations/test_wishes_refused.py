"""What is wrong with a wish is said in one sentence, at the prompt, in Python and over REST."""

import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import AnonscopeError
from anonscope.io.sources import FORMATS
from anonscope.operations.wishes import engine, reading, search, versions
from anonscope.operations.wishes.words import wishes_of
from anonscope.transform.search.losses import LOSSES
from support.served import API, finished, sent, served

BAD = {
    "rows": ("audit", ("--rows", "0"), {"rows": 0}, "The number of rows must be at least 1, not 0."),
    "format": (
        "audit",
        ("--input-format", "docx"),
        {"format": "docx"},
        f"No input format is called 'docx'. There are: {', '.join(FORMATS)}.",
    ),
    "delimiter": ("audit", ("--delimiter", "ab"), {"delimiter": "ab"}, "The delimiter is one character, not 'ab'."),
    "encoding": (
        "audit",
        ("--encoding", "klingon"),
        {"encoding": "klingon"},
        "No encoding is called 'klingon'. Usual ones: utf-8, utf-16, windows-1252, latin-1.",
    ),
    "method": (
        "anonymise",
        ("--method", "magic"),
        {"method": "magic"},
        "No method is called 'magic'. There are: auto, global, subtree, local, mondrian.",
    ),
    "loss": ("anonymise", ("--loss", "tears"), {"loss": "tears"}, f"No loss is called 'tears'. There are: {', '.join(LOSSES)}."),
    "suppression": ("anonymise", ("--suppression", "2.5"), {"suppression": 2.5}, "A suppression limit is a share from 0 to 1, not 2.5."),
    "suppressed": (
        "anonymise",
        ("--suppressed", "burn"),
        {"suppressed": "burn"},
        "Suppressed records stay or go: say keep or drop, not 'burn'.",
    ),
    "time_budget": (
        "anonymise",
        ("--time-budget", "-1"),
        {"time_budget": -1.0},
        "A time budget is a number of seconds, 0 or more, not -1.",
    ),
    "most": ("unicity", ("--most", "21"), {"most": 21}, "The number of points must be from 1 to 20, not 21."),
    "people": ("unicity", ("--people", "0"), {"people": 0}, "The number of people must be at least 1, not 0."),
    "total": ("compare", ("--total", "sum"), {"total": "sum"}, "A total is a mean or a maximum, not 'sum'."),
    "risk_threshold": ("audit", ("--risk-threshold", "7"), {"risk_threshold": 7.0}, "A risk threshold is a share from 0 to 1, not 7."),
}


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    path = tmp_path_factory.mktemp("wishes") / "people.csv"
    path.write_text(
        "age,sex,ill\n" + "".join(f"{30 + i % 4},{'FM'[i % 2]},{'flu' if i % 3 else 'gout'}\n" for i in range(24)), encoding="utf-8"
    )
    return path


@pytest.fixture(scope="module")
def client():
    with served() as server:
        yield server.browser()


@pytest.fixture(scope="module")
def table(client, people):
    """An audited table on the server."""
    id = sent(client, people.read_bytes(), "people.csv").json()["id"]
    finished(client, client.post(f"{API}/tables/{id}/audit", json={"roles": {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]}}))
    return id


@pytest.mark.parametrize("name", BAD)
def test_a_bad_value_gets_the_same_sentence_everywhere(name, people, client, table, tmp_path):
    """At the prompt, in Python and over REST."""
    verb, options, keyword, sentence = BAD[name]
    roles_said = ("-q", "age", "-q", "sex", "-s", "ill")
    more = {
        "audit": roles_said,
        "anonymise": (*roles_said, "--limit", "k_anonymity=2", "-o", str(tmp_path / "release.csv")),
        "unicity": ("-p", "age", "--point", "sex"),
        "compare": (str(people), *roles_said),
    }
    ran = CliRunner().invoke(app, [verb, str(people), *more[verb], *options])
    assert isinstance(ran.exception, AnonscopeError), ran.output
    assert str(ran.exception) == sentence

    read = {wish: keyword[wish] for wish in keyword if wish in {w.name for w in wishes_of(reading.Reading)}}
    rest = {wish: value for wish, value in keyword.items() if wish not in read}
    calls = {
        "audit": lambda data: an.audit(data, **rest),
        "anonymise": lambda data: an.anonymise(data, limits={"k_anonymity": 2}, **rest),
        "unicity": lambda data: an.unicity(data, ["sex"], **rest),
        "compare": lambda data: an.compare(data, people, **rest),
    }
    given = {"person": "age"} if verb == "unicity" else {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"]}
    with pytest.raises(AnonscopeError) as raised, an.read(people, **given, **read) as data:
        calls[verb](data)
    assert str(raised.value) == sentence

    if read:
        answer = client.post(
            f"{API}/tables", files={"file": ("people.csv", people.read_bytes()), **{k: (None, str(v)) for k, v in read.items()}}
        )
    elif verb == "compare":
        answer = client.post(f"{API}/compare", json={"original": table, "releases": [table], **rest})
    else:
        wanted = {"unicity": {"person": "age", "points": ["sex"]}}.get(verb, {})
        answer = client.post(f"{API}/tables/{table}/{verb}", json={**wanted, **rest})
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"] == sentence


WRONG = (
    (engine.Resources, "threads", 0, lambda data, file, wish: an.read(file, **wish)),
    (engine.Resources, "threads", 0, lambda data, file, wish: an.verify(file, **wish)),
    (engine.SparkWishes, "engine", "flink", lambda data, file, wish: an.read(file, **wish)),
    (search.Planning, "suppression", -0.5, lambda data, file, wish: an.plan(data, **wish)),
    (search.Planning, "seconds", 0.0, lambda data, file, wish: an.plan(data, **wish)),
    (search.Tried, "suppression", 1.5, lambda data, file, wish: an.explore(data, **wish)),
    (versions.Linking, "missing", "nothing", lambda data, file, wish: an.link(data, file, **wish)),
    (versions.Likeness, "threshold", 0.0, lambda data, file, wish: an.link_by_likeness(data, file, **wish)),
    (versions.Likeness, "overlap", 1.5, lambda data, file, wish: an.link_by_likeness(data, file, **wish)),
)


@pytest.mark.parametrize(("group", "name", "value", "call"), WRONG, ids=lambda v: v if isinstance(v, str) else "")
def test_python_says_the_sentence_of_the_wish(group, name, value, call, people):
    """There is no second one further down that could say it differently."""
    (words,) = (wish.words for wish in wishes_of(group) if wish.name == name)
    told = f"{value:g}" if isinstance(value, float) else repr(value)
    with an.read(people, quasi_identifiers=["age", "sex"], sensitive=["ill"]) as data, pytest.raises(AnonscopeError) as raised:
        call(data, people, {name: value})
    assert str(raised.value) == words.wrong.format(told)
