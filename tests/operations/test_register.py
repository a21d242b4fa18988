"""The register of releases: a chain that shows every change, composition that refuses, a budget that is spent, and reviews that are due."""

import json
import stat
from datetime import date
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app
from anonscope.errors import IdentifierGiven, NotPublished, OptionError, RegisterError
from anonscope.operations.registering.answers import registering_answers
from anonscope.operations.registering.chain import FILE
from anonscope.operations.wishes.registering import Registered
from anonscope.synthesis.queries import load_queries

# Everybody has an age and a place of their own; by age alone, or by place alone, four look alike.
PEOPLE = pa.table({"age": [20 + i // 4 for i in range(16)], "place": [i % 4 for i in range(16)], "ill": ["a", "b", "c", "d"] * 4})


@pytest.fixture
def folder(tmp_path) -> Path:
    pyarrow.csv.write_csv(PEOPLE, tmp_path / "people.csv")
    (tmp_path / "register").mkdir()
    return tmp_path


def released(folder: Path, name: str, population: str = "people", **asked: object) -> None:
    """Publish a release with a register: either the age or the place is hidden, as its name says."""
    registration = an.Registration(folder=folder / "register", population=population, **asked)
    hidden, kept = ("age", "place") if "age" in name else ("place", "age")
    with an.read(folder / "people.csv", quasi_identifiers=["age", "place"], sensitive=["ill"], threads=1) as data:
        levels = _levels(data, {hidden: "hidden", kept: 0})
        found = an.anonymise(data, limits={"k_anonymity": 4}, method="global", levels=levels)
        found.write(folder / name, registration=registration)


def _levels(data: an.Data, wanted: dict[str, object]) -> dict[str, int]:
    """Return levels of the hierarchies that are made for the table; "hidden" is the highest."""
    ladders = an.build_hierarchies(data)
    return {column: ladders[column].height if level == "hidden" else int(level) for column, level in wanted.items()}


def ran(*said: object) -> tuple[int, str]:
    """Return how a command ends, and what it says."""
    done = CliRunner().invoke(app, ["register", *map(str, said)])
    if isinstance(done.exception, an.AnonscopeError):
        return 1 if isinstance(done.exception, NotPublished) else 2, str(done.exception)
    return done.exit_code, done.output


@pytest.mark.parametrize("name", ["People", " people ", "ｐｅｏｐｌｅ", "PEOPLE\u00a0"])
def test_another_way_to_write_a_population_is_no_other_population(folder, name):
    """Case, blanks and Unicode forms: a release under such a name is held against the earlier ones, and counted with them."""
    released(folder, "by-age-hidden.csv")
    with pytest.raises(NotPublished, match="1 candidate"):
        released(folder, "place-hidden.csv", population=name)
    an.register_budget(folder / "register", name, 1.0)
    (one,) = an.register(folder / "register").populations
    assert one.population == "people" and one.releases == 1 and one.budget == 1


def test_the_third_release_is_refused_because_of_the_others(folder):
    """Each hides everybody among four; together they leave one candidate. What is refused is neither placed nor registered."""
    released(folder, "by-age-hidden.csv", recipient="A")
    released(folder, "by-age-hidden-again.csv", recipient="B")  # the same levels: nothing is added by it
    with pytest.raises(
        NotPublished, match="somebody is left with 1 candidate, and nobody with fewer; the limit that was stated asks for 4"
    ):
        released(folder, "place-hidden.csv", recipient="C")

    found = an.register(folder / "register")
    assert [entry.release for entry in found.entries] == ["by-age-hidden.csv", "by-age-hidden-again.csv"]
    assert not list(folder.glob("place-hidden*"))
    assert [e.composition["candidates"] for e in found.entries] == [None, 4] and found.fine
    # An independent count: who shares both the released age and the released place of anybody.
    pairs = list(zip(PEOPLE["age"].to_pylist(), PEOPLE["place"].to_pylist(), strict=True))
    assert min(pairs.count(pair) for pair in pairs) == 1
    told = json.loads((folder / "by-age-hidden-again.csv.manifest.json").read_text())["composition"]
    assert told["holds"] and told["candidates"] == 4 and an.verify(folder / "by-age-hidden-again.csv").holds
    assert stat.S_IMODE((folder / "register" / FILE).stat().st_mode) == 0o600


def test_an_earlier_release_that_is_not_at_hand_is_never_fine(folder):
    """Not measured refuses; a person's reason lets it go, and is kept."""
    released(folder, "by-age-hidden.csv")
    (folder / "by-age-hidden.csv").rename(folder / "elsewhere.csv")
    with pytest.raises(NotPublished, match=r"'by-age-hidden\.csv' is not at hand"):
        released(folder, "by-age-hidden-again.csv")
    released(folder, "by-age-hidden-again.csv", accepted="it was deleted by its recipient")
    entry = an.register(folder / "register").entries[-1]
    assert not entry.composition["measured"] and entry.composition["accepted"] == "it was deleted by its recipient"
    # A person accepted it, so nothing is due; that nothing is unmeasured is not said.
    found = an.register(folder / "register")
    told = " ".join(found.render("text").split())
    assert found.fine and found.unmeasured == ("by-age-hidden-again.csv",) and "overdue or unmeasured" not in told
    assert "by-age-hidden-again.csv was not measured together with the other releases." in told


def test_a_release_is_added_later_and_checked_as_if_it_were_published(folder):
    """Without its original it was not measured; twice for one recipient it is a mistake; a changed file is not registered."""
    released(folder, "by-age-hidden.csv")
    with an.read(folder / "people.csv", quasi_identifiers=["age", "place"], sensitive=["ill"], threads=1) as data:
        found = an.anonymise(data, limits={"k_anonymity": 4}, method="global", levels=_levels(data, {"place": "hidden", "age": 0}))
        found.write(folder / "later.csv")
    register, later = folder / "register", folder / "later.csv"
    who = ("--population-name", "people", "--recipient", "D")
    code, told = ran("add", register, later, *who)
    assert code == 1 and "the table of the people was not given" in told
    code, told = ran("add", register, later, "--original", folder / "people.csv", *who)
    assert code == 1 and "1 candidate" in told
    assert ran("add", register, later, "--population-name", "others")[0] == 0  # of other people
    assert "already, for the same recipient" in ran("add", register, later, "--population-name", "others")[1]
    later.write_text(later.read_text() + "1,2,a\n")
    assert "not what was published" in ran("add", register, later, "--population-name", "third")[1]


def test_a_release_is_added_with_the_table_that_it_was_made_of(folder):
    """Everybody ten times would leave ten candidates for one: by its hash that is another table, so nothing was measured."""
    released(folder, "by-age-hidden.csv")
    with an.read(folder / "people.csv", quasi_identifiers=["age", "place"], sensitive=["ill"], threads=1) as data:
        found = an.anonymise(data, limits={"k_anonymity": 4}, method="global", levels=_levels(data, {"place": "hidden", "age": 0}))
        found.write(folder / "later.csv")
    head, *rest = (folder / "people.csv").read_text().splitlines(keepends=True)
    (folder / "ten-times.csv").write_text("".join([head, *rest * 10]))
    said = (folder / "register", folder / "later.csv", "--original", folder / "ten-times.csv", "--population-name", "people")
    code, told = ran("add", *said)
    assert code == 1 and "is not the one that it was made of" in told and len(an.register(folder / "register").entries) == 1
    assert ran("add", *said, "--accept-unmeasured", "the same people, as another file")[0] == 0


def test_one_table_under_two_names_is_told(folder):
    """A slip in the name of the population would keep releases from being held against each other; nobody sees the hash of the table."""
    released(folder, "by-age-hidden.csv")
    released(folder, "by-age-hidden-again.csv", population="people ")
    assert an.register(folder / "register").fine
    released(folder, "place-hidden.csv", population="peolpe")
    found = an.register(folder / "register")
    assert not found.fine and "registered as of 'people' and 'peolpe'" in found.problems[0]
    assert ran("check", folder / "register")[0] == 1
    assert found.entries[0].source is not None and found.entries[0].source not in found.render("json")


@pytest.mark.parametrize("name", ["two\u2028lines", "next\u0085line", "feed\x0c"])
def test_no_name_breaks_the_chain(folder, name):
    """Characters at which Python splits lines are no ends of a line of the register."""
    an.register_budget(folder / "register", name, 1.0)
    an.register_budget(folder / "register", "people", 1.0)
    assert [one.population for one in an.register(folder / "register").populations] == [name, "people"]


def test_a_budget_that_is_spent_refuses_and_is_told(folder):
    """Epsilons add up exactly; check exits 1 when nothing is left."""
    pytest.importorskip("opendp")
    queries = 'epsilon = 0.1\n[columns.place]\nlower = 0\nupper = 4\n[[queries]]\nkind = "count"\n'
    (folder / "queries.toml").write_text(queries)
    register = folder / "register"
    assert ran("budget", register, "--population-name", "people", "--epsilon", "0.3")[0] == 0
    said = ["answer", folder / "people.csv", folder / "queries.toml", "--register", register, "--population-name", "people", "--quiet"]
    for _ in range(3):
        assert CliRunner().invoke(app, [*map(str, said)]).exit_code == 0
    refused = CliRunner().invoke(app, [*map(str, said)])
    assert isinstance(refused.exception, NotPublished) and "of their budget of 0.3, 0.3 is spent" in str(refused.exception)
    found = an.register(register)
    assert found.populations[0].spent == Fraction("0.3") == found.populations[0].budget and len(found.entries) == 4
    code, told = ran("check", register)
    assert code == 1 and "The budget of 'people' is spent." in told
    assert ran("list", register)[0] == 0


def test_reviews_and_expiries_that_are_past_are_told(folder):
    """From the day after; check exits 1."""
    released(folder, "by-age-hidden.csv", review="2020-05-01", expires="2021-05-01", recipient="A")
    register = folder / "register"
    assert an.register(register, today=date(2020, 5, 1)).fine
    assert [p.split(" was")[0] for p in an.register(register, today=date(2020, 5, 2)).problems] == [
        "The review of 'by-age-hidden.csv' to 'A'"
    ]
    code, told = ran("check", register)
    assert code == 1 and "expired on 2021-05-01" in told


@pytest.mark.parametrize("at", range(0, 1000, 37))
def test_any_change_of_a_line_breaks_the_chain(folder, at):
    """And nothing is added to a broken register."""
    register = folder / "register"
    for i in range(3):
        an.register_budget(register, f"people {i}", 1 + i)
    path = register / FILE
    content = bytearray(path.read_bytes())
    content[at % len(content)] ^= 0x02
    path.write_bytes(bytes(content))
    try:
        found = an.register(register)
    except RegisterError:
        return  # no text any more
    assert not found.fine and "The chain is broken" in found.problems[0]
    with pytest.raises(RegisterError, match="is broken"):
        an.register_budget(register, "more", 1)
    assert ran("check", register)[0] == 1


def test_a_line_that_was_taken_out_breaks_the_chain(folder):
    """Wherever it stood, but for the end, of which the head tells."""
    register = folder / "register"
    for i in range(3):
        an.register_budget(register, f"people {i}", 1 + i)
    path, head = register / FILE, an.register(register).head
    lines = path.read_text().splitlines(keepends=True)
    for left in (lines[1:], [lines[0], lines[2]], [lines[1], lines[0], lines[2]]):
        path.write_text("".join(left))
        assert "The chain is broken" in an.register(register).problems[0]
    path.write_text("".join(lines[:2]))
    assert an.register(register).fine and an.register(register).head != head


def test_no_cell_value_is_in_a_register(folder):
    """Names, counts, hashes and dates only."""
    table = PEOPLE.set_column(2, "ill", pa.array([f"canary-{i % 4}" for i in range(16)]))
    pyarrow.csv.write_csv(table, folder / "people.csv")
    released(folder, "by-age-hidden.csv")
    assert "canary" not in (folder / "register" / FILE).read_text()


def test_what_means_nothing_is_a_sentence(folder):
    """Exit 2: no folder, no population, no day, no budget, no release."""
    register = folder / "register"
    for said, says in (
        (("list", folder / "nowhere"), "does not exist"),
        (("add", register, folder / "people.csv"), "--population-name NAME"),
        (("add", register, "--population-name", "p"), "Say which release"),
        (("budget", register, "--population-name", "p"), "--epsilon NUMBER"),
        (("budget", register, "--population-name", "p", "--epsilon", "-1"), "above 0"),
        (("add", register, folder / "people.csv", "--population-name", "p"), "no 'people.csv.manifest.json'"),
        (("add", register, folder / "people.csv", "--population-name", "p", "--review", "soon"), "is a day"),
    ):
        code, told = ran(*said)
        assert code == 2 and says in told, told
    with pytest.raises(OptionError, match="population"):
        an.Registration(folder=register, population=" ")
    asked = ["anonymise", folder / "people.csv", "-q", "age", "-o", folder / "r.csv", "--population-name", "p", "--limit", "k_anonymity=2"]
    assert "--register FOLDER" in str(CliRunner().invoke(app, [*map(str, asked)]).exception)


def _without_groups_by(folder: Path, name: str, role: str, column: str = "age", **asked: object) -> None:
    """Publish a release in which a column is in no group: in this table none of both is enough to find anybody."""
    registration = an.Registration(folder=folder / "register", population="people")
    kept = "place" if column == "age" else "age"
    roles = {"quasi_identifiers": [kept], "sensitive": ["ill"]}
    roles[role] = [*roles.get(role, []), column]
    with an.read(folder / "people.csv", **roles, threads=1, acknowledge_rest="of a study", **asked) as data:
        an.anonymise(data, limits={"k_anonymity": 4}).write(folder / name, registration=registration)


@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
def test_what_an_earlier_release_counted_does_not_leave_as_it_is(folder, role):
    """Counted first and called sensitive in the next release, it left untouched; now somebody says why, by its name."""
    released(folder, "by-place-hidden.csv")
    for word in ({}, {"acknowledge": {"age": "it is rounded"}}):
        with pytest.raises(IdentifierGiven, match="'place' was counted as what outsiders know in an earlier release") as refused:
            _without_groups_by(folder, "next.csv", role, "place", **word)
        assert refused.value.columns == ("place",) and not list(folder.glob("next*"))
    # Where the earlier file is gone, the line of the register still tells.
    (folder / "by-place-hidden.csv").rename(folder / "elsewhere.csv")
    with pytest.raises(IdentifierGiven, match="'place'"):
        _without_groups_by(folder, "next.csv", role, "place")
    (folder / "elsewhere.csv").rename(folder / "by-place-hidden.csv")
    _without_groups_by(folder, "next.csv", role, "place", acknowledge={"place": "one of four wards"})
    entry = an.register(folder / "register").entries[-1]
    assert entry.composition["uncounted"] == {"place": "one of four wards"} and "one of four wards" in entry.composition["sentence"]
    told = json.loads((folder / "next.csv.manifest.json").read_text())["composition"]
    assert told["uncounted"] == {"place": "one of four wards"}


def test_a_release_that_is_added_later_needs_the_same_word(folder):
    released(folder, "by-place-hidden.csv")
    with an.read(folder / "people.csv", quasi_identifiers=["age"], sensitive=["ill", "place"], threads=1, acknowledge_rest="so") as data:
        an.anonymise(data, limits={"k_anonymity": 4}).write(folder / "later.csv")
    said = ("add", folder / "register", folder / "later.csv", "--original", folder / "people.csv", "--population-name", "people")
    code, told = ran(*said)
    assert code == 1 and "'place'" in told and "--acknowledge COLUMN=REASON" in told
    assert ran(*said, "--acknowledge-rest", "so")[0] == 2
    assert ran(*said, "--acknowledge", "place=one of four wards")[0] == 0


def test_values_that_only_all_releases_together_tell_are_refused(folder):
    """Each release leaves two values to everybody, and both together one: the intersection of Ganta and others, counted by hand below."""
    # Ages in pairs of groups that share one value: (a, b) and (a, c) meet in a.
    ages, places, ills = [], [], []
    for age, place, ill in [(20, 1, "a"), (20, 2, "b"), (30, 1, "c"), (30, 2, "d")]:
        ages += [age] * 4
        places += [place] * 4
        ills += [ill] * 4
    table = pa.table({"age": ages, "place": places, "ill": ills})
    pyarrow.csv.write_csv(table, folder / "people.csv")
    # By hand: the values that whoever has an age, and whoever has a place, may have, meet in one.
    both = [
        {i for i, b in zip(ills, ages, strict=True) if b == a} & {i for i, q in zip(ills, places, strict=True) if q == p}
        for a, p in zip(ages, places, strict=True)
    ]
    assert all(len(left) == 1 for left in both)

    def publish(name: str, **hidden: object) -> None:
        registration = an.Registration(folder=folder / "register", population="people")
        with an.read(folder / "people.csv", quasi_identifiers=["age", "place"], sensitive=["ill"], threads=1) as data:
            found = an.anonymise(data, limits={"k_anonymity": 4, "l_diversity": 2}, method="global", levels=_levels(data, hidden))
            found.write(folder / name, registration=registration)

    publish("by-age.csv", place="hidden", age=0)
    publish("by-age-again.csv", place="hidden", age=0)
    told = an.register(folder / "register").entries[-1].composition
    assert told["holds"] and [value["sure"] for value in told["values"]] == [0.0] and told["candidates"] == 8
    with pytest.raises(NotPublished, match=r"is sure from one release, that of 100 % from all.*asks that sensitive values stay hidden"):
        publish("by-place.csv", age="hidden", place=0)
    assert not list(folder.glob("by-place*")) and len(an.register(folder / "register").entries) == 2


def test_answers_are_noted_before_anybody_sees_them(folder):
    """Whoever closes the pipe after the first line has them all the same; what cannot be noted is not written."""
    pytest.importorskip("opendp")
    queries = 'epsilon = 0.5\nalready_spent = 0.2\n[columns.place]\nlower = 0\nupper = 4\n[[queries]]\nkind = "count"\n'
    (folder / "queries.toml").write_text(queries)
    asked, register = load_queries(folder / "queries.toml"), folder / "register"
    registered = Registered(register=register, population_name="people")

    def closed(path: Path | None) -> None:
        raise BrokenPipeError

    with an.read(folder / "people.csv", threads=1) as data:
        found = an.answer(data, asked)
    with pytest.raises(BrokenPipeError), registering_answers(registered, asked) as out:
        out(found, None, closed)
    (one,) = an.register(register).populations
    assert one.spent == Fraction("0.3") and one.delta == 0

    (register / FILE).write_text((register / FILE).read_text().replace("people", "peopel"))
    with pytest.raises(RegisterError), registering_answers(registered, asked) as out:
        out(found, folder / "answers.csv", found.save)
    assert not (folder / "answers.csv").exists()


def test_tables_without_noise_are_no_epsilon(folder):
    """A file that asks for noisy and for exact tables has a guarantee of the noisy ones only, and a line of the register without one."""
    pytest.importorskip("opendp")
    exact = '[[queries]]\nkind = "table"\nby = ["place", "age"]\nprotect = "round"\n'
    head = 'epsilon = 1\ndelta = 1e-9\nnoise = "gaussian"\n[columns.place]\nlower = 0\nupper = 4\n[columns.age]\nlower = 0\nupper = 90\n'
    (folder / "queries.toml").write_text(f'{head}[[queries]]\nkind = "count"\n{exact}')
    said = ["answer", folder / "people.csv", folder / "queries.toml", "--quiet", "--register", folder / "register"]
    done = CliRunner().invoke(app, [*map(str, said), "--population-name", "people", "-o", str(folder / "answers.csv")])
    assert done.exit_code == 0 and (folder / "answers.csv").exists()
    found = an.register(folder / "register")
    assert [(e.release, e.epsilon, e.by_epsilon) for e in found.entries] == [
        ("answers.csv", "1", True),
        ("answers.csv, tables without noise", None, False),
    ]
    (one,) = found.populations
    assert one.delta == Fraction(1, 10**9) and one.without_guarantee == 1 and "1e-09" in found.render("text")
    with an.read(folder / "people.csv", threads=1) as data:
        answers = an.answer(data, folder / "queries.toml")
    assert answers.guarantee.startswith("Of the noisy answers alone, and not of a table without noise beside them: whether somebody")


def test_no_epsilon_bounds_what_a_table_without_a_guarantee_tells(folder):
    """Noisy answers add no more than their epsilon to it; what it tells by itself is another matter, and is said to be."""
    pytest.importorskip("opendp")
    (folder / "queries.toml").write_text('epsilon = 0.1\n[columns.place]\nlower = 0\nupper = 4\n[[queries]]\nkind = "count"\n')
    register = folder / "register"
    said = ["answer", folder / "people.csv", folder / "queries.toml", "--register", register, "--population-name", "people", "--quiet"]
    assert CliRunner().invoke(app, [*map(str, said)]).exit_code == 0
    with an.read(folder / "people.csv", quasi_identifiers=["age", "place"], sensitive=["ill"], threads=1) as data:
        registration = an.Registration(folder=register, population="people")
        an.synthesise(data, method="copula", seed=1).write(folder / "drawn.csv", registration=registration)
    told = an.register(register).entries[-1].composition
    assert "by itself is bounded by nothing" in told["sentence"] and "tells together with" not in told["sentence"]
    assert told["epsilon"] is None and told["without_guarantee"] == 0
