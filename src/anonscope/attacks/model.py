"""A model that learns a sensitive value from a release, and guesses it of people: a forest of small trees (extra `ml`)."""

from collections.abc import Sequence

import numpy as np

from anonscope.attacks.candidates import Distinct, View, label_ends
from anonscope.attacks.inference import Guesses, Sensitive
from anonscope.attacks.people import Attacked, marked
from anonscope.errors import MissingExtra
from anonscope.risk.counting.arrays import Floats, Integers

MOST_ROWS = 20_000
TREES = 30


def learned(attacked: Attacked, view: View, sensitive: Sensitive, crowds: Sequence[Distinct]) -> list[Guesses]:
    """Return the guesses about each kind of people in each crowd, by a model of the release."""
    try:
        from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    except ImportError:
        raise MissingExtra("A model that guesses sensitive values", "scikit-learn") from None

    codes = {name: attacked.release[name].codes for name in (*view.columns, sensitive.name)}
    # In an order that hangs on nothing but the records, because a forest draws by place.
    rows = np.argsort(marked(codes, attacked.released, attacked.seed, 29), kind="stable")[:MOST_ROWS]
    value, weight = _likeliest(sensitive)
    rows = rows[weight[codes[sensitive.name][rows]] > 0]
    features = np.stack([_of_labels(view, i)[attacked.release[name].codes[rows]] for i, name in enumerate(view.columns)], axis=1)
    answer = value[codes[sensitive.name][rows]]
    asked = [np.stack([_of_values(view, i)[crowd.codes[i]] for i in range(len(view.columns))], axis=1) for crowd in crowds]
    options = {"n_estimators": TREES, "min_samples_leaf": 3, "random_state": attacked.seed, "n_jobs": 1}
    if sensitive.numbers is not None:
        number = np.nan_to_num(sensitive.numbers[answer])
        forest = RandomForestRegressor(**options, max_features=0.6).fit(features, number)
        return [_numbers(forest.predict(found)) for found in asked]
    forest = RandomForestClassifier(**options).fit(features, answer)
    return [_classes(forest.predict_proba(found), forest.classes_) for found in asked]


def _numbers(guess: Floats) -> Guesses:
    places = np.arange(len(guess))
    return Guesses(places, np.zeros(len(guess), dtype=np.int64), np.ones(len(guess)), guess)


def _classes(chance: Floats, classes: Integers) -> Guesses:
    kept = chance >= chance.max(axis=1, keepdims=True) * (1 - 1e-9)
    kind, place = np.nonzero(kept)
    return Guesses(kind, classes[place].astype(np.int64), 1 / kept.sum(axis=1)[kind])


def _likeliest(sensitive: Sensitive) -> tuple[Integers, Floats]:
    """Return the likeliest value of every released label, and 0 for labels that say nothing."""
    labels = int(max(sensitive.labels.max(), sensitive.spread_label.max(initial=0))) + 1
    value, weight = np.zeros(labels, dtype=np.int64), np.zeros(labels)
    merit = sensitive.prior[sensitive.spread_value] + 1e-12
    order = np.lexsort((-sensitive.spread_value, merit))
    value[sensitive.spread_label[order]] = sensitive.spread_value[order]
    weight[sensitive.spread_label[order]] = merit[order]
    return value, weight


def _of_labels(view: View, i: int) -> Floats:
    """Return a number for every released label: the middle of its numbers, or its place."""
    column = view.attacked.release[view.columns[i]]
    if not view.attacked.numeric(view.columns[i]):
        return np.arange(len(column.values), dtype=float)
    low, high = label_ends(column.values, view.families[i], view.attacked.numbers(view.columns[i]))
    return np.nan_to_num((low + high) / 2, nan=-1.0)


def _of_values(view: View, i: int) -> Floats:
    """Return the same for every value that somebody may have: that of the narrowest label which holds it."""
    if view.attacked.numeric(view.columns[i]):
        return np.nan_to_num(view.attacked.numbers(view.columns[i]), nan=-1.0)
    # What no label holds is like nothing, which has the number 0.
    return np.maximum(view.narrowest(i), 0).astype(float)
