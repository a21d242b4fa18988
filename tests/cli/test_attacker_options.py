"""The options about who the records were drawn from."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from anonscope.cli import app, main

SAMPLE = "age,sex,w,home\n30,F,2,a\n30,F,2,a\n40,M,3,b\n"
REGISTER = "years,sex\n30,F\n30,F\n30,F\n40,M\n50,X\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a sample and its register."""
    (tmp_path / "sample.csv").write_text(SAMPLE, encoding="utf-8")
    (tmp_path / "register.csv").write_text(REGISTER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def measured(*options: str, metric: str) -> list[dict[str, object]]:
    """Run an audit and return what it says of a metric."""
    result = CliRunner().invoke(app, ["audit", "sample.csv", "-q", "age", "-q", "sex", "--quiet", "--format", "json", *options])
    assert result.exit_code in (0, 1), result.output
    return [m for m in json.loads(result.stdout)["measurements"] if m["metric"] == metric]


def test_a_register_with_another_name_for_a_column() -> None:
    """Two of three women of 30, the only man of 40, and nobody of the 50 year olds."""
    (presence,) = measured("--population", "register.csv", "--population-column", "age=years", metric="delta_presence")

    assert (presence["min"], presence["mean"], presence["max"]) == (0, 0.6, 1)


def test_fraction_and_size_say_the_same() -> None:
    """Three of thirty are a tenth."""
    by_fraction = measured("--sampling-fraction", "0.1", metric="journalist")

    assert by_fraction == measured("--population-size", "30", metric="journalist")
    assert by_fraction[0]["variant"] == "estimated"


def test_weight_household_and_threshold() -> None:
    """The lone man stands for three people: ln(3) / 2 is above a half."""
    own, above = measured("-w", "w", "--household", "home", "--risk-threshold", "0.5", metric="individual_risk")
    (whole, _) = measured("-w", "w", "--household", "home", metric="household_risk")

    assert (above["variant"], above["count"]) == ("above 0.5", 1)
    assert whole["min"] > own["min"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--population", "nowhere.csv"], "No such file"),
        (["--population", "register.csv", "--population-column", "age"], "COLUMN=COLUMN"),
        (["--population", "register.csv", "--population-column", "age=yers"], "Did you mean 'years'"),
        (["--population-column", "age=years"], "no population is given"),
        (["--sampling-fraction", "10"], "at most 1"),
        (["--sampling-fraction", "0.1", "--population-size", "30"], "not both"),
        (["--risk-threshold", "2"], "risk threshold"),
    ],
)
def test_what_cannot_be_used_is_said_and_exits_with_two(
    options: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line on standard error, without a value of the data."""
    monkeypatch.setattr("sys.argv", ["anonscope", "audit", "sample.csv", "-q", "age", "-q", "sex", "--quiet", *options])
    with pytest.raises(SystemExit) as stopped:
        main()

    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


def test_both_tables_from_standard_input_are_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """There is only one standard input."""
    monkeypatch.setattr("sys.argv", ["anonscope", "audit", "-", "-q", "age", "--population", "-"])
    with pytest.raises(SystemExit) as stopped:
        main()

    assert stopped.value.code == 2
    assert "cannot both come from standard input" in capsys.readouterr().err


def test_the_default_of_the_threshold_is_the_registrys() -> None:
    """The command line names it as a literal, so that --help loads nothing."""
    (_, above) = measured(metric="prosecutor")

    assert above["variant"] == "above 0.2"
