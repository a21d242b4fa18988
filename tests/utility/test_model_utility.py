"""Model utility: what models learn from a release, tested on records of the original."""

import math
import random
import sys
from typing import Any

import numpy as np
import pytest

from anonscope.errors import ColumnNotFound, MissingExtra, OptionError
from anonscope.utility.model.encoding import encoded_labels, encoded_values
from anonscope.utility.model.model import MODELS, measure_model
from anonscope.utility.model.scores import Predictions, accuracy, area_under_curve, f1, r2
from support.compared import compared

ROWS = 300


def people() -> dict[str, list[Any]]:
    """Return people whose illness depends on their age and their town, and whose income on their age."""
    draw = random.Random(7)
    age = [draw.randint(18, 90) for _ in range(ROWS)]
    town = [draw.choice("abcd") for _ in range(ROWS)]
    ill = ["yes" if a + 25 * (t == "a") + draw.gauss(0, 8) > 60 else "no" for a, t in zip(age, town, strict=True)]
    return {"age": age, "town": town, "ill": ill, "income": [1000 + 30 * a + draw.randint(0, 300) for a in age]}


PEOPLE = people()
COARSE = PEOPLE | {"age": [f"[{a // 30 * 30}-{a // 30 * 30 + 29}]" for a in PEOPLE["age"]], "town": ["*"] * ROWS}


@pytest.mark.parametrize("model", MODELS)
def test_a_release_that_changed_nothing_teaches_the_same(model: str) -> None:
    """The same split and the same seed give the same model: no difference at all, with an interval of no length."""
    found = measure_model(compared(PEOPLE, PEOPLE, ["age", "town", "ill"]), "ill", seed=1, models=[model], draws=20)

    assert {s.difference for s in found.scores} == {0}
    assert {s.difference_interval for s in found.scores} == {(0, 0)}
    assert {s.score for s in found.scores} == {"accuracy", "f1", "area_under_curve"}
    assert (found.records, found.tested_on, found.trained_on, found.released) == (300, 90, 210, 210)


def test_a_coarse_release_teaches_less_and_more_than_nothing() -> None:
    """Ages in thirties and no town: worse than the original, better than a coin."""
    found = measure_model(compared(PEOPLE, COARSE, ["age", "town", "ill"]), "ill", seed=1, models=["logistic_regression"], draws=50)
    area = found["logistic_regression", "area_under_curve"]

    assert 0.6 < area.release < area.original
    low, high = area.release_interval
    assert low <= area.release <= high
    assert found["logistic_regression", "accuracy"].difference < 0


def test_numbers_are_predicted_by_regression() -> None:
    """More than twenty incomes: R2, and intervals are learnt from by their middle."""
    found = measure_model(compared(PEOPLE, COARSE, ["age", "income"]), "income", seed=1, models=["logistic_regression"], draws=20)

    assert found.task == "regression"
    (score,) = found.scores
    assert score.score == "r2"
    assert 0.5 < score.release < score.original < 1


def test_the_same_seed_gives_the_same_numbers_and_another_does_not() -> None:
    """The seed is part of the result."""
    aligned = compared(PEOPLE, COARSE, ["age", "town", "ill"])
    first, second, third = (measure_model(aligned, "ill", seed=s, models=["random_forest"], draws=5) for s in (1, 1, 2))

    assert first == second
    assert first.scores != third.scores
    assert (first.seed, third.seed) == (1, 2)


def test_records_whose_target_is_not_released_are_not_learnt_from() -> None:
    """Half of the targets are suppressed; if all are, there is a reason instead of a number."""
    half = PEOPLE | {"ill": ["*" if i % 2 else value for i, value in enumerate(PEOPLE["ill"])]}
    found = measure_model(compared(PEOPLE, half, ["age", "ill"]), "ill", seed=1, models=["logistic_regression"], draws=5)
    assert 80 < found.released < 130

    nothing = {"age": PEOPLE["age"]}
    found = measure_model(compared(PEOPLE, nothing, ["age", "ill"]), "ill", seed=1, models=["logistic_regression"], draws=5)
    assert {(s.release, s.reason) for s in found.scores} == {(None, "the release tells the target of no record")}
    assert all(s.original is not None for s in found.scores)


def test_cells_become_shares_middles_and_marks() -> None:
    """A set shares one among its members, an interval is its middle and its length, a star is marked."""
    aligned = compared(
        {"x": ["a", "b", "c", "c"], "n": [1, 2, 3, 10]},
        {"x": ["{a, b}", "{a, b}", "c", "*"], "n": ["[1-2]", "[1-2]", "3", "*"]},
    )
    x, n = aligned.columns

    assert encoded_values(x).tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    assert dict(zip(x.labels.texts, encoded_labels(x).tolist(), strict=True)) == {
        "{a, b}": [0.5, 0.5, 0, 0],
        "c": [0, 0, 1, 0],
        "*": [0, 0, 0, 1],
    }
    assert dict(zip(n.labels.texts, encoded_labels(n).tolist(), strict=True)) == {"[1-2]": [1.5, 1, 0], "3": [3, 0, 0], "*": [4, 0, 1]}


