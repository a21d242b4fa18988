"""The true distribution behind randomised answers, estimated without bias, with its error: of one column, or of several together.

Every answer of a column went through the matrix (p - q) I + q J (p: the chance of the true answer, q: of each other), whose inverse is
(I - q J) / (p - q); columns that were answered together went through one such matrix over their combinations, and what was randomised by
itself through the product of theirs. The estimate is the inverse of that applied to what was answered, and its variance is that of a
multinomial (A. Chaudhuri and R. Mukerjee 1988, "Randomized Response").
The more answers there are together, the larger the error: that is the curse of dimensionality of R. Aufschläger et al. (2023), section 5.4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, Protocol

from anonscope.columns.images import EVERYTHING
from anonscope.engines import Engine
from anonscope.errors import ColumnNotFound, OptionError, shown
from anonscope.io.sources import Relation
from anonscope.transform.recipe import Recipe, recipe_of
from anonscope.transform.steps.joint_randomised_response import MOST_COMBINATIONS, JointRandomisedResponse
from anonscope.transform.steps.randomised_response import RandomisedResponse
from anonscope.transform.table import Table
from anonscope.transform.transformation import Transformation

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Opened(Protocol):
    """What `read` returns, as far as it is needed here."""

    engine: Engine
    relation: Relation
    rows: int | None


def estimated_distribution(release: Opened, recipe: Recipe | str, columns: Sequence[str]) -> Any:
    """Return the shares that answers had before they were randomised, and the standard error of each, as an Arrow table.

    `release` is what `read` returns for the release, `recipe` what made it, `columns` those that `randomised_response` or
    `joint_randomised_response` answered, alone or several together. An estimate has no bias, so one of a rare answer may be below 0: what
    counts is how far it lies from 0 by its error. Records with a missing or suppressed answer are left out.
    """
    import numpy as np
    import pyarrow as pa

    asked = _asked(recipe_of(recipe), release.relation.names, columns)
    answers = {column: answers for group in asked for column, answers in group.answers.items()}
    shape = tuple(map(len, answers.values()))
    if prod(shape) > MOST_COMBINATIONS:
        raise OptionError(f"{prod(shape):,} combinations of answers are more than {MOST_COMBINATIONS:,}; estimate fewer columns together.")
    counts = _counted(release, answers)
    if not counts.sum():
        raise OptionError(f"No record has an answer in {', '.join(map(shown, columns))}.")
    # One axis for whatever was answered together.
    joint = counts.reshape([prod(map(len, group.answers.values())) for group in asked])
    share, error = unmixed(joint, [group.truthful for group in asked])
    order = [list(answers).index(column) for column in columns]
    found = {"share": share, "standard_error": error, "answered": joint.astype(np.int64)}
    listed = np.unravel_index(np.arange(prod(shape)), [shape[i] for i in order])
    return pa.table(
        {column: pa.array(answers[column]).take(pa.array(places)) for column, places in zip(columns, listed, strict=True)}
        | {name: numbers.reshape(shape).transpose(order).ravel() for name, numbers in found.items()}
    )


def answers_in(recipe: Recipe, names: Sequence[str], columns: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return all answers of columns that a recipe answers at random; raise where one is no such column."""
    return {column: answers for group in _asked(recipe, names, columns) for column, answers in group.answers.items()}


def unmixed(counts: "NDArray[Any]", truthful: Sequence[float]) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
    """Return the shares before, and the standard error of each, of counts with an axis a column."""
    import numpy as np

    total = counts.sum()
    answered = counts / total
    share, squares = answered, answered
    for axis, chance in enumerate(truthful):
        other = (1 - chance) / (counts.shape[axis] - 1)
        scale = 1 / (chance - other)
        share = scale * (share - other * share.sum(axis=axis, keepdims=True))
        # The squares of the inverse's entries: one on its diagonal, another everywhere else.
        own, away = (scale * (1 - other)) ** 2, (scale * other) ** 2
        squares = (own - away) * squares + away * squares.sum(axis=axis, keepdims=True)
    return share, np.sqrt(np.maximum(squares - share**2, 0) / total)


@dataclass(frozen=True, slots=True)
class _Asked:
    """Columns that were answered together, with all their answers, and the chance that all those are true."""

    answers: Mapping[str, tuple[str, ...]]
    truthful: float


def _asked(recipe: Recipe, names: Sequence[str], columns: Sequence[str]) -> list[_Asked]:
    """Return the columns by the step that answered them."""
    if isinstance(columns, str) or not columns or len(set(columns)) < len(columns):
        raise OptionError("columns takes a list of column names, each once.")
    groups: dict[int, list[str]] = {}
    for column in columns:
        if column not in names:
            raise ColumnNotFound(column, tuple(names))
        changing = [place for place, step in enumerate(recipe.steps) if column in step.columns]
        if not changing or not isinstance(recipe.steps[changing[-1]], RandomisedResponse | JointRandomisedResponse):
            raise OptionError(
                f"The last step of the recipe that changes {shown(column)} is no randomised_response, so nothing is known of it."
            )
        groups.setdefault(changing[-1], []).append(column)
    return [_group(recipe.steps[place], together) for place, together in groups.items()]


def _group(step: Transformation, columns: Sequence[str]) -> _Asked:
    if isinstance(step, JointRandomisedResponse):
        return _Asked({column: step.values[column] for column in columns}, step.truthful_in(columns))
    assert isinstance(step, RandomisedResponse)
    return _Asked({step.column: step.values}, step.truthful)


def _counted(release: Opened, answers: Mapping[str, tuple[str, ...]]) -> "NDArray[np.float64]":
    """Return how often every combination was answered, an axis a column; records that lack an answer are left out."""
    import numpy as np

    table = Table.of(release.engine, release.relation, release.rows)
    places = [{value: i for i, value in enumerate(known)} for known in answers.values()]
    counts = np.zeros([len(known) for known in answers.values()])
    listed = ", ".join(f"{table.text(column)} AS v{i}" for i, column in enumerate(answers))
    keys = ", ".join(f"v{i}" for i in range(len(places)))
    for *given, count in release.engine.rows(f"SELECT {keys}, COUNT(*) FROM (SELECT {listed} FROM {table.origin}) AS t GROUP BY {keys}"):
        if any(answer is None or (answer == EVERYTHING and EVERYTHING not in known) for answer, known in zip(given, places, strict=True)):
            continue
        if any(answer not in known for answer, known in zip(given, places, strict=True)):
            raise OptionError("The release has answers that its recipe does not list; it is not what that recipe made.")
        counts[tuple(known[answer] for answer, known in zip(given, places, strict=True))] += count
    return counts
