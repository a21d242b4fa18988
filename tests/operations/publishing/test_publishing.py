"""What is judged is what is published: a release that breaks its promise as it is written is not, and says why."""

import csv
import json
import stat
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import anonscope as an
from anonscope.cli import app, main
from anonscope.errors import Defect, NotPublished
from anonscope.io.read_back import ReadBack
from anonscope.operations.publishing import judging
from anonscope.operations.publishing import publish as publishing
from anonscope.operations.publishing.judging import Promise
from anonscope.risk.policy import RuleResult, Verdict
from anonscope.transform.recipe import Recipe
from anonscope.transform.release.manifest import archive_path, manifest_path, recipe_path
from anonscope.transform.steps import AddNoise, Pseudonymise, Round

PEOPLE = "name,age,zip,sex,ill\n" + "".join(
    f"P{i},{20 + i % 7},{10000 + i % 3},{'fm'[i % 2]},{('flu', 'asthma', 'cold')[i % 3]}\n" for i in range(60)
)
ROLES = ["-q", "age", "-q", "zip", "-q", "sex", "-s", "ill", "-d", "name"]
POLICY = """schema = "anonscope/policy/1"
name = "mine"
title = "Mine"
version = "1.0"
origin = "me"

[[rules]]
metric = "k_anonymity"
minimum = 3
"""
MADE = {"release.csv", "release.csv.manifest.json", "release.csv.archive"}


