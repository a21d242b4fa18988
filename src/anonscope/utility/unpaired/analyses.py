"""What an analyst would find in the release: regressions, associations, combinations that cannot be, and what a model learns."""

import numpy as np

from anonscope.risk.counting.arrays import Floats, Integers
from anonscope.utility.unpaired.tables import Unpaired

EXPECTED = 5.0  # records that a combination would have by chance; if it has none, it is taken for impossible
COMMON = 50  # records of each table that a value needs for a coefficient
_SIGNIFICANT = 1.96
_HELD_OUT = 0.2


def associations_change(tables: Unpaired) -> float | str:
    """Return the mean absolute change of Cramér's V over all pairs of columns."""
    pairs = [(i, j) for i in range(len(tables.names)) for j in range(i)]
    if not pairs:
        return "there is only one column"
    return float(np.mean([abs(_cramer(tables, tables.original, *pair) - _cramer(tables, tables.release, *pair)) for pair in pairs]))


def _cramer(tables: Unpaired, table: tuple[Integers, ...], i: int, j: int) -> float:
    shape = tables.sizes[i], tables.sizes[j]
    seen = np.bincount(np.ravel_multi_index([table[i], table[j]], shape), minlength=shape[0] * shape[1]).reshape(shape).astype(np.float64)
    seen = seen[seen.sum(axis=1) > 0][:, seen.sum(axis=0) > 0]
    smaller = min(seen.shape) - 1
    if smaller < 1:
        return 0.0
    n = seen.sum()
    by_chance = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / n
    return float(np.sqrt(((seen - by_chance) ** 2 / by_chance).sum() / n / smaller))


def impossible_share(tables: Unpaired) -> float | str:
    """Return the share of released records with two values that no record of the original has together, though chance would give some."""
    n, m = tables.records
    found = np.zeros(m, dtype=bool)
    for i in range(len(tables.names)):
        for j in range(i):
            shape = tables.sizes[i], tables.sizes[j]
            seen = np.bincount(
                np.ravel_multi_index([tables.original[i], tables.original[j]], shape), minlength=shape[0] * shape[1]
            ).reshape(shape)
            never = (seen == 0) & (np.outer(seen.sum(axis=1), seen.sum(axis=0)) >= EXPECTED * n)
            found |= never[tables.release[i], tables.release[j]]
    return float(found.mean())


def regression(tables: Unpaired) -> tuple[float, float, int] | str:
    """Return the mean overlap of intervals of coefficients, the share of significant ones that keep their sign, and their number."""
    if tables.target is None:
        return "no column was named that a model is to predict (--model)"
    sides = [_outcome(tables, side) for side in (0, 1)]
    if any(side is None for side in sides):
        return "the column is neither numeric nor one of two values in both tables"
    fits = [_fitted(matrix, outcome) for outcome, matrix in zip(sides, _designs(tables), strict=True) if outcome is not None]
    (one, wide), (other, broad) = fits
    known = (wide > 0) & (broad > 0)
    known[0] = False  # the level is no finding
    if not known.any():
        return "no coefficient can be estimated in both tables"
    low, high = (
        np.maximum(one - _SIGNIFICANT * wide, other - _SIGNIFICANT * broad),
        np.minimum(one + _SIGNIFICANT * wide, other + _SIGNIFICANT * broad),
    )
    common = np.maximum(high - low, 0)[known]
    overlap = (common / (2 * _SIGNIFICANT * wide[known]) + common / (2 * _SIGNIFICANT * broad[known])) / 2
    strong = known & (np.abs(one) > _SIGNIFICANT * wide)
    kept = float((np.sign(one) == np.sign(other))[strong].mean()) if strong.any() else 1.0
    return float(overlap.mean()), kept, int(known.sum())


