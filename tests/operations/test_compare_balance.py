"""What the balance of a comparison is made of, how it can be struck otherwise, and what it does not see."""

import random
from pathlib import Path
from typing import Any

import pytest

import anonscope as an
from anonscope.errors import OptionError

ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "sex"], "sensitive": ["income"]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with people, two releases of them (the second also changes a column without a role), and a table from outside."""
    made = tmp_path_factory.mktemp("balance")
    draw = random.Random(1)
    people = [(draw.randint(20, 69), draw.choice("fm"), draw.randint(20_000, 60_000), draw.randint(0, 4)) for _ in range(300)]
    outside = [(draw.randint(20, 69), draw.choice("fm")) for _ in range(400)]

    def write(name: str, header: str, rows: list[tuple[Any, ...]]) -> None:
        lines = [header, *(",".join(map(str, line)) for line in rows)]
        (made / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    write("original.csv", "age,sex,income,note", people)
    write("fine.csv", "age,sex,income,note", [(f"[{a // 5 * 5}-{a // 5 * 5 + 4}]", s, round(i, -2), n) for a, s, i, n in people])
    write("coarse.csv", "age,sex,income,note", [(f"[{a // 10 * 10}-{a // 10 * 10 + 9}]", s, 0, 0) for a, s, _, _ in people])
    write("outside.csv", "age,sex", outside)
    return made


def compared(folder: Path, *releases: str, **also: Any) -> an.Comparison:
    with an.read(folder / "original.csv", **ROLES) as data:
        return an.compare(data, *(folder / name for name in releases), policy="arx-default", **also)


def test_the_parts_of_the_balance_are_told(folder: Path) -> None:
    """R, safety, U and RUT follow from the parts that the JSON has, column by column."""
    found = compared(folder, "fine.csv", external=folder / "outside.csv")
    for version in found.to_dict()["versions"]:
        balance = version["balance"]
        assert balance["risk"] == max(balance["internal_risk"], balance["external_risk"])
        assert balance["safety"] == pytest.approx(1 - balance["risk"], abs=1e-6)
        columns = balance["attributes"]
        assert [one["column"] for one in columns] == ["age", "sex", "income"]
        assert balance["loss"] == pytest.approx(sum(one["loss"] for one in columns) / 3, abs=1e-6)
        assert balance["similarity"] == pytest.approx(sum(one["similarity"] for one in columns) / 3, abs=1e-6)
        assert balance["utility"] == pytest.approx((balance["similarity"] + 1 - balance["loss"]) / 2, abs=1e-6)
        assert all(one["utility"] == pytest.approx((one["similarity"] + 1 - one["loss"]) / 2, abs=1e-6) for one in columns)
        assert balance["rut"]["balanced"] == pytest.approx((balance["utility"] + balance["safety"]) / 2, abs=1e-6)
    text = found.render("text")
    assert "R internal" in text and "What the utility of fine.csv is made of" in text


def test_columns_without_a_role_are_asked_about(folder: Path) -> None:
    """U does not see a column that nobody gave a role, and says so; of one that a release changed, more so."""
    fine, coarse = compared(folder, "fine.csv"), compared(folder, "coarse.csv")
    assert fine.unweighed == {"note": False} and coarse.unweighed == {"note": True}
    assert "U does not see note: nobody gave it a role. What is it?" in fine.render("text")
    assert "releases changed note" in coarse.render("text") and "releases changed note" not in fine.render("text")
    assert coarse.to_dict()["columns_not_weighed"] == [{"column": "note", "changed": True}]


def test_incomes_rounded_to_nothing_are_not_alike(folder: Path) -> None:
    """All incomes 0 have no likeness left; rounded to hundreds they have nearly all of it."""
    fine, coarse = (
        next(one for one in compared(folder, name).versions[1].balance.usefulness.attributes if one.column == "income")
        for name in ("fine.csv", "coarse.csv")
    )
    assert coarse.similarity == 0 and fine.similarity > 0.99


def test_your_weight_of_utility_decides(folder: Path) -> None:
    """alpha 1 chooses by utility alone, alpha 0 by safety alone."""
    useful = compared(folder, "fine.csv", "coarse.csv", utility_weight=1.0)
    safe = compared(folder, "fine.csv", "coarse.csv", utility_weight=0.0)
    assert useful.usual == safe.usual == "your weights"
    assert useful.to_dict()["versions"][1]["balance"]["rut"]["your weights"] == pytest.approx(useful.versions[1].balance.utility, abs=1e-6)
    assert safe.to_dict()["versions"][1]["balance"]["rut"]["your weights"] == pytest.approx(safe.versions[1].balance.safety, abs=1e-6)


def test_the_named_readings_of_the_paper(folder: Path) -> None:
    """Each option changes the part that it names, by its formula."""
    usual = compared(folder, "fine.csv", external=folder / "outside.csv").versions[1]
    balance, linkage = usual.balance, usual.linkage

    def struck(**how: Any) -> Any:
        return compared(folder, "fine.csv", external=folder / "outside.csv", **how).versions[1].balance

    internal, external = balance.internal_risk, balance.external_risk
    assert struck(combination="sum").risk == pytest.approx(min(1, internal + external))
    assert struck(combination="mean", internal_weight=0.25).risk == pytest.approx(0.25 * internal + 0.75 * external)
    three = linkage.scores.probability, linkage.scores.correlation, linkage.scores.unique_combination
    for name, score in zip(("probability", "correlation", "unique"), three, strict=True):
        assert struck(external_score=name).external_risk == pytest.approx(score)
    assert struck(external_score="mean").external_risk == pytest.approx(sum(three) / 3)
    ranks = compared(folder, "fine.csv", external=folder / "outside.csv", coefficient="spearman").versions[1].linkage.scores
    assert ranks.coefficient == "spearman" and ranks.correlation != pytest.approx(linkage.scores.correlation)
    # Ten ages and two sexes in 300 records: what each tells alone.
    assert struck(sensitivities={"age": 3}).internal_risk == pytest.approx((3 * 10 / 300 + 2 / 300) / 4)
    useful = balance.usefulness
    assert struck(similarity_weight=1.0).utility == pytest.approx(useful.similarity)
    assert struck(total="maximum").usefulness.similarity == 1
    assert struck(distance="euclidean").usefulness.loss > useful.loss
    low, high = (struck(normalisation=how).usefulness.loss for how in ("range", "min-max"))
    assert low == useful.loss and high != low


@pytest.mark.parametrize(
    "how",
    [{"utility_weight": 1.5}, {"similarity_weight": -1.0}, {"combination": "product"}, {"bins": 0}, {"sensitivities": {"age": -1}}],
)
def test_what_means_nothing_is_refused(folder: Path, how: dict[str, Any]) -> None:
    """A weight beyond 1, a way that does not exist, no bin at all."""
    with pytest.raises(OptionError):
        compared(folder, "fine.csv", **how)


def test_the_relative_condensation_loss_can_be_asked_for(folder: Path) -> None:
    """It takes long on large classes, so it is measured for whoever asks."""
    without, with_it = compared(folder, "fine.csv"), compared(folder, "fine.csv", condensation=True)
    assert without.versions[1].utility("relative_condensation_loss").status == "not measured"
    assert with_it.versions[1].utility("relative_condensation_loss").status == "measured"
