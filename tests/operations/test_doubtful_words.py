"""What a role leaves open is for a person to answer for: texts that nothing explains, and what outsiders surely know of people."""

import base64
import codecs
import sys
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.csv
import pytest

import anonscope as an
from anonscope.cli import main
from anonscope.errors import IdentifierGiven
from anonscope.report.words import acknowledged_of

_GIVEN = ["Anna", "Peter", "Maria", "Thomas", "Julia", "Markus", "Sabine", "Andreas", "Katrin", "Stefan", "Laura", "Michael"]
_FAMILY = ["Schmidt", "Meyer", "Weber", "Wagner", "Becker", "Hoffmann", "Koch", "Richter", "Klein", "Wolf", "Neumann", "Schwarz"]
_NAMES = [f"{given} {family}" for given in _GIVEN for family in _FAMILY]
_ROWS = len(_NAMES)
_COATS = {
    "base64": [base64.b64encode(name.encode()).decode() for name in _NAMES],
    "reversed": [name[::-1] for name in _NAMES],
    "shifted": [codecs.encode(name, "rot13") for name in _NAMES],
    "hexadecimal": [name.encode().hex() for name in _NAMES],
    "without vowels": ["".join(c for c in name if c not in "aeiou") for name in _NAMES],
    "ids with the letter last": [f"{Random(i).randrange(10**5, 10**6)}P" for i in range(_ROWS)],
}
_HONEST = {
    "diagnoses": [["flu", "gout", "asthma"][i % 3] for i in range(_ROWS)],
    "amounts": [f"{Random(i).randrange(100, 99_999) / 10} mg" for i in range(_ROWS)],
    "codes of illnesses": [f"{'ABCDEFGHIJ'[i % 10]}{i // 10 + 10}.{i % 7}" for i in range(_ROWS)],
    "measurements": [f"{Random(i).random():.6f}" for i in range(_ROWS)],
}
_LIMITS = {"k_anonymity": 2}


def _table(**columns: list[str]) -> pa.Table:
    drawn = Random(5)
    known = {"age": [str(20 + i % 30) for i in range(_ROWS)], "sex": ["mf"[i % 2] for i in range(_ROWS)]}
    known |= {"zip": [f"10{i % 9}15" for i in range(_ROWS)], "diagnosis": [drawn.choice(["flu", "gout"]) for _ in range(_ROWS)]}
    return pa.table(known | columns)


@pytest.mark.parametrize(("coat", "column"), [*((coat, "result") for coat in _COATS), ("reversed", "score"), ("base64", "income")])
def test_no_suggestion_lets_names_pass_in_a_coat(coat: str, column: str) -> None:
    """Reversed or coded names under `result` were proposed as sensitive, accepted, and went out with "The policy is met"."""
    table = _table(**{column: _COATS[coat]})
    with an.read(table) as data:
        data.accept(an.suggest(data))
        if column in data.roles.direct_identifiers:
            return  # it is dropped
        verdict = an.audit(data, "trusted-internal").verdict
        assert column in verdict.unanswered and verdict.exit_code == 1 and verdict.outcome != "release"
        with pytest.raises(IdentifierGiven, match=f"'{column}'.*may tell who somebody is"):
            an.anonymise(data, limits=_LIMITS)
    with an.read(table, acknowledge={column: "Codes of the laboratory."}) as data:
        data.accept(an.suggest(data))
        found = an.anonymise(data, limits=_LIMITS)
        assert found.after is not None and found.after.verdict.outcome == "release with acknowledgement"


@pytest.mark.parametrize("values", _HONEST)
def test_what_is_explained_needs_no_word(values: str) -> None:
    """Categories, amounts, codes of illnesses and measurements are what they are."""
    with an.read(_table(result=_HONEST[values]), quasi_identifiers=["age", "sex", "zip"], sensitive=["diagnosis", "result"]) as data:
        assert an.audit(data, "trusted-internal").verdict.telling == ()


@pytest.mark.parametrize("role", ["sensitive", "insensitive"])
@pytest.mark.parametrize("column", ["age", "sex", "zip"])
def test_what_outsiders_surely_know_is_not_simply_called_something_else(column: str, role: str) -> None:
    """`-s age -s zip` took them out of the groups, and the policy was met: a person may say so, in a recorded word."""
    left = [c for c in ("age", "sex", "zip") if c != column]
    known = {"quasi_identifiers": left, "sensitive": ["diagnosis"]}
    known[role] = [*known.get(role, []), column]
    with an.read(_table(), **known) as data:
        verdict = an.audit(data, "trusted-internal").verdict
        assert [(c.column, c.role, c.known) for c in verdict.telling] == [(column, role, True)] and verdict.exit_code == 1
        with pytest.raises(IdentifierGiven, match=f"'{column}'.*no group was made by it"):
            an.anonymise(data, limits=_LIMITS)
    for word in ({"acknowledge": {column: "Agreed with the board."}}, {"acknowledge_rest": "Agreed with the board."}):
        with an.read(_table(), **known, **word) as data:
            found = an.anonymise(data, limits=_LIMITS)
            assert found.after is not None and found.after.verdict.outcome == "release with acknowledgement"
            assert f"{column} in no group" in acknowledged_of(found.after.verdict)


def test_a_word_is_kept_with_the_release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a word nothing is written and the command to copy is printed; with it, verdict, manifest and verify know the reason."""
    source, release = tmp_path / "t.csv", tmp_path / "r.csv"
    pyarrow.csv.write_csv(_table(), source)
    asked = [
        "anonymise",
        str(source),
        "-q",
        "sex",
        "-q",
        "zip",
        "-s",
        "diagnosis",
        "-s",
        "age",
        "--limit",
        "k_anonymity=2",
        "-o",
        str(release),
    ]

    def run(*said: str) -> int:
        monkeypatch.setattr(sys, "argv", ["anonscope", *said])
        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0)

    assert run(*asked) == 1 and not release.exists()
    told = capsys.readouterr().err
    assert "Count it (-q COLUMN instead)" in told and "--acknowledge age=REASON" in told
    assert run(*asked, "--acknowledge", "age=Agreed with the board") == 0
    assert "Agreed with the board" in (tmp_path / "r.csv.manifest.json").read_text()
    assert run("verify", str(release)) == 0
    assert run("audit", str(release), "-q", "sex", "-q", "zip", "-s", "diagnosis", "-s", "age", "--policy", "trusted-internal") == 1
    assert "'age' is in no group though outsiders know it" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", ["age_at_diagnosis_code", "contacts", "x7"])
def test_a_word_about_anything_else_is_enough(name: str) -> None:
    """Calling a column insensitive of which nobody knows what it is stays an accepted word."""
    table = _table(**{name: [str(i % 7) for i in range(_ROWS)]})
    with an.read(table, quasi_identifiers=["age", "sex", "zip"], sensitive=["diagnosis"], insensitive=[name]) as data:
        assert an.audit(data, "trusted-internal").verdict.telling == ()
