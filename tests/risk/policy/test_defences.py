"""Table 3 of Aufschläger et al. 2023 as data: the ratings as printed, and where a reader meets them."""

import re
from pathlib import Path

import pytest

import anonscope as an
from anonscope.risk.metrics import METRICS
from anonscope.risk.policy import ATTACKS, load
from anonscope.risk.policy.defences import defences

PRINTED = {
    "k_anonymity": ("+", "- (1)", "- (2)"),
    "l_diversity": ("+ (3)", "- (1,3)", "+ (2,4)"),
    "t_closeness": ("+ (3)", "- (1,3)", "+ (2,4)"),
    "differential_privacy": ("+", "+ (5)", "+ (5)"),
    "synthetic_data": ("+", "+", "- (6)"),
}
DOCS = Path(__file__).parents[3] / "docs/risk/verdict.md"


def test_the_ratings_are_those_that_the_paper_prints() -> None:
    """Every sign and every number of a note of table 3."""
    found = {model.name: tuple(model.against[attack].text for attack in ATTACKS) for model in defences().models}
    assert found == PRINTED
    assert sorted(defences().notes) == [1, 2, 3, 4, 5, 6]
    assert all(metric in METRICS for model in defences().models for metric in model.metrics)


def test_the_page_of_the_verdict_shows_the_same_table() -> None:
    """docs/risk/verdict.md prints what the data file has."""
    page = DOCS.read_text(encoding="utf-8")
    for model in defences().models:
        cells = " | ".join(model.against[attack].text for attack in ATTACKS)
        assert f"| {model.title} | {cells} |" in page


@pytest.mark.parametrize(
    ("policy", "models"),
    [
        ("scorr", ["k_anonymity", "t_closeness"]),
        ("differential-privacy", ["differential_privacy"]),
        ("synthetic", []),
    ],
)
def test_a_policy_is_told_of_the_models_that_it_asks_for(policy: str, models: list[str]) -> None:
    """A rule about a model's metric, or the wish for a guarantee, brings its row with the notes that apply."""
    table = defences()
    asked = table.asked_by(load(policy))
    assert [model.name for model in asked] == models
    assert set(table.notes_of(asked)) == {note for m in asked for r in m.against.values() for note in r.notes}


def test_every_report_of_an_audit_has_the_table(tmp_path: Path) -> None:
    """Text, Markdown, HTML and JSON say it of the policy's models."""
    path = tmp_path / "people.csv"
    path.write_text("age,zip,illness\n" + "30,1000,flu\n40,2000,cold\n" * 20, encoding="utf-8")
    with an.read(path, quasi_identifiers=["age", "zip"], sensitive=["illness"]) as data:
        audit = an.audit(data, policy="scorr")
        told = {suffix: tmp_path / f"report.{suffix}" for suffix in ("txt", "md", "html")}
        for file in told.values():
            audit.save(file)
        said = audit.to_dict()["verdict"]["defences"]
    assert [model["name"] for model in said["models"]] == ["k_anonymity", "t_closeness"]
    assert said["models"][1]["against"]["inference"] == {"defends": True, "notes": [2, 4]}
    for suffix, file in told.items():
        text = file.read_text(encoding="utf-8")
        assert "What such models defend against by themselves" in text, suffix
        assert re.search(r"t-closeness.{0,200}?\+ \(2,4\)", re.sub(r"<[^>]+>", " ", text), re.DOTALL), suffix
