"""The true distribution behind randomised answers: without bias, with an error that simulation finds too."""

from functools import reduce

import numpy as np
import pyarrow as pa
import pytest

import anonscope as an
from anonscope.errors import ColumnNotFound, OptionError
from anonscope.transform.estimates import unmixed
from anonscope.transform.recipe import Recipe
from anonscope.transform.steps import GeneralisePrefix, RandomisedResponse

TWO = (
    RandomisedResponse(column="a", values=("x", "y", "z"), epsilon=1.0),
    RandomisedResponse(column="b", values=("no", "yes"), epsilon=0.7),
)


def matrix(step: RandomisedResponse) -> np.ndarray:
    """What an answer becomes, by its definition: the chance of every answer (down) for every truth (across)."""
    d = len(step.values)
    truthful = np.exp(step.epsilon) / (np.exp(step.epsilon) + d - 1)
    return np.where(np.eye(d) == 1, truthful, (1 - truthful) / (d - 1))


def test_what_was_mixed_is_unmixed():
    """The expected answers of a joint distribution give it back; a plain inverse of the Kronecker product says the same of any counts."""
    truth = np.array([[0.30, 0.05], [0.25, 0.15], [0.05, 0.20]])
    both = reduce(np.kron, [matrix(step) for step in TWO])
    expected = (both @ truth.ravel()).reshape(3, 2)
    chances = [step.truthful for step in TWO]
    assert unmixed(1e6 * expected, chances)[0] == pytest.approx(truth, abs=1e-9)
    counts = np.array([[40, 3], [22, 9], [1, 25]], dtype=float)
    share, error = unmixed(counts, chances)
    inverse, answered = np.linalg.inv(both), counts.ravel() / 100
    assert share.ravel() == pytest.approx(inverse @ answered)
    covariance = inverse @ (np.diag(answered) - np.outer(answered, answered)) @ inverse.T / 100
    assert error.ravel() == pytest.approx(np.sqrt(np.diag(covariance)))


def test_the_error_is_what_many_draws_show():
    """And the estimates lie around the truth."""
    truth = np.array([[0.30, 0.05], [0.25, 0.15], [0.05, 0.20]])
    answered = reduce(np.kron, [matrix(step) for step in TWO]) @ truth.ravel()
    draws = np.random.default_rng(5).multinomial(2000, answered, size=4000).reshape(-1, 3, 2)
    found = np.array([unmixed(one.astype(float), [step.truthful for step in TWO]) for one in draws])
    assert found[:, 0].mean(axis=0) == pytest.approx(truth, abs=0.01)
    assert found[:, 0].std(axis=0) == pytest.approx(found[:, 1].mean(axis=0), rel=0.05)


def test_a_release_is_asked_with_its_recipe():
    """Through the product: 4,000 records, answered at random, estimated within five errors; alone, and together."""
    draw = np.random.default_rng(3).choice(6, size=4000, p=[0.30, 0.05, 0.25, 0.15, 0.05, 0.20])
    table = pa.table({"a": [("x", "y", "z")[i // 2] for i in draw], "b": [("no", "yes")[i % 2] for i in draw]})
    with an.read(table, threads=1) as data:
        made = an.apply(list(TWO), data).table
    made = pa.concat_tables([made, pa.table({"a": [None], "b": ["no"]}, schema=made.schema)])
    with an.read(made, threads=1) as release:
        joint = an.estimated_distribution(release, Recipe(TWO), ["a", "b"])
        alone = an.estimated_distribution(release, Recipe(TWO), ["b"])
    assert joint.column_names == ["a", "b", "share", "standard_error", "answered"] and sum(joint["answered"].to_pylist()) == 4000
    for i, (share, error) in enumerate(zip(joint["share"].to_pylist(), joint["standard_error"].to_pylist(), strict=True)):
        assert abs(share - float(np.mean(draw == i))) < 5 * error
    assert sum(joint["share"].to_pylist()) == pytest.approx(1) and sum(alone["share"].to_pylist()) == pytest.approx(1)
    # Together costs more than alone.
    assert max(joint["standard_error"].to_pylist()) > max(alone["standard_error"].to_pylist())


def test_what_cannot_be_estimated_is_a_sentence():
    """No such step, another step after it, no such column, answers that the recipe does not know, no answers."""
    changed = Recipe((*TWO, GeneralisePrefix(column="b", characters=1)))
    with an.read(pa.table({"a": ["x", "q"], "b": ["no", "yes"], "c": ["1", "2"]}), threads=1) as release:
        for recipe, columns, says in (
            (Recipe(TWO), ["c"], "no randomised_response"),
            (changed, ["b"], "no randomised_response"),
            (Recipe(TWO), ["a"], "not what that recipe made"),
            (Recipe(TWO), [], "each once"),
            (Recipe(TWO), ["b", "b"], "each once"),
        ):
            with pytest.raises(OptionError, match=says):
                an.estimated_distribution(release, recipe, columns)
        with pytest.raises(ColumnNotFound):
            an.estimated_distribution(release, Recipe(TWO), ["d"])
    empty = pa.table({"a": pa.array([None, None], pa.string()), "k": ["1", "2"]})
    with an.read(empty, threads=1) as release, pytest.raises(OptionError, match="No record has an answer"):
        an.estimated_distribution(release, Recipe(TWO), ["a"])
