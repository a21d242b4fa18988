"""A metric that looks at distinct tuples from several sides at once, which one expression over class sizes cannot say."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonscope.risk.counting import StoredTuples, Tuples
from anonscope.risk.metrics.evaluate import Summary
from anonscope.risk.metrics.metric import Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleFinding:
    """One number about tuples: of all attributes together or of one, a value or a summary over records."""

    attribute: int | None = None
    sensitive: str | None = None
    variant: str | None = None
    value: float | None = None
    summary: Summary | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleReading:
    """One reading of a definition in two forms that give the same: on tuples as arrays, and by statements where nothing is fetched."""

    fetched: Callable[[Tuples], Iterator[TupleFinding]]
    stored: Callable[[StoredTuples], Iterator[TupleFinding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleMetric(Metric):
    """A measure of tuples; `literal` is a further reading of the definition, measured after the first when somebody asks for it."""

    measure: TupleReading
    literal: TupleReading | None = None
    telling: bool = False  # whether it looks at what a tuple tells of sensitive attributes


def over_records(risk: "NDArray[Any]", tuples: Tuples) -> Summary:
    """Return min, mean and max over records of a number that every tuple has."""
    return summary(float(risk.min()), float((risk * tuples.n).sum()) / tuples.records, float(risk.max()))


def summary(low: float, mean: float, high: float) -> Summary:
    """Return a summary; adding up may end a hair outside what was added."""
    return Summary(float(low), min(max(float(mean), float(low)), float(high)), float(high))