def _outcome(tables: Unpaired, side: int) -> Floats | None:
    assert tables.target is not None, "there is something to predict"
    place = tables.names.index(tables.target)
    codes = (tables.original, tables.release)[side][place]
    if len(values := np.unique(tables.original[place])) == 2:
        second: Floats = (codes == values[1]).astype(np.float64)
        return second
    if tables.target in tables.numbers:
        numbers = tables.numbers[tables.target][side]
        filled: Floats = np.where(np.isnan(numbers), np.nanmean(numbers), numbers)
        return filled
    return None


def _designs(tables: Unpaired) -> tuple[Floats, Floats]:
    """Return the same columns of ones, numbers and values for both tables; numbers on the scale of the original."""
    parts: tuple[list[Floats], list[Floats]] = ([np.ones(tables.records[0])], [np.ones(tables.records[1])])
    for place, name in enumerate(tables.names):
        if name == tables.target:
            continue
        if name in tables.numbers:
            first = tables.numbers[name][0]
            centre, spread = float(np.nanmean(first)), float(np.nanstd(first))
            if spread > 0:
                for side in (0, 1):
                    numbers = tables.numbers[name][side]
                    parts[side].append((np.where(np.isnan(numbers), centre, numbers) - centre) / spread)
            continue
        counts = [np.bincount(table[place], minlength=tables.sizes[place]) for table in (tables.original, tables.release)]
        kept = np.nonzero((counts[0] >= COMMON) & (counts[1] >= COMMON))[0]
        for value in kept[kept != int(np.argmax(counts[0]))]:
            for side, table in enumerate((tables.original, tables.release)):
                parts[side].append((table[place] == value).astype(np.float64))
    return np.column_stack(parts[0]), np.column_stack(parts[1])


def _fitted(matrix: Floats, outcome: Floats) -> tuple[Floats, Floats]:
    """Return coefficients of least squares and their standard errors; 0 where they are not determined."""
    square = matrix.T @ matrix
    inverse = np.linalg.pinv(square, hermitian=True)
    weights = inverse @ (matrix.T @ outcome)
    left = max(len(outcome) - matrix.shape[1], 1)
    spread = float(((outcome - matrix @ weights) ** 2).sum()) / left
    error = np.sqrt(np.maximum(np.diag(inverse) * spread, 0))
    # What others determine has no coefficient of its own.
    determined = np.abs(np.diag(inverse @ square) - 1) < 1e-6
    return weights, np.where(determined, error, 0.0)


def model_scores(tables: Unpaired) -> tuple[float, float, bool] | str:
    """Return the AUC of gradient boosting learnt from the release and from the original, tested on people of neither if there are any."""
    if tables.target is None:
        return "no column was named that a model is to predict (--model)"
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from sklearn.metrics import roc_auc_score
    except ImportError:
        return "the extra ml is not installed"
    place = tables.names.index(tables.target)
    values = np.unique(tables.original[place])
    if len(values) != 2 or len(tables.names) < 2:
        return "a model is learnt of a column with two values"
    features = [i for i in range(len(tables.names)) if i != place]

    def side(table: tuple[Integers, ...]) -> tuple[Floats, Integers]:
        return np.column_stack([table[i] for i in features]), (table[place] == values[1]).astype(np.int64)

    (x, y), (released, told) = side(tables.original), side(tables.release)
    if tables.held_out:
        test, truth = side(tables.held_out)
        learn = np.arange(len(y))
    else:
        order = np.random.default_rng(tables.seed).permutation(len(y))
        count = max(1, round(_HELD_OUT * len(y)))
        learn, aside = order[count:], order[:count]
        test, truth = x[aside], y[aside]
    if min(len(np.unique(part)) for part in (truth, told, y[learn])) < 2:
        return "one of the tables has only one value of the column"
    scores = [
        float(roc_auc_score(truth, HistGradientBoostingClassifier(random_state=0).fit(a, b).predict_proba(test)[:, 1]))
        for a, b in ((released, told), (x[learn], y[learn]))
    ]
    return scores[0], scores[1], bool(tables.held_out)