def test_rare_categories_share_a_feature() -> None:
    """Of 60 towns, 50 have a feature of their own; every row still adds up to one."""
    towns = [f"t{i:02}" for i in range(60)]
    (town,) = compared({"town": towns}, {"town": towns}).columns

    assert encoded_values(town).shape == (60, 52)
    assert encoded_values(town).sum(axis=1).tolist() == [1] * 60
    assert encoded_labels(town).tolist() == encoded_values(town).tolist()


def test_scores_agree_with_their_definitions() -> None:
    """Accuracy, F1 and the area by counting pairs; R2 by its sums; scikit-learn says the same."""
    from sklearn.metrics import accuracy_score, f1_score, r2_score, roc_auc_score

    draw = np.random.default_rng(5)
    truth, said = draw.integers(0, 3, 80), draw.integers(0, 3, 80)
    chances = draw.dirichlet([1, 1, 1], 80).round(1)
    found = Predictions(truth.astype(float), said.astype(float), chances)
    ones = np.ones(80)

    assert accuracy(found, ones) == pytest.approx(accuracy_score(truth, said))
    assert f1(found, ones) == pytest.approx(f1_score(truth, said, average="macro"))
    areas = [roc_auc_score(truth == c, chances[:, c]) for c in range(3)]
    assert area_under_curve(found, ones) == pytest.approx(np.mean(areas))
    numbers = Predictions(draw.normal(size=80), draw.normal(size=80))
    assert r2(numbers, ones) == pytest.approx(r2_score(numbers.truth, numbers.said))


def test_drawing_a_record_twice_is_weighing_it_twice() -> None:
    """The bootstrap draws by weights."""
    truth, said = np.array([0.0, 0, 1, 1, 1]), np.array([0.0, 1, 1, 1, 0])
    chances = np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.2, 0.8], [0.6, 0.4]])
    weights = np.array([2.0, 1, 0, 1, 3])
    rows = np.repeat(np.arange(5), weights.astype(int))
    drawn = Predictions(truth[rows], said[rows], chances[rows])

    for score in (accuracy, f1, area_under_curve, r2):
        assert score(Predictions(truth, said, chances), weights) == pytest.approx(score(drawn, np.ones(len(rows))))


@pytest.mark.parametrize(
    ("target", "also", "error", "says"),
    [
        ("height", {}, ColumnNotFound, "height"),
        ("ill", {"models": ["oracle"]}, OptionError, "No model is called"),
        ("ill", {"task": "regression"}, OptionError, "not numeric"),
    ],
)
def test_what_cannot_be_learnt_is_said(target: str, also: dict[str, Any], error: type[Exception], says: str) -> None:
    """Unknown columns and models, and a regression of words."""
    with pytest.raises(error, match=says):
        measure_model(compared(PEOPLE, COARSE, ["age", "ill"]), target, seed=1, **also)


def test_tables_too_small_or_constant_are_refused() -> None:
    """Nothing can be learnt from four records, from one value, or from no other column."""
    with pytest.raises(OptionError, match="at least 20"):
        measure_model(compared({"a": [1, 2], "b": ["x", "y"]}, {"a": [1, 2], "b": ["x", "y"]}), "b", seed=1)
    constant = {"a": list(range(30)), "b": ["x"] * 30}
    with pytest.raises(OptionError, match="one value only"):
        measure_model(compared(constant, constant), "b", seed=1)
    with pytest.raises(OptionError, match="at least one column"):
        measure_model(compared(constant, constant, ["a"]), "a", seed=1)


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message has the line to type."""
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(MissingExtra, match="pip install scikit-learn"):
        measure_model(compared(PEOPLE, COARSE, ["age", "ill"]), "ill", seed=1)


def test_no_score_is_not_a_number() -> None:
    """All finite, or absent with a reason; also where a class occurs once only."""
    rare = PEOPLE | {"ill": ["perhaps", *PEOPLE["ill"][1:]]}
    found = measure_model(
        compared(rare, rare | {"age": ["*"] * ROWS}, ["age", "ill"]), "ill", seed=2, models=["nearest_neighbours"], draws=5
    )

    for score in found.scores:
        numbers = [score.original, score.release, score.difference]
        assert all(number is None or math.isfinite(number) for number in numbers)
        assert score.reason or None not in numbers
