"""What a model learns from the release: trained on it and on the original, both tested on the same records of the original.

R. Aufschläger et al. (2023), section 5.2, "ML utility": nearest neighbours, logistic (or linear) regression, random forests and
gradient boosting. Intervals hold 95 % of the scores over test sets drawn anew from the test records (bootstrap), the same for both
models, so that the interval of their difference is that of pairs.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from anonscope.errors import ColumnNotFound, MissingExtra, OptionError, shown
from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.utility.alignment.aligned import Aligned, AlignedColumn
from anonscope.utility.model.encoding import encoded_labels, encoded_values
from anonscope.utility.model.scores import SCORES, Predictions, interval_of_difference, scored

Task = Literal["classification", "regression"]
MODELS = ("nearest_neighbours", "logistic_regression", "random_forest", "gradient_boosting", "adaptive_boosting")
# More values than these are a number to predict, not classes to tell.
_MOST_CLASSES = 20
_FEWEST_RECORDS = 20
MOST_RECORDS = 50_000
TEST_SHARE = 0.3
DRAWS = 200
_MOST_STEPS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScore:
    """How well one model predicts records of the original, having learnt from the original and from the release."""

    model: str
    score: str
    original: float | None = None
    original_interval: tuple[float, float] | None = None
    release: float | None = None
    release_interval: tuple[float, float] | None = None
    difference: float | None = None  # release minus original
    difference_interval: tuple[float, float] | None = None
    reason: str | None = None  # why a number is missing


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUtility:
    """What was predicted from what, how, and the scores."""

    target: str
    features: tuple[str, ...]
    task: Task
    seed: int
    records: int  # that took part; drawn with the seed where there are more
    trained_on: int  # records of the original
    released: int  # of these, records whose target the release tells
    tested_on: int
    draws: int
    scores: tuple[ModelScore, ...]
    notes: tuple[str, ...] = ()

    def __getitem__(self, key: tuple[str, str]) -> ModelScore:
        """Return one score by model and score."""
        return next(score for score in self.scores if (score.model, score.score) == key)


def measure_model(
    aligned: Aligned,
    target: str,
    *,
    seed: int,
    task: Task | None = None,
    models: Iterable[str] = MODELS,
    most_records: int = MOST_RECORDS,
    draws: int = DRAWS,
) -> ModelUtility:
    """Return how much worse models predict a column after learning from the release; all other aligned columns are features.

    A target of numbers with more than 20 values is predicted by regression, any other by classification, if `task` does not say.
    """
    names = [column.name for column in aligned.columns]
    if target not in names:
        raise ColumnNotFound(target, names)
    chosen = tuple(models)
    if unknown := [model for model in chosen if model not in MODELS]:
        raise OptionError(f"No model is called {unknown[0]!r}. There are: {', '.join(MODELS)}.")
    column = next(column for column in aligned.columns if column.name == target)
    features = [other for other in aligned.columns if other is not column]
    if not features:
        raise OptionError("A model needs at least one column beside the one that it predicts.")
    task = task or _task_of(column)
    if task == "regression" and not column.domain.numeric:
        raise OptionError(f"Column {shown(target)} is not numeric, so it is predicted by classification.")
    rows = _drawn(aligned, column, seed, most_records)
    split = np.random.Generator(np.random.PCG64([seed, 1])).permutation(len(rows))
    test, train = rows[split[: round(len(rows) * TEST_SHARE)]], rows[split[round(len(rows) * TEST_SHARE) :]]
    truth = _truth(column, task)
    learnt, told = _released_target(aligned, column, task)
    kept = train[told[train]]
    before, after = _features(features)
    again = np.random.Generator(np.random.PCG64([seed, 2])).multinomial(len(test), np.full(len(test), 1 / len(test)), size=draws)
    sets = (before[0], before[1][:, train], truth[train]), (after[0], after[1][:, kept], learnt[kept])
    scores: list[ModelScore] = []
    notes: list[str] = []
    for model in chosen:
        results = [_fitted(model, task, seed, side, (before[0], before[1][:, test]), truth[test], notes) for side in sets]
        scores += _compared(model, task, results, again)
    return ModelUtility(
        target=target,
        features=tuple(other.name for other in features),
        task=task,
        seed=seed,
        records=len(rows),
        trained_on=len(train),
        released=len(kept),
        tested_on=len(test),
        draws=draws,
        scores=tuple(scores),
        notes=tuple(dict.fromkeys(notes)),
    )


def _task_of(column: AlignedColumn) -> Task:
    return "regression" if column.domain.numeric and column.domain.texts > _MOST_CLASSES else "classification"


def _drawn(aligned: Aligned, column: AlignedColumn, seed: int, most: int) -> Integers:
    """Return the pair of tuples of every record that takes part: those with a target, at most so many, by chance."""
    usable = column.places < column.domain.texts
    counts = np.where(usable, aligned.n, 0).astype(np.int64)
    if counts.sum() < _FEWEST_RECORDS:
        raise OptionError(f"{int(counts.sum()):,} records have a value to predict; a model needs at least {_FEWEST_RECORDS}.")
    if len(np.unique(column.places[usable])) < 2:
        raise OptionError(f"Column {shown(column.name)} has one value only, so there is nothing to predict.")
    rows = np.repeat(np.arange(len(counts)), counts)
    if len(rows) > most:
        rows = np.random.Generator(np.random.PCG64([seed, 0])).choice(rows, most, replace=False)
    return rows


def _truth(column: AlignedColumn, task: Task) -> Floats:
    """Return the target of every pair of tuples: a class, or a number."""
    if task == "classification":
        return column.places.astype(np.float64)
    return np.append(column.domain.numbers, 0.0)[column.places]


def _released_target(aligned: Aligned, column: AlignedColumn, task: Task) -> tuple[Floats, Integers]:
    """Return the target as the release has it, and where it has one: a single class, or anything that is a number."""
    labels = column.labels
    if task == "regression":
        told = labels.numbered & ~labels.suppressed
        return labels.number[column.marks], told[column.marks] & aligned.present
    single = labels.exact & (labels.images.sizes == 1)
    return labels.images.start[column.marks].astype(np.float64), single[column.marks] & aligned.present


def _features(columns: list[AlignedColumn]) -> tuple[tuple[list[Floats], Integers], tuple[list[Floats], Integers]]:
    """Return the encodings of values and of labels, and which of them every pair of tuples has."""
    before = [encoded_values(column) for column in columns], np.stack([column.places for column in columns])
    after = [encoded_labels(column) for column in columns], np.stack([column.marks for column in columns])
    return before, after


def _matrix(encodings: list[Floats], which: Integers) -> Floats:
    return np.concatenate([encoding[places] for encoding, places in zip(encodings, which, strict=True)], axis=1)


Side = tuple[list[Floats], Integers, Floats]


def _fitted(
    model: str, task: Task, seed: int, side: Side, test: tuple[list[Floats], Integers], truth: Floats, notes: list[str]
) -> Predictions | str:
    """Return what a model says of the test records, or why there is none."""
    encodings, which, target = side
    if not len(target):
        return "the release tells the target of no record"
    if task == "classification" and len(np.unique(target)) < 2:
        return "the release tells one class only"
    learner = _learner(model, task, seed, len(target))
    with warnings.catch_warnings():
        # Said in a note instead, once a model.
        warnings.filterwarnings("ignore", message="lbfgs failed to converge")
        learner.fit(_matrix(encodings, which), target)
    said = learner.predict(_matrix(*test))
    probabilities = learner.predict_proba(_matrix(*test)) if task == "classification" else None
    if model == "logistic_regression" and task == "classification" and int(learner[-1].n_iter_.max()) >= _MOST_STEPS:
        notes.append(f"{model} had not settled after {_MOST_STEPS:,} steps.")
    if probabilities is None:
        return Predictions(truth, np.asarray(said, dtype=np.float64))
    # Classes that this model never saw have no probability.
    every = np.unique(np.concatenate([truth, learner.classes_]))
    full = np.zeros((len(truth), len(every)))
    full[:, np.searchsorted(every, learner.classes_)] = probabilities
    place = np.searchsorted(every, truth), np.searchsorted(every, said)
    return Predictions(place[0].astype(np.float64), place[1].astype(np.float64), full)


def _compared(model: str, task: Task, results: list[Predictions | str], draws: Integers) -> list[ModelScore]:
    found = []
    reason = next((result for result in results if isinstance(result, str)), None)
    for name, score in SCORES[task].items():
        before, after = (None if isinstance(result, str) else scored(score, result, draws) for result in results)
        difference = interval = None
        if before is not None and after is not None:
            difference, interval = after.value - before.value, interval_of_difference(after, before)
        found.append(
            ModelScore(
                model=model,
                score=name,
                original=before.value if before else None,
                original_interval=before.interval if before else None,
                release=after.value if after else None,
                release_interval=after.interval if after else None,
                difference=difference,
                difference_interval=interval,
                reason=reason or (None if difference is not None else "the test records do not vary"),
            )
        )
    return found


def _learner(model: str, task: Task, seed: int, records: int) -> Any:
    """Return an untrained model of scikit-learn; numbers are put on one scale first, which trees do not need but do not mind."""
    try:
        from sklearn.ensemble import (
            AdaBoostClassifier,
            AdaBoostRegressor,
            HistGradientBoostingClassifier,
            HistGradientBoostingRegressor,
            RandomForestClassifier,
            RandomForestRegressor,
        )
        from sklearn.linear_model import LinearRegression, LogisticRegression
        from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
    except ImportError:
        raise MissingExtra("Model utility", "scikit-learn") from None
    classify = task == "classification"
    neighbours = min(15, records)
    makers: dict[str, Any] = {
        "nearest_neighbours": lambda: (KNeighborsClassifier if classify else KNeighborsRegressor)(n_neighbors=neighbours),
        "logistic_regression": lambda: LogisticRegression(max_iter=_MOST_STEPS) if classify else LinearRegression(),
        "random_forest": lambda: (RandomForestClassifier if classify else RandomForestRegressor)(
            n_estimators=100, min_samples_leaf=2, random_state=seed
        ),
        "gradient_boosting": lambda: (HistGradientBoostingClassifier if classify else HistGradientBoostingRegressor)(
            random_state=seed, early_stopping=False
        ),
        "adaptive_boosting": lambda: (AdaBoostClassifier if classify else AdaBoostRegressor)(random_state=seed),
    }
    return make_pipeline(StandardScaler(), makers[model]())