@pytest.fixture
def people(tmp_path, monkeypatch) -> Path:
    """A table in the working folder."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(PEOPLE, encoding="utf-8")
    return Path("people.csv")


def run(*arguments: str) -> tuple[int, str]:
    """Run a command as it is run for users, with the exit code that they see."""
    result = CliRunner().invoke(app, [*arguments])
    if isinstance(result.exception, Exception):
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as stopped:
            patch.setattr("anonscope.cli.application", lambda _: lambda: (_ for _ in ()).throw(result.exception))
            main()
        return int(stopped.value.code), str(result.exception)
    return result.exit_code, result.output


def anonymised(*further: str) -> tuple[int, str]:
    return run("anonymise", "people.csv", *ROLES, "--limit", "k_anonymity=5", "-o", "release.csv", "--quiet", *further)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_papers_for_others_and_for_the_archive(people):
    """Modes, hashes of every file, and nothing in the manifest that an original could be guessed from."""
    assert anonymised()[0] == 0
    release, archive = Path("release.csv"), Path("release.csv.archive")
    assert {path.name for path in Path().iterdir()} == MADE | {"people.csv"}
    assert (mode(archive), mode(archive / "hierarchies")) == (0o700, 0o700)
    assert {mode(file) for file in archive.rglob("*") if file.is_file()} == {0o600}
    assert mode(release) == mode(people) == mode(manifest_path(release))

    told, kept = json.loads(manifest_path(release).read_text()), json.loads((archive / "manifest.json").read_text())
    assert set(kept) - set(told) == {"source", "recipe", "seeds", "hierarchies", "decided_by"}
    assert set(told["files"]) == {"release.csv"} and set(kept["files"]) == {
        *("release.csv", "release.csv.manifest.json", "release.csv.archive/recipe.toml"),
        *(f"release.csv.archive/hierarchies/{file.name}" for file in (archive / "hierarchies").iterdir()),
    }
    (verdict,) = told["verdicts"]
    with open(release, newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    smallest = min(Counter((line["age"], line["zip"], line["sex"]) for line in lines).values())
    assert [(rule["metric"], rule["status"], rule["value"]) for rule in verdict["rules"]] == [("k_anonymity", "pass", smallest)]
    assert (told["release"]["records"], told["release"]["columns"]) == (len(lines), list(lines[0]))


def test_seeds_and_keys_stay_in_the_archive(people, tmp_path):
    """Noise could be taken off with them."""
    (tmp_path / "study.key").write_text("0123456789abcdef" * 2)
    (tmp_path / "study.key").chmod(0o600)
    steps = (AddNoise(column="age", scale=2, seed=987654321), Pseudonymise(column="name", key_file="study.key", mapping_file="who.csv"))
    with an.read(people) as data:
        an.apply(Recipe(steps, folder=Path()), data).save("release.csv")
    told, kept = Path("release.csv.manifest.json").read_text(), (archive_path(Path("release.csv")) / "manifest.json").read_text()

    assert "987654321" not in told and "study.key" not in told
    assert json.loads(kept)["seeds"] == [987654321]
    assert "who.csv" in json.loads(kept)["files"] and mode(Path("who.csv")) == 0o600
    # From where the recipe stands now, its files are found.
    assert an.load_recipe(recipe_path(Path("release.csv"))).steps[1].key_file == "../study.key"


def test_a_release_that_breaks_a_limit_as_written_is_not_published(people, monkeypatch):
    """Exit 1, the reason in one sentence, nothing written; a set that stood there stays."""
    assert anonymised()[0] == 0
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    write = publishing.write_release

    def torn(table: object, path: Path, **options: object) -> None:
        write(table, path, **options)  # type: ignore[arg-type]
        header, first, *rest = path.read_text().splitlines()
        fields = first.split(",")
        path.write_text("\n".join([header, ",".join(["99", *fields[1:]]), *rest]) + "\n")

    monkeypatch.setattr(publishing, "write_release", torn)
    code, said = anonymised("--force")

    assert code == 1
    assert "is not published" in said and "k-anonymity is 1 and must be ≥ 5" in said and "99" not in said
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("fault", ["records", "columns", "unreadable"])
def test_what_was_not_written_as_it_should_be_is_our_defect(people, monkeypatch, fault):
    """Exit 3, nothing written."""
    write = publishing.write_release

    def torn(table: object, path: Path, **options: object) -> None:
        write(table, path, **options)  # type: ignore[arg-type]
        lines = path.read_text().splitlines(keepends=True)
        lines = lines[:-1] if fault == "records" else ["a,b,c,d\n", *lines[1:]] if fault == "columns" else [*lines, "x,y\n"]
        path.write_text("".join(lines))

    monkeypatch.setattr(publishing, "write_release", torn)
    code, said = anonymised()

    assert code == 3 and "P1" not in said
    assert {path.name for path in Path().iterdir()} == {"people.csv"}
    with an.read(people, insensitive=["name"]) as data, pytest.raises(Defect):
        an.apply(Round(column="age", to=5), data).save("other.csv")


def test_a_recipe_that_recodes_is_held_to_its_limits(people):
    """Applied by hand, it is judged by what its step asks for; a policy that is given is judged too."""
    assert anonymised()[0] == 0
    assert run("apply", "release.csv.archive/recipe.toml", "people.csv", "-o", "again.csv", "--quiet")[0] == 0
    assert Path("again.csv").read_bytes() == Path("release.csv").read_bytes()
    assert [v["outcome"] for v in json.loads(Path("again.csv.manifest.json").read_text())["verdicts"]] == ["release"]
    with an.read(people, quasi_identifiers=["age", "zip", "sex"], sensitive=["ill"], insensitive=["name"]) as data:
        coarse = an.apply(Round(column="age", to=2), data)
        with pytest.raises(NotPublished, match="k-anonymity is"):
            coarse.save("coarse.csv", policy="pipeline")
    assert not Path("coarse.csv").exists()


def test_a_recipe_is_replayed_as_a_report_prints_it(people):
    """Saved beside the release, it names files that are there, and gives the same bytes; of every command that prints one."""
    Path("policy.toml").write_text(POLICY, encoding="utf-8")
    for name, arguments in (
        ("anonymised", ["anonymise", *ROLES, "--limit", "k_anonymity=5"]),
        ("staged", ["pipeline", *ROLES, "--policy", "policy.toml"]),
        ("assembled", ["fragment", *ROLES, "--limit", "k_anonymity=30", "--assemble"]),
    ):
        command, *options = arguments
        code, said = run(command, "people.csv", *options, "-o", f"{name}.csv", "--report", f"{name}.json", "--quiet")
        assert code == 0, said
        report = json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))
        Path("recipe.toml").write_text(report.get("recipe") or report["recipes"][0], encoding="utf-8")
        assert run("apply", "recipe.toml", "people.csv", "-o", f"{name}-again.csv", "--quiet")[0] == 0
        assert Path(f"{name}-again.csv").read_bytes() == Path(f"{name}.csv").read_bytes()


def test_fragments_are_published_together_or_not_at_all(people, monkeypatch):
    """If one breaks its limits as it is written, none is there, and no folder for them."""
    broken = judging.broken
    calls: list[object] = []

    def second(verdict: Verdict, promise: Promise) -> list[RuleResult]:
        calls.append(promise)
        return list(verdict.rules) if len(calls) == 2 else broken(verdict, promise)

    monkeypatch.setattr(publishing.judging, "broken", second)
    asked = ["fragment", "people.csv", *ROLES, "--limit", "k_anonymity=5", "-o", "out", "--quiet"]
    code, said = run(*asked)
    assert (code, Path("out").exists()) == (1, False), said
    monkeypatch.setattr(publishing.judging, "broken", broken)
    assert run(*asked)[0] == 0
    assert {path.name for path in Path("out").iterdir()} == {
        f"fragment-{i}.csv{end}" for i in (1, 2) for end in ("", ".manifest.json", ".archive")
    }
    assert all(an.verify(path).holds for path in Path("out").glob("fragment-?.csv"))


def test_an_archive_that_holds_something_else_is_not_replaced(people):
    """Even with --force."""
    assert anonymised()[0] == 0
    Path("release.csv.archive/mine.txt").write_text("mine")
    code, said = anonymised("--force")
    assert code == 2 and "other things" in said
    assert Path("release.csv.archive/mine.txt").read_text() == "mine"


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "arrow"])
def test_every_format_is_read_back(people, ending):
    """The manifest's verdict is that of the file in this format."""
    with an.read(people, quasi_identifiers=["age", "zip", "sex"], sensitive=["ill"], direct_identifiers=["name"]) as data:
        found = an.anonymise(data, limits={"k_anonymity": 5, "l_diversity": 2})
        found.write(f"release.{ending}")
    checked = an.verify(f"release.{ending}")
    assert checked.holds and checked.outcomes == ("release by limits",)


def test_two_processes_with_one_target_do_not_mix(people, tmp_path):
    """Both write with --force at the same time; what is there in the end is one of the two sets, whole."""
    script = (
        "import sys, anonscope as an\n"
        "said = dict(direct_identifiers=['name'], acknowledge_rest='a test')\n"
        "with an.read('people.csv', quasi_identifiers=['age', 'sex'], threads=1, **said) as data:\n"
        "    found = an.anonymise(data, limits={'k_anonymity': int(sys.argv[1])})\n"
        "    for _ in range(3): found.write('release.csv', force=True)\n"
    )
    runs = [subprocess.Popen([sys.executable, "-c", script, k], cwd=tmp_path, stderr=subprocess.PIPE, text=True) for k in ("2", "12")]
    assert [(one.communicate()[1], one.returncode) for one in runs] == [("", 0)] * 2
    assert an.verify("release.csv").holds
    assert {path.name for path in tmp_path.iterdir()} == MADE | {"people.csv"}


def test_what_the_format_cannot_tell_apart_is_judged_in_the_file(tmp_path):
    """Empty text and a missing value are one in CSV: whatever is published keeps l there, by a count over the file."""
    table = pa.table({"q": ["a"] * 4 + ["b"] * 4, "s": ["x", "y", "x", "y", "", None, "", None]})
    with an.read(table, quasi_identifiers=["q"], sensitive=["s"]) as data:
        found = an.anonymise(data, limits={"l_diversity": 2}, suppression=0.0)
        try:
            found.write(tmp_path / "release.csv") if found.met else None
        except NotPublished as error:
            assert "l-diversity" in str(error)
    if (tmp_path / "release.csv").exists():
        values: dict[str, set[str]] = {}
        with open(tmp_path / "release.csv", newline="", encoding="utf-8") as file:
            for line in csv.DictReader(file):
                values.setdefault(line["q"], set()).add(line["s"])
        assert min(map(len, values.values())) >= 2


def test_columns_and_records_are_compared_with_what_was_written():
    """Not with what was read."""
    reading = ReadBack(("a",), 3, None)  # type: ignore[arg-type]
    judging.check_reading(reading, ["a"], 3, "x")
    for columns, records in ((["b"], 3), (["a"], 2)):
        with pytest.raises(Defect):
            judging.check_reading(reading, columns, records, "x")


def test_parquet_keeps_what_text_cannot(tmp_path):
    """A release in Parquet is judged as Parquet."""
    table = pa.table({"q": ["a"] * 4, "s": ["x", "", None, "y"]})
    with an.read(table, quasi_identifiers=["q"], sensitive=["s"]) as data:
        found = an.anonymise(data, limits={"l_diversity": 2})
        found.write(tmp_path / "release.parquet")
    assert pq.read_table(tmp_path / "release.parquet").num_rows == 4
    assert an.verify(tmp_path / "release.parquet").holds
